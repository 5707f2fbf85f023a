// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Whether a task is asleep, as the scheduler sees it. A sleep of one's own proves nothing about
/// where another task has got to.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "common/system/error.h"

namespace futex_bench {

/// The state of one task, from /proc/PID/task/TID/stat (man 5 proc). Of the files that tell, this
/// one is readable without privileges, also between processes, and the kernel makes it without
/// disturbing the task: syscall and wchan need the right to trace it.
class TaskState {
 public:
  /// Opens the file, so that asking costs one read. Throws std::system_error.
  TaskState(pid_t process, pid_t task) {
    const std::string path =
        "/proc/" + std::to_string(process) + "/task/" + std::to_string(task) + "/stat";
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0) throw_errno("open " + path);
  }
  ~TaskState() {
    if (file_ >= 0) close(file_);
  }
  TaskState(TaskState&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  TaskState(const TaskState&) = delete;
  TaskState& operator=(const TaskState&) = delete;
  TaskState& operator=(TaskState&&) = delete;

  /// True if the task sleeps until somebody wakes it (state S). False also if it has ended.
  bool asleep() const noexcept {
    char text[128];
    const ssize_t length = pread(file_, text, sizeof text, 0);
    return length > 0 && state_of({text, static_cast<std::size_t>(length)}) == 'S';
  }

  /// The state letter of a line "12 (name) S ...", whose name may hold blanks and parentheses; 0 if
  /// there is none.
  static char state_of(std::string_view stat) noexcept {
    const std::size_t end = stat.rfind(") ");
    return end == std::string_view::npos || end + 2 >= stat.size() ? '\0' : stat[end + 2];
  }

 private:
  int file_;
};

}  // namespace futex_bench

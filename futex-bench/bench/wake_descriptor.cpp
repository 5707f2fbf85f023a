// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// Waking by messages through descriptors. None of them has a name for longer than a moment.
#include "futex-bench/bench/wake_descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <mqueue.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

#include "common/system/descriptor.h"
#include "common/system/error.h"
#include "futex-bench/bench/wake_methods.h"

namespace futex_bench {
namespace {

class PipeMethod : public WakeMethod {
 public:
  explicit PipeMethod(const WakeSite&) : pipe_(open_pipe()) {}
  void notify(std::uint64_t n) noexcept override { send_number(pipe_.write_end.get(), n); }
  void wait(std::uint64_t) noexcept override { receive_number(pipe_.read_end.get()); }

 private:
  DescriptorPair pipe_;
};

class SocketPairMethod : public WakeMethod {
 public:
  explicit SocketPairMethod(const WakeSite&) : sockets_(open_socket_pair()) {}
  void notify(std::uint64_t n) noexcept override { send_number(sockets_.write_end.get(), n); }
  void wait(std::uint64_t) noexcept override { receive_number(sockets_.read_end.get()); }

 private:
  DescriptorPair sockets_;
};

class EventMethod : public WakeMethod {
 public:
  explicit EventMethod(const WakeSite&) : event_(eventfd(0, EFD_CLOEXEC)) {
    if (event_ < 0) throw_errno("eventfd");
  }
  ~EventMethod() override { close(event_); }
  void notify(std::uint64_t) noexcept override { send_number(event_, 1); }
  void wait(std::uint64_t) noexcept override { receive_number(event_); }

 private:
  int event_;
};

/// A queue for one message, whose name is gone at once; -1 with errno if there can be none.
mqd_t open_queue() {
  const std::string name = fmt::format("/futex-bench-{}", getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 8;
  const auto open = [&] {
    return mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attributes);
  };
  mqd_t queue = open();
  if (queue == static_cast<mqd_t>(-1) && errno == EEXIST) {
    // Of an earlier process with this id, which was killed before it came to the unlink below.
    mq_unlink(name.c_str());
    queue = open();
  }
  if (queue != static_cast<mqd_t>(-1)) mq_unlink(name.c_str());
  return queue;
}

std::string queue_missing() {
  const mqd_t queue = open_queue();
  if (queue == static_cast<mqd_t>(-1)) {
    return fmt::format("mq_open: {} (see /proc/sys/fs/mqueue and `ulimit -q`)", errno_name(errno));
  }
  mq_close(queue);
  return {};
}

class QueueMethod : public WakeMethod {
 public:
  explicit QueueMethod(const WakeSite&) : queue_(open_queue()) {
    if (queue_ == static_cast<mqd_t>(-1)) throw_errno("mq_open");
  }
  ~QueueMethod() override { mq_close(queue_); }
  void notify(std::uint64_t) noexcept override {
    if (mq_send(queue_, "", 1, 0) != 0) wake_panic("mq_send");
  }
  void wait(std::uint64_t) noexcept override {
    char message[8];
    while (mq_receive(queue_, message, sizeof message, nullptr) < 0) {
      if (errno != EINTR) wake_panic("mq_receive");
    }
  }

 private:
  mqd_t queue_;
};

}  // namespace

void send_number(int descriptor, std::uint64_t number) noexcept {
  while (write(descriptor, &number, sizeof number) != static_cast<ssize_t>(sizeof number)) {
    if (errno != EINTR) wake_panic("write");
  }
}

std::uint64_t receive_number(int descriptor) noexcept {
  std::uint64_t number = 0;
  while (read(descriptor, &number, sizeof number) != static_cast<ssize_t>(sizeof number)) {
    if (errno != EINTR) wake_panic("read");
  }
  return number;
}

const std::array<WakeMethodEntry, 4> kWakeDescriptorMethods = {{
    {"pipe", "write to read of a pipe", true, wake_always_available, make_wake_method<PipeMethod>},
    {"socketpair", "write to read of a pair of unix stream sockets", true, wake_always_available,
     make_wake_method<SocketPairMethod>},
    {"eventfd", "write to read of an eventfd", true, wake_always_available,
     make_wake_method<EventMethod>},
    {"mqueue", "mq_send to mq_receive of a POSIX message queue", true, queue_missing,
     make_wake_method<QueueMethod>},
}};

}  // namespace futex_bench

// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/report/terminal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "common/system/error.h"

namespace futex_bench {
namespace {

namespace fs = std::filesystem;

/// A folder of its own for each test.
class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/futex-bench-output-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  static void put(const std::string& file, const std::string& text) { std::ofstream(file) << text; }

  static std::string content(const std::string& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// Names in the folder.
  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      list.push_back(entry.path().filename().string());
    }
    return list;
  }

  fs::path folder_;
};

/// The error of an action, as its code and its words.
template <class Action>
std::pair<int, std::string> failure(Action action) {
  try {
    action();
  } catch (const std::system_error& error) {
    return {error.code().value(), error.what()};
  }
  return {0, ""};
}

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(OutputFileTest, NothingIsThereUntilTheCommit) {
  OutputFile file(path("out.json"));
  EXPECT_FALSE(fs::exists(path("out.json")));
  file.commit("result\n");
  EXPECT_EQ(content(path("out.json")), "result\n");
  EXPECT_THAT(names(), ElementsAre("out.json"));
}

TEST_F(OutputFileTest, WithoutACommitTheOldFileStays) {
  put(path("out"), "old");
  {
    OutputFile file(path("out"));
    EXPECT_EQ(names().size(), 2U);
  }
  EXPECT_EQ(content(path("out")), "old");
  EXPECT_THAT(names(), ElementsAre("out"));
}

TEST_F(OutputFileTest, ReplacesTheOldFileAndKeepsItsPermissions) {
  put(path("out"), "a long old text");
  ASSERT_EQ(chmod(path("out").c_str(), 0606), 0);
  OutputFile(path("out")).commit("new");
  EXPECT_EQ(content(path("out")), "new");
  struct stat info {};
  ASSERT_EQ(stat(path("out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0606U);
}

TEST_F(OutputFileTest, ANewFileFollowsTheUmask) {
  const mode_t before = umask(027);
  OutputFile(path("out")).commit("new");
  umask(before);
  struct stat info {};
  ASSERT_EQ(stat(path("out").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640U);
}

TEST_F(OutputFileTest, FollowsSymbolicLinks) {
  fs::create_directory(folder_ / "sub");
  put(path("sub/real"), "old");
  fs::create_symlink("sub/real", folder_ / "link");
  OutputFile(path("link")).commit("new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content(path("sub/real")), "new");
}

TEST_F(OutputFileTest, RefusesAtOnceWhatCannotBeWritten) {
  auto [code, words] = failure([&] { OutputFile file(path("none/out")); });
  EXPECT_EQ(code, ENOENT);
  EXPECT_EQ(words, "cannot write '" + path("none/out") + "': No such file or directory");
  EXPECT_EQ(failure([&] { OutputFile file(folder_.string()); }).first, EISDIR);
  EXPECT_EQ(failure([] { OutputFile file(""); }).first, ENOENT);
  EXPECT_EQ(failure([&] { OutputFile file(path(std::string(300, 'x'))); }).first, ENAMETOOLONG);
  put(path("file"), "");
  EXPECT_EQ(failure([&] { OutputFile file(path("file/out")); }).first, ENOTDIR);
}

TEST_F(OutputFileTest, LeavesReadOnlyFilesAlone) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write to everything";
  put(path("out"), "old");
  ASSERT_EQ(chmod(path("out").c_str(), 0444), 0);
  EXPECT_EQ(failure([&] { OutputFile file(path("out")); }).first, EACCES);
}

TEST_F(OutputFileTest, ALeftoverOfAKilledRunIsNoObstacle) {
  put(path(".futex-bench-" + std::to_string(getpid()) + "-0.tmp"), "left");
  OutputFile(path("out")).commit("new");
  EXPECT_EQ(content(path("out")), "new");
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(OutputFileTest, AFileThatIsStdoutOrStderrAlreadyIsRefused) {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    put(path("same"), "");
    fs::remove(path("link"));
    fs::create_symlink(path("same"), path("link"));
    std::fflush(nullptr);
    const int saved = dup(stream);
    const int same = open(path("same").c_str(), O_WRONLY);
    ASSERT_EQ(dup2(same, stream), stream);
    std::string words;
    for (const char* name : {"same", "link"}) {
      try {
        OutputFile file(path(name));
      } catch (const UsageError& error) {
        words += error.what();
      }
    }
    dup2(saved, stream);
    close(saved);
    close(same);
    const char* stream_name = stream == STDOUT_FILENO ? "' is where stdout" : "' is where stderr";
    EXPECT_THAT(words, HasSubstr("same" + std::string(stream_name)));
    EXPECT_THAT(words, HasSubstr("link" + std::string(stream_name)));
    EXPECT_THAT(names(), ::testing::UnorderedElementsAre("same", "link"));
  }
}

TEST_F(OutputFileTest, TwoFilesInOneFolder) {
  OutputFile a(path("a"));
  OutputFile b(path("b"));
  a.commit("A");
  b.commit("B");
  EXPECT_EQ(content(path("a")) + content(path("b")), "AB");
}

TEST_F(OutputFileTest, AFailedCommitLeavesTheOldFileAndNoOther) {
  put(path("out"), "old");
  {
    OutputFile file(path("out"));
    // The target becomes a folder that is not empty, which no rename can replace.
    fs::remove(path("out"));
    fs::create_directories(folder_ / "out" / "in");
    EXPECT_NE(failure([&] { file.commit("new"); }).first, 0);
  }
  EXPECT_THAT(names(), ElementsAre("out"));
}

TEST_F(OutputFileTest, AForkedChildDoesNotTidyUp) {
  OutputFile file(path("out"));
  const pid_t child = fork();
  if (child == 0) {
    file.~OutputFile();
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(names().size(), 1U);
  file.commit("parent");
  EXPECT_EQ(content(path("out")), "parent");
}

TEST_F(OutputFileTest, APipeIsWrittenToDirectly) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  const int reader = open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  OutputFile(path("fifo")).commit("through");
  char buffer[32];
  ASSERT_EQ(read(reader, buffer, sizeof buffer), 7);
  EXPECT_EQ(std::string(buffer, 7), "through");
  close(reader);
  EXPECT_THAT(names(), ElementsAre("fifo"));
}

TEST(OutputFileDevice, AFullDeviceIsAnErrorWithThePath) {
  OutputFile file("/dev/full");
  const auto [code, words] = failure([&] { file.commit("text"); });
  EXPECT_EQ(code, ENOSPC);
  EXPECT_EQ(words, "cannot write '/dev/full': No space left on device");
  OutputFile("/dev/null").commit("text");
}

TEST(WriteAll, NamesEveryFailure) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_EQ(failure([&] { write_all(full, "x"); }),
            (std::pair<int, std::string>(ENOSPC, "write error: No space left on device")));
  close(full);
  EXPECT_EQ(failure([&] { write_all(full, "x", "stdout"); }),
            (std::pair<int, std::string>(EBADF, "stdout: Bad file descriptor")));
}

TEST(WriteAll, FillsAPipeHoweverOftenItIsFull) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  const std::string text(1 << 20, 'x');
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    try {
      write_all(ends[1], text);
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  std::size_t total = 0;
  char buffer[4096];
  for (ssize_t size; (size = read(ends[0], buffer, sizeof buffer)) > 0;) {
    total += static_cast<std::size_t>(size);
  }
  close(ends[0]);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(total, text.size());
}

/// Sets up a terminal and an environment in which colour is welcome.
class UseColor : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(openpty(&master_, &terminal_, nullptr, nullptr, nullptr), 0);
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
  }
  void TearDown() override {
    close(master_);
    close(terminal_);
  }
  int master_ = -1;
  int terminal_ = -1;
};

TEST_F(UseColor, OnATerminalOnly) {
  EXPECT_TRUE(use_color(ColorChoice::kAuto, terminal_));
  const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);
  EXPECT_FALSE(use_color(ColorChoice::kAuto, file));
  EXPECT_TRUE(use_color(ColorChoice::kAlways, file));
  EXPECT_FALSE(use_color(ColorChoice::kNever, terminal_));
  close(file);
}

TEST_F(UseColor, HonoursTheEnvironment) {
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(use_color(ColorChoice::kAuto, terminal_));
  EXPECT_TRUE(use_color(ColorChoice::kAlways, terminal_));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(use_color(ColorChoice::kAuto, terminal_));
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(use_color(ColorChoice::kAuto, terminal_));
  unsetenv("TERM");
  EXPECT_FALSE(use_color(ColorChoice::kAuto, terminal_));
}

}  // namespace
}  // namespace futex_bench

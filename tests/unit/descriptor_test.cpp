// SPDX-License-Identifier: GPL-2.0-only
#include "common/system/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace futex_bench {
namespace {

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

TEST(Descriptor, IsClosedOnceByItsLastOwner) {
  std::optional<DescriptorPair> pair(open_pipe());
  const int fd = pair->read_end.get();
  EXPECT_TRUE(is_open(fd));
  {
    const Descriptor taken = std::move(pair->read_end);
    EXPECT_EQ(taken.get(), fd);
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
  // Somebody else's now, which the pair must not close.
  const int again = open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(again, fd);
  pair.reset();
  EXPECT_TRUE(is_open(again));
  close(again);
}

TEST(Descriptor, BytesGoThroughInWhateverPieces) {
  const DescriptorPair way = open_socket_pair();
  // More than a socket holds, so that both sides take several calls.
  constexpr std::size_t kSize = 4'000'000;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::vector<std::byte> bytes(kSize, std::byte{7});
    bytes.back() = std::byte{9};
    write_all(way.write_end.get(), bytes.data(), bytes.size());
    _exit(0);
  }
  std::vector<std::byte> got(kSize);
  read_all(way.read_end.get(), got.data(), got.size());
  EXPECT_EQ(got.front(), std::byte{7});
  EXPECT_EQ(got.back(), std::byte{9});
  waitpid(child, nullptr, 0);
}

TEST(Descriptor, TheEndOfTheOtherSideIsAnError) {
  std::optional<DescriptorPair> way(open_pipe());
  const Descriptor reader = std::move(way->read_end);
  way.reset();
  std::array<std::byte, 1> byte{};
  EXPECT_THROW(read_all(reader.get(), byte.data(), byte.size()), std::runtime_error);
}

TEST(Descriptor, RoomIsMadeUpToTheHardLimit) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const DescriptorLimits now = read_descriptor_limits();
    const rlimit limit{.rlim_cur = now.open + 1, .rlim_max = now.open + 60};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(1);
    make_room_for_descriptors(10);
    if (read_descriptor_limits().soft != now.open + 10 + kSpareDescriptors) _exit(2);
    make_room_for_descriptors(1000);
    const DescriptorLimits most = read_descriptor_limits();
    _exit(most.soft == most.hard && most.hard == now.open + 60 ? 0 : 3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace futex_bench

// SPDX-License-Identifier: GPL-2.0-only
/// \file
/// The ways by which two tasks exchange messages: one row each, between processes and between
/// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace futex_bench {

/// Who talks to each other.
enum class Between : std::uint8_t { kProcesses, kThreads };

/// "processes", "threads".
std::string_view to_string(Between between);

/// Two directions between a client and its server. Each holds one message: whoever sends again must
/// have had an answer to what was sent before. After a fork both sides have a copy that works.
class MessageChannel {
 public:
  enum Way : std::uint8_t { kRequest, kReply };

  MessageChannel() = default;
  virtual ~MessageChannel() = default;
  MessageChannel(const MessageChannel&) = delete;
  MessageChannel& operator=(const MessageChannel&) = delete;

  /// Sends a message of the channel's size.
  virtual void send(Way way, const std::byte* message) = 0;

  /// Sleeps until there is a message.
  virtual void receive(Way way, std::byte* message) = 0;
};

/// Where a channel is made.
struct ChannelPlace {
  std::size_t size;  ///< of a message in bytes, at least 1
  Between between;
  std::byte* memory;  ///< channel_bytes() bytes on cache lines of their own; zeroed, mapped shared
};

/// One way.
struct Transport {
  std::string_view name;     ///< "pipe"
  std::string_view summary;  ///< for the help
  Between natural;           ///< between whom it is measured if the user does not say
  unsigned descriptors;      ///< that a channel opens
  std::size_t
      state_bytes;  ///< in shared memory, besides the messages; 0 if messages go by another way
  std::unique_ptr<MessageChannel> (*open)(const ChannelPlace& place);  ///< throws std::system_error
};

/// All, sorted as in the help.
std::span<const Transport> transports();

/// The one called `name`, or null.
const Transport* find_transport(std::string_view name);

/// Shared memory that a channel needs, a multiple of 128.
std::size_t channel_bytes(const Transport& transport, std::size_t message_size);

}  // namespace futex_bench

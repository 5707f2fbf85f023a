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

#include "futex-bench/bench/team.h"

namespace futex_bench {

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
  std::string_view name;  ///< "pipe"
  Between natural;        ///< between whom it is measured if the user does not say
  unsigned descriptors;   ///< that a channel opens
  /// In shared memory for each direction, besides the message; 0 if messages go by another way.
  std::size_t state_bytes;
  std::unique_ptr<MessageChannel> (*open)(const ChannelPlace& place);  ///< throws std::system_error
};

/// All, sorted as in the help.
std::span<const Transport> transports();

/// The one called `name`, or null.
const Transport* find_transport(std::string_view name);

/// Bytes of shared memory that a channel needs, whole cache lines.
std::size_t channel_bytes(const Transport& transport, std::size_t message_size);

}  // namespace futex_bench

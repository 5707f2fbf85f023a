// SPDX-License-Identifier: GPL-2.0-only
#include "futex-bench/bench/message_channel.h"

#include <pthread.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "common/futex/futex.h"
#include "common/locks/platform.h"
#include "common/system/descriptor.h"
#include "common/system/error.h"

namespace futex_bench {
namespace {

constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + kCacheLine - 1) / kCacheLine * kCacheLine;
}

/// A pipe for each direction, as in the historical test.
class PipeChannel : public MessageChannel {
 public:
  explicit PipeChannel(const ChannelPlace& place) : size_(place.size) {}
  void send(Way way, const std::byte* message) override {
    write_all(ways_[way].write_end.get(), message, size_);
  }
  void receive(Way way, std::byte* message) override {
    read_all(ways_[way].read_end.get(), message, size_);
  }

 private:
  std::size_t size_;
  std::array<DescriptorPair, 2> ways_ = {open_pipe(), open_pipe()};
};

/// One pair of stream sockets; the first is the server's.
class SocketChannel : public MessageChannel {
 public:
  explicit SocketChannel(const ChannelPlace& place) : size_(place.size) {}
  void send(Way way, const std::byte* message) override {
    write_all(way == kRequest ? sockets_.write_end.get() : sockets_.read_end.get(), message, size_);
  }
  void receive(Way way, std::byte* message) override {
    read_all(way == kRequest ? sockets_.read_end.get() : sockets_.write_end.get(), message, size_);
  }

 private:
  std::size_t size_;
  DescriptorPair sockets_ = open_socket_pair();
};

/// What one direction has in shared memory: a State, and behind it the message.
template <class State>
class Boxes {
 public:
  explicit Boxes(const ChannelPlace& place) : size_(place.size) {
    const std::size_t stride = whole_lines(sizeof(State)) + whole_lines(place.size);
    for (std::size_t way = 0; way < states_.size(); ++way) {
      std::byte* const start = place.memory + way * stride;
      states_[way] = new (start) State;
      messages_[way] = start + whole_lines(sizeof(State));
    }
  }
  State& state(std::size_t way) const { return *states_[way]; }
  void put(std::size_t way, const std::byte* message) const {
    std::memcpy(messages_[way], message, size_);
  }
  void take(std::size_t way, std::byte* message) const {
    std::memcpy(message, messages_[way], size_);
  }

 private:
  std::size_t size_;
  std::array<State*, 2> states_{};
  std::array<std::byte*, 2> messages_{};
};

/// A mutex and a condition variable.
struct CondState {
  pthread_mutex_t mutex;
  pthread_cond_t filled;
  bool is_full = false;
};

/// As in the historical test; process-shared if it has to be. Signals after it has unlocked: the
/// waiter would otherwise wake only to wait for the mutex.
class CondChannel : public MessageChannel {
 public:
  explicit CondChannel(const ChannelPlace& place) : boxes_(place), between_(place.between) {
    const int shared = pshared_of(place.between);
    pthread_mutexattr_t mutex_attributes;
    pthread_condattr_t cond_attributes;
    check_pthread(pthread_mutexattr_init(&mutex_attributes), "pthread_mutexattr_init");
    check_pthread(pthread_condattr_init(&cond_attributes), "pthread_condattr_init");
    check_pthread(pthread_mutexattr_setpshared(&mutex_attributes, shared), "share a mutex");
    check_pthread(pthread_condattr_setpshared(&cond_attributes, shared), "share a condition");
    for (const Way way : {kRequest, kReply}) {
      CondState& state = boxes_.state(way);
      check_pthread(pthread_mutex_init(&state.mutex, &mutex_attributes), "pthread_mutex_init");
      check_pthread(pthread_cond_init(&state.filled, &cond_attributes), "pthread_cond_init");
    }
    pthread_mutexattr_destroy(&mutex_attributes);
    pthread_condattr_destroy(&cond_attributes);
  }
  /// pthread_cond_destroy() waits for every waiter to leave, which a killed process never does; what
  /// processes share goes with its memory.
  ~CondChannel() override {
    if (between_ == Between::kProcesses) return;
    for (const Way way : {kRequest, kReply}) {
      pthread_cond_destroy(&boxes_.state(way).filled);
      pthread_mutex_destroy(&boxes_.state(way).mutex);
    }
  }
  void send(Way way, const std::byte* message) override {
    CondState& state = boxes_.state(way);
    pthread_mutex_lock(&state.mutex);
    boxes_.put(way, message);
    state.is_full = true;
    pthread_mutex_unlock(&state.mutex);
    pthread_cond_signal(&state.filled);
  }
  void receive(Way way, std::byte* message) override {
    CondState& state = boxes_.state(way);
    pthread_mutex_lock(&state.mutex);
    while (!state.is_full) pthread_cond_wait(&state.filled, &state.mutex);
    boxes_.take(way, message);
    state.is_full = false;
    pthread_mutex_unlock(&state.mutex);
  }

 private:
  Boxes<CondState> boxes_;
  Between between_;
};

/// A word, and FUTEX_WAIT and FUTEX_WAKE on it:
///
///     kEmpty    nothing there, nobody waits
///     kAwaited  nothing there, the receiver sleeps or is about to
///     kFull     a message is there
class FutexChannel : public MessageChannel {
 public:
  explicit FutexChannel(const ChannelPlace& place)
      : boxes_(place), scope_(scope_of(place.between)) {}
  void send(Way way, const std::byte* message) override {
    FutexWord& word = boxes_.state(way);
    boxes_.put(way, message);
    // Release pairs with the receiver's acquire: who sees kFull sees the message.
    if (word.exchange(kFull, std::memory_order_release) == kAwaited) futex_wake(&word, 1, scope_);
  }
  void receive(Way way, std::byte* message) override {
    FutexWord& word = boxes_.state(way);
    std::uint32_t seen = kEmpty;
    if (word.compare_exchange_strong(seen, kAwaited, std::memory_order_acquire)) seen = kAwaited;
    while (seen != kFull) {
      futex_wait(word, kAwaited, scope_);
      seen = word.load(std::memory_order_acquire);
    }
    boxes_.take(way, message);
    // Relaxed: the sender writes again only after it has seen an answer, which is sent later.
    word.store(kEmpty, std::memory_order_relaxed);
  }

 private:
  enum : std::uint32_t { kEmpty, kAwaited, kFull };

  Boxes<FutexWord> boxes_;
  FutexScope scope_;
};

/// A counter in the kernel for each direction; the message itself lies in shared memory.
class EventChannel : public MessageChannel {
 public:
  explicit EventChannel(const ChannelPlace& place) : boxes_(place) {}
  void send(Way way, const std::byte* message) override {
    boxes_.put(way, message);
    std::array<std::byte, sizeof(std::uint64_t)> raw;
    constexpr std::uint64_t kOne = 1;
    std::memcpy(raw.data(), &kOne, sizeof kOne);
    write_all(events_[way].get(), raw.data(), raw.size());
  }
  void receive(Way way, std::byte* message) override {
    std::array<std::byte, sizeof(std::uint64_t)> raw;
    read_all(events_[way].get(), raw.data(), raw.size());
    boxes_.take(way, message);
  }

 private:
  struct Nothing {};

  static Descriptor open_event() {
    const int fd = eventfd(0, EFD_CLOEXEC);
    if (fd < 0) throw_errno("make an eventfd");
    return Descriptor(fd);
  }

  Boxes<Nothing> boxes_;
  std::array<Descriptor, 2> events_ = {open_event(), open_event()};
};

template <class Channel>
std::unique_ptr<MessageChannel> open(const ChannelPlace& place) {
  return std::make_unique<Channel>(place);
}

constexpr auto kTransports = std::to_array<Transport>({
    {"pipe", Between::kProcesses, 4, 0, open<PipeChannel>},
    {"socketpair", Between::kProcesses, 2, 0, open<SocketChannel>},
    {"cond", Between::kThreads, 0, sizeof(CondState), open<CondChannel>},
    {"futex", Between::kThreads, 0, sizeof(FutexWord), open<FutexChannel>},
    {"eventfd", Between::kProcesses, 2, 1, open<EventChannel>},
});

}  // namespace

std::span<const Transport> transports() { return kTransports; }

const Transport* find_transport(std::string_view name) {
  const auto found = std::ranges::find(kTransports, name, &Transport::name);
  return found == kTransports.end() ? nullptr : &*found;
}

std::size_t channel_bytes(const Transport& transport, std::size_t message_size) {
  if (transport.state_bytes == 0) return 0;
  return 2 * (whole_lines(transport.state_bytes) + whole_lines(message_size));
}

}  // namespace futex_bench

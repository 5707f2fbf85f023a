// SPDX-License-Identifier: GPL-2.0-only
#include "tests/model/run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/model/program.h"

namespace futex_bench::model {
namespace {

Run* the_run = nullptr;

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const char* order_name(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return "relaxed";
    case std::memory_order_consume:
    case std::memory_order_acquire:
      return "acquire";
    case std::memory_order_release:
      return "release";
    case std::memory_order_acq_rel:
      return "acq_rel";
    case std::memory_order_seq_cst:
      break;
  }
  return "seq_cst";
}

}  // namespace

Run::Run(const Bounds& bounds, const Mutation& mutation, Trail& trail, std::set<Site>* sites,
         bool traced)
    : bounds_(bounds), mutation_(mutation), trail_(trail), sites_(sites), traced_(traced) {
  bounds_.buffer = std::clamp<std::uint32_t>(bounds_.buffer, 1, kMostBuffered);
  the_run = this;
  // A lock with a fault may follow a null pointer. SA_NODEFER: the handler does not return.
  struct sigaction action {};
  action.sa_handler = &Run::on_segfault;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &action, &segfault_before_);
}

Run::~Run() {
  sigaction(SIGSEGV, &segfault_before_, nullptr);
  the_run = nullptr;
}

void Run::on_segfault(int signal) {
  if (the_run != nullptr && !the_run->in_host() && the_run->failure_.empty()) {
    the_run->fail("segmentation fault: it follows a pointer to nowhere");
  }
  ::signal(signal, SIG_DFL);  // not the program's: the instruction is tried again and ends us
}

Run& Run::current() noexcept {
  if (the_run == nullptr) {
    std::fputs("explorer: an atomic of the model is used outside of a modelled program\n", stderr);
    std::abort();
  }
  return *the_run;
}

void Run::execute(const std::function<std::unique_ptr<Program>()>& make) {
  trail_.rewind();
  locations_.clear();
  sleepers_.clear();
  pure_.clear();
  committing_ = 0;
  spinning_on_ = -1;
  lingering_ = over_ = false;
  preemptions_left_ = bounds_.preemptions;
  late_left_ = bounds_.late_stores;
  injections_left_ = bounds_.injections;
  steps_ = mutated_wakes_ = 0;
  now_ns_ = 0;
  failure_.clear();
  trace_.clear();
  current_ = -1;
  const std::unique_ptr<Program> program = make();
  program_ = program.get();
  hurries_ = program->hurries();
  thread_count_ = program->threads();
  for (int i = 0; i < thread_count_; ++i) {
    Thread& thread = threads_[index(i)];
    thread.state = State::kReady;
    thread.clock = thread.unacquired = thread.released = {};
    thread.clock.tick(i);
    thread.buffer.clear();
    thread.seen.clear();
    thread.spins_on = thread.owed = thread.slow_paths = thread.sleeps = 0;
    thread.ran = ~0U;
    thread.waited = thread.disturbed = thread.repeats = thread.chosen = false;
    thread.fiber.prepare(&Run::thread_entry, this);
  }
  const int first = pick();
  current_ = first;
  host_.switch_to(threads_[index(first)].fiber);
  current_ = -1;
  if (failure_.empty()) {
    for (int i = 0; i < thread_count_; ++i) drain(i);
    program->finish();
  }
  over_ = true;
}

void Run::thread_entry(void* run) {
  Run& self = *static_cast<Run*>(run);
  self.program_->run(self.current_);
  self.note(self.current_, "ends");
  self.me().state = State::kDone;
  Fiber& mine = self.me().fiber;
  for (int i = 0; i < self.thread_count_; ++i) {
    if (self.threads_[index(i)].state != State::kDone) {
      self.current_ = self.pick();
      mine.leave_for(self.me().fiber);
    }
  }
  mine.leave_for(self.host_);
}

void Run::fail(std::string what) {
  if (!failure_.empty() || over_) return;
  if (in_host()) {
    failure_ = std::move(what);
    return;
  }
  failure_ = fmt::format("thread {}: {}\n{}", current_, what, state_report());
  std::string().swap(what);  // nobody will destroy it
  note(current_, "fails");
  me().fiber.leave_for(host_);
}

int Run::choose(std::size_t alternatives) {
  if (alternatives == 1) return 0;
  const int taken = trail_.choose(static_cast<int>(alternatives));
  if (taken >= 0) return taken;
  fail("the replay string does not fit, or the program is not deterministic");
  return 0;
}

void Run::count_step() {
  if (++steps_ > bounds_.steps) {
    fail(fmt::format("livelock: more than {} operations", bounds_.steps));
  }
}

Fault Run::arrive(Op& op, bool wakes_many) {
  if (in_host()) return Fault::kNone;
  count_step();
  const auto at = [&] {
    return Site{op.where.file, op.where.line, op.where.column, op.kind, op.order, wakes_many};
  };
  if (sites_ != nullptr) sites_->insert(at());
  if (mutation_.fault == Fault::kNone || op.where.line != mutation_.site.line ||
      at() != mutation_.site) {
    return Fault::kNone;
  }
  if (mutation_.fault == Fault::kRelax) op.order = std::memory_order_relaxed;
  return mutation_.fault;
}

std::string Run::name_of_value(std::uint64_t value) const {
  const int location =
      value > 4096 ? locations_.find(reinterpret_cast<const void*>(value)) : LocationTable::kNone;
  if (location != LocationTable::kNone) return fmt::format("&#{}", location);
  return value > 4096 ? fmt::format("{:#x}", value) : fmt::format("{}", value);
}

void Run::tell(const Op& op, const std::string& what) {
  if (!traced_ || in_host()) return;
  const std::string place = fmt::format("{}:{}", base_name(op.where.file), op.where.line);
  const int location = locations_.find(op.address);
  note(current_,
       fmt::format("{:<22} {}{} {}{}", place, op.name,
                   op.address == nullptr ? "" : fmt::format(" #{}", location),
                   op.kind == OpKind::kWait || op.kind == OpKind::kWake ? "" : order_name(op.order),
                   what));
}

void Run::note(int thread, const std::string& what) {
  if (traced_) trace_ += fmt::format("  thread {}  {}\n", thread, what);
}

std::string Run::state_report() const {
  constexpr std::array kStates = {"can run", "spins", "sleeps", "has ended"};
  std::string report;
  for (int t = 0; t < thread_count_; ++t) {
    const Thread& thread = threads_[index(t)];
    report += fmt::format("  thread {} {}", t, kStates[static_cast<std::size_t>(thread.state)]);
    if (thread.state == State::kAsleep)
      report += fmt::format(" on #{}", locations_.find(thread.futex));
    for (const Seen& seen : thread.seen) {
      if (thread.state == State::kPaused) {
        report += fmt::format(", read #{} = {}", seen.location, name_of_value(seen.value));
      }
    }
    report += '\n';
  }
  return report;
}

std::strong_ordering Site::operator<=>(const Site& other) const {
  if (const auto by = line <=> other.line; by != 0) return by;
  if (const auto by = column <=> other.column; by != 0) return by;
  if (const auto by = kind <=> other.kind; by != 0) return by;
  if (const auto by = static_cast<int>(order) <=> static_cast<int>(other.order); by != 0) return by;
  if (const auto by = wakes_many <=> other.wakes_many; by != 0) return by;
  return file == other.file ? std::strong_ordering::equal : std::strcmp(file, other.file) <=> 0;
}

std::string describe(const Site& site) {
  constexpr std::array kKinds = {"load", "store", "read-modify-write", "fence", "wait", "wake"};
  std::string text = fmt::format("{}:{} {}", base_name(site.file), site.line,
                                 kKinds[static_cast<std::size_t>(site.kind)]);
  if (site.kind != OpKind::kWait && site.kind != OpKind::kWake) {
    text += fmt::format(" {}", order_name(site.order));
  }
  return text;
}

std::string_view name_of(Fault fault) {
  constexpr std::array<std::string_view, 8> kNames = {
      "none",         "relax",     "drop-store",      "split",
      "sleep-always", "drop-wake", "drop-even-wakes", "wake-one"};
  return kNames[static_cast<std::size_t>(fault)];
}

}  // namespace futex_bench::model

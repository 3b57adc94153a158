// Creation stamps: the time and index every new node takes.
//
// Within a cycle the index counts from 0 and the time rises strictly. The system clock may step
// back between cycles; its stamps rise all the same, so that turns stay in the order of their
// commits. A configured clock is taken at its word across cycles.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/options.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "model/history.h"

namespace pactdb {

struct Stamp {
  std::int64_t created_at_ns = 0;
  std::int64_t creation_index = 0;
};

// A stamper in the middle of a cycle.
struct StamperState {
  ClockPosition position;
  std::int64_t index = 0;
  std::optional<std::int64_t> last_ns;
};

class Stamper {
 public:
  explicit Stamper(const std::optional<SteppedClockOptions>& clock,
                   std::shared_ptr<Host> host = SystemHost())
      : host_(std::move(host)) {
    SetClock(clock);
  }

  // Restarts a configured clock at its first tick.
  void SetClock(const std::optional<SteppedClockOptions>& clock) {
    is_system_ = !clock.has_value();
    clock_ = clock ? MakeSteppedClock(clock->start_ns, clock->step_ns) : MakeSystemClock(host_);
  }

  Stamp Take() {
    const std::int64_t created_at_ns = NextNs();
    clock_->TickNs();
    last_ns_ = created_at_ns;
    return {created_at_ns, std::exchange(index_, Following(index_))};
  }

  // The time the next stamp would have.
  std::int64_t NextNs() const {
    std::int64_t reading = clock_->PeekNs();
    if (is_system_ && before_) reading = std::max(reading, Following(*before_));
    if (last_ns_) reading = std::max(reading, Following(*last_ns_));
    return reading;
  }

  // What explicit stamps must respect: the index not below the first, the time above the second.
  std::int64_t next_index() const { return index_; }
  std::optional<std::int64_t> last_ns() const { return last_ns_; }
  // The node that took the last stamp was given its own; later ones follow it.
  void Override(const Stamp& given) {
    index_ = Following(given.creation_index);
    last_ns_ = given.created_at_ns;
  }

  void OpenCycle() {
    index_ = 0;
    before_ = last_ns_ ? last_ns_ : before_;
    last_ns_.reset();
  }

  // The time now, without taking a tick.
  std::int64_t PeekNs() const { return clock_->PeekNs(); }

  // Where the clock stands between two cycles.
  ClockPosition position() const {
    return {.next_tick_ns = is_system_ ? 0 : clock_->PeekNs(), .last_stamp = before_};
  }
  // Goes on from there, in a new cycle. REQUIRES: a configured clock is the one of the position.
  void Resume(const ClockPosition& position, const std::optional<SteppedClockOptions>& clock) {
    if (clock) clock_ = MakeSteppedClock(position.next_tick_ns, clock->step_ns);
    RiseAbove(position);
  }
  StamperState state() const {
    return {.position = position(), .index = index_, .last_ns = last_ns_};
  }
  void Resume(const StamperState& state, const std::optional<SteppedClockOptions>& clock) {
    SetClock(clock);
    Resume(state.position, clock);
    index_ = state.index;
    last_ns_ = state.last_ns;
  }
  // Stamps of the system's clock rise above those of an earlier snapshot.
  void RiseAbove(const ClockPosition& position) { before_ = position.last_stamp; }

  // A stamper that goes on from here without touching this one: for previews and savepoints.
  Stamper Clone() const {
    Stamper clone(std::nullopt, host_);
    clone.clock_ = clock_->Clone();
    clone.is_system_ = is_system_;
    clone.index_ = index_;
    clone.last_ns_ = last_ns_;
    clone.before_ = before_;
    return clone;
  }

 private:
  static std::int64_t Following(std::int64_t value) {
    return value == INT64_MAX ? value : value + 1;
  }

  std::shared_ptr<Host> host_;
  std::unique_ptr<Clock> clock_;
  bool is_system_ = true;
  std::int64_t index_ = 0;
  std::optional<std::int64_t> last_ns_;  // of this cycle
  std::optional<std::int64_t> before_;   // the last one of earlier cycles
};

}  // namespace pactdb

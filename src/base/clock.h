// Time, injected.
//
// The engine reads time in one place only: when it stamps a node. Tests and replays pass a stepped
// clock, so the same operations give the same bytes.
#pragma once

#include <pactdb/host.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace pactdb {

class Clock {
 public:
  virtual ~Clock() = default;
  // The reading the next tick will give. Does not advance.
  virtual std::int64_t PeekNs() const = 0;
  // Takes one tick and returns its reading.
  virtual std::int64_t TickNs() = 0;
  // A clock that goes on from here on its own.
  virtual std::unique_ptr<Clock> Clone() const = 0;
};

// Nanoseconds since the epoch, as the host reads them.
std::unique_ptr<Clock> MakeSystemClock(std::shared_ptr<Host> host = SystemHost());

// Tick k (from 0) reads start_ns + k * step_ns, saturating at the largest 64-bit value.
// REQUIRES: start_ns >= 0, step_ns >= 1.
std::unique_ptr<Clock> MakeSteppedClock(std::int64_t start_ns, std::int64_t step_ns);

// `ns` since the epoch as UTC with nine decimals, "1970-01-01T00:00:00.000001000Z". Total: any
// 64-bit value has a form; years outside 0000..9999 cannot occur with 64-bit nanoseconds.
std::string FormatIso(std::int64_t ns);

// The same for many times near each other: what does not change within a second is kept.
//
// Thread safety: one thread at a time.
class IsoWriter {
 public:
  static constexpr std::size_t kBytes = 30;
  // Writes kBytes bytes and gives their end.
  char* Write(std::int64_t ns, char* to);

 private:
  static constexpr std::size_t kSecondBytes = 20;  // up to the point
  std::int64_t second_ = INT64_MIN;                // no time of 64-bit nanoseconds is in it
  std::array<char, kSecondBytes> text_{};
};

}  // namespace pactdb

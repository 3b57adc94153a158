#include "base/clock.h"

#include <chrono>
#include <cstdio>
#include <limits>
#include <utility>

namespace pactdb {
namespace {

class SystemClock final : public Clock {
 public:
  explicit SystemClock(std::shared_ptr<Host> host) : host_(std::move(host)) {}
  std::int64_t PeekNs() const override { return host_->NowNs(); }
  std::int64_t TickNs() override { return PeekNs(); }
  std::unique_ptr<Clock> Clone() const override { return std::make_unique<SystemClock>(*this); }

 private:
  std::shared_ptr<Host> host_;
};

class SteppedClock final : public Clock {
 public:
  SteppedClock(std::int64_t start_ns, std::int64_t step_ns)
      : next_ns_(start_ns), step_ns_(step_ns) {}
  std::int64_t PeekNs() const override { return next_ns_; }
  std::int64_t TickNs() override {
    const std::int64_t reading = next_ns_;
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    next_ns_ = reading > kMax - step_ns_ ? kMax : reading + step_ns_;
    return reading;
  }
  std::unique_ptr<Clock> Clone() const override { return std::make_unique<SteppedClock>(*this); }

 private:
  std::int64_t next_ns_;
  std::int64_t step_ns_;
};

}  // namespace

std::unique_ptr<Clock> MakeSystemClock(std::shared_ptr<Host> host) {
  return std::make_unique<SystemClock>(std::move(host));
}

std::unique_ptr<Clock> MakeSteppedClock(std::int64_t start_ns, std::int64_t step_ns) {
  return std::make_unique<SteppedClock>(start_ns, step_ns);
}

std::string FormatIso(std::int64_t ns) {
  // Civil date from days, in plain integer arithmetic: no time zone or locale of the host can
  // enter.
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  constexpr std::int64_t kSecondsPerDay = 86'400;
  std::int64_t seconds = ns / kNsPerSecond;
  std::int64_t nanos = ns % kNsPerSecond;
  if (nanos < 0) nanos += kNsPerSecond, --seconds;
  std::int64_t days = seconds / kSecondsPerDay;
  std::int64_t second_of_day = seconds % kSecondsPerDay;
  if (second_of_day < 0) second_of_day += kSecondsPerDay, --days;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  char text[40];
  const int length = std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%09lldZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(second_of_day / 3600), static_cast<int>(second_of_day / 60 % 60),
      static_cast<int>(second_of_day % 60), static_cast<long long>(nanos));
  return std::string(text, static_cast<std::size_t>(length));
}

}  // namespace pactdb

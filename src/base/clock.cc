#include "base/clock.h"

#include <algorithm>
#include <chrono>
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

char* WriteDigits(std::int64_t value, int digits, char* to) {
  for (int i = digits - 1; i >= 0; --i, value /= 10) to[i] = static_cast<char>('0' + value % 10);
  return to + digits;
}

// "1970-01-01T00:00:00." Civil date from days, in plain integer arithmetic: no time zone or locale
// of the host can enter.
void WriteSecond(std::int64_t second, char* to) {
  constexpr std::int64_t kSecondsPerDay = 86'400;
  std::int64_t days = second / kSecondsPerDay;
  std::int64_t of_day = second % kSecondsPerDay;
  if (of_day < 0) of_day += kSecondsPerDay, --days;
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{days}}};
  const auto put = [&to](std::int64_t value, int digits, char behind) {
    to = WriteDigits(value, digits, to);
    *to++ = behind;
  };
  put(static_cast<int>(date.year()), 4, '-');
  put(static_cast<unsigned>(date.month()), 2, '-');
  put(static_cast<unsigned>(date.day()), 2, 'T');
  put(of_day / 3600, 2, ':');
  put(of_day / 60 % 60, 2, ':');
  put(of_day % 60, 2, '.');
}

}  // namespace

std::unique_ptr<Clock> MakeSystemClock(std::shared_ptr<Host> host) {
  return std::make_unique<SystemClock>(std::move(host));
}

std::unique_ptr<Clock> MakeSteppedClock(std::int64_t start_ns, std::int64_t step_ns) {
  return std::make_unique<SteppedClock>(start_ns, step_ns);
}

std::string FormatIso(std::int64_t ns) {
  std::array<char, IsoWriter::kBytes> text;
  IsoWriter().Write(ns, text.data());
  return {text.data(), text.size()};
}

char* IsoWriter::Write(std::int64_t ns, char* to) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  std::int64_t second = ns / kNsPerSecond;
  std::int64_t nanos = ns % kNsPerSecond;
  if (nanos < 0) nanos += kNsPerSecond, --second;
  if (second != second_) {
    second_ = second;
    WriteSecond(second, text_.data());
  }
  to = std::copy(text_.begin(), text_.end(), to);
  to = WriteDigits(nanos, 9, to);
  *to++ = 'Z';
  return to;
}

}  // namespace pactdb

#include "engine/times.h"

#include <charconv>
#include <chrono>
#include <optional>
#include <string>

namespace pactdb {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kAgeSecondsMax = std::int64_t{200} * 366 * 86'400;

// Takes digits off the front: exactly `digits`, or any number if that is 0.
std::optional<std::int64_t> TakeDigits(std::string_view& text, std::size_t digits) {
  std::size_t size = 0;
  while (size < text.size() && text[size] >= '0' && text[size] <= '9') ++size;
  if (size == 0 || size > 18 || (digits != 0 && size != digits)) return std::nullopt;
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + size, value);
  text.remove_prefix(size);
  return value;
}

bool Take(std::string_view& text, char expected) {
  if (text.empty() || text[0] != expected) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> ParseAge(std::string_view text) {
  const auto count = TakeDigits(text, 0);
  if (!count || text.size() != 1) return std::nullopt;
  std::int64_t unit = 0;
  if (text[0] == 'd') unit = 86'400;
  if (text[0] == 'h') unit = 3'600;
  if (text[0] == 'm') unit = 60;
  if (text[0] == 's') unit = 1;
  if (unit == 0 || *count > kAgeSecondsMax / unit) return std::nullopt;
  return *count * unit * kSecondNs;
}

std::optional<std::int64_t> ParseDay(std::string_view& text) {
  const auto year = TakeDigits(text, 4);
  const bool first = Take(text, '-');
  const auto month = TakeDigits(text, 2);
  const bool second = Take(text, '-');
  const auto day = TakeDigits(text, 2);
  if (!year || !first || !month || !second || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // Years that 64-bit nanoseconds can say.
  if (!date.ok() || *year < 1678 || *year > 2261) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * std::int64_t{86'400};
}

// After the T, up to the Z.
std::optional<std::int64_t> ParseClockNs(std::string_view& text) {
  const auto hour = TakeDigits(text, 2);
  const bool first = Take(text, ':');
  const auto minute = TakeDigits(text, 2);
  const bool second_mark = Take(text, ':');
  const auto second = TakeDigits(text, 2);
  if (!hour || !first || !minute || !second_mark || !second) return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  std::int64_t ns = 0;
  if (Take(text, '.')) {
    const std::size_t before = text.size();
    const auto fraction = TakeDigits(text, 0);
    const std::size_t digits = before - text.size();
    if (!fraction || digits > 9) return std::nullopt;
    ns = *fraction;
    for (std::size_t i = digits; i < 9; ++i) ns *= 10;
  }
  return ((*hour * 60 + *minute) * 60 + *second) * kSecondNs + ns;
}

std::optional<std::int64_t> ParseTime(std::string_view text) {
  const auto day = ParseDay(text);
  if (!day) return std::nullopt;
  std::int64_t clock_ns = 0;
  if (!text.empty()) {
    if (!Take(text, 'T')) return std::nullopt;
    const auto clock = ParseClockNs(text);
    if (!clock || text != "Z") return std::nullopt;
    clock_ns = *clock;
  }
  return *day * kSecondNs + clock_ns;
}

}  // namespace

Result<std::int64_t> ParseTimeOrAge(std::string_view text, std::int64_t now_ns) {
  if (const auto age = ParseAge(text)) return now_ns - *age;
  if (const auto time = ParseTime(text)) return *time;
  return std::unexpected(
      Error(ErrorCode::kRequestInvalid, "'" + std::string(text) +
                                            "' is no time and no age; write 2026-01-31, "
                                            "2026-01-31T12:00:00Z, 30d, 12h, 45m or 90s")
          .With("argument", "older_than"));
}

}  // namespace pactdb

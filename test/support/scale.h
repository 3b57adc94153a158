// How long random and threaded tests run: the environment's PACTDB_TEST_SCALE is a percentage of
// their usual length. The sanitizer presets set it low, `make soak` high.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace pactdb::support {

inline std::size_t TestScalePercent() {
  const char* text = std::getenv("PACTDB_TEST_SCALE");
  if (text == nullptr) return 100;
  const std::string_view digits(text);
  std::size_t percent = 100;
  std::from_chars(digits.data(), digits.data() + digits.size(), percent);
  return percent;
}

// `usual` rounds at 100 percent; never fewer than one.
inline std::size_t Scaled(std::size_t usual) {
  return std::max<std::size_t>(1, usual * TestScalePercent() / 100);
}

}  // namespace pactdb::support

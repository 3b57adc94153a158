// Numbers from the command line of the sweeps' programs.
//
// Thread safety: pure functions.
#pragma once

#include <charconv>
#include <string_view>

namespace pactdb::crash {

// 0 for what is no number: these programs are called by scripts of ours.
template <typename T = int>
T Number(std::string_view text) {
  T number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace pactdb::crash

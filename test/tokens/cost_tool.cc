// What counting costs, in instructions: run under callgrind by cost_test.py.
//
// Reads lines "ENCODING<TAB>UNIT<TAB>BYTES", UNIT in hexadecimal, counts a text of UNIT repeated to
// so many bytes, and dumps callgrind's counters under the line.
#include <valgrind/callgrind.h>

#include <charconv>
#include <iostream>
#include <sstream>
#include <string>

#include "tokens/encoding.h"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string name;
    std::string digits;
    std::size_t bytes = 0;
    words >> name >> digits >> bytes;
    const auto encoding = pactdb::tokens::Encoding::Find(name);
    if (!encoding) return 3;
    std::string unit;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
      unsigned byte = 0;
      std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
      unit.push_back(static_cast<char>(byte));
    }
    if (unit.empty()) return 2;
    std::string text;
    while (text.size() + unit.size() <= bytes) text += unit;
    CALLGRIND_ZERO_STATS;
    const auto count = (*encoding)->Count(text);
    CALLGRIND_DUMP_STATS_AT(line.c_str());
    std::cout << line << ": " << count << " tokens\n";
  }
  return 0;
}

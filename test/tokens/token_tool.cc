// Encodes texts for test/tokens/differential.py: token_tool ENCODING < texts > ids.
//
// A text is its size in bytes and its bytes; an answer is the number of tokens and their ids, or
// the number alone if ENCODING is "estimate". All numbers have 4 bytes, in the machine's order.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "tokens/encoding.h"
#include "tokens/estimate.h"

namespace {

bool ReadText(std::string& text) {
  std::uint32_t size = 0;
  if (std::fread(&size, sizeof size, 1, stdin) != 1) return false;
  text.resize(size);
  return std::fread(text.data(), 1, size, stdin) == size;
}

void Write(const std::vector<std::uint32_t>& numbers) {
  std::fwrite(numbers.data(), sizeof numbers.front(), numbers.size(), stdout);
}

int Estimate() {
  for (std::string text; ReadText(text);) {
    Write({static_cast<std::uint32_t>(pactdb::tokens::EstimateTokens(text))});
  }
  return 0;
}

int Encode(const pactdb::tokens::Encoding& encoding) {
  std::vector<std::uint32_t> answer;
  for (std::string text; ReadText(text);) {
    answer.assign(1, 0);
    encoding.Encode(text, answer);
    answer.front() = static_cast<std::uint32_t>(answer.size() - 1);
    if (encoding.Count(text) != answer.front()) return 1;
    Write(answer);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: token_tool ENCODING < texts > ids\n";
    return 2;
  }
  if (std::string_view(argv[1]) == "estimate") return Estimate();
  const auto encoding = pactdb::tokens::Encoding::Find(argv[1]);
  if (!encoding) {
    std::cerr << encoding.error().message() << '\n';
    return 3;
  }
  return Encode(**encoding);
}

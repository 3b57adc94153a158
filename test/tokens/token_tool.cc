// Encodes texts for test/tokens/differential.py: token_tool ENCODING < texts > ids.
//
// A text is its size in bytes and its bytes; an answer is the number of tokens and their ids. All
// numbers have 4 bytes, in the machine's order.
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "tokens/encoding.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: token_tool ENCODING < texts > ids\n";
    return 2;
  }
  const auto encoding = pactdb::tokens::Encoding::Find(argv[1]);
  if (!encoding) {
    std::cerr << encoding.error().message() << '\n';
    return 3;
  }
  std::string text;
  std::vector<std::uint32_t> answer;
  for (std::uint32_t size = 0; std::fread(&size, sizeof size, 1, stdin) == 1;) {
    text.resize(size);
    if (std::fread(text.data(), 1, size, stdin) != size) return 1;
    answer.assign(1, 0);
    (*encoding)->Encode(text, answer);
    answer.front() = static_cast<std::uint32_t>(answer.size() - 1);
    if ((*encoding)->Count(text) != answer.front()) return 1;
    std::fwrite(answer.data(), sizeof answer.front(), answer.size(), stdout);
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}

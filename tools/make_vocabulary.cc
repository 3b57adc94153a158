// make_vocabulary IN.tiktoken OUT: turns a published vocabulary (lines "BASE64 RANK") into the
// bytes that src/tokens/vocabulary_format.h describes. Run by the build.
#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokens/vocabulary_format.h"

namespace {

using pactdb::tokens::kSlotIdMask;
using pactdb::tokens::SlotOf;
using pactdb::tokens::TokenHash;

std::optional<std::string> FromBase64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return bytes;
}

// The tokens by rank; none if the file is not what it should be. Ranks must be all the numbers from
// 0, and every byte a token: merging begins with them.
std::vector<std::string> Read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> tokens;
  std::array<bool, 256> has_byte{};
  for (std::string line; std::getline(file, line);) {
    const auto space = line.find(' ');
    if (space == std::string::npos || line.substr(space + 1) != std::to_string(tokens.size()))
      return {};
    auto bytes = FromBase64(std::string_view(line).substr(0, space));
    if (!bytes || bytes->empty()) return {};
    if (bytes->size() == 1) has_byte[static_cast<unsigned char>(bytes->front())] = true;
    tokens.push_back(*std::move(bytes));
  }
  if (tokens.size() >= kSlotIdMask || std::ranges::count(has_byte, true) != 256) return {};
  return tokens;
}

std::vector<std::uint32_t> MakeSlots(const std::vector<std::string>& tokens, unsigned slot_bits) {
  const std::uint64_t mask = (std::uint64_t{1} << slot_bits) - 1;
  std::vector<std::uint32_t> slots(mask + 1);
  for (std::uint32_t id = 0; id < tokens.size(); ++id) {
    const std::uint64_t hash = TokenHash(tokens[id].data(), tokens[id].size());
    std::uint64_t slot = hash & mask;
    while (slots[slot] != 0) slot = (slot + 1) & mask;
    slots[slot] = SlotOf(id, hash);
  }
  return slots;
}

std::size_t LongestProbe(const std::vector<std::uint32_t>& slots) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const std::uint32_t slot : slots) longest = std::max(longest, run = slot == 0 ? 0 : run + 1);
  return longest;
}

template <typename Number>
void Append(const std::vector<Number>& numbers, std::string& out) {
  out.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
}

int Make(const char* from, const char* to) {
  const std::vector<std::string> tokens = Read(from);
  if (tokens.empty()) {
    (void)std::fprintf(stderr, "make_vocabulary: %s is not a vocabulary\n", from);
    return 1;
  }
  unsigned slot_bits = 1;
  while ((tokens.size() * 2) >> slot_bits != 0) ++slot_bits;
  const std::vector<std::uint32_t> slots = MakeSlots(tokens, slot_bits);
  if (LongestProbe(slots) > 128) {
    (void)std::fprintf(stderr, "make_vocabulary: the hash spreads %s badly\n", from);
    return 1;
  }
  pactdb::tokens::VocabularyHeader header{.magic = pactdb::tokens::kVocabularyMagic,
                                          .tokens = static_cast<std::uint32_t>(tokens.size()),
                                          .slot_bits = slot_bits,
                                          .token_bytes_max = 0};
  std::vector<std::uint32_t> ends = {0};
  std::string bytes;
  for (const std::string& token : tokens) {
    header.token_bytes_max =
        std::max(header.token_bytes_max, static_cast<std::uint32_t>(token.size()));
    bytes += token;
    ends.push_back(static_cast<std::uint32_t>(bytes.size()));
  }
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  Append(ends, out);
  Append(slots, out);
  out += bytes;
  std::ofstream file(to, std::ios::binary | std::ios::trunc);
  file.write(out.data(), static_cast<std::streamsize>(out.size()));
  file.close();
  if (file) return 0;
  (void)std::fprintf(stderr, "make_vocabulary: %s cannot be written\n", to);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) return Make(argv[1], argv[2]);
  (void)std::fprintf(stderr, "usage: make_vocabulary IN.tiktoken OUT\n");
  return 2;
}

#include "tokens/encoding.h"

#include <memory>
#include <optional>
#include <string>

#include "text/canonical.h"
#include "tokens/merge.h"

namespace pactdb::tokens {
namespace {

// What a thread needs while it counts, kept from call to call.
struct Workspace {
  Splitter::Scratch scratch;
  Merger merger;
};

Workspace& ThisThreadsWorkspace() {
  thread_local Workspace workspace;
  return workspace;
}

// How many bytes at the front of `text` are one character; 0 if they are none.
std::size_t CharacterBytes(std::string_view text) {
  for (std::size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (IsValidUtf8(text.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

// Made when first asked for; never destroyed, so that threads may count while the process ends.
const Encoding* Encoding::O200k() {
  static const Encoding* const encoding = [] {
    const auto vocabulary = Vocabulary::BuiltIn("o200k_base");
    return vocabulary ? new Encoding("o200k_base", *vocabulary, kO200kPattern) : nullptr;
  }();
  return encoding;
}

const Encoding* Encoding::Cl100k() {
  static const Encoding* const encoding = [] {
    const auto vocabulary = Vocabulary::BuiltIn("cl100k_base");
    return vocabulary ? new Encoding("cl100k_base", *vocabulary, kCl100kPattern) : nullptr;
  }();
  return encoding;
}

Result<const Encoding*> Encoding::Find(std::string_view name) {
  const bool is_o200k = name == "o200k_base";
  if (!is_o200k && name != "cl100k_base") {
    return std::unexpected(Error(ErrorCode::kRequestInvalid,
                                 "there is no such encoding; there are o200k_base, cl100k_base "
                                 "and estimate")
                               .With("encoding", name)
                               .With("known", "o200k_base, cl100k_base, estimate"));
  }
  const Encoding* const encoding = is_o200k ? O200k() : Cl100k();
  if (encoding != nullptr) return encoding;
  return std::unexpected(Error(ErrorCode::kRequestInvalid,
                               "this build has no vocabulary of the encoding; run "
                               "tools/vocabularies.sh where there is a network and build again")
                             .With("encoding", name));
}

std::uint64_t Encoding::Count(std::string_view text) const {
  return Run(text, nullptr);
}

void Encoding::Encode(std::string_view text, std::vector<std::uint32_t>& out) const {
  Run(text, &out);
}

std::uint64_t Encoding::Run(std::string_view text, std::vector<std::uint32_t>* out) const {
  if (IsValidUtf8(text)) return RunValid(text, out);
  std::uint64_t count = 0;
  while (!text.empty()) {
    std::size_t valid = 0;
    for (std::size_t size = 0; (size = CharacterBytes(text.substr(valid))) != 0;) valid += size;
    count += RunValid(text.substr(0, valid), out);
    text.remove_prefix(valid);
    if (text.empty()) break;
    if (out != nullptr) out->push_back(vocabulary_.Find(text.substr(0, 1)));
    ++count;
    text.remove_prefix(1);
  }
  return count;
}

std::uint64_t Encoding::RunValid(std::string_view text, std::vector<std::uint32_t>* out) const {
  Workspace& workspace = ThisThreadsWorkspace();
  std::uint64_t count = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = splitter_.EndOfPiece(text, start, workspace.scratch);
    count += workspace.merger.Merge(vocabulary_, text.substr(start, end - start), out);
    start = end;
  }
  return count;
}

}  // namespace pactdb::tokens

#include "tokens/splitter.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <limits>
#include <new>

#include "base/check.h"

// \s and what it is in a class of characters.
#define PACTDB_BLANKS R"(\t-\r\x{85}\p{Z})"
#define PACTDB_UPPER R"(\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M})"
#define PACTDB_LOWER R"(\p{Ll}\p{Lm}\p{Lo}\p{M})"
#define PACTDB_ENDINGS R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
// clang-format off
#define PACTDB_BLANK_PIECES \
  "|[" PACTDB_BLANKS R"(]*[\r\n]+)" \
  "|[" PACTDB_BLANKS "]+(?![^" PACTDB_BLANKS "])" \
  "|[" PACTDB_BLANKS "]+"
// clang-format on

namespace pactdb::tokens {

// clang-format off
constexpr std::string_view kO200kPattern =
    "[^\\r\\n\\p{L}\\p{N}]?[" PACTDB_UPPER "]*[" PACTDB_LOWER "]+" PACTDB_ENDINGS "?"
    "|[^\\r\\n\\p{L}\\p{N}]?[" PACTDB_UPPER "]+[" PACTDB_LOWER "]*" PACTDB_ENDINGS "?"
    R"(|\p{N}{1,3})"
    "| ?[^" PACTDB_BLANKS R"(\p{L}\p{N}]+[\r\n/]*)"
    PACTDB_BLANK_PIECES;

constexpr std::string_view kCl100kPattern =
    PACTDB_ENDINGS
    R"(|[^\r\n\p{L}\p{N}]?\p{L}+)"
    R"(|\p{N}{1,3})"
    "| ?[^" PACTDB_BLANKS R"(\p{L}\p{N}]+[\r\n]*)"
    PACTDB_BLANK_PIECES;
// clang-format on

namespace {

pcre2_code* Code(void* code) {
  return static_cast<pcre2_code*>(code);
}

PCRE2_SPTR Bytes(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

// One pair of offsets is all that is asked for.
Splitter::Scratch::Scratch() : match_(pcre2_match_data_create(1, nullptr)) {
  if (match_ == nullptr) throw std::bad_alloc();
}

Splitter::Scratch::~Scratch() {
  pcre2_match_data_free(static_cast<pcre2_match_data*>(match_));
}

Splitter::Splitter(std::string_view pattern, bool may_compile_to_code)
    : context_(pcre2_match_context_create(nullptr)) {
  int fault = 0;
  PCRE2_SIZE fault_at = 0;
  code_ = pcre2_compile(Bytes(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED,
                        &fault, &fault_at, nullptr);
  PACTDB_CHECK(code_ != nullptr && context_ != nullptr);
  // A piece of the longest text is scanned a few times over; PCRE2's own limits are lower.
  auto* const context = static_cast<pcre2_match_context*>(context_);
  pcre2_set_match_limit(context, std::numeric_limits<std::uint32_t>::max());
  pcre2_set_depth_limit(context, std::numeric_limits<std::uint32_t>::max());
  is_compiled_to_code_ =
      may_compile_to_code && pcre2_jit_compile(Code(code_), PCRE2_JIT_COMPLETE) == 0;
}

Splitter::~Splitter() {
  pcre2_match_context_free(static_cast<pcre2_match_context*>(context_));
  pcre2_code_free(Code(code_));
}

std::size_t Splitter::EndOfPiece(std::string_view text, std::size_t start, Scratch& scratch) const {
  auto* const match = static_cast<pcre2_match_data*>(scratch.match_);
  auto* const context = static_cast<pcre2_match_context*>(context_);
  const int found =
      is_compiled_to_code_
          ? pcre2_jit_match(Code(code_), Bytes(text), text.size(), start, 0, match, context)
          : pcre2_match(Code(code_), Bytes(text), text.size(), start,
                        PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, match, context);
  PACTDB_CHECK(found >= 0);
  const std::size_t end = pcre2_get_ovector_pointer(match)[1];
  PACTDB_CHECK(end > start);
  return end;
}

}  // namespace pactdb::tokens

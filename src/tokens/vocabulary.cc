// The vocabularies lie among the read-only data of whatever links this layer: the assembler takes
// the file in as it is, so no path has to be right when a program runs, and pages nobody reads cost
// nothing.
#include "tokens/vocabulary.h"

#include "base/check.h"

#define PACTDB_EMBED(symbol, file)    \
  __asm__(                            \
      ".pushsection .rodata\n"        \
      ".balign 64\n"                  \
      ".global " #symbol              \
      "\n"                            \
      ".hidden " #symbol "\n" #symbol \
      ":\n"                           \
      ".incbin \"" file               \
      "\"\n"                          \
      ".popsection\n");               \
  extern "C" const char symbol[]

#ifdef PACTDB_O200K_BASE
PACTDB_EMBED(kPactdbVocabularyO200kBase, PACTDB_O200K_BASE);
#endif
#ifdef PACTDB_CL100K_BASE
PACTDB_EMBED(kPactdbVocabularyCl100kBase, PACTDB_CL100K_BASE);
#endif

namespace pactdb::tokens {

std::optional<Vocabulary> Vocabulary::BuiltIn(std::string_view name) {
#ifdef PACTDB_O200K_BASE
  if (name == "o200k_base") return Vocabulary(kPactdbVocabularyO200kBase);
#endif
#ifdef PACTDB_CL100K_BASE
  if (name == "cl100k_base") return Vocabulary(kPactdbVocabularyCl100kBase);
#endif
  return std::nullopt;
}

Vocabulary::Vocabulary(const char* bytes) {
  const auto header = LoadAs<VocabularyHeader>(bytes);
  PACTDB_CHECK(header.magic == kVocabularyMagic);
  tokens_ = header.tokens;
  token_bytes_max_ = header.token_bytes_max;
  slot_mask_ = (std::uint64_t{1} << header.slot_bits) - 1;
  ends_ = reinterpret_cast<const std::uint32_t*>(bytes + sizeof header);
  slots_ = ends_ + tokens_ + 1;
  bytes_ = reinterpret_cast<const char*>(slots_ + slot_mask_ + 1);
}

}  // namespace pactdb::tokens

// An encoding: exactly the tokens that OpenAI's tokenizer of that name makes of a text.
//
// Names that are special to models ("<|endoftext|>") are text like any other: what a context holds
// is content, never a command to the model. (tiktoken: encode_ordinary.) Text that is not UTF-8
// does not come here; if it does, each byte that is no part of a character is a piece of its own.
//
// Cost: about linear in the text, whatever it is. Nothing is loaded: vocabularies lie in the
// library.
//
// Thread safety: const calls from any thread, without locks; each thread has its scratch memory.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokens/splitter.h"
#include "tokens/vocabulary.h"

namespace pactdb::tokens {

class Encoding {
 public:
  // "o200k_base" or "cl100k_base", there for the life of the process. kRequestInvalid if there is
  // no such encoding, or its vocabulary was not there when the library was built; details say which
  // names there are.
  static Result<const Encoding*> Find(std::string_view name);

  std::string_view name() const { return name_; }

  std::uint64_t Count(std::string_view text) const;
  // Appends the ids to `out`.
  void Encode(std::string_view text, std::vector<std::uint32_t>& out) const;

  const Vocabulary& vocabulary() const { return vocabulary_; }
  const Splitter& splitter() const { return splitter_; }

 private:
  Encoding(std::string_view name, const Vocabulary& vocabulary, std::string_view pattern)
      : name_(name), vocabulary_(vocabulary), splitter_(pattern) {}

  static const Encoding* O200k();
  static const Encoding* Cl100k();

  std::uint64_t Run(std::string_view text, std::vector<std::uint32_t>* out) const;
  std::uint64_t RunValid(std::string_view text, std::vector<std::uint32_t>* out) const;

  std::string_view name_;
  Vocabulary vocabulary_;
  Splitter splitter_;
};

}  // namespace pactdb::tokens

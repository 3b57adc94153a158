// The split of a text into pieces that are merged each by itself, by an encoding's pattern.
//
// PCRE2 does it, compiled to machine code where the platform lets it (JIT), by its interpreter
// where not; both give the same. The patterns are OpenAI's, but for \s: PCRE2's has U+180E, which
// left White_Space with Unicode 6.3.
//
// Thread safety: const calls from any thread; a Splitter::Scratch belongs to one at a time.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace pactdb::tokens {

class Splitter {
 public:
  class Scratch {
   public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

   private:
    friend class Splitter;
    void* match_;
  };

  // REQUIRES: a pattern of ours: it compiles, and matches something wherever text is left.
  // `may_compile_to_code` is for tests: false leaves the interpreter.
  explicit Splitter(std::string_view pattern, bool may_compile_to_code = true);
  ~Splitter();
  Splitter(const Splitter&) = delete;
  Splitter& operator=(const Splitter&) = delete;

  // Where the piece that starts at `start` ends. REQUIRES: valid UTF-8, start < text.size().
  std::size_t EndOfPiece(std::string_view text, std::size_t start, Scratch& scratch) const;

  bool is_compiled_to_code() const { return is_compiled_to_code_; }

 private:
  void* code_;
  void* context_;
  bool is_compiled_to_code_ = false;
};

extern const std::string_view kO200kPattern;
extern const std::string_view kCl100kPattern;

}  // namespace pactdb::tokens

// A parsed JSON document as a flat tape.
//
// simdjson finds the tokens; the tape keeps what its DOM would lose: integers of any length, the
// order of members, the byte position of every value. Duplicate keys, lone surrogates and over-deep
// nesting are refused while reading. There is no recursion over input.
//
// Strings without escapes and plain integers are not copied: the tape says where they stand in the
// text. ParseView leaves the text to the caller, Parse keeps a copy of it.
//
// Thread safety: a parsed document is immutable; JsonRef is a view into it and must not outlive it.
#pragma once

#include <pactdb/error.h>
#include <pactdb/json.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"

namespace pactdb {

class JsonRef;

// Longer texts are kLimitExceeded: the tape counts bytes in 32 bits, and canonical numbers may be
// longer than they were ("1e15" is 1000000000000000.0).
inline constexpr std::size_t kJsonTextBytesMax = std::size_t{1} << 30;

class JsonDoc {
 public:
  // Strict RFC 8259 (details.md P3). `code` is the error code for malformed text (kRequestInvalid
  // for requests, kImportInvalid for imported files); nesting over `depth_max` (a flat array has
  // depth 1) is kLimitExceeded with limit and max, and so is a text over kJsonTextBytesMax.
  // Details: `pos`, the 0-based byte offset at or near the fault.
  static Result<JsonDoc> Parse(std::string_view text, std::size_t depth_max,
                               ErrorCode code = ErrorCode::kRequestInvalid);
  // The same for a text that outlives the document, and stays where it is.
  static Result<JsonDoc> ParseView(std::string_view text, std::size_t depth_max,
                                   ErrorCode code = ErrorCode::kRequestInvalid);

  JsonRef root() const;

 private:
  friend class JsonRef;
  friend class JsonReader;  // json_doc.cc
  friend class JsonWriter;  // json_ref.cc

  // One entry a value, eight bytes, since a document of short numbers has one for every two bytes
  // of text, and what is read of a long one must not be written to memory twice its size.
  // Containers are followed by their contents. A member is a key entry (kind kString) followed by
  // its value. Some have a second entry, which holds a number alone: a container, where it ends; a
  // string or number that is not in the source as it should be, where its bytes start in text_.
  class Entry {
   public:
    Entry() = default;
    Entry(Json::Kind kind, bool flag, std::size_t count, std::size_t pos)
        : bits_(static_cast<std::uint64_t>(kind) | std::uint64_t{flag} << 3 |
                std::uint64_t{count} << 4 | std::uint64_t{pos} << 34) {}
    // A second entry.
    explicit Entry(std::uint64_t number) : bits_(number) {}
    std::uint64_t number() const { return bits_; }

    Json::Kind kind() const { return static_cast<Json::Kind>(bits_ & 7); }
    bool is_container() const { return kind() >= Json::Kind::kArray; }
    // Of an object: its members stand in canonical order already.
    bool is_sorted() const { return (bits_ & 8) != 0; }
    // Of a string or number: its bytes stand in text_, not in the source.
    bool is_kept() const { return (bits_ & 8) != 0 && !is_container(); }
    // Members of an object, elements of an array; bytes of a string or number; 1 for true.
    std::uint32_t count() const { return static_cast<std::uint32_t>(bits_ >> 4) & kCountMax; }
    // Byte offset in the parsed text.
    std::uint32_t pos() const { return static_cast<std::uint32_t>(bits_ >> 34); }

   private:
    static constexpr std::uint32_t kCountMax = (1u << 30) - 1;
    static_assert(kJsonTextBytesMax <= kCountMax + std::size_t{1});
    std::uint64_t bits_;
  };

  // Where the entry after this one stands, contents not skipped.
  std::uint32_t Behind(std::uint32_t index) const {
    const Entry entry = entries_[index];
    return index + (entry.is_container() || entry.is_kept() ? 2 : 1);
  }
  // The index of the entry after the value at `index`, contents skipped.
  std::uint32_t Next(std::uint32_t index) const {
    return entries_[index].is_container() ? static_cast<std::uint32_t>(entries_[index + 1].number())
                                          : Behind(index);
  }
  // Of a string or number.
  std::string_view Bytes(std::uint32_t index) const {
    const Entry entry = entries_[index];
    if (entry.is_kept()) return {text_.data() + entries_[index + 1].number(), entry.count()};
    const std::size_t quote = entry.kind() == Json::Kind::kString ? 1 : 0;
    return {source_.data() + entry.pos() + quote, entry.count()};
  }

  // A key entry and the first eight bytes of the key, most significant first: most comparisons end
  // there, without a look at the text.
  struct SortKey {
    std::uint64_t prefix;
    std::uint32_t entry;
  };
  SortKey MakeSortKey(std::uint32_t entry) const;
  bool KeyLess(const SortKey& a, const SortKey& b) const;  // by code point

  std::unique_ptr<Entry[]> entries_;
  std::string_view source_;             // what was parsed
  std::shared_ptr<const char[]> copy_;  // of the source, unless the caller keeps it
  std::string text_;                    // decoded strings and canonical number tokens, end to end
};

// A value inside a JsonDoc.
class JsonRef {
 public:
  Json::Kind kind() const;
  bool is_object() const { return kind() == Json::Kind::kObject; }
  bool is_array() const { return kind() == Json::Kind::kArray; }
  bool is_string() const { return kind() == Json::Kind::kString; }
  bool is_null() const { return kind() == Json::Kind::kNull; }
  std::size_t pos() const;  // byte offset of the value in the parsed text

  std::string_view string()
      const;             // REQUIRES: is_string(). Decoded UTF-8, valid while the document lives.
  bool boolean() const;  // REQUIRES: kind() == kBool
  std::optional<std::int64_t> AsInt64() const;  // integers that fit
  std::size_t size() const;                     // members or elements

  // Members in document order / elements. Use as: for (auto it = v.begin(); it != v.end(); ++it).
  struct Member;
  class Iterator;
  Iterator begin() const;  // REQUIRES: is_object() or is_array()
  Iterator end() const;
  // The member's value, if there. Linear in the members. REQUIRES: is_object().
  std::optional<JsonRef> Find(std::string_view key) const;

  // Appends the canonical bytes.
  void AppendCanonical(std::string& out) const;
  Json ToJson() const;

  // The nesting depth of this value: 0 for a scalar, 1 for a flat array.
  std::size_t Depth() const;

 private:
  friend class JsonDoc;
  JsonRef(const JsonDoc* doc, std::uint32_t index) : doc_(doc), index_(index) {}
  const JsonDoc* doc_;
  std::uint32_t index_;
};

// `key` is empty for array elements.
struct JsonRef::Member {
  std::string_view key;
  JsonRef value;
};

class JsonRef::Iterator {
 public:
  Member operator*() const;
  Iterator& operator++();
  bool operator==(const Iterator& other) const { return index_ == other.index_; }

 private:
  friend class JsonRef;
  Iterator(const JsonDoc* doc, std::uint32_t index, bool keyed)
      : doc_(doc), index_(index), keyed_(keyed) {}
  const JsonDoc* doc_;
  std::uint32_t index_;
  bool keyed_;
};

// --- small enough to be inlined; an import asks them a million times ---

inline JsonRef JsonDoc::root() const {
  return JsonRef(this, 0);
}

inline Json::Kind JsonRef::kind() const {
  return doc_->entries_[index_].kind();
}

inline std::size_t JsonRef::pos() const {
  return doc_->entries_[index_].pos();
}

inline std::string_view JsonRef::string() const {
  PACTDB_CHECK(is_string());
  return doc_->Bytes(index_);
}

inline bool JsonRef::boolean() const {
  PACTDB_CHECK(kind() == Json::Kind::kBool);
  return doc_->entries_[index_].count() != 0;
}

inline std::size_t JsonRef::size() const {
  return doc_->entries_[index_].is_container() ? doc_->entries_[index_].count() : 0;
}

inline JsonRef::Iterator JsonRef::begin() const {
  PACTDB_CHECK(is_object() || is_array());
  return Iterator(doc_, doc_->Behind(index_), is_object());
}

inline JsonRef::Iterator JsonRef::end() const {
  PACTDB_CHECK(is_object() || is_array());
  return Iterator(doc_, doc_->Next(index_), is_object());
}

inline JsonRef::Member JsonRef::Iterator::operator*() const {
  if (!keyed_) return {{}, JsonRef(doc_, index_)};
  return {doc_->Bytes(index_), JsonRef(doc_, doc_->Behind(index_))};
}

inline JsonRef::Iterator& JsonRef::Iterator::operator++() {
  index_ = doc_->Next(keyed_ ? doc_->Behind(index_) : index_);
  return *this;
}

}  // namespace pactdb

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
#include <vector>

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

  // One entry a value, sixteen bytes, since a document of short numbers has one for every two bytes
  // of text. Containers are followed by their contents. A member is a key entry (kind kString)
  // followed by its value.
  struct Entry {
    Json::Kind kind;
    bool is_sorted;       // an object whose members stand in canonical order already
    bool is_kept;         // a string or number whose bytes stand in text_, not in the source
    std::uint32_t count;  // members of an object, elements of an array; bytes of a string or number
    std::uint32_t start;  // where those bytes start; 0 or 1 for a bool; of a container, the entry
                          // after it
    std::uint32_t pos;    // byte offset in the parsed text
  };

  static bool IsContainer(const Entry& entry) { return entry.kind >= Json::Kind::kArray; }
  // The index of the entry after the value at `index`, contents skipped.
  std::uint32_t Next(std::uint32_t index) const {
    return IsContainer(entries_[index]) ? entries_[index].start : index + 1;
  }
  std::string_view Bytes(const Entry& entry) const {
    return {(entry.is_kept ? text_.data() : source_.data()) + entry.start, entry.count};
  }

  // A key entry and the first eight bytes of the key, most significant first: most comparisons end
  // there, without a look at the text.
  struct SortKey {
    std::uint64_t prefix;
    std::uint32_t entry;
  };
  SortKey MakeSortKey(std::uint32_t entry) const;
  bool KeyLess(const SortKey& a, const SortKey& b) const;  // by code point

  std::vector<Entry> entries_;
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
  return doc_->entries_[index_].kind;
}

inline std::size_t JsonRef::pos() const {
  return doc_->entries_[index_].pos;
}

inline std::string_view JsonRef::string() const {
  PACTDB_CHECK(is_string());
  return doc_->Bytes(doc_->entries_[index_]);
}

inline bool JsonRef::boolean() const {
  PACTDB_CHECK(kind() == Json::Kind::kBool);
  return doc_->entries_[index_].start != 0;
}

inline std::size_t JsonRef::size() const {
  return JsonDoc::IsContainer(doc_->entries_[index_]) ? doc_->entries_[index_].count : 0;
}

inline JsonRef::Iterator JsonRef::begin() const {
  PACTDB_CHECK(is_object() || is_array());
  return Iterator(doc_, index_ + 1, is_object());
}

inline JsonRef::Iterator JsonRef::end() const {
  PACTDB_CHECK(is_object() || is_array());
  return Iterator(doc_, doc_->Next(index_), is_object());
}

inline JsonRef::Member JsonRef::Iterator::operator*() const {
  if (!keyed_) return {{}, JsonRef(doc_, index_)};
  return {doc_->Bytes(doc_->entries_[index_]), JsonRef(doc_, index_ + 1)};
}

inline JsonRef::Iterator& JsonRef::Iterator::operator++() {
  index_ = doc_->Next(keyed_ ? index_ + 1 : index_);
  return *this;
}

}  // namespace pactdb

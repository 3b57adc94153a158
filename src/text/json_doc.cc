// Reading a text onto the tape.
//
// simdjson's first stage finds where tokens start and checks that the text is UTF-8; everything
// else is decided here:
//   - a token reaches to the next one, so numbers and literals are checked as a whole and integers
//   keep every digit;
//   - strings are decoded by us: version 3.0.1 accepts a lone low surrogate;
//   - the first stage reads nothing behind the text, and neither do we, so no padded copy is made.
// Open containers are kept on a stack of frames; nothing recurses over input.
#include "text/json_doc.h"

#include "base/check.h"
#include "base/pages.h"
#include "base/try.h"
#include "text/json_scalar.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>

namespace pactdb {
namespace {

// Kept between calls, so that a short text costs no allocation in simdjson; beyond this it is given
// back.
constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;

constexpr std::uint32_t kNoEntry = std::numeric_limits<std::uint32_t>::max();

// Objects of up to this many members are searched for a repeated key by comparing each with each.
constexpr std::size_t kFewKeys = 32;

struct Fault {
  const char* message;
  std::size_t pos;
};

constexpr bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// The length of the UTF-8 sequence that `bytes` starts with, or 0 if it is not valid. Used only to
// point at a fault.
std::size_t Utf8Length(std::string_view bytes) {
  const auto byte = [bytes](std::size_t i) {
    return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, beyond U+10FFFF.
  const unsigned second = byte(1);
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
  if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
  return length;
}

// What is wrong with a refused text as a sequence of bytes and strings, if anything is. simdjson's
// first stage finds the same faults, but does not say where, and which it names first depends on
// the CPU.
std::optional<Fault> FindLexicalFault(std::string_view text) {
  bool is_blank = true;
  std::size_t string_start = std::string_view::npos;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = Utf8Length(text.substr(at));
    if (length == 0) return Fault{"invalid UTF-8", at};
    const char c = text[at];
    const bool is_in_string = string_start != std::string_view::npos;
    if (is_in_string && static_cast<unsigned char>(c) < 0x20) {
      return Fault{"a control character must be escaped", at};
    }
    // Whether such a backslash escapes a quote depends on the CPU as well.
    if (!is_in_string && c == '\\') return Fault{"not a JSON value", at};
    if (c == '"') string_start = is_in_string ? std::string_view::npos : at;
    if (!IsBlank(c)) is_blank = false;
    const bool is_escape = is_in_string && c == '\\' && at + 1 < text.size() &&
                           (text[at + 1] == '"' || text[at + 1] == '\\');
    at += is_escape ? 2 : length;
  }
  if (is_blank) return Fault{"there is no JSON value", text.size()};
  if (string_start != std::string_view::npos) return Fault{"a string is not closed", string_start};
  return std::nullopt;
}

// Where a text fails that begins with a bracket and does not end with its partner: after the value,
// or, if the bracket is never closed, at it.
Fault FindRootFault(std::string_view text) {
  const std::size_t start = text.find_first_of("[{");
  std::size_t depth = 0;
  for (std::size_t at = start; at < text.size(); ++at) {
    switch (text[at]) {
      case '"':
        for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
        break;
      case '[':
      case '{':
        ++depth;
        break;
      case ']':
      case '}':
        if (--depth > 0) break;
        at = text.find_first_not_of(" \t\n\r", at + 1);
        if (at != std::string_view::npos) return {"text after the JSON value", at};
        return {"the closing bracket is of the wrong kind", text.find_last_of("]}")};
      default:
        break;
    }
  }
  return {text[start] == '[' ? "an array is not closed" : "an object is not closed", start};
}

// A token's view reaches to the next token; the blanks between are not part of it.
std::string_view TrimRight(std::string_view token) {
  while (IsBlank(token.back())) token.remove_suffix(1);  // a token never starts with a blank
  return token;
}

std::uint32_t Narrow(std::size_t value) {
  PACTDB_CHECK(value <= std::numeric_limits<std::uint32_t>::max());
  return static_cast<std::uint32_t>(value);
}

}  // namespace

// One per thread, reused from text to text.
class JsonReader {
 public:
  Status Read(std::string_view text, std::size_t depth_max, ErrorCode code, JsonDoc& doc);

 private:
  struct Frame {
    std::uint32_t entry;
    std::uint32_t count;
    std::uint32_t first_key;  // where this object's keys start in keys_
    bool is_object;
  };

  Status FindTokens();
  Status ReadTokens();
  Status ReadValue();
  Status ReadKey();
  Status OpenContainer(bool is_object);
  Status CloseContainer();
  Status CheckKeys(JsonDoc::Entry& object, std::span<JsonDoc::SortKey> keys) const;
  std::uint32_t FindRepeated(std::span<JsonDoc::SortKey> keys) const;
  Status AddString(std::string_view token, std::size_t pos);
  Status AddNumber(std::string_view token, std::size_t pos);
  Status AddLiteral(std::string_view token, std::size_t pos);
  void Add(Json::Kind kind, bool is_kept, std::size_t count, std::size_t start, std::size_t pos) {
    doc_->entries_.push_back({kind, false, is_kept, static_cast<std::uint32_t>(count),
                              static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(pos)});
  }

  // --- tokens ---
  bool AtEnd() const { return next_ == token_count_; }
  std::size_t Pos() const { return AtEnd() ? text_.size() : tokens_[next_]; }
  // The first byte of the token to come; 0 at the end.
  char Peek() const { return AtEnd() ? '\0' : text_[tokens_[next_]]; }
  // The token that starts at `pos`, which is taken, without the blanks behind it.
  std::string_view TakeToken(std::size_t pos) {
    ++next_;
    return TrimRight(text_.substr(pos, Pos() - pos));
  }

  std::unexpected<Error> Refuse(const char* message, std::size_t pos) const;
  void GiveBackExcess();

  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage_;
  std::vector<Frame> frames_;
  std::vector<JsonDoc::SortKey> keys_;  // of the open objects
  // Of the text being read:
  std::string_view text_;
  const std::uint32_t* tokens_ = nullptr;
  std::size_t token_count_ = 0;
  std::size_t next_ = 0;
  std::size_t depth_max_ = 0;
  ErrorCode code_ = ErrorCode::kRequestInvalid;
  JsonDoc* doc_ = nullptr;
};

std::unexpected<Error> JsonReader::Refuse(const char* message, std::size_t pos) const {
  return std::unexpected(Error(code_, message).With("pos", static_cast<std::int64_t>(pos)));
}

void JsonReader::GiveBackExcess() {
  if (stage_ == nullptr || stage_->capacity() <= kKeptBytesMax) return;
  stage_.reset();
  frames_ = {};
  keys_ = {};
}

Status JsonReader::Read(std::string_view text, std::size_t depth_max, ErrorCode code,
                        JsonDoc& doc) {
  frames_.clear();
  keys_.clear();
  text_ = text;
  next_ = 0;
  depth_max_ = depth_max;
  code_ = code;
  doc_ = &doc;
  Status status = FindTokens();
  if (status) status = ReadTokens();
  if (!status) {
    if (const auto fault = FindLexicalFault(text)) status = Refuse(fault->message, fault->pos);
  }
  doc_ = nullptr;
  GiveBackExcess();
  return status;
}

Status JsonReader::FindTokens() {
  if (stage_ == nullptr || stage_->capacity() < text_.size()) {
    // Powers of two while the memory is kept, so that texts of rising length do not allocate each
    // time.
    std::size_t capacity = std::max(text_.size(), std::size_t{4096});
    if (capacity <= kKeptBytesMax) capacity = std::bit_ceil(capacity);
    stage_.reset();
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, 1,
                                                                                stage_))
      throw std::bad_alloc();
    // The places of tokens; a fourth of a text's bytes at the most are one.
    AdviseHugePages(stage_->structural_indexes.get(), capacity);
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text_.data());
  if (stage_->stage1(bytes, text_.size(), simdjson::stage1_mode::regular))
    return Refuse("malformed JSON", 0);
  tokens_ = stage_->structural_indexes.get();
  token_count_ = stage_->n_structural_indexes;
  // Every value but the first shares the text with a comma, a colon or a bracket that is none.
  doc_->entries_.reserve(token_count_ / 2 + 1);
  AdviseHugePages(doc_->entries_.data(), (token_count_ / 2 + 1) * sizeof(JsonDoc::Entry));
  if (text_.size() > kKeptBytesMax) {  // memory that is not used is not there
    doc_->text_.reserve(text_.size() / 4);
    AdviseHugePages(doc_->text_.data(), text_.size() / 4);
  }
  return {};
}

// A value has just been read, or nothing yet: goes on to the next one, over what stands between.
Status JsonReader::ReadTokens() {
  PACTDB_TRY_STATUS(ReadValue());
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    const char byte = Peek();
    if (byte == (frame.is_object ? '}' : ']')) {
      PACTDB_TRY_STATUS(CloseContainer());
      continue;
    }
    if (frame.count > 0) {
      if (byte != ',') {
        return Refuse(frame.is_object ? "expected '\"name\":' or ',' or '}' in an object"
                                      : "expected ',' or ']' after an element",
                      Pos());
      }
      ++next_;
    }
    ++frame.count;
    if (frame.is_object) PACTDB_TRY_STATUS(ReadKey());
    PACTDB_TRY_STATUS(ReadValue());
  }
  if (!AtEnd()) return Refuse("text after the JSON value", Pos());
  return {};
}

Status JsonReader::ReadKey() {
  constexpr const char* kExpected = "expected '\"name\":' or ',' or '}' in an object";
  if (Peek() != '"') return Refuse(kExpected, Pos());
  const std::size_t pos = Pos();
  PACTDB_TRY_STATUS(AddString(TakeToken(pos), pos));
  keys_.push_back(doc_->MakeSortKey(static_cast<std::uint32_t>(doc_->entries_.size() - 1)));
  if (Peek() != ':') return Refuse(kExpected, Pos());
  ++next_;
  return {};
}

Status JsonReader::ReadValue() {
  const std::size_t pos = Pos();
  switch (Peek()) {
    case '{':
      return OpenContainer(true);
    case '[':
      return OpenContainer(false);
    case '"':
      return AddString(TakeToken(pos), pos);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      return AddNumber(TakeToken(pos), pos);
    default:
      if (AtEnd()) return Refuse("not a JSON value", pos);
      return AddLiteral(TakeToken(pos), pos);
  }
}

Status JsonReader::OpenContainer(bool is_object) {
  const std::size_t pos = Pos();
  if (frames_.size() == depth_max_) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded, "the JSON text is nested too deep")
                               .With("limit", "json_depth")
                               .With("max", static_cast<std::int64_t>(depth_max_))
                               .With("pos", static_cast<std::int64_t>(pos)));
  }
  if (frames_.empty() && text_[tokens_[token_count_ - 1]] != (is_object ? '}' : ']')) {
    const Fault fault = FindRootFault(text_);
    return Refuse(fault.message, fault.pos);
  }
  ++next_;
  frames_.push_back({static_cast<std::uint32_t>(doc_->entries_.size()), 0,
                     static_cast<std::uint32_t>(keys_.size()), is_object});
  Add(is_object ? Json::Kind::kObject : Json::Kind::kArray, false, 0, 0, pos);
  return {};
}

Status JsonReader::CloseContainer() {
  ++next_;
  const Frame frame = frames_.back();
  frames_.pop_back();
  JsonDoc::Entry& entry = doc_->entries_[frame.entry];
  entry.count = frame.count;
  entry.start = Narrow(doc_->entries_.size());
  if (!frame.is_object) return {};
  PACTDB_TRY_STATUS(CheckKeys(entry, std::span(keys_).subspan(frame.first_key)));
  keys_.resize(frame.first_key);
  return {};
}

// Refuses a key that is there twice. Keys that rise, as in canonical text, need one comparison
// each.
Status JsonReader::CheckKeys(JsonDoc::Entry& object, std::span<JsonDoc::SortKey> keys) const {
  const auto less = [this](const auto& a, const auto& b) { return doc_->KeyLess(a, b); };
  object.is_sorted = std::ranges::adjacent_find(keys, std::not_fn(less)) == keys.end();
  if (object.is_sorted) return {};
  const std::uint32_t repeated = FindRepeated(keys);
  if (repeated == kNoEntry) return {};
  return Refuse("the same key stands twice in an object", doc_->entries_[repeated].pos);
}

// The first key that had been there before. Few keys are compared each with each, mostly by their
// first bytes; many are sorted, so that an object of a million members costs no more than its
// length times the logarithm.
std::uint32_t JsonReader::FindRepeated(std::span<JsonDoc::SortKey> keys) const {
  if (keys.size() <= kFewKeys) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (keys[j].prefix != keys[i].prefix) continue;
        if (doc_->Bytes(doc_->entries_[keys[j].entry]) ==
            doc_->Bytes(doc_->entries_[keys[i].entry]))
          return keys[i].entry;
      }
    }
    return kNoEntry;
  }
  const auto less = [this](const auto& a, const auto& b) { return doc_->KeyLess(a, b); };
  std::ranges::sort(keys, [&](const auto& a, const auto& b) {
    return less(a, b) || (!less(b, a) && a.entry < b.entry);
  });
  std::uint32_t repeated = kNoEntry;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (!less(keys[i - 1], keys[i])) repeated = std::min(repeated, keys[i].entry);
  }
  return repeated;
}

Status JsonReader::AddString(std::string_view token, std::size_t pos) {
  if (token.size() < 2 || token.back() != '"') return Refuse("malformed string", pos);
  const std::string_view body = token.substr(1, token.size() - 2);
  if (body.find('\\') == std::string_view::npos) {
    Add(Json::Kind::kString, false, body.size(), pos + 1, pos);
    return {};
  }
  const std::size_t start = doc_->text_.size();
  if (const auto fault = AppendDecodedJsonString(body, doc_->text_))
    return Refuse(fault->message, pos + 1 + fault->offset);
  Add(Json::Kind::kString, true, doc_->text_.size() - start, start, pos);
  return {};
}

Status JsonReader::AddNumber(std::string_view token, std::size_t pos) {
  // Digits alone are canonical already.
  if (token.front() != '-' && (token.front() != '0' || token.size() == 1) &&
      std::ranges::all_of(token, [](char c) { return c >= '0' && c <= '9'; })) {
    Add(Json::Kind::kInteger, false, token.size(), pos, pos);
    return {};
  }
  const std::size_t start = doc_->text_.size();
  const JsonNumber number = AppendCanonicalNumber(token, doc_->text_);
  if (number.fault) return Refuse(number.fault->message, pos + number.fault->offset);
  Add(number.kind, true, doc_->text_.size() - start, start, pos);
  return {};
}

Status JsonReader::AddLiteral(std::string_view token, std::size_t pos) {
  if (token == "null") {
    Add(Json::Kind::kNull, false, 0, 0, pos);
  } else if (token == "true" || token == "false") {
    Add(Json::Kind::kBool, false, 0, token == "true" ? 1 : 0, pos);
  } else {
    return Refuse("not a JSON value", pos);
  }
  return {};
}

Result<JsonDoc> JsonDoc::ParseView(std::string_view text, std::size_t depth_max, ErrorCode code) {
  if (text.size() > kJsonTextBytesMax) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded, "the JSON text is too long")
                               .With("limit", "json_text_bytes")
                               .With("max", static_cast<std::int64_t>(kJsonTextBytesMax)));
  }
  thread_local JsonReader reader;
  JsonDoc doc;
  doc.source_ = text;
  PACTDB_TRY_STATUS(reader.Read(text, depth_max, code, doc));
  return doc;
}

Result<JsonDoc> JsonDoc::Parse(std::string_view text, std::size_t depth_max, ErrorCode code) {
  PACTDB_TRY(JsonDoc doc, ParseView(text, depth_max, code));
  const std::shared_ptr<char[]> copy(new char[text.size()]);
  std::ranges::copy(text, copy.get());
  doc.source_ = {copy.get(), text.size()};
  doc.copy_ = copy;
  return doc;
}

}  // namespace pactdb

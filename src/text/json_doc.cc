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
#include "text/json_fault.h"
#include "text/json_scalar.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pactdb {
namespace {

// Kept between calls, so that a short text costs no allocation in simdjson; beyond this it is given
// back.
constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;

constexpr std::uint32_t kNoEntry = std::numeric_limits<std::uint32_t>::max();

// Objects of up to this many members are searched for a repeated key by comparing each with each.
constexpr std::size_t kFewKeys = 32;

bool HasBackslash(const char* at, std::size_t size) {
#ifdef __SSE2__
  // Mostly keys and stamps of a few bytes, for which a call costs more than the search.
  const __m128i backslash = _mm_set1_epi8('\\');
  const auto is_in = [backslash](const char* block) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, backslash)) != 0;
  };
  if (size >= 16 && size <= 64) {
    for (std::size_t i = 0; i + 16 < size; i += 16) {
      if (is_in(at + i)) return true;
    }
    return is_in(at + size - 16);
  }
#endif
  if (size < 16) return std::find(at, at + size, '\\') != at + size;
  return std::memchr(at, '\\', size) != nullptr;
}

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

// One per thread, reused from text to text.
//
// What reads a token gets the tape's end and gives back the new one; null says that the text is
// refused and fault_ why.
class JsonReader {
 public:
  Status Read(std::string_view text, std::size_t depth_max, ErrorCode code, JsonDoc& doc);

 private:
  using Entry = JsonDoc::Entry;
  struct Frame {
    std::uint32_t entry;
    std::uint32_t count;
    std::uint32_t first_key;  // where this object's keys start in keys_
    bool is_object;
  };

  bool FindTokens();
  void MakeTape();
  bool ReadTokens();
  Entry* ReadKey(const std::uint32_t* token, Entry* tape);
  Entry* ReadValue(const std::uint32_t* token, Entry* tape);
  Entry* OpenContainer(bool is_object, std::size_t pos, Entry* tape);
  bool CloseContainer(const Entry* tape);
  std::optional<bool> CheckKeys(std::span<JsonDoc::SortKey> keys);
  std::uint32_t FindRepeated(std::span<JsonDoc::SortKey> keys) const;
  Entry* AddString(std::size_t pos, std::size_t end, Entry* tape);
  Entry* AddDecoded(std::string_view body, std::size_t pos, Entry* tape);
  Entry* AddNumber(std::size_t pos, std::size_t end, Entry* tape);
  Entry* AddOtherNumber(std::string_view token, std::size_t pos, Entry* tape);
  Entry* AddLiteral(std::string_view token, std::size_t pos, Entry* tape);

  // The token from `pos` to the next one at `end`, without the blanks between.
  std::string_view Token(std::size_t pos, std::size_t end) const {
    while (IsJsonBlank(text_[end - 1])) --end;  // a token never starts with a blank
    return text_.substr(pos, end - pos);
  }

  // For one more value or key.
  bool HasRoom(const Entry* tape) const {
    return static_cast<std::size_t>(tape - doc_->entries_.get()) + 2 <= room_;
  }

  std::nullptr_t Refuse(const char* message, std::size_t pos);
  void GiveBackExcess();

  std::unique_ptr<simdjson::internal::dom_parser_implementation> stage_;
  std::vector<Frame> frames_;
  std::vector<JsonDoc::SortKey> keys_;  // of the open objects
  // Of the text being read:
  std::string_view text_;
  const std::uint32_t* tokens_ = nullptr;  // where they start, then where the text ends
  std::size_t token_count_ = 0;
  std::size_t room_ = 0;  // entries of the tape
  std::size_t depth_max_ = 0;
  ErrorCode code_ = ErrorCode::kRequestInvalid;
  std::optional<Error> fault_;
  JsonDoc* doc_ = nullptr;
};

std::nullptr_t JsonReader::Refuse(const char* message, std::size_t pos) {
  fault_ = Error(code_, message).With("pos", static_cast<std::int64_t>(pos));
  return nullptr;
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
  depth_max_ = depth_max;
  code_ = code;
  fault_.reset();
  doc_ = &doc;
  if (!FindTokens() || !ReadTokens()) {
    if (const auto fault = FindLexicalFault(text)) Refuse(fault->message, fault->pos);
  }
  doc_ = nullptr;
  GiveBackExcess();
  if (fault_) return std::unexpected(*std::exchange(fault_, std::nullopt));
  return {};
}

bool JsonReader::FindTokens() {
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
  if (stage_->stage1(bytes, text_.size(), simdjson::stage1_mode::regular)) {
    Refuse("malformed JSON", 0);
    return false;
  }
  tokens_ = stage_->structural_indexes.get();
  token_count_ = stage_->n_structural_indexes;
  // There is room for a few more than a token a byte.
  stage_->structural_indexes[token_count_] = static_cast<std::uint32_t>(text_.size());
  MakeTape();
  return true;
}

// A value or a key takes two entries at the most and, once read, two tokens at the least, its own
// and a comma, a colon or a closing bracket; but for the last value of all and those still open.
void JsonReader::MakeTape() {
  const std::size_t open_max = std::min(depth_max_, token_count_);
  room_ = token_count_ + open_max + 2;
  doc_->entries_ = std::make_unique_for_overwrite<Entry[]>(room_);
  AdviseHugePages(doc_->entries_.get(), room_ * sizeof(Entry));
  if (text_.size() > kKeptBytesMax) {  // memory that is not used is not there
    doc_->text_.reserve(text_.size() / 4);
    AdviseHugePages(doc_->text_.data(), text_.size() / 4);
  }
}

// A text that begins with a bracket ends with its partner, so there is a token behind any other:
// only where a container was closed need we ask.
bool JsonReader::ReadTokens() {
  Entry* tape = doc_->entries_.get();
  const std::uint32_t* token = tokens_;
  const std::uint32_t* const end = tokens_ + token_count_;
  tape = ReadValue(token++, tape);
  while (tape != nullptr && !frames_.empty()) {
    Frame& frame = frames_.back();
    const char byte = token == end ? '\0' : text_[*token];
    if (byte == (frame.is_object ? '}' : ']')) {
      if (!CloseContainer(tape)) return false;
      ++token;
      continue;
    }
    if (frame.count > 0) {
      if (byte != ',') {
        Refuse(frame.is_object ? "expected '\"name\":' or ',' or '}' in an object"
                               : "expected ',' or ']' after an element",
               *token);
        return false;
      }
      ++token;
    }
    ++frame.count;
    if (frame.is_object) {
      tape = ReadKey(token, tape);
      if (tape == nullptr) return false;
      token += 2;
    }
    tape = ReadValue(token++, tape);
  }
  if (tape != nullptr && token != end) tape = Refuse("text after the JSON value", *token);
  return tape != nullptr;
}

// A key and the colon behind it.
inline JsonReader::Entry* JsonReader::ReadKey(const std::uint32_t* token, Entry* tape) {
  constexpr const char* kExpected = "expected '\"name\":' or ',' or '}' in an object";
  PACTDB_DCHECK(HasRoom(tape));
  if (text_[token[0]] != '"') return Refuse(kExpected, token[0]);
  Entry* const after = AddString(token[0], token[1], tape);
  if (after == nullptr) return nullptr;
  keys_.push_back(doc_->MakeSortKey(static_cast<std::uint32_t>(tape - doc_->entries_.get())));
  if (text_[token[1]] != ':') return Refuse(kExpected, token[1]);
  return after;
}

inline JsonReader::Entry* JsonReader::ReadValue(const std::uint32_t* token, Entry* tape) {
  PACTDB_DCHECK(HasRoom(tape));
  const std::size_t pos = token[0];
  switch (text_[pos]) {
    case '{':
      return OpenContainer(true, pos, tape);
    case '[':
      return OpenContainer(false, pos, tape);
    case '"':
      return AddString(pos, token[1], tape);
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
      return AddNumber(pos, token[1], tape);
    default:
      return AddLiteral(Token(pos, token[1]), pos, tape);
  }
}

JsonReader::Entry* JsonReader::OpenContainer(bool is_object, std::size_t pos, Entry* tape) {
  if (frames_.size() == depth_max_) {
    fault_ = Error(ErrorCode::kLimitExceeded, "the JSON text is nested too deep")
                 .With("limit", "json_depth")
                 .With("max", static_cast<std::int64_t>(depth_max_))
                 .With("pos", static_cast<std::int64_t>(pos));
    return nullptr;
  }
  if (frames_.empty() && text_[tokens_[token_count_ - 1]] != (is_object ? '}' : ']')) {
    const JsonFault fault = FindRootFault(text_);
    return Refuse(fault.message, fault.pos);
  }
  frames_.push_back({static_cast<std::uint32_t>(tape - doc_->entries_.get()), 0,
                     static_cast<std::uint32_t>(keys_.size()), is_object});
  *tape = Entry(is_object ? Json::Kind::kObject : Json::Kind::kArray, false, 0, pos);
  return tape + 2;
}

bool JsonReader::CloseContainer(const Entry* tape) {
  const Frame frame = frames_.back();
  frames_.pop_back();
  Entry* const entry = &doc_->entries_[frame.entry];
  bool is_sorted = false;
  if (frame.is_object) {
    const auto sorted = CheckKeys(std::span(keys_).subspan(frame.first_key));
    if (!sorted) return false;
    is_sorted = *sorted;
    keys_.resize(frame.first_key);
  }
  entry[0] = Entry(entry->kind(), is_sorted, frame.count, entry->pos());
  entry[1] = Entry(static_cast<std::uint64_t>(tape - doc_->entries_.get()));
  return true;
}

// Whether the keys rise, as in canonical text, which one comparison each tells. A key that is there
// twice is refused.
std::optional<bool> JsonReader::CheckKeys(std::span<JsonDoc::SortKey> keys) {
  const auto less = [this](const auto& a, const auto& b) { return doc_->KeyLess(a, b); };
  if (std::ranges::adjacent_find(keys, std::not_fn(less)) == keys.end()) return true;
  const std::uint32_t repeated = FindRepeated(keys);
  if (repeated == kNoEntry) return false;
  Refuse("the same key stands twice in an object", doc_->entries_[repeated].pos());
  return std::nullopt;
}

// The first key that had been there before. Few keys are compared each with each, mostly by their
// first bytes; many are sorted, so that an object of a million members costs no more than its
// length times the logarithm.
std::uint32_t JsonReader::FindRepeated(std::span<JsonDoc::SortKey> keys) const {
  if (keys.size() <= kFewKeys) {
    for (std::size_t i = 1; i < keys.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (keys[j].prefix != keys[i].prefix) continue;
        if (doc_->Bytes(keys[j].entry) == doc_->Bytes(keys[i].entry)) return keys[i].entry;
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

inline JsonReader::Entry* JsonReader::AddString(std::size_t pos, std::size_t end, Entry* tape) {
  const std::string_view token = Token(pos, end);
  if (token.size() < 2 || token.back() != '"') return Refuse("malformed string", pos);
  const std::string_view body = token.substr(1, token.size() - 2);
  if (HasBackslash(body.data(), body.size())) return AddDecoded(body, pos, tape);
  *tape = Entry(Json::Kind::kString, false, body.size(), pos);
  return tape + 1;
}

JsonReader::Entry* JsonReader::AddDecoded(std::string_view body, std::size_t pos, Entry* tape) {
  const std::size_t start = doc_->text_.size();
  if (const auto fault = AppendDecodedJsonString(body, doc_->text_))
    return Refuse(fault->message, pos + 1 + fault->offset);
  tape[0] = Entry(Json::Kind::kString, true, doc_->text_.size() - start, pos);
  tape[1] = Entry(start);
  return tape + 2;
}

inline JsonReader::Entry* JsonReader::AddNumber(std::size_t pos, std::size_t end, Entry* tape) {
  // Digits alone are canonical already.
  std::size_t at = pos;
  while (at < end && IsDigit(text_[at])) ++at;
  const bool is_plain = text_[pos] != '0' || at == pos + 1;
  if (at == pos || !is_plain || (at < end && !IsJsonBlank(text_[at])))
    return AddOtherNumber(Token(pos, end), pos, tape);
  *tape = Entry(Json::Kind::kInteger, false, at - pos, pos);
  return tape + 1;
}

JsonReader::Entry* JsonReader::AddOtherNumber(std::string_view token, std::size_t pos,
                                              Entry* tape) {
  const std::size_t start = doc_->text_.size();
  const JsonNumber number = AppendCanonicalNumber(token, doc_->text_);
  if (number.fault) return Refuse(number.fault->message, pos + number.fault->offset);
  tape[0] = Entry(number.kind, true, doc_->text_.size() - start, pos);
  tape[1] = Entry(start);
  return tape + 2;
}

JsonReader::Entry* JsonReader::AddLiteral(std::string_view token, std::size_t pos, Entry* tape) {
  if (token == "null") {
    *tape = Entry(Json::Kind::kNull, false, 0, pos);
  } else if (token == "true" || token == "false") {
    *tape = Entry(Json::Kind::kBool, false, token == "true" ? 1 : 0, pos);
  } else {
    return Refuse("not a JSON value", pos);
  }
  return tape + 1;
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

// Reading a text onto the tape.
//
// simdjson's On-Demand interface gives the tokens; everything that decides whether a text is
// accepted is checked here, because On-Demand looks only at what is asked for:
//   - numbers and literals are checked on the raw token, so that integers keep every digit;
//   - strings are decoded by us: version 3.0.1 accepts a lone low surrogate;
//   - strings are consumed, never skipped: skipping takes a string before a colon for a key, and
//   ["a":1] would pass;
//   - what follows the root value is checked for by position, and a scalar root by being the only
//   token.
// Open containers are kept on a stack of iterators; nothing recurses over input.
#include "text/json_doc.h"

#include "base/check.h"
#include "base/try.h"
#include "text/json_scalar.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <utility>

namespace pactdb {
namespace {

namespace ondemand = simdjson::ondemand;

// Kept between calls, so that a short text costs no allocation in simdjson; beyond this it is given
// back.
constexpr std::size_t kKeptBytesMax = std::size_t{1} << 20;

// On-Demand's own depth counter must never be the one that gives out.
constexpr std::size_t kDepthSlack = 8;

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

// The length of the string that starts after a quote, up to its closing quote. REQUIRES: simdjson's
// first stage accepted the text, so the closing quote is there.
std::size_t StringLength(const char* start) {
  const char* at = start;
  while (*at != '"') at += *at == '\\' ? 2 : 1;
  return static_cast<std::size_t>(at - start);
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
    std::uint32_t first_key;  // where this object's keys start in keys_
    bool is_object;
    ondemand::array_iterator array;
    ondemand::object_iterator object;
  };

  Status ReadTokens(ondemand::document& document);
  Status Step();
  Status ReadElement(Frame& frame);
  Status ReadMember(Frame& frame);
  template <typename Value>
  Status ReadValue(Value& value, std::string_view token);
  template <typename Value>
  Status OpenContainer(Value& value, std::string_view token);
  Status CloseContainer();
  Status CheckKeys(JsonDoc::Entry& object, std::span<JsonDoc::SortKey> keys) const;
  Status AddString(std::string_view body, std::size_t pos);
  Status AddNumber(std::string_view token, std::size_t pos);
  Status AddLiteral(std::string_view token, std::size_t pos);
  void Add(Json::Kind kind, std::size_t count, std::size_t start, std::size_t pos) {
    doc_->entries_.push_back({kind, false, Narrow(count), Narrow(start), Narrow(pos)});
  }

  std::unexpected<Error> Refuse(const char* message, std::size_t pos) const;
  std::unexpected<Error> RefuseHere(const char* message) const;
  std::size_t PosOf(const char* at) const { return static_cast<std::size_t>(at - buffer_.data()); }
  void CopyPadded(std::string_view text);
  void GiveBackExcess();

  ondemand::parser parser_;
  std::string buffer_;  // the text and simdjson's padding
  std::vector<Frame> frames_;
  std::vector<JsonDoc::SortKey> keys_;  // of the open objects
  // Of the text being read:
  std::size_t text_size_ = 0;
  std::size_t depth_max_ = 0;
  ErrorCode code_ = ErrorCode::kRequestInvalid;
  ondemand::document* document_ = nullptr;
  JsonDoc* doc_ = nullptr;
};

std::unexpected<Error> JsonReader::Refuse(const char* message, std::size_t pos) const {
  return std::unexpected(Error(code_, message).With("pos", static_cast<std::int64_t>(pos)));
}

// For faults that On-Demand reports: at the token it stopped at.
std::unexpected<Error> JsonReader::RefuseHere(const char* message) const {
  const char* at = nullptr;
  const bool is_at_end = document_->current_location().get(at) != simdjson::SUCCESS;
  return Refuse(message, is_at_end ? text_size_ : std::min(PosOf(at), text_size_));
}

void JsonReader::CopyPadded(std::string_view text) {
  buffer_.clear();
  buffer_.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  buffer_.append(text).append(simdjson::SIMDJSON_PADDING, '\0');
}

void JsonReader::GiveBackExcess() {
  if (buffer_.capacity() <= kKeptBytesMax && parser_.capacity() <= kKeptBytesMax) return;
  parser_ = ondemand::parser();
  std::string().swap(buffer_);  // assigning an empty string would keep the memory
  frames_ = {};
  keys_ = {};
}

Status JsonReader::Read(std::string_view text, std::size_t depth_max, ErrorCode code,
                        JsonDoc& doc) {
  if (text.size() > kJsonTextBytesMax) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded, "the JSON text is too long")
                               .With("limit", "json_text_bytes")
                               .With("max", static_cast<std::int64_t>(kJsonTextBytesMax)));
  }
  CopyPadded(text);
  frames_.clear();
  keys_.clear();
  text_size_ = text.size();
  depth_max_ = depth_max;
  code_ = code;
  doc_ = &doc;
  doc.text_.reserve(text.size());
  doc.entries_.reserve(text.size() / 16 + 2);
  const std::size_t depth_needed = std::min(depth_max, text.size()) + kDepthSlack;
  if (parser_.capacity() < text.size() || parser_.max_depth() < depth_needed) {
    // Powers of two while the memory is kept, so that texts of rising length do not allocate each
    // time.
    std::size_t capacity = std::max({text.size(), parser_.capacity(), std::size_t{4096}});
    if (capacity <= kKeptBytesMax) capacity = std::bit_ceil(capacity);
    if (parser_.allocate(capacity, std::max(depth_needed, parser_.max_depth())))
      throw std::bad_alloc();
  }

  ondemand::document document;
  Status status;
  if (parser_.iterate(buffer_.data(), text.size(), buffer_.size()).get(document)) {
    status = Refuse("malformed JSON", 0);
  } else {
    document_ = &document;
    status = ReadTokens(document);
    document_ = nullptr;
  }
  if (!status) {
    if (const auto fault = FindLexicalFault(text)) status = Refuse(fault->message, fault->pos);
  }
  doc_ = nullptr;
  GiveBackExcess();
  return status;
}

Status JsonReader::ReadTokens(ondemand::document& document) {
  std::string_view token;
  if (document.raw_json_token().get(token)) return RefuseHere("malformed JSON");
  PACTDB_TRY_STATUS(ReadValue(document, token));
  if (frames_.empty()) {
    // A scalar. Its token reaches to the next one, or to the end if it is the only one.
    const std::size_t next = PosOf(token.data() + token.size());
    if (next != text_size_) return Refuse("text after the JSON value", next);
    return {};
  }
  while (!frames_.empty()) PACTDB_TRY_STATUS(Step());
  const char* trailing = nullptr;
  if (document.current_location().get(trailing) == simdjson::SUCCESS)
    return RefuseHere("text after the JSON value");
  return {};
}

// One child of the innermost container, or its end.
Status JsonReader::Step() {
  Frame& frame = frames_.back();
  const bool is_first = doc_->entries_[frame.entry].count == 0;
  if (frame.is_object) {
    if (!is_first) ++frame.object;
    // simdjson's iterators know their own end; the operand is not looked at.
    // NOLINTNEXTLINE(misc-redundant-expression)
    return frame.object != frame.object ? ReadMember(frame) : CloseContainer();
  }
  if (!is_first) ++frame.array;
  // NOLINTNEXTLINE(misc-redundant-expression)
  return frame.array != frame.array ? ReadElement(frame) : CloseContainer();
}

Status JsonReader::ReadElement(Frame& frame) {
  ++doc_->entries_[frame.entry].count;
  ondemand::value value;
  if ((*frame.array).get(value)) return RefuseHere("expected ',' or ']' after an element");
  return ReadValue(value, value.raw_json_token());
}

Status JsonReader::ReadMember(Frame& frame) {
  ++doc_->entries_[frame.entry].count;
  ondemand::field field;
  if ((*frame.object).get(field))
    return RefuseHere("expected '\"name\":' or ',' or '}' in an object");
  const char* const key = field.key().raw();
  PACTDB_TRY_STATUS(AddString({key, StringLength(key)}, PosOf(key) - 1));
  keys_.push_back(doc_->MakeSortKey(Narrow(doc_->entries_.size() - 1)));
  return ReadValue(field.value(), field.value().raw_json_token());
}

// `Value` is ondemand::value or, for the root, ondemand::document.
template <typename Value>
Status JsonReader::ReadValue(Value& value, std::string_view token) {
  const std::size_t pos = PosOf(token.data());
  switch (token.front()) {
    case '{':
    case '[':
      return OpenContainer(value, token);
    case '"': {
      if (value.get_raw_json_string().error())
        return RefuseHere("malformed string");  // consumes it
      token = TrimRight(token);
      if (token.size() < 2 || token.back() != '"') return Refuse("malformed string", pos);
      return AddString(token.substr(1, token.size() - 2), pos);
    }
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
      return AddNumber(TrimRight(token), pos);
    default:
      return AddLiteral(TrimRight(token), pos);
  }
}

template <typename Value>
Status JsonReader::OpenContainer(Value& value, std::string_view token) {
  const std::size_t pos = PosOf(token.data());
  if (frames_.size() == depth_max_) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded, "the JSON text is nested too deep")
                               .With("limit", "json_depth")
                               .With("max", static_cast<std::int64_t>(depth_max_))
                               .With("pos", static_cast<std::int64_t>(pos)));
  }
  Frame frame{.entry = Narrow(doc_->entries_.size()),
              .first_key = Narrow(keys_.size()),
              .is_object = token.front() == '{',
              .array = {},
              .object = {}};
  bool is_refused;
  if (frame.is_object) {
    ondemand::object object;
    is_refused = value.get_object().get(object) || object.begin().get(frame.object);
  } else {
    ondemand::array array;
    is_refused = value.get_array().get(array) || array.begin().get(frame.array);
  }
  if (is_refused) {  // only at the root, where On-Demand looks at the last token
    const Fault fault = FindRootFault(std::string_view(buffer_).substr(0, text_size_));
    return Refuse(fault.message, fault.pos);
  }
  Add(frame.is_object ? Json::Kind::kObject : Json::Kind::kArray, 0, 0, pos);
  frames_.push_back(frame);
  return {};
}

Status JsonReader::CloseContainer() {
  const Frame& frame = frames_.back();
  JsonDoc::Entry& entry = doc_->entries_[frame.entry];
  entry.start = Narrow(doc_->entries_.size());
  if (frame.is_object) {
    PACTDB_TRY_STATUS(CheckKeys(entry, std::span(keys_).subspan(frame.first_key)));
    keys_.resize(frame.first_key);
  }
  frames_.pop_back();
  return {};
}

// Refuses a key that is there twice. Keys that rise, as in canonical text, need one comparison
// each; others are sorted, so that an object of a million members costs no more than its length
// times the logarithm.
Status JsonReader::CheckKeys(JsonDoc::Entry& object, std::span<JsonDoc::SortKey> keys) const {
  const auto less = [this](const auto& a, const auto& b) { return doc_->KeyLess(a, b); };
  object.is_sorted = std::ranges::adjacent_find(keys, std::not_fn(less)) == keys.end();
  if (object.is_sorted) return {};
  std::ranges::sort(keys, [&](const auto& a, const auto& b) {
    return less(a, b) || (!less(b, a) && a.entry < b.entry);
  });
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t repeated = kNone;  // the first key that had been there before
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (!less(keys[i - 1], keys[i])) repeated = std::min(repeated, keys[i].entry);
  }
  if (repeated == kNone) return {};
  return Refuse("the same key stands twice in an object", doc_->entries_[repeated].pos);
}

Status JsonReader::AddString(std::string_view body, std::size_t pos) {
  const std::size_t start = doc_->text_.size();
  if (const auto fault = AppendDecodedJsonString(body, doc_->text_)) {
    return Refuse(fault->message, pos + 1 + fault->offset);
  }
  Add(Json::Kind::kString, doc_->text_.size() - start, start, pos);
  return {};
}

Status JsonReader::AddNumber(std::string_view token, std::size_t pos) {
  const std::size_t start = doc_->text_.size();
  const JsonNumber number = AppendCanonicalNumber(token, doc_->text_);
  if (number.fault) return Refuse(number.fault->message, pos + number.fault->offset);
  Add(number.kind, doc_->text_.size() - start, start, pos);
  return {};
}

Status JsonReader::AddLiteral(std::string_view token, std::size_t pos) {
  if (token == "null") {
    Add(Json::Kind::kNull, 0, 0, pos);
  } else if (token == "true" || token == "false") {
    Add(Json::Kind::kBool, 0, token == "true" ? 1 : 0, pos);
  } else {
    return Refuse("not a JSON value", pos);
  }
  return {};
}

Result<JsonDoc> JsonDoc::Parse(std::string_view text, std::size_t depth_max, ErrorCode code) {
  thread_local JsonReader reader;
  JsonDoc doc;
  PACTDB_TRY_STATUS(reader.Read(text, depth_max, code, doc));
  return doc;
}

}  // namespace pactdb

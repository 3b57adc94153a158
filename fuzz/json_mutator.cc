// Changes an input that holds JSON in such a way that it holds JSON afterwards: arbitrary changes
// of bytes leave few documents that can be read, and what reads the others is not tried. Every
// fourth change is libFuzzer's own, for what is no JSON.
//
// The JSON is the input, or all behind its first byte, or a line or a text up to a zero byte of
// these.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "text/json_doc.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

namespace {

constexpr auto kScalars = std::to_array<std::string_view>({"null",
                                                           "true",
                                                           "false",
                                                           "0",
                                                           "1",
                                                           "-1",
                                                           "2",
                                                           "1.5",
                                                           "1e3",
                                                           "9223372036854775807",
                                                           "-9223372036854775808",
                                                           "[]",
                                                           "{}",
                                                           R"("")",
                                                           R"("a")",
                                                           R"("user")",
                                                           R"("assistant")",
                                                           R"("tool")",
                                                           R"("system")",
                                                           R"("text")",
                                                           R"("^sys")",
                                                           R"("^seq")",
                                                           R"("^ah")",
                                                           R"("block")",
                                                           R"("mt")",
                                                           R"("\u00e9\ud83d\ude00")",
                                                           R"({"type":"text","text":"x"})"});

struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// A value of a document, and what would go with it: of a member its name too.
struct Value {
  Span text;
  Span whole;
  bool is_member = false;
  bool is_inner = false;  // in a list or an object
};

class Changer {
 public:
  Changer(std::string_view text, unsigned seed) : text_(text), random_(seed) { FindValues(); }

  std::string Change() {
    const Value& value = Any();
    const Value& other = Any();
    switch (Below(7)) {
      case 0:
        return Replaced(value.text, text_.substr(other.text.begin, other.text.size()));
      case 1:
        return Replaced(value.text, kScalars[Below(kScalars.size())]);
      case 2:
        return Without(value);
      case 3:
        return Twice(value, value);
      case 4:
        return value.is_member == other.is_member ? Twice(value, other) : Without(value);
      case 5:
        return Swapped(value, other);
      default:
        return Edited(value);
    }
  }

 private:
  std::size_t Below(std::size_t bound) { return random_() % bound; }
  const Value& Any() { return values_[Below(values_.size())]; }

  std::string Replaced(Span span, std::string_view by) const {
    std::string changed(text_.substr(0, span.begin));
    changed += by;
    return changed += text_.substr(span.end);
  }

  // With the comma before it, or behind it.
  std::string Without(const Value& value) const {
    if (!value.is_inner) return Replaced(value.text, "null");
    Span span = value.whole;
    const std::size_t before = text_.find_last_not_of(" \t\r\n", span.begin - 1);
    const std::size_t behind = text_.find_first_not_of(" \t\r\n", span.end);
    if (before != std::string_view::npos && text_[before] == ',') {
      span.begin = before;
    } else if (behind != std::string_view::npos && text_[behind] == ',') {
      span.end = behind + 1;
    }
    return Replaced(span, "");
  }

  // `what` stands again, behind `where`.
  std::string Twice(const Value& where, const Value& what) const {
    if (!where.is_inner || !what.is_inner) return Replaced(where.text, "[]");
    std::string more(",");
    more += text_.substr(what.whole.begin, what.whole.size());
    return Replaced({where.whole.end, where.whole.end}, more);
  }

  std::string Swapped(const Value& a, const Value& b) const {
    const Span& first = a.text.begin < b.text.begin ? a.text : b.text;
    const Span& second = a.text.begin < b.text.begin ? b.text : a.text;
    if (first.end > second.begin) return Replaced(first, "0");
    std::string changed(text_.substr(0, first.begin));
    changed += text_.substr(second.begin, second.size());
    changed += text_.substr(first.end, second.begin - first.end);
    changed += text_.substr(first.begin, first.size());
    return changed += text_.substr(second.end);
  }

  // What the value says, by libFuzzer, with its dictionary.
  std::string Edited(const Value& value) const {
    std::string_view said = text_.substr(value.text.begin, value.text.size());
    const bool is_string = said.front() == '"';
    if (is_string) said = said.substr(1, said.size() - 2);
    std::vector<std::uint8_t> bytes(said.begin(), said.end());
    bytes.resize(said.size() + 16);
    const std::size_t size = LLVMFuzzerMutate(bytes.data(), said.size(), bytes.size());
    std::string by(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    if (is_string) by = '"' + by + '"';
    return Replaced(value.text, by);
  }

  // The text is JSON, so that brackets, strings and commas say all.
  void FindValues() {
    std::vector<Value> open;
    std::optional<std::size_t> name;
    const auto begin_value = [&](std::size_t at) {
      return Value{.text = {at, at},
                   .whole = {name.value_or(at), at},
                   .is_member = name.has_value(),
                   .is_inner = !open.empty()};
    };
    const auto end_value = [&](Value value, std::size_t end) {
      value.text.end = value.whole.end = end;
      values_.push_back(value);
      name.reset();
    };
    for (std::size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      if (c == '{' || c == '[') {
        open.push_back(begin_value(at++));
        name.reset();
      } else if (c == '}' || c == ']') {
        const Value value = open.back();
        open.pop_back();
        end_value(value, ++at);
      } else if (c == '"') {
        const std::size_t end = EndOfString(at);
        const std::size_t next = text_.find_first_not_of(" \t\r\n", end);
        if (next != std::string_view::npos && text_[next] == ':') {
          name = at;
        } else {
          end_value(begin_value(at), end);
        }
        at = end;
      } else if (std::string_view(" \t\r\n,:").contains(c)) {
        ++at;
      } else {
        const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}", at), text_.size());
        end_value(begin_value(at), end);
        at = end;
      }
    }
  }

  std::size_t EndOfString(std::size_t at) const {
    for (++at; text_[at] != '"'; ++at) at += text_[at] == '\\' ? 1 : 0;
    return at + 1;
  }

  std::string_view text_;
  std::minstd_rand random_;
  std::vector<Value> values_;
};

bool IsJson(std::string_view text) {
  return pactdb::JsonDoc::Parse(text, pactdb::limits::kDocumentJsonDepthMax).has_value();
}

// Where a document of the input stands.
std::optional<Span> FindJson(std::string_view input, std::minstd_rand& random) {
  for (std::size_t begin = 0; begin < std::min<std::size_t>(2, input.size()); ++begin) {
    if (IsJson(input.substr(begin))) return Span{begin, input.size()};
  }
  std::vector<Span> parts;
  for (std::size_t begin = 0; begin < input.size();) {
    const std::size_t end =
        std::min(input.find_first_of(std::string_view("\n\0", 2), begin), input.size());
    if (end > begin) parts.push_back({begin, end});
    begin = end + 1;
  }
  if (parts.empty()) return std::nullopt;
  Span part = parts[random() % parts.size()];
  if (IsJson(input.substr(part.begin, part.size()))) return part;
  ++part.begin;
  if (part.size() > 0 && IsJson(input.substr(part.begin, part.size()))) return part;
  return std::nullopt;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  std::minstd_rand random(seed);
  const std::string input(reinterpret_cast<const char*>(data), size);
  const auto span = random() % 4 == 0 ? std::nullopt : FindJson(input, random);
  if (!span) return LLVMFuzzerMutate(data, size, size_max);
  const std::string_view text = std::string_view(input).substr(span->begin, span->size());
  const std::string changed = Changer(text, seed).Change();
  const std::size_t now = size - span->size() + changed.size();
  if (now > size_max || now == 0) return LLVMFuzzerMutate(data, size, size_max);
  std::memcpy(data + span->begin, changed.data(), changed.size());
  std::memcpy(data + span->begin + changed.size(), input.data() + span->end, size - span->end);
  return now;
}

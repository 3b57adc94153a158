// Steps and filters of random selectors.
#include <algorithm>

#include "naive_select/text_maker.h"

namespace pactdb::naive {
namespace {

using Pool = std::vector<std::string_view>;

const Pool kTypes = {".block",   ".cb",    ".block",    ".cont",        ".mc",
                     ".seg",     ".mt",    ".turn",     ".cb:note",     ".block:summary",
                     ".cb:text", ".weird", ".cont:grp", ".custom:note", ".tool_call"};
const Pool kDepths = {"1",       "1",     "2",     "0",       "-1", "3",    "1,2", "1-2", "1..3",
                      "-1-3",    "-1..1", ">0",    ">=1",     "<0", "<=-1", "<=0", ">1",  "{1,2}",
                      "{0,1-2}", "1,>2",  "{1},0", " 1 , 2 ", "-2", "99",   "0-0"};
const Pool kBadDepths = {"",    " ",   "1,", ",1", "2-1", "3..1", "1.5",   "{}", "{>1}", "x", "=1",
                         "!=1", "1 2", "{1", "1}", "--1", "'1'",  "{{1}}", "1-", "<",    "*"};
const Pool kNumeric = {"offset",         "ttl", "priority", "cycle", "created_at_ns",
                       "creation_index", "cad"};
const Pool kFacets = {"born_turn", "age", "depth", "sdepth"};
const Pool kStrings = {"role",     "role", "kind",           "kind", "id",  "key", "key",
                       "nodeType", "type", "created_at_iso", "mime", "tag", "tag", "parent_id"};
const Pool kOpen = {"data_n", "data_n",    "data_n", "ns:flag", "content_lang", "content",
                    "other",  "removable", "pinned", "tags",    "nowhere",      "refs"};
const Pool kOperators = {"=", "=", "=", "!=", "<", "<=", ">", ">="};
const Pool kLiterals = {"5",
                        "10",
                        "9",
                        "05",
                        "1.5",
                        "-2",
                        "+5",
                        "0",
                        "1",
                        "'5'",
                        "'10'",
                        "\"9\"",
                        "'1e1'",
                        "null",
                        "None",
                        "true",
                        "false",
                        "'true'",
                        "x",
                        "'x'",
                        "''",
                        "'hero banner'",
                        "Hello",
                        "'é'",
                        "9223372036854775808",
                        "100000000000000000000",
                        "5.0",
                        "'it\\'s'",
                        "'a\"b'"};
const Pool kBadLiterals = {"",   "5x",   "1e5", ".5", "5.", "-",   "é", "'open", "[",
                           "[]", "[1,]", "=5",  "*",  "#x", "05.", "+", "a.b"};
const Pool kPatterns = {"'us'",       "'^u'",      "'e$'",  "'s.s'", "'^(text|note)$'",
                        "'[ab]'",     "'k[0-9]+'", "user",  "''",    "'x*'",
                        "'(?i)USER'", "'\\d'",     "'b:s'", "true"};
const Pool kBadPatterns = {"'('",      "'['", "'*a'", "'a**'", "'(?=a)'",
                           "'(a)\\1'", "5",   "null", "'a++'", "[a]"};
const Pool kNumbers = {"0", "1", "2", "3", "-1", "5", "'1'", "1.5", "null", "20", "100"};

bool IsIn(std::string_view name, const Pool& pool) {
  return std::ranges::find(pool, name) != pool.end();
}

// Words an attribute is likely to have.
Pool WordsOf(std::string_view name) {
  if (name == "role") return {"user", "assistant", "system", "tool", "User"};
  if (name == "kind") return {"text", "summary", "note", "call"};
  if (name == "key") return {"k1", "k2", "05", "b1", "k3"};
  if (name == "tag") return {"a", "b", "featured", "z"};
  if (name == "mime") return {"text"};
  if (name == "created_at_iso") return {"x"};
  if (name == "parent_id") return {"ah", "sys", "seq", "root"};
  if (name != "nodeType" && name != "type") return {};
  return {"block",         "cb",         "cont",    "mc",          "seg",  "mt", "turn",
          "block:summary", "cb:summary", "cb:note", "custom:note", "weird"};
}

bool IsAsciiAlpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string TextMaker::Quoted(std::string_view text) {
  const char quote = Chance(50) ? '\'' : '"';
  std::string quoted(1, quote);
  for (const char c : text) {
    if (c == '\\' || c == quote) quoted += '\\';
    quoted += c;
  }
  return quoted + quote;
}

std::string TextMaker::OneOf(const Pool& good, const Pool& bad, unsigned percent) {
  return Pick(!is_sound_ && Chance(percent) ? bad : good);
}

std::string TextMaker::Depths() {
  return OneOf(kDepths, kBadDepths);
}

std::string TextMaker::MaybePick() {
  return Pick({"", "", "", ":first", ":last", ":nth(1)", ":nth(2)"});
}

std::string TextMaker::Literal(std::string_view name) {
  if (!is_sound_ && Chance(2)) return Pick(kBadLiterals);
  if ((name == "id" || name == "key" || name == "parent_id") && Chance(35))
    return Quoted(random_.Pick(ids_));
  const Pool words = WordsOf(name);
  if (!words.empty() && Chance(80)) {
    const std::string word = Pick(words);
    return Chance(40) && IsAsciiAlpha(word[0]) ? word : Quoted(word);
  }
  if ((IsIn(name, kNumeric) || IsIn(name, kFacets)) && Chance(80)) return Pick(kNumbers);
  return Pick(kLiterals);
}

std::string TextMaker::Test() {
  if (Chance(4)) return Pick({"ephemeral", "sticky"});
  const std::size_t which = random_.Below(5);
  const Pool& pool = which == 0                 ? kNumeric
                     : which == 1               ? kOpen
                     : which == 2 && Chance(25) ? kFacets
                                                : kStrings;
  std::string name = OneOf(pool, {"", "5", "'x'", "-a", "a b", "é", "_x"}, 1);
  const std::string blank = Pick({"", "", "", " "});
  if (Chance(10)) return name;
  if (Chance(8)) return name + blank + "~" + blank + OneOf(kPatterns, kBadPatterns, 8);
  if (Chance(8)) {
    std::string list = name + OneOf({"=", "=", "!="}, {"<", "~", ">="}, 5) + "[";
    for (std::size_t count = random_.Below(3); count > 0; --count)
      list += Literal(name) + "," + blank;
    return list + Literal(name) + "]";
  }
  return name + blank + Pick(kOperators) + blank + Literal(name);
}

std::string TextMaker::Tests(std::size_t count, std::string_view separator) {
  std::string text = Test();
  for (std::size_t i = 1; i < count; ++i) text.append(separator).append(Test());
  return text;
}

std::string TextMaker::Bracket() {
  const std::string blank = Pick({"", "", " "});
  return "[" + blank + Tests(Chance(20) ? 2 : 1, ",") + blank + "]";
}

std::string TextMaker::Braces() {
  const std::string blank = Pick({"", " ", " "});
  return "{" + blank + Tests(Chance(33) ? 2 : 1, "," + blank) + blank + "}";
}

std::string TextMaker::Args() {
  if (!is_sound_ && Chance(2)) return "()";
  const std::size_t count = random_.Pick(std::vector<std::size_t>{1, 1, 2, 3});
  return "(" + Tests(count, Pick({" ", ",", ", ", " , "})) + ")";
}

std::string TextMaker::Pseudo() {
  if (Chance(35)) return ":depth(" + Depths() + ")";
  return OneOf({":pre", ":core", ":post", ":first", ":last", ":nth(1)", ":nth(2)", ":nth( 3 )"},
               {":nth(0)", ":nth()", ":nth", ":nth(-1)", ":nth(+1)", ":nth(1,2)", ":first()",
                ":foo", ":", ":depth", ":depth (1)", ":Pre", ":nth(1.0)"});
}

std::string TextMaker::Hash() {
  const std::string text =
      Chance(40) ? Pick({"k1", "k1", "k2", "05", "b1", "nobody"}) : random_.Pick(ids_);
  const bool is_plain = std::ranges::all_of(text, [](char c) {
    return IsAsciiAlpha(c) || (c >= '0' && c <= '9') || c == '_' || c == ':' || c == '-';
  });
  return "#" + (is_plain && Chance(70) ? text : Quoted(text));
}

std::string TextMaker::Tag() {
  return "+" + OneOf({"a", "a", "b", "c", "featured", "z"}, {"1", "", "'a'", "-a"});
}

// The part that says what the node is; empty for a step of filters alone.
std::string TextMaker::StepHead() {
  const std::size_t head = random_.Below(100);
  if (head < 12) return OneOf({"^sys", "^seq", "^ah", "^root"}, {"^foo"});
  if (head < 50) return Pick(kTypes) + (Chance(10) ? Args() : "");
  if (head < 60) return "*";
  if (head < 70) return Hash();
  return head < 75 ? "depth(" + Depths() + ")" : head < 80 ? Pick({"d0", "d1", "d2", "d-1"}) : "";
}

// A compound step: its parts, mostly in the usual order.
std::string TextMaker::Step() {
  if (Chance(7)) return Pick({":pre", ":core", ":post"});
  std::vector<std::string> parts = {StepHead()};
  if (parts[0].empty() || Chance(25)) parts.push_back(Bracket());
  if (Chance(25)) parts.push_back(Pseudo());
  if (Chance(7)) parts.push_back(Pseudo());
  if (Chance(8)) {
    const std::size_t which = random_.Below(3);
    parts.push_back(which == 0 ? Braces() : which == 1 ? Tag() : Bracket());
  }
  if (Chance(6) && !parts[0].starts_with('d')) random_.Shuffle(parts);
  if (!is_sound_ && Chance(2))
    parts.push_back(Pick({".block", "^ah", "#k1", "*", "(a=1)", "(d1)"}));
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

}  // namespace pactdb::naive

// Random selectors from steps; those aimed at a node; broken ones.
#include "naive_select/text_maker.h"

#include <algorithm>
#include <utility>

namespace pactdb::naive {
namespace {

using Pool = std::vector<std::string_view>;

const Pool kHops = {"cont",
                    "cont[offset=0]",
                    "mc[offset=0]",
                    "seg",
                    "block",
                    "*",
                    "*:block",
                    "*:cb",
                    "*:cont",
                    "0",
                    "1",
                    "-1",
                    "0:block",
                    "1:cont",
                    "*:block.text",
                    "0:block.summary",
                    "block.text",
                    "cont.grp",
                    "*:block:summary",
                    "?{role=user}",
                    "? {kind=text}"};
const Pool kDepthHops = {"d0",       "d1",        "d1",  "d2", "d-1",        "depth(0)",
                         "depth(1)", "depth(-1)", "d+1", "d9", "depth(1,2)", "depth(>0)"};
const Pool kBadHops = {
    "",   "+1",      "end", "foo", "d", "dx",      "d1x",           "\?\?{a=1}",   "1.5",
    "*:", ".block",  "#k1", "^ah", "?", "depth()", "*:block:first", "block:first", "+a",
    "1x", "*.block", "'x'"};
const Pool kOrders = {"@order=pre",  "@order=post",         "@order=bfs",
                      "@order=path", "@order=turn:asc,pre", "@order=turn:desc,pre"};
const Pool kControls = {"@limit=1", "@limit=2", "@limit=3", "@limit=0",
                        "@first",   "@unique",  "@p=2",     "@p=1"};
const Pool kBadControls = {
    "@order=random", "@p=0",        "@limit=-1",    "@limit=",        "@limit",   "@nope",
    "@first=1",      "@order=turn", "@mode=latest", "@mode=union",    "@unique,", "@limit=1x",
    "@t0",           "@limit =1",   "@p=1 @p=1",    "@first @limit=1"};
const Pool kTimes = {"@t0", "@t0", "@t0",  "@t0",  "@t-1", "@t-1", "@c1", "@c2",
                     "@*",  "@*",  "@t-2", "@t-*", "@t-0", "@t0",  "@t0", "@*"};
const Pool kNoTimes = {"@c99", "@t1", "@t+1", "@t-99"};
const Pool kRanges = {"@t-1..@t0", "@t0..@t-1", "@t-5..-1",  "@t-5:-1",     "@t0:@t-1",  "@c1..@c2",
                      "@c1..2",    "@history",  "@t0..@t-*", "@t0 .. @t-1", "@t0 : @t-1"};
const Pool kBadTimes = {"@t-1..@c1",
                        "@c1:@t0",
                        "@*..@t0",
                        "@t0..@*",
                        "@c1..@*",
                        "@t",
                        "@c",
                        "@c-1",
                        "@x",
                        "@t0.block",
                        "@t0:first",
                        "@t0,",
                        "@t 0",
                        "@t0..",
                        "@history..@t0",
                        "@t0..@t1..@t2",
                        "@T0",
                        "@",
                        "@t*",
                        "@t0..x"};
const Pool kInserts = {"[", "]",  "(",  ")", "{", "}", "<", ">", "=",  "!",    "~", "@", "#",
                       "^", ".",  ":",  ",", "+", "*", "?", "'", "\"", "\\",   "/", "|", "&",
                       " ", "\t", "\n", "$", "-", "_", "0", "x", "..", "\?\?", "é"};

}  // namespace

TextMaker::TextMaker(std::uint64_t seed, const History& history) : random_(seed) {
  const std::size_t working = history.cycles().size();
  ListPaths("", history.tree(working), {});
  if (working > 0) ListPaths("@t0 ", history.tree(working - 1), {});
}

void TextMaker::ListPaths(std::string_view time, const PlainNode& node, Path path) {
  ids_.push_back(node.id);
  path.push_back(&node);
  aims_.push_back({time, path});
  for (const PlainNode& child : node.children) ListPaths(time, child, path);
}

Request TextMaker::Next() {
  is_sound_ = Chance(50);
  Request request;
  request.selector = Chance(45) ? Aimed() : Selector(true, true);
  if (Chance(40)) request.dialect = static_cast<Dialect>(random_.Below(3));
  if (Chance(8)) request.snapshot = Pick({"@t0", "@t-1", "working", "@c1", "@c99"});
  if (Chance(6)) request.skip = random_.Between(0, 2);
  if (Chance(6)) request.limit = random_.Pick(std::vector<std::int64_t>{0, 1, 2, 5});
  if (Chance(8)) {
    const bool is_plain = Chance(95);
    request.where = Selector(!is_plain, !is_plain);
  }
  return request;
}

std::string TextMaker::Selector(bool with_time, bool with_controls) {
  std::string text = with_time && Chance(35) ? Time() : "";
  text += GroupText();
  for (std::size_t count = random_.Pick(std::vector<std::size_t>{0, 0, 0, 0, 0, 1, 1, 2});
       count > 0; --count) {
    text += Pick({", ", ",", " , "}) + GroupText();
  }
  if (with_controls && Chance(18)) text += Controls();
  return !is_sound_ && Chance(15) ? Broken(std::move(text)) : text;
}

std::string TextMaker::Time() {
  const Pool& pool = Chance(3) ? kRanges : Chance(3) ? kNoTimes : kTimes;
  const std::string time = OneOf(pool, kBadTimes, 4);
  return time + OneOf({" ", " ", " ", "  "}, {"", ","}, 1);
}

std::string TextMaker::GroupText() {
  const std::size_t head = random_.Below(100);
  std::string text;
  if (head < 62) {
    text = Chain();
  } else if (head < 80) {
    text = "(" + Hops() + ")" + (Chance(25) ? Pseudo() : "");
  } else if (head < 83) {
    text = Pick(Chance(40) ? kDepthHops : kHops);
  } else if (head < 88) {
    text = Pick({"?", "? ", "\?\?", "\?\? "}) + Braces();
  } else if (head < 94) {
    text = "within(" + (Chance(50) ? Scopes() : Chance(50) ? Hops() : Pick({"d1, d3", "d0,d-1"}));
    text += ")" + OneOf({" \?\? ", "\?\?", " \?\?"}, {"", " ? "}) + Braces();
  } else if (head < 97) {
    text = Tag() + (Chance(40) ? " " + Tag() : "");
  } else {
    text = Hash();
  }
  for (std::size_t count = random_.Pick(std::vector<std::size_t>{0, 0, 0, 1, 1, 2}); count > 0;
       --count) {
    const std::size_t which = random_.Below(3);
    text += " " + (which == 0 ? Braces() : which == 1 ? Bracket() : Tag());
  }
  if (Chance(5)) text += Pick({" ", " > "}) + Step();
  return text;
}

std::string TextMaker::Chain() {
  std::string text = Step();
  for (std::size_t count = random_.Pick(std::vector<std::size_t>{0, 0, 0, 1, 1, 1, 1, 2, 2, 3});
       count > 0; --count) {
    std::string sign = Pick({" ", " ", " ", " > ", " > ", ">", "  ", "\n"});
    if (!is_sound_ && Chance(1)) sign = Pick({" > > ", " < ", "> ", "+", ",", " , , "});
    const bool is_search = sign.find('>') == std::string::npos && Chance(6);
    text += sign + (is_search ? Pick({"? ", "\?\? ", "\?\?"}) + Braces() : Step());
  }
  return text;
}

std::string TextMaker::Hops() {
  std::string text = Pick(Chance(80) ? kDepthHops : kHops);
  if (Chance(15)) text += Chance(50) ? Bracket() : Braces();
  const std::string comma = Pick({", ", ",", " , "});
  for (std::size_t count = random_.Pick(std::vector<std::size_t>{0, 1, 1, 1, 2, 2, 3}); count > 0;
       --count) {
    text += comma + OneOf(kHops, kBadHops);
    if (Chance(15)) text += Chance(50) ? Bracket() : Braces();
  }
  if (!is_sound_ && Chance(2)) text += comma + Pick({"", "end", "+1", "-1", "d1"});
  return text;
}

// Depths, some with tests of their own, and perhaps a way on from there.
std::string TextMaker::Scopes() {
  std::string text = Pick(kDepthHops) + (Chance(40) ? Bracket() : "");
  for (std::size_t count = 1 + random_.Below(3); count > 0; --count)
    text += ", " + Pick(kDepthHops) + (Chance(40) ? Bracket() : "");
  if (Chance(15)) return text + ", seg" + Bracket();
  return text + Pick({"", "", "", ", seg", ", cont", ", *:block"});
}

std::string TextMaker::Controls() {
  std::string text;
  if (Chance(25)) text += " " + Pick(kOrders);
  for (std::size_t count = random_.Pick(std::vector<std::size_t>{0, 1, 1, 2}); count > 0; --count)
    text += " " + OneOf(kControls, kBadControls, 6);
  if (Chance(5)) text += " " + (Chance(50) ? Bracket() : Chance(50) ? Braces() : Tag());
  return text;
}

// One small fault, or none by luck. Patterns stay whole: RE2 and what the Python oracle has for it
// differ on odd ones. Cuts may not break a letter of several bytes.
std::string TextMaker::Broken(std::string text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (text.find('~') != std::string::npos || !std::ranges::all_of(text, is_ascii)) return text;
  const std::size_t at = random_.Below(text.size() + 1);
  switch (random_.Below(5)) {
    case 0:
      return text.substr(0, at) + text.substr(std::min(at + 1, text.size()));
    case 1:
      return text.insert(at, Pick(kInserts));
    case 2:
      return text.substr(0, at);
    case 3:
      return text.substr(at);
    default:
      return text.insert(at, text.substr(random_.Below(text.size() + 1), 3));
  }
}

// --- aimed at a node ---

// Describes a node of the tree by a few of those above it.
std::string TextMaker::Aimed() {
  const Aim& aim = random_.Pick(aims_);
  std::string text(aim.time);
  if (Chance(25)) return text + AimedPosition(aim.path);
  std::size_t before = aim.path.size();  // none yet
  for (std::size_t i = 0; i < aim.path.size(); ++i) {
    if (i + 1 < aim.path.size() && !Chance(35)) continue;
    if (before < aim.path.size()) text += before + 1 == i && Chance(60) ? " > " : " ";
    text += AimedStep(*aim.path[i]);
    before = i;
  }
  if (Chance(15)) text += Pick({", ", ","}) + AimedStep(*aim.path.back());
  if (Chance(15)) {
    text += " " + (Chance(50) ? Pick(kOrders)
                              : Pick({"@limit=2", "@unique", "@first", "@limit=2 @p=2", "+a"}));
  }
  return text;
}

std::string TextMaker::AimedStep(const PlainNode& node) {
  static const Pool regions = {"^root", "^sys", "^seq", "^ah"};
  const std::size_t choice = random_.Below(10);
  const auto node_class = static_cast<std::size_t>(node.node_class);
  if (node_class < regions.size() && choice < 8) return std::string(regions[node_class]);
  if (choice == 0) return "*" + MaybePick();
  if (choice == 1) return Pick({":pre", ":core", ":post"});
  const bool is_turn = node.node_class == NodeClass::kTurn;
  std::string text = is_turn                                ? Pick({".seg", ".mt"})
                     : node.node_class == NodeClass::kCont  ? Pick({".cont", ".mc"})
                     : node.node_class == NodeClass::kBlock ? Pick({".block", ".cb"})
                                                            : "*";
  if (choice < 5) text += MaybePick();
  if ((choice == 4 || choice == 5) && is_turn) text += ":depth(" + Depths() + ")";
  if (choice == 9) return AimedTest(node) + MaybePick();
  return choice > 5 ? text + AimedTest(node) : text;
}

// A filter on something the node has.
std::string TextMaker::AimedTest(const PlainNode& node) {
  auto field = node.fields.begin();
  std::advance(field, random_.Below(node.fields.size()));
  const auto& [name, value] = *field;
  if (name == "tags" && !node.tags.empty()) {
    const std::string& tag = random_.Pick(node.tags);
    if (Chance(33)) return "+" + tag;
    return Chance(50) ? "[tag=" + tag + "]" : "{tag=" + tag + "}";
  }
  static const Pool operators = {"=", "=", "=", "!=", "<", "<=", ">", ">="};
  switch (value.kind) {
    case PlainValue::Kind::kNull:
      return "[" + name + "=null]";
    case PlainValue::Kind::kBool:
      return "[" + name + "=" + value.text + "]";
    case PlainValue::Kind::kNumber:
      if (value.text.find('e') != std::string::npos) return "[" + name + "]";
      return "[" + name + Pick(operators) + value.text + "]";
    case PlainValue::Kind::kText:
      return "[" + name + Pick(operators) + Quoted(value.text) + "]";
    case PlainValue::Kind::kOther:
      break;
  }
  return "[" + name + "]";
}

std::string TextMaker::AimedPosition(const Path& path) {
  if (path.size() < 2) return "(*)";
  const bool in_turns = path[1]->node_class == NodeClass::kSeq;
  std::string hops = in_turns ? Pick({"d1", "d1", "d2", "depth(1)", "depth(>0)"})
                              : Pick({"d0", "depth(0)", "d-1", "depth(-1)"});
  for (std::size_t i = in_turns ? 3 : 2; i < path.size(); ++i) hops += ", " + AimedHop(*path[i]);
  return Chance(66) ? "(" + hops + ")" : "within(" + hops + ") \?\? {offset>-9}";
}

std::string TextMaker::AimedHop(const PlainNode& node) {
  std::string hop = node.node_class == NodeClass::kCont
                        ? Pick({"cont", "mc", "*", "*:cont", "cont[offset=0]"})
                        : Pick({"block", "*", "*:block", "*:cb", "?{kind}", "?{id}"});
  if (Chance(25)) hop = std::to_string(node.offset);
  const std::string test = Chance(15) ? AimedTest(node) : "";
  return test.starts_with('+') ? hop : hop + test;
}

}  // namespace pactdb::naive

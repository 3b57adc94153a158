#include "naive_select/tree_maker.h"

#include <algorithm>
#include <map>
#include <utility>

#include "support/random.h"

namespace pactdb::naive {
namespace {

using Pool = std::vector<std::string>;              // of JSON texts, unless it says otherwise
using Fields = std::map<std::string, std::string>;  // name to JSON text

std::string Quoted(const std::string& text) {
  return "\"" + text + "\"";
}

std::string Object(const Fields& fields) {
  std::string text = "{";
  for (const auto& [name, value] : fields) {
    if (text.size() > 1) text += ',';
    text += Quoted(name) + ":" + value;
  }
  return text + "}";
}

std::string Array(const Pool& items) {
  std::string text = "[";
  for (const std::string& item : items) {
    if (text.size() > 1) text += ',';
    text += item;
  }
  return text + "]";
}

const Pool kKeys = {R"("k1")",          R"("k1")", R"("k2")", R"("k3")",
                    R"("hero banner")", R"("05")", R"("b1")"};
const Pool kTags = {R"("a")", R"("b")", R"("c")", R"("featured")"};
const Pool kRoles = {R"("user")",   R"("user")", R"("assistant")",
                     R"("system")", R"("tool")", R"("")"};
const Pool kKinds = {R"("text")", R"("text")", R"("summary")", R"("call")", R"("note")"};
const Pool kContents = {R"("Hello")", R"("U1")",  R"("")",          "5",
                        "null",       R"(["x"])", R"("line\nend")", R"("é")"};
const Pool kCustom = {"5",
                      R"("5")",
                      "10",
                      R"("10")",
                      R"("9")",
                      "9",
                      "1.5",
                      R"("1.5")",
                      "-2",
                      R"("1e1")",
                      "true",
                      "false",
                      R"("true")",
                      R"("x")",
                      R"("X")",
                      R"("")",
                      "null",
                      "[1]",
                      R"({"a":1})",
                      "9223372036854775808",
                      "100000000000000000000",
                      R"("10x")",
                      R"("é")",
                      "5.0",
                      "1e22"};
const Pool kCustomNames = {"data_n", "data_n", "ns:flag", "content_lang"};  // plain
const Pool kCanonicalTypes = {R"("block")", R"("block")", R"("block:summary")", R"("block:note")",
                              R"("custom:note")"};
const Pool kClassicTypes = {R"("cb")", R"("cb")", R"("cb:summary")", R"("cb:note")",
                            R"("custom:note")"};

class TreeMaker {
 public:
  explicit TreeMaker(std::uint64_t seed) : random_(seed) {
    size_ = random_.Pick(std::vector<std::size_t>{3, 8, 8, 14});
    is_canonical_ = random_.Below(3) == 0;
    const std::string dialect = is_canonical_        ? "canonical"
                                : random_.Chance(50) ? "classic"
                                                     : "depth";
    Request({{"op", Quoted("configure")},
             {"dialect", Quoted(dialect)},
             {"clock", R"({"start_ns":1000,"step_ns":10})"}});
    if (random_.Chance(60)) Import();
    const bool has_document = lines_.size() > 1;
    if (random_.Chance(12) && has_document) Import();
    const std::size_t rounds = random_.Below(4) + (has_document ? 0 : 1);
    for (std::size_t round = 0; round < rounds; ++round) {
      Edit(1 + random_.Below(size_ - 1));
      if (random_.Chance(85)) Request({{"op", Quoted("commit")}, {"hashes", "false"}});
    }
    if (random_.Chance(70)) Edit(1 + random_.Below(4));
  }

  std::vector<std::string> Take() { return std::move(lines_); }

 private:
  void Request(const Fields& fields) { lines_.push_back(Object(fields)); }
  const std::string& Pick(const Pool& pool) { return random_.Pick(pool); }

  std::string FreshId() {
    static const Pool letters = {"b", "b", "n", "x", "B", "é"};
    made_.push_back(Pick(letters) + std::to_string(++number_));
    return made_.back();
  }

  // --- fields ---

  void Decorate(Fields& fields) {
    if (random_.Chance(25)) fields["key"] = Pick(kKeys);
    if (random_.Chance(25)) {
      Pool tags = kTags;
      random_.Shuffle(tags);
      tags.resize(random_.Below(4));
      fields["tags"] = Array(tags);
    }
    if (random_.Chance(25)) fields["ttl"] = Pick({"1", "1", "2", "3", "5", "20"});
    if (random_.Chance(8)) fields["cad"] = Pick({"1", "2"});
    if (random_.Chance(25)) fields["priority"] = Pick({"-1", "0", "1", "5", "10"});
    if (random_.Chance(25)) fields[Pick(kCustomNames)] = Pick(kCustom);
    if (random_.Chance(5)) fields["pinned"] = "true";
  }

  void Speak(Fields& fields) {
    if (random_.Chance(85)) fields["role"] = Pick(kRoles);
    if (random_.Chance(60)) fields["kind"] = Pick(kKinds);
    if (random_.Chance(60)) fields["content"] = Pick(kContents);
    if (random_.Chance(5)) fields["mime"] = Quoted("text/plain");
  }

  // --- edits ---

  void Edit(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) Add();
  }

  void Add() {
    Fields node;
    Decorate(node);
    if (random_.Chance(60)) node["id"] = Quoted(FreshId());
    if (random_.Chance(45)) node["offset"] = Pick({"-2", "-1", "-1", "0", "1", "1", "2"});
    if (random_.Chance(18)) {
      node["nodeType"] = Pick({R"("cont")", R"("mc")", R"("cont:grp")"});
      node.try_emplace("offset", Pick({"-1", "1", "2"}));
      if (node["offset"] == "0") node["offset"] = "1";
      if (random_.Chance(30)) node["removable"] = "true";
    } else {
      Speak(node);
      if (random_.Chance(40))
        node["nodeType"] = Pick(random_.Chance(50) ? kCanonicalTypes : kClassicTypes);
    }
    Fields request = {{"op", Quoted("add")}, {"node", Object(node)}};
    if (random_.Chance(30)) {
      Pool parents = {"^sys", "^sys", "^ah"};
      for (std::size_t i = 0; i < std::min<std::size_t>(3, turns_.size()); ++i)
        parents.push_back(turns_[turns_.size() - 1 - i]);
      for (std::size_t i = 0; i < std::min<std::size_t>(3, made_.size()); ++i)
        parents.push_back(made_[made_.size() - 1 - i]);
      request["parent"] = Quoted(Pick(parents));
    }
    Request(request);
  }

  // --- documents ---

  void Import() {
    has_canonical_names_ = random_.Chance(is_canonical_ ? 85 : 15);
    headers_ = Pick({"none", "none", "full", "some"});
    is_loose_ = random_.Chance(50);
    Pool names = {"sys", "seq", "ah"};
    if (random_.Chance(8))
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(random_.Below(3)));
    Pool regions;
    for (const std::string& name : names) regions.push_back(Region(name));
    Fields root = {{"children", Array(regions)}};
    if (random_.Chance(20)) {
      root["id"] = Quoted("root-1");
      Decorate(root);
    }
    Request({{"op", Quoted("import")}, {"snapshot", Object({{"root", Object(root)}})}});
  }

  // What every node of a document has; headers as this document has them.
  Fields Node(const std::string& canonical_name, const std::string& classic_name,
              const std::string& offset) {
    Fields made = {{"id", Quoted(FreshId())}};
    if (headers_ != "none" || random_.Chance(85))
      made["nodeType"] = Quoted(has_canonical_names_ ? canonical_name : classic_name);
    if (offset != "0" || random_.Chance(50)) made["offset"] = offset;
    const Fields headers = {{"cycle", std::to_string(random_.Below(4))},
                            {"created_at_ns", std::to_string(100 + 10 * random_.Below(5))},
                            {"created_at_iso", Quoted("1970-01-01T00:00:00.00000010" +
                                                      std::to_string(random_.Below(3)) + "Z")},
                            {"creation_index", std::to_string(random_.Below(3))}};
    for (const auto& [name, value] : headers) {
      if (headers_ == "full" || (headers_ == "some" && random_.Chance(40))) made[name] = value;
    }
    return made;
  }

  std::string Block(const std::string& offset) {
    Fields made = Node("block", "cb", offset);
    Decorate(made);
    Speak(made);
    if (random_.Chance(25)) {
      made["nodeType"] = random_.Chance(16)
                             ? Quoted("weird")
                             : Pick(has_canonical_names_ ? kCanonicalTypes : kClassicTypes);
    }
    if (random_.Chance(5)) made["other"] = Pick(kCustom);
    return Object(made);
  }

  std::string Cont(const std::string& offset, bool is_outer = true) {
    Fields made = Node("cont", "mc", offset);
    if (random_.Chance(30)) Decorate(made);
    if (random_.Chance(12)) made["nodeType"] = Pick({R"("cont:grp")", R"("mc:grp")"});
    Pool children;
    for (std::size_t count = random_.Below(4); count > 0; --count)
      children.push_back(Block(Pick({"0", "0", "0", "-1", "1"})));
    if (is_outer && random_.Chance(25)) children.push_back(Cont(Pick({"0", "1"}), false));
    made["children"] = Array(children);
    return Object(made);
  }

  // What a turn or the head holds.
  std::string Inside() {
    Pool held;
    if (!is_loose_ || random_.Chance(40)) {
      held.push_back(Cont("0"));
      if (random_.Chance(8)) held.push_back(Cont("0"));
    }
    for (std::size_t count = is_loose_ ? random_.Below(3) : 0; count > 0; --count)
      held.push_back(Block("0"));
    for (std::size_t count = random_.Below(3); count > 0; --count)
      held.push_back(Block(Pick({"-2", "-1", "1", "2"})));
    if (random_.Chance(35)) held.push_back(Cont(Pick({"-1", "1", "2"})));
    random_.Shuffle(held);
    return Array(held);
  }

  std::string Turns() {
    Pool turns;
    for (std::size_t count = random_.Pick(std::vector<std::size_t>{0, 1, 2, 2, 3, 4}); count > 0;
         --count) {
      Fields turn = Node("seg", "mt", "0");
      turns_.push_back(made_.back());
      if (random_.Chance(20)) Decorate(turn);
      turn["children"] = Inside();
      turns.push_back(Object(turn));
    }
    return Array(turns);
  }

  std::string Region(const std::string& name) {
    Fields made = {{"id", Quoted(name + (random_.Chance(50) ? "" : "-1"))},
                   {"nodeType", Quoted("^" + name)},
                   {"children", "[]"}};
    if (random_.Chance(12)) {
      Decorate(made);
      made.erase("ttl");
    }
    if (name == "seq") {
      made["children"] = Turns();
    } else if (name == "sys") {
      Pool children;
      for (std::size_t count = random_.Below(4); count > 0; --count)
        children.push_back(Block(Pick({"0", "0", "-1", "1"})));
      if (random_.Chance(25)) children.push_back(Cont(Pick({"0", "1"})));
      made["children"] = Array(children);
    } else if (random_.Chance(75)) {
      made["children"] = Inside();
    }
    return Object(made);
  }

  support::Random random_;
  std::vector<std::string> lines_;
  std::size_t size_ = 3;  // about how many nodes an edit adds
  bool is_canonical_ = false;
  std::size_t number_ = 0;
  Pool made_;   // plain ids
  Pool turns_;  // plain ids of turns that documents brought
  bool has_canonical_names_ = false;
  std::string headers_;
  bool is_loose_ = false;  // offset-0 blocks right under turns and head
};

}  // namespace

std::vector<std::string> MakeTree(std::uint64_t seed) {
  return TreeMaker(seed).Take();
}

}  // namespace pactdb::naive

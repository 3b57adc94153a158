// Records byte by byte: what is written is read, and what nobody would write is refused.
#include "model/record.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "base/sha256.h"
#include "support/error_text.h"

namespace pactdb {
namespace {

using namespace std::string_literals;
using support::ErrorText;

constexpr RecordId kOwn{.context = 3, .commit = 9};

RecordHead SmallHead() {
  RecordHead head;
  head.words = {"block"};
  return head;
}

std::string RecordOf(const RecordHead& head, const std::vector<std::string>& objects) {
  std::string out;
  record::AppendHead(head, out);
  AppendVarint(objects.size(), out);
  for (const std::string& object : objects) AppendVarint(object.size(), out);
  for (const std::string& object : objects) out += object;
  return out;
}

std::string RecordOf(const std::vector<std::string>& objects) {
  return RecordOf(SmallHead(), objects);
}

StoredRecord Parsed(const std::vector<std::string>& objects) {
  return StoredRecord::Parse(RecordOf(objects), kOwn).value();
}

constexpr std::string_view kDamaged =
    "E_STORE_CORRUPT: commit 9 of context 3: its record is cut short or damaged "
    "{context_number=3 commit=9}";

TEST(StoredRecord, GivesItsHeadBack) {
  for (const bool is_full : {false, true}) {
    RecordHead head;
    head.cycle = -5;
    head.time_ns = 1'700'000'000'000'000'000;
    head.clock.next_tick_ns = -77;
    if (is_full) {
      head.words = {"", "block", "h\xc3\xa9"};
      head.sealed = "seg:4";
      head.imported_iso = "";
      head.departures = {{"a", "", Departure::Cause::kExpired},
                         {"b", "a", Departure::Cause::kLast}};
      head.clock.last_stamp = -3;
    }
    const StoredRecord parsed =
        StoredRecord::Parse(RecordOf(head, {"one", "", "three"}), kOwn).value();
    EXPECT_EQ(parsed.id(), kOwn);
    EXPECT_EQ(parsed.head().cycle, head.cycle);
    EXPECT_EQ(parsed.head().time_ns, head.time_ns);
    EXPECT_EQ(parsed.head().words, head.words);
    EXPECT_EQ(parsed.head().sealed, head.sealed);
    EXPECT_EQ(parsed.head().imported_iso, head.imported_iso);
    EXPECT_EQ(parsed.head().clock.next_tick_ns, head.clock.next_tick_ns);
    EXPECT_EQ(parsed.head().clock.last_stamp, head.clock.last_stamp);
    ASSERT_EQ(parsed.head().departures.size(), head.departures.size());
    for (std::size_t i = 0; i < head.departures.size(); ++i) {
      EXPECT_EQ(parsed.head().departures[i].id, head.departures[i].id);
      EXPECT_EQ(parsed.head().departures[i].with, head.departures[i].with);
      EXPECT_EQ(parsed.head().departures[i].cause, head.departures[i].cause);
    }
    std::string words;
    AppendVarint(head.words.size(), words);
    for (const std::string_view word : head.words) AppendSized(word, words);
    EXPECT_EQ(parsed.words_bytes(), words);
    ASSERT_EQ(parsed.object_count(), 3);
    EXPECT_EQ(parsed.root(), 2);
    EXPECT_EQ(parsed.object(0), "one");
    EXPECT_EQ(parsed.object(1), "");
    EXPECT_EQ(parsed.object(2), "three");
  }
}

TEST(StoredRecord, IsReadAsAWholeOrNotAtAll) {
  RecordHead head = SmallHead();
  head.sealed = "seg:1";
  head.departures = {{"a", "b", Departure::Cause::kLast}};
  head.clock.last_stamp = 1;
  const std::string good = RecordOf(head, {"one", "two"});
  EXPECT_EQ(ErrorText(StoredRecord::Parse(good, kOwn)), "ok");
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(ErrorText(StoredRecord::Parse(good.substr(0, size), kOwn)), kDamaged) << size;
  EXPECT_EQ(ErrorText(StoredRecord::Parse(good + "x", kOwn)), kDamaged);
  EXPECT_EQ(ErrorText(StoredRecord::Parse(RecordOf(std::vector<std::string>()), kOwn)), kDamaged);
  std::string other = good;
  other[0] = record::kVersion + 1;
  EXPECT_EQ(ErrorText(StoredRecord::Parse(other, kOwn)),
            "E_STORE_CORRUPT: commit 9 of context 3: its record is of an unknown version "
            "{context_number=3 commit=9}");
}

TEST(StoredRecord, HasNoTextsThatAreNone) {
  RecordHead words = SmallHead();
  words.words = {"block", "\xff"};
  RecordHead id = SmallHead();
  id.departures = {{"\xff", "", Departure::Cause::kExpired}};
  RecordHead with = SmallHead();
  with.departures = {{"a", "\xff", Departure::Cause::kExpired}};
  RecordHead cause = SmallHead();
  cause.departures = {
      {"a", "", static_cast<Departure::Cause>(static_cast<int>(Departure::Cause::kLast) + 1)}};
  for (const RecordHead& head : {words, id, with, cause})
    EXPECT_EQ(ErrorText(StoredRecord::Parse(RecordOf(head, {"x"}), kOwn)), kDamaged);
}

TEST(StoredRecord, LosesObjectsAndKeepsTheNumbersOfTheOthers) {
  const std::vector<std::string> objects = {"one", "two", "three"};
  const StoredRecord whole = Parsed(objects);
  for (unsigned mask = 0; mask < 8; ++mask) {
    std::vector<bool> keeps;
    std::vector<std::string> wanted;
    for (unsigned i = 0; i < 3; ++i) {
      keeps.push_back((mask >> i & 1) != 0);
      wanted.push_back(keeps.back() ? objects[i] : "");
    }
    EXPECT_EQ(whole.Without(keeps), RecordOf(wanted)) << mask;
  }
}

// --- nodes ---

// The parts of a node, to be put together as they are stored.
struct Parts {
  int kind = static_cast<int>(NodeClass::kBlock);
  int parts = 0;
  std::string flags;
  std::string numbers = "\0\0\0\0"s;  // offset, cycle, time, index
  std::string id = "\1x";
  std::string words = "\1\0\0"s;
  std::string rest;

  std::string object() const {
    return std::string(1, static_cast<char>(kind)) + static_cast<char>(parts) + flags + numbers +
           id + words + rest;
  }
};

std::string Told(const Parts& parts) {
  StoredNode node;
  return ErrorText(Parsed({parts.object()}).ReadNode(0, node));
}

constexpr std::string_view kNoNodeText =
    "E_STORE_CORRUPT: commit 9 of context 3: object 0 is no node {context_number=3 commit=9}";

TEST(StoredNode, HasTheLeastThatANodeHas) {
  StoredNode node;
  node.made_id.emplace();
  node.children.emplace();
  node.content.emplace();
  node.attributes.emplace_back();
  const StoredRecord record = Parsed({Parts().object()});  // the node looks into it
  ASSERT_TRUE(record.ReadNode(0, node));
  EXPECT_EQ(node.node_class, NodeClass::kBlock);
  EXPECT_EQ(node.flags, record::MadeFlags(NodeClass::kBlock));
  EXPECT_EQ(node.offset, 0);
  EXPECT_EQ(node.cycle, 0);
  EXPECT_EQ(node.created_at_ns, 0);
  EXPECT_EQ(node.creation_index, 0);
  EXPECT_EQ(node.id, "x");
  EXPECT_EQ(node.made_id, std::nullopt);
  EXPECT_EQ(node.type, 1);
  EXPECT_EQ(node.role, 0);
  EXPECT_EQ(node.kind, 0);
  EXPECT_EQ(node.priority, 0);
  EXPECT_EQ(node.expiry, kNoExpiry);
  EXPECT_FALSE(node.has_body);
  EXPECT_FALSE(node.content.has_value());
  EXPECT_TRUE(node.attributes.empty());
  EXPECT_EQ(node.children, std::nullopt);
}

TEST(StoredNode, HasEveryPart) {
  const Digest hash = Sha256Of("hash");
  const Digest content = Sha256Of("content");
  const Digest digest = Sha256Of("digest");
  Parts parts;
  parts.kind = static_cast<int>(NodeClass::kCont);
  parts.parts = record::kMadeId | record::kOddFlags | record::kBody | record::kExpiry |
                record::kPriority | record::kContent | record::kChildren;
  AppendVarint(Node::kPinned, parts.flags);
  parts.numbers.clear();
  for (const std::int64_t number : {-2, 5, -7, 3}) AppendSigned(number, parts.numbers);
  parts.id = "\3";  // the second type, with an index
  parts.words = "\1\2\3";
  AppendSigned(-9, parts.rest);
  AppendVarint(44, parts.rest);
  AppendDigest(hash, parts.rest);
  AppendVarint(1, parts.rest);
  AppendDigest(content, parts.rest);
  AppendVarint(2, parts.rest);
  AppendSized("a", parts.rest);
  AppendVarint(2 * 3, parts.rest);
  parts.rest += "\"v\"";
  AppendSized("b", parts.rest);
  AppendVarint(1, parts.rest);
  AppendDigest(digest, parts.rest);
  AppendDigest(digest, parts.rest);
  parts.rest += "\0\0"s;  // children: object 0 of this record
  RecordHead head = SmallHead();
  head.words = {"cont", "user", "text"};
  head.cycle = 100;
  head.time_ns = 1000;
  const StoredRecord record =
      StoredRecord::Parse(RecordOf(head, {"", parts.object()}), kOwn).value();
  StoredNode node;
  ASSERT_EQ(ErrorText(record.ReadNode(1, node)), "ok");
  EXPECT_EQ(node.node_class, NodeClass::kCont);
  EXPECT_EQ(node.flags, Node::kPinned);
  EXPECT_EQ(node.offset, -2);
  EXPECT_EQ(node.cycle, 105);
  EXPECT_EQ(node.created_at_ns, 993);
  EXPECT_EQ(node.creation_index, 3);
  ASSERT_TRUE(node.made_id.has_value());
  EXPECT_EQ(IdText(*node.made_id), "cont:105.3");
  EXPECT_EQ(node.type, 1);
  EXPECT_EQ(node.role, 2);
  EXPECT_EQ(node.kind, 3);
  EXPECT_EQ(node.priority, -9);
  EXPECT_EQ(node.expiry, 44);
  EXPECT_TRUE(node.has_body);
  EXPECT_EQ(node.content_hash, hash);
  EXPECT_EQ(node.content->hash, content);
  ASSERT_EQ(node.attributes.size(), 2);
  EXPECT_EQ(node.attributes[0].name, "a");
  EXPECT_EQ(node.attributes[0].value.bytes, "\"v\"");
  EXPECT_EQ(node.attributes[0].value.hash, std::nullopt);
  EXPECT_EQ(node.attributes[1].value.hash, digest);
  EXPECT_EQ(node.digest, digest);
  EXPECT_EQ(node.children, (StoredAddress{kOwn, 0}));
  std::vector<StoredAddress> objects;
  std::vector<Digest> contents;
  ASSERT_TRUE(record.ReadReferences(1, objects, contents));
  EXPECT_EQ(objects, (std::vector<StoredAddress>{{kOwn, 0}}));
  EXPECT_EQ(contents, (std::vector<Digest>{content, digest}));
}

TEST(StoredNode, IsOneThatFillsItsObject) {
  const Parts good;
  EXPECT_EQ(Told(good), "ok");
  for (std::size_t size = 0; size < good.object().size(); ++size) {
    StoredNode node;
    EXPECT_EQ(ErrorText(Parsed({good.object().substr(0, size)}).ReadNode(0, node)), kNoNodeText);
  }
  Parts longer;
  longer.rest = "x";
  EXPECT_EQ(Told(longer), kNoNodeText);
  StoredNode node;
  EXPECT_FALSE(Parsed({good.object()}).ReadNode(1, node).has_value());
}

TEST(StoredNode, IsOfAClassWithATypeAndWordsThatAreThere) {
  Parts container;
  container.rest = std::string(32, '\0');
  for (int kind = 0; kind <= 7; ++kind) {
    Parts parts = kind == static_cast<int>(NodeClass::kBlock) ? Parts() : container;
    parts.kind = kind;
    EXPECT_EQ(Told(parts), kind <= 6 ? "ok" : kNoNodeText) << kind;
  }
  for (const auto& [words, is_right] : {std::pair("\1\1\1"s, true),
                                        {"\1\0\1"s, true},
                                        {"\0\1\1"s, false},
                                        {"\2\0\0"s, false},
                                        {"\1\2\0"s, false},
                                        {"\1\0\2"s, false}}) {
    Parts parts;
    parts.words = words;
    EXPECT_EQ(Told(parts), is_right ? "ok" : kNoNodeText);
  }
}

TEST(StoredNode, HasAnIdThatAnIdCanBe) {
  const auto told = [](std::string_view id) {
    Parts parts;
    parts.id.clear();
    AppendSized(id, parts.id);
    return Told(parts);
  };
  EXPECT_EQ(told(std::string(limits::kIdBytesMax, 'x')), "ok");
  EXPECT_EQ(told(std::string(limits::kIdBytesMax + 1, 'x')), kNoNodeText);
  EXPECT_EQ(told("h\xc3\xa9"), "ok");
  EXPECT_EQ(told("\xff"), kNoNodeText);
}

// A made id says the cycle and index of its node, which must fit into one.
TEST(StoredNode, HasAMadeIdThatCanBeMade) {
  const auto told = [](int code, std::int64_t cycle, std::int64_t index) {
    Parts parts;
    parts.parts = record::kMadeId;
    parts.numbers = "\0"s;
    AppendSigned(cycle, parts.numbers);
    parts.numbers += '\0';
    AppendSigned(index, parts.numbers);
    parts.id = std::string(1, static_cast<char>(code));
    const StoredRecord record = Parsed({parts.object()});
    StoredNode node;
    const Status status = record.ReadNode(0, node);
    return status ? std::string(IdText(*node.made_id)) : "none";
  };
  constexpr auto kCycleMax = static_cast<std::int64_t>(MadeId::kCycleMax);
  constexpr std::int64_t kIndexMax = MadeId::kIndexMax;
  EXPECT_EQ(told(0, 7, 3), "block:7");
  EXPECT_EQ(told(1, 7, 3), "block:7.3");
  EXPECT_EQ(told(4, 7, -1), "seg:7");
  EXPECT_EQ(told(11, 0, 0), "mt:0.0");
  EXPECT_EQ(told(12, 7, 3), "none");
  EXPECT_EQ(told(1, -1, 3), "none");
  EXPECT_EQ(told(1, kCycleMax, 3), "block:68719476735.3");
  EXPECT_EQ(told(1, kCycleMax + 1, 3), "none");
  EXPECT_EQ(told(1, 7, -1), "none");
  EXPECT_EQ(told(1, 7, kIndexMax), "block:7.16777214");
  EXPECT_EQ(told(1, 7, kIndexMax + 1), "none");
  EXPECT_EQ(told(0, 7, kIndexMax + 1), "block:7");
}

TEST(StoredNode, HasAttributesInOrderWithValuesThatAreCanonical) {
  using Attributes = std::vector<std::pair<std::string, std::string>>;
  const auto told = [](const Attributes& attributes) {
    Parts parts;
    parts.parts = record::kBody;
    AppendDigest({}, parts.rest);
    AppendVarint(attributes.size(), parts.rest);
    for (const auto& [name, value] : attributes) {
      AppendSized(name, parts.rest);
      AppendVarint(2 * value.size(), parts.rest);
      parts.rest += value;
    }
    return Told(parts);
  };
  EXPECT_EQ(told({}), "ok");
  EXPECT_EQ(told({{"a", "1"}, {"b", "{\"a\":[1,2.5]}"}, {"c", "\"\\u00e9\""}}), "ok");
  EXPECT_EQ(told({{"b", "1"}, {"a", "1"}}), kNoNodeText);
  EXPECT_EQ(told({{"a", "1"}, {"a", "1"}}), kNoNodeText);
  EXPECT_EQ(told({{"\xff", "1"}}), kNoNodeText);
  for (const char* value : {"", "01", " 1", "{\"b\":1,\"a\":2}", "\"\xc3\xa9\"", "\"", "nul"})
    EXPECT_EQ(told({{"a", value}}), kNoNodeText) << value;
  Attributes many;
  for (std::size_t i = 0; i < limits::kAttributesMax; ++i)
    many.emplace_back("a" + std::to_string(1000 + i), "1");
  EXPECT_EQ(told(many), "ok");
  many.emplace_back("b", "1");
  EXPECT_EQ(told(many), kNoNodeText);
}

TEST(StoredNode, HasAValueOrAHash) {
  Parts parts;
  parts.parts = record::kBody | record::kContent;
  AppendDigest({}, parts.rest);
  const std::string before = parts.rest;
  // An odd number is no size, but for 1, which says that a hash follows.
  for (const auto& [lead, is_right] : {std::pair(2, true), {1, true}, {3, false}, {5, false}}) {
    parts.rest = before + static_cast<char>(lead);
    if (lead == 1) AppendDigest({}, parts.rest);
    if (lead != 1) parts.rest += "1";
    parts.rest += '\0';
    EXPECT_EQ(Told(parts), is_right ? "ok" : kNoNodeText) << lead;
  }
}

// --- lists and addresses ---

std::string List(unsigned level, const std::vector<StoredAddress>& slots, bool has_hash = false) {
  std::string object(1, static_cast<char>(record::kChunkObject));
  AppendVarint(2 * level + (has_hash ? 1 : 0), object);
  AppendVarint(slots.size(), object);
  CommitNumber near = kOwn.commit;
  for (const StoredAddress& slot : slots) record::AppendAddress(slot, kOwn, near, object);
  if (has_hash) AppendDigest(Sha256Of("list"), object);
  return object;
}

constexpr std::string_view kNoList =
    "E_STORE_CORRUPT: commit 9 of context 3: object 2 is no list {context_number=3 commit=9}";

std::string ToldOfList(const std::string& object) {
  StoredChunk chunk;
  return ErrorText(Parsed({"", "", object}).ReadChunk(2, chunk));
}

TEST(StoredChunk, NamesWhatStandsBeforeIt) {
  const std::vector<StoredAddress> slots = {
      {kOwn, 0},    {{3, 8}, 5},     {{3, 1}, 0}, {{3, 7}, RecordNumbers::kIndexMax},
      {{2, 99}, 3}, {{1, 1}, 70000}, {kOwn, 1},   {{3, 8}, 1}};
  for (const unsigned level : {0u, 1u, child_list::kLevelMax}) {
    for (const bool has_hash : {false, true}) {
      const StoredRecord record = Parsed({"", "", List(level, slots, has_hash)});
      StoredChunk chunk;
      chunk.hash.emplace();
      chunk.slots.emplace_back();
      ASSERT_EQ(ErrorText(record.ReadChunk(2, chunk)), "ok");
      EXPECT_EQ(chunk.level, level);
      EXPECT_EQ(chunk.slots, slots);
      EXPECT_EQ(chunk.hash, has_hash ? std::optional(Sha256Of("list")) : std::nullopt);
      std::vector<StoredAddress> objects;
      std::vector<Digest> contents;
      ASSERT_TRUE(record.ReadReferences(2, objects, contents));
      EXPECT_EQ(objects, slots);
      EXPECT_TRUE(contents.empty());
    }
  }
}

TEST(StoredChunk, NamesNothingThatStandsBehindIt) {
  const auto told = [](const StoredAddress& slot) { return ToldOfList(List(0, {slot})); };
  EXPECT_EQ(told({kOwn, 1}), "ok");
  EXPECT_EQ(told({kOwn, 2}), kNoList);
  EXPECT_EQ(told({kOwn, 3}), kNoList);
  EXPECT_EQ(told({{3, 8}, 2}), "ok");
  EXPECT_EQ(told({{3, 10}, 0}), kNoList);
  EXPECT_EQ(told({{3, 0}, 0}), kNoList);
  EXPECT_EQ(told({{2, 10}, 0}), "ok");
  EXPECT_EQ(told({{4, 1}, 0}), kNoList);
  EXPECT_EQ(told({{3, 8}, RecordNumbers::kIndexMax + 1}), kNoList);
}

TEST(StoredChunk, CountsCommitsFromTheOneBefore) {
  const auto told = [](std::uint64_t lead) {
    std::string object = "\x08\0\1"s;
    AppendVarint(lead, object);
    object += '\0';
    const StoredRecord record = Parsed({"", "", object});
    StoredChunk chunk;
    const Status status = record.ReadChunk(2, chunk);
    return status ? chunk.slots.front().record.commit : 0;
  };
  // Folded: 2 is the record itself in other words, 3 one behind it, 4 one before it.
  EXPECT_EQ(told(2), 0);
  EXPECT_EQ(told(3), 0);
  EXPECT_EQ(told(4), 8);
  EXPECT_EQ(told(6), 7);
  EXPECT_EQ(told(18), 1);
  EXPECT_EQ(told(20), 0);
  // No number is so far away that it comes round.
  EXPECT_EQ(told(UINT64_MAX), 0);
  EXPECT_EQ(told(UINT64_MAX - 1), 0);
  EXPECT_EQ(told((std::uint64_t{1} << 33) + 2 + 2), 0);
  EXPECT_EQ(told((std::uint64_t{1} << 33) + 2), 0);
}

// The record's own context is not another one; none that is made later is named at all.
TEST(StoredChunk, NamesAnotherContextOnlyIfItIsOlder) {
  const auto told = [](ContextNumber context) {
    std::string object = "\x08\0\1\1"s;
    AppendVarint(context, object);
    return ToldOfList(object + "\1\0"s);
  };
  EXPECT_EQ(told(1), "ok");
  EXPECT_EQ(told(2), "ok");
  EXPECT_EQ(told(3), kNoList);
  EXPECT_EQ(told(4), kNoList);
}

TEST(StoredChunk, IsOneThatFillsItsObject) {
  const std::string good = List(0, {{kOwn, 0}, {{3, 8}, 1}}, true);
  EXPECT_EQ(ToldOfList(good), "ok");
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_EQ(ToldOfList(good.substr(0, size)), kNoList) << size;
  EXPECT_EQ(ToldOfList(good + "x"), kNoList);
  EXPECT_EQ(ToldOfList(List(0, {})), kNoList);
  EXPECT_EQ(ToldOfList(List(child_list::kLevelMax + 1, {{kOwn, 0}})), kNoList);
  std::string other = good;
  other[0] = 0x07;
  EXPECT_EQ(ToldOfList(other), kNoList);
  StoredChunk chunk;
  EXPECT_FALSE(Parsed({"", "", good}).ReadChunk(3, chunk).has_value());
}

TEST(Record, KnowsCanonicalValues) {
  for (const char* good : {"1", "\"x\"", "null", "[1,\"\\u00e9\"]", "{\"a\":1,\"b\":2}", "1.5"})
    EXPECT_TRUE(record::IsValue(good)) << good;
  for (const char* bad : {"", " ", "1 ", "1.50", "\"\xc3\xa9\"", "{\"b\":1,\"a\":2}", "x", "\"x"})
    EXPECT_FALSE(record::IsValue(bad)) << bad;
}

TEST(Record, FlagsOfANodeThatTheEngineMade) {
  EXPECT_EQ(record::MadeFlags(NodeClass::kCont), Node::kMadeHere);
  EXPECT_EQ(record::MadeFlags(NodeClass::kBlock), Node::kMadeHere & ~Node::kHasChildren);
}

}  // namespace
}  // namespace pactdb

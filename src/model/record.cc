#include "model/record.h"

#include <pactdb/json.h>

#include <algorithm>

#include "base/limits.h"
#include "base/try.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

// An address starts with one of these, or with how many commits before `near` the record lies,
// folded, plus kNear.
enum : std::uint8_t { kSameRecord = 0, kOtherContext = 1, kNear = 2 };

std::uint64_t Fold(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t Unfold(std::uint64_t folded) {
  return static_cast<std::int64_t>(folded >> 1 ^ (~(folded & 1) + 1));
}

// What an address in object `index` of record `own` may name: only what stands before it. `near` is
// the commit that the address counts from, and afterwards its own.
StoredAddress ReadAddress(ByteReader& in, const RecordId& own, std::uint32_t index,
                          CommitNumber& near) {
  StoredAddress address{.record = own, .index = 0};
  const std::uint64_t lead = in.Varint();
  if (lead == kOtherContext) {
    address.record.context = in.Count(UINT32_MAX);
    address.record.commit = in.Count(UINT32_MAX);
    // A fork is made after its origin, and so has the greater number.
    if (address.record.context >= own.context) in.Fail();
  } else if (lead != kSameRecord) {
    const std::int64_t back = Unfold(lead - kNear);
    const bool is_before = back > INT64_C(-0x100000000) && back < INT64_C(0x100000000);
    const std::int64_t commit = is_before ? std::int64_t{near} - back : 0;
    if (commit < 1 || commit >= own.commit) {
      in.Fail();
    } else {
      near = address.record.commit = static_cast<CommitNumber>(commit);
    }
  }
  address.index = in.Count(RecordNumbers::kIndexMax);
  if (lead == kSameRecord && address.index >= index) in.Fail();
  return address;
}

StoredValue ReadValue(ByteReader& in) {
  const std::uint64_t lead = in.Varint();
  if (lead == 1) return {.bytes = {}, .hash = in.ReadDigest()};
  if (lead % 2 != 0) in.Fail();
  const std::string_view bytes = in.Bytes(lead / 2);
  if (!record::IsValue(bytes)) in.Fail();
  return {.bytes = bytes, .hash = std::nullopt};
}

void ReadBody(ByteReader& in, std::uint8_t parts, StoredNode& node) {
  node.content_hash = in.ReadDigest();
  if ((parts & record::kContent) != 0) node.content = ReadValue(in);
  const std::uint32_t count = in.Count(limits::kAttributesMax);
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const std::string_view name = in.Sized();
    // Sorted, so that what is read back is what was written.
    if (!node.attributes.empty() && node.attributes.back().name >= name) in.Fail();
    if (!IsValidUtf8(name)) in.Fail();
    node.attributes.push_back({name, ReadValue(in)});
  }
}

void ReadId(ByteReader& in, std::uint8_t parts, StoredNode& node) {
  if ((parts & record::kMadeId) == 0) {
    const std::string_view id = in.Sized();
    if (id.size() > limits::kIdBytesMax || !IsValidUtf8(id)) in.Fail();
    if (in.ok()) node.id = id;
    return;
  }
  const std::uint8_t code = in.Byte();
  const bool has_index = (code & 1) != 0;
  if (!in.ok() || code >= 2 * MadeId::kTypeCount || node.cycle < 0 ||
      static_cast<std::uint64_t>(node.cycle) > MadeId::kCycleMax ||
      (has_index && (node.creation_index < 0 || node.creation_index > MadeId::kIndexMax))) {
    in.Fail();
    return;
  }
  node.made_id = MadeId{.cycle = static_cast<std::uint64_t>(node.cycle),
                        .index = has_index ? static_cast<std::uint32_t>(node.creation_index) : 0,
                        .has_index = has_index,
                        .type = static_cast<std::uint8_t>(code >> 1)};
}

// `words_bytes`: where in the bytes the list of words is.
RecordHead ReadHead(ByteReader& in, std::string_view bytes, std::string_view& words_bytes) {
  RecordHead head;
  head.cycle = in.Signed();
  head.time_ns = in.Signed();
  const std::size_t words_start = bytes.size() - in.left();
  const std::uint32_t words = in.Count(in.left());
  for (std::uint32_t i = 0; i < words && in.ok(); ++i) head.words.push_back(in.Sized());
  for (const std::string_view word : head.words) {
    if (!IsValidUtf8(word)) in.Fail();
  }
  words_bytes = bytes.substr(words_start, bytes.size() - in.left() - words_start);
  if (in.Byte() != 0) head.sealed = in.Sized();
  if (in.Byte() != 0) head.imported_iso = in.Sized();
  const std::uint32_t departures = in.Count(in.left());
  for (std::uint32_t i = 0; i < departures && in.ok(); ++i) {
    const std::string_view id = in.Sized();
    const std::string_view with = in.Sized();
    const std::uint8_t cause = in.Byte();
    if (cause > static_cast<std::uint8_t>(Departure::Cause::kLast)) in.Fail();
    head.departures.push_back({id, with, static_cast<Departure::Cause>(cause)});
  }
  for (const StoredDeparture& departure : head.departures) {
    if (!IsValidUtf8(departure.id) || !IsValidUtf8(departure.with)) in.Fail();
  }
  head.clock.next_tick_ns = in.Signed();
  if (in.Byte() != 0) head.clock.last_stamp = in.Signed();
  return head;
}

}  // namespace

namespace record {

std::uint32_t MadeFlags(NodeClass node_class) {
  return node_class == NodeClass::kBlock ? Node::kMadeHere & ~Node::kHasChildren
                                         : static_cast<std::uint32_t>(Node::kMadeHere);
}

// Strings are told quickly; of other values there are few.
bool IsValue(std::string_view bytes) {
  if (bytes.starts_with('"')) return IsCanonicalString(bytes);
  const auto json = Json::Parse(bytes);
  return json && json->text() == bytes;
}

void AppendAddress(const StoredAddress& address, const RecordId& own, CommitNumber& near,
                   std::string& out) {
  if (address.record == own) {
    AppendVarint(kSameRecord, out);
  } else if (address.record.context == own.context) {
    AppendVarint(Fold(std::int64_t{near} - address.record.commit) + kNear, out);
    near = address.record.commit;
  } else {
    AppendVarint(kOtherContext, out);
    AppendVarint(address.record.context, out);
    AppendVarint(address.record.commit, out);
  }
  AppendVarint(address.index, out);
}

void AppendHead(const RecordHead& head, std::string& out) {
  out += static_cast<char>(kVersion);
  AppendSigned(head.cycle, out);
  AppendSigned(head.time_ns, out);
  AppendVarint(head.words.size(), out);
  for (const std::string_view word : head.words) AppendSized(word, out);
  const auto optional = [&out](const std::optional<std::string_view>& text) {
    out += static_cast<char>(text ? 1 : 0);
    if (text) AppendSized(*text, out);
  };
  optional(head.sealed);
  optional(head.imported_iso);
  AppendVarint(head.departures.size(), out);
  for (const StoredDeparture& departure : head.departures) {
    AppendSized(departure.id, out);
    AppendSized(departure.with, out);
    out += static_cast<char>(departure.cause);
  }
  AppendSigned(head.clock.next_tick_ns, out);
  out += static_cast<char>(head.clock.last_stamp ? 1 : 0);
  if (head.clock.last_stamp) AppendSigned(*head.clock.last_stamp, out);
}

}  // namespace record

Error StoredRecord::Corrupt(std::string_view what) const {
  return Error(ErrorCode::kStoreCorrupt, "commit " + std::to_string(id_.commit) + " of context " +
                                             std::to_string(id_.context) + ": " + std::string(what))
      .With("context_number", static_cast<std::int64_t>(id_.context))
      .With("commit", static_cast<std::int64_t>(id_.commit));
}

Result<StoredRecord> StoredRecord::Parse(std::string bytes, const RecordId& id) {
  StoredRecord parsed;
  parsed.id_ = id;
  parsed.bytes_ = std::make_unique<std::string>(std::move(bytes));
  ByteReader in(*parsed.bytes_);
  const std::uint8_t version = in.Byte();
  if (in.ok() && version != record::kVersion)
    return std::unexpected(parsed.Corrupt("its record is of an unknown version"));
  parsed.head_ = ReadHead(in, *parsed.bytes_, parsed.words_bytes_);
  parsed.table_ = parsed.bytes_->size() - in.left();
  const std::uint32_t count = in.Count(std::min<std::size_t>(in.left(), RecordNumbers::kIndexMax));
  parsed.ends_.reserve(count);
  std::uint64_t end = 0;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    end += in.Count(UINT32_MAX);
    if (end > parsed.bytes_->size()) in.Fail();
    parsed.ends_.push_back(static_cast<std::uint32_t>(end));
  }
  if (!in.ok() || count == 0 || in.left() != end)
    return std::unexpected(parsed.Corrupt("its record is cut short or damaged"));
  parsed.objects_ = parsed.bytes_->size() - end;
  return parsed;
}

std::string_view StoredRecord::object(std::uint32_t index) const {
  const std::uint32_t start = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(*bytes_).substr(objects_ + start, ends_[index] - start);
}

Status StoredRecord::ReadNode(std::uint32_t index, StoredNode& node) const {
  node.attributes.clear();
  node.content.reset();
  node.made_id.reset();
  node.id = {};
  node.children.reset();
  ByteReader in(index < object_count() ? object(index) : std::string_view());
  const std::uint8_t kind = in.Byte();
  const std::uint8_t parts = in.Byte();
  if (kind > static_cast<std::uint8_t>(NodeClass::kBlock)) in.Fail();
  node.node_class = static_cast<NodeClass>(kind);
  node.flags = record::MadeFlags(node.node_class);
  if ((parts & record::kOddFlags) != 0) node.flags = in.Count(record::kStoredFlags);
  node.offset = in.Signed();
  // Differences wrap, as they did when they were taken.
  node.cycle = static_cast<std::int64_t>(static_cast<std::uint64_t>(head_.cycle) +
                                         static_cast<std::uint64_t>(in.Signed()));
  node.created_at_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(head_.time_ns) +
                                                 static_cast<std::uint64_t>(in.Signed()));
  node.creation_index = in.Signed();
  ReadId(in, parts, node);
  for (std::uint32_t* word : {&node.type, &node.role, &node.kind})
    *word = in.Count(head_.words.size());
  if (node.type == 0) in.Fail();  // the one word that every node has
  node.priority = (parts & record::kPriority) != 0 ? in.Signed() : 0;
  node.expiry = (parts & record::kExpiry) != 0 ? in.Varint() : kNoExpiry;
  node.has_body = (parts & record::kBody) != 0;
  if (node.has_body) ReadBody(in, parts, node);
  if (node.node_class != NodeClass::kBlock) {
    node.digest = in.ReadDigest();
    CommitNumber near = id_.commit;
    if ((parts & record::kChildren) != 0) node.children = ReadAddress(in, id_, index, near);
  }
  if (in.ok() && in.at_end()) return {};
  return std::unexpected(Corrupt("object " + std::to_string(index) + " is no node"));
}

Status StoredRecord::ReadChunk(std::uint32_t index, StoredChunk& chunk) const {
  chunk.slots.clear();
  chunk.hash.reset();
  ByteReader in(index < object_count() ? object(index) : std::string_view());
  if (in.Byte() != record::kChunkObject) in.Fail();
  const std::uint32_t lead = in.Count(2 * child_list::kLevelMax + 1);
  chunk.level = lead / 2;
  const std::uint32_t count = in.Count(in.left());
  chunk.slots.reserve(count);
  CommitNumber near = id_.commit;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i)
    chunk.slots.push_back(ReadAddress(in, id_, index, near));
  if (lead % 2 != 0) chunk.hash = in.ReadDigest();
  if (in.ok() && in.at_end() && count > 0) return {};
  return std::unexpected(Corrupt("object " + std::to_string(index) + " is no list"));
}

Status StoredRecord::ReadReferences(std::uint32_t index, std::vector<StoredAddress>& objects,
                                    std::vector<Digest>& contents) const {
  const std::string_view bytes = object(index);
  if (!bytes.empty() && bytes[0] == record::kChunkObject) {
    StoredChunk chunk;
    PACTDB_TRY_STATUS(ReadChunk(index, chunk));
    objects.insert(objects.end(), chunk.slots.begin(), chunk.slots.end());
    return {};
  }
  StoredNode node;
  PACTDB_TRY_STATUS(ReadNode(index, node));
  if (node.children) objects.push_back(*node.children);
  if (node.content && node.content->hash) contents.push_back(*node.content->hash);
  for (const StoredAttribute& attribute : node.attributes) {
    if (attribute.value.hash) contents.push_back(*attribute.value.hash);
  }
  return {};
}

std::string StoredRecord::Without(const std::vector<bool>& keeps) const {
  std::string out = bytes_->substr(0, table_);
  AppendVarint(object_count(), out);
  for (std::uint32_t i = 0; i < object_count(); ++i)
    AppendVarint(keeps[i] ? object(i).size() : 0, out);
  for (std::uint32_t i = 0; i < object_count(); ++i) {
    if (keeps[i]) out += object(i);
  }
  return out;
}

}  // namespace pactdb

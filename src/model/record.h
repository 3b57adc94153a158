// What a commit stores: the nodes and chunks that no earlier record has (docs/format/record.md).
//
// A record is a header and a numbered list of objects. Objects refer to each other by address; one
// that was stored by an earlier commit is referred to and not written again, so a record is as long
// as what the commit changed. An object stands behind everything it refers to: later in the list,
// or in a later record. So the objects of a store form no circle, and the root is a record's last
// object.
//
// This file has the parts, as bytes and as values; record_writer.h makes a record from a tree and
// tree_loader.h a tree from records.
//
// Thread safety: values.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/body.h"
#include "model/byte_code.h"
#include "model/history.h"
#include "model/made_id.h"
#include "model/node.h"
#include "model/stored_at.h"

namespace pactdb {

// A value of content or of an attribute: the bytes, or where they are kept.
struct StoredValue {
  std::string_view bytes;
  std::optional<Digest> hash;  // then `bytes` is empty

  // Values longer than this are kept once in the store, by hash.
  static constexpr std::size_t kInlineBytesMax = 1024;
};

struct StoredAttribute {
  std::string_view name;
  StoredValue value;
};

struct StoredNode {
  NodeClass node_class = NodeClass::kBlock;
  std::optional<MadeId> made_id;
  std::string_view id;  // if it was not made by the engine
  std::uint32_t flags = 0;
  std::int64_t offset = 0;
  std::int64_t cycle = 0;
  std::int64_t created_at_ns = 0;
  std::int64_t creation_index = 0;
  std::int64_t priority = 0;
  std::uint64_t expiry = kNoExpiry;
  // Numbers of words of the record, from 1; 0: none.
  std::uint32_t type = 0;
  std::uint32_t role = 0;
  std::uint32_t kind = 0;
  bool has_body = false;
  Digest content_hash{};
  std::optional<StoredValue> content;
  std::vector<StoredAttribute> attributes;
  // Of containers.
  Digest digest{};
  std::optional<StoredAddress> children;
};

struct StoredChunk {
  unsigned level = 0;
  std::vector<StoredAddress> slots;
  std::optional<Digest> hash;
};

// Why a commit took a node, by ids: the nodes are gone.
struct StoredDeparture {
  std::string_view id;
  std::string_view with;  // empty: itself
  Departure::Cause cause = Departure::Cause::kExpired;
};

// The header of a record.
struct RecordHead {
  std::int64_t cycle = 0;
  std::int64_t time_ns = 0;  // the objects' times count from here
  std::vector<std::string_view> words;
  std::optional<std::string_view> sealed;        // id of the turn; none for an import
  std::optional<std::string_view> imported_iso;  // CommitNotes
  std::vector<StoredDeparture> departures;
  ClockPosition clock;
};

// A record in memory, taken apart as far as its objects.
class StoredRecord {
 public:
  // Errors: kStoreCorrupt, as of everything here.
  static Result<StoredRecord> Parse(std::string bytes, const RecordId& id);
  StoredRecord(StoredRecord&&) = default;
  StoredRecord& operator=(StoredRecord&&) = default;

  const RecordId& id() const { return id_; }
  const RecordHead& head() const { return head_; }
  // The list of words as it is stored.
  std::string_view words_bytes() const { return words_bytes_; }
  std::uint32_t object_count() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::size_t size() const { return bytes_->size(); }
  std::uint32_t root() const { return object_count() - 1; }
  // Its bytes; none if retention took it.
  std::string_view object(std::uint32_t index) const;

  // Of one that cannot be read, `node` has the id if the bytes are good as far as that.
  Status ReadNode(std::uint32_t index, StoredNode& node) const;
  Status ReadChunk(std::uint32_t index, StoredChunk& chunk) const;
  // Everything the object refers to.
  Status ReadReferences(std::uint32_t index, std::vector<StoredAddress>& objects,
                        std::vector<Digest>& contents) const;

  // The record without the objects for which `keeps` is false; the others keep their numbers.
  std::string Without(const std::vector<bool>& keeps) const;

  Error Corrupt(std::string_view what) const;

 private:
  StoredRecord() = default;
  std::unique_ptr<std::string> bytes_;  // views into it survive a move
  RecordId id_;
  RecordHead head_;
  std::string_view words_bytes_;
  std::size_t table_ = 0;            // where the list of sizes starts
  std::size_t objects_ = 0;          // where the first object starts
  std::vector<std::uint32_t> ends_;  // of the objects, from objects_
};

namespace record {

inline constexpr std::uint8_t kVersion = 1;

// First byte of an object.
enum : std::uint8_t { kChunkObject = 0x08 };  // else a node: its class in the lower three bits

// Parts of a node that are there, in the object's second byte. On disk: never renumber.
enum Part : std::uint8_t {
  kMadeId = 1,
  kOddFlags = 2,  // flags that are not MadeFlags
  kBody = 4,
  kExpiry = 8,
  kPriority = 16,
  kContent = 32,
  kChildren = 64,
};

// Flags that a stored node has. The others are of the moment, or follow from the rest.
inline constexpr std::uint32_t kStoredFlags =
    ((1u << Node::kClassShift) - 1) & ~(Node::kStale | Node::kKeyed | Node::kAttributed);
// True if the bytes are canonical JSON.
bool IsValue(std::string_view bytes);

// What a node that the engine made has.
std::uint32_t MadeFlags(NodeClass node_class);

// `near` is the commit that the address counts from, at first the record's own; it moves along.
void AppendAddress(const StoredAddress& address, const RecordId& own, CommitNumber& near,
                   std::string& out);
void AppendHead(const RecordHead& head, std::string& out);

}  // namespace record

}  // namespace pactdb

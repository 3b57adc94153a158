// Makes the tree of a commit from records.
//
// Loading follows addresses from the record's root. With a newer tree of the same context at hand,
// everything both have is taken from it, so that loading the snapshot before one that is loaded
// costs what the commit between them changed. LoadFar does the same with a newer tree that is many
// commits away.
//
// The bytes were checked by the store, but a file can also be made on purpose: nothing in a record
// is believed that could lead outside of it, into a circle, to more nodes than the commit says it
// has, or to the same object twice: what is made of a file is never more than the file. Errors:
// kStoreCorrupt, and those of the source.
//
// Thread safety: the context's writer.
#pragma once

#include <pactdb/error.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/child_list.h"
#include "model/record.h"
#include "model/stored_at.h"
#include "model/tree_view.h"

namespace pactdb {

// Where records and contents come from; the engine has one over a store.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // Good until the next call.
  virtual Result<const StoredRecord*> Record(const RecordId& id) = 0;
  virtual Result<std::string> Content(const Digest& hash) = 0;
};

class TreeLoader {
 public:
  TreeLoader(Lexicon& lexicon, RecordNumbers& numbers, RecordSource& source)
      : lexicon_(lexicon), numbers_(numbers), source_(source) {}

  // The root of the record's tree, which has at most `nodes_max` nodes. `newer` may be null.
  Result<Ref<Container>> Load(const RecordId& id, std::size_t nodes_max, const Container* newer);
  // The same where `newer` is far: linear in what the two do not share, and in the lists of `newer`
  // that the record's tree has in another state. Load looks at no more of these than it must, but
  // for every chunk that is not shared once more.
  Result<Ref<Container>> LoadFar(const RecordId& id, std::size_t nodes_max, const TreeView& newer);

  // The nodes that the last Load made, parents before children; all others were in `newer`.
  template <typename Visitor>
  void ForEachMade(Visitor&& visit) const {
    for (const Made& made : made_) visit(*made.node);
  }

 private:
  using Frontier = std::vector<const Chunk*>;
  // Every slot of a list, by where it is stored.
  class Known {
   public:
    explicit Known(const Chunk& list);
    // The slot in a chunk of this level; nothing if the list has no such.
    std::optional<Chunk::Slot> Find(unsigned level, std::uint64_t stored_at) const;
    std::size_t size() const { return nodes_.size(); }

   private:
    std::unordered_map<std::uint64_t, Node*> nodes_;
    std::unordered_map<std::uint64_t, Chunk*> chunks_;
  };
  // What a list can be shared with, near or far.
  struct Newer {
    Frontier frontier;
    std::shared_ptr<const Known> known;
  };
  // Of a chunk's slots those that the newer list has, and what of that one is left for the rest.
  struct Sharing {
    std::vector<std::optional<Chunk::Slot>> slots;  // as many as the chunk's, or none
    Newer below;
    std::vector<const Node*> nodes_below;
  };

  // Objects of a record that the tree has. Most records have few, and need no memory of their own.
  struct Claims {
    static constexpr std::uint32_t kFirst = 64;
    // False if it is there already. REQUIRES: index < objects.
    bool Add(std::uint32_t index, std::uint32_t objects);
    std::uint64_t first = 0;   // a bit each
    std::vector<bool> others;  // from kFirst on
  };

  static constexpr std::uint32_t kNoParent = UINT32_MAX;
  // A node that was made, and what it needs to get its numbers: they are given at the end, because
  // the table of ids wants the engine's own in their order.
  struct Made {
    Node* node;
    std::uint32_t parent;  // in made_
    NodeClass node_class;  // here too, to be looked at without the node
    std::uint64_t name;    // MadeId::Pack, or kIsText and a place in texts_
  };
  static constexpr std::uint64_t kIsText = std::uint64_t{1} << 63;

  Result<Ref<Node>> LoadNode(const StoredAddress& address, std::uint32_t parent,
                             std::span<const Node* const> newer);
  Result<Ref<Node>> MakeNodeOf(const StoredRecord& record, const StoredNode& stored);
  Status LoadBody(const StoredNode& stored, Node& node);
  Result<std::string_view> ValueOf(const StoredValue& value);
  Result<Ref<Container>> LoadRoot(const RecordId& id, std::size_t nodes_max,
                                  const Container* newer);
  Result<Chunk*> LoadChildren(const StoredNode& stored, std::uint32_t place,
                              std::span<const Node* const> newer);
  Result<Chunk*> LoadList(const StoredAddress& address, std::uint32_t parent, unsigned level_max,
                          Newer newer);
  Sharing Share(const StoredChunk& stored, Newer newer);
  // Notes that the tree has this object. `objects` is how many its record has, or at least one more
  // than its place. REQUIRES: its record has it.
  Status Claim(const StoredAddress& address, std::uint32_t objects);
  Status CheckPlaces() const;
  Status GiveNumbers();
  Status CheckOrder() const;
  const Node* Counterpart(const StoredNode& stored, std::span<const Node* const> newer) const;
  const Node* FarCounterpart(const StoredNode& stored) const;
  // Kept for the next far snapshot if it was long work, of a tree's lists the longest.
  std::shared_ptr<const Known> KnownOf(const Chunk& list);
  void MapWords(const StoredRecord& record);
  Error Corrupt(const StoredAddress& address, std::string_view what) const;

  Lexicon& lexicon_;
  RecordNumbers& numbers_;
  RecordSource& source_;
  const TreeView* far_ = nullptr;  // while a far tree is loaded: the newer one
  Ref<Chunk> long_list_;
  std::shared_ptr<const Known> known_of_long_list_;
  bool is_long_list_new_ = false;  // it is one of the tree at hand
  std::size_t nodes_left_ = 0;
  std::size_t depth_ = 0;
  RecordId first_;  // what is being loaded
  std::vector<Made> made_;
  // Objects that the tree has, by the number of their record.
  std::unordered_map<std::uint64_t, Claims> claimed_;
  std::uint64_t last_record_ = 0;  // neighbours mostly are of one record
  Claims* last_claimed_ = nullptr;
  std::vector<std::string> texts_;
  // Chunks that were made and whose order is still to be checked, of level 0 and above; held by the
  // tree in the making.
  std::vector<std::pair<const Chunk*, StoredAddress>> leaves_;
  std::vector<std::pair<const Chunk*, StoredAddress>> inner_;
  // Words of the record that was looked at last, as the lexicon numbers them.
  RecordId words_of_;
  std::string words_bytes_;
  std::vector<WordNumber> words_;
  std::vector<std::string> values_;  // of the node being made, if they are kept elsewhere
};

}  // namespace pactdb

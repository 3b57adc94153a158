// Writes what a commit has that no earlier record has.
//
// A node or chunk that is stored says so itself (stored_at). The writer goes down from the root,
// turns back at what is stored, and writes the rest, children first. Its cost is what the commit
// changed.
//
// Nothing is marked as stored before the store has accepted the record: then MarkStored.
//
// Thread safety: the context's writer.
#pragma once

#include <pactdb/error.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/number_map.h"
#include "model/history.h"
#include "model/record.h"
#include "model/stored_at.h"

namespace pactdb {

// What one record can hold.
struct RecordBounds {
  std::size_t objects = RecordNumbers::kIndexMax;
  std::size_t bytes = limits::kRecordBytesMax;
};

class RecordWriter {
 public:
  RecordWriter(const Lexicon& lexicon, RecordNumbers& numbers, const RecordId& own,
               const RecordBounds& bounds = {})
      : lexicon_(lexicon), numbers_(numbers), own_(own), bounds_(bounds) {}

  // The record of a commit whose tree is refreshed. Errors: kLimitExceeded, of a commit that one
  // record cannot hold.
  Result<std::string> Write(const CommitRecord& commit);

  // Contents that the record names by hash, each once; views into the tree.
  const std::vector<StoredContent>& contents() const { return contents_; }
  // Ids, new in this commit, that the engine did not make.
  const std::vector<std::string>& given_ids() const { return given_ids_; }

  // The store has it; or no longer, because what it was part of failed.
  void MarkStored();
  void UnmarkStored();

 private:
  StoredAddress WriteNode(const Node& node);
  StoredAddress WriteList(const Chunk& chunk);
  void AppendNode(const Node& node, const std::optional<StoredAddress>& children);
  void AppendBody(const Body& body);
  void AppendValue(std::string_view value);
  void AppendWord(WordNumber word);
  StoredAddress EndObject();
  // Then nothing more is written, and what there is of the record is of no use.
  bool is_full() const { return ends_.size() > bounds_.objects || objects_.size() > bounds_.bytes; }
  Error TooLarge() const;
  std::vector<StoredDeparture> Departures(const CommitRecord& commit);

  const Lexicon& lexicon_;
  RecordNumbers& numbers_;
  RecordId own_;
  RecordBounds bounds_;
  std::int64_t cycle_ = 0;
  std::int64_t time_ns_ = 0;
  std::string objects_;
  std::vector<std::uint32_t> ends_;
  std::vector<WordNumber> words_;
  NumberMap<std::uint32_t> word_places_;  // in words_, from 1
  std::vector<StoredAddress> slots_;      // of the lists that are being written, outermost first
  // Written, with their places. Held by the commit.
  std::vector<std::pair<Node*, std::uint32_t>> nodes_;
  std::vector<std::pair<Chunk*, std::uint32_t>> chunks_;
  std::vector<StoredContent> contents_;
  std::set<Digest> content_hashes_;
  std::vector<std::string> given_ids_;
  bool is_import_ = false;
  std::vector<std::string> kept_ids_;  // of departures; the header has views
};

}  // namespace pactdb

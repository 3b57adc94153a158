// The journal: the edits of a context since its newest commit, so that a process that ends without
// one can be gone on from. Off unless configured.
//
// An entry is a JSON object: an edit with its arguments and what it took from the host, or the
// state that the following edits were made in (configuration and clock). Applying the entries to
// the newest snapshot gives the same nodes, ids and stamps. A commit empties the journal.
//
// Entries are written after the edit, each operation's together, and are not synced. If they cannot
// be written the edit stands, and the next one is refused until they can.
//
// Thread safety: the context's writer.
#pragma once

#include <pactdb/context.h>
#include <pactdb/host.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/node_fields.h"
#include "engine/stamper.h"
#include "text/json_out.h"

namespace pactdb {

// Gives what it is told to give, then what the real host has, and notes what was taken.
class JournalHost final : public Host {
 public:
  explicit JournalHost(std::shared_ptr<Host> host) : host_(std::move(host)) {}
  const std::shared_ptr<Host>& inner() const { return host_; }
  std::int64_t NowNs() override;
  std::uint32_t RandomBits() override;

  // From now on, until End: these first, and nothing noted yet.
  void Begin(std::vector<std::int64_t> now = {}, std::vector<std::uint32_t> random = {});
  // What is taken from now on is no edit's.
  void End() { is_noting_ = false; }
  const std::vector<std::int64_t>& now() const { return taken_now_; }
  const std::vector<std::uint32_t>& random() const { return taken_random_; }

 private:
  std::shared_ptr<Host> host_;
  bool is_noting_ = false;
  std::deque<std::int64_t> given_now_;
  std::deque<std::uint32_t> given_random_;
  std::vector<std::int64_t> taken_now_;
  std::vector<std::uint32_t> taken_random_;
};

// One edit.
struct Edit {
  enum class Kind : std::uint8_t {
    kAdd,
    kUpdate,
    kReplace,
    kMove,
    kRemove,
    kRemoveSelected,
    kPin,
    kUnpin
  };
  Kind kind = Kind::kAdd;
  std::string_view id;  // of kRemoveSelected the selector
  const NodeSpec* node = nullptr;
  AttributeNames names = AttributeNames::kOwn;
  // Where it goes: of kAdd and kMove.
  std::optional<std::string> parent;
  std::optional<std::string> at;
  std::optional<InsertionMark> mark;
  std::optional<std::int64_t> offset;
};

std::string EditEntry(const Edit& edit, const JournalHost& host);
std::string StateEntry(const Options& options, const StamperState& stamper);

// An entry, read.
struct JournalEntry {
  // A state.
  std::optional<Options> options;
  StamperState stamper;
  // Or an edit; the views in it point here.
  Edit edit;
  std::string id;
  NodeSpec node;
  std::vector<std::int64_t> now;
  std::vector<std::uint32_t> random;
};
// Errors: kStoreCorrupt.
Result<std::unique_ptr<JournalEntry>> ParseEntry(std::string_view json);

}  // namespace pactdb

#include "model/history.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/clock.h"
#include "base/try.h"

namespace pactdb {
namespace {

Error MalformedAddress(std::string_view address) {
  return Error(ErrorCode::kRequestInvalid,
               "'" + std::string(address) + "' is not a snapshot name; use @t0, @t-N, @cN or a tag")
      .With("snapshot", address);
}

Error NoSuchSnapshot(std::string_view address) {
  return Error(ErrorCode::kSnapshotNotFound, "there is no snapshot " + std::string(address))
      .With("snapshot", address);
}

// Digits only, at least one; saturates, because a number too large names no snapshot anyway.
std::optional<std::int64_t> ParseDigits(std::string_view digits) {
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::int64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return parsed.ec == std::errc() ? value : INT64_MAX;
}

}  // namespace

CommitRecord::~CommitRecord() {
  delete thread_sha256.load(std::memory_order_relaxed);
}

std::optional<std::string> CommitRecord::CommittedAtIso() const {
  if (sealed != kNoNode) return FormatIso(committed_at_ns);
  return notes ? notes->imported_iso : std::nullopt;
}

const Departure* CommitRecord::FindDeparture(NodeNumber number) const {
  if (!notes) return nullptr;
  const auto found = std::ranges::lower_bound(notes->departures, number, {}, &Departure::node);
  return found != notes->departures.end() && found->node == number ? &*found : nullptr;
}

const Node* CommitRecord::Find(NodeNumber number) const {
  for (const Node* node : fixed) {
    if (node != nullptr && node->number == number) return node;
  }
  return far_nodes == nullptr ? lexicon->VersionAt(number, ordinal) : far_nodes->Find(number);
}

void CommitRecord::NoteFixed() {
  fixed = {root.get(), nullptr, nullptr, nullptr};
  for (ChildCursor child(*root); child.get() != nullptr; child.Next()) {
    fixed[static_cast<std::size_t>(child.get()->node_class())] = child.get();
  }
  nodes =
      child_list::Below(*root).nodes - static_cast<std::uint32_t>(child_list::Size(root->children));
}

History::History(CommitRecord* newest, std::unique_ptr<PastSource> past)
    : own_from_(newest->ordinal), shared_from_(newest->ordinal), past_(std::move(past)) {
  records_.emplace_back(newest);
  Publish();
}

History::History(std::shared_ptr<const History> parent, Ordinal fork_point,
                 std::unique_ptr<PastSource> past)
    : parent_(std::move(parent)),
      own_from_(fork_point + 1),
      shared_from_(parent_->loaded_from()),
      past_(std::move(past)) {
  PACTDB_CHECK(fork_point < parent_->size() && !parent_->IsShared(fork_point));
  PACTDB_CHECK(shared_from_ == 0 || past_ != nullptr);
  Publish();
}

History::~History() {
  for (std::size_t i = 0; i < records_.size(); ++i) Release(records_[i]);
  for (std::size_t i = 0; i < past_records_.size(); ++i) Release(past_records_[i]);
  for (const CommitRecord* record : far_records_) Release(record);
}

const CommitRecord& History::at(std::size_t ordinal) const {
  const History* owner = this;
  while (owner->IsShared(ordinal)) owner = owner->parent_.get();
  if (ordinal >= owner->own_from_) return *owner->records_[ordinal - owner->own_from_];
  return *owner->past_records_[owner->shared_from_ - 1 - ordinal];
}

std::shared_ptr<const History> History::OwnerOf(std::shared_ptr<const History> history,
                                                std::size_t ordinal) {
  while (history->IsShared(ordinal)) history = history->parent_;
  return history;
}

Status History::Need(std::size_t ordinal) const {
  while (loaded_from() > ordinal) {
    PACTDB_TRY(CommitRecord * record, past_->LoadBefore(at(loaded_from())));
    PACTDB_CHECK(record->ordinal + 1 == loaded_from());
    past_records_.emplace_back(record);
  }
  return {};
}

std::vector<CommitRecord*>::iterator History::FarPlace(std::size_t ordinal) const {
  return std::ranges::lower_bound(far_records_, ordinal, {}, &CommitRecord::ordinal);
}

bool History::IsFar(std::size_t ordinal) const {
  const std::size_t loaded = loaded_from();
  return ordinal + kNear < loaded && far_nodes_paid_ <= kNodesPerCommit * (loaded - ordinal);
}

Result<CommitRecord*> History::LoadFar(std::size_t ordinal, const CommitRecord& newer) const {
  PACTDB_TRY(CommitRecord * record, past_->LoadFar(ordinal, newer));
  far_records_.insert(FarPlace(ordinal), record);
  const std::size_t nodes = record->far_nodes->own_nodes();
  far_nodes_ += nodes;
  if (!newer.is_far()) far_nodes_paid_ += nodes;
  return record;
}

Result<const CommitRecord*> History::Find(std::size_t ordinal) const {
  if (ordinal >= loaded_from()) return &at(ordinal);
  const auto far = FarPlace(ordinal);
  if (far != far_records_.end() && (*far)->ordinal == ordinal) return *far;
  // Near a far one it is few steps away.
  if (far != far_records_.end() && (*far)->ordinal <= ordinal + kNear &&
      (*far)->ordinal < loaded_from()) {
    const CommitRecord* record = *far;
    while (record->ordinal > ordinal) {
      PACTDB_TRY(record, LoadFar(record->ordinal - 1, *record));
    }
    return record;
  }
  if (IsFar(ordinal)) return LoadFar(ordinal, at(loaded_from()));
  PACTDB_TRY_STATUS(Need(ordinal));
  return &at(ordinal);
}

Status History::Reach(std::size_t oldest, std::size_t newest) const {
  // Going through those behind them costs no more than going through them.
  if (newest + (newest - oldest) >= loaded_from()) return Need(oldest);
  for (std::size_t ordinal = newest + 1; ordinal-- > oldest;) {
    const auto newer = FarPlace(ordinal);
    const bool is_there = newer != far_records_.end() && (*newer)->ordinal == ordinal;
    if (ordinal >= loaded_from() || is_there) continue;
    const bool is_step =
        ordinal < newest && newer != far_records_.end() && (*newer)->ordinal == ordinal + 1;
    if (is_step) {
      PACTDB_TRY_STATUS(LoadFar(ordinal, **newer));
    } else {
      PACTDB_TRY_STATUS(Find(ordinal));
    }
  }
  return {};
}

void History::DropFar() const {
  const bool are_many = far_nodes_ > kFarNodesMax;
  std::erase_if(far_records_, [&](CommitRecord* record) {
    if (!are_many && record->ordinal < loaded_from()) return false;
    far_nodes_ -= record->far_nodes->own_nodes();
    Release(record);
    return true;
  });
}

Result<CommitLine> History::Line(std::size_t ordinal) const {
  if (ordinal < loaded_from()) return past_->Line(ordinal);
  if (ordinal >= size()) return std::unexpected(NoSuchSnapshot(std::to_string(ordinal)));
  const CommitRecord& record = at(ordinal);
  return CommitLine{.cycle = record.cycle,
                    .committed_at_iso = record.CommittedAtIso(),
                    .added = record.added,
                    .removed = record.removed,
                    .changed = record.changed,
                    .nodes = record.nodes};
}

std::size_t History::LowerBound(std::uint64_t cycle) const {
  std::size_t low = loaded_from();
  std::size_t high = size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (static_cast<std::uint64_t>(at(middle).cycle) < cycle) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Result<std::size_t> History::FirstFrom(std::int64_t cycle) const {
  if (cycle < 0) return 0;
  const std::size_t found = LowerBound(static_cast<std::uint64_t>(cycle));
  if (found > loaded_from() || found == 0 || at(found).cycle == cycle) return found;
  // Whatever a store says, the first one that is loaded is later than `cycle`.
  PACTDB_TRY(const std::size_t stored, past_->LowerBound(cycle));
  return std::min(stored, found);
}

Result<const CommitRecord*> History::FindCycle(std::int64_t cycle) const {
  if (cycle < 0) return nullptr;
  // Without a word to the store: of a snapshot that is there, many nodes may be asked for.
  const auto far = std::ranges::lower_bound(far_records_, cycle, {}, &CommitRecord::cycle);
  const bool is_there = far != far_records_.end() && (*far)->cycle == cycle;
  if (is_there && (*far)->ordinal < loaded_from()) return *far;
  PACTDB_TRY(const std::size_t found, FirstFrom(cycle));
  if (found == size()) return nullptr;
  PACTDB_TRY(const CommitLine line, Line(found));
  if (line.cycle != cycle) return nullptr;
  return Find(found);
}

Result<const CommitRecord*> History::Resolve(std::string_view address) const {
  if (!address.starts_with('@')) {
    const auto tagged = tags_.Find(address);
    if (!tagged) return std::unexpected(NoSuchSnapshot(address));
    return Find(*tagged);
  }
  if (address.size() < 3) return std::unexpected(MalformedAddress(address));
  std::string_view rest = address.substr(2);
  const bool is_relative = address[1] == 't';
  if (!is_relative && address[1] != 'c') return std::unexpected(MalformedAddress(address));
  const bool is_signed = is_relative && (rest[0] == '-' || rest[0] == '+');
  const bool is_back = is_relative && rest[0] == '-';
  if (is_signed) rest.remove_prefix(1);
  const auto number = ParseDigits(rest);
  if (!number) return std::unexpected(MalformedAddress(address));
  const CommitRecord* record = nullptr;
  if (!is_relative) {
    PACTDB_TRY(record, FindCycle(*number));
  } else if (*number == 0 || is_back) {
    const std::size_t count = size();
    if (static_cast<std::uint64_t>(*number) < count) {
      PACTDB_TRY(record, Find(count - 1 - static_cast<std::size_t>(*number)));
    }
  }
  if (record == nullptr) return std::unexpected(NoSuchSnapshot(address));
  return record;
}

void History::Append(CommitRecord* record) {
  PACTDB_CHECK(record->ordinal == size());
  records_.emplace_back(record);
}

void History::DropLast() {
  PACTDB_CHECK(last() != newest());
  Release(records_[records_.size() - 1]);
  records_.pop_back();
}

}  // namespace pactdb

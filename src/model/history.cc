#include "model/history.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/clock.h"

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
  return lexicon->VersionAt(number, ordinal);
}

void CommitRecord::NoteFixed() {
  fixed = {root.get(), nullptr, nullptr, nullptr};
  for (ChildCursor child(*root); child.get() != nullptr; child.Next()) {
    fixed[static_cast<std::size_t>(child.get()->node_class())] = child.get();
  }
  nodes =
      child_list::Below(*root).nodes - static_cast<std::uint32_t>(child_list::Size(root->children));
}

History::History(std::shared_ptr<const History> parent, Ordinal fork_point, Tags tags)
    : parent_(std::move(parent)), inherited_(fork_point + 1), tags_(std::move(tags)) {
  PACTDB_CHECK(fork_point >= parent_->inherited_ && fork_point < parent_->size());
  newest_.store(last(), std::memory_order_relaxed);
}

History::~History() {
  for (std::size_t i = 0; i < records_.size(); ++i) Release(records_[i]);
}

std::size_t History::LowerBound(std::uint64_t cycle) const {
  std::size_t low = 0;
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

const CommitRecord* History::FindCycle(std::int64_t cycle) const {
  if (cycle < 0) return nullptr;
  const std::size_t found = LowerBound(static_cast<std::uint64_t>(cycle));
  return found < size() && at(found).cycle == cycle ? &at(found) : nullptr;
}

Result<const CommitRecord*> History::Resolve(std::string_view address) const {
  if (!address.starts_with('@')) {
    const auto tagged = tags_.Find(address);
    if (!tagged) return std::unexpected(NoSuchSnapshot(address));
    return &at(*tagged);
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
    record = FindCycle(*number);
  } else if (*number == 0 || is_back) {
    const std::size_t count = size();
    if (static_cast<std::uint64_t>(*number) < count) {
      record = &at(count - 1 - static_cast<std::size_t>(*number));
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

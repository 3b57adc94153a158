#include "model/tags.h"

#include <algorithm>

#include "base/limits.h"

namespace pactdb {

Status CheckTagName(std::string_view name) {
  const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20; };
  const bool is_name = !name.empty() && name.size() <= limits::kTagNameBytesMax &&
                       name != "working" && name.find('@') == std::string_view::npos &&
                       std::ranges::none_of(name, is_control);
  if (is_name) return {};
  return std::unexpected(Error(ErrorCode::kRequestInvalid,
                               "a tag is 1 to 128 bytes without @ and control characters, and not "
                               "'working'")
                             .With("name", name));
}

std::optional<Ordinal> Tags::Find(std::string_view name) const {
  if (table_ == nullptr) return std::nullopt;
  const auto found = table_->by_name.find(name);
  if (found == table_->by_name.end() || found->second > last_) return std::nullopt;
  return found->second;
}

std::vector<std::string> Tags::Of(Ordinal commit) const {
  std::vector<std::string> names;
  if (table_ == nullptr || commit > last_) return names;
  auto tag = table_->by_commit.lower_bound({commit, std::string()});
  for (; tag != table_->by_commit.end() && tag->first == commit; ++tag)
    names.push_back(tag->second);
  return names;
}

Tags::Table& Tags::Own() {
  if (table_ != nullptr && !is_shared_) return *table_;
  auto own = std::make_shared<Table>();
  ForEach([&own](const std::string& name, Ordinal commit) {
    own->by_name.emplace_hint(own->by_name.end(), name, commit);
    own->by_commit.emplace(commit, name);
  });
  table_ = std::move(own);
  is_shared_ = false;
  last_ = kNever;
  return *table_;
}

void Tags::Set(std::string_view name, Ordinal commit) {
  Remove(name);
  Table& table = Own();
  table.by_name.emplace(name, commit);
  table.by_commit.emplace(commit, name);
}

bool Tags::Remove(std::string_view name) {
  const auto commit = Find(name);
  if (!commit) return false;
  Table& table = Own();
  table.by_name.erase(table.by_name.find(name));
  table.by_commit.erase({*commit, std::string(name)});
  return true;
}

Tags Tags::ForkAt(Ordinal fork_point) {
  is_shared_ = table_ != nullptr;
  Tags fork = *this;
  fork.last_ = std::min(last_, fork_point);
  return fork;
}

}  // namespace pactdb

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
                             .With("argument", "name"));
}

std::optional<Ordinal> Tags::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Tags::Of(Ordinal commit) const {
  std::vector<std::string> names;
  auto tag = by_commit_.lower_bound({commit, std::string()});
  for (; tag != by_commit_.end() && tag->first == commit; ++tag) names.push_back(tag->second);
  return names;
}

void Tags::Set(std::string_view name, Ordinal commit) {
  Remove(name);
  by_name_.emplace(name, commit);
  by_commit_.emplace(commit, name);
}

void Tags::Remove(std::string_view name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  by_commit_.erase({found->second, found->first});
  by_name_.erase(found);
}

}  // namespace pactdb

#include "engine/departures.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/try.h"
#include "engine/tree_reader.h"

namespace pactdb {
namespace {

using Cause = Departure::Cause;

// Written into exports. Add at the end; never rename.
constexpr std::pair<Cause, std::string_view> kNames[] = {
    {Cause::kExpired, "expired"},          {Cause::kCascaded, "cascaded"},
    {Cause::kMaxTurns, "max_turns"},       {Cause::kSysNodes, "sys.max_nodes"},
    {Cause::kSeqNodes, "seq.max_nodes"},   {Cause::kAhNodes, "ah.max_nodes"},
    {Cause::kMaxNodes, "max_nodes"},       {Cause::kSysTokens, "sys.max_tokens"},
    {Cause::kSeqTokens, "seq.max_tokens"}, {Cause::kAhTokens, "ah.max_tokens"},
    {Cause::kMaxTokens, "max_tokens"}};

Result<NodeNumber> ReadId(const JsonRef& id, Lexicon& lexicon, std::int64_t cycle) {
  if (!id.is_string() || id.string().empty() || id.string().size() > limits::kIdBytesMax)
    return std::unexpected(InvalidImport("taken names nodes by their ids", id));
  return lexicon.InternId(id.string(), cycle);
}

}  // namespace

std::string_view NameOf(Departure::Cause cause) {
  return std::ranges::find(kNames, cause, &std::pair<Cause, std::string_view>::first)->second;
}

std::optional<Departure::Cause> ParseCause(std::string_view name) {
  const auto* found = std::ranges::find(kNames, name, &std::pair<Cause, std::string_view>::second);
  return found == std::end(kNames) ? std::nullopt : std::optional(found->first);
}

void WriteDepartures(const CommitRecord& record, JsonOut& out) {
  // By id: numbers are another context's others.
  std::map<std::string, const Departure*> by_id;
  for (const Departure& departure : record.notes->departures)
    by_id.emplace(record.lexicon->id(departure.node), &departure);
  out.BeginArray();
  for (const auto& [id, departure] : by_id) {
    out.BeginArray().String(id).String(NameOf(departure->cause));
    if (departure->with != departure->node) out.String(record.lexicon->id(departure->with));
    out.EndArray();
  }
  out.EndArray();
}

Result<std::vector<Departure>> ReadDepartures(const JsonRef& list, Lexicon& lexicon,
                                              std::int64_t cycle) {
  std::vector<Departure> departures;
  if (!list.is_array()) return std::unexpected(InvalidImport("taken is a list", list));
  for (auto it = list.begin(); it != list.end(); ++it) {
    const JsonRef entry = (*it).value;
    const std::size_t size = entry.is_array() ? entry.size() : 0;
    if (size != 2 && size != 3)
      return std::unexpected(InvalidImport("taken lists an id, a cause and perhaps an id", entry));
    auto part = entry.begin();
    PACTDB_TRY(const NodeNumber node, ReadId((*part).value, lexicon, cycle));
    ++part;
    const JsonRef name = (*part).value;
    const auto cause = name.is_string() ? ParseCause(name.string()) : std::nullopt;
    if (!cause) return std::unexpected(InvalidImport("taken knows no such cause", name));
    Departure departure{node, node, *cause};
    if (size == 3) {
      ++part;
      PACTDB_TRY(departure.with, ReadId((*part).value, lexicon, cycle));
    }
    departures.push_back(departure);
  }
  std::ranges::sort(departures, {}, &Departure::node);
  if (std::ranges::adjacent_find(departures, {}, &Departure::node) != departures.end())
    return std::unexpected(InvalidImport("taken names a node twice", list));
  return departures;
}

}  // namespace pactdb

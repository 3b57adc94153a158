// life against a scan of every snapshot.
#include <gtest/gtest.h>
#include <pactdb/context.h>
#include <pactdb/database.h>
#include <pactdb/ext/store.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/limits.h"
#include "support/contexts.h"
#include "support/scale.h"
#include "support/sessions.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

using support::Must;
using support::Session;

using Fields = std::map<std::string, std::string>;  // name to canonical bytes

// The node as `get` shows it; nothing where it is not.
std::optional<Fields> Look(const Context& context, const std::string& id,
                           std::optional<std::string_view> at) {
  const auto text = context.Get(id, at);
  if (!text) return std::nullopt;
  const JsonDoc doc = Must(JsonDoc::Parse(*text, limits::kDocumentJsonDepthMax));
  Fields fields;
  for (auto it = doc.root().begin(); it != doc.root().end(); ++it) {
    if ((*it).key == "parent_id") {
      fields["parent"] = (*it).value.ToJson().text();
    } else if ((*it).key != "depth" && (*it).key != "content" && !(*it).value.is_null()) {
      fields[std::string((*it).key)] = (*it).value.ToJson().text();
    }
  }
  return fields;
}

std::string Ttl(const Fields& fields) {
  const auto found = fields.find("ttl");
  return found == fields.end() ? "" : found->second;
}

// A ttl that shows what is to be expected one commit later is no change.
bool TtlRan(const Fields& older, const Fields& newer, bool committed) {
  if (Ttl(older).empty() || !committed) return Ttl(older) == Ttl(newer);
  return Ttl(newer) == std::to_string(std::max(std::stoll(Ttl(older)) - 1, 0LL));
}

std::set<std::string> Differing(const Fields& older, const Fields& newer, bool committed) {
  std::set<std::string> names;
  for (const auto& [name, value] : older) {
    if (!newer.contains(name) || newer.at(name) != value) names.insert(name);
  }
  for (const auto& [name, value] : newer) {
    if (!older.contains(name)) names.insert(name);
  }
  names.erase("ttl");
  if (!TtlRan(older, newer, committed)) names.insert("ttl");
  return names;
}

struct Event {
  std::int64_t cycle;
  std::string event;
  std::set<std::string> fields;
  bool operator==(const Event&) const = default;
  friend void PrintTo(const Event& shown, std::ostream* out) {
    *out << shown.cycle << " " << shown.event;
    for (const std::string& field : shown.fields) *out << " " << field;
  }
};

class Scan {
 public:
  Scan(const Session& session, const Context& context, std::string id)
      : session_(session), context_(context), id_(std::move(id)) {}

  std::vector<Event> Write() {
    std::optional<Fields> before;
    for (std::int64_t cycle = 1; cycle < context_.open_cycle(); ++cycle) {
      const std::string at = "@c" + std::to_string(cycle);
      const auto now = Look(context_, id_, at);
      const auto commit = session_.commits().find(cycle);
      Compare(before, now, cycle, commit == session_.commits().end() ? nullptr : &commit->second,
              at);
      before = now;
    }
    Compare(before, Look(context_, id_, std::nullopt), context_.open_cycle(), nullptr, "working");
    // A node that no snapshot had does not use up its id, and is told of only if nobody took it.
    return saw_it() ? events_ : short_lives_;
  }
  bool saw_it() const { return !events_.empty(); }

 private:
  bool Has(const std::vector<std::string>& ids) const {
    return std::ranges::find(ids, id_) != ids.end();
  }

  void Compare(const std::optional<Fields>& before, const std::optional<Fields>& now,
               std::int64_t cycle, const CommitResult* commit, const std::string& at) {
    if (!before && !now) {
      // Born and gone in one cycle.
      if (commit != nullptr && !Cause(*commit).empty()) {
        short_lives_.push_back({cycle, "born", {}});
        short_lives_.push_back({cycle, Cause(*commit), {}});
      }
    } else if (!now) {
      const std::string cause = commit == nullptr ? "" : Cause(*commit);
      events_.push_back({cycle, cause.empty() ? "removed" : cause, {}});
    } else if (!before) {
      events_.push_back({cycle, "born", {}});
      if (at != "working" && IsIn("seg:" + std::to_string(cycle), at))
        events_.push_back({cycle, "sealed", {}});
    } else {
      NoteChanges(Differing(*before, *now, at != "working"), cycle);
    }
    const bool deferred = commit != nullptr && Has(commit->deferred);
    if (deferred && !was_deferred_) events_.push_back({cycle, "deferred", {}});
    was_deferred_ = deferred;
  }

  void NoteChanges(std::set<std::string> fields, std::int64_t cycle) {
    std::set<std::string> place;
    for (const char* name : {"offset", "parent"}) {
      if (fields.erase(name) > 0) place.insert(name);
    }
    if (!place.empty()) events_.push_back({cycle, "moved", place});
    if (!fields.empty()) events_.push_back({cycle, "changed", fields});
  }

  std::string Cause(const CommitResult& commit) const {
    if (Has(commit.expired)) return "expired";
    if (Has(commit.cascaded)) return "cascaded";
    if (Has(commit.pruned)) return "pruned";
    return "";
  }

  bool IsIn(const std::string& turn, const std::string& at) const {
    for (std::string id = id_; !id.empty();) {
      if (id == turn) return true;
      const auto node = Look(context_, id, at);
      id = node->contains("parent") ? Must(Json::Parse(node->at("parent"))).AsString().value_or("")
                                    : "";
    }
    return false;
  }

  const Session& session_;
  const Context& context_;
  const std::string id_;
  bool was_deferred_ = false;
  std::vector<Event> events_;
  std::vector<Event> short_lives_;
};

std::vector<Event> LifeOf(const Context& context, const std::string& id) {
  std::vector<Event> events;
  const auto life = context.Life(id);
  if (!life) return events;
  const JsonDoc doc = Must(JsonDoc::Parse(*life, limits::kDocumentJsonDepthMax));
  for (auto it = doc.root().begin(); it != doc.root().end(); ++it) {
    const JsonRef entry = (*it).value;
    Event event{*entry.Find("cycle")->AsInt64(), std::string(entry.Find("event")->string()), {}};
    const JsonRef fields = *entry.Find("fields");
    for (auto field = fields.begin(); field != fields.end(); ++field)
      event.fields.emplace((*field).value.string());
    EXPECT_FALSE(entry.Find("why")->string().empty());
    events.push_back(std::move(event));
  }
  return events;
}

// Each event as the text that tells it.
std::set<std::string> LinesOfLife(const Context& context, const std::string& id) {
  std::set<std::string> lines;
  const auto life = context.Life(id);
  if (!life) return lines;
  const JsonDoc doc = Must(JsonDoc::Parse(*life, limits::kDocumentJsonDepthMax));
  for (auto it = doc.root().begin(); it != doc.root().end(); ++it)
    lines.insert((*it).value.ToJson().text());
  return lines;
}

// The causes of what imported logs did on the way are not known to the scan.
std::vector<Event> Coarse(std::vector<Event> events) {
  std::erase_if(events, [](const Event& event) { return event.event == "deferred"; });
  for (Event& event : events) {
    if (event.event == "expired" || event.event == "cascaded" || event.event == "pruned")
      event.event = "removed";
  }
  return events;
}

TEST(Life, IsWhatAScanOfAllSnapshotsFinds) {
  for (std::uint64_t seed = 0; seed < support::Scaled(120); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(seed);
    for (int step = 0; step < 160; ++step) session.Step();
    const Context& context = session.context();
    const bool all_known = std::ssize(session.commits()) + 1 == context.open_cycle();
    const std::set<std::string> ids(session.ids().begin(), session.ids().end());
    for (const std::string& id : ids) {
      Scan scan(session, context, id);
      const auto wanted = scan.Write();
      const auto got = LifeOf(context, id);
      if (all_known) {
        ASSERT_EQ(got, wanted) << id;
      } else if (scan.saw_it()) {
        ASSERT_EQ(Coarse(got), Coarse(wanted)) << id;
      }
    }
  }
}

// What is said for sure was so already when every snapshot was there.
TEST(Life, InventsNothingOfSnapshotsThatAreGone) {
  for (std::uint64_t seed = 0; seed < support::Scaled(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Database database = Must(Database::Over(MakeMemoryStore()));
    Must(database.Make("life", support::SteppedOptions()));
    Session session(seed, *Must(database.Find("life")));
    for (int step = 0; step < 160; ++step) session.Step();
    if (!session.context().Commit()) continue;  // a policy may refuse
    for (const char* kept : {"@t-9", "@t-5", "@t-4"})
      std::ignore = session.context().Tag("kept" + std::string(kept + 3), kept);
    const std::set<std::string> ids(session.ids().begin(), session.ids().end());
    std::map<std::string, std::set<std::string>> before;
    for (const std::string& id : ids) before[id] = LinesOfLife(session.context(), id);
    Must(database.Gc("life", {.keep_last = 2, .older_than = std::nullopt, .keep_tagged = true}));
    for (const std::string& id : ids) {
      for (const std::string& line : LinesOfLife(*Must(database.Find("life")), id)) {
        const bool says_so = line.contains("gone") || line.contains("kept");
        EXPECT_TRUE(says_so || before[id].contains(line)) << id << ": " << line;
      }
    }
  }
}

TEST(Life, SurvivesTheExportOfItsHistory) {
  for (std::uint64_t seed = 0; seed < support::Scaled(60); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Session session(seed);
    for (int step = 0; step < 160; ++step) session.Step();
    if (!session.context().Commit()) continue;  // a policy may refuse
    Context copy = support::NewContext(session.context().options());
    Must(copy.ImportSnapshot(Must(session.context().Export({.history = true}))));
    for (const std::string& id : session.ids())
      ASSERT_EQ(copy.Life(id), session.context().Life(id)) << id;
  }
}

}  // namespace
}  // namespace pactdb

// Our side of `make compare`, and of the alternatives those that are C and C++ (SQLite, pugixml).
// tools/compare/compare.py runs it beside the others, on the same texts.
//
// usage: pactdb_compare texts TURNS           the workload for the others, a JSON array a turn
//        pactdb_compare turns TURNS FOLDER    commits them, reads back, compares
//        pactdb_compare select TURNS          the selectors
//        pactdb_compare steps FILE FOLDER     commits messages one by one; lines of thread TAB role
//                                             TAB JSON, a context a thread
// Prints {"who","what","value"} a line, in nanoseconds and bytes.
#include <fmt/format.h>
#include <pactdb/database.h>
#include <pactdb/selector.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check_result.h"
#include "harness.h"
#include "interval_table.h"
#include "setup.h"
#include "stored_turns.h"
#include "workload.h"
#include "xml_tree.h"

namespace pactdb::bench {
namespace {

constexpr std::int64_t kTimedTurns = 100;
constexpr int kRepeats = 25;

void Print(std::string_view who, std::string_view what, double value) {
  fmt::print("{{\"who\":\"{}\",\"what\":\"{}\",\"value\":{:.1f}}}\n", who, what, value);
}

double MedianOf(int repeats, const std::function<void()>& work) {
  std::vector<double> samples;
  work();
  samples.reserve(static_cast<std::size_t>(repeats));
  for (int i = 0; i < repeats; ++i) samples.push_back(TimeNs(work));
  return Median(std::move(samples));
}

void PrintTexts(std::int64_t turns) {
  const Workload workload({.turns = turns});
  for (std::int64_t cycle = 1; cycle <= turns; ++cycle) {
    std::string line = "[";
    for (const Block& block : workload.MakeTurn(cycle)) {
      if (line.size() > 1) line += ',';
      line += fmt::format(R"(["{}","{}",{}])", block.role, block.kind,
                          ValueOf(Json::String(block.text), "a text").text());
    }
    fmt::print("{}]\n", line);
  }
}

// The whole state of a middle turn, from a file that nobody has open.
double ReadCold(const std::string& path, std::string_view name, std::int64_t turn) {
  return MedianOf(5, [&] {
    Database database = ValueOf(Database::Open(path, Access::kRead), "open to read");
    const Context* context = ValueOf(database.Find(name), "the context");
    Keep(ValueOf(context->Render({.at = "@c" + std::to_string(turn)}), "render").body.size());
  });
}

// One of the sides that commit the same turns in turn, so that a busy disk is busy for all of them.
struct Side {
  std::string who;
  std::function<void(const Turn&)> commit;
  std::vector<double> samples = {};
};

void CommitAll(std::vector<Side>& sides, std::int64_t turns) {
  const Workload workload({.turns = 0});
  for (std::int64_t cycle = 1; cycle <= turns; ++cycle) {
    const Turn turn = workload.MakeTurn(cycle);
    for (Side& side : sides) {
      const double ns = TimeNs([&] { side.commit(turn); });
      if (cycle > turns - kTimedTurns) side.samples.push_back(ns);
    }
  }
  for (Side& side : sides) Print(side.who, "step", Median(std::move(side.samples)));
}

void PrintOurDiff(std::string_view who, const Context& context) {
  Print(who, "diff",
        MedianOf(kRepeats, [&] { Keep(ValueOf(context.Diff("@t-1", "@t0"), "diff").size()); }));
}

void PrintIntervals(std::string_view who, IntervalTable& table) {
  const std::int64_t turns = table.cycle();
  IntervalTable::Query changed = table.MakeQuery(kChangedIdsSql);
  Print(who, "diff", MedianOf(kRepeats, [&] {
          Check(changed.RunBetween(turns - 1, turns) == kNodesPerTurn, "SQLite sees the turn");
        }));
  IntervalTable::Query state = table.MakeQuery(
      "SELECT id, role, content FROM node WHERE valid_from <= ?1 AND (valid_to IS NULL OR "
      "valid_to > ?2) AND node_type = 'block' ORDER BY cycle, creation_index");
  const auto blocks = static_cast<std::size_t>(turns / 2 * kBlocksPerTurn);
  Print(who, "read", MedianOf(5, [&] {
          Check(state.RunBetween(turns / 2, turns / 2) == blocks, "SQLite gives the state");
        }));
}

void RunTurns(std::int64_t turns, const std::string& folder) {
  const Workload none({.turns = 0});
  const auto each = [&](double bytes) { return bytes / static_cast<double>(turns); };
  const std::string full_path = folder + "/full.pactdb";
  const std::string relaxed_path = folder + "/relaxed.pactdb";
  const std::string rows_path = folder + "/intervals.sqlite";
  StoredTurns full(full_path, Durability::kFull);
  StoredTurns relaxed(relaxed_path, Durability::kRelaxed);
  Context memory = ValueOf(Context::Make(none.ContextOptions()), "make");
  auto rows = std::make_unique<IntervalTable>(none, rows_path.c_str());
  IntervalTable rows_in_memory(none);
  std::vector<Side> sides = {
      {"pactdb, file", [&](const Turn& turn) { CommitTurn(full.context(), turn); }},
      {"pactdb, file, relaxed", [&](const Turn& turn) { CommitTurn(relaxed.context(), turn); }},
      {"pactdb, in memory", [&](const Turn& turn) { CommitTurn(memory, turn); }},
      {"SQLite interval table, file", [&](const Turn& turn) { rows->CommitTurn(turn); }},
      {"SQLite interval table, in memory",
       [&](const Turn& turn) { rows_in_memory.CommitTurn(turn); }}};
  CommitAll(sides, turns);
  PrintOurDiff(sides[0].who, full.context());
  PrintOurDiff(sides[1].who, relaxed.context());
  PrintOurDiff(sides[2].who, memory);
  PrintIntervals(sides[3].who, *rows);
  PrintIntervals(sides[4].who, rows_in_memory);
  Print(sides[0].who, "bytes", each(static_cast<double>(full.CloseAndMeasure())));
  Print(sides[1].who, "bytes", each(static_cast<double>(relaxed.CloseAndMeasure())));
  rows.reset();
  Print(sides[3].who, "bytes", each(static_cast<double>(std::filesystem::file_size(rows_path))));
  Print(sides[0].who, "read", ReadCold(full_path, "main", turns / 2));
  Print(sides[1].who, "read", ReadCold(relaxed_path, "main", turns / 2));
  const std::string at = "@c" + std::to_string(turns / 2);
  Print(sides[2].who, "read",
        MedianOf(5, [&] { Keep(ValueOf(memory.Render({.at = at}), "render").body.size()); }));
}

struct Question {
  std::string what;
  std::string selector;
  std::string xpath;
  const char* sql;  // null: not asked
};

void RunSelect(std::int64_t turns) {
  const Workload workload({.turns = turns});
  const std::string id = BlockId(turns / 2, 3);
  const std::vector<Question> questions = {
      {"A", "#" + id, "//*[@id='" + id + "']", kFindSql},
      {"C", "^seq .seg:depth(1-3) .block[role=user]",
       "root/seq/seg[position()>last()-3]//block[@role='user']", kRecentSql},
      {"B", ".block[role=user]", "//block[@role='user']", kUserBlocksSql},
      {"D", "^seq .seg .cont > .block[role=assistant]",
       "root/seq//seg//cont/block[@role='assistant']", nullptr}};
  const Context context = Load(workload);
  const Snapshot snapshot = ValueOf(context.At("@t0"), "take @t0");
  XmlTree xml(workload);
  IntervalTable table(workload);
  for (const Question& question : questions) {
    const Selector selector = ValueOf(Selector::Parse(question.selector), "parse");
    const std::size_t hits = ValueOf(Select(snapshot, selector), "select").size();
    Print("pactdb", question.what,
          MedianOf(kRepeats, [&] { Keep(ValueOf(Select(snapshot, selector), "select").size()); }));
    Print("pactdb", question.what + " hits", static_cast<double>(hits));
    Check(xml.Count(question.xpath) == hits, "pugixml finds the same");
    Print("pugixml", question.what, MedianOf(kRepeats, [&] { Keep(xml.Count(question.xpath)); }));
    if (question.sql == nullptr) continue;
    if (question.what == "B") table.AddRoleIndex();  // and not before: it misleads the plan of C
    IntervalTable::Query query = table.MakeQuery(question.sql);
    const std::string_view parameter = question.what == "A" ? std::string_view(id) : "";
    Check(query.Run(parameter) == hits, "SQLite finds the same");
    Print("SQLite interval table, in memory", question.what,
          MedianOf(kRepeats, [&] { Keep(query.Run(parameter)); }));
  }
}

struct Step {
  std::string thread;
  std::string role;
  Json content;
};

std::vector<Step> ReadSteps(const std::string& file) {
  std::vector<Step> steps;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t role = line.find('\t') + 1;
    const std::size_t content = line.find('\t', role) + 1;
    steps.push_back({.thread = line.substr(0, role - 1),
                     .role = line.substr(role, content - role - 1),
                     .content = ValueOf(Json::Parse(line.substr(content)), "a text")});
  }
  return steps;
}

void RunSteps(const std::string& file, const std::string& folder) {
  const std::vector<Step> steps = ReadSteps(file);
  const std::string_view who = "pactdb, file";
  const std::string path = folder + "/steps.pactdb";
  const auto middle = static_cast<std::size_t>(std::ssize(steps) / 2 - 1);
  std::int64_t middle_cycle = 0;
  std::vector<double> samples;
  samples.reserve(steps.size());
  {
    Database database = ValueOf(Database::Open(path, Access::kCreate), "open a file");
    std::map<std::string_view, Context*> contexts;
    for (const Step& step : steps) {
      samples.push_back(TimeNs([&] {
        Context*& context = contexts[step.thread];
        if (context == nullptr) context = ValueOf(database.Make(step.thread), "make a context");
        ValueOf(context->Add(NodeSpec().Role(step.role).Kind("text").Content(step.content)), "add");
        const CommitResult commit = ValueOf(context->Commit(), "commit");
        Check(commit.durable, "a commit is on the disk");
        if (&step == &steps[middle]) middle_cycle = commit.cycle;
      }));
    }
  }
  Print(who, "all steps", [&] {
    double sum = 0;
    for (const double sample : samples) sum += sample;
    return sum;
  }());
  samples.erase(samples.begin(), samples.end() - std::min<std::ptrdiff_t>(50, std::ssize(samples)));
  Print(who, "step", Median(std::move(samples)));
  Print(who, "bytes", static_cast<double>(std::filesystem::file_size(path)));
  Print(who, "read", ReadCold(path, steps[middle].thread, middle_cycle));
}

int Main(const std::vector<std::string>& words) {
  const std::string mode = words.empty() ? "" : words[0];
  if (mode == "texts" && words.size() == 2) {
    PrintTexts(std::atoll(words[1].c_str()));
  } else if (mode == "turns" && words.size() == 3 && std::atoll(words[1].c_str()) > kTimedTurns) {
    RunTurns(std::atoll(words[1].c_str()), words[2]);
  } else if (mode == "select" && words.size() == 2) {
    RunSelect(std::atoll(words[1].c_str()));
  } else if (mode == "steps" && words.size() == 3) {
    RunSteps(words[1], words[2]);
  } else {
    fmt::print(stderr, "usage: pactdb_compare texts|turns|select|steps ...\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace pactdb::bench

int main(int argc, char** argv) {
  return pactdb::bench::Main({argv + 1, argv + argc});
}

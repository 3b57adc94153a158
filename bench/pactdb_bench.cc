// The benchmark table: each goal, our figure, the reference's from the same run, and the verdict.
//
// usage: pactdb_bench [--goal N]... [--quick] [--turns N] [--json PATH] [--list]
//   --goal N     only this goal (9, 11b, lookups, ...); may be repeated
//   --quick      W1 and W2 only, few repetitions, no verdicts: shows that every benchmark works
//   --turns N    the largest tree has N turns (from 101) instead; no verdicts either
//   --json PATH  where to write the results; results.json beside the program if not given
//   --list       the goals
// Exit code 0 if everything was measured, whatever the verdicts; 1 if a result was wrong; 2 for a
// usage error.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agreement.h"
#include "check_result.h"
#include "child.h"
#include "goals.h"
#include "report.h"

namespace pactdb::bench {
namespace {

struct Arguments {
  std::vector<std::string> goals;
  bool is_quick = false;
  bool is_list = false;
  std::int64_t turns = 0;  // 0: not given
  std::string json_path;

  // Bars are for the full sizes.
  bool is_judged() const { return !is_quick && turns == 0; }
};

std::optional<Arguments> Parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--quick") {
      arguments.is_quick = true;
    } else if (words[i] == "--list") {
      arguments.is_list = true;
    } else if (words[i] == "--goal" && has_value) {
      arguments.goals.push_back(words[++i]);
    } else if (words[i] == "--turns" && has_value) {
      arguments.turns = std::atoll(words[++i].c_str());
      if (arguments.turns <= kW1Turns) return std::nullopt;
    } else if (words[i] == "--json" && has_value) {
      arguments.json_path = words[++i];
    } else {
      return std::nullopt;
    }
  }
  const auto is_known = [](const std::string& name) {
    return std::ranges::any_of(AllGoals(), [&](const Goal& goal) { return goal.name == name; });
  };
  if (!std::ranges::all_of(arguments.goals, is_known)) return std::nullopt;
  return arguments;
}

std::filesystem::path FindProgram() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

Plan MakePlan(const Arguments& arguments) {
  Plan plan;
  plan.program = FindProgram().string();
  if (arguments.is_quick) {
    plan.is_quick = true;
    plan.rounds = kRoundsMin;
    plan.commits = 10;
    plan.lookups = 10'000;
    plan.growth_commits = 500;
    plan.sizes = {kW1Turns, kW2Turns};
  }
  if (arguments.turns > 0) {
    plan.sizes = {kW1Turns, arguments.turns};
    plan.growth_commits = std::min(plan.growth_commits, arguments.turns);
  }
  return plan;
}

bool AllSteady(const std::vector<Row>& rows) {
  return std::ranges::all_of(rows, [](const Row& row) { return !HasBar(row) || IsSteady(row); });
}

// Measures until every judged row had a steady reference, or too often. A row keeps the first
// steady attempt.
std::vector<Row> MeasureGoal(const Goal& goal, Fixtures& fixtures) {
  std::vector<Row> rows = goal.measure(fixtures);
  const int attempts = fixtures.plan().is_quick ? 1 : kAttemptsMax;
  for (int attempt = 1; attempt < attempts && !AllSteady(rows); ++attempt) {
    fmt::print(stderr, "  the reference was not steady; once more\n");
    const std::vector<Row> again = goal.measure(fixtures);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!IsSteady(rows[i])) rows[i] = again[i];
    }
  }
  return rows;
}

std::vector<Row> MeasureGoals(const Arguments& arguments) {
  Fixtures fixtures(MakePlan(arguments));
  std::vector<Row> rows;
  for (const Goal& goal : AllGoals()) {
    const auto& wanted = arguments.goals;
    if (!wanted.empty() && std::ranges::find(wanted, goal.name) == wanted.end()) continue;
    fmt::print(stderr, "{}: {}\n", goal.name, goal.what);
    for (Row& row : MeasureGoal(goal, fixtures)) rows.push_back(std::move(row));
  }
  return rows;
}

void WriteFile(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  Check(file != nullptr, "the results can be written to " + path);
  const bool is_whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  Check(std::fclose(file) == 0 && is_whole, "the results can be written to " + path);
}

int RunGoals(const Arguments& arguments) {
  CheckAgreement();
  const std::vector<Row> rows = MeasureGoals(arguments);
  fmt::print("{}", FormatTable(rows, arguments.is_judged()));
  if (arguments.is_judged()) fmt::print("{}", FormatSummary(rows));
  const std::string path = arguments.json_path.empty()
                               ? (FindProgram().parent_path() / "results.json").string()
                               : arguments.json_path;
  WriteFile(path, FormatJson(rows, arguments.is_judged()));
  return 0;
}

int Main(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == kChildFlag) return ChildMain({words.begin() + 1, words.end()});
  const std::optional<Arguments> arguments = Parse(words);
  if (!arguments) {
    fmt::print(stderr,
               "usage: pactdb_bench [--goal N]... [--quick] [--turns N] [--json PATH] [--list]\n");
    return 2;
  }
  if (arguments->is_list) {
    for (const Goal& goal : AllGoals()) fmt::print("{:<10} {}\n", goal.name, goal.what);
    return 0;
  }
  return RunGoals(*arguments);
}

}  // namespace
}  // namespace pactdb::bench

int main(int argc, char** argv) {
  return pactdb::bench::Main({argv + 1, argv + argc});
}

// The table that `make bench` ends in, and results.json.
//
// A row compares one figure of ours with one of a reference. Its bar says what the ratio, or the
// figure itself, must reach and what we aim for. A row without a bar shows growth or gives context.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness.h"

namespace pactdb::bench {

// A ratio must be at most `must`, or at least if `is_floor`; a figure at most `figure_must`.
struct Bar {
  std::optional<double> must = {};
  std::optional<double> aim = {};
  std::optional<double> figure_must = {};
  std::optional<double> figure_aim = {};
  bool is_floor = false;
};

enum class Unit { kNs, kUs, kMs, kBytes, kMegabytes, kTimes, kMbPerSecond };

struct Row {
  std::string goal;  // "9", or empty for a plain figure
  std::string what;
  Unit unit = Unit::kNs;
  Figure ours;
  std::string reference_name = {};
  std::optional<Figure> reference = {};
  Bar bar = {};
};

// kNoBar: nothing to judge. kNotShown: the reference was not steady, or is missing.
enum class Verdict { kNoBar, kPass, kFail, kNotShown };

std::string_view Name(Verdict verdict);

std::optional<double> Ratio(const Row& row);
bool HasBar(const Row& row);
// The reference repeated itself; an absolute figure is its own reference.
bool IsSteady(const Row& row);
// It is steady, and there if a ratio to it is judged.
bool IsShown(const Row& row);
Verdict Judge(const Row& row);
bool MeetsAim(const Row& row);

// The whole table as text. Without `judged` the verdicts are left out: a quick run proves nothing.
std::string FormatTable(const std::vector<Row>& rows, bool judged);
// One line: how many rows have which verdict.
std::string FormatSummary(const std::vector<Row>& rows);
std::string FormatJson(const std::vector<Row>& rows, bool judged);

}  // namespace pactdb::bench

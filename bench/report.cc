#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pactdb::bench {
namespace {

struct UnitName {
  std::string_view name;
  double per_unit;  // figures are kept in nanoseconds, bytes or plain numbers
};

UnitName Describe(Unit unit) {
  switch (unit) {
    case Unit::kNs:
      return {"ns", 1};
    case Unit::kUs:
      return {"us", 1e3};
    case Unit::kMs:
      return {"ms", 1e6};
    case Unit::kBytes:
      return {"B", 1};
    case Unit::kMegabytes:
      return {"MB", 1e6};
    case Unit::kTimes:
      return {"x", 1};
    case Unit::kMbPerSecond:
      return {"MB/s", 1};
  }
  return {"", 1};
}

std::string FormatNumber(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  return value >= 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.2f}", value);
}

std::string FormatValue(double value, Unit unit) {
  const UnitName described = Describe(unit);
  return fmt::format("{} {}", FormatNumber(value / described.per_unit), described.name);
}

std::string FormatFigure(const Figure& figure, Unit unit) {
  std::string text = FormatValue(figure.value, unit);
  if (figure.p99 > 0) {
    text += fmt::format(" (p99 {})", FormatNumber(figure.p99 / Describe(unit).per_unit));
  }
  return text;
}

std::string FormatBound(const std::optional<double>& ratio, const std::optional<double>& figure,
                        const Row& row) {
  std::string text;
  const std::string_view sign = row.bar.is_floor ? ">=" : "<=";
  if (ratio) text = fmt::format("{} {}x", sign, *ratio);
  if (figure) {
    if (!text.empty()) text += ", ";
    const UnitName unit = Describe(row.unit);
    text += fmt::format("<= {} {}", *figure / unit.per_unit, unit.name);
  }
  return text;
}

bool Meets(const Row& row, const std::optional<double>& ratio_bound,
           const std::optional<double>& figure_bound) {
  if (figure_bound && row.ours.value > *figure_bound) return false;
  if (!ratio_bound) return true;
  const std::optional<double> ratio = Ratio(row);
  if (!ratio) return false;
  return row.bar.is_floor ? *ratio >= *ratio_bound : *ratio <= *ratio_bound;
}

constexpr std::size_t kColumns = 8;
using Cells = std::array<std::string, kColumns>;

Cells MakeCells(const Row& row, bool judged) {
  const std::optional<double> ratio = Ratio(row);
  std::string reference = "-";
  if (row.reference) {
    reference = fmt::format("{}: {}", row.reference_name, FormatFigure(*row.reference, row.unit));
  }
  std::string aim = FormatBound(row.bar.aim, row.bar.figure_aim, row);
  if (judged && !aim.empty() && IsShown(row) && MeetsAim(row)) aim += " (met)";
  return {row.goal,
          row.what,
          FormatFigure(row.ours, row.unit),
          reference,
          ratio ? fmt::format("{:.2f}x", *ratio) : "",
          FormatBound(row.bar.must, row.bar.figure_must, row),
          aim,
          judged ? std::string(Name(Judge(row))) : ""};
}

// Columns count characters; all our text is ASCII.
std::string FormatLine(const Cells& cells, const std::array<std::size_t, kColumns>& widths) {
  std::string line;
  for (std::size_t i = 0; i < kColumns; ++i) {
    line += fmt::format("{:<{}}", cells[i], widths[i] + (i + 1 < kColumns ? 2 : 0));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string FormatJsonFigure(const Figure& figure) {
  // Without end where there was nothing to compare with, which JSON has no number for.
  const std::string spread =
      std::isfinite(figure.spread) ? fmt::format("{:.3f}", figure.spread) : "null";
  return fmt::format(R"({{"value":{},"p99":{},"spread":{}}})", figure.value, figure.p99, spread);
}

std::string FormatJsonNumber(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "null";
}

std::string FormatJsonRow(const Row& row, bool judged) {
  const UnitName unit = Describe(row.unit);
  const std::string_view base = unit.name == "us" || unit.name == "ms" ? "ns"
                                : unit.name == "MB"                    ? "B"
                                                                       : unit.name;
  return fmt::format(
      R"({{"goal":"{}","what":"{}","unit":"{}","ours":{},"reference_name":"{}","reference":{},)"
      R"("ratio":{},"must":{},"aim":{},"figure_must":{},"figure_aim":{},"is_floor":{},)"
      R"("verdict":"{}"}})",
      row.goal, row.what, base, FormatJsonFigure(row.ours), row.reference_name,
      row.reference ? FormatJsonFigure(*row.reference) : "null", FormatJsonNumber(Ratio(row)),
      FormatJsonNumber(row.bar.must), FormatJsonNumber(row.bar.aim),
      FormatJsonNumber(row.bar.figure_must), FormatJsonNumber(row.bar.figure_aim), row.bar.is_floor,
      judged ? Name(Judge(row)) : "");
}

}  // namespace

std::string_view Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNoBar:
      return "";
    case Verdict::kPass:
      return "PASS";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kNotShown:
      return "not shown";
  }
  return "";
}

std::optional<double> Ratio(const Row& row) {
  if (!row.reference || row.reference->value <= 0) return std::nullopt;
  return row.ours.value / row.reference->value;
}

bool HasBar(const Row& row) {
  return row.bar.must || row.bar.figure_must;
}

bool IsShown(const Row& row) {
  return IsSteady(row) && (!row.bar.must || Ratio(row));
}

bool IsSteady(const Row& row) {
  return !row.reference || row.reference->spread <= kSpreadMax;
}

Verdict Judge(const Row& row) {
  if (!HasBar(row)) return Verdict::kNoBar;
  if (!IsShown(row)) return Verdict::kNotShown;
  return Meets(row, row.bar.must, row.bar.figure_must) ? Verdict::kPass : Verdict::kFail;
}

bool MeetsAim(const Row& row) {
  return Meets(row, row.bar.aim, row.bar.figure_aim);
}

std::string FormatTable(const std::vector<Row>& rows, bool judged) {
  std::vector<Cells> lines = {
      {"goal", "what", "ours", "reference", "ratio", "must", "aim", judged ? "verdict" : ""}};
  for (const Row& row : rows) lines.push_back(MakeCells(row, judged));
  std::array<std::size_t, kColumns> widths{};
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], cells[i].size());
  }
  std::string table;
  for (const Cells& cells : lines) table += FormatLine(cells, widths);
  return table;
}

std::string FormatSummary(const std::vector<Row>& rows) {
  const auto count = [&](Verdict verdict) {
    return std::ranges::count_if(rows, [&](const Row& row) { return Judge(row) == verdict; });
  };
  return fmt::format("{} PASS, {} FAIL, {} not shown\n", count(Verdict::kPass),
                     count(Verdict::kFail), count(Verdict::kNotShown));
}

std::string FormatJson(const std::vector<Row>& rows, bool judged) {
  std::string json = "{\"rows\":[\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    json += FormatJsonRow(rows[i], judged) + (i + 1 < rows.size() ? ",\n" : "\n");
  }
  return json + "]}\n";
}

}  // namespace pactdb::bench

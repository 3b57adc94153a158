#include "cli/verdicts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/limits.h"
#include "base/try.h"
#include "cli/json_text.h"
#include "text/json_doc.h"

namespace pactdb::cli {
namespace {

Result<JsonDoc> Table(std::span<const CaseFile> files, std::string_view name) {
  const std::string path = "conformance/" + std::string(name);
  const auto file = std::ranges::find(files, path, &CaseFile::path);
  if (file == files.end())
    return std::unexpected(Error(ErrorCode::kRequestInvalid, "there is no " + path));
  return JsonDoc::Parse(file->text, limits::kDocumentJsonDepthMax);
}

// What errata.json says of an id.
struct Remark {
  Verdict verdict;
  std::string reason;
};

std::map<std::string, Remark, std::less<>> Remarks(const JsonRef& errata) {
  std::map<std::string, Remark, std::less<>> remarks;
  for (const auto& [list, verdict] :
       {std::pair("errata", Verdict::kErratum), std::pair("met_by_a_rule", Verdict::kRule)}) {
    const JsonRef entries = *errata.Find(list);
    for (auto it = entries.begin(); it != entries.end(); ++it) {
      const JsonRef entry = (*it).value;
      const std::string reason = LineOf(entry, "what") + "; " + LineOf(entry, "reason");
      const JsonRef ids = *entry.Find("ids");
      for (auto id = ids.begin(); id != ids.end(); ++id)
        remarks.emplace((*id).value.string(), Remark{verdict, reason});
    }
  }
  return remarks;
}

}  // namespace

std::string_view NameOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kErratum:
      return "erratum";
    case Verdict::kRule:
      return "rule";
    case Verdict::kUnit:
      return "unit";
    case Verdict::kDeferred:
      return "deferred";
  }
  return "";
}

std::size_t Verdicts::Count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::ranges::count(requirements, verdict, &RequirementVerdict::verdict));
}

std::size_t Verdicts::FailedCases() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(cases, [](const CaseVerdict& one) { return one.fault.has_value(); }));
}

Result<std::vector<CaseVerdict>> RunCases(const CaseFile& file) {
  std::vector<CaseVerdict> verdicts;
  PACTDB_TRY(std::vector<Case> cases, ReadCases(file.path, file.text));
  for (Case& one : cases) {
    auto fault = RunCase(one);
    verdicts.push_back({std::move(one), std::move(fault)});
  }
  return verdicts;
}

Result<Verdicts> Judge(std::span<const CaseFile> files) {
  PACTDB_TRY(const JsonDoc requirements, Table(files, "requirements.json"));
  PACTDB_TRY(const JsonDoc sources, Table(files, "sources.json"));
  PACTDB_TRY(const JsonDoc deferred, Table(files, "deferred.json"));
  PACTDB_TRY(const JsonDoc errata, Table(files, "errata.json"));
  Verdicts verdicts;
  for (const CaseFile& file : files) {
    if (!file.path.ends_with(".jsonl")) continue;
    PACTDB_TRY(std::vector<CaseVerdict> judged, RunCases(file));
    std::ranges::move(judged, std::back_inserter(verdicts.cases));
  }

  std::map<std::string, std::size_t, std::less<>> held;
  std::set<std::string, std::less<>> failed;
  for (const CaseVerdict& one : verdicts.cases) {
    for (const std::string& id : one.one.ids) {
      ++held[id];
      if (one.fault) failed.insert(id);
    }
  }
  const auto remarks = Remarks(errata.root());
  const JsonRef rows = requirements.root();
  for (auto it = rows.begin(); it != rows.end(); ++it) {
    const auto [id, row] = *it;
    RequirementVerdict one{.id = std::string(id),
                           .level = LineOf(row, "level"),
                           .source = LineOf(sources.root(), id),
                           .text = LineOf(row, "text"),
                           .verdict = Verdict::kPass,
                           .reason = LineOf(row, "reason"),
                           .cases = held.contains(id) ? held.find(id)->second : 0};
    const auto remark = remarks.find(id);
    const auto put_off = deferred.root().Find(id);
    if (failed.contains(id)) {
      one.verdict = Verdict::kFail;
    } else if (remark != remarks.end() && one.cases > 0) {
      one.verdict = remark->second.verdict;
      one.reason = remark->second.reason;
    } else if (one.cases == 0) {
      // tools/requirements.py sees to it that what is neither held nor deferred has a unit test.
      one.verdict = put_off ? Verdict::kDeferred : Verdict::kUnit;
      if (put_off) one.reason = LineOf(*put_off, "reason");
    }
    verdicts.requirements.push_back(std::move(one));
  }
  return verdicts;
}

}  // namespace pactdb::cli

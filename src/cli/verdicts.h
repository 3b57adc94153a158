// Which requirement of the specification this build meets, by running the cases that hold it.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/case_files.h"
#include "cli/case_runner.h"

namespace pactdb::cli {

enum class Verdict {
  kPass,      // every case holds
  kFail,      // a case does not
  kErratum,   // the document contradicts itself; our answer is pinned by a case
  kRule,      // met as printed, but only through a rule made for it
  kUnit,      // held by unit tests of the library, which a command cannot run
  kDeferred,  // no case yet, or nothing to test
};
std::string_view NameOf(Verdict verdict);

struct RequirementVerdict {
  std::string id;
  std::string level;
  std::string source;
  std::string text;
  Verdict verdict = Verdict::kPass;
  std::string reason;  // why an erratum, deferred, met by a rule, or read otherwise than written
  std::size_t cases = 0;
};

struct CaseVerdict {
  Case one;
  std::optional<CaseFault> fault;
};

struct Verdicts {
  std::vector<RequirementVerdict> requirements;  // in the order of requirements.json
  std::vector<CaseVerdict> cases;

  std::size_t Count(Verdict verdict) const;
  std::size_t FailedCases() const;
};

// Runs every case of the files. Errors: kRequestInvalid for files that cannot be read.
Result<std::vector<CaseVerdict>> RunCases(const CaseFile& file);

// Runs the cases and judges requirements.json, with sources, errata and deferrals from the files of
// these names.
Result<Verdicts> Judge(std::span<const CaseFile> files);

}  // namespace pactdb::cli

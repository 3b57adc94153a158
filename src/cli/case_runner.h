// Conformance cases: read and run in this process. conformance/README.md has the format,
// conformance/run.py is a second, independent runner.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb::cli {

struct CaseStep {
  std::size_t line;
  std::string_view text;  // the step's JSON, a line of its file
};

struct Case {
  std::string path;
  std::size_t line = 0;
  std::string name;
  std::vector<std::string> ids;  // the rules it holds
  std::string dialect = "canonical";
  bool configure = true;
  std::vector<CaseStep> steps;
};

// The cases of a file. Errors: kRequestInvalid for a line that is no case and no step.
Result<std::vector<Case>> ReadCases(std::string_view path, std::string_view text);

// An expectation that did not hold.
struct CaseFault {
  std::size_t line = 0;
  std::string request;
  std::string check;
  std::string wanted;
  std::string got;
};

// Runs the case on contexts of its own; nothing if it holds.
std::optional<CaseFault> RunCase(const Case& one);

}  // namespace pactdb::cli

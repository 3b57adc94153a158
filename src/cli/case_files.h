// The conformance files, as the build found them.
//
// Thread safety: constant.
#pragma once

#include <span>
#include <string_view>

namespace pactdb::cli {

struct CaseFile {
  std::string_view path;  // from the top of the project: conformance/life/ttl.jsonl
  std::string_view text;
};

// Sorted by path.
std::span<const CaseFile> CaseFiles();

}  // namespace pactdb::cli

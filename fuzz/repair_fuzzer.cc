// Any bytes as a database file (hostile_file.h) that is repaired: there is a report or an error,
// and what the repair made of them opens and verifies.
#include <pactdb/database.h>
#include <pactdb/repair.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "hostile_file.h"
#include "reached.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pactdb::Database;
  constexpr std::size_t kInputBytesMax = 1 << 20;
  if (size == 0 || size > kInputBytesMax) return 0;
  const pactdb::fuzz::HostileFile file({data, size});
  const std::string sound = file.path() + "-sound";
  const auto report = pactdb::RepairFile(file.path(), sound);
  if (!report) return 0;
  pactdb::fuzz::CountReached();
  auto repaired = Database::Open(sound, pactdb::Access::kRead);
  PACTDB_CHECK(repaired.has_value());
  const auto problems = repaired->Verify();
  // What a hostile file brings along is named; what was damaged is gone.
  PACTDB_CHECK(problems.has_value() && (problems->empty() || !report->whole()));
  return 0;
}

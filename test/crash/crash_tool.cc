// What the sweeps run and ask. See test/crash/README.md.
//
//   crash_tool run FILE SEED STEPS [CONTROL]  runs the script from where the file stands; writes a
//                                             line "ack STEP KIND" for each step that was
//                                             acknowledged, "error STEP CODE MESSAGE" for one that
//                                             was not, and "after STEP ..." if a second try was not
//                                             either; ends with code 3 then
//   crash_tool check SEED STEPS               answers each line "FILE ACKED_DURABLE ACKED" of
//                                             standard input with "ok STATE" or "bad WHY"
//   crash_tool fill FILE SEED STEPS           commits until there is no room, says so, and goes on
//                                             when told; see FillDisk
#include <fmt/format.h>
#include <pactdb/ext/store.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "crash/check.h"
#include "crash/number.h"
#include "crash/script.h"

namespace pactdb::crash {
namespace {

// At once, by the system: a process that is killed has said all that it said.
void Say(const std::string& line) {
  const std::string text = line + "\n";
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t written = write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

// How many steps the file has seen.
Result<int> FindStart(Script& script, Store& store) {
  const auto contexts = store.ListContexts();
  if (!contexts) return std::unexpected(contexts.error());
  if (contexts->empty()) return 0;
  const Result<std::string> state = script.Describe(store);
  if (!state) return std::unexpected(state.error());
  const std::vector<Digest> expected = script.Expected();
  const auto found = std::ranges::find(expected, Sha256Of(*state));
  if (found == expected.end()) {
    return std::unexpected(Error(ErrorCode::kStoreCorrupt, "a state of no step"));
  }
  return static_cast<int>(found - expected.begin());
}

// Controls that the sweeps must catch.
enum class Control : std::uint8_t {
  kNone,
  kRelaxed,  // nothing is synced
  kEarly,    // acknowledged before it is done
  kDeaf,     // acknowledged whatever came of it
};

constexpr std::string_view kControls[] = {"", "relaxed", "early", "deaf"};

// A step that failed is tried once more: after an error that left nothing behind it must go well,
// and after one that left the outcome unknown it must not be taken.
int RunScript(const std::string& path, Script script, Control control) {
  auto store = OpenSqliteStore(path, StoreAccess::kCreate);
  const Result<int> first = store ? FindStart(script, **store) : std::unexpected(store.error());
  if (!first) {
    Say("error -1 " + ErrorText(first.error()));
    return 3;
  }
  bool failed = false;
  for (int step = *first; step < script.steps(); ++step) {
    const Script::Kind kind = script.KindOf(step);
    const std::string ack =
        fmt::format("ack {} {}", step, kind == Script::Kind::kRelaxed ? "relaxed" : "durable");
    if (control == Control::kEarly) Say(ack);
    Status status;
    if (kind == Script::Kind::kReopen) {
      store = std::unexpected(Error(ErrorCode::kStoreIo, "closed"));
      store = OpenSqliteStore(path, StoreAccess::kWrite);
      if (!store) status = std::unexpected(store.error());
    } else {
      status = script.Run(**store, step, control == Control::kRelaxed);
    }
    if (!status && control != Control::kDeaf) {
      Say(fmt::format("{} {} {}", failed ? "after" : "error", step, ErrorText(status.error())));
      if (failed || !store) return 3;
      failed = true;
      --step;
      continue;
    }
    failed = false;
    if (!store) return 3;
    if (control != Control::kEarly) Say(ack);
  }
  return 0;
}

int CheckLines(Script script) {
  const std::vector<Digest> expected = script.Expected();
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string path;
    int acked_durable = 0;
    int acked = 0;
    words >> path >> acked_durable >> acked;
    Say(CheckFile(script, expected, path, acked_durable, acked));
  }
  return 0;
}

// Commits until it fails, answers "full CODE", checks that reading goes on, waits for a line, then
// commits 50 more and answers "resumed".
int FillDisk(const std::string& path, Script script) {
  auto store = OpenSqliteStore(path, StoreAccess::kCreate);
  if (!store) {
    Say("error -1 " + ErrorText(store.error()));
    return 3;
  }
  int step = 0;
  std::optional<Error> error;
  for (; !error && step < script.steps(); ++step) {
    if (const Status status = script.Run(**store, step); !status) error = status.error();
  }
  if (!error) {
    Say("error -1 never full");
    return 3;
  }
  --step;
  Say(fmt::format("full {} {}", step, ErrorText(*error)));
  const Result<std::string> state = script.Describe(**store);
  Say(state ? "reads" : "error " + ErrorText(state.error()));
  std::string line;
  std::getline(std::cin, line);
  for (const int end = step + 50; step < end; ++step) {
    if (const Status status = script.Run(**store, step); !status) {
      Say(fmt::format("error {} {}", step, ErrorText(status.error())));
      return 3;
    }
  }
  Say(fmt::format("resumed {}", step));
  store->reset();
  Say(CheckFile(script, script.Expected(), path, step, step - 1));
  return 0;
}

int Main(const std::vector<std::string>& args) {
  const auto script = [&](std::size_t at) {
    return Script(static_cast<std::uint64_t>(Number(args.at(at))), Number(args.at(at + 1)));
  };
  if (args.size() >= 4 && args[0] == "run") {
    const auto* control = std::ranges::find(kControls, args.size() > 4 ? args[4] : "");
    if (control != std::end(kControls)) {
      return RunScript(args[1], script(2), static_cast<Control>(control - std::begin(kControls)));
    }
  }
  if (args.size() == 3 && args[0] == "check") return CheckLines(script(1));
  if (args.size() == 4 && args[0] == "fill") return FillDisk(args[1], script(2));
  std::cerr << "usage: crash_tool run FILE SEED STEPS [CONTROL] | check SEED STEPS | "
               "fill FILE SEED STEPS\n";
  return 2;
}

}  // namespace
}  // namespace pactdb::crash

int main(int argc, char** argv) {
  return pactdb::crash::Main(std::vector<std::string>(argv + 1, argv + argc));
}

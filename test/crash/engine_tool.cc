// The script of the sweeps one level up: requests to a database in a file, as programs make them.
// It speaks like crash_tool, so that sweep_kill.py takes it in its place.
//
//   engine_tool run FILE SEED STEPS [early]   "ack STEP durable" for each step
//   engine_tool check SEED STEPS              answers "FILE ACKED_DURABLE ACKED" with "ok STATE" or
//                                             "bad WHY"
//
// A step is one change that is acknowledged: a turn with its commit, a fork, a tag, a
// configuration, a collection of snapshots. What the file holds is described by what it exports,
// with history, and must be what a database over the memory store exports after as many steps.
#include <fmt/format.h>
#include <pactdb/database.h>
#include <pactdb/exec.h>
#include <pactdb/ext/store.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "crash/number.h"
#include "support/random.h"

namespace pactdb::crash {
namespace {

// At once, by the system: a process that is killed has said all that it said.
void Say(const std::string& line) {
  const std::string text = line + "\n";
  if (write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) abort();
}

std::unique_ptr<Exec> OpenFile(const std::string& path, std::string& error) {
  Result<Database> database = Database::Open(path, Access::kCreate);
  if (database) return std::make_unique<Exec>(*std::move(database));
  error = fmt::format("{} {}", WireName(database.error().code()), database.error().message());
  return nullptr;
}

std::string Words(support::Random& random, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("w{} ", random.Below(1000));
  return text;
}

std::vector<std::string> TurnOf(std::uint64_t seed, int step) {
  support::Random random(seed * 7919 + static_cast<std::uint64_t>(step));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 1 + random.Below(4); ++i) {
    const std::size_t words = step % 9 == 4 ? 3000 : 5 + random.Below(60);
    const std::string ttl = i == 2 ? R"("ttl":3,)" : "";
    lines.push_back(fmt::format(R"({{"op":"add","node":{{{}"role":"user","content":"{}"}}}})", ttl,
                                Words(random, words)));
  }
  const std::string key = step % 5 == 0 ? fmt::format(R"(,"idempotency_key":"key-{}")", step) : "";
  lines.push_back(fmt::format(R"({{"op":"commit"{}}})", key));
  return lines;
}

// None: the file is closed and opened again.
std::optional<std::vector<std::string>> RequestsOf(std::uint64_t seed, int step) {
  using Lines = std::vector<std::string>;
  if (step == 0) return Lines{R"({"op":"configure","clock":{"start_ns":1000,"step_ns":7}})"};
  switch (step % 12) {
    case 5:
      return Lines{fmt::format(R"({{"op":"fork","at":"@t0","name":"fork-{}"}})", step)};
    case 7:
      return Lines{fmt::format(R"({{"op":"tag","at":"@t0","name":"tag-{}"}})", step % 36)};
    case 9:
      return step < 24 ? Lines{} : Lines{R"({"op":"gc","keep_last":6,"keep_tagged":true})"};
    case 11:
      return std::nullopt;
    default:
      return TurnOf(seed, step);
  }
}

// Empty if all went well.
std::string RunStep(Exec& exec, std::uint64_t seed, int step) {
  const auto requests = RequestsOf(seed, step);
  if (!requests) return {};
  for (const std::string& line : *requests) {
    const std::string answer = exec.Answer(line);
    if (!answer.starts_with(R"({"ok":true)")) return answer;
  }
  return {};
}

std::string Describe(Exec& exec) {
  std::string text;
  const Result<std::vector<ContextInfo>> contexts = exec.database().List();
  if (!contexts) return "error";
  for (const ContextInfo& context : *contexts) {
    text += fmt::format("{} {}\n", context.name, context.snapshots);
    for (const char* request : {R"("op":"export","history":true)", R"("op":"log")"}) {
      text += exec.Answer(fmt::format(R"({{{},"context":"{}"}})", request, context.name));
      text += '\n';
    }
  }
  return text;
}

std::vector<Digest> Expected(std::uint64_t seed, int steps) {
  Result<Database> database = Database::Over(MakeMemoryStore());
  if (!database) std::abort();
  Exec exec(*std::move(database));
  std::vector<Digest> digests = {Sha256Of(Describe(exec))};
  for (int step = 0; step < steps; ++step) {
    if (const std::string error = RunStep(exec, seed, step); !error.empty()) {
      std::cerr << "step " << step << ": " << error << "\n";
      std::abort();
    }
    digests.push_back(Sha256Of(Describe(exec)));
  }
  return digests;
}

int RunScript(const std::string& path, std::uint64_t seed, int steps, bool early) {
  std::string error;
  std::unique_ptr<Exec> exec = OpenFile(path, error);
  if (exec == nullptr) {
    Say("error -1 " + error);
    return 3;
  }
  int step = 0;
  if (Result<Context*> main = exec->database().Find("main"); main && (*main)->open_cycle() > 1) {
    const std::vector<Digest> expected = Expected(seed, steps);
    // A step that only looks leaves the state of the one before it; the last of equals is meant.
    const auto found = std::find(expected.rbegin(), expected.rend(), Sha256Of(Describe(*exec)));
    if (found == expected.rend()) {
      Say("error -1 a state of no step");
      return 3;
    }
    step = static_cast<int>(expected.rend() - found) - 1;
  }
  for (; step < steps; ++step) {
    if (early) Say(fmt::format("ack {} durable", step));
    if (!RequestsOf(seed, step)) {
      exec.reset();
      exec = OpenFile(path, error);
    }
    if (exec != nullptr) error = RunStep(*exec, seed, step);
    if (exec == nullptr || !error.empty()) {
      Say(fmt::format("error {} {}", step, error));
      return 3;
    }
    if (!early) Say(fmt::format("ack {} durable", step));
  }
  return 0;
}

std::string Check(const std::vector<Digest>& expected, const std::string& path, int durable,
                  int acked) {
  std::string error;
  const std::unique_ptr<Exec> exec = OpenFile(path, error);
  if (exec == nullptr) return "bad open: " + error;
  const auto problems = exec->database().Verify();
  if (!problems) return "bad verify: " + problems.error().message();
  if (!problems->empty()) return "bad " + problems->front();
  const Digest digest = Sha256Of(Describe(*exec));
  const int last = std::min(acked + 1, static_cast<int>(expected.size()) - 1);
  for (int i = last; i >= durable; --i) {
    if (expected[static_cast<std::size_t>(i)] == digest) return fmt::format("ok {}", i);
  }
  const auto found = std::ranges::find(expected, digest);
  if (found == expected.end()) return "bad state of no step";
  return fmt::format("bad lost: state {} of {} to {}", found - expected.begin(), durable, last);
}

int CheckLines(std::uint64_t seed, int steps) {
  const std::vector<Digest> expected = Expected(seed, steps);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string path;
    int durable = 0;
    int acked = 0;
    words >> path >> durable >> acked;
    Say(Check(expected, path, durable, acked));
  }
  return 0;
}

}  // namespace
}  // namespace pactdb::crash

int main(int argc, char** argv) {
  using namespace pactdb::crash;
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() >= 4 && args[0] == "run") {
    return RunScript(args[1], static_cast<std::uint64_t>(Number(args[2])), Number(args[3]),
                     args.size() > 4);
  }
  if (args.size() == 3 && args[0] == "check") {
    return CheckLines(static_cast<std::uint64_t>(Number(args[1])), Number(args[2]));
  }
  std::cerr << "usage: engine_tool run FILE SEED STEPS [early] | check SEED STEPS\n";
  return 2;
}

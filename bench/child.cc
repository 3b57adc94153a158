#include "child.h"

#include <fmt/format.h>
#include <malloc.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <utility>

#include "check_result.h"
#include "setup.h"

extern char** environ;

namespace pactdb::bench {
namespace {

// Bytes of the process in memory.
double MeasureResident() {
  malloc_trim(0);
  long pages = 0;
  long resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  Check(file != nullptr && std::fscanf(file, "%ld %ld", &pages, &resident) == 2,
        "statm is readable");
  std::fclose(file);
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Prints resident bytes and the bytes of JSON of one loaded workload.
int MeasureLoad(std::int64_t turns) {
  const double before = MeasureResident();
  const Workload workload({.turns = turns});
  std::optional<Document> document = workload.MakeDocument();
  const std::int64_t json_bytes = document->serialized_bytes();
  const Context context = Load(workload, *document);
  document.reset();
  const double after = MeasureResident();
  const Snapshot newest = ValueOf(context.At("@t0"), "take @t0");
  Check(newest.Find(BlockId(turns, 1)).has_value(), "the loaded tree can be read");
  fmt::print("{} {}\n", after - before, json_bytes);
  return 0;
}

// Prints, for the average commit of a turn, the growth of resident bytes and the bytes of its
// texts.
int MeasureGrowth(std::int64_t turns, std::int64_t commits) {
  const Workload workload({.turns = turns});
  Context context = Load(workload);
  const double before = MeasureResident();
  double text_bytes = 0;
  for (std::int64_t i = 0; i < commits; ++i) {
    const Turn turn = workload.MakeTurn(context.open_cycle());
    for (const Block& block : turn) text_bytes += static_cast<double>(block.text.size());
    CommitTurn(context, turn);
  }
  const double after = MeasureResident();
  fmt::print("{} {}\n", (after - before) / static_cast<double>(commits),
             text_bytes / static_cast<double>(commits));
  return 0;
}

// The reading end of a pipe and the child that writes into it.
std::pair<std::FILE*, pid_t> Start(const std::string& program,
                                   const std::vector<std::string>& task) {
  std::array<int, 2> ends{};
  Check(pipe(ends.data()) == 0, "a pipe can be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  std::vector<std::string> words = {program, std::string(kChildFlag)};
  words.insert(words.end(), task.begin(), task.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int code =
      posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Check(code == 0, "the program can start itself");
  return {fdopen(ends[0], "r"), child};
}

}  // namespace

std::vector<double> RunChild(const std::string& program, const std::vector<std::string>& task) {
  const auto [output, child] = Start(program, task);
  std::vector<double> numbers;
  for (double number = 0; std::fscanf(output, "%lf", &number) == 1;) numbers.push_back(number);
  std::fclose(output);
  int status = 0;
  waitpid(child, &status, 0);
  Check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child measured");
  return numbers;
}

int ChildMain(const std::vector<std::string>& task) {
  if (task.size() == 2 && task[0] == "load") return MeasureLoad(std::stoll(task[1]));
  if (task.size() == 3 && task[0] == "growth") {
    return MeasureGrowth(std::stoll(task[1]), std::stoll(task[2]));
  }
  fmt::print(stderr, "bench: unknown task of a child\n");
  return 2;
}

}  // namespace pactdb::bench

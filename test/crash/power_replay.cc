// Rebuilds what a power cut can leave, from the log of a run, and looks at each.
//
//   power_replay LOG FOLDER SEED STEPS STATES
//
// The model: what a file held when it was last synced is there. Of what was done to it since, any
// part may be: nothing, a beginning, any subset, and of a write any of its 512-byte sectors. Names
// (made, removed, renamed) are there once their folder was synced; of those since, a beginning or
// any subset. Moments are spread evenly over the log; each state must hold what had been
// acknowledged as durable by then. The last line is "STATES states, LOST lost, CORRUPT corrupt".
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "crash/check.h"
#include "crash/fault_log.h"
#include "crash/number.h"
#include "support/random.h"

namespace pactdb::crash {
namespace {

constexpr std::size_t kSector = 512;

struct Change {
  bool is_write = false;
  std::uint64_t at = 0;  // offset, or new size
  std::string data;
};

struct File {
  std::string synced;
  std::vector<Change> since;
};

struct NameChange {
  LogOp op = LogOp::kCreate;
  std::string name;
  std::string to;              // of a rename
  std::shared_ptr<File> file;  // of a create
};

using Names = std::map<std::string, std::shared_ptr<File>>;

void Apply(std::string& bytes, const Change& change) {
  if (!change.is_write) {
    bytes.resize(change.at);
    return;
  }
  if (bytes.size() < change.at + change.data.size()) bytes.resize(change.at + change.data.size());
  bytes.replace(change.at, change.data.size(), change.data);
}

void Apply(Names& names, const NameChange& change) {
  if (change.op == LogOp::kCreate) names[change.name] = change.file;
  if (change.op == LogOp::kRename && names.contains(change.name)) {
    names[change.to] = names[change.name];
  }
  if (change.op != LogOp::kCreate) names.erase(change.name);
}

// How much of what was not synced is there.
enum class Mode : std::uint8_t { kNothing, kBeginning, kSubset, kTorn };

class Machine {
 public:
  // Takes one record of the log.
  void Take(const LogRecord& record);
  // Writes a state that a cut now could leave into `folder`.
  void Cut(const std::string& folder, Mode mode, support::Random& random) const;

  int acked() const { return acked_; }
  int durable() const { return durable_; }

 private:
  bool IsFolder(std::string_view path) const;
  std::string AfterCut(const File& file, Mode mode, support::Random& random) const;

  Names now_;
  Names synced_;
  std::vector<NameChange> names_since_;
  int acked_ = 0;
  int durable_ = 0;
};

// All files lie in one folder.
bool Machine::IsFolder(std::string_view path) const {
  if (path.ends_with('/')) path.remove_suffix(1);
  return !now_.empty() && std::string_view(now_.begin()->first).substr(0, path.size()) == path &&
         now_.begin()->first.rfind('/') == path.size();
}

void Machine::Take(const LogRecord& record) {
  const std::string path(record.path);
  switch (record.op) {
    case LogOp::kCreate:
    case LogOp::kUnlink:
    case LogOp::kRename: {
      NameChange change{.op = record.op, .name = path, .to = std::string(record.data)};
      if (record.op == LogOp::kCreate) change.file = std::make_shared<File>();
      Apply(now_, change);
      names_since_.push_back(std::move(change));
      return;
    }
    case LogOp::kWrite:
    case LogOp::kTruncate:
      // A file that lost its name has nothing to lose.
      if (!now_.contains(path)) return;
      now_[path]->since.push_back({.is_write = record.op == LogOp::kWrite,
                                   .at = record.offset,
                                   .data = std::string(record.data)});
      return;
    case LogOp::kSync:
      if (IsFolder(path)) {
        for (const NameChange& change : names_since_) Apply(synced_, change);
        names_since_.clear();
        return;
      }
      if (!now_.contains(path)) return;
      for (const Change& change : now_[path]->since) Apply(now_[path]->synced, change);
      now_[path]->since.clear();
      return;
    case LogOp::kSaid:
      if (!record.data.starts_with("ack ")) return;
      ++acked_;
      if (record.data.ends_with("durable\n")) durable_ = acked_;
      return;
  }
}

std::string Machine::AfterCut(const File& file, Mode mode, support::Random& random) const {
  std::string bytes = file.synced;
  if (mode == Mode::kNothing) return bytes;
  const std::size_t beginning = random.Below(file.since.size() + 1);
  for (std::size_t i = 0; i < file.since.size(); ++i) {
    const Change& change = file.since[i];
    if (mode == Mode::kBeginning ? i >= beginning : random.Chance(50)) continue;
    if (mode != Mode::kTorn || !change.is_write) {
      Apply(bytes, change);
      continue;
    }
    for (std::size_t at = 0; at < change.data.size(); at += kSector) {
      if (random.Chance(30)) continue;
      Apply(bytes,
            {.is_write = true, .at = change.at + at, .data = change.data.substr(at, kSector)});
    }
  }
  return bytes;
}

void Machine::Cut(const std::string& folder, Mode mode, support::Random& random) const {
  Names names = synced_;
  const std::size_t beginning = random.Below(names_since_.size() + 1);
  for (std::size_t i = 0; i < names_since_.size() && mode != Mode::kNothing; ++i) {
    const bool is_there = mode == Mode::kBeginning ? i < beginning : random.Chance(50);
    if (is_there) Apply(names, names_since_[i]);
  }
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  for (const auto& [path, file] : names) {
    // Shared memory is gone with the machine.
    if (path.ends_with("-shm")) continue;
    const std::string name = path.substr(path.rfind('/') + 1);
    std::ofstream(folder + "/" + name, std::ios::binary) << AfterCut(*file, mode, random);
  }
}

struct Arguments {
  std::string log;
  std::string folder;
  std::uint64_t seed = 1;
  int steps = 0;
  std::size_t states = 0;
};

int Replay(const Arguments& arguments) {
  std::ifstream file(arguments.log, std::ios::binary);
  const std::string log{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<LogRecord> records;
  std::string_view rest = log;
  while (const auto record = DecodeLog(rest)) records.push_back(*record);
  Script script(arguments.seed, arguments.steps);
  const std::vector<Digest> expected = script.Expected();
  Machine machine;
  support::Random random(arguments.seed);
  std::size_t done = 0;
  std::size_t lost = 0;
  std::size_t corrupt = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    machine.Take(records[i]);
    for (; done < arguments.states * (i + 1) / records.size(); ++done) {
      const auto mode = static_cast<Mode>(random.Below(4));
      machine.Cut(arguments.folder, mode, random);
      const std::string answer =
          CheckFile(script, expected, arguments.folder + "/a", machine.durable(), machine.acked());
      if (answer.starts_with("ok")) continue;
      ++(answer.starts_with("bad lost") ? lost : corrupt);
      if (lost + corrupt <= 10) {
        std::cout << fmt::format("record {} of {}, mode {}: {}\n", i, records.size(),
                                 static_cast<int>(mode), answer);
      }
    }
  }
  std::cout << fmt::format("{} states, {} lost, {} corrupt\n", done, lost, corrupt);
  return 0;
}

}  // namespace
}  // namespace pactdb::crash

int main(int argc, char** argv) {
  using namespace pactdb::crash;
  if (argc != 6) {
    std::cerr << "usage: power_replay LOG FOLDER SEED STEPS STATES\n";
    return 2;
  }
  return Replay({.log = argv[1],
                 .folder = argv[2],
                 .seed = Number<std::uint64_t>(argv[3]),
                 .steps = Number<int>(argv[4]),
                 .states = Number<std::size_t>(argv[5])});
}

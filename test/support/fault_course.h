// What a program does over a store that fails at one call, compared with what it does over one that
// does not.
//
// A course is a list of requests, played once without a fault, then once for each call it makes of
// the store with that call failing, and once more with all behind it failing too until the request
// is answered. The request under way says so and changes nothing, in the program and in the store;
// asked again, it gives the answer it would have given; and whatever was acknowledged is there for
// whoever opens the store next.
//
// Thread safety: one thread at a time.
#pragma once

#include <gtest/gtest.h>
#include <pactdb/exec.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/contexts.h"
#include "support/failing_store.h"

namespace pactdb::support {

using Lines = std::vector<std::string>;

// Among requests: closes the program and opens it again.
inline constexpr std::string_view kReopen = "reopen";

// Everything that a program sees of its contexts.
inline std::string ViewOf(Database& database) {
  std::string view;
  for (const ContextInfo& info : Must(database.List())) {
    const Context& context = *Must(database.Find(info.name));
    view += info.name;
    for (const std::string& part :
         {std::to_string(info.snapshots), std::to_string(context.open_cycle()),
          context.tree_sha256(), Must(context.Tree()), Must(context.Log({.hashes = true})),
          context.ListAttempts(), context.Verify()})
      view.append("\n  ").append(part);
    view += '\n';
  }
  return view;
}

// The same time always: a context without a clock of its own counts on from there.
class StillHost final : public Host {
 public:
  std::int64_t NowNs() override { return 1'000'000; }
  std::uint32_t RandomBits() override { return 4; }
};

// A session over a store that outlives it.
class Program {
 public:
  explicit Program(std::shared_ptr<Store> disk) : disk_(std::move(disk)) {
    EXPECT_EQ(Run(kReopen), kOk);
  }

  StoreFault& fault() { return *fault_; }

  std::string Run(std::string_view line) {
    if (line != kReopen) return exec_->Answer(line);
    exec_.reset();
    auto database = Open(fault_);
    if (!database) return R"({"ok":false,"error":")" + CodeOf(database) + "\"}";
    exec_ = std::make_unique<Exec>(*std::move(database));
    return std::string(kOk);
  }
  void RunAll(const Lines& lines) {
    for (const std::string& line : lines) {
      const std::string answer = Run(line);
      EXPECT_TRUE(answer.starts_with(R"({"ok":true)")) << line << answer;
    }
  }

  bool is_open() const { return exec_ != nullptr; }
  std::string View() { return ViewOf(exec_->database()); }
  // What the store holds for whoever opens it now; sound, or the test fails.
  std::string Kept() {
    Database other = Must(Open(std::make_shared<StoreFault>()));
    EXPECT_EQ(Must(other.Verify()), std::vector<std::string>());
    return ViewOf(other);
  }

 private:
  static constexpr std::string_view kOk = R"({"ok":true})";

  Result<Database> Open(std::shared_ptr<StoreFault> fault) {
    return Database::Over(std::make_unique<FailingStore>(disk_, std::move(fault)),
                          std::make_shared<StillHost>());
  }

  std::shared_ptr<Store> disk_;
  std::shared_ptr<StoreFault> fault_ = std::make_shared<StoreFault>();
  std::unique_ptr<Exec> exec_;
};

using DiskMaker = std::function<std::shared_ptr<Store>()>;

inline std::shared_ptr<Store> DiskAfter(const Lines& lines) {
  std::shared_ptr<Store> disk = MakeMemoryStore();
  Program(disk).RunAll(lines);
  return disk;
}

// What comes of the steps if nothing fails.
struct Course {
  Lines steps;
  Lines answers;
  Lines views;  // before the first step and after each
  Lines kept;
};

inline Course Play(const DiskMaker& make_disk, const Lines& steps) {
  Program program(make_disk());
  Course course{.steps = steps, .answers = {}, .views = {program.View()}, .kept = {program.Kept()}};
  for (const std::string& step : steps) {
    course.answers.push_back(program.Run(step));
    course.views.push_back(program.View());
    course.kept.push_back(program.Kept());
  }
  return course;
}

// What has happened when the call fails is made up for later, and is no reason to say that it has
// not: an edit gets into the journal with the next one, another `main` is made when it is asked
// for, and after retention contexts are read again when they are.
inline bool MayKeepSilent(std::string_view step, std::string_view call) {
  if (step.starts_with(R"({"op":"contexts")")) return call == "CreateContext";
  return call == "AppendJournal" || step.starts_with(R"({"op":"gc")");
}

// Retention that went well but for the space it frees says so, and is otherwise as ever.
inline std::string WithoutCompacted(std::string answer) {
  constexpr std::string_view kNote = R"(,"compacted":false)";
  const std::size_t at = answer.find(kNote);
  EXPECT_NE(at, std::string::npos) << answer;
  return at == std::string::npos ? answer : answer.erase(at, kNote.size());
}

// The step at `i` answered while the fault was on.
inline void Judge(Program& program, const Course& course, std::size_t i,
                  const std::string& answer) {
  const bool failed = answer.find("\"E_STORE_IO\"") != std::string::npos;
  if (!failed && course.steps[i].starts_with(R"({"op":"verify")")) {
    EXPECT_NE(answer.find("the disk is broken"), std::string::npos) << answer;
  } else if (!failed) {
    EXPECT_EQ(answer, course.answers[i]);
    EXPECT_TRUE(MayKeepSilent(course.steps[i], program.fault().in));
  }
  const std::size_t now = failed ? i : i + 1;
  if (program.is_open()) {
    EXPECT_EQ(program.View(), course.views[now]);
  }
  const std::string kept = program.Kept();
  if (failed || program.fault().in != "AppendJournal") {
    EXPECT_EQ(kept, course.kept[now]);
  }
}

// With the n-th call failing; false if there are not so many.
inline bool PlayWithFault(const DiskMaker& make_disk, const Course& course, int n, bool lasts) {
  Program program(make_disk());
  program.fault() = {.at = n, .lasts = lasts, .calls = 0, .in = {}};
  bool was_judged = false;
  for (std::size_t i = 0; i < course.steps.size(); ++i) {
    std::string answer = program.Run(course.steps[i]);
    if (!program.fault().in.empty() && !was_judged) {
      SCOPED_TRACE(course.steps[i].substr(0, 100) + " with " + program.fault().in + " failing");
      if (program.fault().in == "Compact") answer = WithoutCompacted(std::move(answer));
      program.fault().Mend();
      was_judged = true;
      Judge(program, course, i, answer);
      if (answer != course.answers[i]) answer = program.Run(course.steps[i]);
      EXPECT_EQ(answer, course.answers[i]) << "asked again";
    }
    EXPECT_EQ(answer, course.answers[i]);
  }
  if (!was_judged) return false;
  EXPECT_EQ(program.View(), course.views.back());
  EXPECT_EQ(program.Kept(), course.kept.back());
  return true;
}

enum class Faults : std::uint8_t { kSingleAndLasting, kSingle };

inline void Sweep(const DiskMaker& make_disk, const Lines& steps,
                  Faults faults = Faults::kSingleAndLasting) {
  const Course course = Play(make_disk, steps);
  for (const bool lasts : {false, true}) {
    if (lasts && faults == Faults::kSingle) break;
    int n = 1;
    while (!::testing::Test::HasFailure() && PlayWithFault(make_disk, course, n, lasts)) ++n;
    if (!::testing::Test::HasFailure()) {
      EXPECT_GT(n, 1) << "the steps do not reach the store";
    }
  }
}

// On a store of its own for every course.
inline void SweepAfter(const Lines& before, const Lines& steps,
                       Faults faults = Faults::kSingleAndLasting) {
  Sweep([&before] { return DiskAfter(before); }, steps, faults);
}

}  // namespace pactdb::support

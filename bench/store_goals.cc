// Goals 13, 14, 15 and 19: what a file costs, to write, in bytes, to open, and in a whole session.
#include <pactdb/render.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <vector>

#include "check_result.h"
#include "goals.h"
#include "setup.h"
#include "stored_turns.h"

namespace pactdb::bench {
namespace {

constexpr std::size_t kRowBytes = 4'000;
constexpr int kTurnsOfSession = 1'000;
constexpr int kCommitsUntilLogsAreLong = 400;

Figure Exact(double value) {
  return {.value = value, .p99 = value, .spread = 1};
}

void ReadFile(const std::string& path) {
  std::vector<char> block(1 << 20);
  std::FILE* file = std::fopen(path.c_str(), "rb");
  Check(file != nullptr, "the file is there");
  std::size_t size = 0;
  while ((size = std::fread(block.data(), 1, block.size(), file)) > 0) Keep(block[size - 1]);
  std::fclose(file);
}

// A commit of ours beside a row of SQLite, of about the same bytes: the operation `commit`, as in
// goal 19, where a turn is appended, rendered, looked at and committed. What the turn takes with
// the adding of its nodes is told beside it.
class CommitDuel {
 public:
  explicit CommitDuel(Durability durability)
      : durability_(durability),
        stored_(folder_.path("ours.pactdb"), durability),
        log_(folder_.path("log.sqlite"), durability) {}

  // Lots in turn, because a disk is not the same a second later.
  void Run(int lots) {
    for (; lots > 0; --lots) {
      for (Series* series : {&turns_, &commits_, &rows_}) series->BeginRound();
      for (int i = 0; i < kLot; ++i) CommitTurn();
      for (int i = 0; i < kLot; ++i) rows_.Add(TimeNs([this] { log_.Append(row_); }));
    }
  }
  void Forget() { turns_ = commits_ = rows_ = {}; }

  // The slowest hundredth, beside the reference's.
  Row SlowRow(std::string goal, std::string what, const Bar& bar) const {
    const auto slow = [](const Figure& all) {
      return Figure{.value = all.p99, .p99 = 0, .spread = all.spread};
    };
    return {.goal = std::move(goal),
            .what = std::move(what),
            .unit = Unit::kUs,
            .ours = slow(commits_.Summarize()),
            .reference_name = "SQLite, a row of 4,000 B",
            .reference = slow(Reference()),
            .bar = bar};
  }

  std::vector<Row> Rows(std::string goal, std::string what, const std::string& how,
                        const Bar& bar) const {
    const Figure rows = Reference();
    return {{.goal = std::move(goal),
             .what = std::move(what),
             .unit = Unit::kUs,
             .ours = commits_.Summarize(),
             .reference_name = "SQLite, a row of 4,000 B",
             .reference = rows,
             .bar = bar},
            {.goal = "",
             .what = "a turn with its nodes, " + how,
             .unit = Unit::kUs,
             .ours = turns_.Summarize(),
             .reference_name = "SQLite, a row of 4,000 B",
             .reference = rows}};
  }

  static constexpr int kLot = 10;

 private:
  Figure Reference() const {
    const Figure rows = rows_.Summarize();
    return durability_ == Durability::kFull ? folder_.Durable(rows) : rows;
  }

  void CommitTurn() {
    Context& context = stored_.context();
    const Turn turn = workload_.MakeTurn(context.open_cycle());
    const double add = TimeNs([&] { AddTurn(context, turn); });
    const double commit = TimeNs([&] { Keep(ValueOf(context.Commit(), "commit").cycle); });
    turns_.Add(add + commit);
    commits_.Add(commit);
  }

  const BenchFolder folder_;
  const Workload workload_{{.turns = 0}};
  const std::string row_ = std::string(kRowBytes, 'x');
  const Durability durability_;
  StoredTurns stored_;
  RowLog log_;
  Series turns_;
  Series commits_;
  Series rows_;
};

void Fight(CommitDuel& duel, const Plan& plan) {
  // A log that grows takes longer to sync. Both are moved into their files after a thousand pages,
  // some 330 commits, and written over from then on: that is what goes on in a long session.
  duel.Run(plan.is_quick ? 1 : kCommitsUntilLogsAreLong / CommitDuel::kLot);
  duel.Forget();
  duel.Run(plan.rounds * plan.commits / CommitDuel::kLot);
}

// How a session gets what a model is sent, in memory that is kept for it.
enum class Thread : std::uint8_t {
  kFollowed,  // each turn the bytes that it adds
  kWhole,     // each turn all of it anew
};

// Turn by turn: append, have the thread, look three times, commit.
double OurSession(const std::string& path, int turns, Thread thread) {
  const Workload workload({.turns = 0});
  StoredTurns stored(path, Durability::kFull);
  Context& context = stored.context();
  std::vector<Turn> said;
  said.reserve(static_cast<std::size_t>(turns));
  for (int turn = 1; turn <= turns; ++turn) said.push_back(workload.MakeTurn(turn));
  std::string body;
  StringSink sink(body);
  ThreadFollower follower;
  std::string added;
  StringSink end(added);
  const double took = TimeNs([&] {
    for (const Turn& turn : said) {
      AddTurn(context, turn);
      if (thread == Thread::kWhole) {
        body.clear();
        Check(context.RenderTo(sink).has_value(), "render");
      }
      for (const char* selector :
           {"^seq .seg:depth(1-3) .block[role=user]", ".block[role=assistant]", "^ah .block"})
        Keep(ValueOf(context.Select(selector, {.limit = 50}), "select").size());
      Check(ValueOf(context.Commit(), "commit").durable, "a commit is on the disk");
      if (thread == Thread::kFollowed) {
        added.clear();
        body.resize(follower.Follow(ValueOf(context.At("@t0"), "take @t0"), end).kept);
        body += added;
      }
      Keep(body.size());
    }
  });
  Check(body == ValueOf(context.Render(), "render").body, "the thread is the session's");
  return took;
}

double NaiveSession(const std::string& path, const std::string& document) {
  const std::string command =
      "python3 -B '" PACTDB_BENCH_DIR "/naive_session.py' '" + path + "' '" + document + "'";
  std::FILE* output = popen(command.c_str(), "r");
  Check(output != nullptr, "python3 can be started");
  double ns = 0;
  const int read = std::fscanf(output, "%lf", &ns);
  while (std::fgetc(output) != EOF) {
  }
  Check(pclose(output) == 0 && read == 1, "the naive session ran");
  return ns;
}

}  // namespace

std::vector<Row> MeasureStoredBytes(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t last = plan.largest();
  const std::int64_t step = std::min<std::int64_t>(1'000, last / 4);
  const BenchFolder folder;
  StoredTurns stored(folder.path("bytes.pactdb"), Durability::kRelaxed);
  const auto bytes_between = [&](std::int64_t from, std::int64_t to) {
    stored.GrowTo(from);
    const double before = static_cast<double>(stored.CloseAndMeasure());
    stored.GrowTo(to);
    return (static_cast<double>(stored.CloseAndMeasure()) - before) /
           static_cast<double>(to - from);
  };
  const double early = bytes_between(step, 2 * step);
  const double late = bytes_between(last - step, last);
  const double json = static_cast<double>(Workload({.turns = step}).MakeDocument().json.size()) /
                      static_cast<double>(step);
  return {{.goal = "13",
           .what = "stored bytes of a turn, turn " + std::to_string(last),
           .unit = Unit::kBytes,
           .ours = Exact(late),
           .reference_name = "turn " + std::to_string(2 * step),
           .reference = Exact(early),
           .bar = {.must = 1.02, .aim = 1.0}},
          {.goal = "13b",
           .what = "stored bytes of a turn",
           .unit = Unit::kBytes,
           .ours = Exact(late),
           .reference_name = "JSON of its nodes",
           .reference = Exact(json),
           .bar = {.must = 1.25}}};
}

std::vector<Row> MeasureDurableCommit(Fixtures& fixtures) {
  CommitDuel duel(Durability::kFull);
  Fight(duel, fixtures.plan());
  std::vector<Row> rows = duel.Rows("14", "durable commit", "durable", {.must = 1.15, .aim = 1.0});
  rows.push_back(duel.SlowRow("14", "durable commit, p99", {.must = 1.5}));
  return rows;
}

std::vector<Row> MeasureRelaxedCommit(Fixtures& fixtures) {
  CommitDuel duel(Durability::kRelaxed);
  Fight(duel, fixtures.plan());
  return duel.Rows("14b", "commit without sync", "without sync", {.must = 1.5, .aim = 1.0});
}

std::vector<Row> MeasureOpen(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = plan.largest();
  const BenchFolder folder;
  const std::string path = folder.path("open.pactdb");
  StoredTurns stored(path, Durability::kRelaxed);
  stored.GrowTo(turns);
  stored.CloseAndMeasure();
  Series ours;
  Series reading;
  Interleave(
      plan.rounds,
      {{&ours,
        [&](Series& series) {
          std::optional<Database> database;
          std::string node;
          series.Add(TimeNs([&] {
            database = ValueOf(Database::Open(path, Access::kRead), "open");
            node = ValueOf(ValueOf(database->Find("main"), "main")->Get(BlockId(turns / 2, 3)),
                           "get a block");
          }));
          Check(node.find(BlockId(turns / 2, 3)) != std::string::npos, "the block is the one");
        }},
       {&reading, [&](Series& series) { series.Add(TimeNs([&] { ReadFile(path); })); }}});
  return {{.goal = "15",
           .what = "open a file to the first answer, " + SizeName(turns),
           .unit = Unit::kMs,
           .ours = ours.Summarize(),
           .reference_name = "reading the file",
           .reference = reading.Summarize(),
           .bar = {.must = 10, .aim = 3}}};
}

std::vector<Row> MeasureSession(Fixtures& fixtures) {
  const int turns = fixtures.plan().is_quick ? 20 : kTurnsOfSession;
  const BenchFolder folder;
  const std::string document = folder.path("turns.json");
  std::ofstream(document, std::ios::binary) << Workload({.turns = turns}).MakeDocument().json;
  // The other side takes most of a minute, so there are no more rounds than a median needs.
  Series ours;
  Series whole;
  Series naive;
  for (int round = 0; round < kRoundsMin; ++round) {
    const std::string number = std::to_string(round);
    ours.BeginRound();
    ours.Add(OurSession(folder.path("ours" + number), turns, Thread::kFollowed));
    whole.BeginRound();
    whole.Add(OurSession(folder.path("whole" + number), turns, Thread::kWhole));
    naive.BeginRound();
    naive.Add(NaiveSession(folder.path("naive" + number), document));
  }
  const Figure them = folder.Durable(naive.Summarize());
  const auto times_faster = [&them](const Figure& us) {
    const double times = them.value / us.value;
    return Figure{.value = times, .p99 = times, .spread = us.spread};
  };
  const std::string name = "Python list, JSON, SQLite";
  const Figure one{.value = 1, .p99 = 1, .spread = them.spread};
  return {{.goal = "19",
           .what = "a session of " + std::to_string(turns) + " turns, this many times faster",
           .unit = Unit::kTimes,
           .ours = times_faster(ours.Summarize()),
           .reference_name = name,
           .reference = one,
           .bar = {.must = 100, .aim = 200, .is_floor = true}},
          {.goal = "",
           .what = "the same, its thread rendered whole each turn",
           .unit = Unit::kTimes,
           .ours = times_faster(whole.Summarize()),
           .reference_name = name,
           .reference = one},
          {.goal = "",
           .what = "the session",
           .unit = Unit::kMs,
           .ours = ours.Summarize(),
           .reference_name = name,
           .reference = them}};
}

}  // namespace pactdb::bench

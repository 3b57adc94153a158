// Goals 18 and 18b: readers do not slow each other down, nor does a writer slow them.
//
// Two threads on one machine share caches and memory bandwidth whatever they do. So the gain of a
// second reader is held against the gain of a second thread that does the same to a tree of its
// own.
#include <atomic>
#include <limits>
#include <thread>

#include "check_result.h"
#include "goals.h"
#include "reader_threads.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

constexpr std::size_t kBatch = 64;

std::function<std::size_t()> MakeReader(const Snapshot& snapshot,
                                        const std::vector<std::string>& ids) {
  // The thread that runs the loop holds its own copy of the snapshot.
  return [snapshot, &ids] {
    const std::size_t found = LookUp(snapshot, ids);
    Check(found == ids.size(), "a reader finds every id");
    return found;
  };
}

// Samples of how many times faster two readers are than one.
void AddScaling(Series& series, const std::function<std::size_t()>& first,
                const std::function<std::size_t()>& second) {
  const double one = MeasureRate({first});
  const double two = MeasureRate({first, second});
  series.Add(two / one);
}

Figure WithoutP99(Figure figure) {
  figure.p99 = 0;
  // Two threads need two cores; on one there is nothing to see.
  if (CoreCount() < 2) figure.spread = std::numeric_limits<double>::infinity();
  return figure;
}

// One reader's batches, timed while the calling thread does `meanwhile` again and again.
class TimedReader {
 public:
  TimedReader(Reader reader, std::vector<std::string> ids)
      : reader_(std::move(reader)), ids_(std::move(ids)) {}

  void Run(Series& series, const std::function<void()>& meanwhile) {
    std::vector<double> samples;
    std::atomic<bool> is_done = false;
    std::thread thread([&] {
      PinToCore(1);
      ReadOnce(samples);
      samples.clear();
      ReadOnce(samples);
      is_done.store(true);
    });
    if (meanwhile) {
      while (!is_done.load(std::memory_order_relaxed)) meanwhile();
    }
    thread.join();
    for (const double ns : samples) series.Add(ns / kBatch);
  }

 private:
  // Every lookup asks for the newest snapshot, as an independent query would.
  void ReadOnce(std::vector<double>& samples) {
    for (std::size_t at = 0; at + kBatch <= ids_.size(); at += kBatch) {
      std::size_t found = 0;
      samples.push_back(TimeNs([&] {
        for (std::size_t i = at; i < at + kBatch; ++i) {
          const auto node = reader_.Latest()->Find(ids_[i]);
          if (node && node->created_at_ns() > 0) ++found;
        }
      }));
      Check(found == kBatch, "a reader finds every id");
    }
  }

  Reader reader_;
  std::vector<std::string> ids_;
};

}  // namespace

std::vector<Row> MeasureReaderScaling(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = plan.largest();
  const Snapshot shared = ValueOf(fixtures.GetContext(turns).At("@t0"), "take @t0");
  const Context own_context = Load(Workload({.turns = turns}));
  const Snapshot own = ValueOf(own_context.At("@t0"), "take @t0");
  const auto first_ids = PickBlockIds(turns, plan.lookups, 1);
  const auto second_ids = PickBlockIds(turns, plan.lookups, 2);
  const auto first = MakeReader(shared, first_ids);
  const auto second_on_shared = MakeReader(shared, second_ids);
  const auto second_on_own = MakeReader(own, second_ids);
  Series on_shared;
  Series on_own;
  Interleave(plan.rounds,
             {{&on_shared, [&](Series& series) { AddScaling(series, first, second_on_shared); }},
              {&on_own, [&](Series& series) { AddScaling(series, first, second_on_own); }}});
  return {{.goal = "18",
           .what = "by id, two readers to one, " + SizeName(turns),
           .unit = Unit::kTimes,
           .ours = WithoutP99(on_shared.Summarize()),
           .reference_name = "a tree each",
           .reference = WithoutP99(on_own.Summarize()),
           .bar = {.must = 0.9, .aim = 0.97, .is_floor = true}}};
}

std::vector<Row> MeasureBusyWriter(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const std::int64_t turns = plan.largest();
  const Workload workload({.turns = turns});
  Context context = Load(workload);  // its own: thousands of commits go into it
  std::vector<Turn> kept;
  for (std::int64_t i = 1; i <= 256; ++i) kept.push_back(workload.MakeTurn(turns + i));
  TimedReader reader(context.MakeReader(), PickBlockIds(turns, plan.lookups, 3));
  std::size_t commits = 0;
  const auto write = [&] { CommitTurn(context, kept[commits++ % kept.size()]); };
  const KeepAffinity keep;
  PinToCore(0);
  Series busy;
  Series idle;
  Interleave(plan.rounds, {{&busy, [&](Series& series) { reader.Run(series, write); }},
                           {&idle, [&](Series& series) { reader.Run(series, nullptr); }}});
  Check(commits > 0, "the writer wrote");
  Figure idle_figure = idle.Summarize();
  if (CoreCount() < 2) idle_figure.spread = std::numeric_limits<double>::infinity();
  return {{.goal = "18b",
           .what = "by id while a writer commits, " + SizeName(turns),
           .unit = Unit::kNs,
           .ours = busy.Summarize(),
           .reference_name = "idle writer",
           .reference = idle_figure,
           .bar = {.must = 1.3, .aim = 1.1}}};
}

}  // namespace pactdb::bench

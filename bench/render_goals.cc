// Goals 1 to 5: hashing, rendering and serializing, beside a copy of the same bytes.
//
// Output goes to memory that was written before: fresh pages alone would cost five copies. A cold
// render has no cache; what the next one has, with a cache, is goal 3.
#include <pactdb/render.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/sha256.h"
#include "check_result.h"
#include "goals.h"
#include "rapid_thread.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

// Warm memory of the size of what is rendered.
class WarmRoom {
 public:
  explicit WarmRoom(std::size_t bytes) : bytes_(bytes, '\0') {}
  std::span<char> get() { return bytes_; }

 private:
  std::vector<char> bytes_;
};

void Copy(std::string_view bytes, WarmRoom& room, Series& series) {
  series.Add(TimeNs([&] {
    std::memcpy(room.get().data(), bytes.data(), bytes.size());
    Keep(room.get().data());
  }));
}

std::string RenderWhole(const Snapshot& snapshot) {
  std::string bytes;
  StringSink sink(bytes);
  RenderThread(snapshot, sink);
  return bytes;
}

// Renders into the room; ends the program unless the bytes are those wanted.
void RenderInto(const Snapshot& snapshot, WarmRoom& room, RenderCache* cache, std::size_t size,
                Series& series) {
  SpanSink sink(room.get());
  series.Add(TimeNs([&] { RenderThread(snapshot, sink, cache); }));
  Check(sink.fits() && sink.size() == size, "a render has the size of the thread");
}

void CheckSame(std::string_view want, WarmRoom& room, std::string_view claim) {
  Check(std::memcmp(want.data(), room.get().data(), want.size()) == 0, claim);
}

std::vector<Row> ColdRows(Fixtures& fixtures, std::int64_t turns) {
  const Workload workload({.turns = turns});
  const Context context = Load(workload);
  const Snapshot snapshot = ValueOf(context.At("@t0"), "take @t0");
  const std::string thread = RenderWhole(snapshot);
  RapidThread rapid(workload);
  Check(rapid.Write().size() == thread.size(), "RapidJSON's thread has the same size");
  WarmRoom room(thread.size());
  WarmRoom copy(thread.size());
  Series ours;
  Series copies;
  Series rapids;
  Interleave(
      fixtures.plan().rounds,
      {{&ours, [&](Series& series) { RenderInto(snapshot, room, nullptr, thread.size(), series); }},
       {&copies, [&](Series& series) { Copy(thread, copy, series); }},
       {&rapids,
        [&](Series& series) { series.Add(TimeNs([&] { Keep(rapid.Write().data()); })); }}});
  CheckSame(thread, room, "a render repeats itself");
  const std::string what = "cold render of the thread, " + SizeName(turns);
  const auto rate = [&](const Series& series) {
    const Figure figure = series.Summarize();
    return Figure{static_cast<double>(thread.size()) / figure.value * 1e3, 0, figure.spread};
  };
  return {{.goal = "2",
           .what = what,
           .unit = Unit::kMs,
           .ours = ours.Summarize(),
           .reference_name = "memcpy",
           .reference = copies.Summarize(),
           .bar = {.must = 7, .aim = 5}},
          {.goal = "2",
           .what = what,
           .unit = Unit::kMbPerSecond,
           .ours = rate(ours),
           .reference_name = "RapidJSON, ASCII",
           .reference = rate(rapids),
           .bar = {.must = 2.5, .is_floor = true}}};
}

// The bytes behind the kept ones, and the time it took to get them.
void FollowOnce(Context& context, const Workload& workload, ThreadFollower& follower,
                std::string& bytes, Series& series) {
  CommitTurn(context, workload.MakeTurn(context.open_cycle()));
  const Snapshot newest = ValueOf(context.At("@t0"), "take @t0");
  bytes.clear();
  StringSink sink(bytes);
  ThreadStep step;
  series.Add(TimeNs([&] { step = follower.Follow(newest, sink); }));
  Check(step.kept > 0 && step.total - step.kept == bytes.size(), "only the new turn is written");
  Check(bytes.size() < 8'192, "the new turn is a turn's size");
}

}  // namespace

std::vector<Row> MeasureContentHash(Fixtures& fixtures) {
  constexpr std::size_t kHashes = 20'000;
  const Turn turn = Workload({}).MakeTurn(1);
  std::vector<NodeSpec> specs(turn.size());
  std::vector<std::string> canonical(turn.size());
  for (std::size_t i = 0; i < turn.size(); ++i) {
    specs[i].Role(turn[i].role).Kind(turn[i].kind).Text(turn[i].text);
    const std::string content = ValueOf(Json::String(turn[i].text), "make a string").text();
    canonical[i] = "{\"content\":" + content + ",\"kind\":\"" + std::string(turn[i].kind) +
                   "\",\"role\":\"" + std::string(turn[i].role) + "\"}";
    Check(HashNode(specs[i]) == ToHex(Sha256Of(canonical[i])), "the hash is of those bytes");
  }
  Series ours;
  Series plain;
  // The reference is EVP, fetched once, its context reused.
  Sha256 evp;
  const auto hash_plainly = [&evp](std::string_view bytes) {
    evp.Reset();
    evp.Update(bytes);
    return evp.Finish();
  };
  Interleave(fixtures.plan().rounds,
             {{&ours,
               [&](Series& series) {
                 series.Add(TimeNs([&] {
                              for (std::size_t i = 0; i < kHashes; ++i)
                                Keep(HashNode(specs[i % specs.size()])[0]);
                            }) /
                            kHashes);
               }},
              {&plain, [&](Series& series) {
                 series.Add(TimeNs([&] {
                              for (std::size_t i = 0; i < kHashes; ++i)
                                Keep(hash_plainly(canonical[i % specs.size()])[0]);
                            }) /
                            kHashes);
               }}});
  return {{.goal = "1",
           .what = "content hash of a block",
           .unit = Unit::kNs,
           .ours = ours.Summarize(),
           .reference_name = "SHA-256 of the bytes",
           .reference = plain.Summarize(),
           .bar = {.must = 1.5, .aim = 1.3}}};
}

std::vector<Row> MeasureColdRender(Fixtures& fixtures) {
  std::vector<Row> rows;
  for (std::size_t i = 1; i < fixtures.plan().sizes.size(); ++i) {
    for (Row& row : ColdRows(fixtures, fixtures.plan().sizes[i])) rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Row> MeasureRenderAgain(Fixtures& fixtures) {
  const std::int64_t turns = fixtures.plan().largest();
  const Workload workload({.turns = turns});
  Context& context = fixtures.GetContext(turns);
  RenderCache cache(std::size_t{1} << 30);
  std::string thread;
  WarmRoom room(RenderWhole(ValueOf(context.At("@t0"), "take @t0")).size() + (1u << 20));
  WarmRoom copy(room.get().size());
  Series first;
  Series ours;
  Series copies;
  first.BeginRound();
  const auto render = [&](Series& series) {
    const Snapshot newest = ValueOf(context.At("@t0"), "take @t0");
    thread = RenderWhole(newest);
    RenderInto(newest, room, &cache, thread.size(), series);
    CheckSame(thread, room, "the cache changes no byte");
  };
  render(first);
  Interleave(fixtures.plan().rounds,
             {{&ours,
               [&](Series& series) {
                 CommitTurn(context, workload.MakeTurn(context.open_cycle()));
                 render(series);
               }},
              {&copies, [&](Series& series) { Copy(thread, copy, series); }}});
  const auto stats = cache.stats();
  const std::string size = SizeName(turns);
  return {{.goal = "3",
           .what = "first render, filling the cache, " + size,
           .unit = Unit::kMs,
           .ours = first.Summarize(),
           .reference_name = "memcpy",
           .reference = copies.Summarize()},
          {.goal = "3",
           .what = "bytes of the cache, " + size,
           .unit = Unit::kMegabytes,
           .ours = {.value = static_cast<double>(stats.bytes)},
           .reference_name = "the thread",
           .reference = Figure{.value = static_cast<double>(thread.size())}},
          {.goal = "3",
           .what = "render again after one more turn, " + size,
           .unit = Unit::kMs,
           .ours = ours.Summarize(),
           .reference_name = "memcpy",
           .reference = copies.Summarize(),
           .bar = {.must = 1.8, .aim = 1.4}}};
}

std::vector<Row> MeasureNewTurn(Fixtures& fixtures) {
  const std::vector<std::int64_t>& sizes = fixtures.plan().sizes;
  struct Side {
    explicit Side(std::int64_t turns) : loaded(turns) {}
    LoadedContext loaded;
    ThreadFollower follower;
    std::string bytes;
    Series series;
  };
  std::vector<std::unique_ptr<Side>> sides;
  std::vector<Contender> contenders;
  // W1 would have grown by half before the rounds are over; a fresh start must not be measured.
  const int steps = std::max(1, 45 / (fixtures.plan().rounds + 1));
  for (const std::int64_t turns : sizes) {
    Side* side = sides.emplace_back(std::make_unique<Side>(turns)).get();
    StringSink sink(side->bytes);
    side->follower.Follow(ValueOf(side->loaded.Get().At("@t0"), "take @t0"), sink);
    contenders.push_back({&side->series, [side, steps](Series& series) {
                            for (int i = 0; i < steps; ++i) {
                              FollowOnce(side->loaded.Get(), side->loaded.workload(),
                                         side->follower, side->bytes, series);
                            }
                          }});
  }
  Interleave(fixtures.plan().rounds, contenders);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    rows.push_back({.goal = "4",
                    .what = "bytes of the new turn only, " + SizeName(sizes[i]),
                    .unit = Unit::kUs,
                    .ours = sides[i]->series.Summarize()});
  }
  rows.back().reference_name = SizeName(sizes[0]);
  rows.back().reference = sides[0]->series.Summarize();
  rows.back().bar = {.must = 2, .figure_aim = 10'000};
  return rows;
}

}  // namespace pactdb::bench

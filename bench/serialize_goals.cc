// Goal 5: the reference serialization, beside a copy of its bytes and beside the reference itself,
// which is Python.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/sha256.h"
#include "check_result.h"
#include "goals.h"
#include "setup.h"

namespace pactdb::bench {
namespace {

// A document in a file for the time of the run.
class DocumentFile {
 public:
  explicit DocumentFile(const std::string& json)
      : path_(std::filesystem::temp_directory_path() /
              ("pactdb-bench-" + std::to_string(getpid()) + ".json")) {
    std::ofstream(path_, std::ios::binary) << json;
  }
  ~DocumentFile() { std::filesystem::remove(path_); }
  DocumentFile(const DocumentFile&) = delete;
  DocumentFile& operator=(const DocumentFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// One serialization by the reference; ends the program unless its bytes have the size and hash.
void RunReference(const DocumentFile& document, std::string_view bytes, Series& series) {
  const std::string command =
      "python3 -B '" PACTDB_BENCH_DIR "/serialize_reference.py' 1 < '" + document.path() + "'";
  std::FILE* output = popen(command.c_str(), "r");
  Check(output != nullptr, "python3 can be started");
  double ns = 0;
  std::size_t size = 0;
  char hash[65] = {};
  const int read = std::fscanf(output, "%lf %zu %64s", &ns, &size, hash);
  while (std::fgetc(output) != EOF) {
  }  // to the end, or Python finds its pipe broken
  Check(pclose(output) == 0 && read == 3, "the reference measured");
  Check(size == bytes.size() && hash == ToHex(Sha256Of(bytes)), "the bytes are the reference's");
  series.Add(ns);
}

}  // namespace

std::vector<Row> MeasureSerialize(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  std::vector<Row> rows;
  for (std::size_t i = 1; i < plan.sizes.size(); ++i) {
    const std::int64_t turns = plan.sizes[i];
    const Workload workload({.turns = turns});
    const Document document = workload.MakeDocument();
    const Context context = Load(workload, document);
    std::string bytes = ValueOf(context.Serialize("@t0"), "serialize");
    std::vector<char> copy(bytes.size());
    std::vector<char> room(bytes.size());
    Series ours;
    Series copies;
    Series reference;
    std::vector<Contender> contenders = {
        {&ours,
         [&](Series& series) {
           SpanSink sink(room);
           series.Add(TimeNs([&] {
             Check(context.SerializeTo(sink, "@t0").has_value(), "a snapshot serializes");
           }));
           Check(sink.fits() && std::memcmp(room.data(), bytes.data(), bytes.size()) == 0,
                 "a serialization repeats itself");
         }},
        {&copies, [&](Series& series) {
           series.Add(TimeNs([&] {
             std::memcpy(copy.data(), bytes.data(), bytes.size());
             Keep(copy.data());
           }));
         }}};
    // A million dicts would take Python most of a minute a round.
    const DocumentFile file(i == 1 ? document.json : std::string());
    if (i == 1)
      contenders.push_back(
          {&reference, [&](Series& series) { RunReference(file, bytes, series); }});
    Interleave(kRoundsMin, contenders);
    const std::string what = "serialize, " + SizeName(turns);
    if (i == 1)
      rows.push_back({.goal = "5",
                      .what = "the Python reference, " + SizeName(turns),
                      .unit = Unit::kMs,
                      .ours = reference.Summarize(),
                      .reference_name = "serialize",
                      .reference = ours.Summarize(),
                      .bar = {.must = 25, .aim = 40, .is_floor = true}});
    rows.push_back({.goal = "5",
                    .what = what,
                    .unit = Unit::kMs,
                    .ours = ours.Summarize(),
                    .reference_name = "memcpy",
                    .reference = copies.Summarize(),
                    .bar = {.must = 8, .aim = 6}});
  }
  return rows;
}

}  // namespace pactdb::bench

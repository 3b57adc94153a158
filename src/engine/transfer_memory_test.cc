// Exporting and importing a long history takes memory for the tree and for one line, never for the
// document beside it. Measured in processes of their own; `make soak` goes up to 400 MB.
#include <gtest/gtest.h>
#include <pactdb/context.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

#include "support/contexts.h"
#include "support/scale.h"

namespace pactdb {
namespace {

using support::Must;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

struct Bytes {
  double resident = 0;  // in the end
  double peak = 0;
  double document = 0;
};

double Resident() {
  long pages = 0;
  long resident = 0;
  const File file(std::fopen("/proc/self/statm", "r"), std::fclose);
  if (file == nullptr || std::fscanf(file.get(), "%ld %ld", &pages, &resident) != 2) return 0;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double Peak() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

// Runs `work` in a child. Nothing if the child failed.
std::optional<Bytes> Measure(const std::function<Bytes()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const Bytes bytes = work();
    const bool told = write(ends[1], &bytes, sizeof bytes) == sizeof bytes;
    _exit(told && !testing::Test::HasFailure() ? 0 : 1);
  }
  close(ends[1]);
  Bytes bytes;
  const bool told = read(ends[0], &bytes, sizeof bytes) == sizeof bytes;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!told || status != 0) return std::nullopt;
  return bytes;
}

// A turn is eight blocks of 400 bytes, about 4 kB of document.
Context MakeHistory(std::size_t turns) {
  Context context = support::NewContext();
  for (std::size_t turn = 0; turn < turns; ++turn) {
    for (int block = 0; block < 8; ++block) {
      std::string text = std::to_string(turn) + "." + std::to_string(block);
      text.resize(400, static_cast<char>('a' + block));
      Must(context.Add(NodeSpec().Role("user").Text(text)));
    }
    Must(context.Commit());
  }
  return context;
}

Bytes Export(const std::string& name, std::size_t turns) {
  const Context context = MakeHistory(turns);
  Bytes bytes{.resident = Resident()};
  {
    const File file(std::fopen(name.c_str(), "wb"), std::fclose);
    class FileSink final : public ByteSink {
     public:
      explicit FileSink(std::FILE* file) : file_(file) {}
      bool Write(std::string_view piece) override {
        size += static_cast<double>(piece.size());
        return std::fwrite(piece.data(), 1, piece.size(), file_) == piece.size();
      }
      double size = 0;

     private:
      std::FILE* file_;
    } sink(file.get());
    Must(context.ExportTo(sink, {.at = std::nullopt, .history = true}));
    bytes.document = sink.size;
  }
  bytes.peak = Peak();
  return bytes;
}

Bytes Import(const std::string& name, std::size_t turns) {
  const File file(std::fopen(name.c_str(), "rb"), std::fclose);
  Context context = support::NewContext();
  const auto result =
      context.ImportFrom([&file](char* buffer, std::size_t size) -> Result<std::size_t> {
        return std::fread(buffer, 1, size, file.get());
      });
  EXPECT_EQ(Must(result).cycle, static_cast<std::int64_t>(turns));
  return {.resident = Resident(), .peak = Peak()};
}

TEST(TransferMemory, AHistoryIsNeverHeldTwice) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory drowns ours";
#endif
  const std::size_t turns = std::min<std::size_t>(support::Scaled(5'000), 100'000);
  const std::string name = testing::TempDir() + "pactdb_transfer_" + std::to_string(getpid());
  const auto exported = Measure([&] { return Export(name, turns); });
  const auto imported = Measure([&] { return Import(name, turns); });
  std::remove(name.c_str());
  ASSERT_TRUE(exported && imported);
  // One part of a commit, its JSON and the buffers; nothing that grows with the history.
  constexpr double kSlack = 24e6;
  EXPECT_LT(exported->peak - exported->resident, kSlack);
  EXPECT_LT(imported->peak - imported->resident, kSlack);
  // And what stays is the tree, which is less than two documents.
  EXPECT_LT(imported->peak, 2 * exported->document + kSlack);
  RecordProperty("document_bytes", static_cast<int>(exported->document));
  std::printf("document %.1f MB; export +%.1f MB; import %.1f MB, peak +%.1f MB\n",
              exported->document / 1e6, (exported->peak - exported->resident) / 1e6,
              imported->resident / 1e6, (imported->peak - imported->resident) / 1e6);
}

}  // namespace
}  // namespace pactdb

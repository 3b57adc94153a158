#include "hostile_file.h"

#include <fcntl.h>
#include <pactdb/database.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "base/check.h"

namespace pactdb::fuzz {
namespace {

constexpr std::uint8_t kWhole = 0x80;
constexpr std::uint8_t kWithLog = 0x40;
constexpr std::size_t kChangeBytes = 4;
constexpr std::size_t kPageBytes = 4'096;

// In memory where there is such a place.
class ProcessFolder {
 public:
  ProcessFolder()
      : name_(access("/dev/shm", W_OK) == 0 ? "/dev/shm/pactdb-fuzz-XXXXXX"
                                            : "/tmp/pactdb-fuzz-XXXXXX") {
    PACTDB_CHECK(mkdtemp(name_.data()) != nullptr);
  }
  ProcessFolder(const ProcessFolder&) = delete;
  ProcessFolder& operator=(const ProcessFolder&) = delete;
  ~ProcessFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(name_, ignored);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

const std::string& Folder() {
  static const ProcessFolder folder;
  return folder.name();
}

void Clear() {
  for (const auto& entry : std::filesystem::directory_iterator(Folder()))
    unlink(entry.path().c_str());
}

void Write(const std::string& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  PACTDB_CHECK(file >= 0);
  PACTDB_CHECK(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(file);
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// --- a file that is sound ---

// The file and behind it the log.
struct Bytes {
  std::string all;
  std::size_t file_bytes = 0;

  Bytes() = default;
  Bytes(std::string_view file, std::string_view log) : all(file), file_bytes(file.size()) {
    all += log;
  }
  std::size_t size() const { return all.size(); }
  char& operator[](std::size_t place) { return all[place]; }
  std::string_view file() const { return std::string_view(all).substr(0, file_bytes); }
  std::string_view log() const { return std::string_view(all).substr(file_bytes); }
};

void MakeTurn(Context& context, const std::string& key) {
  PACTDB_CHECK(context.Add(NodeSpec().Role("user").Text("turn").Tags({"t"})).has_value());
  CommitOptions options;
  options.idempotency_key = "key" + key;
  PACTDB_CHECK(context.Commit(options).has_value());
}

// Two contexts, a gap, a tag, an attempt, a long content, a journal.
void MakeGoodDatabase(Database& database) {
  Context& main = *database.Find("main").value();
  Options options;
  options.clock = SteppedClockOptions{.start_ns = 1'000, .step_ns = 1};
  options.journal = true;
  PACTDB_CHECK(main.Configure(options).has_value());
  for (const char* key : {"1", "2"}) MakeTurn(main, key);
  PACTDB_CHECK(main.Add(NodeSpec().Id("long").Text(std::string(1'500, 'x'))).has_value());
  for (const char* key : {"3", "4"}) MakeTurn(main, key);
  PACTDB_CHECK(main.Tag("tag", "@c3").has_value());
  AttemptStart attempt;
  attempt.provider = "p";
  PACTDB_CHECK(main.StartAttempt(attempt).has_value());
  MakeTurn(*database.Fork("main", "@c3", "fork").value(), "5");
  PACTDB_CHECK(database.Gc("main", {.keep_last = 2, .older_than = std::nullopt}).has_value());
  PACTDB_CHECK(database.Find("main").value()->Add(NodeSpec().Text("open")).has_value());
}

Bytes MakeGoodBytes() {
  const std::string path = Folder() + "/good";
  Bytes bytes;
  {
    Database database = Database::Open(path, Access::kCreate).value();
    MakeGoodDatabase(database);
  }
  {
    Database database = Database::Open(path, Access::kWrite).value();
    MakeTurn(*database.Find("main").value(), "6");
    bytes = Bytes(ReadAll(path), ReadAll(path + "-wal"));
  }
  Clear();
  return bytes;
}

// What is not in the middle of zeros.
std::vector<std::uint32_t> PlacesThatSaySomething(Bytes bytes) {
  constexpr std::size_t kNear = 4;
  std::vector<std::uint32_t> places;
  std::size_t last = 0;  // one behind the last place that is taken
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    if (bytes[place] == 0) continue;
    const std::size_t end = std::min(place + kNear, bytes.size());
    for (last = std::max(last, place < kNear ? 0 : place - kNear); last < end; ++last)
      places.push_back(static_cast<std::uint32_t>(last));
  }
  return places;
}

struct Good {
  Bytes bytes = MakeGoodBytes();
  std::vector<std::uint32_t> places = PlacesThatSaySomething(bytes);
  std::vector<std::uint32_t> file_places = PlacesThatSaySomething(Bytes(bytes.file(), ""));
};

// --- what becomes of it ---

struct Change {
  unsigned how;
  std::size_t place;
  std::uint8_t value;

  // REQUIRES: there are bytes.
  void To(Bytes& bytes) const {
    const std::size_t at = place % bytes.size();
    const auto old = static_cast<std::uint8_t>(bytes[at]);
    switch (how % 8) {
      case 2:
        bytes[at] = static_cast<char>(old ^ (1U << value % 8));
        break;
      case 3:
        bytes[at] = static_cast<char>(old + value);
        break;
      case 4:  // a number of four bytes, such as that of a page
        for (std::size_t i = 0; i < 4; ++i)
          bytes[(at + i) % bytes.size()] = static_cast<char>(i == 3 ? value : 0);
        break;
      case 5:  // what was never written
        Clear(bytes, at);
        break;
      case 6:
        CopyPage(bytes, at);
        break;
      case 7:
        Cut(bytes, at);
        break;
      default:
        bytes[at] = static_cast<char>(value);
    }
  }

 private:
  // What goes beyond the end goes on at the start.
  void Clear(Bytes& bytes, std::size_t at) const {
    const std::size_t count = value * std::size_t{32};
    const std::size_t before_end = std::min(count, bytes.size() - at);
    std::fill_n(&bytes[at], before_end, 0);
    std::fill_n(&bytes[0], std::min(count - before_end, bytes.size()), 0);
  }
  void CopyPage(Bytes& bytes, std::size_t at) const {
    const std::size_t from = value * kPageBytes % bytes.size();
    const std::size_t to = at - at % kPageBytes;
    if (from % kPageBytes == 0 && std::max(from, to) + kPageBytes <= bytes.size()) {
      std::memmove(&bytes[to], &bytes[from], kPageBytes);
      return;
    }
    for (std::size_t i = 0; i < kPageBytes; ++i)
      bytes[(to + i) % bytes.size()] = bytes[(from + i) % bytes.size()];
  }
  static void Cut(Bytes& bytes, std::size_t at) {
    if (at < bytes.file_bytes) {
      bytes.all.erase(at, bytes.file_bytes - at);
      bytes.file_bytes = at;
    } else {
      bytes.all.resize(at);
    }
  }
};

Change ChangeOf(std::span<const std::uint8_t> input, const std::vector<std::uint32_t>& places) {
  const std::size_t place = static_cast<std::size_t>(input[0] & 0x0fU) << 16 |
                            static_cast<std::size_t>(input[1]) << 8 | input[2];
  const unsigned how = input[0] >> 4;
  return {.how = how, .place = how == 0 ? place : places[place % places.size()], .value = input[3]};
}

Bytes BytesOf(std::span<const std::uint8_t> input) {
  const std::uint8_t first = input[0];
  input = input.subspan(1);
  if (first >= kWhole) return {std::string(input.begin(), input.end()), ""};
  static const Good good;
  const bool with_log = (first & kWithLog) != 0;
  Bytes bytes(good.bytes.file(), with_log ? good.bytes.log() : "");
  for (; input.size() >= kChangeBytes && bytes.size() > 0; input = input.subspan(kChangeBytes))
    ChangeOf(input, with_log ? good.places : good.file_places).To(bytes);
  return bytes;
}

}  // namespace

HostileFile::HostileFile(std::span<const std::uint8_t> input) {
  const Bytes bytes = BytesOf(input);
  path_ = Folder() + "/file";
  Write(path_, bytes.file());
  if (!bytes.log().empty()) Write(path_ + "-wal", bytes.log());
}

HostileFile::~HostileFile() {
  Clear();
}

}  // namespace pactdb::fuzz

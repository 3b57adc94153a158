#include "store/sqlite/salvage_copy.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <span>

#include "base/try.h"
#include "store/sqlite/big_endian.h"
#include "store/sqlite/cursor.h"
#include "store/sqlite/file_header.h"
#include "store/sqlite/files.h"
#include "store/sqlite/lock_file.h"
#include "store/sqlite/open.h"
#include "store/sqlite/raw_file.h"
#include "store/sqlite/schema.h"

namespace pactdb::sqlite {
namespace {

constexpr std::size_t kChangeCounterAt = 24;
constexpr std::size_t kPageCountAt = 28;
// At least as many as a new file has: every table begins there.
constexpr std::uint64_t kPagesOfNewFile = 64;

std::string ReadAt(std::ifstream& file, std::uint64_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(bytes.data(), static_cast<std::streamsize>(count));
  return bytes;
}

// The frames of a log that belong together, up to the last that ends a transaction and is whole.
// Frames before it that are damaged are among them: the rows in them have checksums of their own.
struct Log {
  std::vector<LogFrame> frames;  // by place in the file; those of another log have page 0
  std::size_t used = 0;
  bool is_damaged = false;
};

//
// With `ends_at_break` none behind a break count, as for whoever opens the file: commits that were
// not synced may lie there, and what was committed after them before it, over the same pages.
Log ReadLog(LogWalk& walk, bool ends_at_break) {
  Log log;
  std::size_t damaged = 0;
  bool is_of_log = true;
  while (walk.Next()) {
    LogFrame frame = walk.frame();
    const bool goes_on = walk.follows() || walk.vouches_for_before();
    const bool has_salts = frame.salts == walk.salts();
    // Behind a frame of this log the next one is too, whatever its salts became.
    is_of_log = has_salts || (is_of_log && goes_on);
    if (!is_of_log) frame.page = 0;
    const bool is_whole = has_salts && goes_on;
    if (!is_whole && ends_at_break && walk.is_header_whole()) break;
    if (!is_whole) ++damaged;
    log.frames.push_back(frame);
    if (!is_whole || frame.pages_after == 0) continue;
    log.used = log.frames.size();
    log.is_damaged = damaged > 0 || !walk.is_header_whole();
  }
  return log;
}

Result<std::string> ReadFirstPage(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string page = ReadAt(file, 0, kPageBytes);
  // These two differ, so that SQLite takes the size of the file and not the count in the header.
  page[kChangeCounterAt] = '\x7f';
  if (file) return page;
  return std::unexpected(SystemError("the new file cannot be read", path, EIO));
}

Status RunVacuum(const std::string& path) {
  PACTDB_TRY(const auto connection, Connection::Open(path, {.mode = Connection::Mode::kWrite}));
  return connection->RunAlone("VACUUM");
}

// Tables of a new file start at pages that are always the same; compacting a file puts them in
// another order, which is always the same too.
using FirstPages = std::array<std::string, 2>;

Result<FirstPages> MakeFirstPages(const std::string& fresh) {
  FirstPages pages;
  PACTDB_TRY_STATUS(MakeDraft(fresh));
  PACTDB_TRY(pages[0], ReadFirstPage(fresh));
  PACTDB_TRY_STATUS(RunVacuum(fresh));
  PACTDB_TRY(pages[1], ReadFirstPage(fresh));
  return pages;
}

}  // namespace

SalvageCopy::~SalvageCopy() {
  connection_.reset();
  close(file_);
  RemoveDatabase(path_);
}

Status SalvageCopy::WritePage(std::uint32_t number, std::string_view page) {
  const auto offset = static_cast<off_t>((std::uint64_t{number} - 1) * kPageBytes);
  while (!page.empty()) {
    const auto done = static_cast<off_t>(kPageBytes - page.size());
    const ssize_t written = pwrite(file_, page.data(), page.size(), offset + done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int error = errno;
      return std::unexpected(SystemError("the copy cannot be written", path_, error));
    }
    page.remove_prefix(static_cast<std::size_t>(written));
  }
  page_count_ = std::max(page_count_, number);
  return {};
}

std::string SalvageCopy::ReadPage(std::uint32_t number) {
  std::string page(kPageBytes, '\0');
  if (number == 0) return page;
  const auto offset = static_cast<off_t>((std::uint64_t{number} - 1) * kPageBytes);
  ssize_t got = pread(file_, page.data(), page.size(), offset);
  while (got < 0 && errno == EINTR) got = pread(file_, page.data(), page.size(), offset);
  return page;
}

Status SalvageCopy::CopyFile(const std::string& from) {
  PACTDB_TRY(const RawFile source, RawFile::Open(from));
  std::string page(kPageBytes, '\0');
  for (std::uint64_t offset = 0; offset < source.size(); offset += kPageBytes) {
    std::ranges::fill(page, '\0');
    // A part of the disk that cannot be read is a part that is lost.
    if (!source.Read(offset, page.data(), page.size())) {
      findings_.emplace_back("a part of the file cannot be read");
    }
    PACTDB_TRY_STATUS(WritePage(static_cast<std::uint32_t>(offset / kPageBytes) + 1, page));
  }
  if (source.size() == 0) {
    return std::unexpected(Error(ErrorCode::kStoreCorrupt, "the file is empty").With("path", from));
  }
  return {};
}

Status SalvageCopy::ApplyLog(const std::string& database) {
  const std::string log_path = database + "-wal";
  auto walk = LogWalk::Open(log_path);
  if (!walk) return {};
  const Log log = ReadLog(*walk, ReadLock(database + "-lock").has_unsynced);
  std::ifstream file(log_path, std::ios::binary);
  if (log.is_damaged) findings_.emplace_back("the log beside the file is damaged");
  const std::uint64_t pages_max = std::uint64_t{page_count_} + log.frames.size();
  for (std::size_t i = 0; i < log.used; ++i) {
    const std::uint32_t number = log.frames[i].page;
    if (number == 0 || number > pages_max) continue;
    PACTDB_TRY_STATUS(WritePage(
        number, ReadAt(file, kLogHeaderBytes + i * kFrameBytes + kFrameHeaderBytes, kPageBytes)));
  }
  return {};
}

// Empty pages in the place of those that are cut off: without, SQLite reads nothing at all.
Status SalvageCopy::Lengthen(std::uint64_t pages) {
  const std::uint64_t pages_max = std::uint64_t{page_count_} * 2 + kPagesOfNewFile;
  pages = std::max<std::uint64_t>(pages > pages_max ? 0 : pages, kPagesOfNewFile);
  if (pages <= page_count_) return {};
  if (ftruncate(file_, static_cast<off_t>(pages * kPageBytes)) == 0) return {};
  const int error = errno;
  return std::unexpected(SystemError("the copy cannot be written", path_, error));
}

Status SalvageCopy::Open() {
  connection_.reset();
  PACTDB_TRY(auto connection, Connection::Open(path_, {.mode = Connection::Mode::kReadImmutable}));
  PACTDB_TRY_STATUS(CheckSchema(*connection));
  connection_ = std::move(connection);
  return {};
}

std::int64_t SalvageCopy::CountReadable() {
  std::int64_t count = 0;
  Cursor rows(*connection_,
              "SELECT 1 FROM commits WHERE typeof(record) = 'blob' AND typeof(checksum) = 'integer'"
              " LIMIT 100");
  while (true) {
    const Result<bool> found = rows.Step();
    if (!found || !*found) return count;
    ++count;
  }
}

Status SalvageCopy::OpenWithFreshStart(const std::string& fresh) {
  const Result<FirstPages> pages = MakeFirstPages(fresh);
  RemoveDatabase(fresh);
  if (!pages) return std::unexpected(pages.error());
  std::array<std::int64_t, 2> counts{};
  for (std::size_t i = 0; i < pages->size(); ++i) {
    PACTDB_TRY_STATUS(WritePage(1, (*pages)[i]));
    PACTDB_TRY_STATUS(Open());
    counts[i] = CountReadable();
  }
  if (counts[0] <= counts[1]) return {};
  PACTDB_TRY_STATUS(WritePage(1, pages->front()));
  return Open();
}

Result<std::unique_ptr<SalvageCopy>> SalvageCopy::Make(const std::string& from,
                                                       const std::string& path,
                                                       const std::string& fresh, SalvagedLog log) {
  const int descriptor =
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);  // NOLINT(*-vararg)
  if (descriptor < 0) {
    const int error = errno;
    return std::unexpected(SystemError("the copy cannot be made", path, error));
  }
  std::unique_ptr<SalvageCopy> copy(new SalvageCopy(path, descriptor));
  PACTDB_TRY_STATUS(copy->CopyFile(from));
  if (log == SalvagedLog::kTaken) PACTDB_TRY_STATUS(copy->ApplyLog(from));
  const std::string first = copy->ReadPage(1);
  if (first.starts_with("SQLite format 3") && BigEndian32(first, kPageCountAt) > copy->page_count_)
    copy->findings_.emplace_back("the file is cut short");
  PACTDB_TRY_STATUS(copy->Lengthen(BigEndian32(first, kPageCountAt)));
  if (copy->Open()) return copy;
  // A newer file has other tables; one whose version alone changed by accident has ours.
  const auto version = CheckHeader(from);
  if (!version && version.error().code() == ErrorCode::kStoreVersion)
    return std::unexpected(version.error());
  copy->findings_.emplace_back("the first page of the file is damaged");
  PACTDB_TRY_STATUS(copy->OpenWithFreshStart(fresh));
  return copy;
}

}  // namespace pactdb::sqlite

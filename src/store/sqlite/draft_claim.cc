#include "store/sqlite/draft_claim.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/try.h"
#include "store/sqlite/file_header.h"
#include "store/sqlite/files.h"

namespace pactdb::sqlite {
namespace {

// Each try met somebody who took the draft for one that was left, between two calls of ours.
constexpr int kTriesMax = 100;

// SQLite never locks the first byte. Of the open file and not of the process, so that it holds
// against this process's other threads too.
bool Lock(int descriptor, bool waits) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  int result = 0;
  do {
    result = fcntl(descriptor, waits ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

bool IsStillThere(int descriptor, const std::string& path) {
  struct stat ours{};
  struct stat there{};
  return fstat(descriptor, &ours) == 0 && lstat(path.c_str(), &there) == 0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

bool IsDraftName(std::string_view name, std::string_view of) {
  constexpr std::string_view kMark = "-new-";
  if (!name.starts_with(of)) return false;
  name.remove_prefix(of.size());
  return name.starts_with(kMark) && name.size() == kMark.size() + 16 &&
         name.find_first_not_of("0123456789abcdef", kMark.size()) == std::string_view::npos;
}

void RemoveIfLeft(const std::string& draft) {
  const int descriptor =
      open(draft.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);  // NOLINT(*-vararg)
  if (descriptor < 0) return;
  struct stat status{};
  const bool is_file = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  if (is_file && Lock(descriptor, /*waits=*/false) && IsStillThere(descriptor, draft)) {
    // A repair has more files beside its draft.
    for (const char* suffix : {"-copy", "-fresh", "-aside", ""}) RemoveDatabase(draft + suffix);
    unlink((draft + "-lock").c_str());
  }
  close(descriptor);
}

// What cannot be removed stays; it is in nobody's way.
void RemoveLeftDrafts(const std::string& path) {
  const std::filesystem::path made(path);
  std::error_code error;
  std::filesystem::directory_iterator folder(made.parent_path(), error);
  for (; !error && folder != std::filesystem::directory_iterator(); folder.increment(error)) {
    if (IsDraftName(folder->path().filename().native(), made.filename().native()))
      RemoveIfLeft(folder->path().native());
  }
}

}  // namespace

Result<std::unique_ptr<DraftClaim>> DraftClaim::Make(const std::string& path) {
  RemoveLeftDrafts(path);
  const std::string draft = DraftOf(path);
  for (int i = 0; i < kTriesMax; ++i) {
    const int descriptor = open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                                0644);  // NOLINT(*-vararg)
    if (descriptor < 0) {
      const int error = errno;
      if (error == EINTR) continue;
      return std::unexpected(SystemError("the new file cannot be made", draft, error));
    }
    std::unique_ptr<DraftClaim> claim(new DraftClaim(descriptor));
    // A file system without locks: then nobody removes anything either.
    if (!Lock(descriptor, /*waits=*/true) || IsStillThere(descriptor, draft)) return claim;
  }
  return std::unexpected(SystemError("the new file cannot be made", draft, EAGAIN));
}

DraftClaim::~DraftClaim() {
  close(descriptor_);
}

}  // namespace pactdb::sqlite

#include "cli/input.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "cli/session.h"
#include "text/json_doc.h"

namespace pactdb::cli {
namespace {

constexpr std::size_t kHeadBytes = 8192;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

int LeaveOpen(std::FILE* /*file*/) {
  return 0;
}

Fault TooLong(const std::string& file) {
  const std::string limit = std::to_string(kJsonTextBytesMax);
  return Fault(Error(ErrorCode::kLimitExceeded, "larger than " + limit + " bytes")).In(file);
}

}  // namespace

Said<Input> Input::Open(const std::string& file) {
  if (file != "-") {
    Closed in(std::fopen(file.c_str(), "rb"), std::fclose);
    if (in == nullptr) return Fail(Fault(Unreadable(errno)).In(file));
    return Input(file, std::move(in));
  }
  if (::isatty(STDIN_FILENO) == 1)
    return Fail("standard input is a terminal: give a FILE, or a pipe");
  return Input(file, Closed(stdin, LeaveOpen));
}

std::string_view Input::Head() {
  if (!std::exchange(has_head_, true)) {
    head_.resize(kHeadBytes);
    head_.resize(std::fread(head_.data(), 1, head_.size(), in_.get()));
    if (head_.starts_with(kByteOrderMark)) next_ = kByteOrderMark.size();
  }
  return std::string_view(head_).substr(next_);
}

Result<std::size_t> Input::Read(char* buffer, std::size_t size) {
  if (const std::string_view head = Head(); !head.empty()) {
    const std::size_t taken = head.copy(buffer, size);
    next_ += taken;
    return taken;
  }
  const std::size_t taken = std::fread(buffer, 1, size, in_.get());
  if (std::ferror(in_.get()) != 0) return std::unexpected(Unreadable(errno));
  return taken;
}

Said<std::string> Input::ReadAll() {
  struct stat status{};
  const bool is_file = ::fstat(::fileno(in_.get()), &status) == 0 && S_ISREG(status.st_mode);
  const auto bytes = is_file ? static_cast<std::uint64_t>(status.st_size) : 0;
  if (bytes > kJsonTextBytesMax + kByteOrderMark.size()) return Fail(TooLong(file_));
  std::string text;
  text.reserve(bytes);
  char block[1 << 16];
  while (true) {
    const auto size = Read(block, sizeof block);
    if (!size) return Fail(Fault(size.error()).In(file_));
    if (*size == 0) return text;
    if (text.size() + *size > kJsonTextBytesMax) return Fail(TooLong(file_));
    text.append(block, *size);
  }
}

Said<std::string> ReadAll(const std::string& file) {
  auto input = Input::Open(file);
  if (!input) return Fail(input.error());
  return input->ReadAll();
}

}  // namespace pactdb::cli

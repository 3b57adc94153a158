#include <pactdb/exec.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "cli/commands.h"

namespace pactdb::cli {
namespace {

constexpr std::string_view kTooLong =
    R"({"ok":false,"error":{"code":"E_LIMIT_EXCEEDED","message":"the line is too long",)"
    R"("details":{"limit":"line_bytes","max":268435456}}})";
static_assert(limits::kExecLineBytesMax == 268435456);

bool PrintLine(std::string_view answer) {
  return std::fwrite(answer.data(), 1, answer.size(), stdout) == answer.size() &&
         std::fputc('\n', stdout) != EOF && std::fflush(stdout) == 0;
}

// Cuts standard input into lines. A line over the limit is kept only as the fact that it was too
// long.
class LineReader {
 public:
  // False at the end of the input.
  bool Next() {
    line_.clear();
    too_long_ = false;
    bool any = false;
    while (next_ < size_ || Fill()) {
      any = true;
      const char* start = block_ + next_;
      const void* newline = std::memchr(start, '\n', size_ - next_);
      const std::size_t taken =
          newline == nullptr ? size_ - next_
                             : static_cast<std::size_t>(static_cast<const char*>(newline) - start);
      if (line_.size() + taken > limits::kExecLineBytesMax) too_long_ = true;
      if (!too_long_) line_.append(start, taken);
      next_ += taken + (newline == nullptr ? 0 : 1);
      if (newline != nullptr) return true;
    }
    return any;
  }
  const std::string& line() const { return line_; }
  bool too_long() const { return too_long_; }

 private:
  // read(), not fread(): an interactive caller sends one line and waits for its answer.
  bool Fill() {
    ssize_t size = 0;
    do {
      size = ::read(STDIN_FILENO, block_, sizeof block_);
    } while (size < 0 && errno == EINTR);
    next_ = 0;
    size_ = size > 0 ? static_cast<std::size_t>(size) : 0;
    return size_ > 0;
  }

  std::string line_;
  bool too_long_ = false;
  char block_[1 << 16];
  std::size_t next_ = 0;
  std::size_t size_ = 0;
};

int Run() {
  Exec exec;
  LineReader lines;
  while (lines.Next()) {
    if (!PrintLine(lines.too_long() ? std::string(kTooLong) : exec.Answer(lines.line())))
      return kError;
  }
  return kOk;
}

}  // namespace

const Command kExecCommand = {
    .name = "exec",
    .about = "answer JSON requests from standard input, one a line",
    .examples = R"(  echo '{"op":"add","node":{"role":"user","content":"Hello"}}' | pactdb exec
  pactdb exec < session.jsonl > answers.jsonl

One JSON object a line in, one a line out, in order. Contexts live in memory and end with the
input.)",
    .setup = [](CLI::App& /*app*/) -> std::function<int()> { return Run; }};

}  // namespace pactdb::cli

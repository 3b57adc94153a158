#include "engine/line_source.h"

#include "base/try.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
// What a buffer may keep from line to line.
constexpr std::size_t kKeptBytesMax = std::size_t{4} << 20;

Error TooLong(std::string_view what, std::string_view limit, std::size_t max) {
  return Error(ErrorCode::kLimitExceeded, std::string(what) + " is too long")
      .With("limit", limit)
      .With("max", static_cast<std::int64_t>(max));
}

}  // namespace

Result<bool> LineSource::Fill() {
  if (is_at_end_) return false;
  block_.resize(kBlockBytes);
  PACTDB_TRY(const std::size_t size, source_(block_.data(), block_.size()));
  block_.resize(size);
  next_ = 0;
  is_at_end_ = size == 0;
  return !is_at_end_;
}

Result<bool> LineSource::Next() {
  start_ += static_cast<std::int64_t>(line_.size()) + (ended_with_newline_ ? 1 : 0);
  if (line_.capacity() > kKeptBytesMax) std::string().swap(line_);
  line_.clear();
  ended_with_newline_ = false;
  bool any = false;
  while (true) {
    if (next_ == block_.size()) {
      PACTDB_TRY(const bool filled, Fill());
      if (!filled) break;
    }
    any = true;
    const std::size_t newline = block_.find('\n', next_);
    const std::size_t end = newline == std::string::npos ? block_.size() : newline;
    if (line_.size() + (end - next_) > kJsonTextBytesMax)
      return std::unexpected(TooLong("a line", "json_text_bytes", kJsonTextBytesMax));
    line_.append(block_, next_, end - next_);
    next_ = end;
    if (newline == std::string::npos) continue;
    ++next_;
    ended_with_newline_ = true;
    break;
  }
  number_ += any ? 1 : 0;
  return any;
}

Result<std::string> LineSource::TakeAll() {
  std::string all = std::move(line_);
  if (ended_with_newline_) all += '\n';
  all.append(block_, next_, block_.size() - next_);
  while (true) {
    PACTDB_TRY(const bool filled, Fill());
    if (!filled) return all;
    all += block_;
    if (all.size() > kJsonTextBytesMax)
      return std::unexpected(TooLong("the document", "json_text_bytes", kJsonTextBytesMax));
  }
}

}  // namespace pactdb

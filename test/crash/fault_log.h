// The log that fault_shim writes and the replay of power cuts reads: what reached the system, in
// order. Both are of one build; the format is nobody else's.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace pactdb::crash {

enum class LogOp : std::uint8_t {
  kCreate,    // a name that was not there
  kWrite,     // data at offset
  kTruncate,  // to offset
  kSync,      // of a file, or of the folder
  kUnlink,
  kRename,  // to the name in data
  kSaid,    // data, on standard output
};

struct LogRecord {
  LogOp op = LogOp::kSaid;
  std::string_view path;
  std::uint64_t offset = 0;
  std::string_view data;
};

inline std::string EncodeLog(LogOp op, std::string_view path, std::uint64_t offset,
                             std::string_view data) {
  const std::uint64_t head[4] = {static_cast<std::uint64_t>(op), path.size(), offset, data.size()};
  std::string record(reinterpret_cast<const char*>(head), sizeof head);
  record += path;
  record += data;
  return record;
}

// Takes the first record off `rest`; none at the end, or if the rest is no record.
inline std::optional<LogRecord> DecodeLog(std::string_view& rest) {
  std::uint64_t head[4];
  if (rest.size() < sizeof head) return std::nullopt;
  std::memcpy(head, rest.data(), sizeof head);
  rest.remove_prefix(sizeof head);
  if (rest.size() < head[1] + head[3]) return std::nullopt;
  const LogRecord record{.op = static_cast<LogOp>(head[0]),
                         .path = rest.substr(0, head[1]),
                         .offset = head[2],
                         .data = rest.substr(head[1], head[3])};
  rest.remove_prefix(head[1] + head[3]);
  return record;
}

}  // namespace pactdb::crash

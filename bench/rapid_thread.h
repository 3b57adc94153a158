// The thread as RapidJSON's ASCII writer makes it: from plain strings in memory, in one pass.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "workload.h"

namespace pactdb::bench {

class RapidThread {
 public:
  // All turns of the workload, decoded.
  explicit RapidThread(const Workload& workload);
  ~RapidThread();
  RapidThread(const RapidThread&) = delete;
  RapidThread& operator=(const RapidThread&) = delete;

  // Good until the next call; the buffer is used again.
  std::string_view Write();

 private:
  struct Buffer;
  std::vector<std::string> ids_;
  std::vector<Turn> turns_;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace pactdb::bench

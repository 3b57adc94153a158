// What comes from outside besides requests: the time, and chance. Passed in, so that a recording
// can note what was taken and a replay can give it again.
//
// Thread safety: the system's host may be used from any thread; others as they say.
#pragma once

#include <cstdint>
#include <memory>

namespace pactdb {

class Host {
 public:
  virtual ~Host() = default;
  // Nanoseconds since the epoch.
  virtual std::int64_t NowNs() = 0;
  // Unpredictable bits, for ids of the uuid scheme.
  virtual std::uint32_t RandomBits() = 0;
};

// The operating system's clock and random device.
std::shared_ptr<Host> SystemHost();

}  // namespace pactdb

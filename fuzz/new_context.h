// An empty context whose clock is the same in every run.
#pragma once

#include <pactdb/context.h>

namespace pactdb::fuzz {

inline Context NewContext() {
  Options options;
  options.clock = SteppedClockOptions{.start_ns = 1'000, .step_ns = 1};
  return *Context::Make(options);
}

}  // namespace pactdb::fuzz

#include "base/check.h"

#include <atomic>
#include <cstdlib>

namespace pactdb {
namespace {
std::atomic<CheckHandler> check_handler{nullptr};
}  // namespace

void SetCheckHandler(CheckHandler handler) {
  check_handler.store(handler);
}

void CheckFailed(const char* expression, const char* file, int line) {
  if (CheckHandler handler = check_handler.load()) handler(expression, file, line);
  std::abort();
}

}  // namespace pactdb

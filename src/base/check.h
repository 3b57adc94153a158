// Checks for programmer mistakes. Input never trips one.
//
// A failed check means an invariant of ours is broken; going on could write a broken tree, so the
// process stops. The host may install a handler that is told first. The library itself prints
// nothing.
#pragma once

namespace pactdb {

using CheckHandler = void (*)(const char* expression, const char* file, int line);

// Installs the handler called before the process aborts; null takes it away.
void SetCheckHandler(CheckHandler handler);

[[noreturn]] void CheckFailed(const char* expression, const char* file, int line);

}  // namespace pactdb

#define PACTDB_CHECK(expression)                              \
  do {                                                        \
    if (!(expression)) [[unlikely]]                           \
      ::pactdb::CheckFailed(#expression, __FILE__, __LINE__); \
  } while (false)

// For checks whose cost grows with the tree; off in release builds.
#ifdef NDEBUG
#define PACTDB_DCHECK(expression) static_cast<void>(0)
#else
#define PACTDB_DCHECK(expression) PACTDB_CHECK(expression)
#endif

// Making files. See open.cc.
//
// Thread safety: pure functions.
#pragma once

#include <pactdb/error.h>

#include <string>

namespace pactdb::sqlite {

// An empty file of ours at `path`, complete and closed. REQUIRES: there is none, or one without a
// byte.
Status MakeDraft(const std::string& path);

}  // namespace pactdb::sqlite

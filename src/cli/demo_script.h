// The recorded conversation of `pactdb demo`, as the build found it in examples/agent.jsonl.
//
// Thread safety: constant.
#pragma once

#include <string_view>

namespace pactdb::cli {

// Lines of requests.
std::string_view DemoScript();

}  // namespace pactdb::cli

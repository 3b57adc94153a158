// Memory is measured in a fresh process: this program starts itself with kChildFlag, a task and its
// arguments, and reads the numbers the child prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pactdb::bench {

inline constexpr std::string_view kChildFlag = "--child";

// The numbers printed by a child running `task`. Ends the program if the child fails.
std::vector<double> RunChild(const std::string& program, const std::vector<std::string>& task);

// The child's side: does the task and prints. Returns the exit code.
int ChildMain(const std::vector<std::string>& task);

}  // namespace pactdb::bench

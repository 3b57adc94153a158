// Replays saved inputs through a fuzz target without libFuzzer.
//
// Linked with a target in ordinary builds, so that CTest runs every old finding under every
// compiler and sanitizer. Arguments are files or folders (walked whole, in name order, so that a
// failure repeats). The path is printed before the call: when an input crashes the program, the
// last line names it.
//
// Exit code: 0 if at least one input ran, 1 if an argument cannot be read, 2 if there was nothing
// to run.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

// The files named by `argument`, sorted; absent when it does not exist or cannot be listed.
std::optional<std::vector<fs::path>> FindInputs(const fs::path& argument) {
  std::error_code error;
  if (fs::is_regular_file(argument, error)) return std::vector{argument};
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator it(argument, error), end; !error && it != end;
       it.increment(error)) {
    if (it->is_regular_file(error)) files.push_back(it->path());
  }
  if (error) return std::nullopt;
  std::ranges::sort(files);
  return files;
}

bool Replay(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return false;
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  std::printf("%s (%zu bytes)\n", file.c_str(), bytes.size());
  std::fflush(stdout);
  // A copy on the heap of exactly this size, so that AddressSanitizer sees a read one past the end.
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) {
    const auto files = FindInputs(argv[i]);
    if (!files) {
      std::fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    for (const fs::path& file : *files) {
      if (!Replay(file)) {
        std::fprintf(stderr, "cannot read %s\n", file.c_str());
        return 1;
      }
      ++count;
    }
  }
  std::printf("%zu inputs replayed\n", count);
  return count == 0 ? 2 : 0;
}

// Database files of inputs, in a folder of the process.
//
// From 0x80 on of its first byte the rest of an input is the file. Below, the rest is a list of
// changes to a file that is made here, so that inputs get past the first page; 0x40 puts the log of
// a writer that was killed beside it. A change is four bytes: four bits say how, twenty where, the
// last one to what. Places of all but the plain way (0) are counted among the bytes that say
// something, because most of a small file does not.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pactdb::fuzz {

// Writes the file, and the log if there is one. At the end everything in the folder goes.
class HostileFile {
 public:
  // REQUIRES: the input is not empty.
  explicit HostileFile(std::span<const std::uint8_t> input);
  HostileFile(const HostileFile&) = delete;
  HostileFile& operator=(const HostileFile&) = delete;
  ~HostileFile();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Whether it went well is not the question.
template <typename T>
void Ignore(const T& /*answer*/) {}

}  // namespace pactdb::fuzz

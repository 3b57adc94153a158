// What an imported conversation becomes: nodes to be added, one after the other.
//
// A reader turns a document into entries and hands them to a sink; it knows nothing of contexts.
// Where the turns part is for the sink to say, by who speaks (engine/import_thread.cc).
//
// Thread safety: values; a reader and its sink belong to one thread.
#pragma once

#include <pactdb/error.h>
#include <pactdb/json.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/json_doc.h"

namespace pactdb::providers {

// kUser after kOther opens a turn; kNeutral changes nothing.
enum class Speaker : std::uint8_t { kUser, kOther, kNeutral };

struct Entry {
  using Field = std::pair<std::string, Json>;

  bool is_in_sys = false;
  Speaker speaker = Speaker::kNeutral;
  std::size_t index = 0;  // of its message in the document
  std::string place;      // of its content in the message, such as content[1].text
  std::size_t pos = 0;    // byte offset of the message
  std::vector<Field> fields;

  Entry& Set(std::string_view name, Json value) {
    fields.emplace_back(name, std::move(value));
    return *this;
  }
  // A word of ours: ASCII without quotes and escapes.
  Entry& SetWord(std::string_view name, std::string_view word) {
    std::string quoted = "\"";
    quoted += word;
    quoted += '"';
    return Set(name, Json::FromCanonical(std::move(quoted)));
  }
};

class EntrySink {
 public:
  virtual ~EntrySink() = default;
  // An error ends the import.
  virtual Status Take(Entry&& entry) = 0;
};

// What is wrong with a document: an error, or under `lenient` a warning where one can go on.
class Faults {
 public:
  explicit Faults(bool lenient) : lenient_(lenient) {}

  // kImportInvalid with index, field and pos.
  static Error At(std::size_t index, std::string_view field, std::string_view what,
                  const JsonRef& where);
  // Takes the error as a warning, if that is wanted.
  Status Forgive(Error error);

  bool lenient() const { return lenient_; }
  std::vector<std::string> TakeWarnings() { return std::move(warnings_); }

 private:
  bool lenient_;
  std::vector<std::string> warnings_;
};

}  // namespace pactdb::providers

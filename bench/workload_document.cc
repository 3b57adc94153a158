// The workload as a snapshot document: what the export of a context that took all the turns would
// hold, written by hand so that a million nodes load in one import.
#include <fmt/format.h>

#include <chrono>

#include "workload.h"

namespace pactdb::bench {
namespace {

// The code point at text[at], moving `at` past it. REQUIRES: valid UTF-8.
char32_t Decode(std::string_view text, std::size_t& at) {
  const auto byte = [&] { return static_cast<unsigned char>(text[at++]); };
  const char32_t lead = byte();
  if (lead < 0x80) return lead;
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  char32_t point = lead & (0x3fU >> more);
  for (int i = 0; i < more; ++i) point = point << 6 | (byte() & 0x3fU);
  return point;
}

void AppendEscape(std::string& out, char32_t point) {
  const auto unit = [&](char32_t value) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(value));
  };
  if (point >= 0x10000) {
    unit(0xd800 + ((point - 0x10000) >> 10));
    unit(0xdc00 + ((point - 0x10000) & 0x3ff));
  } else {
    unit(point);
  }
}

// A JSON string in ASCII, as canonical content is written.
void AppendString(std::string& out, std::string_view text) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const char32_t point = Decode(text, at);
    if (point == '"' || point == '\\') {
      out += '\\';
      out += static_cast<char>(point);
    } else if (point == '\n') {
      out += "\\n";
    } else if (point == '\t') {
      out += "\\t";
    } else if (point < 0x20 || point >= 0x7f) {
      AppendEscape(out, point);
    } else {
      out += static_cast<char>(point);
    }
  }
  out += '"';
}

}  // namespace

class DocumentWriter {
 public:
  explicit DocumentWriter(const Workload& workload) : workload_(workload) {}

  Document Write() {
    document_.json.reserve(static_cast<std::size_t>(workload_.turns()) * 4000 + 4000);
    Put(R"({{"spec_version":"PACT/0.1.0","cycle":{},"root":{{)", workload_.turns());
    document_.unserialized_bytes = static_cast<std::int64_t>(document_.json.size());
    PutFixed("root", 0);
    PutFixed("sys", 0);
    document_.json += "]},{";
    PutFixed("seq", 1);
    for (std::int64_t cycle = 1; cycle <= workload_.turns(); ++cycle) {
      if (cycle > 1) document_.json += ',';
      PutTurn(cycle);
    }
    document_.json += "]},{";
    PutFixed("ah", 2);
    document_.json += "]}]}}";
    document_.nodes = workload_.nodes();
    return std::move(document_);
  }

 private:
  template <typename... Args>
  void Put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(document_.json), format, std::forward<Args>(args)...);
  }

  // Up to the opening bracket of the children; the root's children follow at once.
  void PutFixed(std::string_view name, int index) {
    Put(R"("id":"{0}","nodeType":"^{0}",)", name);
    PutHeaders(0, {}, 0, index);
    document_.json += name == "root" ? R"(,"children":[{)" : R"(,"children":[)";
  }

  struct Wishes {
    std::optional<std::int64_t> ttl = {};
    std::int64_t priority = 0;
  };

  void PutHeaders(std::int64_t cycle, const Wishes& wishes, std::int64_t created_at_ns, int index) {
    document_.json += R"("offset":0,"ttl":)";
    if (wishes.ttl) {
      Put("{}", *wishes.ttl);
    } else {
      document_.json += "null";
    }
    Put(R"(,"priority":{},"cycle":{},"created_at_ns":{},"created_at_iso":")", wishes.priority,
        cycle, created_at_ns);
    PutTime(created_at_ns);
    document_.json += '"';
    const std::size_t before = document_.json.size();
    Put(R"(,"creation_index":{})", index);
    document_.unserialized_bytes += static_cast<std::int64_t>(document_.json.size() - before);
  }

  void PutTime(std::int64_t ns) {
    const std::int64_t second = ns / 1'000'000'000;
    if (second != second_) {
      using namespace std::chrono;
      second_ = second;
      const sys_seconds time{seconds(second)};
      const auto day = floor<days>(time);
      const year_month_day date(day);
      const hh_mm_ss clock(time - day);
      second_text_ =
          fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.", int(date.year()),
                      unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                      clock.minutes().count(), clock.seconds().count());
    }
    document_.json += second_text_;
    Put("{:09}Z", ns % 1'000'000'000);
  }

  void PutTurn(std::int64_t cycle) {
    Put(R"({{"id":"seg:{}","nodeType":"seg",)", cycle);
    PutHeaders(cycle, {}, workload_.CreatedAtNs(cycle, 9), 9);
    Put(R"(,"children":[{{"id":"cont:{}.0","nodeType":"cont",)", cycle);
    PutHeaders(cycle, {}, workload_.CreatedAtNs(cycle, 0), 0);
    document_.json += R"(,"children":[)";
    const Turn turn = workload_.MakeTurn(cycle);
    for (int i = 0; i < kBlocksPerTurn; ++i) {
      if (i > 0) document_.json += ',';
      PutBlock(cycle, i + 1, turn[i]);
    }
    document_.json += "]}]}";
  }

  void PutBlock(std::int64_t cycle, int index, const Block& block) {
    Put(R"({{"id":"block:{}.{}","nodeType":"block",)", cycle, index);
    // Made in `cycle` with this ttl, and one cycle older at every commit since, its own included.
    std::optional<std::int64_t> left;
    if (block.ttl) left = cycle + *block.ttl - workload_.turns() - 1;
    PutHeaders(cycle, {left, block.priority}, workload_.CreatedAtNs(cycle, index), index);
    Put(R"(,"role":"{}","kind":"{}","content":)", block.role, block.kind);
    AppendString(document_.json, block.text);
    document_.json += '}';
    document_.text_bytes += static_cast<std::int64_t>(block.text.size());
  }

  const Workload& workload_;
  Document document_;
  std::int64_t second_ = -1;
  std::string second_text_;
};

Document Workload::MakeDocument() const {
  return DocumentWriter(*this).Write();
}

}  // namespace pactdb::bench

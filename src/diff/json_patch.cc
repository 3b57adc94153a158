// A depth-first walk over pairs of values, on a stack of its own. The operations of a pair stand
// together at the end of the output, so that a pair that proves dearer than its replacement is
// taken back and replaced.
#include "diff/json_patch.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/limits.h"
#include "diff/align.h"
#include "text/canonical.h"
#include "text/json_doc.h"

namespace pactdb::diff {
namespace {

// A value with its canonical bytes, which lie in the parsed text.
struct Value {
  JsonRef ref;
  std::string_view bytes;
};

struct Member {
  std::string_view key;  // empty in an array
  Value value;
};

std::size_t JsonStringBytes(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted.size();
}

// Canonical text has no blanks, so that a value ends where its successor begins, less the comma
// and, in an object, less the next key and its colon.
std::vector<Member> MembersOf(const Value& container) {
  const bool is_object = container.ref.is_object();
  const std::size_t start = container.ref.pos();
  std::vector<Member> members;
  members.reserve(container.ref.size());
  for (auto it = container.ref.begin(); it != container.ref.end(); ++it)
    members.push_back({(*it).key, {(*it).value, {}}});
  std::size_t end = start + container.bytes.size() - 1;  // of the value, the bracket left out
  for (std::size_t i = members.size(); i-- > 0;) {
    const std::size_t pos = members[i].value.ref.pos();
    members[i].value.bytes = container.bytes.substr(pos - start, end - pos);
    end = pos - 1 - (is_object ? JsonStringBytes(members[i].key) + 1 : 0);
  }
  return members;
}

// One thing to do inside a pair of containers.
struct Step {
  enum class Kind : std::uint8_t { kAdd, kRemove, kCompare };
  Kind kind;
  std::string name;  // last part of the path, escaped
  const Value* older = nullptr;
  const Value* newer = nullptr;
};

std::string EscapedKey(std::string_view key) {
  std::string name;
  for (const char c : key) {
    if (c == '~') {
      name += "~0";
    } else if (c == '/') {
      name += "~1";
    } else {
      name += c;
    }
  }
  return name;
}

// Two containers of a kind, being compared.
struct Pair {
  std::string_view newer_bytes;
  std::vector<Member> older;
  std::vector<Member> newer;
  std::vector<Step> steps;
  std::size_t next = 0;
  std::size_t path_size = 0;  // of the path that leads here
  std::size_t out_start = 0;  // where its operations begin
  std::size_t bytes_max = 0;  // what replacing it takes
};

// Keys stand in order on both sides.
void PlanObject(Pair& pair) {
  auto a = pair.older.begin();
  auto b = pair.newer.begin();
  while (a != pair.older.end() || b != pair.newer.end()) {
    if (b == pair.newer.end() || (a != pair.older.end() && CodePointLess(a->key, b->key))) {
      pair.steps.push_back({Step::Kind::kRemove, EscapedKey(a->key)});
      ++a;
    } else if (a == pair.older.end() || CodePointLess(b->key, a->key)) {
      pair.steps.push_back({Step::Kind::kAdd, EscapedKey(b->key), nullptr, &b->value});
      ++b;
    } else {
      if (a->value.bytes != b->value.bytes)
        pair.steps.push_back({Step::Kind::kCompare, EscapedKey(a->key), &a->value, &b->value});
      ++a;
      ++b;
    }
  }
}

// Indexes are those of the array as the steps before have left it: everything left of a place is
// as in the newer array, everything right of it as in the older.
void PlanArray(Pair& pair) {
  const auto bytes = [](const std::vector<Member>& members) {
    std::vector<std::string_view> items;
    items.reserve(members.size());
    for (const Member& member : members) items.push_back(member.value.bytes);
    return items;
  };
  for (const Change& change : Align(bytes(pair.older), bytes(pair.newer))) {
    std::size_t a = change.older_start;
    std::size_t at = change.newer_start;
    for (; a < change.older_end && at < change.newer_end; ++a, ++at) {
      pair.steps.push_back(
          {Step::Kind::kCompare, std::to_string(at), &pair.older[a].value, &pair.newer[at].value});
    }
    for (; a < change.older_end; ++a)
      pair.steps.push_back({Step::Kind::kRemove, std::to_string(at)});
    for (; at < change.newer_end; ++at) {
      const bool is_end = a == pair.older.size();
      pair.steps.push_back(
          {Step::Kind::kAdd, is_end ? "-" : std::to_string(at), nullptr, &pair.newer[at].value});
    }
  }
}

class PatchWriter {
 public:
  std::string Write(const Value& older, const Value& newer) {
    Compare(older, newer);
    while (!open_.empty()) {
      Pair& pair = open_.back();
      path_.resize(pair.path_size);
      if (ops_.size() - pair.out_start > pair.bytes_max) {
        ops_.resize(pair.out_start);
        const std::string_view bytes = pair.newer_bytes;
        open_.pop_back();
        Append("replace", bytes);
        continue;
      }
      if (pair.next == pair.steps.size()) {
        open_.pop_back();
        continue;
      }
      Run(pair.steps[pair.next++]);
    }
    return "[" + ops_ + "]";
  }

 private:
  // `step` belongs to the top of the stack and is not valid once that grows.
  void Run(const Step& step) {
    path_ += '/';
    path_ += step.name;
    switch (step.kind) {
      case Step::Kind::kAdd:
        return Append("add", step.newer->bytes);
      case Step::Kind::kRemove:
        return Append("remove", std::nullopt);
      case Step::Kind::kCompare:
        return Compare(*step.older, *step.newer);
    }
  }

  void Compare(const Value& older, const Value& newer) {
    if (older.bytes == newer.bytes) return;
    const bool is_object = older.ref.is_object() && newer.ref.is_object();
    const bool is_array = older.ref.is_array() && newer.ref.is_array();
    if ((!is_object && !is_array) || older.ref.size() > kItemsMax || newer.ref.size() > kItemsMax)
      return Append("replace", newer.bytes);
    Pair pair{.newer_bytes = newer.bytes,
              .older = MembersOf(older),
              .newer = MembersOf(newer),
              .steps = {},
              .path_size = path_.size(),
              .out_start = ops_.size(),
              .bytes_max = 0};
    Append("replace", newer.bytes);
    pair.bytes_max = ops_.size() - pair.out_start;
    ops_.resize(pair.out_start);
    is_object ? PlanObject(pair) : PlanArray(pair);
    open_.push_back(std::move(pair));
  }

  void Append(std::string_view op, std::optional<std::string_view> value) {
    if (!ops_.empty()) ops_ += ',';
    ops_ += "{\"op\":\"";
    ops_ += op;
    ops_ += "\",\"path\":";
    AppendJsonString(path_, ops_);
    if (value) {
      ops_ += ",\"value\":";
      ops_ += *value;
    }
    ops_ += '}';
  }

  std::vector<Pair> open_;
  std::string path_;
  std::string ops_;
};

}  // namespace

std::string JsonPatch(std::string_view older, std::string_view newer) {
  const auto older_doc = JsonDoc::Parse(older, limits::kDocumentJsonDepthMax);
  const auto newer_doc = JsonDoc::Parse(newer, limits::kDocumentJsonDepthMax);
  PACTDB_CHECK(older_doc.has_value() && newer_doc.has_value());
  return PatchWriter().Write({older_doc->root(), older}, {newer_doc->root(), newer});
}

}  // namespace pactdb::diff

#include "engine/journal.h"

#include <array>

#include "base/limits.h"
#include "base/try.h"
#include "engine/configure_json.h"
#include "text/json_doc.h"

namespace pactdb {
namespace {

struct KindName {
  Edit::Kind kind;
  std::string_view name;
};
// Stored. Add at the end; never rename.
constexpr std::array<KindName, 8> kKinds = {{{Edit::Kind::kAdd, "add"},
                                             {Edit::Kind::kUpdate, "update"},
                                             {Edit::Kind::kReplace, "replace"},
                                             {Edit::Kind::kMove, "move"},
                                             {Edit::Kind::kRemove, "remove"},
                                             {Edit::Kind::kRemoveSelected, "remove_selected"},
                                             {Edit::Kind::kPin, "pin"},
                                             {Edit::Kind::kUnpin, "unpin"}}};

Error Damaged(std::string_view why) {
  return Error(ErrorCode::kStoreCorrupt,
               "an entry of the journal cannot be read: " + std::string(why));
}

void WriteMember(std::string_view name, const std::optional<std::string>& text, JsonOut& out) {
  if (text) out.Key(name).String(*text);
}

template <typename Number>
void WriteNumbers(std::string_view name, const std::vector<Number>& numbers, JsonOut& out) {
  if (numbers.empty()) return;
  out.Key(name).BeginArray();
  for (const Number number : numbers) out.Integer(static_cast<std::int64_t>(number));
  out.EndArray();
}

template <typename Number>
Status ReadNumbers(const JsonRef& json, std::string_view name, std::vector<Number>& numbers) {
  const auto list = json.Find(name);
  if (!list) return {};
  if (!list->is_array()) return std::unexpected(Damaged(name));
  for (auto it = list->begin(); it != list->end(); ++it) {
    const auto number = (*it).value.AsInt64();
    if (!number) return std::unexpected(Damaged(name));
    numbers.push_back(static_cast<Number>(*number));
  }
  return {};
}

std::optional<std::int64_t> IntegerOf(const JsonRef& json, std::string_view name) {
  const auto value = json.Find(name);
  return value ? value->AsInt64() : std::nullopt;
}

std::optional<std::string> TextOf(const JsonRef& json, std::string_view name) {
  const auto value = json.Find(name);
  return value && value->is_string() ? std::optional(std::string(value->string())) : std::nullopt;
}

Status ReadState(const JsonRef& json, const JsonRef& options, JournalEntry& entry) {
  if (!options.is_object()) return std::unexpected(Damaged("its options"));
  const auto request = Request::Check(options, kConfigureArguments);
  if (!request) return std::unexpected(Damaged(request.error().message()));
  auto parsed = ParseOptions(*request, Options());
  if (!parsed) return std::unexpected(Damaged(parsed.error().message()));
  entry.options = *std::move(parsed);
  const auto index = IntegerOf(json, "index");
  const auto next_tick_ns = IntegerOf(json, "next_tick_ns");
  if (!index || !next_tick_ns) return std::unexpected(Damaged("its clock is missing"));
  entry.stamper = {
      .position = {.next_tick_ns = *next_tick_ns, .last_stamp = IntegerOf(json, "last_stamp")},
      .index = *index,
      .last_ns = IntegerOf(json, "last_ns")};
  return {};
}

Status ReadMark(const JsonRef& json, Edit& edit) {
  const auto mark = json.Find("mark");
  if (!mark) return {};
  if (!mark->is_object()) return std::unexpected(Damaged("its mark"));
  const std::int64_t kind = IntegerOf(*mark, "kind").value_or(-1);
  const auto n = IntegerOf(*mark, "n");
  if (!n || kind < 0 || kind > static_cast<std::int64_t>(InsertionMark::Kind::kBefore))
    return std::unexpected(Damaged("its mark"));
  edit.mark = InsertionMark{.kind = static_cast<InsertionMark::Kind>(kind), .n = *n};
  return {};
}

Status ReadEdit(const JsonRef& json, JournalEntry& entry) {
  const auto name = TextOf(json, "edit");
  const auto* kind = std::ranges::find(kKinds, name.value_or(""), &KindName::name);
  if (kind == kKinds.end()) return std::unexpected(Damaged("it is no edit"));
  entry.edit.kind = kind->kind;
  entry.id = TextOf(json, "id").value_or("");
  entry.edit.id = entry.id;
  if (const auto node = json.Find("node")) {
    if (!node->is_object()) return std::unexpected(Damaged("its node"));
    for (auto it = node->begin(); it != node->end(); ++it)
      entry.node.Set((*it).key, (*it).value.ToJson());
    entry.edit.node = &entry.node;
  }
  const bool needs_node = kind->kind == Edit::Kind::kAdd || kind->kind == Edit::Kind::kUpdate ||
                          kind->kind == Edit::Kind::kReplace;
  if (needs_node && entry.edit.node == nullptr) return std::unexpected(Damaged("its node"));
  if (json.Find("any_names")) entry.edit.names = AttributeNames::kAny;
  entry.edit.parent = TextOf(json, "parent");
  entry.edit.at = TextOf(json, "at");
  entry.edit.offset = IntegerOf(json, "offset");
  PACTDB_TRY_STATUS(ReadMark(json, entry.edit));
  PACTDB_TRY_STATUS(ReadNumbers(json, "now", entry.now));
  return ReadNumbers(json, "random", entry.random);
}

}  // namespace

std::int64_t JournalHost::NowNs() {
  std::int64_t now = 0;
  if (given_now_.empty()) {
    now = host_->NowNs();
  } else {
    now = given_now_.front();
    given_now_.pop_front();
  }
  if (is_noting_) taken_now_.push_back(now);
  return now;
}

std::uint32_t JournalHost::RandomBits() {
  std::uint32_t bits = 0;
  if (given_random_.empty()) {
    bits = host_->RandomBits();
  } else {
    bits = given_random_.front();
    given_random_.pop_front();
  }
  if (is_noting_) taken_random_.push_back(bits);
  return bits;
}

void JournalHost::Begin(std::vector<std::int64_t> now, std::vector<std::uint32_t> random) {
  given_now_.assign(now.begin(), now.end());
  given_random_.assign(random.begin(), random.end());
  taken_now_.clear();
  taken_random_.clear();
  is_noting_ = true;
}

std::string EditEntry(const Edit& edit, const JournalHost& host) {
  JsonOut out;
  out.BeginObject();
  out.Key("edit").String(std::ranges::find(kKinds, edit.kind, &KindName::kind)->name);
  if (edit.kind != Edit::Kind::kAdd) out.Key("id").String(edit.id);
  if (edit.node != nullptr) {
    out.Key("node").BeginObject();
    for (const auto& [name, value] : edit.node->fields()) out.Key(name).Raw(value.text());
    out.EndObject();
  }
  if (edit.names == AttributeNames::kAny) out.Key("any_names").Bool(true);
  WriteMember("parent", edit.parent, out);
  WriteMember("at", edit.at, out);
  if (edit.offset) out.Key("offset").Integer(*edit.offset);
  if (edit.mark) {
    out.Key("mark").BeginObject();
    out.Key("kind").Integer(static_cast<std::int64_t>(edit.mark->kind));
    out.Key("n").Integer(edit.mark->n);
    out.EndObject();
  }
  WriteNumbers("now", host.now(), out);
  WriteNumbers("random", host.random(), out);
  out.EndObject();
  return out.Take();
}

std::string StateEntry(const Options& options, const StamperState& stamper) {
  JsonOut out;
  out.BeginObject();
  out.Key("options").Raw(OptionsJson(options));
  out.Key("index").Integer(stamper.index);
  out.Key("next_tick_ns").Integer(stamper.position.next_tick_ns);
  if (stamper.position.last_stamp) out.Key("last_stamp").Integer(*stamper.position.last_stamp);
  if (stamper.last_ns) out.Key("last_ns").Integer(*stamper.last_ns);
  out.EndObject();
  return out.Take();
}

Result<std::unique_ptr<JournalEntry>> ParseEntry(std::string_view json) {
  const auto doc = JsonDoc::ParseView(json, limits::kDocumentJsonDepthMax);
  if (!doc) return std::unexpected(Damaged(doc.error().message()));
  const JsonRef root = doc->root();
  if (!root.is_object()) return std::unexpected(Damaged("it is no object"));
  auto entry = std::make_unique<JournalEntry>();
  if (const auto options = root.Find("options")) {
    PACTDB_TRY_STATUS(ReadState(root, *options, *entry));
  } else {
    PACTDB_TRY_STATUS(ReadEdit(root, *entry));
  }
  return entry;
}

}  // namespace pactdb

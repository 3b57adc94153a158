#include "engine/operation_log.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/sha256.h"
#include "base/try.h"
#include "model/history.h"
#include "model/kinship.h"
#include "model/tree_hash.h"
#include "model/unshared.h"
#include "render/thread.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

constexpr std::size_t kShortAnswerBytes = 1024;
constexpr std::size_t kPrintDigits = 8;
constexpr std::size_t kSumDigits = 16;
constexpr std::string_view kSumKey = ",\"sum\":\"";
// Entries hold a request and what came of it; both have bounds of their own.
constexpr std::size_t kEntryJsonDepth = 8;

std::string NextSum(std::string_view before, std::string_view body) {
  std::string bytes(before);
  bytes += body;
  return ToHex(Sha256Of(bytes)).substr(0, kSumDigits);
}

std::string PrintOf(const Node& node, const Lexicon& lexicon) {
  std::string bytes;
  if (node.parent != kNoNode) bytes += lexicon.id(node.parent);
  bytes += '\0';
  AppendNodeEncoding(node, lexicon, bytes);
  return ToHex(Sha256Of(bytes)).substr(0, kPrintDigits);
}

// --- bytes that are no text, in hexadecimal ---

std::string HexOf(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const char byte : bytes) {
    hex += kDigits[static_cast<unsigned char>(byte) >> 4];
    hex += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return hex;
}

std::optional<std::string> FromHex(std::string_view hex) {
  const auto digit = [](char c) {
    const std::size_t at = std::string_view("0123456789abcdef").find(c);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
  };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    if (digit(hex[i]) < 0 || digit(hex[i + 1]) < 0) return std::nullopt;
    bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  }
  return hex.size() % 2 == 0 ? std::optional(bytes) : std::nullopt;
}

// --- writing ---

void WriteAnswer(const LoggedAnswer& answer, JsonOut& out) {
  out.Key("answer").BeginObject();
  if (!answer.error.empty()) out.Key("error").String(answer.error);
  if (!answer.sha256.empty()) out.Key("sha256").String(answer.sha256);
  if (!answer.text.empty()) out.Key("text").String(answer.text);
  out.EndObject();
}

void WriteState(const LoggedState& state, JsonOut& out) {
  out.Key("state").BeginObject();
  out.Key("context").String(state.context);
  out.Key("cycle").Integer(state.cycle);
  out.Key("tree_sha256").String(state.tree_sha256);
  out.Key("kept").Integer(static_cast<std::int64_t>(state.kept));
  out.Key("added").String(state.added);
  out.Key("nodes").BeginArray();
  for (const NodePrint& node : state.nodes)
    out.BeginArray().String(node.id).String(node.print).EndArray();
  out.EndArray();
  out.Key("removed").BeginArray();
  for (const std::string& id : state.removed) out.String(id);
  out.EndArray().EndObject();
}

// --- reading; false for what is not as written ---

bool ReadText(const std::optional<JsonRef>& json, std::string& out) {
  if (!json) return true;
  if (!json->is_string()) return false;
  out = std::string(json->string());
  return true;
}

bool ReadRequest(const JsonRef& json, LogEntry& entry) {
  if (const auto text = json.Find("request")) return ReadText(text, entry.request);
  const auto hex = json.Find("request_hex");
  const auto bytes = hex && hex->is_string() ? FromHex(hex->string()) : std::nullopt;
  if (bytes) entry.request = *bytes;
  return bytes.has_value();
}

template <typename T>
bool ReadNumbers(const std::optional<JsonRef>& json, std::vector<T>& out) {
  if (!json) return true;
  if (!json->is_array()) return false;
  for (auto it = json->begin(); it != json->end(); ++it) {
    const auto number = (*it).value.AsInt64();
    if (!number || !std::in_range<T>(*number)) return false;
    out.push_back(static_cast<T>(*number));
  }
  return true;
}

bool ReadAnswer(const std::optional<JsonRef>& json, LoggedAnswer& out) {
  return json && json->is_object() && ReadText(json->Find("error"), out.error) &&
         ReadText(json->Find("sha256"), out.sha256) && ReadText(json->Find("text"), out.text);
}

bool ReadNodes(const std::optional<JsonRef>& json, std::vector<NodePrint>& out) {
  if (!json || !json->is_array()) return false;
  for (auto it = json->begin(); it != json->end(); ++it) {
    const JsonRef pair = (*it).value;
    if (!pair.is_array() || pair.size() != 2) return false;
    auto member = pair.begin();
    const JsonRef id = (*member).value;
    ++member;
    const JsonRef print = (*member).value;
    if (!id.is_string() || !print.is_string()) return false;
    out.push_back({std::string(id.string()), std::string(print.string())});
  }
  return true;
}

bool ReadState(const JsonRef& json, LoggedState& out) {
  if (!json.is_object()) return false;
  const auto cycle = json.Find("cycle");
  const auto kept = json.Find("kept");
  const auto removed = json.Find("removed");
  if (!cycle || !cycle->AsInt64() || !kept || !kept->AsInt64() || *kept->AsInt64() < 0)
    return false;
  out.cycle = *cycle->AsInt64();
  out.kept = static_cast<std::size_t>(*kept->AsInt64());
  if (!removed || !removed->is_array()) return false;
  for (auto it = removed->begin(); it != removed->end(); ++it) {
    if (!ReadText((*it).value, out.removed.emplace_back())) return false;
  }
  return ReadText(json.Find("context"), out.context) &&
         ReadText(json.Find("tree_sha256"), out.tree_sha256) &&
         ReadText(json.Find("added"), out.added) && ReadNodes(json.Find("nodes"), out.nodes);
}

bool ReadEntry(const JsonRef& json, LogEntry& entry) {
  if (!ReadRequest(json, entry) || !ReadNumbers(json.Find("now"), entry.now) ||
      !ReadNumbers(json.Find("random"), entry.random) ||
      !ReadAnswer(json.Find("answer"), entry.answer))
    return false;
  const auto state = json.Find("state");
  return !state || ReadState(*state, entry.state.emplace());
}

}  // namespace

LoggedState DescribeState(std::string_view context, const Snapshot& snapshot,
                          const Snapshot* before, std::string& thread) {
  const CommitRecord& record = snapshot.record();
  LoggedState state{.context = std::string(context),
                    .cycle = record.cycle,
                    .tree_sha256 = ToHex(record.root->digest)};
  std::string bytes;
  RenderThread(record.View(), bytes);
  state.kept = static_cast<std::size_t>(std::ranges::mismatch(thread, bytes).in1 - thread.begin());
  state.added = bytes.substr(state.kept);
  thread = std::move(bytes);
  // Another context may have taken the name; its nodes are others.
  if (before == nullptr || !IsInHistoryOf(before->record().View(), record.View())) {
    for (PreorderCursor node(*record.root); node.get() != nullptr; node.Next()) {
      state.nodes.push_back({std::string(record.lexicon->id(node.get()->number)),
                             PrintOf(*node.get(), *record.lexicon)});
    }
    return state;
  }
  const CommitRecord& old = before->record();
  const Unshared unshared = FindUnshared(*old.root, *record.root, *record.lexicon);
  for (const Node* node : unshared.newer) {
    const Node* version = old.Find(node->number);
    if (version != nullptr && SameVersion(*version, *node, *record.lexicon)) continue;
    state.nodes.push_back(
        {std::string(record.lexicon->id(node->number)), PrintOf(*node, *record.lexicon)});
  }
  for (const Node* node : unshared.older) {
    if (record.Find(node->number) == nullptr)
      state.removed.emplace_back(record.lexicon->id(node->number));
  }
  return state;
}

LoggedAnswer DescribeAnswer(std::string_view given, std::string_view op) {
  LoggedAnswer described;
  // Whether a commit is on a disk is the file's doing; a replay is in memory.
  constexpr std::string_view kOnDisk = R"(,"durable":true,)";
  std::string answer(given);
  if (const std::size_t at = answer.find(kOnDisk); op == "commit" && at != std::string::npos)
    answer.replace(at, kOnDisk.size(), R"(,"durable":false,)");
  const auto doc = JsonDoc::ParseView(answer, 2 * limits::kDocumentJsonDepthMax);
  const auto error = doc ? doc->root().Find("error") : std::nullopt;
  if (error) {
    // The code is the contract; the message may be said better one day.
    described.error = std::string(error->Find("code")->string());
    return described;
  }
  // Sizes in memory and estimates of cost are this build's own.
  if (op == "stats" || op == "explain" || op == "contexts") return described;
  described.sha256 = ToHex(Sha256Of(answer));
  if (answer.size() <= kShortAnswerBytes) described.text = std::move(answer);
  return described;
}

// --- LogWriter ---

Status LogWriter::WriteLine(JsonOut& out) {
  std::string line = out.Take();
  line.pop_back();  // the closing brace, which comes after the sum
  sum_ = NextSum(sum_, line);
  line += kSumKey;
  line += sum_;
  line += "\"}\n";
  if (sink_->Write(line)) return {};
  return std::unexpected(Error(ErrorCode::kStoreIo, "the operation log could not be written"));
}

Status LogWriter::Begin() {
  JsonOut out;
  out.BeginObject().Key("pactdb_log").Integer(kOperationLogVersion).EndObject();
  return WriteLine(out);
}

Status LogWriter::Add(const LogEntry& entry) {
  JsonOut out;
  out.BeginObject();
  if (IsValidUtf8(entry.request)) {
    out.Key("request").String(entry.request);
  } else {
    out.Key("request_hex").String(HexOf(entry.request));
  }
  if (!entry.now.empty()) {
    out.Key("now").BeginArray();
    for (const std::int64_t reading : entry.now) out.Integer(reading);
    out.EndArray();
  }
  if (!entry.random.empty()) {
    out.Key("random").BeginArray();
    for (const std::uint32_t bits : entry.random) out.Integer(bits);
    out.EndArray();
  }
  WriteAnswer(entry.answer, out);
  if (entry.state) WriteState(*entry.state, out);
  out.EndObject();
  ++entries_;
  return WriteLine(out);
}

Status LogWriter::End() {
  JsonOut out;
  out.BeginObject().Key("end").Integer(entries_).EndObject();
  return WriteLine(out);
}

// --- LogReader ---

Error LogReader::Damaged(std::string message, std::int64_t pos) const {
  return Error(ErrorCode::kImportInvalid,
               "line " + std::to_string(lines_.number()) + ": " + std::move(message))
      .With("line", lines_.number())
      .With("pos", lines_.start() + pos);
}

Result<JsonDoc> LogReader::NextLine() {
  PACTDB_TRY(const bool has_line, lines_.Next());
  if (!has_line) {
    is_at_end_ = true;
    is_complete_ = false;
    return JsonDoc::ParseView("{}", kEntryJsonDepth);
  }
  const std::string_view line = lines_.line();
  auto doc = JsonDoc::ParseView(line, kEntryJsonDepth, ErrorCode::kImportInvalid);
  if (!doc) {
    std::int64_t pos = 0;
    for (const Error::Detail& detail : doc.error().details()) {
      if (detail.name == "pos") pos = detail.number;
    }
    return std::unexpected(Damaged(doc.error().message(), pos));
  }
  if (!doc->root().is_object()) return std::unexpected(Damaged("an entry is an object", 0));
  const std::size_t tail = kSumKey.size() + kSumDigits + 2;
  const std::size_t end = line.size() < tail ? 0 : line.size() - tail;
  if (line.substr(end, kSumKey.size()) != kSumKey)
    return std::unexpected(Damaged("an entry ends with its sum", static_cast<std::int64_t>(end)));
  sum_ = NextSum(sum_, line.substr(0, end));
  if (line.substr(end + kSumKey.size(), kSumDigits) != sum_) {
    return std::unexpected(
        Damaged("the sum is not that of the lines up to here; one was changed, lost or put in",
                static_cast<std::int64_t>(end)));
  }
  return doc;
}

Status LogReader::Begin() {
  PACTDB_TRY(const JsonDoc header, NextLine());
  if (is_at_end_)
    return std::unexpected(Error(ErrorCode::kImportInvalid, "the log is empty").With("pos", 0));
  const auto version = header.root().Find("pactdb_log");
  if (!version) return std::unexpected(Damaged("this is no operation log", 0));
  if (version->AsInt64() == kOperationLogVersion) return {};
  return std::unexpected(Damaged("the log is of another version; this build reads version " +
                                     std::to_string(kOperationLogVersion),
                                 static_cast<std::int64_t>(version->pos())));
}

Result<std::optional<LogEntry>> LogReader::Next() {
  if (is_at_end_) return std::nullopt;
  PACTDB_TRY(const JsonDoc doc, NextLine());
  if (is_at_end_) return std::nullopt;
  if (const auto end = doc.root().Find("end")) {
    is_at_end_ = true;
    if (end->AsInt64() != entries_)
      return std::unexpected(Damaged("the number of entries is another", 0));
    PACTDB_TRY(const bool has_more, lines_.Next());
    if (has_more) return std::unexpected(Damaged("a line after the last", 0));
    return std::nullopt;
  }
  LogEntry entry;
  if (!ReadEntry(doc.root(), entry))
    return std::unexpected(Damaged("an entry that is not as the format page says", 0));
  ++entries_;
  return std::optional(std::move(entry));
}

}  // namespace pactdb

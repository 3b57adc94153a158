// get, tree, log, render, serialize, export, verify, stats: reading, as JSON.
#include <algorithm>
#include <vector>

#include "base/slab.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "engine/node_json.h"
#include "engine/token_cost.h"
#include "model/verify.h"
#include "providers/convert.h"
#include "render/serialize.h"
#include "render/text.h"
#include "render/thread.h"
#include "text/json_out.h"

namespace pactdb {

Result<TreeView> ContextImpl::Resolve(std::optional<std::string_view> at) const {
  if (at && *at != "working") {
    PACTDB_TRY(const CommitRecord* record, history_->Resolve(*at));
    return record->View();
  }
  working_.Summarize();
  return View();
}

Result<const CommitRecord*> ContextImpl::FindSnapshot(std::string_view at) const {
  history_->DropFar();
  return history_->Resolve(at);
}

Result<TreeView> ContextImpl::FindTree(std::optional<std::string_view> at) const {
  history_->DropFar();
  return Resolve(at);
}

Result<std::string> ContextImpl::Get(std::string_view id,
                                     std::optional<std::string_view> at) const {
  PACTDB_TRY(const TreeView view, FindTree(at));
  const Node* node = view.FindId(id);
  if (node == nullptr) {
    return std::unexpected(
        Error(ErrorCode::kNodeNotFound, "there is no node '" + std::string(id) + "' in " +
                                            std::string(at.value_or("the working state")))
            .With("id", id));
  }
  JsonOut out;
  out.BeginObject();
  WriteNodeFields(view, *node, NodeJson::kWithParent, out);
  out.EndObject();
  return out.Take();
}

Result<std::string> ContextImpl::Tree(std::optional<std::string_view> at,
                                      std::optional<std::int64_t> depth) const {
  PACTDB_TRY(const TreeView view, FindTree(at));
  JsonOut out;
  WriteTree(view, depth, out);
  return out.Take();
}

Result<std::string> ContextImpl::Log(const LogOptions& options) const {
  std::size_t end = history_->size();
  if (options.cursor) {
    PACTDB_TRY(end, history_->FirstFrom(*options.cursor));
  }
  const auto limit = static_cast<std::uint64_t>(options.limit.value_or(INT64_MAX));
  const std::size_t begin = end - std::min<std::uint64_t>(end, limit);
  std::optional<TokenCost> cost;
  if (options.tokens) {
    PACTDB_TRY(cost, TokenCost::Make(options_.encoding, *lexicon_));
  }
  if (options.hashes || options.tokens) PACTDB_TRY_STATUS(history_->Need(begin));
  if (options.hashes) {
    // Oldest first: each thread goes on where the one before ends, so each is hashed from there.
    for (std::size_t i = begin; i < end; ++i) thread_hasher_.Hash(history_->at(i));
  }
  JsonOut out;
  out.BeginArray();
  for (std::size_t i = end; i-- > begin;) {
    PACTDB_TRY(const CommitLine line, history_->Line(i));
    out.BeginObject();
    out.Key("cycle").Integer(line.cycle);
    out.Key("committed_at_iso");
    if (line.committed_at_iso) {
      out.String(*line.committed_at_iso);
    } else {
      out.Null();
    }
    out.Key("added").Integer(static_cast<std::int64_t>(line.added));
    out.Key("removed").Integer(static_cast<std::int64_t>(line.removed));
    out.Key("changed").Integer(static_cast<std::int64_t>(line.changed));
    out.Key("nodes").Integer(static_cast<std::int64_t>(line.nodes));
    const auto tokens = cost ? std::optional(static_cast<std::int64_t>(
                                   cost->AtAndBelow(*history_->at(i).root).units))
                             : std::nullopt;
    out.Key("tokens").OptionalInteger(tokens);
    out.Key("tags").BeginArray();
    for (const std::string& tag : history_->tags().Of(static_cast<Ordinal>(i))) out.String(tag);
    out.EndArray();
    if (options.hashes)
      out.Key("thread_sha256").String(ToHex(thread_hasher_.Hash(history_->at(i))));
    out.EndObject();
  }
  out.EndArray();
  return out.Take();
}

// Writes the tree in the format. What could not be said goes to `lost`.
Status ContextImpl::RenderView(const TreeView& view, const RenderOptions& options, ByteSink& sink,
                               std::vector<RenderLoss>& lost) const {
  if (options.format == "thread") {
    RenderThread(view, sink, render_cache_.get());
    return {};
  }
  if (options.format == "text") {
    RenderText(view, sink);
    return {};
  }
  providers::Losses losses(*providers::ParseFormat(options.format), options.lossy);
  PACTDB_TRY_STATUS(providers::WriteRequest(view, losses, sink, options.cache));
  for (providers::Loss& loss : losses.Take())
    lost.push_back({std::move(loss.id), std::move(loss.field), std::move(loss.reason)});
  return {};
}

Status ContextImpl::RenderTo(ByteSink& sink, const RenderOptions& options,
                             std::vector<RenderLoss>& lost) const {
  const auto format = providers::ParseFormat(options.format);
  const bool is_ours = options.format == "thread" || options.format == "text";
  if (!is_ours && !(format && providers::CanRender(*format))) {
    std::string known = "thread, text, ";
    known += providers::FormatNames(true);
    return std::unexpected(UnknownFormat(options.format, known));
  }
  if (options.cache && format != providers::Format::kAnthropic) {
    return std::unexpected(
        Error(ErrorCode::kRequestInvalid, "only anthropic requests carry marks of the prompt cache")
            .With("argument", "cache"));
  }
  // Rendering the working state shows what committing now would give.
  if (!options.at || *options.at == "working") {
    PACTDB_TRY(const Prepared prepared, Preview());
    return RenderView(prepared.tree.View(open_cycle_ + 1), options, sink, lost);
  }
  PACTDB_TRY(const CommitRecord* record, FindSnapshot(*options.at));
  return RenderView(record->View(), options, sink, lost);
}

Result<RenderResult> ContextImpl::Render(const RenderOptions& options) const {
  RenderResult result{.format = options.format, .body = {}, .sha256 = {}, .lost = {}};
  StringSink sink(result.body);
  PACTDB_TRY_STATUS(RenderTo(sink, options, result.lost));
  if (!options.at || *options.at == "working" || options.format != "thread") {
    result.sha256 = ToHex(Sha256Of(result.body));
  } else {
    // Known already where the commit was asked for it, and otherwise to be asked for again.
    PACTDB_TRY(const CommitRecord* record, history_->Resolve(*options.at));
    result.sha256 = ToHex(thread_hasher_.Hash(*record));
  }
  return result;
}

Status ContextImpl::SerializeTo(ByteSink& sink, std::optional<std::string_view> at) const {
  PACTDB_TRY(const TreeView view, FindTree(at));
  SerializeSnapshot(view, sink);
  return {};
}

Result<std::string> ContextImpl::Serialize(std::optional<std::string_view> at) const {
  std::string bytes;
  StringSink sink(bytes);
  PACTDB_TRY_STATUS(SerializeTo(sink, at));
  return bytes;
}

Status ContextImpl::Export(const ExportOptions& options, HistoryForm form, ByteSink& sink) const {
  const bool is_working = !options.at || *options.at == "working";
  if (options.history) {
    std::size_t commits = history_->size();
    if (!is_working) {
      PACTDB_TRY(const CommitRecord* record, FindSnapshot(*options.at));
      commits = record->ordinal + 1;
    }
    PACTDB_TRY_STATUS(history_->Need(0));
    return WriteHistoryExport(*history_, commits, options_.dialect, form, sink);
  }
  if (is_working) {
    working_.Refresh();
    return WriteSnapshotExport(View(), open_cycle_, is_working, options_.dialect, sink);
  }
  PACTDB_TRY(const CommitRecord* record, FindSnapshot(*options.at));
  return WriteSnapshotExport(record->View(), record->cycle, is_working, options_.dialect, sink);
}

std::string ContextImpl::TreeSha256() const {
  working_.Refresh();
  return ToHex(View().root->digest);
}

ContextImpl::Findings ContextImpl::FindProblems(const std::function<void(double)>& progress) const {
  Verifier verifier;
  std::optional<Error> unread;
  const std::size_t size = history_->size();
  // Half of the way is loading, half is looking.
  const auto report = [&progress, size](double start, std::size_t done) {
    if (progress) progress(start + static_cast<double>(done) / static_cast<double>(size) / 2);
  };
  std::size_t first = size;
  while (first > 0) {
    const Status loaded = history_->Need(first - 1);
    // Retention by another process, since this one opened the file, is no damage.
    if (!loaded && loaded.error().code() != ErrorCode::kSnapshotNotFound) unread = loaded.error();
    if (!loaded) break;
    report(0.0, size - --first);
  }
  for (std::size_t i = first; i < size; ++i) {
    const CommitRecord& record = history_->at(i);
    verifier.Check(record.View(), "@c" + std::to_string(record.cycle), record.sealed);
    report(0.5, i + 1);
  }
  working_.Refresh();
  verifier.Check(View(), "working");
  return {.problems = verifier.problems(), .unread = std::move(unread)};
}

std::string ContextImpl::Verify() const {
  auto [problems, unread] = FindProblems();
  if (unread) problems.insert(problems.begin(), unread->message());
  JsonOut out;
  out.BeginObject();
  out.Key("ok").Bool(problems.empty());
  out.Key("problems").BeginArray();
  for (const std::string& problem : problems) out.String(problem);
  out.EndArray().EndObject();
  return out.Take();
}

std::string ContextImpl::Stats() const {
  working_.Refresh();
  const Summary summary = child_list::Below(*View().root);
  JsonOut out;
  out.BeginObject();
  out.Key("cycle").Integer(open_cycle_);
  out.Key("snapshots").Integer(static_cast<std::int64_t>(history_->size()));
  out.Key("nodes").Integer(static_cast<std::int64_t>(working_.node_count()));
  out.Key("turns").Integer(
      static_cast<std::int64_t>(child_list::Size(working_.region(NodeClass::kSeq).children)));
  out.Key("ttl_nodes").Integer(summary.ttl_nodes);
  out.Key("made_in_cycle").Integer(static_cast<std::int64_t>(made_in_cycle_));
  out.Key("ids").Integer(static_cast<std::int64_t>(lexicon_->id_count()));
  out.Key("index_bytes").Integer(static_cast<std::int64_t>(lexicon_->allocated_bytes()));
  // Contexts of a process share their memory.
  out.Key("tree_bytes").Integer(static_cast<std::int64_t>(SharedSlabs().bytes_in_use()));
  out.Key("render_cache_bytes").Integer(static_cast<std::int64_t>(render_cache_->stats().bytes));
  out.Key("attempts").Integer(static_cast<std::int64_t>(attempts_.size()));
  out.Key("tree_sha256").String(ToHex(View().root->digest));
  out.EndObject();
  return out.Take();
}

}  // namespace pactdb

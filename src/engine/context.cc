#include <pactdb/context.h>
#include <pactdb/tokens.h>

#include <algorithm>

#include "base/try.h"
#include "engine/config_json.h"
#include "engine/context_impl.h"
#include "engine/names.h"
#include "engine/retention_rules.h"
#include "select/select.h"

namespace pactdb {

Status CheckPolicy(const Policy& policy) {
  const auto is_count = [](const std::optional<std::int64_t>& limit) {
    return !limit || *limit >= 0;
  };
  bool valid = is_count(policy.max_nodes) && is_count(policy.max_turns) &&
               is_count(policy.max_tokens) && policy.protect_recent_turns >= 0;
  for (const auto& region : {policy.sys, policy.seq, policy.ah})
    valid = valid && (!region || (is_count(region->max_nodes) && is_count(region->max_tokens)));
  if (valid) return {};
  return std::unexpected(Error(ErrorCode::kRequestInvalid, "a policy's limits are zero or more"));
}

Status CheckOptions(const Options& options) {
  if (options.clock && (options.clock->start_ns < 0 || options.clock->step_ns < 1)) {
    return std::unexpected(
        Error(ErrorCode::kRequestInvalid,
              "a clock starts at 0 or later and steps by 1 or more nanoseconds"));
  }
  if (options.policy) PACTDB_TRY_STATUS(CheckPolicy(*options.policy));
  if (options.retention) PACTDB_TRY_STATUS(CheckRules(*options.retention));
  // A build may lack a vocabulary; who counts no tokens need not know.
  if (options.encoding == Options().encoding &&
      !(options.policy && options.policy->has_token_limits()))
    return {};
  const auto encoding = Tokenizer::Find(options.encoding);
  return encoding ? Status() : std::unexpected(encoding.error());
}

// --- NodeSpec ---

namespace {

constexpr std::size_t kUsualFields = 4;  // role, kind, content and one more

}  // namespace

NodeSpec& NodeSpec::Set(std::string_view name, Json value) {
  const auto field = std::ranges::find(fields_, name, &Field::first);
  if (field != fields_.end()) {
    field->second = std::move(value);
  } else {
    if (fields_.empty()) fields_.reserve(kUsualFields);
    fields_.emplace_back(name, std::move(value));
  }
  return *this;
}

NodeSpec& NodeSpec::SetText(std::string_view name, std::string_view utf8) {
  auto json = Json::String(utf8);
  if (json) return Set(name, *std::move(json));
  fault_ = std::move(json).error().With("field", name);
  return *this;
}

NodeSpec& NodeSpec::SetTexts(std::string_view name, const std::vector<std::string>& texts) {
  std::vector<Json> items;
  for (const std::string& text : texts) {
    auto json = Json::String(text);
    if (!json) {
      fault_ = std::move(json).error().With("field", name);
      return *this;
    }
    items.push_back(*std::move(json));
  }
  return Set(name, Json::Array(items));
}

std::string HashNode(const NodeSpec& node, std::vector<std::string>* warnings) {
  // Content that cannot be said in JSON hashes as no bytes at all.
  if (node.fault()) {
    if (warnings != nullptr)
      warnings->push_back("hashed as no content: " + std::string(node.fault()->message()));
    return ToHex(Sha256Of(""));
  }
  std::optional<std::string_view> content;
  std::string_view role;
  std::string_view kind;
  std::vector<Attribute> attributes;
  for (const auto& [name, value] : node.fields()) {
    // Unlike a stored node, the function sees what it is given: a null role hashes as null.
    if (name == "content") {
      content = value.text();
    } else if (name == "role") {
      role = value.text();
    } else if (name == "kind") {
      kind = value.text();
    } else if (IsContentAttribute(name) && name != "content_hash") {
      attributes.push_back({name, value.text()});
    }
  }
  std::ranges::sort(attributes, {}, &Attribute::name);
  return ToHex(ContentHash(content, attributes, role, kind));
}

Result<NodeList> Select(const Snapshot& snapshot, const Selector& selector) {
  const CommitRecord& record = snapshot.record();
  PACTDB_TRY(auto nodes, select::MatchNodes(selector, record.View()));
  return NodeList(std::move(nodes), &record);
}

// --- NodeRef ---

NodeRef::NodeRef(std::string id, std::shared_ptr<void> hold, std::weak_ptr<ContextImpl> context)
    : id_(std::move(id)), hold_(std::move(hold)), context_(std::move(context)) {}

std::optional<std::string> NodeRef::Get() const {
  const auto context = context_.lock();
  if (!context) return std::nullopt;
  auto node = context->Get(id_, std::nullopt);
  if (!node) return std::nullopt;
  return *std::move(node);
}

// --- ContextImpl ---

ContextImpl::ContextImpl(const Options& options, std::shared_ptr<Host> host)
    : options_(options),
      host_(std::move(host)),
      working_(lexicon_),
      render_cache_(std::make_shared<RenderCache>(options.render_cache_bytes)),
      stamper_(options.clock, host_) {}

Status ContextImpl::Configure(const Options& options, bool restart_clock) {
  PACTDB_TRY_STATUS(CheckOptions(options));
  if (keeper_ && options.journal && !options_.journal && IsEdited()) {
    return std::unexpected(Error(ErrorCode::kConflict,
                                 "there are edits that no journal has; commit before turning it on")
                               .With("argument", "journal"));
  }
  const bool restarts = restart_clock || options.clock != options_.clock;
  const StoredConfig config{.options = options,
                            .clock_since_cycle = restarts ? open_cycle_ : clock_since_cycle_,
                            .ids_ahead = ids_ahead_};
  if (keeper_) {
    PACTDB_TRY_STATUS(keeper_->store().SetConfig(keeper_->number(), ConfigJson(config)));
  }
  if (restarts) stamper_.SetClock(options.clock);
  clock_since_cycle_ = config.clock_since_cycle;
  journal_has_state_ = false;
  render_cache_->SetBudget(options.render_cache_bytes);
  options_ = options;
  return {};
}

// --- Context ---

Result<Context> Context::Make(const Options& options) {
  PACTDB_TRY_STATUS(CheckOptions(options));
  return Context(std::make_shared<ContextImpl>(options));
}

Context::Context(std::shared_ptr<ContextImpl> impl) : impl_(std::move(impl)) {}
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;
Context::~Context() = default;

const Options& Context::options() const {
  return impl_->options();
}

Status Context::Configure(const Options& options, bool restart_clock) {
  return impl_->Configure(options, restart_clock);
}

Result<AddResult> Context::Add(const NodeSpec& node, const Place& place) {
  return impl_->Add(node, place);
}
Status Context::Update(std::string_view id, const NodeSpec& set) {
  return impl_->Update(id, set);
}
Result<ReplaceResult> Context::Replace(std::string_view id, const NodeSpec& node) {
  return impl_->Replace(id, node);
}
Result<std::string> Context::Move(std::string_view id, const MoveOptions& options) {
  return impl_->Move(id, options);
}
Result<std::vector<std::string>> Context::Remove(std::string_view id) {
  return impl_->Remove(id);
}
Result<std::vector<std::string>> Context::RemoveSelected(std::string_view selector) {
  return impl_->RemoveSelected(selector);
}
Result<std::vector<std::string>> Context::Select(std::string_view selector,
                                                 const SelectOptions& options) const {
  return impl_->Select(selector, options);
}
Result<std::vector<std::string>> Context::Select(const Selector& selector,
                                                 const SelectOptions& options) const {
  return impl_->Select(selector, options);
}
Result<std::string> Context::SelectRange(std::string_view selector, const SelectOptions& options,
                                         const RangeOptions& range) const {
  return impl_->SelectRange(selector, options, range);
}
Result<std::string> Context::SelectRange(const Selector& selector, const SelectOptions& options,
                                         const RangeOptions& range) const {
  return impl_->SelectRange(selector, options, range);
}
Status Context::Pin(std::string_view id) {
  return impl_->SetPinned(id, true);
}
Status Context::Unpin(std::string_view id) {
  return impl_->SetPinned(id, false);
}
Result<NodeRef> Context::Hold(std::string_view id) {
  return impl_->Hold(id);
}

std::int64_t Context::open_cycle() const {
  return impl_->open_cycle();
}
Result<CommitResult> Context::Commit(const CommitOptions& options) {
  return impl_->Commit(options);
}

Result<Snapshot> Context::At(std::string_view address) const {
  impl_->history()->DropFar();
  PACTDB_TRY(const CommitRecord* record, impl_->history()->Resolve(address));
  return Snapshot(record);
}

Result<Context> Context::Fork(std::string_view at) const {
  PACTDB_TRY(auto fork, impl_->Fork(at));
  return Context(std::move(fork));
}
Result<std::int64_t> Context::Tag(std::string_view name, std::string_view at) {
  return impl_->SetTag(name, at);
}
Result<std::int64_t> Context::RemoveTag(std::string_view name) {
  return impl_->RemoveTag(name);
}

Reader Context::MakeReader() const {
  return Reader(impl_->history());
}

Result<std::string> Context::Diff(std::string_view from, std::string_view to,
                                  const DiffOptions& options) const {
  return Diff(from, *this, to, options);
}
Result<std::string> Context::Diff(std::string_view from, const Context& other, std::string_view to,
                                  const DiffOptions& options) const {
  return impl_->Diff({*impl_, from}, {*other.impl_, to}, options);
}

Result<std::string> Context::Get(std::string_view id, std::optional<std::string_view> at) const {
  return impl_->Get(id, at);
}
Result<std::string> Context::Tree(std::optional<std::string_view> at,
                                  std::optional<std::int64_t> depth) const {
  return impl_->Tree(at, depth);
}
Result<std::string> Context::Life(std::string_view id) const {
  return impl_->Life(id);
}
Result<std::string> Context::Log(const LogOptions& options) const {
  return impl_->Log(options);
}
Result<std::string> Context::Tokens(const TokensOptions& options) const {
  return impl_->Tokens(options);
}
Result<std::string> Context::Simulate(const SimulateOptions& options) {
  return impl_->Simulate(options);
}
Result<RenderResult> Context::Render(const RenderOptions& options) const {
  return impl_->Render(options);
}
Status Context::RenderTo(ByteSink& sink, const RenderOptions& options,
                         std::vector<RenderLoss>* lost) const {
  std::vector<RenderLoss> ignored;
  return impl_->RenderTo(sink, options, lost == nullptr ? ignored : *lost);
}
std::shared_ptr<RenderCache> Context::render_cache() const {
  return impl_->render_cache();
}
Result<std::string> Context::Serialize(std::optional<std::string_view> at) const {
  return impl_->Serialize(at);
}
Status Context::SerializeTo(ByteSink& sink, std::optional<std::string_view> at) const {
  return impl_->SerializeTo(sink, at);
}
std::string Context::Verify() const {
  return impl_->Verify();
}
std::string Context::Stats() const {
  return impl_->Stats();
}
std::string Context::tree_sha256() const {
  return impl_->TreeSha256();
}

Result<ImportResult> Context::ImportSnapshot(std::string_view document, bool strict) {
  return impl_->ImportSnapshot(document, strict);
}
Result<ImportResult> Context::ImportFrom(const ByteSource& source, bool strict) {
  return impl_->Import(source, strict);
}
Result<std::string> Context::Export(const ExportOptions& options) const {
  std::string document;
  StringSink sink(document);
  PACTDB_TRY_STATUS(impl_->Export(options, HistoryForm::kDocument, sink));
  return document;
}
Status Context::ExportTo(ByteSink& sink, const ExportOptions& options) const {
  return impl_->Export(options, HistoryForm::kLines, sink);
}
Result<ImportResult> Context::ImportLog(std::string_view log) {
  return impl_->ImportLog(log);
}

Result<std::string> Context::Check(const LegalityOptions& options) const {
  return impl_->Check(options);
}

Result<std::string> Context::Lint(const LintOptions& options) const {
  return impl_->Lint(options);
}

Result<std::string> Context::Cache(const CacheOptions& options) const {
  return impl_->Cache(options);
}

Result<std::string> Context::Fix(const std::optional<std::string>& format) {
  return impl_->Fix(format);
}

Result<ImportResult> Context::ImportThread(std::string_view document,
                                           const ThreadOptions& options) {
  return impl_->ImportThread(document, options);
}

Result<std::string> Context::StartAttempt(const AttemptStart& start) {
  return impl_->StartAttempt(start);
}
Result<std::string> Context::FinishAttempt(const AttemptFinish& finish) {
  return impl_->FinishAttempt(finish);
}
std::string Context::ListAttempts(std::optional<std::int64_t> cycle) const {
  return impl_->ListAttempts(cycle);
}

}  // namespace pactdb

// Attempts: provider calls made while a cycle is open. They are for operators; no tree, snapshot or
// hash knows them.
#include "base/limits.h"
#include "base/try.h"
#include "engine/context_impl.h"
#include "text/json_out.h"

namespace pactdb {
namespace {

void WriteText(std::string_view key, const std::optional<std::string>& text, JsonOut& out) {
  out.Key(key);
  if (text) {
    out.String(*text);
  } else {
    out.Null();
  }
}

void WriteAttempt(const Attempt& attempt, JsonOut& out) {
  out.BeginObject();
  out.Key("attempt_id").String(attempt.id);
  out.Key("cycle_id").Integer(attempt.cycle);
  out.Key("status").String(attempt.status);
  out.Key("started_at").String(attempt.started_at);
  WriteText("ended_at", attempt.ended_at, out);
  WriteText("provider", attempt.provider, out);
  WriteText("model", attempt.model, out);
  WriteText("params_hash", attempt.params_hash, out);
  out.Key("token_in").OptionalInteger(attempt.token_in);
  out.Key("token_out").OptionalInteger(attempt.token_out);
  if (attempt.error) out.Key("error").Raw(attempt.error->text());
  out.EndObject();
}

std::string ToJson(const Attempt& attempt) {
  JsonOut out;
  WriteAttempt(attempt, out);
  return out.Take();
}

// Reads what ToJson wrote. Errors: kStoreCorrupt.
Result<Attempt> ParseAttempt(std::string_view json) {
  PACTDB_TRY(const JsonDoc doc,
             JsonDoc::ParseView(json, limits::kDocumentJsonDepthMax, ErrorCode::kStoreCorrupt));
  const JsonRef root = doc.root();
  const auto text = [&root](std::string_view name) -> std::optional<std::string> {
    const auto value = root.is_object() ? root.Find(name) : std::nullopt;
    return value && value->is_string() ? std::optional(std::string(value->string())) : std::nullopt;
  };
  const auto integer = [&root](std::string_view name) {
    const auto value = root.is_object() ? root.Find(name) : std::nullopt;
    return value ? value->AsInt64() : std::nullopt;
  };
  if (!text("attempt_id") || !integer("cycle_id") || !text("status") || !text("started_at"))
    return std::unexpected(Error(ErrorCode::kStoreCorrupt, "a stored attempt is damaged"));
  Attempt attempt;
  attempt.id = *text("attempt_id");
  attempt.cycle = *integer("cycle_id");
  attempt.status = *text("status");
  attempt.started_at = *text("started_at");
  attempt.ended_at = text("ended_at");
  attempt.provider = text("provider");
  attempt.model = text("model");
  attempt.params_hash = text("params_hash");
  attempt.token_in = integer("token_in");
  attempt.token_out = integer("token_out");
  if (const auto error = root.Find("error")) attempt.error = error->ToJson();
  return attempt;
}

}  // namespace

Status ContextImpl::KeepAttempt(const Attempt& attempt) {
  if (!keeper_) return {};
  return keeper_->store().PutAttempt(keeper_->number(), attempt.id, ToJson(attempt));
}

Status ContextImpl::LoadAttempts() {
  PACTDB_TRY(const std::vector<std::string> stored,
             keeper_->store().ListAttempts(keeper_->number()));
  for (const std::string& json : stored) {
    PACTDB_TRY(Attempt attempt, ParseAttempt(json));
    attempt_by_id_.emplace(attempt.id, attempts_.size());
    attempts_.push_back(std::move(attempt));
  }
  return {};
}

Result<std::string> ContextImpl::StartAttempt(const AttemptStart& start) {
  Attempt attempt;
  attempt.id =
      "attempt:" + std::to_string(open_cycle_) + "." + std::to_string(attempts_.size() + 1);
  attempt.cycle = open_cycle_;
  attempt.started_at = FormatIso(stamper_.PeekNs());
  attempt.provider = start.provider;
  attempt.model = start.model;
  attempt.params_hash = start.params ? ToHex(Sha256Of(start.params->text())) : start.params_hash;
  PACTDB_TRY_STATUS(KeepAttempt(attempt));
  attempt_by_id_.emplace(attempt.id, attempts_.size());
  attempts_.push_back(std::move(attempt));
  return ToJson(attempts_.back());
}

Result<std::string> ContextImpl::FinishAttempt(const AttemptFinish& finish) {
  if (finish.status != "completed" && finish.status != "canceled" && finish.status != "error") {
    return std::unexpected(
        Error(ErrorCode::kRequestInvalid, "an attempt ends as completed, canceled or error")
            .With("status", finish.status));
  }
  const auto found = attempt_by_id_.find(finish.attempt_id);
  if (found == attempt_by_id_.end()) {
    return std::unexpected(
        Error(ErrorCode::kNodeNotFound, "there is no attempt '" + finish.attempt_id + "'")
            .With("attempt_id", finish.attempt_id));
  }
  Attempt attempt = attempts_[found->second];
  if (attempt.status != "running") {
    return std::unexpected(Error(ErrorCode::kRequestInvalid,
                                 "attempt '" + attempt.id + "' ended already as " + attempt.status)
                               .With("attempt_id", attempt.id));
  }
  attempt.status = finish.status;
  attempt.ended_at = FormatIso(stamper_.PeekNs());
  attempt.token_in = finish.token_in;
  attempt.token_out = finish.token_out;
  attempt.error = finish.error;
  PACTDB_TRY_STATUS(KeepAttempt(attempt));
  attempts_[found->second] = attempt;
  return ToJson(attempt);
}

std::string ContextImpl::ListAttempts(std::optional<std::int64_t> cycle) const {
  JsonOut out;
  out.BeginObject().Key("attempts").BeginArray();
  for (const Attempt& attempt : attempts_) {
    if (!cycle || attempt.cycle == *cycle) WriteAttempt(attempt, out);
  }
  out.EndArray().EndObject();
  return out.Take();
}

}  // namespace pactdb

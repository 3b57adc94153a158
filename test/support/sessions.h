// Random sessions: operations drawn from a seed and played on a context. Many of them fail, as they
// should; what counts is that the same seed gives the same bytes and that nothing breaks.
#pragma once

#include <pactdb/context.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/contexts.h"
#include "support/random.h"

namespace pactdb::support {

class Session {
 public:
  // On a context of its own, or on one that the caller keeps.
  explicit Session(std::uint64_t seed) : Session(seed, NewContext(), {}) {}
  Session(std::uint64_t seed, Context& context) : random_(seed), context_(&context) {}
  // Goes on with a context that has these ids, and more perhaps.
  Session(std::uint64_t seed, Context context, std::vector<std::string> ids)
      : random_(seed),
        own_(std::make_unique<Context>(std::move(context))),
        context_(own_.get()),
        ids_(std::move(ids)) {}

  Context& context() { return *context_; }
  // Goes on with the same context, opened again.
  void set_context(Context& context) { context_ = &context; }
  Random& random() { return random_; }
  // Every id that was ever handed out.
  const std::vector<std::string>& ids() const { return ids_; }

  // One operation; its error code or "ok".
  std::string Step() {
    const std::size_t kind = random_.Below(100);
    if (kind < 45) return Add();
    if (kind < 53) return CodeOf(context_->Update(AnyId(), Fields()));
    if (kind < 59) return Note(context_->Replace(AnyId(), Fields()), &ReplaceResult::id);
    if (kind < 68) return Move();
    if (kind < 74) return CodeOf(context_->Remove(AnyId()));
    if (kind < 77) return CodeOf(context_->Pin(AnyId()));
    if (kind < 80) return CodeOf(context_->Unpin(AnyId()));
    if (kind < 82) return Configure();
    if (kind < 84) return ImportLog();
    const auto committed = context_->Commit();
    if (committed) commits_.emplace(committed->cycle, *committed);
    return Note(committed, &CommitResult::sealed);
  }

  // What its commits answered, by cycle; those of imported logs are not among them.
  const std::map<std::int64_t, CommitResult>& commits() const { return commits_; }

 private:
  template <typename T>
  std::string Note(const Result<T>& result, std::string T::* id) {
    if (result) ids_.push_back((*result).*id);
    return CodeOf(result);
  }
  std::string AnyId() {
    if (random_.Chance(5)) return random_.Pick(std::vector<std::string>{"root", "seq", "x"});
    // Recent ones twice as often.
    const std::size_t size = ids_.size();
    if (size == 0) return "sys";
    return random_.Chance(50) ? ids_[size - 1 - random_.Below(std::min<std::size_t>(size, 12))]
                              : random_.Pick(ids_);
  }
  std::string AnyParent() {
    if (random_.Chance(70))
      return random_.Pick(std::vector<std::string>{"^ah", "^ah", "^ah", "^sys", "^seq"});
    return AnyId();
  }
  InsertionMark AnyMark() {
    using Kind = InsertionMark::Kind;
    return {.kind = random_.Pick(
                std::vector<Kind>{Kind::kStart, Kind::kEnd, Kind::kAfter, Kind::kBefore}),
            .n = random_.Between(0, 3)};
  }

  NodeSpec Fields() {
    NodeSpec spec;
    if (random_.Chance(60)) spec.Text("text " + std::to_string(random_.Below(100)));
    if (random_.Chance(40)) spec.Role(random_.Chance(50) ? "user" : "assistant");
    if (random_.Chance(25)) spec.Key("k" + std::to_string(random_.Below(4)));
    if (random_.Chance(25)) spec.Tags({"t" + std::to_string(random_.Below(3)), "t0"});
    if (random_.Chance(25)) spec.Ttl(random_.Between(0, 4));
    if (random_.Chance(20)) spec.Priority(random_.Between(-2, 2));
    if (random_.Chance(10)) spec.Refs({AnyId(), AnyId()});
    if (random_.Chance(8)) spec.Pinned(random_.Chance(50));
    if (random_.Chance(10))
      spec.Set("data_call_id", Must(Json::String("c" + std::to_string(random_.Below(3)))));
    return spec;
  }

  std::string Add() {
    NodeSpec spec = Fields();
    if (random_.Chance(30)) spec.Type("cont").Removable(random_.Chance(70));
    if (random_.Chance(60)) spec.Offset(random_.Between(-2, 2));
    if (random_.Chance(20)) spec.Id("own" + std::to_string(random_.Below(400)));
    Place place{.parent = AnyParent(), .mark = std::nullopt};
    if (random_.Chance(20)) place.mark = AnyMark();
    return Note(context_->Add(spec, place), &AddResult::id);
  }

  std::string Move() {
    MoveOptions options;
    if (random_.Chance(70)) options.parent = AnyParent();
    if (random_.Chance(50)) options.offset = random_.Between(-2, 2);
    if (random_.Chance(20)) options.mark = AnyMark();
    const auto moved = context_->Move(AnyId(), options);
    if (moved) ids_.push_back(*moved);
    return CodeOf(moved);
  }

  std::string Configure() {
    Options options = context_->options();
    options.policy.reset();
    if (random_.Chance(70)) {
      options.policy = Policy{.max_nodes = random_.Between(5, 60),
                              .protect_recent_turns = random_.Between(0, 2),
                              .strict = random_.Chance(20)};
      if (random_.Chance(40)) options.policy->max_turns = random_.Between(0, 6);
      if (random_.Chance(40)) options.policy->prune_regions = {Region::kSys, Region::kSeq};
    }
    return CodeOf(context_->Configure(options, /*restart_clock=*/false));
  }

  std::string ImportLog() {
    std::string log = "[{\"role\":\"user\",\"content\":1}";
    for (std::size_t i = random_.Below(6); i > 0; --i)
      log += ",{\"role\":\"assistant\",\"ttl\":1},{\"role\":\"user\",\"key\":\"k1\"}";
    if (random_.Chance(50)) log += ",{\"role\":7}";
    return CodeOf(context_->ImportLog(log + "]"));
  }

  Random random_;
  std::unique_ptr<Context> own_;
  Context* context_;
  std::vector<std::string> ids_;
  std::map<std::int64_t, CommitResult> commits_;
};

}  // namespace pactdb::support

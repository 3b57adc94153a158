#include "engine/recorder.h"

#include <utility>

#include "base/limits.h"
#include "base/try.h"

namespace pactdb {

std::optional<LoggedState> StateWatch::Look(const Exec& exec, std::string_view request) {
  op_.clear();
  const auto doc = JsonDoc::ParseView(request, limits::kDocumentJsonDepthMax);
  if (!doc || !doc->root().is_object()) return std::nullopt;
  if (const auto op = doc->root().Find("op"); op && op->is_string()) op_ = op->string();
  const auto given = doc->root().Find("context");
  const std::string name = given && given->is_string() ? std::string(given->string()) : "main";
  const Context* context = exec.Find(name);
  if (context == nullptr) return std::nullopt;
  const auto newest = context->At("@t0");
  if (!newest) return std::nullopt;
  Seen& seen = seen_[name];
  if (seen.newest && &seen.newest->record() == &newest->record()) return std::nullopt;
  LoggedState state =
      DescribeState(name, *newest, seen.newest ? &*seen.newest : nullptr, seen.thread);
  seen.newest = *newest;
  return state;
}

const std::string& StateWatch::thread(std::string_view context) const {
  static const std::string none;
  const auto seen = seen_.find(context);
  return seen == seen_.end() ? none : seen->second.thread;
}

// The system's host, and what it gave since the last request.
class Recorder::NotingHost final : public Host {
 public:
  std::int64_t NowNs() override { return now.emplace_back(SystemHost()->NowNs()); }
  std::uint32_t RandomBits() override { return random.emplace_back(SystemHost()->RandomBits()); }
  std::vector<std::int64_t> now;
  std::vector<std::uint32_t> random;
};

Recorder::Recorder(ByteSink& sink, std::shared_ptr<NotingHost> host, Database database)
    : host_(std::move(host)), exec_(std::make_unique<Exec>(std::move(database))), writer_(sink) {}

Result<Recorder> Recorder::Begin(ByteSink& sink, const Opener& open) {
  auto host = std::make_shared<NotingHost>();
  PACTDB_TRY(Database database, open ? open(host) : Database(host));
  Recorder recorder(sink, std::move(host), std::move(database));
  PACTDB_TRY_STATUS(recorder.writer_.Begin());
  return recorder;
}

Result<std::string> Recorder::Answer(std::string_view line) {
  host_->now.clear();
  host_->random.clear();
  std::string answer = exec_->Answer(line);
  LogEntry entry{.request = std::string(line), .now = host_->now, .random = host_->random};
  entry.state = watch_.Look(*exec_, line);
  entry.answer = DescribeAnswer(answer, watch_.op());
  PACTDB_TRY_STATUS(writer_.Add(entry));
  return answer;
}

}  // namespace pactdb

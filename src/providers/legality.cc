// One walk over the messages. Calls wait for their results until somebody else speaks; what still
// waits then has none, unless it comes too late.
#include "providers/legality.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/sha256.h"
#include "providers/extras.h"
#include "providers/messages.h"
#include "text/canonical.h"
#include "text/json_doc.h"

namespace pactdb::providers {
namespace {

// What a provider's service asks of ids and names.
struct Pattern {
  std::size_t max;
  bool is_word;  // letters, digits, _ and - alone
};

struct Rules {
  JoinRule join = JoinRule::kApart;
  bool results_follow_calls = true;
  bool user_begins = false;
  bool ids_are_unique = false;
  bool texts_say_something = false;  // each of them, beside other blocks too
  std::optional<Pattern> call_id;
  std::optional<Pattern> tool_name;
  // The attribute that holds the signature of thinking; empty: there is no thinking.
  std::string_view signature;
};

Rules RulesOf(std::optional<Format> format) {
  if (!format) return {};
  switch (*format) {
    case Format::kOpenAiChat:
      return {.call_id = Pattern{.max = 40, .is_word = false},
              .tool_name = Pattern{.max = 64, .is_word = true}};
    case Format::kOpenAiResponses:
      return {.join = JoinRule::kItems,
              .results_follow_calls = false,
              .call_id = Pattern{.max = 64, .is_word = false},
              .tool_name = Pattern{.max = 64, .is_word = true}};
    case Format::kPi:
      return {};
    case Format::kGemini:
      return {.join = JoinRule::kTogether,
              .user_begins = true,
              .tool_name = Pattern{.max = 128, .is_word = false},
              .signature = "gemini:thought"};
    case Format::kAnthropic:
      return {.join = JoinRule::kTogether,
              .user_begins = true,
              .ids_are_unique = true,
              .texts_say_something = true,
              .call_id = Pattern{.max = 64, .is_word = true},
              .tool_name = Pattern{.max = 128, .is_word = true},
              .signature = "anthropic:signature"};
  }
  return {};
}

bool Fits(const std::string& text, const Pattern& pattern) {
  const auto is_word = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
  };
  return !text.empty() && text.size() <= pattern.max &&
         (!pattern.is_word || std::ranges::all_of(text, is_word));
}

using Nodes = std::vector<NodeNumber>;

Nodes NumbersOf(std::span<const Block> blocks) {
  Nodes numbers;
  for (const Block& block : blocks) numbers.push_back(block.node->number);
  return numbers;
}

// Members that a format keeps of a message say nothing if they are empty or are about the message.
bool SaysNothing(std::string_view name, const JsonRef& value) {
  constexpr auto kAbout = std::to_array<std::string_view>(
      {"cache_control", "id", "name", "phase", "prompt_cache_breakpoint", "status"});
  if (std::ranges::find(kAbout, name) != kAbout.end() || value.is_null()) return true;
  if (value.is_object() || value.is_array()) return value.size() == 0;
  return value.is_string() && value.string().empty();
}

// A signature, sound by its id, ...: there is something beside the words.
bool KeepsSomething(const Node& node) {
  if (node.body == nullptr) return false;
  bool keeps = false;
  node.body->ForEach([&](const Attribute& attribute) {
    if (!OwnerOf(attribute.name)) return;
    keeps = keeps || attribute.name.ends_with(":signature");
    if (!attribute.name.ends_with(":message") && !attribute.name.ends_with(":part")) return;
    ExtraFields(node, attribute.name).ForEach([&](std::string_view name, const JsonRef& value) {
      keeps = keeps || !SaysNothing(name, value);
    });
  });
  return keeps;
}

bool SaysNothing(const Block& block) {
  if (block.traits.form == Form::kCall || block.traits.role == Role::kTool) return false;
  const bool is_empty = block.content == "\"\"" || block.content == "null";
  return is_empty && !KeepsSomething(*block.node);
}

class Checker {
 public:
  Checker(const TreeView& view, std::optional<Format> format)
      : view_(view), rules_(RulesOf(format)) {}

  std::vector<Finding> Run();

 private:
  void Report(std::string_view rule, const Block& block, std::string problem, std::string fix,
              Nodes takes = {});
  void TakeMessage(const Message& message);
  void TakeCalls(const Message& message);
  void TakeResults(const Message& message);
  void TakeResult(std::span<const Block> parts);
  void SomebodyElseSpeaks();
  void CheckRole(const Message& message);
  void CheckContent(const Message& message);
  void CheckEmpty(const Message& message);
  void CheckThinking(const Block& block);
  void CheckNames(const Block& block);
  void End();

  const TreeView& view_;
  Rules rules_;
  std::vector<Finding> findings_;
  std::map<std::string, Block> waiting_;  // calls without a result, by canonical id
  std::map<std::string, Block> late_;     // somebody else has spoken since
  std::set<std::string> called_;
  bool has_begun_ = false;
};

std::string Quoted(const Block& block) {
  std::string text = "'";
  text += DecodeJsonString(block.traits.call_id);
  text += "'";
  return text;
}

void Checker::Report(std::string_view rule, const Block& block, std::string problem,
                     std::string fix, Nodes takes) {
  findings_.push_back(
      {rule, block.id(), std::move(problem), std::move(fix), std::move(takes), block.place});
}

std::vector<Finding> Checker::Run() {
  MessageCursor cursor(view_, rules_.join);
  Message message;
  while (cursor.Next(message)) TakeMessage(message);
  End();
  return std::move(findings_);
}

void Checker::TakeMessage(const Message& message) {
  const Role role = message.front().traits.role;
  if (message.front().traits.form == Form::kRawMessage) return SomebodyElseSpeaks();
  CheckRole(message);
  if (role == Role::kSystem || role == Role::kDeveloper) {
    // Words of the system between a call and its result part them like any others.
    if (has_begun_) SomebodyElseSpeaks();
    return;
  }
  CheckContent(message);
  const bool has_result = std::ranges::any_of(
      message, [](const Block& block) { return block.traits.role == Role::kTool; });
  if (has_result) {
    TakeResults(message);
  } else {
    SomebodyElseSpeaks();
  }
  TakeCalls(message);
}

void Checker::CheckRole(const Message& message) {
  const Block& first = message.front();
  if (first.traits.role == Role::kOther) {
    std::string problem = "no provider knows the role '";
    problem += first.role_word;
    problem += "'";
    Report("role", first, std::move(problem),
           "give it the role system, developer, user, assistant or tool");
  }
  const Role role = first.traits.role;
  if (role == Role::kSystem || role == Role::kDeveloper) return;
  if (rules_.user_begins && !has_begun_ && role != Role::kUser) {
    Report("user_begins", first, "the first message must be the user's",
           "put a user's message before it, or remove it", NumbersOf(message));
    return;  // the next one is asked the same
  }
  has_begun_ = true;
}

void Checker::CheckContent(const Message& message) {
  for (const Block& block : message) {
    if (block.traits.form == Form::kThinking || block.traits.form == Form::kRedacted)
      CheckThinking(block);
    if (block.traits.form == Form::kCall || block.traits.role == Role::kTool) CheckNames(block);
  }
  CheckEmpty(message);
}

void Checker::CheckEmpty(const Message& message) {
  const auto is_empty = [](const Block& block) { return SaysNothing(block); };
  if (std::ranges::all_of(message, is_empty)) {
    return Report("empty", message.front(), "the message says nothing",
                  "give it content, or remove it", NumbersOf(message));
  }
  if (!rules_.texts_say_something) return;
  for (const Block& block : message) {
    if (!block.is_text() || !is_empty(block)) continue;
    Report("empty", block, "the text is empty", "give it content, or remove it",
           {block.node->number});
  }
}

void Checker::CheckThinking(const Block& block) {
  if (rules_.signature.empty()) return;
  const bool is_signed = block.traits.form == Form::kRedacted || block.Find(rules_.signature);
  if (!is_signed) {
    return Report("thinking", block, "the thinking has no signature of this provider", "remove it",
                  {block.node->number});
  }
  const auto digest = block.Text(kThinkingDigest);
  if (!digest || *digest == ToHex(Sha256Of(block.content))) return;
  Report("thinking", block, "the thinking is not what was signed",
         "restore the words it was signed with, or remove it", {block.node->number});
}

void Checker::CheckNames(const Block& block) {
  const bool is_call = block.traits.form == Form::kCall;
  if (block.traits.call_id.empty()) {
    return Report("call_id", block,
                  is_call ? "the call has no data_call_id" : "the result has no data_call_id",
                  "give it the id that call and result share, or remove it", {block.node->number});
  }
  const std::string id = DecodeJsonString(block.traits.call_id);
  if (rules_.call_id && !Fits(id, *rules_.call_id)) {
    std::string problem = "the id of a call is at most ";
    problem += std::to_string(rules_.call_id->max);
    problem += rules_.call_id->is_word ? " letters, digits, _ and -" : " characters";
    Report("call_id", block, std::move(problem), "give call and result another data_call_id");
  }
  const auto name = block.Text("data_name");
  if (is_call && !name && !block.VerbatimFormat())
    Report("tool_name", block, "the call does not name its tool", "set data_name");
  if (is_call && name && rules_.tool_name && !Fits(*name, *rules_.tool_name)) {
    std::string problem = "the name of a tool is at most ";
    problem += std::to_string(rules_.tool_name->max);
    problem += " letters, digits, _ and -";
    Report("tool_name", block, std::move(problem), "rename the tool");
  }
}

// --- calls and results ---

void Checker::TakeCalls(const Message& message) {
  for (const Block& block : message) {
    if (block.traits.form != Form::kCall || block.traits.call_id.empty()) continue;
    const std::string id(block.traits.call_id);
    if (!called_.insert(id).second && rules_.ids_are_unique) {
      std::string problem = "the id ";
      problem += Quoted(block);
      problem += " was used for a call before";
      Report("call_id", block, std::move(problem), "give call and result another data_call_id");
    }
    waiting_.insert_or_assign(id, block);
  }
}

void Checker::TakeResults(const Message& message) {
  std::size_t end = 0;
  for (std::size_t from = 0; from < message.size(); from = end) {
    end = from + 1;
    while (end < message.size() && GoesOnWithResult(message[end - 1].traits, message[end].traits))
      ++end;
    const Traits& traits = message[from].traits;
    if (traits.role != Role::kTool || traits.call_id.empty()) continue;
    TakeResult(std::span(message).subspan(from, end - from));
  }
}

// A result comes and goes whole, however many parts it has.
void Checker::TakeResult(std::span<const Block> parts) {
  const Block& block = parts.front();
  const std::string id(block.traits.call_id);
  if (waiting_.erase(id) > 0) return;
  Nodes takes = NumbersOf(parts);
  const auto late = late_.find(id);
  if (late != late_.end()) {
    if (rules_.results_follow_calls) {
      takes.push_back(late->second.node->number);
      Report("late_result", block, "something stands between the call and its result",
             "move the result directly behind the call, or remove both", std::move(takes));
    }
    late_.erase(late);
    return;
  }
  const bool is_second = called_.contains(id);
  std::string problem = is_second ? "the call " : "there is no call ";
  problem += Quoted(block);
  problem += is_second ? " has its result already" : " before this result";
  Report(is_second ? "second_result" : "orphan_result", block, std::move(problem),
         is_second ? "remove it" : "add the call before it, or remove it", std::move(takes));
}

void Checker::SomebodyElseSpeaks() {
  late_.merge(waiting_);
  waiting_.clear();
}

// Findings of one place stay in the order they were made.
void SortByPlace(std::vector<Finding>& findings) {
  std::vector<std::pair<std::size_t, std::size_t>> order;
  order.reserve(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) order.emplace_back(findings[i].place, i);
  std::ranges::sort(order);
  std::vector<Finding> sorted;
  sorted.reserve(findings.size());
  for (const auto& [place, i] : order) sorted.push_back(std::move(findings[i]));
  findings = std::move(sorted);
}

void Checker::End() {
  SomebodyElseSpeaks();
  for (const auto& [id, call] : late_) {
    std::string problem = "the call ";
    problem += Quoted(call);
    problem += " has no result";
    Report("orphan_call", call, std::move(problem), "add its result behind it, or remove it",
           {call.node->number});
  }
  // Orphaned calls are known last; everybody else reports them where they stand.
  SortByPlace(findings_);
}

}  // namespace

std::vector<Finding> FindIllegal(const TreeView& view, std::optional<Format> format) {
  return Checker(view, format).Run();
}

}  // namespace pactdb::providers

// Values are compared by their canonical bytes: 1, 1.0 and true differ, member order does not
// count. A saved value is kept as such bytes and put into a request in place of "${name}", quotes
// included; inside a string the quotes are escaped, so nothing else looks like that.
#include "cli/case_runner.h"

#include <pactdb/exec.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/limits.h"
#include "base/try.h"
#include "cli/json_text.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb::cli {
namespace {

constexpr std::size_t kDepthMax = limits::kDocumentJsonDepthMax + 16;

Result<JsonDoc> Parse(std::string_view text) {
  return JsonDoc::Parse(text, kDepthMax);
}

std::string Bytes(const JsonRef& value) {
  return value.ToJson().text();
}

bool IsUpper(char byte) {
  return byte >= 'A' && byte <= 'Z';
}
bool IsDigit(char byte) {
  return byte >= '0' && byte <= '9';
}

// LIFE-7, SEL-EX-12; P7, T13; LIMIT, OPS.
bool IsRuleId(std::string_view word) {
  if (word == "LIMIT" || word == "OPS") return true;
  const auto digits = std::ranges::find_if(word, IsDigit);
  if (digits == word.end() || !std::all_of(digits, word.end(), IsDigit)) return false;
  const std::string_view name(word.begin(), digits);
  if (name.size() == 1) return std::string_view("PILMTBDX").contains(name[0]);
  return name.size() > 1 && IsUpper(name.front()) && name.back() == '-' && !name.contains("--") &&
         std::ranges::all_of(name, [](char byte) { return IsUpper(byte) || byte == '-'; });
}

// The ids before the colon; none if a word there is no id.
std::vector<std::string> IdsOf(std::string_view name) {
  std::vector<std::string> ids;
  std::string_view words = name.substr(0, name.find(':'));
  while (!words.empty()) {
    const std::size_t blank = words.find(' ');
    const std::string_view word = words.substr(0, blank);
    if (!IsRuleId(word)) return {};
    ids.emplace_back(word);
    words = blank == std::string_view::npos ? std::string_view() : words.substr(blank + 1);
  }
  return ids;
}

bool Contains(const JsonRef& got, const JsonRef& wanted) {
  std::vector<std::pair<JsonRef, JsonRef>> open = {{got, wanted}};
  while (!open.empty()) {
    const auto [have, want] = open.back();
    open.pop_back();
    if (have.kind() != want.kind()) return false;
    if (want.is_object()) {
      for (auto it = want.begin(); it != want.end(); ++it) {
        const auto member = have.Find((*it).key);
        if (!member) return false;
        open.emplace_back(*member, (*it).value);
      }
    } else if (want.is_array()) {
      if (have.size() != want.size()) return false;
      auto other = have.begin();
      for (auto it = want.begin(); it != want.end(); ++it, ++other)
        open.emplace_back((*other).value, (*it).value);
    } else if (Bytes(have) != Bytes(want)) {
      return false;
    }
  }
  return true;
}

// id of a node without children, id(...) with them.
std::optional<std::string> Outline(const JsonRef& tree) {
  struct Level {
    JsonRef::Iterator next;
    JsonRef::Iterator end;
  };
  std::string text;
  std::vector<Level> levels;
  const auto open = [&](const JsonRef& node) {
    const auto id = node.is_object() ? node.Find("id") : std::nullopt;
    if (!id || !id->is_string()) return false;
    text += id->string();
    if (const auto children = node.Find("children"); children && children->is_array()) {
      text += '(';
      levels.push_back({children->begin(), children->end()});
    }
    return true;
  };
  if (!open(tree)) return std::nullopt;
  while (!levels.empty()) {
    if (levels.back().next == levels.back().end) {
      levels.pop_back();
      text += ')';
      continue;
    }
    const JsonRef child = (*levels.back().next).value;
    ++levels.back().next;
    if (!text.ends_with('(')) text += ' ';
    if (!open(child)) return std::nullopt;
  }
  return text;
}

std::optional<std::string> FromHex(std::string_view hex) {
  std::string bytes;
  if (hex.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    int byte = 0;
    for (const char digit : hex.substr(i, 2)) {
      const std::size_t value = std::string_view("0123456789abcdef").find(digit);
      if (value == std::string_view::npos) return std::nullopt;
      byte = byte * 16 + static_cast<int>(value);
    }
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

struct Fault {
  std::string check;
  std::string wanted;
  std::string got;
};

using Checked = std::optional<Fault>;  // nothing: it holds

class Run {
 public:
  Checked Configure(const std::string& dialect) {
    JsonOut out;
    out.BeginObject().Key("op").String("configure").Key("dialect").String(dialect);
    out.Key("clock").BeginObject().Key("start_ns").Integer(1000).Key("step_ns").Integer(1);
    out.EndObject().EndObject();
    const JsonDoc step = *Parse("{}");
    return Once(step.root(), out.text(), std::nullopt);
  }

  Checked Step(const JsonRef& step) {
    if (auto fault = CheckSense(step)) return fault;
    const auto times = step.Find("times");
    const std::int64_t count = times ? times->AsInt64().value_or(0) : 1;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto line = LineOf(step);
      if (!line) return Fault{"the step has one of do, raw, raw_hex", "", Bytes(step)};
      request_ = IsValidUtf8(*line) ? *line : Bytes(step);
      std::optional<std::string> tag;
      if (const auto sent = step.Find("do")) {
        if (const auto given = sent->is_object() ? sent->Find("tag") : std::nullopt)
          tag = Substitute(Bytes(*given));
      } else if (const auto echo = step.Find("echo")) {
        tag = Bytes(*echo);
      }
      if (auto fault = Once(step, *line, tag)) return fault;
    }
    return std::nullopt;
  }

  const std::string& request() const { return request_; }

 private:
  // What is expected must be looked at.
  static Checked CheckSense(const JsonRef& step) {
    const bool wants_error = step.Find("error").has_value();
    for (const std::string_view name :
         {"result", "has", "lacks", "outline", "thread", "save", "same", "differs"}) {
      if (wants_error && step.Find(name))
        return Fault{"an error has nothing else beside it", std::string(name), Bytes(step)};
    }
    if (!wants_error && step.Find("details"))
      return Fault{"details are those of an error", "error", Bytes(step)};
    if (step.Find("echo") && step.Find("do"))
      return Fault{"the tag of a request that is an object comes back unasked", "", Bytes(step)};
    const auto times = step.Find("times");
    if (times && times->AsInt64().value_or(0) < 1)
      return Fault{"times is a number from 1", "", Bytes(step)};
    return std::nullopt;
  }

  std::optional<std::string> LineOf(const JsonRef& step) const {
    if (const auto raw = step.Find("raw_hex"); raw && raw->is_string())
      return FromHex(raw->string());
    if (const auto raw = step.Find("raw"); raw && raw->is_string())
      return std::string(raw->string());
    // As it stands: errors name positions in it.
    if (const auto request = step.Find("do")) return Substitute(JsonInOrder(*request));
    return std::nullopt;
  }

  std::string Substitute(std::string text) const {
    constexpr std::string_view kOpen = "\"${";
    std::size_t at = 0;
    while ((at = text.find(kOpen, at)) != std::string::npos) {
      const std::size_t end = text.find("}\"", at);
      if (end == std::string::npos) break;
      const auto known = saved_.find(text.substr(at + kOpen.size(), end - at - kOpen.size()));
      if (known == saved_.end()) {
        at += kOpen.size();
        continue;
      }
      text.replace(at, end + 2 - at, known->second);
      at += known->second.size();
    }
    return text;
  }

  Checked Once(const JsonRef& step, const std::string& line,
               const std::optional<std::string>& tag) {
    const bool wants_error = step.Find("error").has_value();
    const std::string stats_request = wants_error ? StatsRequest(line, step) : "";
    const std::string before = wants_error ? Stats(stats_request) : "";
    const std::string text = exec_.Answer(line);
    const auto doc = Parse(text);
    if (!doc) return Fault{"the answer is strict JSON", "", text};
    const JsonRef answer = doc->root();
    if (!HasShape(answer)) return Fault{"the answer has the shape of an answer", "", text};
    const auto got_tag = answer.Find("tag");
    if ((got_tag ? std::optional(Bytes(*got_tag)) : std::nullopt) != tag)
      return Fault{"tag", tag.value_or("none"), text};
    if (!wants_error) return CheckResult(step, answer);
    if (auto fault = CheckError(step, answer)) return fault;
    const std::string after = Stats(stats_request);
    if (before != after) return Fault{"the refused request changed nothing", before, after};
    return std::nullopt;
  }

  static bool HasShape(const JsonRef& answer) {
    if (!answer.is_object()) return false;
    const auto ok = answer.Find("ok");
    if (!ok || ok->kind() != Json::Kind::kBool) return false;
    const std::size_t members = answer.Find("tag") ? 3 : 2;
    const auto body = answer.Find(ok->boolean() ? "result" : "error");
    if (!body || answer.size() != members) return false;
    if (ok->boolean()) return true;
    if (!body->is_object() || body->size() != 3) return false;
    const auto code = body->Find("code");
    const auto message = body->Find("message");
    const auto details = body->Find("details");
    return code && message && message->is_string() && !message->string().empty() && details &&
           details->is_object();
  }

  // Asks for the stats of the context that the request names.
  static std::string StatsRequest(const std::string& line, const JsonRef& step) {
    JsonOut out;
    out.BeginObject().Key("op").String("stats");
    if (const auto doc = Parse(line); doc && step.Find("do") && doc->root().is_object()) {
      if (const auto context = doc->root().Find("context"); context && context->is_string())
        out.Key("context").String(context->string());
    }
    out.EndObject();
    return out.Take();
  }

  // What a refused request must leave as it was.
  std::string Stats(const std::string& request) {
    std::string text = exec_.Answer(request);
    const auto doc = Parse(text);
    if (!doc) return text;
    const auto result = doc->root().Find("result");
    if (!result) return Bytes(*FollowPointer(doc->root(), "/error/code"));
    std::string facts;
    for (const std::string_view name : {"cycle", "snapshots", "nodes", "tree_sha256"}) {
      const auto fact = result->Find(name);
      facts.append(name).append("=").append(fact ? Bytes(*fact) : "null").append(" ");
    }
    return facts;
  }

  static Checked CheckError(const JsonRef& step, const JsonRef& answer) {
    const std::string wanted = Bytes(*step.Find("error"));
    const auto error = answer.Find("error");
    if (!error) return Fault{"error", wanted, Bytes(answer)};
    if (Bytes(*error->Find("code")) != wanted) return Fault{"error", wanted, Bytes(*error)};
    const auto details = step.Find("details");
    if (details && !Contains(*error->Find("details"), *details))
      return Fault{"details", Bytes(*details), Bytes(*error)};
    return std::nullopt;
  }

  Checked CheckResult(const JsonRef& step, const JsonRef& answer) {
    const auto got = answer.Find("result");
    if (!got) return Fault{"a result", "a success", Bytes(answer)};
    if (const auto wanted = step.Find("result")) {
      const std::string bytes = Substitute(Bytes(*wanted));
      if (bytes != Bytes(*got)) return Fault{"result", bytes, Bytes(*got)};
    }
    if (const auto wanted = step.Find("has")) {
      const std::string bytes = Substitute(Bytes(*wanted));
      const auto doc = Parse(bytes);
      if (!doc || !Contains(*got, doc->root())) return Fault{"has", bytes, Bytes(*got)};
    }
    if (auto fault = CheckShapeOf(step, *got)) return fault;
    return CheckSaved(step, *got);
  }

  static Checked CheckShapeOf(const JsonRef& step, const JsonRef& got) {
    if (const auto pointers = step.Find("lacks")) {
      for (auto it = pointers->begin(); it != pointers->end(); ++it) {
        if (FollowPointer(got, (*it).value.string()))
          return Fault{"lacks", std::string((*it).value.string()), Bytes(got)};
      }
    }
    if (const auto wanted = step.Find("outline")) {
      const auto outline = Outline(got);
      if (!outline || *outline != wanted->string())
        return Fault{"outline", std::string(wanted->string()), outline.value_or(Bytes(got))};
    }
    const auto thread = step.Find("thread");
    return thread ? CheckThread(*thread, got) : std::nullopt;
  }

  static Checked CheckThread(const JsonRef& wanted, const JsonRef& got) {
    const auto body = got.is_object() ? got.Find("body") : std::nullopt;
    const auto doc = body && body->is_string() ? Parse(body->string()) : Parse("");
    if (!doc || !doc->root().is_array()) return Fault{"thread", Bytes(wanted), Bytes(got)};
    JsonOut ids;
    ids.BeginArray();
    for (auto it = doc->root().begin(); it != doc->root().end(); ++it) {
      const auto id = FollowPointer((*it).value, "/id");
      ids.Raw(id ? Bytes(*id) : "null");
    }
    ids.EndArray();
    if (ids.text() != Bytes(wanted)) return Fault{"thread", Bytes(wanted), ids.text()};
    return std::nullopt;
  }

  // {"name":"/pointer"}, or "name" for the whole result.
  static std::vector<std::pair<std::string, std::string>> NamedPointers(
      const std::optional<JsonRef>& value) {
    std::vector<std::pair<std::string, std::string>> named;
    if (!value) return named;
    if (value->is_string()) return {{std::string(value->string()), ""}};
    for (auto it = value->begin(); it != value->end(); ++it)
      named.emplace_back((*it).key, (*it).value.string());
    return named;
  }

  Checked CheckSaved(const JsonRef& step, const JsonRef& got) {
    for (const auto& [word, wants_same] : {std::pair("same", true), std::pair("differs", false)}) {
      for (const auto& [name, pointer] : NamedPointers(step.Find(word))) {
        const auto value = FollowPointer(got, pointer);
        const auto known = saved_.find(name);
        if (value && known != saved_.end() && (Bytes(*value) == known->second) == wants_same)
          continue;
        std::string what(word);
        what.append(" ").append(name).append(" ").append(pointer);
        return Fault{std::move(what), known == saved_.end() ? "nothing was saved" : known->second,
                     Bytes(got)};
      }
    }
    for (const auto& [name, pointer] : NamedPointers(step.Find("save"))) {
      const auto value = FollowPointer(got, pointer);
      if (!value) return Fault{"save", pointer, Bytes(got)};
      saved_.insert_or_assign(name, Bytes(*value));
    }
    return std::nullopt;
  }

  Exec exec_;
  std::map<std::string, std::string, std::less<>> saved_;  // canonical bytes by name
  std::string request_;
};

Error BadLine(std::string_view path, std::size_t line, std::string_view what) {
  return Error(ErrorCode::kRequestInvalid,
               std::string(path) + ":" + std::to_string(line) + ": " + std::string(what));
}

Result<Case> ReadHead(std::string_view path, std::size_t line, const JsonRef& head) {
  Case one{.path = std::string(path), .line = line, .name = {}, .ids = {}, .steps = {}};
  const JsonRef name = *head.Find("case");
  if (name.is_string()) one.name = name.string();
  one.ids = IdsOf(one.name);
  if (one.ids.empty())
    return std::unexpected(BadLine(path, line, "the name must start with rule ids and a colon"));
  if (const auto dialect = head.Find("dialect"); dialect && dialect->is_string())
    one.dialect = dialect->string();
  if (const auto configure = head.Find("configure")) {
    one.configure = configure->kind() != Json::Kind::kBool || configure->boolean();
  }
  return one;
}

}  // namespace

Result<std::vector<Case>> ReadCases(std::string_view path, std::string_view text) {
  std::vector<Case> cases;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto doc = Parse(line);
    if (!doc) return std::unexpected(BadLine(path, number, doc.error().message()));
    if (!doc->root().is_object()) return std::unexpected(BadLine(path, number, "not an object"));
    if (doc->root().Find("case")) {
      PACTDB_TRY(Case one, ReadHead(path, number, doc->root()));
      cases.push_back(std::move(one));
    } else if (cases.empty()) {
      return std::unexpected(BadLine(path, number, "a step before the first case"));
    } else {
      cases.back().steps.push_back({number, line});
    }
  }
  return cases;
}

std::optional<CaseFault> RunCase(const Case& one) {
  Run run;
  const auto report = [&](const Fault& fault, std::size_t line) {
    return CaseFault{line, run.request(), fault.check, fault.wanted, fault.got};
  };
  if (one.configure) {
    if (const auto fault = run.Configure(one.dialect)) return report(*fault, one.line);
  }
  for (const CaseStep& step : one.steps) {
    const auto doc = Parse(step.text);
    if (const auto fault = run.Step(doc->root())) return report(*fault, step.line);
  }
  return std::nullopt;
}

}  // namespace pactdb::cli

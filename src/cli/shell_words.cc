#include "cli/shell_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "cli/json_text.h"
#include "cli/option_text.h"
#include "cli/program.h"

namespace pactdb::cli {
namespace {

// Trees above this are not walked for a key.
constexpr std::int64_t kTreeNodesMax = 20000;
constexpr std::int64_t kIdsMax = 5000;

using Words = std::set<std::string>;

bool IsBlank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

// What a tree has of each.
struct Names {
  Words ids, keys, tags, roles, kinds;
};

void Collect(const JsonRef& root, Names& names) {
  std::vector<JsonRef> open = {root};
  while (!open.empty()) {
    const JsonRef node = open.back();
    open.pop_back();
    names.ids.emplace(TextOf(node, "id"));
    const auto note = [&node](std::string_view name, Words& words) {
      if (const std::string_view text = TextOf(node, name); !text.empty()) words.emplace(text);
    };
    note("key", names.keys);
    note("role", names.roles);
    note("kind", names.kinds);
    if (const auto tags = node.Find("tags"); tags && tags->is_array()) {
      for (auto it = tags->begin(); it != tags->end(); ++it)
        names.tags.insert(ReadableLine((*it).value));
    }
    if (const auto children = node.Find("children"); children && children->is_array()) {
      for (auto it = children->begin(); it != children->end(); ++it) open.push_back((*it).value);
    }
  }
}

Names NamesOf(Session& session) {
  Names names;
  const auto stats = session.Run(Ask("stats"));
  const auto count = stats ? stats->result().Find("nodes") : std::nullopt;
  if (count && count->AsInt64().value_or(0) <= kTreeNodesMax) {
    if (const auto tree = session.Run(Ask("tree"))) Collect(tree->result(), names);
    return names;
  }
  const auto found =
      session.Run(Ask("select").Text("selector", ".block").Integer("limit", kIdsMax));
  if (!found) return names;
  for (auto it = found->result().begin(); it != found->result().end(); ++it)
    names.ids.emplace((*it).value.string());
  return names;
}

// Addresses of snapshots; with `names`, what else may stand in the place of one.
Words Snapshots(Session& session, bool names) {
  Words words = {"@t0", "@t-1"};
  words.merge(names ? Words{"working"} : Words{"@*", "@history"});
  const auto log = session.Run(Ask("log").Integer("limit", kIdsMax));
  if (!log) return words;
  for (auto it = log->result().begin(); it != log->result().end(); ++it) {
    const JsonRef entry = (*it).value;
    words.insert("@c" + LineOf(entry, "cycle"));
    const auto tags = names ? entry.Find("tags") : std::nullopt;
    if (!tags || !tags->is_array()) continue;
    for (auto tag = tags->begin(); tag != tags->end(); ++tag)
      words.insert(ReadableLine((*tag).value));
  }
  return words;
}

Words Contexts(Session& session) {
  Words words;
  const auto contexts = session.exec().database().List();
  if (!contexts) return words;
  for (const ContextInfo& context : *contexts) words.insert(context.name);
  return words;
}

void AddWith(char sign, const Words& from, Words& words) {
  for (const std::string& word : from) words.insert(sign + word);
}

std::optional<Session> OpenQuietly(const Setting& here, const std::string& context) {
  auto session = Session::Open(here.file, Access::kRead, context);
  if (!session) return std::nullopt;
  session->set_quiet();
  return *std::move(session);
}

// What the file has that the word may become.
Words FromFile(std::string_view word, const Setting& here) {
  // A state of another context: main@c1.
  const std::size_t sign = word.starts_with('@') ? 0 : std::min(word.find('@'), word.size());
  const bool is_elsewhere = sign > 0 && sign < word.size();
  const std::string context(is_elsewhere ? word.substr(0, sign) : here.context);
  auto session = OpenQuietly(here, context);
  if (!session) return {};
  Words words;
  if (sign < word.size()) {
    for (const std::string& address : Snapshots(*session, /*names=*/false)) {
      // A state of another context is one snapshot.
      if (!is_elsewhere) words.insert(address);
      if (is_elsewhere && address != "@*" && address != "@history") words.insert(context + address);
    }
    return words;
  }
  const Names names = NamesOf(*session);
  if (word.starts_with('#')) {
    AddWith('#', names.keys, words);
  } else if (word.starts_with('+')) {
    AddWith('+', names.tags, words);
  } else {
    words = names.ids;
    words.merge(Snapshots(*session, /*names=*/true));
    // Their sign is typed first.
    std::erase_if(words, [](const std::string& one) { return one.starts_with('@'); });
  }
  return words;
}

Words ContextsOf(const Setting& here) {
  auto session = OpenQuietly(here, here.context);
  return session ? Contexts(*session) : Words();
}

Words SnapshotsOf(const Setting& here) {
  auto session = OpenQuietly(here, here.context);
  return session ? Snapshots(*session, /*names=*/true) : Words();
}

Words Verbs(const CLI::App& app) {
  Words words = {"help", "context", "exit"};
  for (const CLI::App* verb : app.get_subcommands(nullptr)) words.insert(verb->get_name());
  return words;
}

Words OptionsOf(const CLI::App& verb) {
  Words words;
  for (const OptionText& option : OptionsText(verb)) {
    if (!option.is_positional) words.insert(option.name);
  }
  return words;
}

// Inside of '[': what a filter can ask for.
const Words& Attributes() {
  static const Words words = {
      "role=", "kind=", "key=", "tag=", "ttl<=", "priority=", "cycle=", "offset=", "content~"};
  return words;
}

// What a bare value in a filter may be; others want quotes.
bool IsBareValue(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_';
  });
}

// The filter as far as it is typed, and what it may become.
Words FiltersOf(std::string_view filter, const Setting& here) {
  const std::size_t equals = filter.find('=');
  if (equals == std::string_view::npos) return Attributes();
  const std::string_view name = filter.substr(0, equals);
  if (!Attributes().contains(std::string(name) + "=")) return {};
  auto session = OpenQuietly(here, here.context);
  if (!session) return {};
  Names names = NamesOf(*session);
  const Words& values = name == "role"   ? names.roles
                        : name == "kind" ? names.kinds
                        : name == "key"  ? names.keys
                        : name == "tag"  ? names.tags
                                         : Words();
  Words words;
  for (const std::string& value : values) {
    if (IsBareValue(value)) words.insert(std::string(name) + "=" + value + "]");
  }
  return words;
}

Words Candidates(std::string_view word, std::string_view before, const Setting& here) {
  const Program program(here);
  const auto words = SplitWords(before);
  if (!words || words->empty()) {
    if (word.empty() || std::string_view(".^@#+").find(word[0]) == std::string_view::npos)
      return Verbs(program.app());
  } else {
    const CLI::App* verb = FindVerb(program.app(), words->front());
    if (words->front() == "context" && words->size() == 1) return ContextsOf(here);
    if (words->front() == "help") return Verbs(program.app());
    if (verb != nullptr && word.starts_with('-')) return OptionsOf(*verb);
    if (verb != nullptr && words->size() > 1) {
      const std::string& option_before = words->back();
      if (option_before == "--at") return SnapshotsOf(here);
      for (const char* option : {"--context", "--delete", "--rename"})
        if (option_before == option) return ContextsOf(here);
      for (const OptionText& option : OptionsText(*verb)) {
        if (option.name == words->back() && !option.values.empty())
          return {option.values.begin(), option.values.end()};
      }
    }
  }
  if (word.starts_with('^')) return {"^sys", "^seq", "^ah", "^root"};
  if (word.starts_with('.')) return {".block", ".cont", ".seg", ".seg:depth("};
  return FromFile(word, here);
}

}  // namespace

Said<std::vector<std::string>> SplitWords(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool is_open = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char byte = line[i];
    const bool escapes = byte == '\\' && quote != '\'' && i + 1 < line.size() &&
                         (line[i + 1] == '"' || line[i + 1] == '\\');
    if (escapes) {
      word += line[++i];
      is_open = true;
    } else if (quote != 0) {
      if (byte == quote) {
        quote = 0;
      } else {
        word += byte;
      }
    } else if (byte == '\'' || byte == '"') {
      quote = byte;
      is_open = true;
    } else if (IsBlank(byte)) {
      if (is_open) words.push_back(std::exchange(word, {}));
      is_open = false;
    } else {
      word += byte;
      is_open = true;
    }
  }
  if (quote != 0) return std::unexpected("a quote is not closed");
  if (is_open) words.push_back(std::move(word));
  return words;
}

Completion CompleteLine(std::string_view line, const Setting& here) {
  // The word at the cursor; inside of a quoted selector its last part.
  const std::size_t cut = line.find_last_of(" \t'\"");
  Completion completion{.start = cut == std::string_view::npos ? 0 : cut + 1, .words = {}};
  const bool is_quoted = cut != std::string_view::npos && (line[cut] == '\'' || line[cut] == '"');
  std::string_view before = line.substr(0, completion.start);
  if (is_quoted) before.remove_suffix(1);
  // A quote that is still open: what stands before it counts.
  if (const std::size_t open = before.find_first_of("'\""); !SplitWords(before))
    before = before.substr(0, open);
  std::string_view word = line.substr(completion.start);
  Words candidates;
  if (const std::size_t filter = word.rfind('['); filter != std::string_view::npos) {
    completion.start += filter + 1;
    word.remove_prefix(filter + 1);
    candidates = FiltersOf(word, here);
  } else {
    candidates = Candidates(word, before, here);
  }
  for (const std::string& candidate : candidates) {
    if (candidate.starts_with(word)) completion.words.push_back(candidate);
  }
  return completion;
}

}  // namespace pactdb::cli

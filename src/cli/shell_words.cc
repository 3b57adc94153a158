#include "cli/shell_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

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

// Ids, keys and tags of a tree.
struct Names {
  Words ids, keys, tags;
};

void Collect(const JsonRef& root, Names& names) {
  std::vector<JsonRef> open = {root};
  while (!open.empty()) {
    const JsonRef node = open.back();
    open.pop_back();
    names.ids.emplace(TextOf(node, "id"));
    if (const std::string_view key = TextOf(node, "key"); !key.empty()) names.keys.emplace(key);
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

Words Snapshots(Session& session) {
  Words words = {"@t0", "@t-1", "@*", "@history"};
  const auto log = session.Run(Ask("log").Integer("limit", kIdsMax));
  if (!log) return words;
  for (auto it = log->result().begin(); it != log->result().end(); ++it)
    words.insert("@c" + LineOf((*it).value, "cycle"));
  return words;
}

void AddWith(char sign, const Words& from, Words& words) {
  for (const std::string& word : from) words.insert(sign + word);
}

// What the file has that begins as the word does.
Words FromFile(std::string_view word, const Setting& here) {
  auto session = Session::Open(here.file, Access::kRead, here.context);
  if (!session) return {};
  if (word.starts_with('@')) return Snapshots(*session);
  const Names names = NamesOf(*session);
  Words words;
  if (word.starts_with('#')) {
    AddWith('#', names.keys, words);
  } else if (word.starts_with('+')) {
    AddWith('+', names.tags, words);
  } else {
    words = names.ids;
    words.insert("working");
  }
  return words;
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
      "role=", "kind=", "key=", "tags=", "ttl<=", "priority=", "cycle=", "offset=", "content~"};
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
    if (words->front() == "help") return Verbs(program.app());
    if (verb != nullptr && word.starts_with('-')) return OptionsOf(*verb);
    if (verb != nullptr && words->size() > 1) {
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
    candidates = Attributes();
  } else {
    candidates = Candidates(word, before, here);
  }
  for (const std::string& candidate : candidates) {
    if (candidate.starts_with(word)) completion.words.push_back(candidate);
  }
  return completion;
}

}  // namespace pactdb::cli

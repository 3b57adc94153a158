#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "base/limits.h"
#include "cli/commands.h"
#include "cli/commit_text.h"
#include "cli/document.h"
#include "cli/json_text.h"
#include "cli/target.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

struct Options {
  TargetOptions target;
  std::optional<std::string> text;  // - is standard input
  std::string content;
  std::string node;
  std::string parent;
  std::string at;
  std::vector<std::string> tags;
  std::vector<std::string> refs;
  std::vector<std::string> set;  // NAME=VALUE
  std::optional<std::int64_t> ttl, offset, priority;
  std::string type, role, kind, key, id;
  bool pinned = false;
  bool removable = false;
  bool commit = false;
};

bool IsJson(std::string_view text) {
  return JsonDoc::Parse(text, limits::kDocumentJsonDepthMax).has_value();
}

void AddList(std::string_view name, const std::vector<std::string>& values, JsonOut& out) {
  if (values.empty()) return;
  out.Key(name).BeginArray();
  for (const std::string& value : values) out.String(value);
  out.EndArray();
}

// The members of --node, then what the other options say.
Said<std::string> NodeJson(const Options& options) {
  JsonOut out;
  out.BeginObject();
  if (!options.node.empty()) {
    const auto given = JsonDoc::Parse(options.node, limits::kDocumentJsonDepthMax);
    if (!given || !given->root().is_object())
      return std::unexpected("--node: not a JSON object: " + options.node);
    for (auto it = given->root().begin(); it != given->root().end(); ++it)
      out.AnyKey((*it).key).Raw(JsonInOrder((*it).value));
  }
  for (const auto& [name, value] :
       {std::pair("nodeType", &options.type), std::pair("role", &options.role),
        std::pair("kind", &options.kind), std::pair("key", &options.key),
        std::pair("id", &options.id)}) {
    if (!value->empty()) out.Key(name).String(*value);
  }
  for (const auto& [name, value] :
       {std::pair("ttl", options.ttl), std::pair("offset", options.offset),
        std::pair("priority", options.priority)}) {
    if (value) out.Key(name).Integer(*value);
  }
  AddList("tags", options.tags, out);
  AddList("refs", options.refs, out);
  if (options.pinned) out.Key("pinned").Bool(true);
  if (options.removable) out.Key("removable").Bool(true);
  for (const std::string& pair : options.set) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      return std::unexpected("--set: not NAME=VALUE: " + pair);
    const std::string value = pair.substr(equals + 1);
    out.AnyKey(pair.substr(0, equals));
    IsJson(value) ? out.Raw(value) : out.String(value);
  }
  if (!options.content.empty()) {
    if (!IsJson(options.content)) return std::unexpected("--content: not JSON: " + options.content);
    out.Key("content").Raw(options.content);
  } else if (options.text == "-") {
    const auto read = ReadAll("-");
    if (!read) return std::unexpected(read.error());
    if (!IsValidUtf8(*read)) return std::unexpected("standard input is not UTF-8");
    out.Key("content").String(*read);
  } else if (options.text) {
    if (!IsValidUtf8(*options.text)) return std::unexpected("the text is not UTF-8");
    out.Key("content").String(*options.text);
  }
  out.EndObject();
  return out.Take();
}

// A commit that failed leaves what was added in the open turn: whoever tries again would add it
// twice.
Fault NotCommitted(Session& session, const std::string& id, Fault fault) {
  if (session.Run(Ask("remove").Text("id", id))) return fault;
  return std::move(fault).Hint("\n  " + id + " stays in the open turn; 'pactdb commit' commits it");
}

// Of a block without anything to say the text was forgotten, or it waits at standard input.
bool SaysNothing(const Options& options) {
  return !options.text && options.content.empty() && options.node.empty() && options.set.empty() &&
         options.type.empty();
}

Said<int> Run(const Options& options) {
  if (SaysNothing(options))
    return Fail("nothing to say: give TEXT, - for standard input, or '' for an empty text");
  const auto node = NodeJson(options);
  if (!node) return Fail(node.error());
  auto session = OpenTarget(options.target);
  if (!session) return Fail(session.error());
  MakeContextsWithJournal(*session);
  if (!options.commit) {
    const auto kept = CheckKept(*session, "what is added now", "--commit commits it");
    if (!kept) return Fail(kept.error());
  }
  Ask ask("add");
  ask.Raw("node", *node).Optional("parent", options.parent).Optional("at", options.at);
  const auto added = session->Run(ask);
  const auto print_id = [](const Answer& answer) {
    return Print(LineOf(answer.result(), "id") + "\n") ? kOk : kError;
  };
  if (!added || !options.commit) return PrintAnswer(options.target, added, print_id);
  const auto committed = session->Run(Ask("commit").Bool("hashes", false));
  if (!committed)
    return Fail(NotCommitted(*session, LineOf(added->result(), "id"), committed.error()));
  if (options.target.json) {
    // One object: the commit's answer, and the id in front.
    JsonOut id;
    id.String(LineOf(added->result(), "id"));
    std::string line = R"({"id":)" + id.Take() + ",";
    line += committed->json().substr(1);
    return Print(line + "\n") ? kOk : kError;
  }
  const Terminal terminal = Terminal::Detect();
  const int code = print_id(*added);
  return Print(CommitText(terminal, committed->result())) ? code : kError;
}

void Declare(CLI::App& app, const std::shared_ptr<Options>& options, const Setting& here) {
  options->target.Declare(app, here);
  auto* text = app.add_option("TEXT", options->text, "what it says; - is standard input");
  app.add_option("--text", options->text, "likewise")->excludes(text);
  app.add_option("--content", options->content, "what it says, as JSON")->excludes(text);
  app.add_option("--role", options->role, "user, assistant, system, tool, ...");
  app.add_option("--kind", options->kind, "text, call, result, document, summary, ...");
  app.add_option("--type", options->type, "block unless given; cont, block:summary, ns:name");
  app.add_option("--parent", options->parent, "^ah, ^sys, or the id of a turn or a group");
  app.add_option("--at", options->at, "a place: a position with an insertion mark");
  app.add_option("--offset", options->offset, "below 0 before the core, above 0 behind it");
  app.add_option("--ttl", options->ttl,
                 "turns that it is there for, this one being the first; 0: until the commit");
  app.add_option("--priority", options->priority, "the lowest is pruned first");
  app.add_option("--key", options->key, "a name, found as #KEY");
  app.add_option("--tag", options->tags, "found as +TAG; may be given again")
      ->allow_extra_args(false);
  app.add_option("--ref", options->refs, "an id that must not leave while this stays")
      ->allow_extra_args(false);
  app.add_option("--id", options->id, "an id of your own");
  app.add_option("--set", options->set, "NAME=VALUE, an attribute of your own")
      ->allow_extra_args(false);
  app.add_option("--node", options->node, "the fields, as a JSON object");
  app.add_flag("--pinned", options->pinned, "neither expires nor is pruned");
  app.add_flag("--removable", options->removable, "a group that goes when it is empty");
  app.add_flag("--commit", options->commit, "commit at once");
}

}  // namespace

const Command kAddCommand = {.name = "add",
                             .about = "a node in the turn that is open; prints its id",
                             .examples = R"(  pactdb init agent.pactdb
  pactdb add agent.pactdb --parent ^sys --role system 'Answer briefly.'
  pactdb add agent.pactdb --role user 'When does the last train leave?'
  echo 'A long page' | pactdb add agent.pactdb --kind document --offset -1 --ttl 1 --tag web -
  pactdb add agent.pactdb --role assistant --kind call --content '{"to":"Dresden"}'
  pactdb add agent.pactdb --node '{"role":"tool"}' --set data_call_id=t1 22:12 --json
  pactdb add agent.pactdb --role assistant 'At 22:12.' --commit)",
                             .setup = [](CLI::App& app, const Setting& here) -> Runner {
                               auto options = std::make_shared<Options>();
                               Declare(app, options, here);
                               return [options] { return Run(*options); };
                             },
                             .group = Group::kWrite};

}  // namespace pactdb::cli

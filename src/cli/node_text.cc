#include "cli/node_text.h"

#include <algorithm>

#include "cli/json_text.h"

namespace pactdb::cli {
namespace {

// Type names that an id of the engine's own making, a region's, or the kind say already.
bool IsSaid(std::string_view type, std::string_view id, std::string_view kind) {
  if (type.empty() || type.starts_with('^')) return true;
  const std::size_t colon = std::min(type.find(':'), type.size());
  const std::string_view name = type.substr(0, colon);
  const bool is_kind = colon == type.size() || type.substr(colon + 1) == kind;
  return is_kind && id.starts_with(name) && id.substr(name.size()).starts_with(':');
}

std::string Facts(const JsonRef& node) {
  std::string facts;
  const auto add = [&facts](std::string_view text) {
    if (!facts.empty()) facts += ' ';
    facts += text;
  };
  const std::string type = LineOf(node, "nodeType");
  const bool is_region = type.starts_with('^');
  if (!IsSaid(type, TextOf(node, "id"), TextOf(node, "kind"))) add(type);
  if (type == "seg" || type == "mt") add("depth " + LineOf(node, "depth"));
  if (const std::string offset = LineOf(node, "offset"); offset != "0" && !offset.empty())
    add("offset " + offset);
  if (const std::string ttl = LineOf(node, "ttl"); !ttl.empty()) add("ttl " + ttl);
  if (const std::string priority = LineOf(node, "priority"); priority != "0" && !is_region)
    add("priority " + priority);
  if (const std::string key = LineOf(node, "key"); !key.empty()) add("#" + key);
  if (const auto tags = node.Find("tags"); tags && tags->is_array()) {
    for (auto it = tags->begin(); it != tags->end(); ++it) add("+" + ReadableLine((*it).value));
  }
  if (LineOf(node, "pinned") == "true") add("pinned");
  if (LineOf(node, "removable") == "true") add("removable");
  return facts;
}

}  // namespace

std::vector<Table::Cell> DescribeNode(const JsonRef& node) {
  const std::string type = LineOf(node, "nodeType");
  const bool is_region = type.starts_with('^');
  std::vector<Table::Cell> parts = {{is_region && type != "^root" ? type : LineOf(node, "id"),
                                     is_region ? Colour::kBlue : Colour::kBold}};
  std::string voice = LineOf(node, "role");
  if (const std::string kind = LineOf(node, "kind"); !kind.empty())
    voice += (voice.empty() ? "" : "/") + kind;
  if (!voice.empty()) parts.push_back({voice, Colour::kCyan});
  if (std::string facts = Facts(node); !facts.empty())
    parts.push_back({std::move(facts), Colour::kYellow});
  if (std::string content = LineOf(node, "content"); !content.empty())
    parts.push_back({std::move(content)});
  return parts;
}

std::string JoinLine(const Terminal& terminal, const std::vector<Table::Cell>& parts) {
  std::string line;
  std::size_t used = 0;
  for (const Table::Cell& part : parts) {
    const std::size_t gap = line.empty() ? 0 : 2;
    if (terminal.width() == 0) {
      line.append(gap, ' ').append(terminal.Paint(part.colour, part.text));
      continue;
    }
    if (used + gap + 2 > terminal.width()) {
      if (used < terminal.width()) line += "…";
      break;
    }
    const std::string text = Cut(part.text, terminal.width() - used - gap);
    line.append(gap, ' ').append(terminal.Paint(part.colour, text));
    used += gap + Columns(text);
  }
  return line;
}

}  // namespace pactdb::cli

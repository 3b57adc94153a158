#include "render/thread.h"

#include "text/canonical.h"

namespace pactdb {
namespace {

void AppendBlock(const Node& block, const Lexicon& lexicon, std::string_view default_role,
                 std::string& out) {
  out += "{\"id\":";
  AppendJsonString(lexicon.id(block.number), out);
  out += ",\"role\":";
  out += block.role == kNoWord ? default_role : lexicon.word_json(block.role);
  if (block.kind != kNoWord) {
    out += ",\"kind\":";
    out += lexicon.word_json(block.kind);
  }
  out += ",\"content\":";
  out += block.content().value_or("\"\"");
  out += '}';
}

}  // namespace

void RenderThread(const TreeView& view, std::string& out) {
  out += '[';
  bool first = true;
  for (const NodeClass region : {NodeClass::kSys, NodeClass::kSeq, NodeClass::kAh}) {
    const Container* container = view.Region(region);
    if (container == nullptr) continue;
    const std::string_view default_role = region == NodeClass::kSys ? "\"system\"" : "\"user\"";
    for (PreorderCursor node(*container); node.get() != nullptr; node.Next()) {
      if (!node.get()->is_block()) continue;
      if (!first) out += ',';
      first = false;
      AppendBlock(*node.get(), *view.lexicon, default_role, out);
    }
  }
  out += ']';
}

}  // namespace pactdb

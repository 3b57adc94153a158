#include "render/text.h"

#include <string>

#include "model/child_list.h"
#include "text/canonical.h"

namespace pactdb {
namespace {

class TextWriter {
 public:
  TextWriter(const Lexicon& lexicon, ByteSink& sink) : lexicon_(lexicon), sink_(sink) {}

  // All blocks at or below. False: the sink takes no more.
  bool Add(const Node& top, std::string_view default_role) {
    for (PreorderCursor cursor(top); cursor.get() != nullptr; cursor.Next()) {
      if (cursor.get()->is_block() && !AddBlock(*cursor.get(), default_role)) return false;
    }
    return true;
  }

 private:
  bool AddBlock(const Node& block, std::string_view default_role) {
    text_ = is_first_ ? "" : "\n";
    is_first_ = false;
    text_ += block.role == kNoWord ? default_role : lexicon_.word(block.role);
    if (block.kind != kNoWord && lexicon_.word(block.kind) != "text")
      text_.append(" (").append(lexicon_.word(block.kind)).append(")");
    text_ += ":\n";
    const std::string_view content = block.content().value_or("\"\"");
    text_ += content.starts_with('"') ? DecodeJsonString(content) : std::string(content);
    if (!text_.ends_with('\n')) text_ += '\n';
    return sink_.Write(text_);
  }

  const Lexicon& lexicon_;
  ByteSink& sink_;
  std::string text_;
  bool is_first_ = true;
};

}  // namespace

void RenderText(const TreeView& view, ByteSink& sink) {
  TextWriter writer(*view.lexicon, sink);
  const Node* sys = view.Region(NodeClass::kSys);
  if (sys != nullptr && !writer.Add(*sys, "system")) return;
  const Container* seq = view.Region(NodeClass::kSeq);
  for (ChildCursor turn = ChildCursor::From(seq == nullptr ? nullptr : seq->children, 0);
       turn.get() != nullptr; turn.Next()) {
    if (!writer.Add(*turn.get(), "user")) return;
  }
  if (const Node* head = view.Region(NodeClass::kAh)) writer.Add(*head, "user");
}

}  // namespace pactdb

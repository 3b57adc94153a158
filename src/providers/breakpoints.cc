#include "providers/breakpoints.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "providers/extras.h"
#include "providers/format.h"
#include "providers/media.h"
#include "providers/messages.h"

namespace pactdb::providers {
namespace {

constexpr std::string_view kCacheControl = "cache_control";
constexpr std::string_view kPart = "anthropic:part";
constexpr std::string_view kResult = "anthropic:result";
constexpr std::string_view kMessage = "anthropic:message";

// Looks at the thread once, in the order of the messages.
class Placer {
 public:
  explicit Placer(const TreeView& view) : view_(view) {}

  std::unordered_set<NodeNumber> Run() {
    MessageCursor cursor(view_, JoinRule::kTogether);
    Message message;
    bool is_leading = true;
    while (cursor.Next(message)) {
      is_leading = is_leading && IsSystem(message);
      for (const Block& block : message) CountMarks(block);
      if (is_leading) {
        NoteInstructions(message);
      } else if (message.front().traits.role != Role::kAssistant) {
        NoteAsk(message);
      }
    }
    if (!instructions_ && !has_long_mark_ && !cursor.tools().empty()) NoteTools(cursor.tools());
    for (const Block& tool : cursor.tools()) own_marks_ += IsMarked(tool, kPart) ? 1 : 0;
    CountRequestMark();
    return Choose();
  }

 private:
  struct Place {
    NodeNumber node;
    bool is_marked;  // by what was imported
  };

  void CountMarks(const Block& block) {
    for (const std::string_view attribute : {kPart, kResult, kMessage}) {
      const auto value = block.Find(attribute);
      if (!value || value->find(kCacheControl) == std::string_view::npos) continue;
      const ExtraFields fields(*block.node, attribute);
      const auto mark = fields.Find(kCacheControl);
      if (mark && mark->is_object()) CountMark(*mark);
    }
    // What stands verbatim is searched as text: a mark too many is refused, one too few is not.
    if (block.VerbatimFormat() &&
        block.content.find("\"cache_control\":{") != std::string_view::npos)
      ++own_marks_;
  }

  void CountMark(const JsonRef& mark) {
    ++own_marks_;
    const auto ttl = mark.Find("ttl");
    // Longer lives come first: places noted so far are before this mark.
    if (ttl && ttl->is_string() && ttl->string() == "1h") {
      asks_.clear();
      instructions_.reset();
      has_long_mark_ = true;
    }
  }

  // A mark on the whole request is a breakpoint, too.
  void CountRequestMark() {
    const RequestNodes requests = FindRequestNodes(view_, Format::kAnthropic);
    if (requests.own == nullptr) return;
    const ContentFields fields(*requests.own);
    const auto mark = fields.Find(kCacheControl);
    if (mark && mark->is_object()) ++own_marks_;
  }

  static bool IsMarked(const Block& block, std::string_view attribute) {
    return ExtraFields(*block.node, attribute).Has(kCacheControl);
  }

  static bool SaysText(const Block& block) {
    return block.is_text() && !block.VerbatimFormat() && block.content != "\"\"" &&
           block.content != "null" && block.node->content();
  }

  void NoteInstructions(const Message& message) {
    for (const Block& block : message) {
      if (SaysText(block)) instructions_ = Place{block.node->number, IsMarked(block, kPart)};
    }
  }

  void NoteTools(const std::vector<Block>& tools) {
    const Block& last = tools.back();
    if (last.VerbatimFormat() || !ContentFields(*last.node).Has("name")) return;
    instructions_ = Place{last.node->number, IsMarked(last, kPart)};
  }

  // The last block of the message that can carry a mark.
  void NoteAsk(const Message& message) {
    for (std::size_t i = message.size(); i-- > 0;) {
      const Block& block = message[i];
      if (block.traits.role == Role::kTool) {
        if (block.traits.call_id.empty()) continue;
        const Block& first = message[FirstOfResult(message, i)];
        asks_.push_back({first.node->number, IsMarked(first, kResult)});
        return;
      }
      const bool is_media = block.traits.form == Form::kImage || block.traits.form == Form::kFile;
      if (SaysText(block) || (is_media && ReadMedia(block))) {
        asks_.push_back({block.node->number, IsMarked(block, kPart)});
        return;
      }
    }
  }

  static std::size_t FirstOfResult(const Message& message, std::size_t i) {
    while (i > 0 && GoesOnWithResult(message[i - 1].traits, message[i].traits)) --i;
    return i;
  }

  std::unordered_set<NodeNumber> Choose() const {
    std::vector<Place> wanted;
    const auto ask = [&](std::size_t from_end) {
      if (from_end < asks_.size()) wanted.push_back(asks_[asks_.size() - 1 - from_end]);
    };
    ask(0);
    ask(1);
    if (instructions_) wanted.push_back(*instructions_);
    for (std::size_t i = 2; i < kMessageBreakpoints; ++i) ask(i);
    std::unordered_set<NodeNumber> chosen;
    const int room = kBreakpointsMax - own_marks_;
    for (const Place& place : wanted) {
      if (static_cast<int>(chosen.size()) >= room) break;
      if (!place.is_marked) chosen.insert(place.node);
    }
    return chosen;
  }

  const TreeView& view_;
  std::optional<Place> instructions_;
  std::vector<Place> asks_;
  int own_marks_ = 0;
  bool has_long_mark_ = false;
};

}  // namespace

std::unordered_set<NodeNumber> PlaceBreakpoints(const TreeView& view) {
  return Placer(view).Run();
}

}  // namespace pactdb::providers

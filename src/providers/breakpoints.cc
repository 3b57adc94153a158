#include "providers/breakpoints.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "providers/extras.h"
#include "providers/format.h"
#include "providers/json_find.h"
#include "providers/media.h"
#include "providers/messages.h"
#include "text/json_doc.h"

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
      if (is_leading) {
        NoteInstructions(message);
      } else {
        NoteMessage(message);
      }
    }
    if (!instructions_ && !has_long_mark_ && !cursor.tools().empty()) NoteTools(cursor.tools());
    for (const Block& tool : cursor.tools()) own_marks_ += CountMarks(tool).all;
    NoteRequest();
    return Choose();
  }

 private:
  struct Place {
    NodeNumber node;
    bool is_marked;  // by what was imported
  };
  struct Marks {
    int all = 0;
    int long_lived = 0;
  };

  // Wherever they stand in the value. A member of that name that is no mark makes one too many,
  // which costs a place; one too few would cost the request.
  static void CountMarks(const JsonRef& root, Marks& marks) {
    std::vector<JsonRef> open = {root};
    while (!open.empty()) {
      const JsonRef value = open.back();
      open.pop_back();
      if (!value.is_object() && !value.is_array()) continue;
      const auto mark = value.is_object() ? FindObject(value, kCacheControl) : std::nullopt;
      const auto ttl = mark ? FindString(*mark, "ttl") : std::nullopt;
      marks.all += mark ? 1 : 0;
      marks.long_lived += ttl && ttl->string() == "1h" ? 1 : 0;
      for (auto it = value.begin(); it != value.end(); ++it) open.push_back((*it).value);
    }
  }

  static void CountMarks(std::string_view json, Marks& marks) {
    if (json.find(kCacheControl) == std::string_view::npos) return;
    const auto doc = JsonDoc::ParseView(json, limits::kContentJsonDepthMax);
    if (doc) CountMarks(doc->root(), marks);
  }

  // What was imported with the block.
  static Marks CountMarks(const Block& block) {
    Marks marks;
    for (const std::string_view attribute : {kPart, kResult, kMessage})
      CountMarks(block.Find(attribute).value_or(""), marks);
    if (block.VerbatimFormat() == Name(Format::kAnthropic)) CountMarks(block.content, marks);
    return marks;
  }

  void NoteMarks(const Block& block) {
    const Marks marks = CountMarks(block);
    own_marks_ += marks.all;
    if (marks.long_lived > 0) ForgetPlaces();
  }

  // Longer lives come first: places noted so far are before such a mark.
  void ForgetPlaces() {
    asks_.clear();
    ask_.reset();
    instructions_.reset();
    has_long_mark_ = true;
  }

  // A mark on the whole request is a breakpoint at its end.
  void NoteRequest() {
    const RequestNodes requests = FindRequestNodes(view_, Format::kAnthropic);
    if (requests.own == nullptr) return;
    const ContentFields fields(*requests.own);
    const auto mark = fields.Find(kCacheControl);
    if (!mark || !mark->is_object()) return;
    ++own_marks_;
    const auto ttl = FindString(*mark, "ttl");
    if (ttl && ttl->string() == "1h") ForgetPlaces();
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
      NoteMarks(block);
      if (SaysText(block)) instructions_ = Place{block.node->number, IsMarked(block, kPart)};
    }
  }

  void NoteTools(const std::vector<Block>& tools) {
    const Block& last = tools.back();
    if (last.VerbatimFormat() || !ContentFields(*last.node).Has("name")) return;
    instructions_ = Place{last.node->number, IsMarked(last, kPart)};
  }

  // The last block of a message of a user or a tool that can carry a mark.
  void NoteMessage(const Message& message) {
    ask_.reset();
    for (std::size_t i = 0; i < message.size(); ++i) {
      NoteMarks(message[i]);
      if (message[i].traits.role != Role::kAssistant) NoteBlock(message, i);
    }
    if (ask_) asks_.push_back(*ask_);
  }

  void NoteBlock(const Message& message, std::size_t i) {
    const Block& block = message[i];
    if (block.traits.role == Role::kTool) {
      if (block.traits.call_id.empty()) return;
      const Block& first = message[FirstOfResult(message, i)];
      ask_ = Place{first.node->number, IsMarked(first, kResult)};
      return;
    }
    const bool is_media = block.traits.form == Form::kImage || block.traits.form == Form::kFile;
    if (SaysText(block) || (is_media && ReadMedia(block)))
      ask_ = Place{block.node->number, IsMarked(block, kPart)};
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
  std::optional<Place> ask_;  // of the message at hand
  int own_marks_ = 0;
  bool has_long_mark_ = false;
};

}  // namespace

std::unordered_set<NodeNumber> PlaceBreakpoints(const TreeView& view) {
  return Placer(view).Run();
}

}  // namespace pactdb::providers

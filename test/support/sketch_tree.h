// Trees for tests of reading layers, drawn as text.
//
//   sys
//     s1 block role=system
//   seq
//     t1 seg
//       c1 cont core
//         u1 block role=user ttl=2 data_n=5
//   ah
//
// Two blanks a level. Behind the id stands the nodeType, then `core`, or name=value: headers, role,
// kind, key, tags=a|b, and any other attribute with its JSON. Siblings stand in the order drawn.
#pragma once

#include <pactdb/json.h>

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash64.h"
#include "model/indexed.h"
#include "model/types.h"
#include "model/working_tree.h"

namespace pactdb::support {

class SketchTree {
 public:
  explicit SketchTree(std::string_view sketch, std::int64_t now = 10)
      : lexicon_(std::make_shared<Lexicon>()), tree_(lexicon_), now_(now) {
    std::istringstream lines{std::string(sketch)};
    for (std::string line; std::getline(lines, line);) {
      if (line.find_first_not_of(' ') != std::string::npos) AddLine(line);
    }
    tree_.Refresh();
  }

  // The tree as a working state, and as the snapshot of cycle now - 1.
  TreeView Working() const { return tree_.View(now_); }
  TreeView Snapshot() const {
    TreeView view = tree_.View(now_);
    view.ordinal = 0;
    return view;
  }

 private:
  void AddLine(const std::string& line) {
    const std::size_t level = line.find_first_not_of(' ') / 2;
    std::istringstream words(line);
    std::string id;
    words >> id;
    path_.resize(level);
    if (level == 0) {
      const auto region = ParseRegionName("^" + id);
      path_.push_back(tree_.region(*region).number);
      return;
    }
    std::string type;
    words >> type;
    Ref<Node> node =
        MakeNode(FindTypeAlias(type.substr(0, type.find(':'))).value_or(NodeClass::kBlock));
    node->number = lexicon_->InternId(id, 1);
    node->shape = static_cast<std::uint32_t>(ShapeHash(id));
    node->type = lexicon_->InternWord(type);
    node->flags |= node->is_block() ? Node::kMadeHere & ~Node::kHasChildren : Node::kMadeHere;
    node->cycle = 1;
    node->created_at_ns = ++stamp_;
    std::vector<std::pair<std::string, std::string>> attributes;
    for (std::string word; words >> word;) SetField(*node, word, attributes);
    SetBody(*node, attributes);
    const NodeNumber number = node->number;
    ForEachIndexed(*node, [&](IndexKind kind, const std::string& value) {
      lexicon_->AddPosting(kind, value, number);
    });
    node->parent = path_.back();
    tree_.Insert(path_.back(), std::move(node));
    path_.push_back(number);
  }

  void SetField(Node& node, const std::string& word,
                std::vector<std::pair<std::string, std::string>>& attributes) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "core") return node.Set(Node::kCore, true);
    if (name == "pinned") return node.Set(Node::kPinned, true);
    if (name == "removable") return node.Set(Node::kRemovable | Node::kHasRemovable, true);
    if (name == "offset")
      node.offset = std::stoll(value);
    else if (name == "priority")
      node.priority = std::stoll(value);
    else if (name == "cycle")
      node.cycle = std::stoll(value);
    else if (name == "ns")
      node.created_at_ns = std::stoll(value);
    else if (name == "index")
      node.creation_index = std::stoll(value);
    else if (name == "ttl")
      node.expiry = static_cast<std::uint64_t>(now_ + std::stoll(value));
    else if (name == "role")
      node.role = lexicon_->InternWord(value);
    else if (name == "kind")
      node.kind = lexicon_->InternWord(value);
    else if (name == "key")
      attributes.emplace_back("key", Json::String(value)->text());
    else if (name == "tags")
      attributes.emplace_back("tags", TagsJson(value));
    else
      attributes.emplace_back(name, value);
  }

  static std::string TagsJson(const std::string& value) {
    std::vector<Json> tags;
    std::istringstream words(value);
    for (std::string word; std::getline(words, word, '|');) tags.push_back(*Json::String(word));
    return Json::Array(tags).text();
  }

  void SetBody(Node& node, std::vector<std::pair<std::string, std::string>>& attributes) {
    std::sort(attributes.begin(), attributes.end());
    std::vector<Attribute> views;
    std::optional<std::string_view> content;
    for (const auto& [name, value] : attributes) {
      if (name == "content")
        content = value;
      else
        views.push_back({name, value});
    }
    node.SetBody(
        Body::Make(content, views, lexicon_->word_json(node.role), lexicon_->word_json(node.kind)));
  }

  std::shared_ptr<Lexicon> lexicon_;
  WorkingTree tree_;
  std::int64_t now_;
  std::int64_t stamp_ = 0;
  std::vector<NodeNumber> path_;
};

}  // namespace pactdb::support

#include "xml_tree.h"

#include <map>
#include <pugixml.hpp>
#include <string>

namespace pactdb::bench {
namespace {

pugi::xml_node AddElement(pugi::xml_node parent, const char* type, const std::string& id) {
  pugi::xml_node element = parent.append_child(type);
  element.append_attribute("id") = id.c_str();
  return element;
}

void AddHeaders(pugi::xml_node element, std::int64_t cycle, std::int64_t created_at_ns, int index) {
  element.append_attribute("offset") = 0;
  element.append_attribute("priority") = 0;
  element.append_attribute("cycle") = static_cast<long long>(cycle);
  element.append_attribute("created_at_ns") = static_cast<long long>(created_at_ns);
  element.append_attribute("creation_index") = index;
}

}  // namespace

struct XmlTree::Impl {
  pugi::xml_document document;
  pugi::xpath_query user_blocks{"//block[@role='user']"};
  std::map<std::string, pugi::xpath_query> compiled;
};

XmlTree::XmlTree(const Workload& workload) {
  auto impl = std::make_unique<Impl>();
  const pugi::xml_node root = AddElement(impl->document, "root", "root");
  AddElement(root, "sys", "sys");
  const pugi::xml_node seq = AddElement(root, "seq", "seq");
  AddElement(root, "ah", "ah");
  for (std::int64_t cycle = 1; cycle <= workload.turns(); ++cycle) {
    const auto add_headers = [&](pugi::xml_node element, int index) {
      AddHeaders(element, cycle, workload.CreatedAtNs(cycle, index), index);
    };
    const pugi::xml_node segment = AddElement(seq, "seg", TurnId(cycle));
    add_headers(segment, 9);
    const pugi::xml_node core = AddElement(segment, "cont", CoreId(cycle));
    add_headers(core, 0);
    const Turn turn = workload.MakeTurn(cycle);
    for (int i = 0; i < kBlocksPerTurn; ++i) {
      pugi::xml_node block = AddElement(core, "block", BlockId(cycle, i + 1));
      // Ahead of the headers: attributes are looked for one after the other.
      block.append_attribute("role") = std::string(turn[i].role).c_str();
      block.append_attribute("kind") = std::string(turn[i].kind).c_str();
      add_headers(block, i + 1);
    }
  }
  impl_ = std::move(impl);
}

XmlTree::~XmlTree() = default;

std::size_t XmlTree::SelectUserBlocks() const {
  pugi::xpath_node_set found = impl_->user_blocks.evaluate_node_set(impl_->document);
  found.sort();  // document order; it knows if it is in order already
  return found.size();
}

std::size_t XmlTree::Count(const std::string& xpath) {
  auto found = impl_->compiled.find(xpath);
  if (found == impl_->compiled.end())
    found = impl_->compiled.emplace(xpath, pugi::xpath_query(xpath.c_str())).first;
  pugi::xpath_node_set nodes = found->second.evaluate_node_set(impl_->document);
  nodes.sort();
  return nodes.size();
}

}  // namespace pactdb::bench

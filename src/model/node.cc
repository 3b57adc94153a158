#include "model/node.h"

#include "model/child_list.h"

namespace pactdb {

Node::Node(const Node& other)
    : number(other.number),
      parent(other.parent),
      type(other.type),
      role(other.role),
      kind(other.kind),
      flags(other.flags),
      shape(other.shape),
      offset(other.offset),
      created_at_ns(other.created_at_ns),
      creation_index(other.creation_index),
      cycle(other.cycle),
      priority(other.priority),
      expiry(other.expiry),
      body(other.body) {
  Retain(body);
}

Container::Container(const Container& other)
    : Node(other), children(other.children), digest(other.digest) {
  Retain(children);
}

void Node::Destroy(Node* node) {
  Release(node->body);
  if (Container* container = node->AsContainer()) {
    Release(container->children);
    delete container;
  } else {
    delete node;
  }
}

Ref<Node> MakeNode(NodeClass node_class) {
  Node* node = node_class == NodeClass::kBlock ? new Node() : new Container();
  node->set_class(node_class);
  if (node_class != NodeClass::kBlock) node->Set(Node::kStale, true);
  return Ref<Node>::Adopt(node);
}

Ref<Node> CopyNode(const Node& node) {
  if (const Container* container = node.AsContainer())
    return Ref<Node>::Adopt(new Container(*container));
  return Ref<Node>::Adopt(new Node(node));
}

}  // namespace pactdb

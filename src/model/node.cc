#include "model/node.h"

#include <new>

#include "base/slab.h"
#include "model/child_list.h"

namespace pactdb {

Node::Node(const Node& other)
    : number(other.number),
      parent(other.parent),
      flags(other.flags),
      created_at_ns(other.created_at_ns),
      role(other.role),
      kind(other.kind),
      type(other.type),
      shape(other.shape),
      offset(other.offset),
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

void Node::SetBody(Ref<Body> value) {
  Release(body);
  body = value.Detach();
  Set(kKeyed, HasKey());
  Set(kAttributed, body != nullptr && body->attribute_count() > 0);
}

void Node::Destroy(Node* node) {
  Release(node->body);
  if (Container* container = node->AsContainer()) {
    Release(container->children);
    container->~Container();
    SharedSlabs().Free(container, sizeof(Container));
  } else {
    node->~Node();
    SharedSlabs().Free(node, sizeof(Node));
  }
}

Ref<Node> MakeNode(NodeClass node_class) {
  Node* node = node_class == NodeClass::kBlock ? new (SharedSlabs().Allocate(sizeof(Node))) Node()
                                               : new (SharedSlabs().Allocate(sizeof(Container)))
                                                     Container();
  node->set_class(node_class);
  if (node_class != NodeClass::kBlock) node->Set(Node::kStale, true);
  return Ref<Node>::Adopt(node);
}

Ref<Node> CopyNode(const Node& node) {
  if (const Container* container = node.AsContainer()) {
    return Ref<Node>::Adopt(new (SharedSlabs().Allocate(sizeof(Container))) Container(*container));
  }
  return Ref<Node>::Adopt(new (SharedSlabs().Allocate(sizeof(Node))) Node(node));
}

}  // namespace pactdb

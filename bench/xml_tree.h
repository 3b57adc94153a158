// The reference for filters over the whole tree: the same tree without its texts as XML in memory,
// and pugixml's XPath, compiled.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "workload.h"

namespace pactdb::bench {

class XmlTree {
 public:
  // Holds the workload's turns: an element a node, named by its type, its headers as attributes.
  explicit XmlTree(const Workload& workload);
  ~XmlTree();

  // Runs //block[@role='user'] and returns how many elements it gives, in document order.
  std::size_t SelectUserBlocks() const;

  // How many elements an XPath expression gives; it is compiled at its first use.
  std::size_t Count(const std::string& xpath);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pactdb::bench

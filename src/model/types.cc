#include "model/types.h"

#include <array>

#include "base/check.h"

namespace pactdb {
namespace {

struct TypeAlias {
  std::string_view name;
  NodeClass node_class;
};

constexpr std::array<TypeAlias, 7> kTypeAliases = {{{"seg", NodeClass::kTurn},
                                                    {"mt", NodeClass::kTurn},
                                                    {"turn", NodeClass::kTurn},
                                                    {"cont", NodeClass::kCont},
                                                    {"mc", NodeClass::kCont},
                                                    {"block", NodeClass::kBlock},
                                                    {"cb", NodeClass::kBlock}}};

}  // namespace

std::string_view Name(Dialect dialect) {
  switch (dialect) {
    case Dialect::kClassic:
      return "classic";
    case Dialect::kDepth:
      return "depth";
    case Dialect::kCanonical:
      return "canonical";
  }
  return "";
}

std::optional<Dialect> ParseDialect(std::string_view name) {
  for (const Dialect dialect : {Dialect::kClassic, Dialect::kDepth, Dialect::kCanonical}) {
    if (Name(dialect) == name) return dialect;
  }
  return std::nullopt;
}

std::string_view TypeName(NodeClass node_class, Dialect dialect) {
  const bool canonical = dialect == Dialect::kCanonical;
  switch (node_class) {
    case NodeClass::kTurn:
      return canonical ? "seg" : "mt";
    case NodeClass::kCont:
      return canonical ? "cont" : "mc";
    case NodeClass::kBlock:
      return canonical ? "block" : "cb";
    case NodeClass::kRoot:
      return "^root";
    case NodeClass::kSys:
      return "^sys";
    case NodeClass::kSeq:
      return "^seq";
    case NodeClass::kAh:
      return "^ah";
  }
  PACTDB_CHECK(false);
}

std::optional<NodeClass> FindTypeAlias(std::string_view name) {
  for (const TypeAlias& alias : kTypeAliases) {
    if (alias.name == name) return alias.node_class;
  }
  return std::nullopt;
}

std::optional<NodeClass> ParseRegionName(std::string_view text) {
  if (text == "^root") return NodeClass::kRoot;
  if (text == "^sys") return NodeClass::kSys;
  if (text == "^seq") return NodeClass::kSeq;
  if (text == "^ah") return NodeClass::kAh;
  return std::nullopt;
}

}  // namespace pactdb

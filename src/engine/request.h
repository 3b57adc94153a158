// A request's arguments, checked against what its operation takes.
//
// Unknown, missing and mistyped arguments are kRequestInvalid with the argument's name in the
// details. A null optional argument is an absent one.
//
// Thread safety: views into the request's document.
#pragma once

#include <pactdb/context.h>
#include <pactdb/error.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "text/json_doc.h"

namespace pactdb {

enum class ArgumentType : std::uint8_t {
  kText,
  kInteger,
  kCount,
  kBool,
  kObject,
  kArray,
  kAny,
  kSnapshot,
  kState,  // a snapshot, also of another context: NAME@c12, NAME@tag
  kNode    // an object, or a node literal
};

struct Argument {
  std::string_view name;
  ArgumentType type;
  bool is_required = false;
};

Error InvalidArgument(std::string_view name, std::string message);

// @t0, @t-3, @t+1, @c7; anything without @ may be a tag.
bool IsSnapshotName(std::string_view name);

class ContextImpl;
class Database;

// A context by its name. Errors: kContextNotFound, and those of a store.
using ContextFinder = std::function<Result<const ContextImpl*>(std::string_view name)>;

class Request {
 public:
  // `op`, `tag` and `context` are always allowed.
  static Result<Request> Check(const JsonRef& json, std::span<const Argument> arguments);

  // True if the argument is there, even as null.
  bool IsGiven(std::string_view name) const { return json_.Find(name).has_value(); }
  // The argument if it is there and not null.
  std::optional<JsonRef> Find(std::string_view name) const;
  std::optional<std::string> Text(std::string_view name) const;
  std::optional<std::int64_t> Integer(std::string_view name) const;
  bool Bool(std::string_view name, bool otherwise) const;
  // The members of an object, or of a node literal. REQUIRES: a required argument of kObject or
  // kNode. Errors: of a literal, kSelectorInvalid and kLimitExceeded.
  Result<NodeSpec> Node(std::string_view name) const;
  std::string Required(std::string_view name) const { return *Text(name); }
  bool Has(std::string_view name) const { return Find(name).has_value(); }

  // The other contexts, for operations that name one, and the name of the addressed one.
  void set_finder(const ContextFinder& finder) { finder_ = &finder; }
  void set_database(Database& database, std::string_view context) {
    database_ = &database;
    context_ = context;
  }
  // REQUIRES: set_database.
  Database& database() const { return *database_; }
  std::string_view context() const { return context_; }
  // REQUIRES: set_finder.
  Result<const ContextImpl*> FindContext(std::string_view name) const { return (*finder_)(name); }

 private:
  explicit Request(const JsonRef& json) : json_(json) {}
  JsonRef json_;
  const ContextFinder* finder_ = nullptr;
  Database* database_ = nullptr;
  std::string_view context_;
};

}  // namespace pactdb

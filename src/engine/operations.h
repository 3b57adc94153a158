// The operations by name: what each takes and what it does.
//
// One table. A surface that lists operations, checks arguments or generates documentation reads it.
//
// Thread safety: the table is constant; running an operation is the writer's.
#pragma once

#include <pactdb/error.h>

#include <span>
#include <string>
#include <string_view>

#include "engine/context_impl.h"
#include "engine/request.h"

namespace pactdb {

struct Operation {
  std::string_view name;
  std::span<const Argument> arguments;
  // True for operations that make a context that is not there.
  bool makes_context;
  // What the table of arguments cannot say, checked before the context is looked up; may be null.
  Status (*check)(const Request& request);
  // The result as JSON text.
  Result<std::string> (*run)(ContextImpl& context, const Request& request);
};

std::span<const Operation> Operations();

// Null if there is none of that name.
const Operation* FindOperation(std::string_view name);

}  // namespace pactdb

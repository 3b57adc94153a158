#include "providers/entry.h"

namespace pactdb::providers {

Error Faults::At(std::size_t index, std::string_view field, std::string_view what,
                 const JsonRef& where) {
  std::string message = "message ";
  message += std::to_string(index);
  message += ": ";
  message += field;
  message += field.empty() ? "" : " ";
  message += what;
  return Error(ErrorCode::kImportInvalid, std::move(message))
      .With("index", static_cast<std::int64_t>(index))
      .With("field", field)
      .With("pos", static_cast<std::int64_t>(where.pos()));
}

Status Faults::Forgive(Error error) {
  if (!lenient_) return std::unexpected(std::move(error));
  warnings_.push_back(error.message());
  return {};
}

}  // namespace pactdb::providers

#include <pactdb/selector.h>

#include "base/try.h"
#include "select/explain.h"
#include "select/normalize.h"
#include "select/parser.h"
#include "select/select.h"

namespace pactdb {

Result<Selector> Selector::Parse(std::string_view text, Dialect dialect) {
  PACTDB_TRY(select::Ast ast, select::Parser(text, dialect).ParseSelector());
  auto plan = select::MakePlan(ast);
  return Selector(
      std::make_shared<const Impl>(Impl{std::string(text), std::move(ast), std::move(plan)}));
}

Dialect Selector::dialect() const {
  return impl_->ast.dialect;
}

const std::string& Selector::text() const {
  return impl_->text;
}

std::string Selector::canonical() const {
  return select::Print(select::Normalize(impl_->ast));
}

std::string Selector::Explain() const {
  return select::ExplainJson(*this, nullptr);
}

bool Selector::operator==(const Selector& other) const {
  return dialect() == other.dialect() && canonical() == other.canonical();
}

}  // namespace pactdb

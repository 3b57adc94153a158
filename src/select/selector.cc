#include <pactdb/selector.h>

#include "base/try.h"
#include "select/explain.h"
#include "select/normalize.h"
#include "select/parser.h"
#include "select/select.h"

namespace pactdb {
namespace {

// The filter, if it is all that the selector says.
const select::Filter* LoneFilter(const select::Ast& ast) {
  if (ast.groups.size() != 1 || ast.groups[0].steps.size() != 1 ||
      ast.controls != select::Controls())
    return nullptr;
  const select::Step& step = ast.groups[0].steps[0];
  if (step.parts.size() != 1 || step.relation != select::Relation::kAnywhere) return nullptr;
  return std::get_if<select::Filter>(&step.parts[0]);
}

}  // namespace

Selector::Impl::Impl(std::string of, select::Ast parsed)
    : text(std::move(of)), ast(std::move(parsed)), plan(select::MakePlan(ast)) {
  const select::Filter* filter = LoneFilter(ast);
  if (filter == nullptr) return;
  if (filter->IsEqualityWithText(select::Attr::kId)) {
    names = Names::kId;
  } else if (ast.dialect == Dialect::kCanonical && filter->IsEqualityWithText(select::Attr::kKey)) {
    names = Names::kKey;
  }
  if (names != Names::kMore) name.emplace(filter->value.text);
}

Result<Selector> Selector::Parse(std::string_view text, Dialect dialect) {
  PACTDB_TRY(select::Ast ast, select::Parser(text, dialect).ParseSelector());
  return Selector(std::make_shared<const Impl>(std::string(text), std::move(ast)));
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
  return select::ExplainJson(*this);
}

bool Selector::operator==(const Selector& other) const {
  return dialect() == other.dialect() && canonical() == other.canonical();
}

}  // namespace pactdb

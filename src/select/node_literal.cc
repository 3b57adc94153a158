// Node literals: `block:text { key='hero' } [ ttl=3 ] +tag`.
//
// The same lexical pieces as a selector, read as assignments: bare true, false, null and numbers
// are JSON values, words and quoted texts are strings, `tag` and `+tag` collect into `tags`.
#include <algorithm>

#include "base/limits.h"
#include "base/try.h"
#include "select/parser.h"

namespace pactdb::select {

Result<Parser::NodeText> Parser::ParseNode() {
  PACTDB_TRY_STATUS(CheckText());
  lexer_.SkipBlanks();
  NodeText node;
  const std::size_t start = lexer_.pos();
  node.type = lexer_.TakeName(true);
  if (node.type.empty()) return Fault("expected a node type, such as block:text");
  lexer_.Note(TokenKind::kType, start);
  std::vector<Json> tags;
  while (true) {
    lexer_.SkipBlanks();
    if (lexer_.at_end()) break;
    const char c = lexer_.Peek();
    if (c == '{' || c == '[') {
      PACTDB_TRY_STATUS(ParseFields(node, tags, c == '{' ? '}' : ']'));
      continue;
    }
    Step step;
    if (c != '+') return Fault("expected '{', '[' or '+tag' after the node type");
    PACTDB_TRY_STATUS(ParseTag(step));
    PACTDB_TRY(Json tag, Json::String(std::get<Filter>(step.parts[0]).value.text));
    tags.push_back(std::move(tag));
  }
  if (tags.empty()) return node;
  const bool has_tags =
      std::ranges::any_of(node.fields, [](const auto& field) { return field.first == "tags"; });
  if (has_tags)
    return FaultAt(start, "the node has 'tags' and tags of their own: give one or the other");
  node.fields.emplace_back("tags", Json::Array(tags));
  return node;
}

Status Parser::ParseFields(NodeText& node, std::vector<Json>& tags, char close) {
  lexer_.Accept(lexer_.Peek());
  while (true) {
    lexer_.SkipBlanks();
    const std::size_t at = lexer_.pos();
    const std::string_view name = lexer_.TakeName(true);
    if (name.empty()) return Fault("expected an attribute name");
    lexer_.SkipBlanks();
    if (!lexer_.Accept('=', TokenKind::kOperator))
      return Fault("expected '=': a node literal gives values");
    lexer_.SkipBlanks();
    PACTDB_TRY(Json value, ParseFieldValue());
    PACTDB_TRY_STATUS(AddField(node, tags, name, std::move(value), at));
    lexer_.SkipBlanks();
    if (lexer_.Accept(close)) return {};
    if (!lexer_.Accept(',')) return Fault("expected ',' or the closing bracket");
  }
}

Status Parser::AddField(NodeText& node, std::vector<Json>& tags, std::string_view name, Json value,
                        std::size_t at) {
  if (++filters_ > limits::kSelectorFiltersMax)
    return FaultAt(at, "too many fields in a node literal");
  if (name == "tag") {
    tags.push_back(std::move(value));
    return {};
  }
  const bool is_repeated =
      std::ranges::any_of(node.fields, [name](const auto& field) { return field.first == name; });
  if (is_repeated || name == "type" || name == "nodeType")
    return FaultAt(at, "'" + std::string(name) + "' is given twice");
  node.fields.emplace_back(name, std::move(value));
  return {};
}

Result<Json> Parser::ParseFieldValue() {
  if (!lexer_.Accept('[')) return ParseFieldScalar();
  std::vector<Json> items;
  lexer_.SkipBlanks();
  if (lexer_.Accept(']')) return Json::Array(items);
  while (true) {
    lexer_.SkipBlanks();
    PACTDB_TRY(Json item, ParseFieldScalar());
    items.push_back(std::move(item));
    lexer_.SkipBlanks();
    if (lexer_.Accept(']')) return Json::Array(items);
    if (!lexer_.Accept(',')) return Fault("expected ',' or ']' in the list");
  }
}

Result<Json> Parser::ParseFieldScalar() {
  const std::size_t start = lexer_.pos();
  const bool is_quoted = lexer_.Peek() == '\'' || lexer_.Peek() == '"';
  PACTDB_TRY(Value value, ParseValue());
  if (value.kind == Value::Kind::kNull) return Json::Null();
  if (value.kind == Value::Kind::kNumber) {
    // JSON takes no plus sign and no leading zeros.
    const std::string_view text = value.text;
    auto number = Json::Parse(text.substr(text.starts_with('+') ? 1 : 0));
    if (!number) return FaultAt(start, "this is no JSON number");
    return number;
  }
  if (!is_quoted && (value.text == "true" || value.text == "false"))
    return Json::Bool(value.text == "true");
  return Json::String(value.text);
}

}  // namespace pactdb::select

#include "cli/fault.h"

#include <algorithm>

#include "cli/json_text.h"
#include "text/canonical.h"
#include "text/json_out.h"

namespace pactdb::cli {
namespace {

std::string JsonString(std::string_view text) {
  JsonOut out;
  out.String(ReplaceInvalidUtf8(text));
  return out.Take();
}

}  // namespace

Fault::Fault(std::string message)
    : code_(WireName(ErrorCode::kRequestInvalid)),
      message_(std::move(message)),
      shows_code_(false) {}

Fault::Fault(const char* message) : Fault(std::string(message)) {}

Fault::Fault(const Error& error) : code_(WireName(error.code())), message_(error.message()) {
  for (const Error::Detail& detail : error.details())
    Add(detail.name, detail.is_number ? std::to_string(detail.number) : JsonString(detail.text));
}

Fault::Fault(const JsonRef& error)
    : code_(error.Find("code")->string()), message_(error.Find("message")->string()) {
  const JsonRef details = *error.Find("details");
  for (auto it = details.begin(); it != details.end(); ++it)
    Add((*it).key, JsonInOrder((*it).value));
}

void Fault::Add(std::string_view name, std::string json) {
  details_.push_back({.name = std::string(name), .json = std::move(json)});
}

Fault Fault::In(std::string_view file, std::size_t line) && {
  const auto has = [this](std::string_view name) {
    return std::ranges::any_of(details_, [name](const Detail& one) { return one.name == name; });
  };
  where_ = file;
  if (!has("path")) Add("path", JsonString(file));
  if (line > 0) {
    where_ += ":" + std::to_string(line);
    if (!has("line")) Add("line", std::to_string(line));
  }
  return std::move(*this);
}

Fault Fault::Hint(std::string_view text) && {
  hint_ += text;
  return std::move(*this);
}

Fault Fault::With(std::string_view name, std::int64_t number) && {
  Fault fault = std::move(*this).Without(name);
  fault.Add(name, std::to_string(number));
  return fault;
}

Fault Fault::Without(std::string_view name) && {
  std::erase_if(details_, [name](const Detail& one) { return one.name == name; });
  return std::move(*this);
}

std::string Fault::Text() const {
  std::string text = where_.empty() ? "" : where_ + ": ";
  if (shows_code_) text += code_ + ": ";
  return text + message_ + hint_;
}

std::string Fault::Json() const {
  JsonOut out;
  out.BeginObject().Key("error").BeginObject();
  out.Key("code").String(code_);
  out.Key("message").String(ReplaceInvalidUtf8(message_));
  out.Key("details").BeginObject();
  for (const Detail& detail : details_) out.AnyKey(detail.name).Raw(detail.json);
  out.EndObject().EndObject().EndObject();
  return out.Take();
}

}  // namespace pactdb::cli

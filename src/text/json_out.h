// Writes JSON answers piece by piece; commas and quotes take care of themselves.
//
//   JsonOut out;
//   out.BeginObject();
//   out.Key("cycle").Integer(3);
//   out.EndObject();
//
// Members come out in the order they are written. Thread safety: one thread at a time.
#pragma once

#include <pactdb/stream.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text/canonical.h"

namespace pactdb {

class JsonOut {
 public:
  JsonOut& BeginObject() { return Open('{'); }
  JsonOut& EndObject() { return Close('}'); }
  JsonOut& BeginArray() { return Open('['); }
  JsonOut& EndArray() { return Close(']'); }

  // `key` is written as it is: escape-free ASCII, as all names of the contract are.
  JsonOut& Key(std::string_view key) {
    Separate();
    text_ += '"';
    text_ += key;
    text_ += "\":";
    first_ = true;
    return *this;
  }
  // A key that came from outside.
  JsonOut& AnyKey(std::string_view key) {
    Separate();
    AppendJsonString(key, text_);
    text_ += ':';
    first_ = true;
    return *this;
  }

  JsonOut& String(std::string_view utf8) {
    Separate();
    AppendJsonString(utf8, text_);
    return *this;
  }
  JsonOut& Integer(std::int64_t value) {
    Separate();
    AppendJsonInteger(value, text_);
    return *this;
  }
  JsonOut& Bool(bool value) { return Raw(value ? "true" : "false"); }
  JsonOut& Null() { return Raw("null"); }
  JsonOut& OptionalInteger(std::optional<std::int64_t> value) {
    return value ? Integer(*value) : Null();
  }
  // Bytes that are JSON already.
  JsonOut& Raw(std::string_view json) {
    Separate();
    text_ += json;
    return *this;
  }

  // Hands what was written so far to the sink and goes on empty in the same place; for documents
  // that are not to be held whole. What the sink returned.
  bool Drain(ByteSink& sink) {
    const bool result = sink.Write(text_);
    text_.clear();
    return result;
  }

  const std::string& text() const { return text_; }
  std::string Take() { return std::move(text_); }

 private:
  JsonOut& Open(char bracket) {
    Separate();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  JsonOut& Close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  void Separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }

  std::string text_;
  bool first_ = true;
};

}  // namespace pactdb

#include "text/error_json.h"

#include "text/canonical.h"

namespace pactdb {

void WriteError(const Error& error, JsonOut& out) {
  out.BeginObject();
  out.Key("code").String(WireName(error.code()));
  out.Key("message").String(ReplaceInvalidUtf8(error.message()));
  out.Key("details");
  WriteDetails(error, out);
  out.EndObject();
}

void WriteDetails(const Error& error, JsonOut& out) {
  out.BeginObject();
  for (const Error::Detail& detail : error.details()) {
    out.AnyKey(detail.name);
    if (detail.is_number) {
      out.Integer(detail.number);
    } else {
      out.String(ReplaceInvalidUtf8(detail.text));
    }
  }
  out.EndObject();
}

}  // namespace pactdb

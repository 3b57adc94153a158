#include "text/error_json.h"

namespace pactdb {

void WriteError(const Error& error, JsonOut& out) {
  out.BeginObject();
  out.Key("code").String(WireName(error.code()));
  out.Key("message").String(error.message());
  out.Key("details").BeginObject();
  for (const Error::Detail& detail : error.details()) {
    out.AnyKey(detail.name);
    if (detail.is_number) {
      out.Integer(detail.number);
    } else {
      out.String(detail.text);
    }
  }
  out.EndObject().EndObject();
}

}  // namespace pactdb

// The parsers of selectors, places and node literals alone: what they take prints in a form that
// they take again and print alike. There is no tree to run on, so it goes through more inputs than
// selector_fuzzer.cc. The first byte chooses the dialect and what the text is, as there.
#include <pactdb/selector.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "reached.h"
#include "round_trip.h"
#include "select/select.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto dialect = static_cast<pactdb::Dialect>(data[0] % 3);
  switch (data[0] / 3 % 20) {
    case 0:
      static_cast<void>(pactdb::select::ParsePlace(text, dialect));
      break;
    case 1:
      static_cast<void>(pactdb::select::ParseNodeLiteral(text));
      break;
    default:
      if (const auto selector = pactdb::Selector::Parse(text, dialect)) {
        pactdb::fuzz::CountReached();
        static_cast<void>(pactdb::ParseCanonical(*selector));
      }
  }
  return 0;
}

#include "model/made_id.h"

#include <gtest/gtest.h>

#include <string>

namespace pactdb {
namespace {

std::string Rewritten(std::string_view text) {
  const auto id = MadeId::Parse(text);
  return id ? std::string(IdText(MadeId::Unpack(id->Pack()))) : "not made";
}

TEST(MadeId, SaysAsMuchAsItsText) {
  for (const char* text : {"block:12.3", "cont:12.0", "seg:7", "cb:1.1", "mc:1.0", "mt:0",
                           "block:68719476735.16777214", "seg:68719476735", "block:0.0"}) {
    EXPECT_EQ(Rewritten(text), text);
  }
}

TEST(MadeId, IsWrittenOneWayOnly) {
  for (const char* text :
       {"", "block", "block:", "block:1.", "block:.1", "block:01.1", "block:1.01", "block:1.1~1",
        "block:1.1 ", " block:1.1", "Block:1.1", "turn:1", "block:-1.1", "block:+1.1",
        "block:1.1.1", "block:68719476736.1", "block:1.16777215", "block:99999999999999999999.1",
        "seg:00"}) {
    EXPECT_EQ(Rewritten(text), "not made") << text;
  }
}

TEST(MadeId, PacksDifferentIdsDifferently) {
  const auto pack = [](const char* text) { return MadeId::Parse(text)->Pack(); };
  EXPECT_NE(pack("seg:1"), pack("seg:1.0"));
  EXPECT_NE(pack("block:1.0"), pack("cont:1.0"));
  EXPECT_NE(pack("block:1.2"), pack("block:2.1"));
}

}  // namespace
}  // namespace pactdb

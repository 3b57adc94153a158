#include "text/error_json.h"

#include <gtest/gtest.h>

namespace pactdb {
namespace {

std::string Written(const Error& error) {
  JsonOut out;
  WriteError(error, out);
  return out.Take();
}

TEST(WriteError, GivesCodeMessageAndDetails) {
  EXPECT_EQ(Written(Error(ErrorCode::kConflict, "no")),
            R"({"code":"E_CONFLICT","message":"no","details":{}})");
  EXPECT_EQ(Written(Error(ErrorCode::kStoreIo, "a \"b\"")
                        .With("path", "/tmp/x")
                        .With("errno", 5)
                        .With("an odd \"name\"", "1")),
            R"json({"code":"E_STORE_IO","message":"a \"b\"","details":)json"
            R"json({"path":"/tmp/x","errno":5,"an odd \"name\"":"1"}})json");
}

// Paths are bytes, and JSON is text.
TEST(WriteError, MarksWhatIsNoText) {
  EXPECT_EQ(Written(Error(ErrorCode::kStoreIo, "in \xe9").With("path", "/caf\xe9")),
            R"({"code":"E_STORE_IO","message":"in \ufffd","details":{"path":"/caf\ufffd"}})");
}

TEST(WriteDetails, IsTheDetailsAlone) {
  JsonOut out;
  WriteDetails(Error(ErrorCode::kConflict, "no").With("head", 3), out);
  EXPECT_EQ(out.Take(), R"({"head":3})");
}

}  // namespace
}  // namespace pactdb

#include <pactdb/error.h>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/try.h"

namespace pactdb {
namespace {

const std::vector<ErrorCode>& AllCodes() {
  static const std::vector<ErrorCode> codes = {
#define PACTDB_ERROR_CODE(name, wire, meaning) ErrorCode::name,
#include <pactdb/error_codes.def>
#undef PACTDB_ERROR_CODE
  };
  return codes;
}

TEST(ErrorCode, HasOneWireNameEach) {
  std::set<std::string_view> names;
  for (const ErrorCode code : AllCodes()) {
    EXPECT_FALSE(WireName(code).empty());
    names.insert(WireName(code));
  }
  EXPECT_EQ(names.size(), AllCodes().size());
}

// Names are a contract with every caller in every language.
TEST(ErrorCode, KeepsItsWireName) {
  EXPECT_EQ(WireName(ErrorCode::kRequestInvalid), "E_REQUEST_INVALID");
  EXPECT_EQ(WireName(ErrorCode::kLimitExceeded), "E_LIMIT_EXCEEDED");
  EXPECT_EQ(WireName(ErrorCode::kConflict), "E_CONFLICT");
  EXPECT_EQ(WireName(ErrorCode::kSealed), "E_SEALED");
  EXPECT_EQ(WireName(ErrorCode::kCoreExists), "E_CORE_EXISTS");
  EXPECT_EQ(WireName(ErrorCode::kSnapshotNotFound), "E_SNAPSHOT_NOT_FOUND");
  EXPECT_EQ(WireName(ErrorCode::kOverlapWouldViolateOdi), "OverlapWouldViolateODI");
}

TEST(ErrorCode, SaysItsMeaningInOneLine) {
  for (const ErrorCode code : AllCodes()) {
    const std::string_view meaning = Meaning(code);
    EXPECT_GT(meaning.size(), 10u) << WireName(code);
    EXPECT_EQ(meaning.find('\n'), std::string_view::npos) << WireName(code);
    EXPECT_FALSE(meaning.ends_with('.')) << WireName(code);
  }
}

TEST(Error, CarriesDetailsInTheOrderGiven) {
  const Error error =
      Error(ErrorCode::kConflict, "the head moved").With("open", std::int64_t{4}).With("who", "b");
  EXPECT_EQ(error.code(), ErrorCode::kConflict);
  EXPECT_EQ(error.message(), "the head moved");
  ASSERT_EQ(error.details().size(), 2u);
  EXPECT_EQ(error.details()[0],
            (Error::Detail{.name = "open", .text = "", .number = 4, .is_number = true}));
  EXPECT_EQ(error.details()[1],
            (Error::Detail{.name = "who", .text = "b", .number = 0, .is_number = false}));
}

TEST(Error, IsAValue) {
  const Error error = Error(ErrorCode::kSealed, "frozen").With("id", "x");
  const Error copy = error;
  EXPECT_EQ(copy, error);
  EXPECT_NE(error, Error(ErrorCode::kSealed, "frozen"));
  EXPECT_NE(error, Error(ErrorCode::kSealed, "frozen").With("id", "y"));
  EXPECT_NE(error, Error(ErrorCode::kSealed, "melted").With("id", "x"));
  EXPECT_NE(Error(ErrorCode::kSealed, ""), Error(ErrorCode::kConflict, ""));
}

Result<int> Half(int number) {
  if (number % 2 == 0) return number / 2;
  return std::unexpected(Error(ErrorCode::kRequestInvalid, std::to_string(number) + " is odd"));
}

Status CheckEven(int number) {
  PACTDB_TRY([[maybe_unused]] const int half, Half(number));
  return {};
}

Result<int> Quarter(int number) {
  PACTDB_TRY_STATUS(CheckEven(number));
  PACTDB_TRY(const int half, Half(number));
  PACTDB_TRY(const int quarter, Half(half));
  return quarter;
}

TEST(Try, TakesTheValueOrPassesTheErrorUpUnchanged) {
  EXPECT_EQ(Quarter(12), 3);
  EXPECT_EQ(Quarter(7).error(), Error(ErrorCode::kRequestInvalid, "7 is odd"));
  EXPECT_EQ(Quarter(6).error(), Error(ErrorCode::kRequestInvalid, "3 is odd"));
}

}  // namespace
}  // namespace pactdb

// The protocol from C++; what the operations do is in the conformance cases.
#include <pactdb/exec.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/contexts.h"
#include "support/folder.h"

namespace pactdb {
namespace {

TEST(Exec, DoesWhatItsHeaderShows) {
  Exec exec;
  EXPECT_EQ(exec.Answer(R"({"op":"add","node":{"role":"user","content":"Hello"}})"),
            R"({"ok":true,"result":{"id":"block:1.1","cycle":1}})");
}

TEST(Exec, P3_AnswersLinesThatAreNoStrictJson) {
  Exec exec;
  const std::vector<std::string_view> lines = {"",
                                               " ",
                                               "{",
                                               "nul",
                                               "{}x",
                                               "{\"op\":\"stats\",\"op\":\"stats\"}",
                                               "{\"op\":\"\xFF\"}",
                                               "{\"op\":\"\\ud800\"}",
                                               "{\"op\":\"stats\",\"tag\":NaN}",
                                               "{\"op\":\"stats\",\"tag\":1e999}",
                                               std::string_view("{\"op\":\"stats\"}\0", 15)};
  for (const std::string_view line : lines) {
    const std::string answer = exec.Answer(line);
    EXPECT_TRUE(
        answer.starts_with(R"({"ok":false,"error":{"code":"E_REQUEST_INVALID","message":")"))
        << line << " " << answer;
    EXPECT_EQ(answer.find("\"tag\""), std::string::npos) << line;
  }
}

TEST(Exec, P4_EchoesTheTagOfEveryRequest) {
  Exec exec;
  EXPECT_TRUE(exec.Answer(R"({"op":"nothing","tag":{"b":1,"a":[null]}})")
                  .ends_with(R"(,"tag":{"a":[null],"b":1}})"));
  EXPECT_TRUE(exec.Answer(R"({"op":"verify","tag":null})").ends_with(R"(,"tag":null})"));
  EXPECT_TRUE(exec.Answer(R"({"tag":7})").ends_with(R"(,"tag":7})"));
}

TEST(Exec, KeepsContextsApart) {
  Exec exec;
  exec.Answer(R"({"op":"add","context":"a","node":{"id":"x"}})");
  EXPECT_TRUE(exec.Answer(R"({"op":"get","context":"a","id":"x"})").starts_with(R"({"ok":true)"));
  EXPECT_TRUE(exec.Answer(R"({"op":"get","id":"x"})").find("E_NODE_NOT_FOUND") !=
              std::string::npos);
  EXPECT_TRUE(exec.Answer(R"({"op":"get","context":"b","id":"x"})").find("E_CONTEXT_NOT_FOUND") !=
              std::string::npos);
}

TEST(Exec, AContextWhoseFirstOperationFailsWasNeverMade) {
  Exec exec;
  EXPECT_NE(exec.Answer(R"({"op":"add","context":"a","node":{"ttl":-1}})").find("E_TTL_INVALID"),
            std::string::npos);
  EXPECT_NE(exec.Answer(R"({"op":"stats","context":"a"})").find("E_CONTEXT_NOT_FOUND"),
            std::string::npos);
}

TEST(Exec, StatsOfAFileAreThoseOfTheDatabase) {
  const support::Folder folder;
  Exec exec(support::Must(Database::Open(folder.path("a"), Access::kCreate)));
  exec.Answer(R"({"op":"add","node":{"role":"user","content":")" + std::string(5'000, 'x') +
              R"("}})");
  exec.Answer(R"({"op":"commit"})");
  const FileStats file = support::Must(exec.database().Stats());
  EXPECT_EQ(file.commits, 1);
  EXPECT_EQ(file.content_bytes, 5'002);
  EXPECT_LT(file.content_stored_bytes, file.content_bytes);
  const std::string answer = exec.Answer(R"({"op":"stats"})");
  const std::string wanted = fmt::format(
      R"("file":{{"path":"{}","bytes":{},"free_bytes":{},"contexts":{},"commits":{},"contents":{},)"
      R"("content_bytes":{},"content_stored_bytes":{}}})",
      file.path, file.bytes, file.free_bytes, file.contexts, file.commits, file.contents,
      file.content_bytes, file.content_stored_bytes);
  EXPECT_TRUE(answer.contains(wanted)) << answer << wanted;
}

TEST(Exec, AnswersInOneLine) {
  Exec exec;
  exec.Answer("{\"op\":\"add\",\"node\":{\"content\":\"a\\nb\\u2028\"}}");
  for (const std::string_view op : {"tree", "render", "serialize", "stats", "log"}) {
    const std::string answer = exec.Answer("{\"op\":\"" + std::string(op) + "\"}");
    EXPECT_EQ(answer.find('\n'), std::string::npos) << op;
    EXPECT_TRUE(answer.starts_with(R"({"ok":true)")) << op;
  }
}

}  // namespace
}  // namespace pactdb

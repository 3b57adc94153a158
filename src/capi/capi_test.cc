#include <gtest/gtest.h>
#include <pactdb/pactdb.h>

#include <cstring>
#include <string>

#include "support/folder.h"

namespace {

std::string Take(pactdb_bytes& bytes) {
  std::string text(bytes.data == nullptr ? "" : bytes.data, bytes.size);
  pactdb_free(&bytes);
  return text;
}

std::string Call(pactdb_t* db, const std::string& request) {
  pactdb_bytes answer;
  EXPECT_EQ(pactdb_call(db, request.data(), request.size(), &answer), PACTDB_OK);
  return Take(answer);
}

TEST(CApi, KeepsWhatItCommits) {
  const pactdb::support::Folder folder;
  const std::string path = folder.path("c.pactdb");
  pactdb_t* db = nullptr;
  ASSERT_EQ(pactdb_open(path.c_str(), PACTDB_CREATE, &db, nullptr), PACTDB_OK);
  pactdb_bytes id;
  ASSERT_EQ(pactdb_add_text(db, nullptr, "user", "Hello", 5, &id, nullptr), PACTDB_OK);
  EXPECT_EQ(Take(id), "block:1.1");
  int64_t cycle = 0;
  ASSERT_EQ(pactdb_commit(db, "main", &cycle, nullptr), PACTDB_OK);
  EXPECT_EQ(cycle, 1);
  pactdb_close(db);

  ASSERT_EQ(pactdb_open(path.c_str(), PACTDB_READ, &db, nullptr), PACTDB_OK);
  pactdb_bytes ids;
  ASSERT_EQ(pactdb_select(db, nullptr, ".block", &ids, nullptr), PACTDB_OK);
  EXPECT_EQ(Take(ids), "block:1.1\n");
  pactdb_bytes thread;
  ASSERT_EQ(pactdb_render(db, nullptr, "@c1", &thread, nullptr), PACTDB_OK);
  EXPECT_NE(Take(thread).find("Hello"), std::string::npos);
  EXPECT_NE(Call(db, R"({"op":"commit"})").find("E_STORE_READONLY"), std::string::npos);
  pactdb_close(db);
}

TEST(CApi, SpeaksTheOperationsOfExec) {
  pactdb_t* db = nullptr;
  ASSERT_EQ(pactdb_open(nullptr, PACTDB_READ, &db, nullptr), PACTDB_OK);
  EXPECT_EQ(Call(db, R"({"op":"add","node":{"content":"x"}})"),
            R"({"ok":true,"result":{"id":"block:1.1","cycle":1}})");
  EXPECT_NE(Call(db, "nonsense").find("E_REQUEST_INVALID"), std::string::npos);
  pactdb_close(db);
}

TEST(CApi, AddsTextWithoutARole) {
  pactdb_t* db = nullptr;
  ASSERT_EQ(pactdb_open(nullptr, PACTDB_READ, &db, nullptr), PACTDB_OK);
  ASSERT_EQ(pactdb_add_text(db, nullptr, nullptr, "note", 4, nullptr, nullptr), PACTDB_OK);
  EXPECT_EQ(Call(db, R"({"op":"select","selector":".block[role]"})"), R"({"ok":true,"result":[]})");
  EXPECT_EQ(Call(db, R"({"op":"select","selector":".block"})"),
            R"({"ok":true,"result":["block:1.1"]})");
  pactdb_close(db);
}

TEST(CApi, MakesTheContextThatItAddsTo) {
  const pactdb::support::Folder folder;
  pactdb_t* db = nullptr;
  ASSERT_EQ(pactdb_open(folder.path("a.pactdb").c_str(), PACTDB_CREATE, &db, nullptr), PACTDB_OK);
  pactdb_error* error = nullptr;
  EXPECT_EQ(pactdb_add_text(db, "draft", "user", "\xff", 1, nullptr, &error), PACTDB_FAILED);
  EXPECT_STREQ(error->code, "E_REQUEST_INVALID");
  pactdb_error_free(error);
  EXPECT_EQ(Call(db, R"({"op":"log","context":"draft"})").find("\"ok\":true"), std::string::npos)
      << "a context whose first operation fails was never made";
  pactdb_bytes id;
  ASSERT_EQ(pactdb_add_text(db, "draft", "user", "Hi", 2, &id, &error), PACTDB_OK);
  EXPECT_EQ(Take(id), "block:1.1");
  ASSERT_EQ(pactdb_commit(db, "draft", nullptr, nullptr), PACTDB_OK);
  EXPECT_EQ(pactdb_add_text(db, "no name", "user", "Hi", 2, nullptr, &error), PACTDB_FAILED);
  EXPECT_STREQ(error->code, "E_REQUEST_INVALID");
  pactdb_error_free(error);
  pactdb_close(db);
}

TEST(CApi, SaysWhyItFailed) {
  const pactdb::support::Folder folder;
  pactdb_t* db = nullptr;
  pactdb_error* error = nullptr;
  ASSERT_EQ(pactdb_open(folder.path("none").c_str(), PACTDB_READ, &db, &error), PACTDB_FAILED);
  EXPECT_EQ(db, nullptr);
  EXPECT_STREQ(error->code, "E_STORE_IO");
  EXPECT_NE(std::strlen(error->message), 0u);
  EXPECT_EQ(error->details[0], '{');
  pactdb_error_free(error);

  ASSERT_EQ(pactdb_open(nullptr, PACTDB_READ, &db, &error), PACTDB_OK);
  EXPECT_EQ(error, nullptr);
  pactdb_bytes out;
  EXPECT_EQ(pactdb_select(db, "other", "*", &out, &error), PACTDB_FAILED);
  EXPECT_STREQ(error->code, "E_CONTEXT_NOT_FOUND");
  pactdb_error_free(error);
  EXPECT_EQ(pactdb_select(db, nullptr, "..", &out, &error), PACTDB_FAILED);
  EXPECT_STREQ(error->code, "E_SELECTOR_INVALID");
  pactdb_error_free(error);
  EXPECT_EQ(pactdb_add_text(db, nullptr, "user", "\xff", 1, nullptr, &error), PACTDB_FAILED);
  EXPECT_STREQ(error->code, "E_REQUEST_INVALID");
  pactdb_error_free(error);
  pactdb_close(db);
  EXPECT_EQ(pactdb_open("x", 7, &db, nullptr), PACTDB_FAILED) << "nobody wants to know why";
  pactdb_close(nullptr);
  pactdb_free(nullptr);
  pactdb_error_free(nullptr);
}

}  // namespace

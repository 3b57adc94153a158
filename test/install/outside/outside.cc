// A program that links the installed library: writes a file, opens it again and reads.
#include <pactdb/database.h>

#include <cstdio>

int main(int /*argc*/, char** argv) {
  {
    auto db = pactdb::Database::Open(argv[1], pactdb::Access::kCreate);
    if (!db) return std::fprintf(stderr, "%s\n", db.error().message().c_str()), 1;
    pactdb::Context* chat = *db->Find("main");
    if (!chat->Add(pactdb::NodeSpec().Role("user").Text("Hello"))) return 1;
    if (!chat->Commit()) return 1;
  }
  auto db = pactdb::Database::Open(argv[1], pactdb::Access::kRead);
  if (!db) return 1;
  const pactdb::Context* chat = *db->Find("main");
  const auto ids = chat->Select(".block");
  const auto contexts = db->List();
  if (!ids || !contexts) return 1;
  for (const std::string& id : *ids) std::printf("%s\n", id.c_str());
  std::printf("%lld snapshot\n", static_cast<long long>(contexts->front().snapshots));
  return 0;
}

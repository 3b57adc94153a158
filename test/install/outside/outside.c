/* The same in C. */
#include <pactdb/pactdb.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  pactdb_t* db = NULL;
  pactdb_error* error = NULL;
  pactdb_bytes ids;
  int64_t cycle = 0;
  if (argc < 2 || pactdb_open(argv[1], PACTDB_CREATE, &db, &error) != PACTDB_OK) {
    fprintf(stderr, "%s\n", error == NULL ? "usage: outside FILE" : error->message);
    pactdb_error_free(error);
    return 1;
  }
  if (pactdb_add_text(db, NULL, "user", "Hello", strlen("Hello"), NULL, NULL) != PACTDB_OK)
    return 1;
  if (pactdb_commit(db, NULL, &cycle, NULL) != PACTDB_OK) return 1;
  pactdb_close(db);
  if (pactdb_open(argv[1], PACTDB_READ, &db, NULL) != PACTDB_OK) return 1;
  if (pactdb_select(db, NULL, ".block", &ids, NULL) != PACTDB_OK) return 1;
  printf("%s%d snapshot\n", ids.data, (int)cycle);
  pactdb_free(&ids);
  pactdb_close(db);
  return 0;
}

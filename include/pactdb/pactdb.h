/* The C interface: one handle, the operations as JSON, and a few typed calls for what is done most.
 *
 *   pactdb_t* db;
 *   pactdb_error* error;
 *   if (pactdb_open("agent.pactdb", PACTDB_CREATE, &db, &error) != PACTDB_OK) { ... }
 *   pactdb_bytes answer;
 *   const char* request = "{\"op\":\"add\",\"node\":{\"role\":\"user\",\"content\":\"Hello\"}}";
 *   pactdb_call(db, request, strlen(request), &answer);   // {"ok":true,"result":{...}}
 *   pactdb_free(&answer);
 *   pactdb_close(db);
 *
 * What a function gives through a pointer belongs to the caller, who gives it back by the function
 * of its type. Texts are UTF-8; those that come in end with a zero byte or have their size beside
 * them. No pointer may be NULL but those of which that is said. Every function may be called with a
 * handle that another thread is not using at that time.
 *
 * The names and layouts in this file are stable within a major version.
 */
/* NOLINTBEGIN(readability-identifier-naming,modernize-use-using): the names of C */
#ifndef PACTDB_PACTDB_H_
#define PACTDB_PACTDB_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PACTDB_API __attribute__((visibility("default")))
#else
#define PACTDB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A database: contexts by name, in memory or in one file. */
typedef struct pactdb_t pactdb_t;

/* Why a call failed. `code` is one of docs/errors.md, such as "E_STORE_BUSY"; `details` a JSON
 * object. */
typedef struct pactdb_error {
  char* code;
  char* message;
  char* details;
} pactdb_error;

/* Bytes with a zero byte behind them that is not counted. */
typedef struct pactdb_bytes {
  char* data;
  size_t size;
} pactdb_bytes;

typedef enum pactdb_status {
  PACTDB_OK = 0,
  PACTDB_FAILED = 1,    /* the error says why */
  PACTDB_NO_MEMORY = 2, /* nothing was given, no error either */
} pactdb_status;

enum {
  PACTDB_READ = 0,   /* never waits for, or disturbs, a writer */
  PACTDB_WRITE = 1,  /* E_STORE_BUSY if another process writes */
  PACTDB_CREATE = 2, /* as PACTDB_WRITE, and makes the file if there is none */
};

/* "0.1.0" */
PACTDB_API const char* pactdb_version(void);

/* `path` may be NULL: in memory. `error` of all functions may be NULL: then nobody wants to know.
 */
PACTDB_API pactdb_status pactdb_open(const char* path, int access, pactdb_t** db,
                                     pactdb_error** error);
/* NULL is nothing. */
PACTDB_API void pactdb_close(pactdb_t* db);

/* One request of docs/operations.md and its answer, {"ok":true,...} or {"ok":false,...}. A request
 * that fails is answered too: PACTDB_OK says that there is an answer. */
PACTDB_API pactdb_status pactdb_call(pactdb_t* db, const char* request, size_t size,
                                     pactdb_bytes* answer);

/* --- typed calls; `context` may be NULL: "main", `at` of snapshots "@t0", "@c12" or a tag --- */

/* Adds a block with this text to the head; makes the context if it is not there, as the operation
 * `add` does. `role` may be NULL: the block has none. `id` may be NULL. */
PACTDB_API pactdb_status pactdb_add_text(pactdb_t* db, const char* context, const char* role,
                                         const char* text, size_t size, pactdb_bytes* id,
                                         pactdb_error** error);
/* On the disk when it returns, unless the context is configured to be relaxed. `cycle` may be NULL.
 */
PACTDB_API pactdb_status pactdb_commit(pactdb_t* db, const char* context, int64_t* cycle,
                                       pactdb_error** error);
/* The thread for a provider. `at` may be NULL: what committing now would give. */
PACTDB_API pactdb_status pactdb_render(pactdb_t* db, const char* context, const char* at,
                                       pactdb_bytes* thread, pactdb_error** error);
/* Ids, each with a line feed behind it. An id that another program gave may have one in it: where
 * that can be, ask pactdb_call for `select`, which gives JSON. */
PACTDB_API pactdb_status pactdb_select(pactdb_t* db, const char* context, const char* selector,
                                       pactdb_bytes* ids, pactdb_error** error);

/* NULL is nothing; the bytes are empty afterwards. */
PACTDB_API void pactdb_free(pactdb_bytes* bytes);
PACTDB_API void pactdb_error_free(pactdb_error* error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* PACTDB_PACTDB_H_ */
/* NOLINTEND(readability-identifier-naming,modernize-use-using) */

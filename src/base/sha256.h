// SHA-256 by OpenSSL, with the algorithm fetched once and contexts reused: an implicit fetch per
// call doubles the cost of hashing a short node.
//
// Thread safety: a Sha256 belongs to one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace pactdb {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  // Starts over; a fresh object is started already.
  void Reset();
  void Update(std::string_view bytes);
  // Ends the hash. REQUIRES: Reset before the next use.
  Digest Finish();

 private:
  evp_md_ctx_st* context_;
};

// One-shot hash with a context that belongs to the calling thread.
Digest Sha256Of(std::string_view bytes);

// Lowercase hexadecimal.
std::string ToHex(const Digest& digest);

}  // namespace pactdb

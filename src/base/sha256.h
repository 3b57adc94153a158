// SHA-256 by OpenSSL. Of streams with the algorithm fetched once and contexts reused: an implicit
// fetch per call doubles the cost of hashing a short node. Of bytes that are there without EVP.
//
// Thread safety: a Sha256 or GrowingSha256 belongs to one thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

struct evp_md_ctx_st;

namespace pactdb {

struct RunningSha256;

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  // A copy goes on from the same bytes.
  Sha256(const Sha256& other);
  Sha256(Sha256&& other) noexcept : context_(std::exchange(other.context_, nullptr)) {}
  Sha256& operator=(Sha256 other) noexcept {
    std::swap(context_, other.context_);
    return *this;
  }

  // Starts over; a fresh object is started already.
  void Reset();
  void Update(std::string_view bytes);
  // Ends the hash. REQUIRES: Reset before the next use.
  Digest Finish();

 private:
  evp_md_ctx_st* context_;
};

// One-shot hash.
Digest Sha256Of(std::string_view bytes);

// Hashes of texts that mostly begin as the one before did, such as a list that changes at its end:
// what is alike is not hashed again. The same digests as Sha256Of. Keeps the last text.
class GrowingSha256 {
 public:
  GrowingSha256();
  ~GrowingSha256();
  GrowingSha256(const GrowingSha256&) = delete;
  GrowingSha256& operator=(const GrowingSha256&) = delete;

  Digest Hash(std::string_view bytes);

 private:
  std::string begin_;                           // of the last text, without its end
  std::unique_ptr<RunningSha256> after_begin_;  // where hashing goes on from there
};

// Lowercase hexadecimal.
std::string ToHex(const Digest& digest);

}  // namespace pactdb

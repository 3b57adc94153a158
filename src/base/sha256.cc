#include "base/sha256.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace pactdb {
namespace {

// Fetched once for the life of the process and never freed: OpenSSL's own exit handlers may run
// before ours.
const EVP_MD* FetchedMd() {
  static const EVP_MD* const md = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  PACTDB_CHECK(md != nullptr);
  return md;
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  PACTDB_CHECK(context_ != nullptr);
  Reset();
}

Sha256::Sha256(const Sha256& other) : context_(EVP_MD_CTX_new()) {
  PACTDB_CHECK(context_ != nullptr && EVP_MD_CTX_copy_ex(context_, other.context_) == 1);
}

Sha256::~Sha256() {
  EVP_MD_CTX_free(context_);
}

void Sha256::Reset() {
  PACTDB_CHECK(EVP_DigestInit_ex2(context_, FetchedMd(), nullptr) == 1);
}

void Sha256::Update(std::string_view bytes) {
  PACTDB_CHECK(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1);
}

Digest Sha256::Finish() {
  Digest digest;
  unsigned length = 0;
  PACTDB_CHECK(EVP_DigestFinal_ex(context_, digest.data(), &length) == 1 &&
               length == digest.size());
  return digest;
}

Digest Sha256Of(std::string_view bytes) {
  thread_local Sha256 hash;
  hash.Reset();
  hash.Update(bytes);
  return hash.Finish();
}

std::string ToHex(const Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text(2 * digest.size(), '\0');
  char* to = text.data();
  for (const std::uint8_t byte : digest) {
    *to++ = kDigits[byte >> 4];
    *to++ = kDigits[byte & 15];
  }
  return text;
}

}  // namespace pactdb

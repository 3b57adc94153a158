#include "base/sha256.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // SHA256_Init and its like, see Sha256Of
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>

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

#ifdef OPENSSL_NO_DEPRECATED_3_0
struct RunningSha256 : Sha256 {};
#else
// The functions below EVP's, whose way through the provider takes 50 ns a hash: as long as hashing
// 100 bytes.
struct RunningSha256 {
  void Reset() { SHA256_Init(&context); }
  void Update(std::string_view bytes) { SHA256_Update(&context, bytes.data(), bytes.size()); }
  Digest Finish() {
    Digest digest;
    SHA256_Final(digest.data(), &context);
    return digest;
  }

  SHA256_CTX context;
};
#endif

Digest Sha256Of(std::string_view bytes) {
  thread_local RunningSha256 hash;
  hash.Reset();
  hash.Update(bytes);
  return hash.Finish();
}

GrowingSha256::GrowingSha256() : after_begin_(std::make_unique<RunningSha256>()) {
  after_begin_->Reset();
}

GrowingSha256::~GrowingSha256() = default;

Digest GrowingSha256::Hash(std::string_view bytes) {
  if (!bytes.starts_with(begin_)) {
    begin_.clear();
    after_begin_->Reset();
  }
  // The end of a list is what changes: its last entry, and what comes behind it.
  const std::size_t begin = bytes.size() - std::min(bytes.size(), sizeof(Digest));
  if (begin > begin_.size()) {
    const std::string_view more = bytes.substr(begin_.size(), begin - begin_.size());
    begin_ += more;  // first: for it there may be no memory
    after_begin_->Update(more);
  }
  RunningSha256 hash = *after_begin_;
  hash.Update(bytes.substr(begin_.size()));
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

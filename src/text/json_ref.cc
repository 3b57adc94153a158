// Views into a JsonDoc, and its canonical bytes.
#include "base/check.h"
#include "text/canonical.h"
#include "text/json_doc.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <span>
#include <utility>

namespace pactdb {

JsonDoc::SortKey JsonDoc::MakeSortKey(std::uint32_t entry) const {
  const std::string_view key = Bytes(entry);
  // A short key is filled up with zeros; should the filling make two keys look alike, KeyLess
  // compares them in full.
  std::uint64_t prefix = 0;
  const bool is_inside =
      !entries_[entry].is_kept() && entries_[entry].pos() + 1 + sizeof prefix <= source_.size();
  if (is_inside && std::endian::native == std::endian::little) {
    // One load, behind the key's end if it is short, and what does not belong to it cut off.
    std::memcpy(&prefix, key.data(), sizeof prefix);
    if (key.size() < sizeof prefix) prefix &= (std::uint64_t{1} << 8 * key.size()) - 1;
  } else {
    std::memcpy(&prefix, key.data(), std::min(key.size(), sizeof prefix));
  }
  if constexpr (std::endian::native == std::endian::little) prefix = std::byteswap(prefix);
  return {prefix, entry};
}

bool JsonDoc::KeyLess(const SortKey& a, const SortKey& b) const {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  return CodePointLess(Bytes(a.entry), Bytes(b.entry));
}

namespace {

// So many always fit into 64 bits without a sign.
constexpr std::size_t kDigitsSafe = 19;

}  // namespace

std::optional<std::int64_t> JsonRef::AsInt64() const {
  if (kind() != Json::Kind::kInteger) return std::nullopt;
  const std::string_view digits = doc_->Bytes(index_);
  if (digits.size() <= kDigitsSafe && !doc_->entries_[index_].is_kept()) {  // without a sign
    std::uint64_t sum = 0;
    for (const char digit : digits) sum = sum * 10 + static_cast<unsigned char>(digit - '0');
    if (sum > INT64_MAX) return std::nullopt;
    return static_cast<std::int64_t>(sum);
  }
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc()) return std::nullopt;
  return value;
}

std::optional<JsonRef> JsonRef::Find(std::string_view key) const {
  PACTDB_CHECK(is_object());
  for (auto it = begin(); it != end(); ++it) {
    if (const Member member = *it; member.key == key) return member.value;
  }
  return std::nullopt;
}

std::size_t JsonRef::Depth() const {
  std::size_t deepest = 0;
  std::vector<std::uint32_t> ends;  // of the containers around entry `i`
  const std::uint32_t end = doc_->Next(index_);
  for (std::uint32_t i = index_; i < end; i = doc_->Behind(i)) {
    while (!ends.empty() && ends.back() <= i) ends.pop_back();
    if (doc_->entries_[i].is_container()) ends.push_back(doc_->Next(i));
    deepest = std::max(deepest, ends.size());
  }
  return deepest;
}

// Writes values in canonical order with a stack of its own: one frame for each open container.
class JsonWriter {
 public:
  JsonWriter(const JsonDoc& doc, std::string& out) : doc_(doc), out_(out) {}

  void Write(std::uint32_t index) {
    if (index == 0) {
      // Enough, if nothing needs another escape than it had.
      out_.reserve(out_.size() + doc_.source_.size());
    }
    WriteValue(index);
    while (!frames_.empty()) WriteChild();
  }

 private:
  struct Frame {
    std::uint32_t left;  // children still to write
    std::uint32_t next;  // the next child's entry, where they are written in document order
    std::size_t order;   // where this object's sorted keys start in order_, else kInDocumentOrder
    bool is_object;
    bool is_first;
  };
  static constexpr std::size_t kInDocumentOrder = static_cast<std::size_t>(-1);

  // Writes a scalar, or opens a container.
  void WriteValue(std::uint32_t index) {
    const JsonDoc::Entry entry = doc_.entries_[index];
    switch (entry.kind()) {
      case Json::Kind::kNull:
        out_.append("null");
        return;
      case Json::Kind::kBool:
        out_.append(entry.count() != 0 ? "true" : "false");
        return;
      case Json::Kind::kInteger:
      case Json::Kind::kDouble:
        out_.append(doc_.Bytes(index));
        return;
      case Json::Kind::kString:
        AppendJsonString(doc_.Bytes(index), out_);
        return;
      case Json::Kind::kArray:
        out_.push_back('[');
        frames_.push_back({entry.count(), doc_.Behind(index), kInDocumentOrder, false, true});
        return;
      case Json::Kind::kObject:
        out_.push_back('{');
        frames_.push_back({entry.count(), doc_.Behind(index),
                           entry.is_sorted() ? kInDocumentOrder : SortKeys(index), true, true});
        return;
    }
  }

  // Puts the object's keys on order_, the first one last, so that they can be popped.
  std::size_t SortKeys(std::uint32_t index) {
    const std::size_t start = order_.size();
    const std::uint32_t end = doc_.Next(index);
    for (std::uint32_t key = doc_.Behind(index); key != end; key = doc_.Next(doc_.Behind(key)))
      order_.push_back(doc_.MakeSortKey(key));
    std::ranges::sort(std::span(order_).subspan(start),
                      [this](const auto& a, const auto& b) { return doc_.KeyLess(b, a); });
    return start;
  }

  // Writes the next child of the innermost container, or closes it.
  void WriteChild() {
    Frame& frame = frames_.back();
    if (frame.left == 0) {
      out_.push_back(frame.is_object ? '}' : ']');
      frames_.pop_back();
      return;
    }
    if (!frame.is_first) out_.push_back(',');
    frame.is_first = false;
    --frame.left;
    std::uint32_t child = frame.next;
    if (frame.order != kInDocumentOrder) {
      child = order_.back().entry;
      order_.pop_back();
    }
    if (frame.is_object) {
      AppendJsonString(doc_.Bytes(child), out_);
      out_.push_back(':');
      child = doc_.Behind(child);
    }
    frame.next = doc_.Next(child);
    WriteValue(child);  // may move the frames
  }

  const JsonDoc& doc_;
  std::string& out_;
  std::vector<Frame> frames_;
  std::vector<JsonDoc::SortKey> order_;
};

void JsonRef::AppendCanonical(std::string& out) const {
  JsonWriter(*doc_, out).Write(index_);
}

Json JsonRef::ToJson() const {
  std::string canonical;
  AppendCanonical(canonical);
  return Json::FromCanonical(std::move(canonical));
}

}  // namespace pactdb

#include "store/sqlite/page_rows.h"

#include <algorithm>
#include <optional>

#include "store/sqlite/big_endian.h"

namespace pactdb::sqlite {
namespace {

constexpr std::size_t kFileHeaderBytes = 100;  // on page 1, before the page's own
constexpr std::size_t kFirstFreeAt = 32;
constexpr char kTableLeaf = 0x0d;
constexpr std::size_t kLeafHeaderBytes = 8;
// How much of a row lies on its leaf, by the format's formula, for pages of 4,096 bytes.
constexpr std::uint64_t kLocalMax = kPageBytes - 35;
constexpr std::uint64_t kLocalMin = (kPageBytes - 12) * 32 / 255 - 23;
constexpr std::uint64_t kOverflowBytes = kPageBytes - 4;
constexpr std::uint64_t kColumnsMax = 16;

std::size_t BigEndian16(std::string_view bytes, std::size_t at) {
  return static_cast<std::size_t>(static_cast<unsigned char>(bytes[at])) << 8 |
         static_cast<unsigned char>(bytes[at + 1]);
}

// Up to nine bytes, seven bits each, highest first; eight bits in the ninth.
std::optional<std::uint64_t> TakeVarint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 9 && i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value = i == 8 ? value << 8 | byte : value << 7 | (byte & 0x7f);
    if (byte < 0x80 || i == 8) {
      bytes.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

// Bytes of a number by its serial type.
std::optional<std::size_t> NumberBytes(std::uint64_t type) {
  switch (type) {
    case 1:
    case 2:
    case 3:
    case 4:
      return type;
    case 5:
      return 6;
    case 6:
      return 8;
    case 8:
    case 9:
      return 0;
    default:
      return std::nullopt;
  }
}

std::int64_t SignedOf(std::string_view bytes) {
  std::uint64_t value = !bytes.empty() && (bytes[0] & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(value);
}

std::optional<RawValue> TakeValue(std::uint64_t type, std::string_view& bytes) {
  if (type == 0) return RawValue(std::monostate());
  if (type == 8 || type == 9) return RawValue(static_cast<std::int64_t>(type - 8));
  const bool is_bytes = type >= 12;
  const std::optional<std::size_t> size =
      is_bytes ? std::optional<std::size_t>((type - 12) / 2) : NumberBytes(type);
  if (!size || *size > bytes.size()) return std::nullopt;
  const std::string_view value = bytes.substr(0, *size);
  bytes.remove_prefix(*size);
  return is_bytes ? RawValue(value) : RawValue(SignedOf(value));
}

// Free pages keep what was on them.
std::vector<bool> FreePages(SalvageCopy& copy) {
  std::vector<bool> free(copy.page_count() + std::size_t{1});
  std::uint32_t trunk = BigEndian32(copy.ReadPage(1), kFirstFreeAt);
  // A page that was seen ends the list: it has become a circle.
  while (trunk != 0 && trunk < free.size() && !free[trunk]) {
    free[trunk] = true;
    const std::string page = copy.ReadPage(trunk);
    const std::size_t count = std::min<std::size_t>(BigEndian32(page, 4), kPageBytes / 4 - 2);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t leaf = BigEndian32(page, 8 + i * 4);
      if (leaf < free.size()) free[leaf] = true;
    }
    trunk = BigEndian32(page, 0);
  }
  return free;
}

// How many pages of long rows may still be read. Each is of one row; where pages were used anew,
// older leaves lead to them too. Without it a few pages could lead to a few others for ever.
class Budget {
 public:
  explicit Budget(std::uint32_t pages) : left_(std::uint64_t{pages} * kTimesAPage) {}
  bool Take() {
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  static constexpr std::uint64_t kTimesAPage = 16;
  std::uint64_t left_;
};

// The bytes of the row whose cell begins at `cell`, and its id.
std::optional<std::string> ReadPayload(SalvageCopy& copy, std::string_view cell, Budget& budget,
                                       std::int64_t& id) {
  const auto size = TakeVarint(cell);
  const auto row_id = size ? TakeVarint(cell) : std::nullopt;
  // Without this bound a circle of pages would be read for as long as the row says that it is.
  if (!row_id || *size > std::uint64_t{copy.page_count()} * kPageBytes) return std::nullopt;
  id = static_cast<std::int64_t>(*row_id);
  if (*size <= kLocalMax) {
    if (cell.size() < *size) return std::nullopt;
    return std::string(cell.substr(0, *size));
  }
  const std::uint64_t share = kLocalMin + (*size - kLocalMin) % kOverflowBytes;
  const std::size_t local = share <= kLocalMax ? share : kLocalMin;
  if (cell.size() < local + 4) return std::nullopt;
  std::string payload(cell.substr(0, local));
  std::uint32_t next = BigEndian32(cell, local);
  // As many pages as the size needs; a circle gives wrong bytes, not an endless walk.
  while (payload.size() < *size) {
    if (next == 0 || next > copy.page_count() || !budget.Take()) return std::nullopt;
    const std::string page = copy.ReadPage(next);
    payload.append(page, 4, std::min<std::uint64_t>(*size - payload.size(), kOverflowBytes));
    next = BigEndian32(page, 0);
  }
  return payload;
}

void VisitLeaf(SalvageCopy& copy, std::string_view page, std::size_t start, Budget& budget,
               const std::function<void(const RawRow&)>& visit) {
  const std::size_t count = BigEndian16(page, start + 3);
  std::vector<bool> is_seen(page.size());  // a row stands once on a page
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t pointer = start + kLeafHeaderBytes + i * 2;
    if (pointer + 2 > page.size()) return;
    const std::size_t at = BigEndian16(page, pointer);
    if (at >= page.size() || is_seen[at]) continue;
    is_seen[at] = true;
    RawRow row;
    const std::optional<std::string> payload = ReadPayload(copy, page.substr(at), budget, row.id);
    if (!payload) continue;
    row.values = ParseRow(*payload);
    if (!row.values.empty()) visit(row);
  }
}

}  // namespace

std::int64_t RawRow::Int(std::size_t column) const {
  const auto* number =
      column < values.size() ? std::get_if<std::int64_t>(&values[column]) : nullptr;
  return number == nullptr ? 0 : *number;
}

std::string_view RawRow::Bytes(std::size_t column) const {
  const auto* bytes =
      column < values.size() ? std::get_if<std::string_view>(&values[column]) : nullptr;
  return bytes == nullptr ? std::string_view() : *bytes;
}

bool RawRow::IsNull(std::size_t column) const {
  return column >= values.size() || std::holds_alternative<std::monostate>(values[column]);
}

std::vector<RawValue> ParseRow(std::string_view payload) {
  std::string_view header = payload;
  const auto header_bytes = TakeVarint(header);
  if (!header_bytes || *header_bytes > payload.size() ||
      *header_bytes < payload.size() - header.size())
    return {};
  std::string_view body = payload.substr(*header_bytes);
  header = payload.substr(payload.size() - header.size(),
                          *header_bytes - (payload.size() - header.size()));
  std::vector<RawValue> values;
  while (!header.empty()) {
    const auto type = TakeVarint(header);
    const auto value = type ? TakeValue(*type, body) : std::nullopt;
    if (!value || values.size() == kColumnsMax) return {};
    values.push_back(*value);
  }
  return values;
}

void ForEachPageRow(SalvageCopy& copy, const std::function<void(const RawRow&)>& visit,
                    const std::function<void(double)>& progress) {
  const std::vector<bool> free = FreePages(copy);
  Budget budget(copy.page_count());
  for (std::uint32_t number = 1; number <= copy.page_count(); ++number) {
    if (progress && number % 256 == 0) progress(double(number) / copy.page_count());
    if (free[number]) continue;
    const std::string page = copy.ReadPage(number);
    const std::size_t start = number == 1 ? kFileHeaderBytes : 0;
    if (page[start] == kTableLeaf) VisitLeaf(copy, page, start, budget, visit);
  }
}

}  // namespace pactdb::sqlite

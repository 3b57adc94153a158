// Records that a checksum belies, made by hand: what is looked at of them is bounded.
#include "model/record_check.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <map>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "model/byte_code.h"

namespace pactdb {
namespace {

using Lines = std::vector<std::string>;
using Slots = std::vector<std::uint32_t>;

class Maker {
 public:
  std::uint32_t Add(const std::string& object) {
    sizes_.push_back(object.size());
    objects_ += object;
    return static_cast<std::uint32_t>(sizes_.size() - 1);
  }
  std::uint32_t Block(std::string_view id, std::string_view attribute = "") {
    std::string object = Header(NodeClass::kBlock, attribute.empty() ? 0 : record::kBody, id);
    if (!attribute.empty()) {
      AppendDigest(ContentHash({}, {}, {}, {}), object);
      AppendVarint(1, object);
      AppendSized("note", object);
      AppendVarint(2 * attribute.size(), object);
      object += attribute;
    }
    return Add(object);
  }
  std::uint32_t List(const Slots& slots) {
    std::string object(1, static_cast<char>(record::kChunkObject));
    AppendVarint(1, object);  // level 0, with a hash
    AppendVarint(slots.size(), object);
    CommitNumber near = kOwn.commit;
    for (const std::uint32_t slot : slots)
      record::AppendAddress({.record = kOwn, .index = slot}, kOwn, near, object);
    AppendDigest(Sha256Of("list"), object);
    return Add(object);
  }
  std::uint32_t Group(std::string_view id, std::uint32_t list) {
    std::string object = Header(NodeClass::kCont, record::kChildren, id);
    AppendDigest(Sha256Of(id), object);
    CommitNumber near = kOwn.commit;
    record::AppendAddress({.record = kOwn, .index = list}, kOwn, near, object);
    return Add(object);
  }
  // The parts that are said to be damaged.
  Lines Damage() const {
    std::string bytes;
    record::AppendHead({.cycle = 5, .words = {"type"}}, bytes);
    AppendVarint(sizes_.size(), bytes);
    for (const std::size_t size : sizes_) AppendVarint(size, bytes);
    bytes += objects_;
    const auto record = StoredRecord::Parse(std::move(bytes), kOwn);
    Nothing nothing;
    return record ? FindDamage(*record, nothing).parts : Lines{record.error().message()};
  }

 private:
  static constexpr RecordId kOwn{.context = 1, .commit = 1};

  class Nothing final : public RecordSource {
   public:
    Result<const StoredRecord*> Record(const RecordId&) override {
      return std::unexpected(Error(ErrorCode::kStoreCorrupt, "no such record"));
    }
    Result<std::string> Content(const Digest&) override {
      return std::unexpected(Error(ErrorCode::kStoreCorrupt, "no such content"));
    }
  };

  static std::string Header(NodeClass node_class, int parts, std::string_view id) {
    std::string object(1, static_cast<char>(node_class));
    object += static_cast<char>(parts);
    object.append(4, '\0');  // offset, cycle, time, index
    AppendSized(id, object);
    object += {1, 0, 0};  // a type, no role, no kind
    return object;
  }

  std::vector<std::size_t> sizes_;
  std::string objects_;
};

long PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kRoomMegabytes = 1'000'000;  // a sanitizer's own memory drowns ours
#else
constexpr long kRoomMegabytes = 100;
#endif

constexpr std::size_t kTextBytes = 64'000;

std::string LongText() {
  return '"' + std::string(kTextBytes, 'x') + '"';
}

TEST(RecordCheck, NamesTheBlocksOfAListThatDoesNotMatch) {
  Maker made;
  made.List({made.Block("a"), made.Block("b")});
  EXPECT_EQ(made.Damage(), Lines{"one of a, b does not match its hash"});
}

TEST(RecordCheck, AListThatHasABlockTwiceIsNotHashed) {
  Maker made;
  const std::uint32_t block = made.Block("a", LongText());
  made.Group("g", made.List(Slots(10'000, block)));
  const long before = PeakMegabytes();
  EXPECT_EQ(made.Damage(), Lines{"the list of what stands below g does not match its hash"});
  EXPECT_LT(PeakMegabytes(), before + kRoomMegabytes) << "640 megabytes of text, one and the same";
}

TEST(RecordCheck, HashesALongListWithoutKeepingIt) {
  Maker made;
  Slots slots;
  for (int i = 0; i < 1'000; ++i) slots.push_back(made.Block("b" + std::to_string(i), LongText()));
  made.List(slots);
  const long before = PeakMegabytes();
  EXPECT_EQ(made.Damage(), Lines{"one of b0, b1, b2, b3, b4, b5, b6, b7, b8, b9 and 990 more "
                                 "does not match its hash"});
  EXPECT_LT(PeakMegabytes(), before + kRoomMegabytes) << "the record and once again what it has";
}

TEST(RecordCheck, ABlockIsHashedInTwoListsAtMost) {
  Maker made;
  const std::uint32_t block = made.Block("a", LongText());
  for (int i = 0; i < 5; ++i) made.Group("g" + std::to_string(i), made.List({block}));
  EXPECT_EQ(made.Damage(), Lines{"a, a, the list of what stands below g2, the list of what stands "
                                 "below g3, the list of what stands below g4 do not match their "
                                 "hashes"});
}

TEST(RecordCheck, AnOwnerIsNamedOnceHoweverMuchStandsBelowIt) {
  Maker made;
  const std::string id(512, 'g');
  Slots lost;
  for (int i = 0; i < 300'000; ++i) lost.push_back(made.Add(""));
  made.Group(id, made.List(lost));
  const long before = PeakMegabytes();
  EXPECT_EQ(made.Damage(), Lines{id + " does not match its hash"});
  EXPECT_LT(PeakMegabytes(), before + kRoomMegabytes) << "150 megabytes of one id";
}

TEST(RecordCheck, OfListsWithOneOwnerTenAreNamed) {
  Maker made;
  const std::string id(512, 'g');
  const std::uint32_t block = made.Block("a");
  Slots lists;
  for (int i = 0; i < 200'000; ++i) lists.push_back(made.List({block, block}));
  made.Group(id, made.List(lists));
  const long before = PeakMegabytes();
  const Lines parts = made.Damage();
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_TRUE(parts[0].ends_with(" and 199990 more do not match their hashes"));
  EXPECT_LT(PeakMegabytes(), before + kRoomMegabytes);
}

}  // namespace
}  // namespace pactdb

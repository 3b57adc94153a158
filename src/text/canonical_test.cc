#include "text/canonical.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pactdb {
namespace {

using namespace std::string_literals;

std::string Escaped(std::string_view utf8) {
  std::string out;
  AppendJsonString(utf8, out);
  return out;
}

std::string Repr(double value) {
  std::string out;
  AppendJsonDouble(value, out);
  return out;
}

TEST(CanonicalString, SER_12_EscapesAsPythonDoes) {
  struct Case {
    std::string utf8;
    std::string want;
  };
  const std::vector<Case> cases = {
      {"", R"("")"},
      {"a/b", R"("a/b")"},
      {"\x00\x1f\x7f"s, R"("\u0000\u001f\u007f")"},
      {"\b\f\n\r\t\"\\", R"("\b\f\n\r\t\"\\")"},
      {"é", R"("\u00e9")"},
      {"\u2028", R"("\u2028")"},
      {"\U0001f600", R"("\ud83d\ude00")"},
      {"\u0080\u07ff\u0800\ud7ff\ue000\uffff", R"("\u0080\u07ff\u0800\ud7ff\ue000\uffff")"},
      {"\U00010000\U0010ffff", R"("\ud800\udc00\udbff\udfff")"},
      {" ~", R"(" ~")"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Escaped(c.utf8), c.want);
    EXPECT_EQ(DecodeJsonString(c.want), c.utf8);
  }
}

TEST(CanonicalString, AppendsAfterWhatIsThere) {
  std::string out = "{";
  AppendJsonString("k", out);
  EXPECT_EQ(out, R"({"k")");
}

// The vector path looks at sixteen bytes at a time; every place of a special byte in and around two
// such blocks must give the bytes that the byte-wise path gives.
TEST(CanonicalString, SER_12_FindsASpecialByteAtEveryOffset) {
  for (std::size_t length = 1; length <= 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string text(length, 'x');
        text[at] = static_cast<char>(byte);
        const std::string want =
            "\"" + std::string(at, 'x') + Escaped(text.substr(at, 1)).substr(1);
        const std::string want_all =
            want.substr(0, want.size() - 1) + std::string(length - at - 1, 'x') + "\"";
        ASSERT_EQ(Escaped(text), want_all)
            << "length " << length << " at " << at << " byte " << byte;
      }
    }
  }
}

TEST(CanonicalString, EscapesLongRuns) {
  std::string utf8;
  std::string want = "\"";
  for (int i = 0; i < 1000; ++i) {
    utf8 += "\U0001f600я";
    want += R"(\ud83d\ude00\u044f)";
  }
  EXPECT_EQ(Escaped(utf8), want + "\"");
}

TEST(CanonicalString, WritesToMemoryWhatItAppends) {
  const std::string specials = "\x01\x7F\"\\\n\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
  for (std::size_t before = 0; before < 40; ++before) {
    for (const std::string& middle : {std::string(), std::string("z"), specials}) {
      const std::string text = std::string(before, 'a') + middle + std::string(before % 19, 'b');
      std::string want;
      AppendJsonString(text, want);
      std::string room(JsonStringBytesMax(text.size()), '.');
      const char* const end = WriteJsonString(text, room.data());
      EXPECT_EQ(std::string_view(room.data(), end), want);
    }
  }
  // The worst of every length of sequence: six bytes a byte.
  const std::string controls(10, '\x01');
  std::string room(JsonStringBytesMax(controls.size()), '.');
  EXPECT_EQ(WriteJsonString(controls, room.data()), room.data() + room.size());
}

TEST(CanonicalString, DecodesWhatItEscapes) {
  std::string utf8;
  for (char32_t c = 0; c <= 0x10ffff; c += c < 0x10000 ? 1 : 37) {
    if (c >= 0xd800 && c < 0xe000) continue;
    utf8.clear();
    if (c < 0x80) {
      utf8 = {static_cast<char>(c)};
    } else if (c < 0x800) {
      utf8 = {static_cast<char>(0xc0 | c >> 6), static_cast<char>(0x80 | (c & 0x3f))};
    } else if (c < 0x10000) {
      utf8 = {static_cast<char>(0xe0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3f)),
              static_cast<char>(0x80 | (c & 0x3f))};
    } else {
      utf8 = {static_cast<char>(0xf0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3f)),
              static_cast<char>(0x80 | (c >> 6 & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
    }
    ASSERT_EQ(DecodeJsonString(Escaped(utf8)), utf8) << std::hex << static_cast<std::uint32_t>(c);
  }
}

TEST(CanonicalDouble, SER_13_IsPythonsRepr) {
  struct Case {
    double value;
    std::string_view want;
  };
  const std::vector<Case> cases = {
      {0.0, "0.0"},
      {-0.0, "-0.0"},
      {1.0, "1.0"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {100.0, "100.0"},
      {123456.789, "123456.789"},
      {103501.0, "103501.0"},
      {0.0001, "0.0001"},
      {0.00012345, "0.00012345"},
      {0.00001, "1e-05"},
      {0.000012345, "1.2345e-05"},
      {1e15, "1000000000000000.0"},
      {9999999999999998.0, "9999999999999998.0"},
      {1e16, "1e+16"},
      {-4156454527758774784.0, "-4.156454527758775e+18"},
      {1e22, "1e+22"},
      {1e100, "1e+100"},
      {1e-100, "1e-100"},
      {5e-324, "5e-324"},
      {2.2250738585072014e-308, "2.2250738585072014e-308"},
      {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
      {9007199254740993.0, "9007199254740992.0"},
      {2.0 / 3.0, "0.6666666666666666"},
  };
  for (const Case& c : cases) EXPECT_EQ(Repr(c.value), c.want);
}

TEST(CanonicalDouble, SER_13_RoundTripsRandomBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = Repr(value);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(value))
        << text;
    ASSERT_NE(text.find_first_of(".e"), std::string::npos) << text;
  }
}

TEST(CanonicalInteger, SER_13_PrintsTheWholeRange) {
  struct Case {
    std::int64_t value;
    std::string_view want;
  };
  const std::vector<Case> cases = {
      {0, "0"},
      {-1, "-1"},
      {std::numeric_limits<std::int64_t>::max(), "9223372036854775807"},
      {std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
  };
  for (const Case& c : cases) {
    std::string out;
    AppendJsonInteger(c.value, out);
    EXPECT_EQ(out, c.want);
  }
}

TEST(Utf8, TellsValidFromInvalid) {
  struct Case {
    std::string_view bytes;
    bool want;
  };
  const std::vector<Case> cases = {
      {"", true},
      {"a", true},
      {"é", true},
      {"\xf4\x8f\xbf\xbf", true},
      {"\xff", false},
      {"\xc3", false},
      {"\x80", false},
      {"\xc0\x80", false},
      {"\xed\xa0\x80", false},  // a surrogate
      {"\xf4\x90\x80\x80", false},
      {"\xe0\x9f\xbf", false},
  };
  for (const Case& c : cases)
    EXPECT_EQ(IsValidUtf8(c.bytes), c.want) << Escaped(c.want ? c.bytes : "invalid");
}

TEST(CodePointLess, SER_14_OrdersAstralAfterTheBasicPlane) {
  EXPECT_TRUE(CodePointLess("Z", "z"));
  EXPECT_TRUE(CodePointLess("z", "é"));
  EXPECT_TRUE(CodePointLess("é", "\uffff"));
  EXPECT_TRUE(CodePointLess("\uffff", "\U0001f600"));
  EXPECT_FALSE(CodePointLess("a", "a"));
}

TEST(Canonical, KnowsWhatItWritesForAString) {
  for (const char* good :
       {R"("")", R"("a")", R"("\"\\\b\f\n\r\t/")", R"("\u00e9\ud83d\ude00\u007f")"})
    EXPECT_TRUE(IsCanonicalString(good)) << good;
  for (const std::string bad : {"", "\"", "a", "\"a", "a\"", "\"a\"b\"", "\"\n\"", "\"\xc3\xa9\"",
                                "\"\x7f\"", R"("\")", R"("\x")", R"("\u00E9")", R"("\u00e")",
                                R"("\ud83d")", R"("\ude00")", R"("\ud83dx")", R"("\ud83d\ud83d")"})
    EXPECT_FALSE(IsCanonicalString(bad)) << bad;
}

TEST(Canonical, AnEscapeOfHalfAPairIsNone) {
  for (const std::string good :
       {R"("\ud7ff")", R"("\ue000")", R"("\uffff")", R"("\u0000")", R"("\u09af")",
        R"("\ud800\udc00")", R"("\udbff\udfff")", R"("\ud800\udfffx")", R"("\udbff\udc00\n")",
        R"("\ud800\udfff\udbff\udc00")"})
    EXPECT_TRUE(IsCanonicalString(good)) << good;
  for (const std::string bad : {R"("\ud800")",       R"("\udbff")",
                                R"("\udc00")",       R"("\udfff")",
                                R"("\ud800\udbff")", R"("\ud800\ue000")",
                                R"("\udc00\udc00")", R"("\udfff\udfff")",
                                R"("\udc00\ud800")", R"("\udbff\ud800")",
                                R"("\ud800\n")",     R"("\ud800\udc0")",
                                R"("\udbff\udff")",  R"("\ud800\udc00\udc00")",
                                R"("\u00g0")",       R"("\u00`0")",
                                R"("\u00:0")",       R"("\u00/0")",
                                R"("\u00A0")",       R"("\U00a0")",
                                R"("/u00a0\")"})
    EXPECT_FALSE(IsCanonicalString(bad)) << bad;
}

// Plain bytes are skipped sixteen at a time, and the last ones with some before them.
TEST(Canonical, EscapesAByteWhereverItStands) {
  for (std::size_t size = 1; size <= 50; ++size) {
    for (std::size_t place = 0; place < size; ++place) {
      for (const auto& [byte, escape] : {std::pair{'"', "\\\""},
                                         {'\\', "\\\\"},
                                         {'\n', "\\n"},
                                         {'\x7f', "\\u007f"},
                                         {'\x1f', "\\u001f"}}) {
        std::string text(size, 'a');
        text[place] = byte;
        const std::string want =
            '"' + std::string(place, 'a') + escape + std::string(size - place - 1, 'a') + '"';
        std::string written;
        AppendJsonString(text, written);
        ASSERT_EQ(written, want);
        EXPECT_TRUE(IsCanonicalString(want));
        EXPECT_FALSE(IsCanonicalString('"' + text + '"')) << want;
      }
    }
  }
}

TEST(ReplaceInvalidUtf8, KeepsWhatIsTextAndMarksTheRest) {
  EXPECT_EQ(ReplaceInvalidUtf8(""), "");
  EXPECT_EQ(ReplaceInvalidUtf8("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(ReplaceInvalidUtf8("caf\xe9"), "caf\xef\xbf\xbd");
  EXPECT_EQ(ReplaceInvalidUtf8("\xe2\x82x\xf0\x9f\x98\x80"),
            "\xef\xbf\xbd\xef\xbf\xbdx\xf0\x9f\x98\x80");
  EXPECT_EQ(ReplaceInvalidUtf8("\xff"
                               "ab\xe2\x82\xac\xf0\x9f\x98"),
            "\xef\xbf\xbd"
            "ab\xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
}  // namespace pactdb

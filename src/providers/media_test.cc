#include "providers/media.h"

#include <gtest/gtest.h>

#include <string_view>

namespace pactdb::providers {
namespace {

TEST(DataUrl, IsReadOnlyIfItCanBeWrittenAgain) {
  const auto url = ParseDataUrl("data:image/png;base64,AAAA");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->mime, "image/png");
  EXPECT_EQ(url->base64, "AAAA");
  for (const std::string_view other :
       {"data:,x", "data:image/PNG;base64,AAAA", "data:image/png;charset=x;base64,AAAA",
        "data:;base64,AAAA", "data:image/;base64,AAAA", "https://h/a.png", ""}) {
    EXPECT_FALSE(ParseDataUrl(other)) << other;
  }
}

TEST(Base64, IsToldFromItsLetters) {
  EXPECT_TRUE(IsBase64("iVBORw0KGgo+/w=="));
  for (const std::string_view other : {"", "https://h/a.pdf", "data:,x", "a b", "caf\xc3\xa9"})
    EXPECT_FALSE(IsBase64(other)) << other;
}

TEST(MimeOfUrl, IsToldFromTheEndingOfThePath) {
  EXPECT_EQ(MimeOfUrl("https://h/a.png"), "image/png");
  EXPECT_EQ(MimeOfUrl("https://h/a.JPG?x=1.gif#y.pdf"), "image/jpeg");
  EXPECT_EQ(MimeOfUrl("https://h.png/a"), "");
  EXPECT_EQ(MimeOfUrl("a"), "");
  EXPECT_EQ(MimeOfUrl(""), "");
}

TEST(AudioOfMime, GoesBackToTheFormatItCameFrom) {
  for (const std::string_view format : {"wav", "mp3", "flac", "opus", "pcm16", "aac"})
    EXPECT_EQ(AudioOfMime(MimeOfAudio(format)), format);
  EXPECT_EQ(MimeOfAudio("strange"), "");
  EXPECT_EQ(AudioOfMime("image/png"), "");
}

// --- which blocks are one message ---

constexpr Traits Of(Role role, Form form = Form::kText, std::string_view call_id = {}) {
  return {.role = role, .form = form, .call_id = call_id};
}

TEST(Joins, MediaAndCallsBelongToWhatIsSaid) {
  for (const JoinRule rule : {JoinRule::kApart, JoinRule::kTogether}) {
    EXPECT_FALSE(JoinsByDefault(rule, Of(Role::kUser), Of(Role::kUser)));
    EXPECT_TRUE(JoinsByDefault(rule, Of(Role::kUser), Of(Role::kUser, Form::kImage)));
    EXPECT_TRUE(JoinsByDefault(rule, Of(Role::kAssistant), Of(Role::kAssistant, Form::kCall)));
    EXPECT_FALSE(JoinsByDefault(rule, Of(Role::kUser), Of(Role::kAssistant, Form::kCall)));
    EXPECT_FALSE(JoinsByDefault(rule, Of(Role::kSystem), Of(Role::kSystem, Form::kImage)));
    EXPECT_FALSE(MayJoin(rule, Of(Role::kOther), Of(Role::kOther)));
  }
}

TEST(Joins, ResultsOfOneStepAreOneMessageWhereTheUserBringsThem) {
  const Traits first = Of(Role::kTool, Form::kText, "\"a\"");
  const Traits second = Of(Role::kTool, Form::kText, "\"b\"");
  EXPECT_FALSE(JoinsByDefault(JoinRule::kApart, first, second));
  EXPECT_TRUE(JoinsByDefault(JoinRule::kApart, first, first));
  EXPECT_TRUE(JoinsByDefault(JoinRule::kTogether, first, second));
  EXPECT_FALSE(MayJoin(JoinRule::kApart, first, Of(Role::kUser)));
  EXPECT_TRUE(MayJoin(JoinRule::kTogether, first, Of(Role::kUser)));
  EXPECT_FALSE(JoinsByDefault(JoinRule::kTogether, first, Of(Role::kUser)));
}

TEST(Joins, CallsAndThinkingAreItemsOfTheirOwn) {
  for (const Form form : {Form::kCall, Form::kThinking, Form::kRedacted}) {
    EXPECT_FALSE(MayJoin(JoinRule::kItems, Of(Role::kAssistant), Of(Role::kAssistant, form)));
    EXPECT_FALSE(MayJoin(JoinRule::kItems, Of(Role::kAssistant, form), Of(Role::kAssistant)));
  }
}

}  // namespace
}  // namespace pactdb::providers

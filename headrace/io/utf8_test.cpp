#include "headrace/io/utf8.h"

#include <gtest/gtest.h>

namespace headrace {
namespace {

// Expected values: Python's bytes.decode("utf-8", "replace").
TEST(ValidUtf8, ReplacesWhatIsNone) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(ValidUtf8(""), "");
  EXPECT_EQ(ValidUtf8("loss/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            "loss/\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(ValidUtf8(std::string_view("a\0b", 3)), std::string_view("a\0b", 3));
  EXPECT_EQ(ValidUtf8("\xff"
                      "a"),
            bad + "a");
  EXPECT_EQ(ValidUtf8("\xe2\x82z"), bad + "z");  // a character cut short is one
  EXPECT_EQ(ValidUtf8("z\xe2\x82"), "z" + bad);
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80"), bad + bad + bad);  // half of a surrogate pair
  EXPECT_EQ(ValidUtf8("\xc0\xaf"), bad + bad);            // '/' written too long
  EXPECT_EQ(ValidUtf8("\xe0\x80\xaf"), bad + bad + bad);
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // beyond U+10FFFF
  EXPECT_EQ(ValidUtf8("\xf0\x9f\x98"), bad);
}

}  // namespace
}  // namespace headrace

#include "headrace/base/strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "headrace/base/location.h"

namespace headrace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Strings, CatJoinSplit) {
  const std::string_view view = "view";
  EXPECT_EQ(StrCat("a", std::string("b"), view, 1, -2LL, 0.5, 1.5f), "abview1-20.51.5");
  std::string text = "x";
  StrAppend(&text, view, 7u);
  EXPECT_EQ(text, "xview7");
  EXPECT_EQ(StrJoin(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(StrJoin(std::vector<int>{}, ", "), "");
  EXPECT_EQ(StrJoin(std::vector<int>{1, 2}, "-", [](int i) { return StrCat("<", i, ">"); }),
            "<1>-<2>");
  EXPECT_THAT(StrSplit("a,b,,c", ','), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(StrSplit("", ','), ElementsAre(""));
  EXPECT_THAT(StrSplit(",", ','), ElementsAre("", ""));
}

TEST(Strings, CaseAndSpace) {
  EXPECT_EQ(ToLower("AzZ9_\xc4"), "azz9_\xc4");
  EXPECT_EQ(ToUpper("aZ9_"), "AZ9_");
  EXPECT_EQ(StripSpace(" \t a b\n"), "a b");
  EXPECT_EQ(StripSpace(" \n "), "");
  EXPECT_EQ(EscapeC("a\n\"\x01"), "a\\n\\\"\\001");
}

TEST(Strings, NumbersAreReadWholeOrNotAtAll) {
  EXPECT_EQ(ParseInt("-42"), -42);
  EXPECT_EQ(ParseInt("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "4x", " 4", "9223372036854775808", "1.5", "+1"})
    EXPECT_EQ(ParseInt(text), std::nullopt) << text;
  EXPECT_EQ(ParseDouble("1.5e3"), 1500);
  EXPECT_TRUE(std::isnan(*ParseDouble("nan")));
  EXPECT_EQ(ParseDouble("1.5x"), std::nullopt);
  EXPECT_EQ(ParseDouble(""), std::nullopt);
}

TEST(Strings, HumanBytes) {
  EXPECT_EQ(HumanBytes(12), "12 B");
  EXPECT_EQ(HumanBytes(1536), "1.5 KiB");
  EXPECT_EQ(HumanBytes(int64_t{3} << 30), "3.0 GiB");
}

TEST(Strings, NearestNames) {
  const std::vector<std::string> names{"MatMul", "Mul", "Relu", "Softmax", "BatchMatMul"};
  EXPECT_EQ(NearestNames("Matmul", names)[0], "MatMul");
  EXPECT_THAT(NearestNames("Relo", names, 1), ElementsAre("Relu"));
  EXPECT_THAT(NearestNames("SparseTensorDenseAdd", {"Relu"}), IsEmpty());
}

TEST(Status, AnnotatePutsTextInFront) {
  EXPECT_EQ(Annotate(absl::OkStatus(), "x: "), absl::OkStatus());
  Status status = NotFound("no '", std::string_view("w"), "'");
  status.SetPayload("headrace/test", absl::Cord("kept"));
  const Status annotated = Annotate(status, "graph: ");
  EXPECT_EQ(annotated.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(annotated), "graph: no 'w'");
  EXPECT_EQ(*annotated.GetPayload("headrace/test"), "kept");
}

TEST(Status, MacrosReturnTheError) {
  auto half = [](int x) -> StatusOr<int> {
    if (x % 2 != 0) return InvalidArgument(x, " is odd");
    return x / 2;
  };
  auto quarter = [&](int x) -> StatusOr<int> {
    HR_ASSIGN_OR_RETURN(const int first, half(x));
    HR_RETURN_IF_ERROR(half(first).status());
    return half(first);
  };
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(Message(quarter(3).status()), "3 is odd");
  EXPECT_EQ(Message(quarter(6).status()), "3 is odd");
}

TEST(Location, ShowsTheFileWithoutFolders) {
  EXPECT_EQ(Location().ToString(), "");
  EXPECT_FALSE(Location().known());
  const Location here = Location::Current();
  EXPECT_EQ(here.ToString(), StrCat("strings_test.cpp:", here.line));
  std::string file = "a/b/model.py";
  const Location there = Location::Of(file, 41);
  file = "gone";
  EXPECT_EQ(there.ToString(), "model.py:41");
  EXPECT_EQ(Location::Of("a/b/model.py", 7).file, there.file);  // one copy
}

}  // namespace
}  // namespace headrace

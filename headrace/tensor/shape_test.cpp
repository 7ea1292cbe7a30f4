#include "headrace/tensor/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

StatusOr<Shape> Make(std::vector<int64_t> dims) {
  return Shape::Make(dims);
}
StatusOr<PartialShape> MakePartial(std::vector<int64_t> dims) {
  return PartialShape::Make(dims);
}

TEST(Shape, CountsAndPrints) {
  const Shape s{2, 3, 4};
  EXPECT_EQ(s.rank(), 3);
  EXPECT_EQ(s.num_elements(), 24);
  EXPECT_EQ(s.Product(1, 3), 12);
  EXPECT_EQ(s.Product(1, 1), 1);
  EXPECT_EQ(s.ToString(), "[2,3,4]");
  EXPECT_EQ(Shape().ToString(), "[]");
  EXPECT_TRUE(Shape().is_scalar());
  EXPECT_EQ(Shape().num_elements(), 1);
  EXPECT_EQ((Shape{3, 0}).num_elements(), 0);
  EXPECT_EQ((Shape{2, 3}), (Shape{2, 3}));
  EXPECT_FALSE((Shape{2, 3}) == (Shape{2, 3, 1}));
  Shape grown;
  grown.Append(5);
  grown.set_dim(0, 6);
  EXPECT_EQ(grown, Shape{6});
}

TEST(Shape, MakeRefusesWhatCannotBe) {
  EXPECT_TRUE(Make({2, 0}).ok());
  EXPECT_THAT(std::string(Message(Make({2, -1}).status())),
              HasSubstr("[2,-1] has a dimension of -1; must be >= 0"));
  EXPECT_THAT(std::string(Message(Make({1, 1, 1, 1, 1, 1, 1, 1, 1}).status())),
              HasSubstr("has 9 dimensions; at most 8"));
  EXPECT_THAT(std::string(Message(Make({int64_t{1} << 40, int64_t{1} << 40}).status())),
              HasSubstr("more than 2^63 elements"));
  EXPECT_FALSE(Make({0, int64_t{1} << 40, int64_t{1} << 40})
                   .ok());  // even with none: a view of it might have some
  EXPECT_TRUE(MakePartial({-1, 2}).ok());
  EXPECT_FALSE(MakePartial({-2}).ok());
}

TEST(PartialShape, UnknownRankAndDimensions) {
  EXPECT_FALSE(PartialShape().has_rank());
  EXPECT_EQ(PartialShape().ToString(), "<unknown>");
  EXPECT_EQ(PartialShape().num_elements(), -1);
  EXPECT_EQ((PartialShape{-1, 3}).ToString(), "[?,3]");
  EXPECT_FALSE((PartialShape{-1, 3}).is_fully_known());
  EXPECT_EQ(PartialShape::OfRank(2).ToString(), "[?,?]");
  EXPECT_EQ(PartialShape::OfRank(0), PartialShape(Shape()));
  EXPECT_EQ(PartialShape(Shape{2, 3}).num_elements(), 6);
  EXPECT_EQ((PartialShape{2, 3}).ToShape(), (Shape{2, 3}));
  EXPECT_EQ((PartialShape{-7}), (PartialShape{-1}));
}

TEST(PartialShape, MergesWhatBothKnow) {
  EXPECT_EQ(*(PartialShape{-1, 3}).MergedWith({2, -1}), (PartialShape{2, 3}));
  EXPECT_EQ(*PartialShape().MergedWith({2, -1}), (PartialShape{2, -1}));
  EXPECT_EQ(*(PartialShape{2, -1}).MergedWith({}), (PartialShape{2, -1}));
  EXPECT_EQ(Message((PartialShape{2, 3}).MergedWith({-1, 4}).status()),
            "shapes [2,3] and [?,4] are not compatible");
  EXPECT_FALSE((PartialShape{2}).IsCompatibleWith({2, 1}));
  EXPECT_TRUE((PartialShape{2}).IsCompatibleWith({-1}));
}

TEST(Broadcast, FollowsNumPy) {
  auto result = [](Shape a, Shape b) {
    const StatusOr<Shape> out = BroadcastShapes(a, b);
    return out.ok() ? out->ToString() : std::string(Message(out.status()));
  };
  EXPECT_EQ(result({2, 3}, {3}), "[2,3]");
  EXPECT_EQ(result({2, 1}, {1, 4}), "[2,4]");
  EXPECT_EQ(result({}, {5}), "[5]");
  EXPECT_EQ(result({0}, {1}), "[0]");
  EXPECT_EQ(result({2, 3}, {4, 3}), "Incompatible shapes: [2,3] vs. [4,3]");
  EXPECT_EQ(result({0}, {2}), "Incompatible shapes: [0] vs. [2]");
}

TEST(Broadcast, OfPartialShapesClaimsOnlyWhatHolds) {
  // Whatever numbers stand in for the unknown, the result must be compatible with what was said.
  const int64_t dims[] = {-1, 0, 1, 2, 3};
  for (int64_t a : dims) {
    for (int64_t b : dims) {
      const StatusOr<PartialShape> said = BroadcastShapes(PartialShape{a}, PartialShape{b});
      bool possible = false;
      for (int64_t x : {0, 1, 2, 3}) {
        for (int64_t y : {0, 1, 2, 3}) {
          if ((a >= 0 && x != a) || (b >= 0 && y != b)) continue;
          const StatusOr<Shape> real = BroadcastShapes(Shape{x}, Shape{y});
          if (!real.ok()) continue;
          possible = true;
          ASSERT_TRUE(said.ok());
          EXPECT_TRUE(said->IsCompatibleWith(*real))
              << a << " " << b << ": " << said->ToString() << " but " << real->ToString();
        }
      }
      EXPECT_EQ(said.ok(), possible) << a << " " << b;
    }
  }
  EXPECT_FALSE(BroadcastShapes(PartialShape(), PartialShape{2})->has_rank());
}

}  // namespace
}  // namespace headrace

// Tensors of more than 2^31 elements. Each case holds 2 to 4 GB, so they run when asked to:
//
//   HEADRACE_LARGE_TESTS=1 build/release/bin/ops_test --gtest_filter='LargeTensors.*'
#include <gtest/gtest.h>

#include <cstdlib>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/gather.h"
#include "headrace/ops/array/pad.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/reverse.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/tile.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/array/where.h"
#include "headrace/ops/math/arg_reduce.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cumulative.h"
#include "headrace/ops/math/reduce.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

constexpr int64_t kMany = (int64_t{1} << 31) + 6;

class LargeTensors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("HEADRACE_LARGE_TESTS") == nullptr) GTEST_SKIP() << "wants 4 GB";
  }

  // All 0 but for a 7 at the end.
  Output Marked() { return Pad(Const(graph_, {int8_t{7}}), IntArg(Ends())); }
  Output Ends() { return Const(graph_, Tensor::Of<int64_t>({kMany - 1, 0}, {1, 2})); }
  Output At(int64_t place) { return Const(graph_, {place}); }

  std::vector<double> Values(Output y) {
    const auto results = runner_.Run({y});
    EXPECT_TRUE(results.ok()) << results.status();
    return results.ok() ? testing::ToDoubles(results->front()) : std::vector<double>{};
  }

  Graph graph_;
  testing::GraphRunner runner_;
};

using Numbers = std::vector<double>;

TEST_F(LargeTensors, AreReadAtTheirEnds) {
  EXPECT_EQ(Values(Gather(Marked(), At(kMany - 1))), Numbers({7}));
  EXPECT_EQ(Values(Slice(Marked(), IntArg(At(kMany - 2)), IntArg(At(2)))), Numbers({0, 7}));
  EXPECT_EQ(Values(StridedSlice(Marked(), IntArg(At(-1)), IntArg(At(-kMany)),
                                IntArg(At(-(int64_t{1} << 30))))),
            Numbers({7, 0}));
}

TEST_F(LargeTensors, AreReduced) {
  EXPECT_EQ(Values(ArgMax(Marked(), 0)), Numbers({static_cast<double>(kMany - 1)}));
  EXPECT_EQ(Values(ReduceSum(Marked(), {0})), Numbers({7}));
  EXPECT_EQ(Values(ReduceMax(Marked(), {0})), Numbers({7}));
  EXPECT_EQ(Values(Where(Equal(Marked(), Const(graph_, int8_t{7})))),
            Numbers({static_cast<double>(kMany - 1)}));
}

TEST_F(LargeTensors, AreMoved) {
  const auto last = [&](Output x) {
    return Values(Slice(x, IntArg(At(kMany - 2)), IntArg(At(2))));
  };
  EXPECT_EQ(Values(Slice(Reverse(Marked(), {0}), IntArg(At(0)), IntArg(At(2)))), Numbers({7, 0}));
  const Output rows = Reshape(Marked(), {2, kMany / 2});
  EXPECT_EQ(last(Reshape(Transpose(rows), {kMany})), Numbers({0, 7}));
  EXPECT_EQ(last(Cumsum(Marked(), 0)), Numbers({0, 7}));
  const Output pair = Const(graph_, {int8_t{3}, int8_t{4}});
  EXPECT_EQ(last(Tile(pair, IntArg(At(kMany / 2)))), Numbers({3, 4}));
}

}  // namespace
}  // namespace headrace

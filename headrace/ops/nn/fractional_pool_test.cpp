// Fractional pools and the n-th element of rows; values and gradients against TensorFlow's are in
// golden_test.cpp too.
#include "headrace/ops/nn/fractional_pool.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "headrace/ops/nn/nth_element.h"
#include "headrace/ops/testing/golden_nodes.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

TEST(FractionalPool, DrawsTensorFlowsWindows) {
  for (const bool mean : {false, true}) {
    const auto pool = mean ? FractionalAvgPool : FractionalMaxPool;
    const std::string name = mean ? "fractional_avg_pool:" : "fractional_max_pool:";
    const auto check = [&](const std::string& tag, const FractionalPoolOptions& o) {
      testing::ExpectRunsOf("nn", name + tag,
                            [&](Graph&, const std::vector<Output>& x) {
                              const FractionalPoolOutputs p = pool(x[0], o, Location::Current());
                              return std::vector{p.row_pooling_sequence, p.col_pooling_sequence};
                            },
                            1, Location::Current(), {1, 2});
    };
    for (const bool pseudo : {false, true}) {
      for (const bool overlapping : {false, true}) {
        check(StrCat(pseudo ? "pseudo" : "random", overlapping ? "_overlapping" : "_apart"),
              {.pooling_ratio = {1, 1.44f, 1.73f, 1},
               .pseudo_random = pseudo,
               .overlapping = overlapping,
               .deterministic = true,
               .seed = 5,
               .seed2 = 7});
      }
    }
    check("whole", {.pooling_ratio = {1, 3, 2, 1}, .deterministic = true, .seed = 1});
  }
}

// Windows cover the image without gaps; each run draws others, unless they are kept.
TEST(FractionalPool, WindowsCoverTheImage) {
  Graph g;
  const Output x = testing::FedTensor(g, DType::kFloat32, {1, 50, 40, 1}, "x");
  const FractionalPoolOutputs p = FractionalMaxPool(x, {.pooling_ratio = {1, 1.7f, 1.3f, 1}});
  const testing::Feeds feeds{{x, RandomTensor(DType::kFloat32, {1, 50, 40, 1})}};
  testing::GraphRunner runner;
  std::vector<Tensor> first;
  bool differs = false;
  for (int run = 0; run < 5; ++run) {
    const auto values = runner.Run({p.row_pooling_sequence, p.col_pooling_sequence}, feeds);
    ASSERT_TRUE(values.ok()) << values.status();
    for (const auto& [sequence, size] : {std::pair((*values)[0], 50), {(*values)[1], 40}}) {
      const int64_t* begins = sequence.data<int64_t>();
      const int64_t windows = sequence.num_elements() - 1;
      EXPECT_EQ(begins[0], 0);
      EXPECT_EQ(begins[windows], size);
      for (int64_t i = 0; i < windows; ++i) {
        EXPECT_GE(begins[i + 1] - begins[i], 1);
        EXPECT_LE(begins[i + 1] - begins[i], 2);
      }
    }
    if (first.empty()) first = *values;
    differs |= testing::BitDifference((*values)[0], first[0]) != "";
  }
  EXPECT_TRUE(differs);
}

TEST(FractionalPoolGrad, MatchesReference) {
  const Tensor x = Tensor::Of<float>({1, 5, 2, 3, 4, 4}, {1, 2, 3, 1}),
               rows = Tensor::Of<int64_t>({0, 2}), columns = Tensor::Of<int64_t>({0, 1, 3});
  CheckOp({.op = "FractionalMaxPoolGrad",
           .attrs = {{"overlapping", true}},
           .inputs = {x, Tensor::Of<float>({5, 5}, {1, 1, 2, 1}),
                      Tensor::Of<float>({1, 2}, {1, 1, 2, 1}), rows, columns},
           .expected = {Tensor::Of<float>({0, 3, 0, 0, 0, 0}, {1, 2, 3, 1})},
           .gradient_of = std::vector<int>{}});
  CheckOp({.op = "FractionalAvgPoolGrad",
           .inputs = {Tensor::Of<int64_t>({1, 2, 3, 1}), Tensor::Of<float>({2, 4}, {1, 1, 2, 1}),
                      rows, columns},
           .constant_inputs = {0},
           .expected = {Tensor::Of<float>({1, 1, 1, 1, 1, 1}, {1, 2, 3, 1})},
           .gradient_of = std::vector<int>{}});
  CheckOpError(
      {.op = "FractionalMaxPoolGrad",
       .inputs = {x, Tensor::Of<float>({5, 5}, {1, 1, 2, 1}),
                  Tensor::Of<float>({1, 2}, {1, 1, 2, 1}), rows, Tensor::Of<int64_t>({0, 1, 4})},
       .text = "col_pooling_sequence must rise within [0, 3]",
       .at_build = false});
}

TEST(FractionalPool, RefusesWrongArguments) {
  const auto check = [](AttrMap attrs, const Shape& shape, absl::StatusCode code, const char* text,
                        bool at_build = true, bool in_step = true) {
    CheckOpError({.op = "FractionalMaxPool",
                  .attrs = std::move(attrs),
                  .inputs = {RandomTensor(DType::kFloat32, shape)},
                  .code = code,
                  .text = text,
                  .at_build = at_build,
                  .in_step = in_step});
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  using Ratio = AttrValue::Floats;
  const Shape x{1, 4, 4, 1};
  check({{"pooling_ratio", Ratio{1, 2, 2, 1, 1}}}, x, kInvalid, "must specify 4 dimensions", true,
        false);
  check({{"pooling_ratio", Ratio{1, 0.5f, 2, 1}}}, x, kInvalid, "cannot be smaller than 1", true,
        false);
  check({{"pooling_ratio", Ratio{1, 2, 2, 2}}}, x, absl::StatusCode::kUnimplemented,
        "not yet supported on the batch nor channel dimension", true, false);
  check({{"pooling_ratio", Ratio{1, 5, 2, 1}}}, x, kInvalid, "leaves nothing of dimension 1");
  check({{"pooling_ratio", Ratio{1, 2, 2, 1}}}, {4, 4, 1}, kInvalid, "4-dimensional");
  check({{"pooling_ratio", Ratio{1, 2, 2, 1}}, {"seed", int64_t{3}}}, x, kInvalid,
        "Both seed and seed2 should be 0 if deterministic is false.", false);
}

TEST(NthElement, MatchesReference) {
  const auto nth = [](int64_t n) -> testing::Reference {
    return [n](const std::vector<Tensor>& in) {
      const Shape shape = in[0].shape();
      const int64_t width = shape[shape.rank() - 1];
      const std::vector<double> x = testing::ToDoubles(in[0]);
      std::vector<double> y;
      for (size_t i = 0; i < x.size(); i += static_cast<size_t>(width)) {
        std::vector<double> row(x.begin() + static_cast<int64_t>(i),
                                x.begin() + static_cast<int64_t>(i) + width);
        std::ranges::sort(row);
        y.push_back(row[static_cast<size_t>(n)]);
      }
      return std::vector{testing::FromDoubles(
          y, Shape(shape.dims().first(static_cast<size_t>(shape.rank() - 1))))};
    };
  };
  const Tensor x = RandomTensor(DType::kFloat32, {2, 3, 5}, -90, 90),
               n = Tensor::Of<int32_t>({1}, Shape());
  const DTypeSet types{DType::kFloat64, DType::kFloat16, DType::kInt8, DType::kInt64};
  CheckOp({.op = "NthElement",
           .inputs = {x, n},
           .constant_inputs = {1},
           .reference = nth(1),
           .dtypes = types,
           .shapes = {{{0, 5}, Shape()}, {{5}, Shape()}}});
  CheckOp({.op = "NthElement",
           .attrs = {{"reverse", true}},
           .inputs = {x, n},
           .constant_inputs = {1},
           .reference = nth(3)});
  const auto fails = [](const Shape& shape, int32_t place, const char* text) {
    CheckOpError(
        {.op = "NthElement",
         .inputs = {RandomTensor(DType::kFloat32, shape), Tensor::Of<int32_t>({place}, Shape())},
         .constant_inputs = {1},
         .text = text});
  };
  fails({2, 3}, 3, "3");
  fails({2, 3}, -1, "-1");
  fails(Shape(), 0, "");
}

}  // namespace
}  // namespace headrace

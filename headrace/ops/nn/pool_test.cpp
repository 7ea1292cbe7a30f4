#include "headrace/ops/nn/pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "headrace/ops/nn/pool_geometry.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

AttrMap AttrsOf(const PoolOptions& o) {
  return {{"ksize", o.ksize},
          {"strides", o.strides},
          {"padding", o.padding},
          {"data_format", o.data_format}};
}

// Calls body(output offset, input offsets of the window) for each element of the result.
template <class Body>
void ForEachWindow(const PoolAttrs& attrs, const Shape& input, Body body) {
  const PartialShape out = *attrs.OutputShape(input);
  const PoolShape s = *PoolShape::Of(attrs, input);
  const int64_t channels = input[attrs.channel_dim()], depth = out[attrs.channel_dim()];
  const auto at = [&](int64_t n, int64_t c, int64_t y, int64_t x, int64_t all, int64_t height,
                      int64_t width) {
    return attrs.channels_first ? ((n * all + c) * height + y) * width + x
                                : ((n * height + y) * width + x) * all + c;
  };
  for (int64_t n = 0; n < input[0]; ++n)
    for (int64_t oy = 0; oy < s.h.out; ++oy)
      for (int64_t ox = 0; ox < s.w.out; ++ox)
        for (int64_t d = 0; d < depth; ++d) {
          std::vector<int64_t> taps;
          for (int64_t i = 0; i < s.h.filter; ++i)
            for (int64_t j = 0; j < s.w.filter; ++j)
              for (int64_t k = 0; k < attrs.depth_size; ++k) {
                const int64_t y = oy * s.h.stride - s.h.pad_before + i,
                              x = ox * s.w.stride - s.w.pad_before + j;
                if (y < 0 || y >= s.h.in || x < 0 || x >= s.w.in) continue;
                taps.push_back(at(n, d * attrs.depth_size + k, y, x, channels, s.h.in, s.w.in));
              }
          body(at(n, d, oy, ox, depth, s.h.out, s.w.out), taps);
        }
}

int64_t Largest(const std::vector<double>& x, const std::vector<int64_t>& taps) {
  int64_t best = taps[0];
  for (const int64_t tap : taps) {
    if (x[best] < x[tap]) best = tap;
  }
  return best;
}

testing::Reference MaxReference(const AttrMap& attrs) {
  return [attrs](const std::vector<Tensor>& in) {
    const PoolAttrs a = *PoolAttrs::From(attrs);
    const std::vector<double> x = testing::ToDoubles(in[0]);
    const Shape out = a.OutputShape(in[0].shape())->ToShape();
    std::vector<double> y(out.num_elements());
    ForEachWindow(a, in[0].shape(),
                  [&](int64_t o, const std::vector<int64_t>& taps) { y[o] = x[Largest(x, taps)]; });
    return std::vector{testing::FromDoubles(y, out)};
  };
}
testing::Reference MaxGradReference(const AttrMap& attrs) {
  return [attrs](const std::vector<Tensor>& in) {
    const std::vector<double> x = testing::ToDoubles(in[0]), dy = testing::ToDoubles(in[2]);
    std::vector<double> dx(x.size());
    ForEachWindow(
        *PoolAttrs::From(attrs), in[0].shape(),
        [&](int64_t o, const std::vector<int64_t>& taps) { dx[Largest(x, taps)] += dy[o]; });
    return std::vector{testing::FromDoubles(dx, in[0].shape())};
  };
}
testing::Reference MeanReference(const AttrMap& attrs) {
  return [attrs](const std::vector<Tensor>& in) {
    const PoolAttrs a = *PoolAttrs::From(attrs);
    const std::vector<double> x = testing::ToDoubles(in[0]);
    const Shape out = a.OutputShape(in[0].shape())->ToShape();
    std::vector<double> y(out.num_elements());
    ForEachWindow(a, in[0].shape(), [&](int64_t o, const std::vector<int64_t>& taps) {
      for (const int64_t tap : taps) y[o] += x[tap] / static_cast<double>(taps.size());
    });
    return std::vector{testing::FromDoubles(y, out)};
  };
}

const PoolOptions kOptions[] = {
    {},
    {.padding = "VALID"},
    {.ksize = {1, 3, 3, 1}, .strides = {1, 2, 2, 1}},
    {.ksize = {1, 3, 3, 1}, .strides = {1, 1, 1, 1}, .padding = "VALID"},
    {.ksize = {1, 2, 3, 1}, .strides = {1, 3, 2, 1}},
    {.ksize = {1, 2, 2, 1}, .strides = {1, 3, 3, 1}, .padding = "VALID"},
    {.ksize = {1, 1, 2, 2}, .strides = {1, 1, 2, 2}, .data_format = "NCHW"},
    {.ksize = {1, 1, 3, 2}, .strides = {1, 1, 1, 2}, .padding = "VALID", .data_format = "NCHW"},
};
const PoolOptions kOverDepth[] = {
    {.ksize = {1, 1, 1, 2}, .strides = {1, 1, 1, 2}},
    {.ksize = {1, 3, 1, 1}, .strides = {1, 3, 1, 1}, .data_format = "NCHW"},
};

TEST(MaxPool, MatchesReference) {
  for (const PoolOptions& o : kOptions) {
    const AttrMap attrs = AttrsOf(o);
    CheckOp({.op = "MaxPool",
             .attrs = attrs,
             .inputs = {RandomTensor(DType::kFloat32, {2, 5, 6, 4}, -9, 9)},
             .reference = MaxReference(attrs),
             .dtypes = kFloatTypes | DTypeSet{DType::kInt8, DType::kInt16, DType::kInt32,
                                              DType::kInt64, DType::kUInt8, DType::kUInt16},
             .shapes = {{{0, 5, 5, 3}}, {{1, 8, 8, 45}}, {{3, 4, 4, 33}}}});
  }
  for (const PoolOptions& o : kOverDepth) {
    const AttrMap attrs = AttrsOf(o);
    CheckOp({.op = "MaxPool",
             .attrs = attrs,
             .inputs = {RandomTensor(DType::kFloat32, {2, 6, 3, 6})},
             .reference = MaxReference(attrs)});
  }
}

TEST(MaxPoolGrad, MatchesReference) {
  for (const PoolOptions& o : kOptions) {
    const AttrMap attrs = AttrsOf(o);
    for (const Shape& shape : {Shape{2, 5, 6, 4}, Shape{1, 8, 8, 45}, Shape{0, 4, 4, 2}}) {
      const Tensor x = RandomTensor(DType::kFloat32, shape);
      const Tensor y = testing::Converted(MaxReference(attrs)({x})[0], DType::kFloat32);
      CheckOp({.op = "MaxPoolGrad",
               .attrs = attrs,
               .inputs = {x, y, RandomTensor(DType::kFloat32, y.shape(), -1, 1, 2)},
               .reference = MaxGradReference(attrs),
               .gradient_of = std::vector<int>{2}});
    }
  }
}

TEST(MaxPoolV2, MatchesReference) {
  const PoolOptions o{.ksize = {1, 3, 2, 1}, .strides = {1, 2, 1, 1}};
  const AttrMap attrs = AttrsOf(o);
  const Tensor x = RandomTensor(DType::kFloat32, {2, 5, 6, 3});
  const Tensor ksize = Tensor::Of<int32_t>({1, 3, 2, 1}),
               strides = Tensor::Of<int32_t>({1, 2, 1, 1});
  CheckOp({.op = "MaxPoolV2",
           .attrs = {{"padding", "SAME"}},
           .inputs = {x, ksize, strides},
           .constant_inputs = {1, 2},
           .reference = MaxReference(attrs)});
  const Tensor y = testing::Converted(MaxReference(attrs)({x})[0], DType::kFloat32);
  CheckOp({.op = "MaxPoolGradV2",
           .attrs = {{"padding", "SAME"}},
           .inputs = {x, y, RandomTensor(DType::kFloat32, y.shape()), ksize, strides},
           .constant_inputs = {3, 4},
           .reference = MaxGradReference(attrs),
           .gradient_of = std::vector<int>{2}});
}

TEST(MaxPool, TiesAndNan) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Graph g;
  const Output x = testing::FedTensor(g, DType::kFloat32, {1, 2, 2, 1}, "x");
  const Output y = MaxPool(x);
  const Output dx = MaxPoolGrad(x, y, testing::FedTensor(g, DType::kFloat32, {1, 1, 1, 1}, "dy"));
  const auto run = [&](std::initializer_list<float> values) {
    const Tensor tensor = Tensor::Of<float>(values, {1, 2, 2, 1});
    return testing::Evaluate(
        {y, dx}, {{x, tensor}, {*g.FindOutput("dy"), Tensor::Of<float>({7}, {1, 1, 1, 1})}});
  };
  EXPECT_EQ(
      testing::BitDifference(run({1, 3, 3, 2})[1], Tensor::Of<float>({0, 7, 0, 0}, {1, 2, 2, 1})),
      "");
  EXPECT_EQ(run({kNan, 1, 2, 3})[0].data<float>()[0], 3);
  EXPECT_EQ(testing::BitDifference(run({kNan, 1, 2, 3})[1],
                                   Tensor::Of<float>({7, 0, 0, 0}, {1, 2, 2, 1})),
            "");
  EXPECT_EQ(testing::BitDifference(run({1, kNan, 2, 3})[1],
                                   Tensor::Of<float>({0, 0, 0, 7}, {1, 2, 2, 1})),
            "");
}

TEST(AvgPool, MatchesReference) {
  for (const PoolOptions& o : kOptions) {
    const AttrMap attrs = AttrsOf(o);
    CheckOp({.op = "AvgPool",
             .attrs = attrs,
             .inputs = {RandomTensor(DType::kFloat32, {2, 5, 6, 4})},
             .reference = MeanReference(attrs),
             .dtypes = DTypeSet{DType::kFloat16, DType::kFloat32, DType::kFloat64},
             .shapes = {{{0, 5, 5, 3}}, {{1, 8, 8, 45}}}});
  }
}

TEST(Pool, RefusesWrongArguments) {
  const auto check = [](const char* op, const Shape& shape, const PoolOptions& o,
                        absl::StatusCode code, const char* text, bool in_step) {
    CheckOpError({.op = op,
                  .attrs = AttrsOf(o),
                  .inputs = {RandomTensor(DType::kFloat32, shape)},
                  .code = code,
                  .text = text,
                  .in_step = in_step});
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument,
                 kMissing = absl::StatusCode::kUnimplemented;
  for (const char* op : {"MaxPool", "AvgPool"}) {
    check(op, {5, 5, 3}, {}, kInvalid, "", true);
    check(op, {1, 5, 5, 3}, {.ksize = {1, 6, 6, 1}, .padding = "VALID"}, kInvalid,
          "Negative dimension size", false);
    check(op, {1, 5, 5, 3}, {.ksize = {1, 2, 2}}, kInvalid, "", false);
    check(op, {1, 5, 5, 3}, {.ksize = {1, 0, 2, 1}}, kInvalid, "ksize must be positive", false);
    check(op, {1, 5, 5, 3}, {.ksize = {2, 2, 2, 1}}, kMissing,
          "Pooling is not yet supported on the batch dimension.", false);
  }
  check("MaxPool", {1, 5, 5, 4}, {.ksize = {1, 2, 1, 2}, .strides = {1, 1, 1, 2}}, kMissing,
        "exactly one of pooling across depth or pooling across width/height", false);
  check("MaxPool", {1, 5, 5, 4}, {.ksize = {1, 1, 1, 3}, .strides = {1, 1, 1, 3}}, kMissing,
        "evenly divide the input depth", true);
  const Tensor x = RandomTensor(DType::kFloat32, {1, 5, 5, 3}),
               y = RandomTensor(DType::kFloat32, {1, 3, 3, 3});
  CheckOpError({.op = "MaxPoolGrad",
                .attrs = AttrsOf({}),
                .inputs = {x, y, x},
                .text = "grad must have shape"});
  CheckOpError({.op = "AvgPoolGrad",
                .attrs = AttrsOf({}),
                .inputs = {Tensor::Of<int32_t>({1, 5, 5, 3}), x},
                .constant_inputs = {0},
                .text = "grad must have shape"});
}

}  // namespace
}  // namespace headrace

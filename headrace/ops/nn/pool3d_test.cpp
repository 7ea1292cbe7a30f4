#include "headrace/ops/nn/pool3d.h"

#include <gtest/gtest.h>

#include <limits>

#include "headrace/ops/nn/pool3d_geometry.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

AttrMap AttrsOf(const Pool3DOptions& o) {
  return {{"ksize", o.ksize},
          {"strides", o.strides},
          {"padding", o.padding},
          {"data_format", o.data_format}};
}

// Calls body(output offset, input offsets of the window) for each element of the result.
template <class Body>
void ForEachWindow(const Pool3DAttrs& attrs, const Shape& input, Body body) {
  const int64_t channels = input[attrs.channel_dim()];
  std::array<Window, 3> w;
  for (int i = 0; i < 3; ++i) {
    w[i] = {.in = input[attrs.spatial_dim(i)], .filter = attrs.size[i], .stride = attrs.stride[i]};
    ASSERT_TRUE(w[i].Resolve(attrs.padding).ok());
  }
  const auto at = [&](int64_t n, int64_t c, std::array<int64_t, 3> p, bool out) {
    const auto size = [&](int i) { return out ? w[i].out : w[i].in; };
    return attrs.channels_first
               ? (((n * channels + c) * size(0) + p[0]) * size(1) + p[1]) * size(2) + p[2]
               : (((n * size(0) + p[0]) * size(1) + p[1]) * size(2) + p[2]) * channels + c;
  };
  const auto inside = [&](int i, int64_t p) { return p >= 0 && p < w[i].in; };
  for (int64_t n = 0; n < input[0]; ++n)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t oz = 0; oz < w[0].out; ++oz)
        for (int64_t oy = 0; oy < w[1].out; ++oy)
          for (int64_t ox = 0; ox < w[2].out; ++ox) {
            std::vector<int64_t> taps;
            for (int64_t k = 0; k < w[0].filter; ++k)
              for (int64_t i = 0; i < w[1].filter; ++i)
                for (int64_t j = 0; j < w[2].filter; ++j) {
                  const int64_t z = oz * w[0].stride - w[0].pad_before + k,
                                y = oy * w[1].stride - w[1].pad_before + i,
                                x = ox * w[2].stride - w[2].pad_before + j;
                  if (inside(0, z) && inside(1, y) && inside(2, x))
                    taps.push_back(at(n, c, {z, y, x}, false));
                }
            body(at(n, c, {oz, oy, ox}, true), taps);
          }
}

int64_t Largest(const std::vector<double>& x, const std::vector<int64_t>& taps) {
  int64_t best = taps[0];
  for (const int64_t tap : taps) {
    if (x[best] < x[tap]) best = tap;
  }
  return best;
}

testing::Reference ForwardReference(const AttrMap& attrs, bool mean) {
  return [attrs, mean](const std::vector<Tensor>& in) {
    const Pool3DAttrs a = *Pool3DAttrs::From(attrs);
    const std::vector<double> x = testing::ToDoubles(in[0]);
    const Shape out = a.OutputShape(in[0].shape())->ToShape();
    std::vector<double> y(out.num_elements());
    ForEachWindow(a, in[0].shape(), [&](int64_t o, const std::vector<int64_t>& taps) {
      if (!mean) y[o] = x[Largest(x, taps)];
      for (size_t i = 0; mean && i < taps.size(); ++i)
        y[o] += x[taps[i]] / static_cast<double>(taps.size());
    });
    return std::vector{testing::FromDoubles(y, out)};
  };
}

const Pool3DOptions kOptions[] = {
    {},
    {.padding = "VALID"},
    {.ksize = {1, 3, 2, 3, 1}, .strides = {1, 2, 1, 2, 1}},
    {.ksize = {1, 2, 3, 1, 1}, .strides = {1, 1, 1, 1, 1}, .padding = "VALID"},
    {.ksize = {1, 1, 2, 2, 1}, .strides = {1, 3, 3, 3, 1}},
    {.ksize = {1, 1, 2, 1, 2}, .strides = {1, 1, 2, 1, 2}, .data_format = "NCDHW"},
};

TEST(MaxPool3D, MatchesReference) {
  for (const Pool3DOptions& o : kOptions) {
    const AttrMap attrs = AttrsOf(o);
    CheckOp({.op = "MaxPool3D",
             .attrs = attrs,
             .inputs = {RandomTensor(DType::kFloat32, {2, 3, 4, 5, 4}, -9, 9)},
             .reference = ForwardReference(attrs, false),
             .dtypes = DTypeSet{DType::kFloat16},
             .shapes = {{{0, 4, 4, 4, 3}}, {{1, 4, 4, 5, 45}}},
             .second_order = false,
             .gradient_tolerance = 2e-2,
             .gradient_dtype = DType::kFloat32,
             .gradient_step = 1e-3});
  }
}

TEST(AvgPool3D, MatchesReference) {
  for (const Pool3DOptions& o : kOptions) {
    const AttrMap attrs = AttrsOf(o);
    CheckOp({.op = "AvgPool3D",
             .attrs = attrs,
             .inputs = {RandomTensor(DType::kFloat32, {2, 3, 4, 5, 4})},
             .reference = ForwardReference(attrs, true),
             .dtypes = DTypeSet{DType::kFloat16, DType::kFloat64},
             .shapes = {{{0, 4, 4, 4, 3}}, {{1, 4, 4, 5, 45}}}});
  }
}

TEST(MaxPool3DGrad, GivesAllEqualElementsTheGradient) {
  for (const Pool3DOptions& o : kOptions) {
    const AttrMap attrs = AttrsOf(o);
    // Few values, so that there are many ties.
    const Tensor x =
        testing::Converted(RandomTensor(DType::kInt32, {2, 3, 4, 5, 4}, 0, 3), DType::kFloat32);
    const Tensor y = testing::Converted(ForwardReference(attrs, false)({x})[0], DType::kFloat32);
    CheckOp({.op = "MaxPool3DGrad",
             .attrs = attrs,
             .inputs = {x, y, RandomTensor(DType::kFloat32, y.shape(), -1, 1, 2)},
             .reference =
                 [&](const std::vector<Tensor>& in) {
                   const std::vector<double> v = testing::ToDoubles(in[0]),
                                             dy = testing::ToDoubles(in[2]);
                   std::vector<double> dx(v.size());
                   ForEachWindow(*Pool3DAttrs::From(attrs), in[0].shape(),
                                 [&](int64_t out, const std::vector<int64_t>& taps) {
                                   const double best = v[Largest(v, taps)];
                                   for (const int64_t tap : taps)
                                     dx[tap] += v[tap] == best ? dy[out] : 0;
                                 });
                   return std::vector{testing::FromDoubles(dx, in[0].shape())};
                 },
             .gradient_of = std::vector<int>{}});
    CheckOp({.op = "MaxPool3DGradGrad",
             .attrs = attrs,
             .inputs = {x, y, RandomTensor(DType::kFloat32, x.shape(), -1, 1, 2)},
             .reference =
                 [&](const std::vector<Tensor>& in) {
                   const std::vector<double> v = testing::ToDoubles(in[0]),
                                             g = testing::ToDoubles(in[2]);
                   std::vector<double> out_grad(in[1].num_elements());
                   ForEachWindow(*Pool3DAttrs::From(attrs), in[0].shape(),
                                 [&](int64_t out, const std::vector<int64_t>& taps) {
                                   out_grad[out] = g[Largest(v, taps)];
                                 });
                   return std::vector{testing::FromDoubles(out_grad, in[1].shape())};
                 },
             .gradient_of = std::vector<int>{}});
  }
}

TEST(MaxPool3D, PassesOverNan) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  CheckOp({.op = "MaxPool3D",
           .attrs = AttrsOf({}),
           .inputs = {Tensor::Of<float>({kNan, 1, 2, 3, 1, 2, 3, 4}, {1, 2, 2, 2, 1})},
           .expected = {Tensor::Of<float>({4}, {1, 1, 1, 1, 1})},
           .gradient_of = std::vector<int>{}});
}

TEST(Pool3D, RefusesWrongArguments) {
  const auto check = [](const char* op, const Shape& shape, const Pool3DOptions& o,
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
  const Shape x{1, 3, 3, 3, 2};
  for (const char* op : {"MaxPool3D", "AvgPool3D"}) {
    check(op, {3, 3, 3, 2}, {}, kInvalid, "5 dimensions", true);
    check(op, {1, 1, 3, 3, 2}, {.padding = "VALID"}, kInvalid, "Negative dimension size", false);
    check(op, x, {.ksize = {1, 2, 2, 2}}, kInvalid, "", false);
    check(op, x, {.ksize = {1, 0, 2, 2, 1}}, kInvalid, "ksize must be positive", false);
    check(op, x, {.ksize = {2, 2, 2, 2, 1}}, kMissing,
          "Pooling is not yet supported on the batch dimension.", false);
    check(op, x, {.ksize = {1, 2, 2, 2, 2}}, kMissing,
          "Pooling is not yet supported on the depth dimension.", false);
  }
  const Tensor input = RandomTensor(DType::kFloat32, x),
               pooled = RandomTensor(DType::kFloat32, {1, 2, 2, 2, 2});
  CheckOpError({.op = "MaxPool3DGrad",
                .attrs = AttrsOf({}),
                .inputs = {input, pooled, input},
                .text = "grad must have shape"});
  CheckOpError({.op = "AvgPool3DGrad",
                .attrs = AttrsOf({}),
                .inputs = {Tensor::Of<int32_t>({1, 3, 3, 3, 2}), input},
                .constant_inputs = {0},
                .text = "grad must have shape"});
}

}  // namespace
}  // namespace headrace

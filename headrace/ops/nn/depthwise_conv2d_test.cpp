#include "headrace/ops/nn/depthwise_conv2d.h"

#include <gtest/gtest.h>

#include "headrace/ops/nn/conv_geometry.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::RandomTensor;

AttrMap AttrsOf(const DepthwiseConv2dOptions& o) {
  return {{"strides", o.strides},
          {"padding", o.padding},
          {"data_format", o.data_format},
          {"dilations", o.dilations}};
}

// y[n, oy, ox, c * m + q] = sum of x[n, y, x, c] * w[i, j, c, q].
testing::Reference DepthwiseReference(const AttrMap& attr_map) {
  return [attr_map](const std::vector<Tensor>& in) {
    const ConvAttrs attrs = *ConvAttrs::From(attr_map);
    const Shape& f = in[1].shape();
    const ConvShape s = *ConvShape::Of(attrs, in[0].shape(), {f[0], f[1], f[2], f[2] * f[3]});
    const std::vector<double> x = testing::ToDoubles(in[0]), w = testing::ToDoubles(in[1]);
    const auto at = [&](int64_t n, int64_t c, int64_t y, int64_t col, int64_t channels,
                        int64_t height, int64_t width) {
      return attrs.channels_first ? ((n * channels + c) * height + y) * width + col
                                  : ((n * height + y) * width + col) * channels + c;
    };
    std::vector<double> out(s.output(attrs).num_elements());
    for (int64_t n = 0; n < s.batch; ++n)
      for (int64_t oy = 0; oy < s.h.out; ++oy)
        for (int64_t ox = 0; ox < s.w.out; ++ox)
          for (int64_t i = 0; i < f[0]; ++i)
            for (int64_t j = 0; j < f[1]; ++j) {
              const int64_t y = oy * s.h.stride - s.h.pad_before + i * s.h.dilation;
              const int64_t col = ox * s.w.stride - s.w.pad_before + j * s.w.dilation;
              if (y < 0 || y >= s.h.in || col < 0 || col >= s.w.in) continue;
              for (int64_t c = 0; c < f[2]; ++c)
                for (int64_t q = 0; q < f[3]; ++q) {
                  out[at(n, c * f[3] + q, oy, ox, s.out_channels, s.h.out, s.w.out)] +=
                      x[at(n, c, y, col, s.in_channels, s.h.in, s.w.in)] *
                      w[((i * f[1] + j) * f[2] + c) * f[3] + q];
                }
            }
    return std::vector{testing::FromDoubles(out, s.output(attrs))};
  };
}

// The gradients, and theirs, are checked against differences.
TEST(DepthwiseConv2d, MatchesReference) {
  for (const DepthwiseConv2dOptions& o :
       {DepthwiseConv2dOptions{},
        DepthwiseConv2dOptions{.strides = {1, 2, 2, 1}, .padding = "VALID"},
        DepthwiseConv2dOptions{.dilations = {1, 2, 2, 1}}}) {
    const AttrMap attrs = AttrsOf(o);
    for (int64_t multiplier : {1, 2}) {
      CheckOp({.op = "DepthwiseConv2dNative",
               .attrs = attrs,
               .inputs = {RandomTensor(DType::kFloat32, {2, 5, 6, 3}),
                          RandomTensor(DType::kFloat32, {3, 3, 3, multiplier}, -1, 1, 2)},
               .reference = DepthwiseReference(attrs),
               .dtypes = DTypeSet{DType::kFloat16, DType::kFloat64}});
    }
    CheckOp({.op = "DepthwiseConv2dNative",
             .attrs = attrs,
             .inputs = {RandomTensor(DType::kFloat32, {3, 9, 8, 70}),
                        RandomTensor(DType::kFloat32, {3, 2, 70, 1}, -1, 1, 2)},
             .reference = DepthwiseReference(attrs),
             .gradient_of = std::vector<int>{}});
  }
  const AttrMap nchw = AttrsOf({.data_format = "NCHW"});
  CheckOp({.op = "DepthwiseConv2dNative",
           .attrs = nchw,
           .inputs = {RandomTensor(DType::kFloat32, {2, 3, 5, 4}),
                      RandomTensor(DType::kFloat32, {3, 3, 3, 2}, -1, 1, 2)},
           .reference = DepthwiseReference(nchw)});
}

TEST(DepthwiseConv2d, RefusesWrongShapes) {
  const AttrMap attrs = AttrsOf({});
  testing::CheckOpError({.op = "DepthwiseConv2dNative",
                         .attrs = attrs,
                         .inputs = {RandomTensor(DType::kFloat32, {2, 5, 6, 3}),
                                    RandomTensor(DType::kFloat32, {3, 3, 4, 1})}});
  testing::CheckOpError({.op = "DepthwiseConv2dNative",
                         .attrs = attrs,
                         .inputs = {RandomTensor(DType::kFloat32, {2, 5, 3}),
                                    RandomTensor(DType::kFloat32, {3, 3, 3, 1})}});
}

}  // namespace
}  // namespace headrace

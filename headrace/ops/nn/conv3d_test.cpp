// Convolutions over volumes against plain loops in float64.
#include "headrace/ops/nn/conv3d.h"

#include <gtest/gtest.h>

#include <cmath>

#include "headrace/ops/nn/conv3d_geometry.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

// Sums over all windows: calls body(output, input, filter) with the offsets of elements that are
// multiplied.
template <class Body>
void ForEachProduct(const Conv3DAttrs& attrs, const ConvShape& s, Body body) {
  const auto at = [&](int64_t n, int64_t c, int64_t z, int64_t y, int64_t x, int64_t channels,
                      int64_t depth, int64_t height, int64_t width) {
    return attrs.channels_first ? (((n * channels + c) * depth + z) * height + y) * width + x
                                : (((n * depth + z) * height + y) * width + x) * channels + c;
  };
  const auto place = [](const Window& w, int64_t out, int64_t tap) {
    return out * w.stride - w.pad_before + tap * w.dilation;
  };
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t oz = 0; oz < s.d.out; ++oz)
      for (int64_t oy = 0; oy < s.h.out; ++oy)
        for (int64_t ox = 0; ox < s.w.out; ++ox)
          for (int64_t k = 0; k < s.d.filter; ++k)
            for (int64_t i = 0; i < s.h.filter; ++i)
              for (int64_t j = 0; j < s.w.filter; ++j) {
                const int64_t z = place(s.d, oz, k), y = place(s.h, oy, i), x = place(s.w, ox, j);
                if (z < 0 || z >= s.d.in || y < 0 || y >= s.h.in || x < 0 || x >= s.w.in) continue;
                for (int64_t c = 0; c < s.in_channels; ++c)
                  for (int64_t d = 0; d < s.out_channels; ++d) {
                    body(at(n, d, oz, oy, ox, s.out_channels, s.d.out, s.h.out, s.w.out),
                         at(n, c, z, y, x, s.in_channels, s.d.in, s.h.in, s.w.in),
                         (((k * s.h.filter + i) * s.w.filter + j) * s.in_channels + c) *
                                 s.out_channels +
                             d);
                  }
              }
}

AttrMap AttrsOf(const Conv3DOptions& o) {
  return {{"strides", o.strides},
          {"padding", o.padding},
          {"data_format", o.data_format},
          {"dilations", o.dilations}};
}

Tensor ShapeTensor(const Shape& shape) {
  Tensor t(DType::kInt32, {shape.rank()});
  for (int i = 0; i < shape.rank(); ++i) t.data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
  return t;
}

// All three ops of one geometry, in float32 and float64; the older gradients too. Gradients of
// gradients are checked where asked.
void CheckGeometry(const Shape& input, const Shape& filter, const Conv3DOptions& o,
                   bool check_gradients = false) {
  SCOPED_TRACE(StrCat(input.ToString(), " * ", filter.ToString(), " ", o.padding, " ",
                      o.data_format, " strides ", StrJoin(o.strides, ","), " dilations ",
                      StrJoin(o.dilations, ",")));
  const AttrMap attrs = AttrsOf(o);
  const Conv3DAttrs conv = *Conv3DAttrs::From(attrs);
  const ConvShape s = *conv.ShapeOf(input, filter);
  const Shape output = conv.OutputShape(s);
  const Tensor x = RandomTensor(DType::kFloat32, input),
               w = RandomTensor(DType::kFloat32, filter, -1, 1, 2),
               dy = RandomTensor(DType::kFloat32, output, -1, 1, 3);
  const auto forward = [&](const std::vector<Tensor>& in) {
    const std::vector<double> a = testing::ToDoubles(in[0]), b = testing::ToDoubles(in[1]);
    std::vector<double> y(output.num_elements());
    ForEachProduct(conv, s, [&](int64_t out, int64_t i, int64_t f) { y[out] += a[i] * b[f]; });
    return std::vector{testing::FromDoubles(y, output)};
  };
  const auto to_input = [&](const std::vector<Tensor>& in) {
    const std::vector<double> b = testing::ToDoubles(in[1]), g = testing::ToDoubles(in[2]);
    std::vector<double> dx(input.num_elements());
    ForEachProduct(conv, s, [&](int64_t out, int64_t i, int64_t f) { dx[i] += g[out] * b[f]; });
    return std::vector{testing::FromDoubles(dx, input)};
  };
  const auto to_filter = [&](const std::vector<Tensor>& in) {
    const std::vector<double> a = testing::ToDoubles(in[0]), g = testing::ToDoubles(in[2]);
    std::vector<double> dw(filter.num_elements());
    ForEachProduct(conv, s, [&](int64_t out, int64_t i, int64_t f) { dw[f] += g[out] * a[i]; });
    return std::vector{testing::FromDoubles(dw, filter)};
  };
  std::optional<std::vector<int>> gradient_of;
  if (!check_gradients) gradient_of.emplace();
  const double length = static_cast<double>(s.filter_size() * (s.in_channels + s.out_channels));
  const double count = static_cast<double>(s.batch * s.out_size());
  CheckOp({.op = "Conv3D",
           .attrs = attrs,
           .inputs = {x, w},
           .reference = forward,
           .tolerance = 2e-6 * std::sqrt(length + 1),
           .dtypes = DTypeSet{DType::kFloat64},
           .gradient_of = gradient_of});
  CheckOp({.op = "Conv3DBackpropInputV2",
           .attrs = attrs,
           .inputs = {ShapeTensor(input), w, dy},
           .constant_inputs = {0},
           .reference = to_input,
           .tolerance = 2e-6 * std::sqrt(length + 1),
           .gradient_of = gradient_of});
  CheckOp({.op = "Conv3DBackpropFilterV2",
           .attrs = attrs,
           .inputs = {x, ShapeTensor(filter), dy},
           .constant_inputs = {1},
           .reference = to_filter,
           .tolerance = 2e-6 * std::sqrt(count + 1),
           .gradient_of = gradient_of});
  if (o.data_format != "NDHWC") return;
  AttrMap first_version = attrs;
  first_version = {{"strides", o.strides}, {"padding", o.padding}, {"dilations", o.dilations}};
  CheckOp({.op = "Conv3DBackpropInput",
           .attrs = first_version,
           .inputs = {x, w, dy},
           .reference = to_input,
           .tolerance = 2e-6 * std::sqrt(length + 1),
           .gradient_of = check_gradients ? std::vector{1, 2} : std::vector<int>{}});
  CheckOp({.op = "Conv3DBackpropFilter",
           .attrs = first_version,
           .inputs = {x, w, dy},
           .reference = to_filter,
           .tolerance = 2e-6 * std::sqrt(count + 1),
           .gradient_of = check_gradients ? std::vector{0, 2} : std::vector<int>{}});
}

TEST(Conv3D, MatchesReferenceInSmallGeometries) {
  for (const char* padding : {"SAME", "VALID"}) {
    for (int64_t stride : {1, 2, 3}) {
      for (const Shape& window : {Shape{1, 1, 1}, {2, 3, 4}, {3, 3, 3}}) {
        CheckGeometry({2, 4, 5, 6, 3}, {window[0], window[1], window[2], 3, 4},
                      {.strides = {1, stride, stride, 2, 1}, .padding = padding});
      }
    }
  }
}

TEST(Conv3D, GradientsAreConvolutions) {
  CheckGeometry({1, 3, 4, 3, 2}, {2, 3, 2, 2, 2}, {.strides = {1, 1, 2, 1, 1}}, true);
  CheckGeometry({1, 2, 3, 3, 4}, {2, 2, 1, 2, 2},
                {.padding = "VALID", .data_format = "NCDHW", .dilations = {1, 1, 1, 2, 1}}, true);
}

TEST(Conv3D, ChannelsOfAllSizes) {
  for (const auto& [c, d] :
       {std::pair<int64_t, int64_t>{1, 1}, {1, 32}, {16, 16}, {17, 5}, {32, 64}})
    CheckGeometry({3, 4, 4, 5, c}, {3, 3, 3, c, d}, {});
}

TEST(Conv3D, LayoutsDilationsAndOneVoxel) {
  CheckGeometry({2, 3, 4, 5, 6}, {2, 3, 3, 3, 4},
                {.strides = {1, 1, 2, 1, 2}, .data_format = "NCDHW"});
  CheckGeometry({2, 6, 7, 5, 16}, {3, 2, 2, 16, 16}, {.dilations = {1, 2, 3, 2, 1}});
  CheckGeometry({2, 7, 7, 5, 3}, {3, 2, 2, 3, 4},
                {.padding = "VALID", .dilations = {1, 2, 3, 1, 1}});
  CheckGeometry({2, 1, 1, 1, 3}, {3, 3, 3, 3, 2}, {});
  CheckGeometry({2, 1, 5, 5, 3}, {1, 3, 3, 3, 2}, {});  // images
  CheckGeometry({1, 8, 8, 8, 2}, {1, 2, 1, 2, 3}, {.strides = {1, 3, 3, 4, 1}, .padding = "VALID"});
}

TEST(Conv3D, Half) {
  const Conv3DAttrs conv = *Conv3DAttrs::From(AttrsOf({}));
  const Shape input{1, 3, 3, 3, 2}, filter{2, 2, 2, 2, 2};
  CheckOp(
      {.op = "Conv3D",
       .attrs = AttrsOf({}),
       .inputs = {RandomTensor(DType::kFloat16, input),
                  RandomTensor(DType::kFloat16, filter, -1, 1, 2)},
       .reference =
           [&](const std::vector<Tensor>& in) {
             const ConvShape s = *conv.ShapeOf(input, filter);
             const std::vector<double> x = testing::ToDoubles(in[0]), w = testing::ToDoubles(in[1]);
             std::vector<double> y(conv.OutputShape(s).num_elements());
             ForEachProduct(conv, s, [&](int64_t o, int64_t i, int64_t f) { y[o] += x[i] * w[f]; });
             return std::vector{testing::FromDoubles(y, conv.OutputShape(s))};
           },
       .gradient_of = std::vector<int>{}});
}

TEST(Conv3D, NothingInGivesZeros) {
  const Tensor none = RandomTensor(DType::kFloat32, {0, 3, 3, 3, 2});
  CheckOp({.op = "Conv3D",
           .attrs = AttrsOf({}),
           .inputs = {none, RandomTensor(DType::kFloat32, {2, 2, 2, 2, 4})},
           .expected = {Tensor(DType::kFloat32, {0, 3, 3, 3, 4})},
           .gradient_of = std::vector<int>{}});
  CheckOp({.op = "Conv3DBackpropFilterV2",
           .attrs = AttrsOf({}),
           .inputs = {none, ShapeTensor({2, 1, 1, 2, 1}),
                      RandomTensor(DType::kFloat32, {0, 3, 3, 3, 1})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>({0, 0, 0, 0}, {2, 1, 1, 2, 1})},
           .gradient_of = std::vector<int>{}});
}

TEST(Conv3D, RefusesWrongArguments) {
  const auto check = [](const Shape& input, const Shape& filter, const Conv3DOptions& o,
                        const char* text, bool in_step = true) {
    CheckOpError(
        {.op = "Conv3D",
         .attrs = AttrsOf(o),
         .inputs = {RandomTensor(DType::kFloat32, input), RandomTensor(DType::kFloat32, filter)},
         .text = text,
         .in_step = in_step});
  };
  const Shape x{1, 3, 3, 3, 2}, w{2, 2, 2, 2, 4};
  check(x, {2, 2, 2, 3, 4}, {}, "epth");
  check({3, 3, 3, 2}, w, {}, "");
  check(x, {2, 2, 2, 4}, {}, "");
  check({1, 1, 3, 3, 2}, w, {.padding = "VALID"}, "Negative dimension size", false);
  check(x, w, {.strides = {2, 1, 1, 1, 1}}, "strides in the batch and depth dimensions", false);
  check(x, w, {.strides = {1, 0, 1, 1, 1}}, "Stride must be > 0, but got 0", false);
  check(x, w, {.strides = {1, 1, 1, 1}}, "", false);
  check(x, w, {.strides = {1, 1, 1, 1, 1, 1}},
        "Conv3D requires the stride attribute to contain 5 values, but got: 6", false);
  check(x, w, {.padding = "EXPLICIT"}, "EXPLICIT", false);
  const auto check_gradient = [&](const Shape& grad, const char* text, bool at_build) {
    CheckOpError({.op = "Conv3DBackpropInputV2",
                  .attrs = AttrsOf({}),
                  .inputs = {ShapeTensor(x), RandomTensor(DType::kFloat32, w),
                             RandomTensor(DType::kFloat32, grad)},
                  .constant_inputs = {0},
                  .text = text,
                  .at_build = at_build});
  };
  check_gradient({1, 3, 3, 3, 5}, "", true);
  check_gradient({2, 3, 3, 3, 4}, "", true);
  check_gradient({1, 2, 3, 3, 4}, "Size of out_backprop doesn't match computed", false);
}

}  // namespace
}  // namespace headrace

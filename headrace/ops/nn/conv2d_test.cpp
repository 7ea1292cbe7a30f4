// Convolutions against plain loops in float64, over many geometries.
#include "headrace/ops/nn/conv2d.h"

#include <gtest/gtest.h>

#include "headrace/graph/grad_context.h"
#include "headrace/ops/nn/conv_geometry.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

// Sums over all windows: calls body(output, input, filter) with the offsets of elements that are
// multiplied.
template <class Body>
void ForEachProduct(const ConvAttrs& attrs, const ConvShape& s, Body body) {
  const auto at = [&](int64_t n, int64_t c, int64_t y, int64_t x, int64_t channels, int64_t height,
                      int64_t width) {
    return attrs.channels_first ? ((n * channels + c) * height + y) * width + x
                                : ((n * height + y) * width + x) * channels + c;
  };
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t oy = 0; oy < s.h.out; ++oy)
      for (int64_t ox = 0; ox < s.w.out; ++ox)
        for (int64_t i = 0; i < s.h.filter; ++i)
          for (int64_t j = 0; j < s.w.filter; ++j) {
            const int64_t y = oy * s.h.stride - s.h.pad_before + i * s.h.dilation;
            const int64_t x = ox * s.w.stride - s.w.pad_before + j * s.w.dilation;
            if (y < 0 || y >= s.h.in || x < 0 || x >= s.w.in) continue;
            for (int64_t c = 0; c < s.in_channels; ++c)
              for (int64_t d = 0; d < s.out_channels; ++d) {
                body(at(n, d, oy, ox, s.out_channels, s.h.out, s.w.out),
                     at(n, c, y, x, s.in_channels, s.h.in, s.w.in),
                     ((i * s.w.filter + j) * s.in_channels + c) * s.out_channels + d);
              }
          }
}

AttrMap AttrsOf(const Conv2DOptions& o) {
  return {{"strides", o.strides},
          {"padding", o.padding},
          {"explicit_paddings", o.explicit_paddings},
          {"data_format", o.data_format},
          {"dilations", o.dilations}};
}

std::vector<Tensor> Forward(const AttrMap& a, const std::vector<Tensor>& in) {
  const ConvAttrs attrs = *ConvAttrs::From(a);
  const ConvShape s = *ConvShape::Of(attrs, in[0].shape(), in[1].shape());
  const std::vector<double> x = testing::ToDoubles(in[0]), w = testing::ToDoubles(in[1]);
  std::vector<double> y(s.output(attrs).num_elements());
  ForEachProduct(attrs, s, [&](int64_t o, int64_t i, int64_t f) { y[o] += x[i] * w[f]; });
  return {testing::FromDoubles(y, s.output(attrs))};
}

Shape ShapeOfValues(const Tensor& t) {
  const std::vector<double> dims = testing::ToDoubles(t);
  Shape shape;
  for (const double d : dims) shape.Append(static_cast<int64_t>(d));
  return shape;
}

std::vector<Tensor> BackwardData(const AttrMap& a, const std::vector<Tensor>& in) {
  const ConvAttrs attrs = *ConvAttrs::From(a);
  const ConvShape s = *ConvShape::Of(attrs, ShapeOfValues(in[0]), in[1].shape());
  const std::vector<double> w = testing::ToDoubles(in[1]), dy = testing::ToDoubles(in[2]);
  std::vector<double> dx(s.input(attrs).num_elements());
  ForEachProduct(attrs, s, [&](int64_t o, int64_t i, int64_t f) { dx[i] += dy[o] * w[f]; });
  return {testing::FromDoubles(dx, s.input(attrs))};
}

std::vector<Tensor> BackwardFilter(const AttrMap& a, const std::vector<Tensor>& in) {
  const ConvAttrs attrs = *ConvAttrs::From(a);
  const ConvShape s = *ConvShape::Of(attrs, in[0].shape(), ShapeOfValues(in[1]));
  const std::vector<double> x = testing::ToDoubles(in[0]), dy = testing::ToDoubles(in[2]);
  std::vector<double> dw(s.filter().num_elements());
  ForEachProduct(attrs, s, [&](int64_t o, int64_t i, int64_t f) { dw[f] += dy[o] * x[i]; });
  return {testing::FromDoubles(dw, s.filter())};
}

Tensor ShapeTensor(const Shape& shape) {
  Tensor t(DType::kInt32, {shape.rank()});
  for (int i = 0; i < shape.rank(); ++i) t.data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
  return t;
}

struct Geometry {
  Shape input, filter;
  Conv2DOptions options;
  double tolerance = 0;
};

// All three ops of one geometry, in float32 and float64. Gradients of gradients are checked once,
// on a small one.
void CheckGeometry(const Geometry& g, bool check_gradients = false) {
  SCOPED_TRACE(StrCat(g.input.ToString(), " * ", g.filter.ToString(), " ", g.options.padding, " ",
                      g.options.data_format, " strides ", StrJoin(g.options.strides, ","),
                      " dilations ", StrJoin(g.options.dilations, ",")));
  const AttrMap attrs = AttrsOf(g.options);
  const Tensor x = RandomTensor(DType::kFloat32, g.input),
               w = RandomTensor(DType::kFloat32, g.filter, -1, 1, 2);
  const ConvAttrs conv = *ConvAttrs::From(attrs);
  const ConvShape shape = *ConvShape::Of(conv, g.input, g.filter);
  const Tensor dy = RandomTensor(DType::kFloat32, shape.output(conv), -1, 1, 3);
  const double length = static_cast<double>(shape.in_channels * shape.h.filter * shape.w.filter);
  const double count = static_cast<double>(shape.batch * shape.h.out * shape.w.out);
  std::optional<std::vector<int>> gradient_of;
  if (!check_gradients) gradient_of.emplace();
  const DTypeSet wide{DType::kFloat64};
  CheckOp({.op = "Conv2D",
           .attrs = attrs,
           .inputs = {x, w},
           .reference = [&](const std::vector<Tensor>& in) { return Forward(attrs, in); },
           .tolerance = 2e-6 * std::sqrt(length + 1),
           .dtypes = wide,
           .gradient_of = gradient_of});
  CheckOp({.op = "Conv2DBackpropInput",
           .attrs = attrs,
           .inputs = {ShapeTensor(g.input), w, dy},
           .constant_inputs = {0},
           .reference = [&](const std::vector<Tensor>& in) { return BackwardData(attrs, in); },
           .tolerance = 2e-6 * std::sqrt(length + static_cast<double>(shape.out_channels)),
           .dtypes = {},
           .gradient_of = gradient_of});
  CheckOp({.op = "Conv2DBackpropFilter",
           .attrs = attrs,
           .inputs = {x, ShapeTensor(g.filter), dy},
           .constant_inputs = {1},
           .reference = [&](const std::vector<Tensor>& in) { return BackwardFilter(attrs, in); },
           .tolerance = 2e-6 * std::sqrt(count + 1),
           .dtypes = {},
           .gradient_of = gradient_of});
}

TEST(Conv2D, MatchesReferenceInSmallGeometries) {
  for (const char* padding : {"SAME", "VALID"}) {
    for (int64_t stride : {1, 2, 3}) {
      for (const auto& [kh, kw] : {std::pair<int64_t, int64_t>{1, 1}, {3, 3}, {2, 4}, {5, 5}}) {
        CheckGeometry({{2, 7, 9, 3},
                       {kh, kw, 3, 4},
                       {.strides = {1, stride, stride, 1}, .padding = padding}});
      }
    }
  }
}

TEST(Conv2D, GradientsAreConvolutions) {
  CheckGeometry({{1, 4, 5, 2}, {3, 2, 2, 3}, {.strides = {1, 1, 2, 1}, .padding = "SAME"}},
                /*check_gradients=*/true);
  CheckGeometry({{1, 6, 5, 2}, {2, 2, 2, 2}, {.padding = "VALID", .dilations = {1, 2, 2, 1}}},
                /*check_gradients=*/true);
}

TEST(Conv2D, ChannelsOfAllSizes) {
  for (const auto& [c, d] : {std::pair<int64_t, int64_t>{1, 1},
                             {1, 32},
                             {3, 16},
                             {16, 16},
                             {17, 5},
                             {32, 64},
                             {64, 10}}) {
    CheckGeometry({{3, 6, 6, c}, {3, 3, c, d}, {}});
    CheckGeometry({{3, 6, 6, c}, {5, 5, c, d}, {}});
    CheckGeometry({{3, 6, 6, c}, {1, 1, c, d}, {}});
  }
}

TEST(Conv2D, LayersOfLeNet) {
  CheckGeometry({{21, 28, 28, 1}, {5, 5, 1, 32}, {}});
  CheckGeometry({{21, 14, 14, 32}, {5, 5, 32, 64}, {}});
}

TEST(Conv2D, LayoutsDilationsAndExplicitPadding) {
  CheckGeometry({{2, 3, 7, 8}, {3, 3, 3, 4}, {.strides = {1, 1, 2, 2}, .data_format = "NCHW"}});
  CheckGeometry({{2, 16, 5, 6}, {3, 3, 16, 32}, {.padding = "VALID", .data_format = "NCHW"}});
  CheckGeometry({{2, 1, 7, 8}, {3, 3, 1, 1}, {.data_format = "NCHW"}});
  CheckGeometry({{2, 9, 9, 16}, {3, 3, 16, 16}, {.dilations = {1, 2, 3, 1}}});
  CheckGeometry({{2, 9, 9, 3}, {5, 5, 3, 4}, {.padding = "VALID", .dilations = {1, 2, 2, 1}}});
  CheckGeometry({{2, 7, 7, 3},
                 {3, 3, 3, 4},
                 {.strides = {1, 2, 1, 1},
                  .padding = "EXPLICIT",
                  .explicit_paddings = {0, 0, 2, 0, 1, 3, 0, 0}}});
  CheckGeometry({{2, 7, 7, 16},
                 {5, 5, 16, 16},
                 {.padding = "EXPLICIT", .explicit_paddings = {0, 0, 6, 5, 0, 7, 0, 0}}});
}

TEST(Conv2D, WindowLargerThanTheImageAndLeftovers) {
  CheckGeometry({{1, 3, 3, 2}, {5, 5, 2, 3}, {}});
  CheckGeometry({{1, 1, 1, 20}, {3, 3, 20, 20}, {}});
  CheckGeometry({{2, 8, 8, 2}, {3, 3, 2, 3}, {.strides = {1, 3, 3, 1}, .padding = "VALID"}});
  CheckGeometry({{2, 8, 8, 2}, {1, 1, 2, 3}, {.strides = {1, 3, 3, 1}, .padding = "SAME"}});
}

TEST(Conv2D, Half) {
  const Conv2DOptions o;
  const AttrMap attrs = AttrsOf(o);
  CheckOp({.op = "Conv2D",
           .attrs = attrs,
           .inputs = {RandomTensor(DType::kFloat16, {1, 5, 5, 2}),
                      RandomTensor(DType::kFloat16, {3, 3, 2, 3}, -1, 1, 2)},
           .reference = [&](const std::vector<Tensor>& in) { return Forward(attrs, in); },
           .gradient_of = std::vector<int>{}});
}

TEST(Conv2D, NothingInGivesZeros) {
  const Conv2DOptions o;
  const AttrMap attrs = AttrsOf(o);
  const auto forward = [&](const std::vector<Tensor>& in) { return Forward(attrs, in); };
  for (const auto& [input, filter] : {std::pair<Shape, Shape>{{0, 5, 5, 2}, {3, 3, 2, 3}},
                                      {{2, 5, 5, 0}, {3, 3, 0, 3}},
                                      {{2, 5, 5, 2}, {3, 3, 2, 0}}}) {
    CheckOp(
        {.op = "Conv2D",
         .attrs = attrs,
         .inputs = {RandomTensor(DType::kFloat32, input), RandomTensor(DType::kFloat32, filter)},
         .reference = forward,
         .gradient_of = std::vector<int>{}});
  }
  const Tensor none = RandomTensor(DType::kFloat32, {0, 5, 5, 2});
  CheckOp({.op = "Conv2DBackpropFilter",
           .attrs = attrs,
           .inputs = {none, ShapeTensor({3, 3, 2, 3}), RandomTensor(DType::kFloat32, {0, 5, 5, 3})},
           .constant_inputs = {1},
           .expected = {Tensor::Of<float>(std::vector<float>(54), {3, 3, 2, 3})},
           .gradient_of = std::vector<int>{}});
}

TEST(Conv2D, RefusesWrongArguments) {
  const auto check = [](const Shape& input, const Shape& filter, const Conv2DOptions& o,
                        const char* text, bool in_step = true) {
    CheckOpError(
        {.op = "Conv2D",
         .attrs = AttrsOf(o),
         .inputs = {RandomTensor(DType::kFloat32, input), RandomTensor(DType::kFloat32, filter)},
         .text = text,
         .in_step = in_step});
  };
  check({1, 5, 5, 3}, {3, 3, 2, 4}, {}, "epth");
  check({5, 5, 3}, {3, 3, 3, 4}, {}, "");
  check({1, 5, 5, 3}, {3, 3, 3}, {}, "");
  check({1, 2, 2, 3}, {3, 3, 3, 4}, {.padding = "VALID"},
        "Negative dimension size caused by subtracting 3", false);
  check({1, 5, 5, 3}, {3, 3, 3, 4}, {.strides = {2, 1, 1, 1}},
        "strides in the batch and depth dimensions", false);
  check({1, 5, 5, 3}, {3, 3, 3, 4}, {.strides = {1, 0, 1, 1}}, "strides must be > 0", false);
  check({1, 5, 5, 3}, {3, 3, 3, 4}, {.strides = {1, 1, 1}}, "strides must specify 4 dimensions",
        false);
  check({1, 5, 5, 3}, {3, 3, 3, 4}, {.padding = "FOO"}, "FOO", false);
  check({1, 5, 5, 3}, {3, 3, 3, 4}, {.padding = "EXPLICIT"}, "8 values", false);
  CheckOpError({.op = "Conv2D",
                .attrs = AttrsOf({}),
                .inputs = {RandomTensor(DType::kFloat32, {1, 8, 8, 6}),
                           RandomTensor(DType::kFloat32, {3, 3, 3, 4})},
                .code = absl::StatusCode::kUnimplemented,
                .text = "does not support grouped convolutions",
                .at_build = false});
}

TEST(Conv2DBackprop, RefusesWrongArguments) {
  const AttrMap attrs = AttrsOf({});
  const auto check = [&](const Shape& sizes, const Shape& filter, const Shape& grad,
                         const char* text, bool at_build = true) {
    CheckOpError({.op = "Conv2DBackpropInput",
                  .attrs = attrs,
                  .inputs = {ShapeTensor(sizes), RandomTensor(DType::kFloat32, filter),
                             RandomTensor(DType::kFloat32, grad)},
                  .constant_inputs = {0},
                  .text = text,
                  .at_build = at_build});
  };
  check({1, 5, 5, 3}, {3, 3, 3, 4}, {1, 5, 5, 5}, "");
  check({1, 5, 5, 3}, {3, 3, 3, 4}, {2, 5, 5, 4}, "");
  check({1, 5, 5, 3}, {3, 3, 3, 4}, {1, 4, 5, 4}, "Size of out_backprop doesn't match computed",
        false);
  check({5, 5, 3}, {3, 3, 3, 4}, {1, 5, 5, 4}, "");
  CheckOpError({.op = "Conv2DBackpropFilter",
                .attrs = attrs,
                .inputs = {RandomTensor(DType::kFloat32, {1, 5, 5, 3}), ShapeTensor({3, 3, 2, 4}),
                           RandomTensor(DType::kFloat32, {1, 5, 5, 4})},
                .constant_inputs = {1}});
}

}  // namespace
}  // namespace headrace

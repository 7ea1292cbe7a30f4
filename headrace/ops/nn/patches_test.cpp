// Windows of images and volumes, and dilation over them.
#include "headrace/ops/nn/patches.h"

#include <gtest/gtest.h>

#include <limits>

#include "headrace/ops/nn/conv_geometry.h"
#include "headrace/ops/nn/dilation2d.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

std::vector<Window> WindowsOf(const Shape& input, const std::vector<int64_t>& size,
                              const std::vector<int64_t>& stride, const std::vector<int64_t>& rate,
                              const std::string& padding) {
  std::vector<Window> windows;
  for (int i = 1; i + 1 < input.rank(); ++i) {
    const size_t at = static_cast<size_t>(i);
    Window w{.in = input[i], .filter = size[at], .stride = stride[at], .dilation = rate[at]};
    EXPECT_TRUE(w.Resolve(*ParsePadding(padding)).ok());
    windows.push_back(w);
  }
  return windows;
}

// Calls body(window, tap, position of the input or -1), each counted row by row; for any number of
// spatial dimensions.
template <class Body>
void ForEachTap(const std::vector<Window>& windows, Body body) {
  int64_t outs = 1, taps = 1;
  for (const Window& w : windows) {
    outs *= w.out;
    taps *= w.filter;
  }
  for (int64_t out = 0; out < outs; ++out) {
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t rest_out = out, rest_tap = tap, at = 0, size = 1;
      bool inside = true;
      for (size_t d = windows.size(); d-- > 0;) {
        const Window& w = windows[d];
        const int64_t p =
            rest_out % w.out * w.stride - w.pad_before + rest_tap % w.filter * w.dilation;
        inside &= p >= 0 && p < w.in;
        at += p * size;
        size *= w.in;
        rest_out /= w.out;
        rest_tap /= w.filter;
      }
      body(out, tap, inside ? at : -1);
    }
  }
}

testing::Reference PatchesReference(const std::vector<int64_t>& size,
                                    const std::vector<int64_t>& stride,
                                    const std::vector<int64_t>& rate, const std::string& padding) {
  return [=](const std::vector<Tensor>& in) {
    const Shape shape = in[0].shape();
    const auto windows = WindowsOf(shape, size, stride, rate, padding);
    Shape to = shape;
    int64_t taps = 1, outs = 1, positions = 1;
    for (size_t i = 0; i < windows.size(); ++i) {
      to.set_dim(static_cast<int>(i) + 1, windows[i].out);
      taps *= windows[i].filter;
      outs *= windows[i].out;
      positions *= windows[i].in;
    }
    const int64_t channels = shape[shape.rank() - 1];
    to.set_dim(shape.rank() - 1, taps * channels);
    const std::vector<double> x = testing::ToDoubles(in[0]);
    std::vector<double> y(to.num_elements());
    for (int64_t n = 0; n < shape[0]; ++n) {
      ForEachTap(windows, [&](int64_t out, int64_t tap, int64_t at) {
        for (int64_t c = 0; c < channels && at >= 0; ++c)
          y[((n * outs + out) * taps + tap) * channels + c] =
              x[(n * positions + at) * channels + c];
      });
    }
    return std::vector{testing::FromDoubles(y, to)};
  };
}

TEST(ExtractImagePatches, MatchesReference) {
  const ImagePatchesOptions options[] = {
      {.ksizes = {1, 2, 3, 1}},
      {.ksizes = {1, 3, 2, 1}, .strides = {1, 2, 1, 1}, .padding = "VALID"},
      {.ksizes = {1, 2, 2, 1}, .strides = {1, 1, 2, 1}, .rates = {1, 2, 3, 1}},
      {.ksizes = {1, 1, 1, 1}, .strides = {1, 3, 3, 1}},
      {.ksizes = {1, 5, 7, 1}}};
  for (const ImagePatchesOptions& o : options) {
    CheckOp({.op = "ExtractImagePatches",
             .attrs = {{"ksizes", o.ksizes},
                       {"strides", o.strides},
                       {"rates", o.rates},
                       {"padding", o.padding}},
             .inputs = {RandomTensor(DType::kFloat32, {2, 4, 5, 2}, -9, 9)},
             .reference = PatchesReference(o.ksizes, o.strides, o.rates, o.padding),
             .dtypes = DTypeSet{DType::kFloat16, DType::kFloat64, DType::kInt8, DType::kInt64},
             .shapes = {{{0, 4, 5, 3}}, {{1, 6, 4, 1}}}});
  }
}

TEST(ExtractVolumePatches, MatchesReference) {
  const VolumePatchesOptions options[] = {
      {.ksizes = {1, 2, 1, 3, 1}},
      {.ksizes = {1, 2, 2, 2, 1}, .strides = {1, 1, 2, 2, 1}, .padding = "VALID"},
      {.ksizes = {1, 1, 1, 1, 1}, .strides = {1, 3, 2, 2, 1}}};
  for (const VolumePatchesOptions& o : options) {
    CheckOp({.op = "ExtractVolumePatches",
             .attrs = {{"ksizes", o.ksizes}, {"strides", o.strides}, {"padding", o.padding}},
             .inputs = {RandomTensor(DType::kFloat32, {2, 3, 2, 4, 2}, -9, 9)},
             .reference = PatchesReference(o.ksizes, o.strides, {1, 1, 1, 1, 1}, o.padding),
             .dtypes = DTypeSet{DType::kFloat64, DType::kUInt8},
             .shapes = {{{0, 3, 2, 4, 2}}, {{1, 2, 2, 3, 1}}}});
  }
}

TEST(ExtractPatches, RefusesWrongArguments) {
  const auto check = [](const Shape& shape, const ImagePatchesOptions& o, absl::StatusCode code,
                        const char* text, bool in_step) {
    CheckOpError({.op = "ExtractImagePatches",
                  .attrs = {{"ksizes", o.ksizes},
                            {"strides", o.strides},
                            {"rates", o.rates},
                            {"padding", o.padding}},
                  .inputs = {RandomTensor(DType::kFloat32, shape)},
                  .code = code,
                  .text = text,
                  .in_step = in_step});
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument,
                 kMissing = absl::StatusCode::kUnimplemented;
  const Shape x{1, 3, 4, 1};
  check({3, 4, 1}, {}, kInvalid, "", true);
  check(x, {.ksizes = {1, 5, 2, 1}, .padding = "VALID"}, kInvalid,
        "Computed output size would be negative", true);
  check(x, {.ksizes = {1, 2, 2, 1, 1}}, kInvalid,
        "ksizes attribute to contain 4 values, but got: 5", false);
  check(x, {.strides = {2, 1, 1, 1}}, kMissing, "Only support strides across space", false);
  check(x, {.rates = {1, 1, 1, 2}}, kMissing, "Only support rates across space", false);
  check(x, {.strides = {1, 0, 1, 1}}, kInvalid, "strides must be positive", false);
}

struct Dilated {
  std::vector<double> y, dx, df;
  Shape out;
};
// The result, and the gradients of sum(y * dy).
Dilated Dilate(const Dilation2DOptions& o, const Tensor& x, const Tensor& f, const Tensor* dy) {
  const Shape &image = x.shape(), &filter = f.shape();
  const auto windows =
      WindowsOf(image, {1, filter[0], filter[1], 1}, o.strides, o.rates, o.padding);
  const int64_t channels = image[3], positions = image[1] * image[2];
  Dilated result{.out = {image[0], windows[0].out, windows[1].out, channels}};
  const std::vector<double> xs = testing::ToDoubles(x), fs = testing::ToDoubles(f);
  result.y.assign(result.out.num_elements(), -std::numeric_limits<double>::infinity());
  std::vector<int64_t> x_at(result.y.size(), -1), f_at(result.y.size(), -1);
  for (int64_t n = 0; n < image[0]; ++n) {
    ForEachTap(windows, [&](int64_t out, int64_t tap, int64_t at) {
      for (int64_t c = 0; c < channels && at >= 0; ++c) {
        const int64_t o_at = (n * windows[0].out * windows[1].out + out) * channels + c;
        const int64_t i = (n * positions + at) * channels + c, k = tap * channels + c;
        if (xs[i] + fs[k] > result.y[o_at]) {
          result.y[o_at] = xs[i] + fs[k];
          x_at[o_at] = i;
          f_at[o_at] = k;
        }
      }
    });
  }
  if (dy == nullptr) return result;
  result.dx.resize(xs.size());
  result.df.resize(fs.size());
  const std::vector<double> grad = testing::ToDoubles(*dy);
  for (size_t i = 0; i < grad.size(); ++i) {
    result.dx[x_at[i]] += grad[i];
    result.df[f_at[i]] += grad[i];
  }
  return result;
}

TEST(Dilation2D, MatchesReference) {
  const Dilation2DOptions options[] = {{},
                                       {.strides = {1, 2, 1, 1}, .padding = "VALID"},
                                       {.strides = {1, 1, 3, 1}, .rates = {1, 2, 1, 1}}};
  for (const Dilation2DOptions& o : options) {
    const AttrMap attrs{{"strides", o.strides}, {"rates", o.rates}, {"padding", o.padding}};
    const Tensor x = RandomTensor(DType::kFloat32, {3, 5, 6, 4}),
                 f = RandomTensor(DType::kFloat32, {2, 3, 4}, -1, 1, 2);
    CheckOp({.op = "Dilation2D",
             .attrs = attrs,
             .inputs = {x, f},
             .reference =
                 [&](const std::vector<Tensor>& in) {
                   const Dilated d = Dilate(o, in[0], in[1], nullptr);
                   return std::vector{testing::FromDoubles(d.y, d.out)};
                 },
             .dtypes = DTypeSet{DType::kFloat64, DType::kFloat16, DType::kInt32, DType::kInt8},
             .second_order = false});
    const Tensor dy = RandomTensor(DType::kFloat32, Dilate(o, x, f, nullptr).out, -1, 1, 3);
    for (const bool to_filter : {false, true}) {
      CheckOp({.op = to_filter ? "Dilation2DBackpropFilter" : "Dilation2DBackpropInput",
               .attrs = attrs,
               .inputs = {x, f, dy},
               .reference =
                   [&](const std::vector<Tensor>& in) {
                     const Dilated d = Dilate(o, in[0], in[1], &in[2]);
                     return std::vector{to_filter ? testing::FromDoubles(d.df, f.shape())
                                                  : testing::FromDoubles(d.dx, x.shape())};
                   },
               .gradient_of = std::vector<int>{}});
    }
  }
}

TEST(Dilation2D, OfNoImages) {
  const AttrMap attrs{{"strides", AttrValue::Ints{1, 1, 1, 1}},
                      {"rates", AttrValue::Ints{1, 1, 1, 1}},
                      {"padding", "SAME"}};
  const Tensor none(DType::kFloat32, {0, 2, 2, 1}), f = Tensor::Of<float>({1, 2}, {1, 2, 1});
  CheckOp({.op = "Dilation2D",
           .attrs = attrs,
           .inputs = {none, f},
           .expected = {none},
           .gradient_of = std::vector<int>{}});
  CheckOp({.op = "Dilation2DBackpropFilter",
           .attrs = attrs,
           .inputs = {none, f, none},
           .expected = {Tensor::Of<float>({0, 0}, {1, 2, 1})},
           .gradient_of = std::vector<int>{}});
}

TEST(Dilation2D, RefusesWrongArguments) {
  const auto check = [](const Shape& x, const Shape& f, const Dilation2DOptions& o,
                        absl::StatusCode code, const char* text, bool in_step) {
    CheckOpError({.op = "Dilation2D",
                  .attrs = {{"strides", o.strides}, {"rates", o.rates}, {"padding", o.padding}},
                  .inputs = {RandomTensor(DType::kFloat32, x), RandomTensor(DType::kFloat32, f)},
                  .code = code,
                  .text = text,
                  .in_step = in_step});
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument,
                 kMissing = absl::StatusCode::kUnimplemented;
  check({1, 3, 4, 2}, {2, 2, 3}, {}, kInvalid, "", true);
  check({3, 4, 2}, {2, 2, 2}, {}, kInvalid, "", true);
  check({1, 3, 4, 2}, {5, 2, 2}, {.padding = "VALID"}, kInvalid,
        "Computed output size would be negative", true);
  check({1, 3, 4, 2}, {2, 2, 2}, {.strides = {1, 1, 1, 2}}, kMissing,
        "Stride is only supported across spatial dimensions", false);
  check({1, 3, 4, 2}, {2, 2, 2}, {.rates = {1, 1, 1, 2}}, kMissing,
        "Rate is only supported across spatial dimensions", false);
  const Tensor x = RandomTensor(DType::kFloat32, {1, 3, 4, 2});
  CheckOpError({.op = "Dilation2DBackpropInput",
                .attrs = {{"strides", AttrValue::Ints{1, 1, 1, 1}},
                          {"rates", AttrValue::Ints{1, 1, 1, 1}},
                          {"padding", "SAME"}},
                .inputs = {x, RandomTensor(DType::kFloat32, {2, 2, 2}),
                           RandomTensor(DType::kFloat32, {1, 3, 5, 2})},
                .text = "out_backprop"});
}

}  // namespace
}  // namespace headrace

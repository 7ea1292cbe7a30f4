#include "headrace/ops/nn/conv_layers.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/space_to_batch.h"
#include "headrace/ops/nn/depthwise_conv2d.h"

namespace headrace {
namespace {

using Pair = std::array<int64_t, 2>;

bool IsFirst(std::string_view data_format) {
  return data_format.starts_with("NC");
}

// Rows and columns of images of known size; nothing where they are not known.
std::optional<Pair> SpatialSizes(Output images, bool channels_first) {
  const PartialShape& shape = images.shape();
  const int first = channels_first ? 2 : 1;
  if (!shape.has_rank() || shape.rank() != 4 || shape[first] < 0 || shape[first + 1] < 0)
    return std::nullopt;
  return Pair{shape[first], shape[first + 1]};
}

// [before, after] of rows, then columns.
using Border = std::array<int64_t, 4>;
IntArg MatrixOf(const Border& border) {
  return IntArg::Matrix({border.begin(), border.end()}, 2);
}
// With a channel dimension before them, which stays as it is.
IntArg MatrixAfterChannels(const Border& border) {
  std::vector<int64_t> values = {0, 0};
  values.insert(values.end(), border.begin(), border.end());
  return IntArg::Matrix(values, 2);
}

// A computation of windows whose elements are `rate` apart, made of `plain` (with padding "VALID")
// over blocks. The constants of sizes that nobody reads are TensorFlow's too: random seeds count
// nodes. REQUIRES: the sizes of images and windows are known.
struct Dilated {
  Pair rate{1, 1}, window{1, 1};
  bool same = false, channels_first = false;
  bool filter_shape_constant = false;  // as tf.nn.convolution makes it, with SAME
  PartialShape filter_shape;

  Output Build(Graph& g, Output images, const std::function<Output(Output)>& plain,
               Location where) const {
    Border base{};
    if (same) {
      for (int i = 0; i < 2; ++i) {
        const int64_t extra = (window[i] - 1) * rate[i];
        base[2 * i] = extra / 2;
        base[2 * i + 1] = extra - extra / 2;
      }
      if (filter_shape_constant)
        IntArg(filter_shape.ToShape()).In(g, "filter_shape", DType::kInt32, where);
      MatrixOf(base).In(g, "stack", DType::kInt32, where);
    }
    const Pair sizes = *SpatialSizes(images, channels_first);
    Border paddings = base, crops{};
    for (int i = 0; i < 2; ++i) {
      const int64_t full = sizes[i] + base[2 * i] + base[2 * i + 1];
      const int64_t more = (rate[i] - full % rate[i]) % rate[i];
      paddings[2 * i + 1] += more;
      crops[2 * i + 1] = more;
    }
    {
      const NameScope scope(g, "required_space_to_batch_paddings");
      IntArg({sizes[0], sizes[1]}).In(g, "input_shape", DType::kInt32, where);
      if (!same) MatrixOf(base).In(g, "base_paddings", DType::kInt32, where);
      MatrixOf(paddings).In(g, "paddings", DType::kInt32, where);
      MatrixOf(crops).In(g, "crops", DType::kInt32, where);
    }
    if (channels_first) {
      const IntArg block({1, rate[0], rate[1]});
      const Output blocks = SpaceToBatchND(images, block, MatrixAfterChannels(paddings), {}, where);
      return BatchToSpaceND(plain(blocks), block, MatrixAfterChannels(crops), {}, where);
    }
    const IntArg block({rate[0], rate[1]});
    const Output blocks = SpaceToBatchND(images, block, MatrixOf(paddings), {}, where);
    return BatchToSpaceND(plain(blocks), block, MatrixOf(crops), {}, where);
  }
};

Output Fail(Graph& g, std::string_view function, std::string_view text, Location where) {
  g.ReportError(InvalidArgument(function, " (", where.ToString(), "): ", text));
  return {};
}

std::vector<int64_t> InLayout(Pair pair, bool channels_first) {
  if (channels_first) return {1, 1, pair[0], pair[1]};
  return {1, pair[0], pair[1], 1};
}

}  // namespace

Output Conv1D(Output value, Output filters, Conv1DOptions o, Location where) {
  if (!value.valid() || !filters.valid()) return {};
  Graph& g = *value.graph();
  const bool channels_first = o.data_format == "NCW";
  if (!channels_first && o.data_format != "NWC")
    return Fail(g, "Conv1D", "data_format must be NWC or NCW", where);
  const int64_t axis = channels_first ? 2 : 1;  // of the one row
  const OpScope scope(g, o.name, "conv1d");
  const Output images = ExpandDims(value, axis, {}, where);
  const Output filter = ExpandDims(filters, 0, {}, where);
  const Output result = Conv2D(images, filter,
                               {.strides = InLayout({1, o.stride}, channels_first),
                                .padding = o.padding,
                                .data_format = channels_first ? "NCHW" : "NHWC",
                                .dilations = InLayout({1, o.dilation}, channels_first),
                                .name = scope.op_name()},
                               where);
  return Squeeze(result, {.axis = {axis}}, where);
}

Output Conv2DTranspose(Output value, Output filter, IntArg output_shape, Conv2DOptions o,
                       Location where) {
  if (!value.valid()) return {};
  const OpScope scope(*value.graph(), o.name, "conv2d_transpose");
  o.name = scope.op_name();
  return Conv2DBackpropInput(output_shape, filter, value, o, where);
}

Output Conv3DTranspose(Output value, Output filter, IntArg output_shape, Conv3DOptions o,
                       Location where) {
  if (!value.valid()) return {};
  const OpScope scope(*value.graph(), o.name, "conv3d_transpose");
  o.name = scope.op_name();
  return Conv3DBackpropInput(output_shape, filter, value, o, where);
}

Output AtrousConv2D(Output value, Output filters, AtrousConv2DOptions o, Location where) {
  if (!value.valid() || !filters.valid()) return {};
  Graph& g = *value.graph();
  if (o.rate < 1)
    return Fail(g, "AtrousConv2D", StrCat("the rate must be at least 1, got ", o.rate), where);
  const OpScope scope(g, o.name, "convolution");
  Conv2DOptions conv{.padding = o.padding, .name = scope.op_name()};
  const std::optional<Pair> sizes = SpatialSizes(value, false);
  const PartialShape& window = filters.shape();
  if (o.rate == 1 || !sizes.has_value() || !window.is_fully_known()) {
    conv.dilations = InLayout({o.rate, o.rate}, false);
    return Conv2D(value, filters, conv, where);
  }
  IntArg({o.rate, o.rate}).In(g, "dilation_rate", DType::kInt32, where);
  const Dilated dilated{.rate = {o.rate, o.rate},
                        .window = {window[0], window[1]},
                        .same = o.padding == "SAME",
                        .filter_shape_constant = true,
                        .filter_shape = window};
  conv.padding = "VALID";
  return dilated.Build(
      g, value, [&](Output blocks) { return Conv2D(blocks, filters, conv, where); }, where);
}

Output SeparableConv2D(Output input, Output depthwise_filter, Output pointwise_filter,
                       SeparableConv2DOptions o, Location where) {
  if (!input.valid() || !depthwise_filter.valid() || !pointwise_filter.valid()) return {};
  Graph& g = *input.graph();
  if (o.rate.size() != 2 || o.rate[0] < 1 || o.rate[1] < 1)
    return Fail(g, "SeparableConv2D", "the rate must be two numbers of at least 1", where);
  const bool channels_first = IsFirst(o.data_format);
  const Pair rate{o.rate[0], o.rate[1]};
  const bool plain = rate[0] == 1 && rate[1] == 1;
  const auto is_one = [](int64_t stride) { return stride == 1; };
  if (!plain && !std::ranges::all_of(o.strides, is_one))
    return Fail(g, "SeparableConv2D", "with a rate above 1 all strides must be 1", where);
  const OpScope scope(g, o.name, "separable_conv2d");
  ShapeOf(depthwise_filter, {}, where);
  IntArg({rate[0], rate[1]}).In(g, "dilation_rate", DType::kInt32, where);
  DepthwiseConv2dOptions each{.strides = o.strides,
                              .padding = o.padding,
                              .data_format = o.data_format,
                              .name = "depthwise"};
  const PartialShape& window = depthwise_filter.shape();
  Output depthwise;
  if (plain || !SpatialSizes(input, channels_first).has_value() || !window.is_fully_known()) {
    each.dilations = InLayout(rate, channels_first);
    depthwise = DepthwiseConv2dNative(input, depthwise_filter, each, where);
  } else {
    each.padding = "VALID";
    const Dilated dilated{.rate = rate,
                          .window = {window[0], window[1]},
                          .same = o.padding == "SAME",
                          .channels_first = channels_first};
    depthwise = dilated.Build(
        g, input,
        [&](Output blocks) { return DepthwiseConv2dNative(blocks, depthwise_filter, each, where); },
        where);
  }
  return Conv2D(depthwise, pointwise_filter,
                {.padding = "VALID", .data_format = o.data_format, .name = scope.op_name()}, where);
}

}  // namespace headrace

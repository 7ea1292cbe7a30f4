#include "headrace/ops/nn/batch_norm.h"

#include <algorithm>

#include "headrace/graph/gradients.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/cast.h"
#include "headrace/ops/math/unary.h"
#include "headrace/ops/nn/batch_norm_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kImageTypes{DType::kFloat16, DType::kBFloat16, DType::kFloat32};
constexpr DTypeSet kCpuImageTypes{DType::kFloat16, DType::kFloat32};
constexpr DTypeSet kOnlyFloat32{DType::kFloat32};

bool ChannelsFirst(const AttrMap& attrs) {
  return attrs.Get<std::string>("data_format") == "NCHW";
}

// Channels from input `image` and the vectors from `first` to `last`, which must agree; fills in
// the image's if it is unknown.
StatusOr<int64_t> MergeChannels(ShapeContext& c, PartialShape& image, int first, int last) {
  int64_t channels = image[ChannelsFirst(c.attrs()) ? 1 : 3];
  for (int i = first; i <= last; ++i) {
    HR_ASSIGN_OR_RETURN(const PartialShape vector, c.WithRank(i, 1));
    HR_RETURN_IF_ERROR(
        c.CheckEqualDims(channels, vector[0], "channels of x", "length of a vector"));
    if (channels < 0) channels = vector[0];
  }
  image.set_dim(ChannelsFirst(c.attrs()) ? 1 : 3, channels);
  return channels;
}

Status BatchNormShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 4));
  const int last =
      c.attrs().Get<bool>("is_training") ? 2 : 4;  // mean and variance count in inference only
  HR_ASSIGN_OR_RETURN(const int64_t channels, MergeChannels(c, x, 1, last));
  HR_RETURN_IF_ERROR(c.SetOutput(0, x));
  for (int i = 1; i < 5; ++i) HR_RETURN_IF_ERROR(c.SetOutput(i, {channels}));
  if (c.num_outputs() == 6) return c.SetOutput(5, Shape());
  return absl::OkStatus();
}

Status BatchNormGradShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape dy, c.WithRank(0, 4));
  HR_ASSIGN_OR_RETURN(PartialShape x, c.WithRank(1, 4));
  if (!x.IsCompatibleWith(dy)) {
    return InvalidArgument("y_backprop and x must have the same shape: ", dy.ToString(), " vs. ",
                           x.ToString());
  }
  HR_ASSIGN_OR_RETURN(x, x.MergedWith(dy));
  HR_ASSIGN_OR_RETURN(const int64_t channels, MergeChannels(c, x, 2, 4));
  HR_RETURN_IF_ERROR(c.SetOutput(0, x));
  for (int i : {1, 2}) HR_RETURN_IF_ERROR(c.SetOutput(i, {channels}));
  for (int i : {3, 4}) HR_RETURN_IF_ERROR(c.SetOutput(i, {0}));
  return absl::OkStatus();
}

Status BatchNormGradient(GradContext& c) {
  const Location where = c.where();
  const AttrMap& attrs = c.attrs();
  const bool training = attrs.Get<bool>("is_training");
  // Given statistics: the gradient is of NHWC images.
  const bool turned = !training && ChannelsFirst(attrs);
  Output x = c.input(0), dy = c.grad(0);
  if (turned) {
    x = Transpose(x, {0, 2, 3, 1}, {}, where);
    dy = Transpose(dy, {0, 2, 3, 1}, {}, where);
  }
  std::string op(c.node().op_name());
  op.insert(std::string_view("FusedBatchNorm").size(), "Grad");
  NodeBuilder builder(op, "", where);
  builder.Input(dy).Input(x).Input(c.input(1));
  for (int i : {3, 4}) builder.Input(training ? c.output(i) : c.input(i));
  if (c.node().num_outputs() == 6) builder.Input(c.output(5));
  builder.Attr("epsilon", attrs.Get<float>("epsilon")).Attr("is_training", training);
  builder.Attr("data_format", turned ? "NHWC" : attrs.Get<std::string>("data_format"));
  Node* node = builder.BuildNode();
  if (node == nullptr) return absl::OkStatus();  // the graph holds the error
  Output dx = node->output(0);
  if (turned) dx = Transpose(dx, {0, 3, 1, 2}, {}, where);
  c.Set(0, dx);
  c.Set(1, node->output(1));
  c.Set(2, node->output(2));
  return absl::OkStatus();
}

// The gradient from other ops, to be differentiated.
struct GradientParts {
  Output dx, dscale, doffset;
};

GradientParts TrainingGradient(Graph& g, Output dy, Output x, Output scale, float epsilon,
                               bool channels_first, Location where) {
  const ReduceAxes axes = channels_first ? ReduceAxes{0, 2, 3} : ReduceAxes{0, 1, 2};
  const ReduceOptions keep{.keep_dims = channels_first};
  if (channels_first) {
    const Output count = Size(scale, {}, where);
    const Output one = Const(g, int32_t{1}, {}, where);
    scale = Reshape(scale, Stack({one, count, one, one}, {}, where), {}, where);
  }
  const auto mul = [&](Operand a, Operand b) {
    return Mul(std::move(a), std::move(b), {.name = "mul"}, where);
  };
  const auto sub = [&](Operand a, Operand b) {
    return Sub(std::move(a), std::move(b), {.name = "sub"}, where);
  };
  const Output mean_dy = ReduceMean(dy, axes, keep, where);
  const Output mean_x = ReduceMean(x, axes, keep, where);
  const Output var_x = ReduceMean(SquaredDifference(x, StopGradient(mean_x, {}, where), {}, where),
                                  axes, keep, where);
  const Output dy_offset = sub(dy, mean_dy);
  const Output x_offset = sub(x, mean_x);
  const Output mean = ReduceMean(mul(dy, x_offset), axes, keep, where);
  const auto with_epsilon = [&] { return AddV2(var_x, epsilon, {.name = "add"}, where); };
  const Output factor = mul(scale, Rsqrt(with_epsilon(), {}, where));
  const Output slope = mul(mul(Reciprocal(with_epsilon(), {}, where), mean), x_offset);
  GradientParts parts;
  parts.dx = mul(factor, sub(dy_offset, slope));
  const Output inverse = Rsqrt(with_epsilon(), {}, where);
  parts.dscale = mul(inverse, ReduceSum(mul(dy, x_offset), axes, keep, where));
  if (channels_first) parts.dscale = Squeeze(parts.dscale, {}, where);
  parts.doffset = ReduceSum(dy, axes, {}, where);
  return parts;
}

// Of NHWC images: the gradient in inference is always of those.
GradientParts InferenceGradient(Output dy, Output x, Output scale, Output mean, Output variance,
                                float epsilon, Location where) {
  const auto mul = [&](Output a, Output b) { return Mul(a, b, {.name = "mul"}, where); };
  GradientParts parts;
  parts.doffset = ReduceSum(dy, {0, 1, 2}, {}, where);
  const Output inverse = Rsqrt(AddV2(variance, epsilon, {.name = "add"}, where), {}, where);
  const Output offset = Sub(x, mean, {.name = "sub"}, where);
  parts.dscale = ReduceSum(mul(mul(dy, offset), inverse), {0, 1, 2}, {}, where);
  parts.dx = mul(mul(dy, scale), inverse);
  return parts;
}

Status BatchNormGradGradient(GradContext& c) {
  const Location where = c.where();
  const Output dy = c.input(0), x = c.input(1), scale = c.input(2);
  const DType type = x.value_dtype();
  const Output wide_x = Cast(x, DType::kFloat32, {}, where),
               wide_dy = Cast(dy, DType::kFloat32, {}, where);
  const float epsilon = c.attrs().Get<float>("epsilon");
  GradientParts parts;
  if (c.attrs().Get<bool>("is_training")) {
    parts = TrainingGradient(c.graph(), wide_dy, wide_x, scale, epsilon, ChannelsFirst(c.attrs()),
                             where);
  } else if (ChannelsFirst(c.attrs())) {
    return Unimplemented(
        "the second gradient of batch normalisation with given statistics is for NHWC only");
  } else {
    parts = InferenceGradient(wide_dy, wide_x, scale, c.input(3), c.input(4), epsilon, where);
  }
  const Output dx = Cast(parts.dx, type, {}, where);
  const Output ys[] = {dx, parts.dscale, parts.doffset};
  const Output xs[] = {dy, x, scale};
  // Partial derivatives: dy, x and scale may depend on each other.
  GradientsOptions options{.grad_ys = {c.grad(0), c.grad(1), c.grad(2)},
                           .stop_gradients = {dy, x, scale}};
  const std::vector<Gradient> grads = Gradients(ys, xs, std::move(options), where);
  for (int i = 0; i < 3; ++i) {
    if (grads[i].connected()) c.Set(i, grads[i].Dense());
  }
  return absl::OkStatus();
}

FusedBatchNormOutputs BuildFused(Output x, Output scale, Output offset, Output mean,
                                 Output variance, const FusedBatchNormOptions& o, bool training,
                                 Location where) {
  constexpr float kLeastEpsilon = 1.001e-5f;  // what cuDNN takes
  Node* node = NodeBuilder("FusedBatchNormV3", o.name, where)
                   .Input(x)
                   .Input(scale)
                   .Input(offset)
                   .Input(mean)
                   .Input(variance)
                   .Attr("epsilon", std::max(o.epsilon, kLeastEpsilon))
                   .Attr("data_format", o.data_format)
                   .Attr("is_training", training)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1), node->output(2)};
}

}  // namespace

FusedBatchNormOutputs FusedBatchNorm(Output x, Output scale, Output offset, FusedBatchNormOptions o,
                                     Location where) {
  if (!x.valid()) return {};
  const Tensor none(DType::kFloat32, {0});
  const Output mean = Const(*x.graph(), none, {}, where);
  const Output variance = Const(*x.graph(), none, {}, where);
  return BuildFused(x, scale, offset, mean, variance, o, /*training=*/true, where);
}

FusedBatchNormOutputs FusedBatchNorm(Output x, Output scale, Output offset, Output mean,
                                     Output variance, FusedBatchNormOptions o, Location where) {
  return BuildFused(x, scale, offset, mean, variance, o, /*training=*/false, where);
}

MomentsOutputs Moments(Output x, std::vector<int64_t> axes, MomentsOptions o, Location where) {
  if (!x.valid()) return {};
  const NameScope scope(*x.graph(), o.name.empty() ? "moments" : o.name);
  const DType type = x.value_dtype();
  const bool half = type == DType::kFloat16;
  const Output y = half ? Cast(x, DType::kFloat32, {}, where) : x;
  MomentsOutputs m;
  m.mean = ReduceMean(y, axes, {.keep_dims = true, .name = "mean"}, where);
  const Output squares = SquaredDifference(y, StopGradient(m.mean, {}, where), {}, where);
  m.variance = ReduceMean(squares, axes, {.keep_dims = true, .name = "variance"}, where);
  if (!o.keep_dims) {
    m.mean = Squeeze(m.mean, {.axis = axes}, where);
    m.variance = Squeeze(m.variance, {.axis = axes}, where);
  }
  if (half) {
    m.mean = Cast(m.mean, type, {}, where);
    m.variance = Cast(m.variance, type, {}, where);
  }
  return m;
}

Output BatchNormalization(Output x, Output mean, Output variance, Output offset, Output scale,
                          float variance_epsilon, OpOptions o, Location where) {
  if (!x.valid()) return {};
  const NameScope scope(*x.graph(), o.name.empty() ? "batchnorm" : o.name);
  const auto mul = [&](Output a, Output b) { return Mul(a, b, {.name = "mul"}, where); };
  Output factor = Rsqrt(AddV2(variance, variance_epsilon, {.name = "add"}, where), {}, where);
  if (scale.valid()) factor = mul(factor, scale);
  const Output scaled = mul(x, factor);
  const Output shift = offset.valid() ? Sub(offset, mul(mean, factor), {.name = "sub"}, where)
                                      : mul(Neg(mean, {}, where), factor);
  return AddV2(scaled, shift, {.name = "add"}, where);
}

namespace {

// `u`: the type attribute of the statistics; V1 has one type for all.
void DefineForward(OpRegistry& ops, const char* name, const char* u, bool third_reserve) {
  const bool v1 = std::string_view(u) == "T";
  OpDef& op = ops.Define(name).TypeAttr("T", v1 ? kOnlyFloat32 : kImageTypes);
  if (!v1) op.TypeAttr("U", kOnlyFloat32);
  op.Attr("epsilon", 0.0001f)
      .StringAttr("data_format", {"NHWC", "NCHW"}, "NHWC")
      .Attr("is_training", true);
  op.Input("x", "T").Input("scale", u).Input("offset", u).Input("mean", u).Input("variance", u);
  op.Output("y", "T").Output("batch_mean", u).Output("batch_variance", u);
  op.Output("reserve_space_1", u).Output("reserve_space_2", u);
  if (third_reserve) op.Output("reserve_space_3", u);
  op.Shape(BatchNormShape)
      .Gradient(BatchNormGradient)
      .Cpu({.types = {{"T", v1 ? kOnlyFloat32 : kCpuImageTypes}}, .make = MakeFusedBatchNormCpu})
      .Gpu({.types = {{"T", v1 ? kOnlyFloat32 : kCpuImageTypes}}})
      .Doc("Batch normalisation.");
}

void DefineBackward(OpRegistry& ops, const char* name, const char* u, bool third_reserve) {
  const bool v1 = std::string_view(u) == "T";
  OpDef& op = ops.Define(name).TypeAttr("T", v1 ? kOnlyFloat32 : kImageTypes);
  if (!v1) op.TypeAttr("U", kOnlyFloat32);
  op.Attr("epsilon", 0.0001f)
      .StringAttr("data_format", {"NHWC", "NCHW"}, "NHWC")
      .Attr("is_training", true);
  op.Input("y_backprop", "T").Input("x", "T").Input("scale", v1 ? "T" : "float32");
  op.Input("reserve_space_1", u).Input("reserve_space_2", u);
  if (third_reserve) op.Input("reserve_space_3", u);
  op.Output("x_backprop", "T").Output("scale_backprop", u).Output("offset_backprop", u);
  op.Output(third_reserve ? "reserve_space_4" : "reserve_space_3", u);
  op.Output(third_reserve ? "reserve_space_5" : "reserve_space_4", u);
  op.Shape(BatchNormGradShape)
      .Gradient(BatchNormGradGradient)
      .Cpu(
          {.types = {{"T", v1 ? kOnlyFloat32 : kCpuImageTypes}}, .make = MakeFusedBatchNormGradCpu})
      .Gpu({.types = {{"T", v1 ? kOnlyFloat32 : kCpuImageTypes}}})
      .Doc("Gradient of batch normalisation.");
}

}  // namespace

void DefineBatchNorm(OpRegistry& ops) {
  DefineForward(ops, "FusedBatchNorm", "T", false);
  DefineForward(ops, "FusedBatchNormV2", "U", false);
  DefineForward(ops, "FusedBatchNormV3", "U", true);
  DefineBackward(ops, "FusedBatchNormGrad", "T", false);
  DefineBackward(ops, "FusedBatchNormGradV2", "U", false);
  DefineBackward(ops, "FusedBatchNormGradV3", "U", true);
}

}  // namespace headrace

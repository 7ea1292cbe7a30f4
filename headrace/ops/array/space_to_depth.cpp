#include "headrace/ops/array/space_to_depth.h"

#include <limits>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/space_to_depth_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

Status CheckDivides(int64_t size, int64_t by) {
  if (size < 0 || size % by == 0) return absl::OkStatus();
  return InvalidArgument("Dimension size must be evenly divisible by ", by, " but is ", size);
}

// Its square is a number of channels.
constexpr int64_t kMostBlock = std::numeric_limits<int32_t>::max();

template <bool kToDepth>
Status DepthShape(ShapeContext& c) {
  const std::string& format = c.attrs().Get<std::string>("data_format");
  const int64_t block = c.attrs().Get<int64_t>("block_size");
  if (block > kMostBlock)
    return InvalidArgument("block_size must be at most ", kMostBlock, ", got ", block);
  // Images of vectors of four channels have them in a fifth dimension.
  HR_ASSIGN_OR_RETURN(PartialShape out, c.WithRank(0, format == "NCHW_VECT_C" ? 5 : 4));
  const int channel = format == "NHWC" ? 3 : 1, height = format == "NHWC" ? 1 : 2;
  const auto times = [&](int i, int64_t factor) -> Status {
    int64_t size = 0;
    if (out[i] >= 0 && __builtin_mul_overflow(out[i], factor, &size)) {
      return InvalidArgument("dimension ", i, " of ", out[i], " times ", factor,
                             " (from block_size ", block, ") is beyond int64");
    }
    if (out[i] >= 0) out.set_dim(i, size);
    return absl::OkStatus();
  };
  const auto divided = [&](int i, int64_t by) -> Status {
    HR_RETURN_IF_ERROR(CheckDivides(out[i], by));
    if (out[i] >= 0) out.set_dim(i, out[i] / by);
    return absl::OkStatus();
  };
  if (kToDepth) {
    HR_RETURN_IF_ERROR(divided(height, block));
    HR_RETURN_IF_ERROR(divided(height + 1, block));
    HR_RETURN_IF_ERROR(times(channel, block * block));
  } else {
    HR_RETURN_IF_ERROR(times(height, block));
    HR_RETURN_IF_ERROR(times(height + 1, block));
    HR_RETURN_IF_ERROR(divided(channel, block * block));
  }
  return c.SetOutput(0, out);
}

template <bool kToDepth>
Status DepthGradient(GradContext& c) {
  const int64_t block = c.attrs().Get<int64_t>("block_size");
  const SpaceToDepthOptions o{.data_format = c.attrs().Get<std::string>("data_format")};
  c.Set(0, kToDepth ? DepthToSpace(c.grad(), block, o, c.where())
                    : SpaceToDepth(c.grad(), block, o, c.where()));
  return absl::OkStatus();
}

Output BuildNode(std::string_view op, Output input, int64_t block_size,
                 const SpaceToDepthOptions& o, Location where) {
  return NodeBuilder(op, o.name, where)
      .Input(input)
      .Attr("block_size", block_size)
      .Attr("data_format", o.data_format)
      .Build();
}

Status NoVectorFormat(const Node& node) {
  if (node.attrs().Get<std::string>("data_format") != "NCHW_VECT_C") return absl::OkStatus();
  return Unimplemented("there is no kernel for data_format NCHW_VECT_C");
}

constexpr DTypeSet kGpuTypes{DType::kFloat16, DType::kFloat32};
constexpr DTypeSet kCpuTypes = kCpuNumberTypes | kBoolOnly | kStringOnly;

OpDef& Define(OpRegistry& ops, std::string_view name) {
  return ops.Define(name)
      .TypeAttr("T", kAllTypes)
      .Attr({.name = "block_size", .kind = AttrKind::kInt, .minimum = 2})
      .StringAttr("data_format", {"NHWC", "NCHW", "NCHW_VECT_C"}, "NHWC")
      .Input("input", "T")
      .Output("output", "T");
}

}  // namespace

Output SpaceToDepth(Output input, int64_t block_size, SpaceToDepthOptions o, Location where) {
  return BuildNode("SpaceToDepth", input, block_size, o, where);
}
Output DepthToSpace(Output input, int64_t block_size, SpaceToDepthOptions o, Location where) {
  return BuildNode("DepthToSpace", input, block_size, o, where);
}

void DefineSpaceToDepth(OpRegistry& ops) {
  Define(ops, "SpaceToDepth")
      .Shape(DepthShape<true>)
      .Gradient(DepthGradient<true>)
      .Cpu({.types = {{"T", kCpuTypes}}, .make = MakeSpaceToDepthCpu, .accepts = NoVectorFormat})
      .Gpu({.types = {{"T", kGpuTypes}}, .accepts = NoVectorFormat})
      .Doc("Moves square blocks of pixels into the channels.");
  Define(ops, "DepthToSpace")
      .Shape(DepthShape<false>)
      .Gradient(DepthGradient<false>)
      .Cpu({.types = {{"T", kCpuTypes}}, .make = MakeDepthToSpaceCpu, .accepts = NoVectorFormat})
      .Gpu({.types = {{"T", kGpuTypes}}, .accepts = NoVectorFormat})
      .Doc("Moves channels into square blocks of pixels.");
}

}  // namespace headrace

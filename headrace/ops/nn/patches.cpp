#include "headrace/ops/nn/patches.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/range.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/segment.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/slice.h"
#include "headrace/ops/array/strided_slice.h"
#include "headrace/ops/array/transpose.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/patches_kernels.h"

namespace headrace {

StatusOr<PatchAttrs> PatchAttrs::From(const Node& node) {
  PatchAttrs result;
  result.volumes = node.op_name() == "ExtractVolumePatches";
  const size_t rank = static_cast<size_t>(result.rank());
  HR_ASSIGN_OR_RETURN(result.padding, ParsePadding(node.attrs().Get<std::string>("padding")));
  struct List {
    const char* name;
    std::array<int64_t, 3>* to;
  };
  for (const List& list : {List{"ksizes", &result.size}, List{"strides", &result.stride},
                           List{"rates", &result.rate}}) {
    const AttrValue* value = node.attrs().Find(list.name);
    if (value == nullptr) continue;  // volumes have no rates
    const AttrValue::Ints& ints = *value->As<AttrValue::Ints>();
    if (ints.size() != rank) {
      return InvalidArgument(node.op_name(), " requires the ", list.name, " attribute to contain ",
                             rank, " values, but got: ", ints.size());
    }
    if (ints.front() != 1 || ints.back() != 1) {
      return Unimplemented("Only support ", list.name, " across space, got [", StrJoin(ints, ","),
                           "]");
    }
    for (size_t i = 1; i + 1 < rank; ++i) {
      if (ints[i] < 1)
        return InvalidArgument(list.name, " must be positive, got [", StrJoin(ints, ","), "]");
      (*list.to)[i + 4 - rank] = ints[i];
    }
  }
  return result;
}

StatusOr<std::array<Window, 3>> PatchAttrs::WindowsOf(const PartialShape& input) const {
  std::array<Window, 3> windows;
  for (int i = 0; i < 3; ++i) {
    const int dim = i + rank() - 4;  // 0 is the batch: images have no depth
    const int64_t in = dim == 0 ? 1 : input.has_rank() ? input[dim] : -1;
    windows[i] = {.in = in, .filter = size[i], .stride = stride[i], .dilation = rate[i]};
    HR_RETURN_IF_ERROR(windows[i].Resolve(padding, TooLarge::kEmpty));
  }
  return windows;
}

PartialShape PatchAttrs::OutputShape(const PartialShape& input,
                                     const std::array<Window, 3>& windows) const {
  PartialShape out = input;
  for (int i = volumes ? 0 : 1; i < 3; ++i) out.set_dim(i + rank() - 4, windows[i].out);
  const int64_t channels = input[rank() - 1];
  out.set_dim(rank() - 1, channels < 0 ? -1 : channels * size[0] * size[1] * size[2]);
  return out;
}

namespace {

Status PatchesShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PatchAttrs attrs, PatchAttrs::From(c.node()));
  HR_ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, attrs.rank()));
  HR_ASSIGN_OR_RETURN(const auto windows, attrs.WindowsOf(input));
  return c.SetOutput(0, attrs.OutputShape(input, windows));
}

// Patches of the numbers of positions (from 1; 0 outside) say where each element of the gradient
// belongs. With positions first, their elements are summed by number; number 0 is left out.
template <bool kVolumes>
Status PatchesGradient(GradContext& c) {
  const Location where = c.where();
  Graph& g = c.graph();
  constexpr int kSpatial = kVolumes ? 3 : 2;
  const Output shape = ShapeOf(c.input(0), {}, where);
  const Output batch = At(shape, {0}, {}, where), channels = At(shape, {kSpatial + 1}, {}, where);
  const Output space = Slice(shape, {1}, {kSpatial}, {}, where);
  Output positions = At(space, {0}, {}, where);
  for (int i = 1; i < kSpatial; ++i)
    positions = Mul(positions, At(space, {i}, {}, where), {}, where);
  const Output count = Add(positions, 1, {}, where);
  const Output one = Const(g, {1}, {}, where);
  const Output numbers =
      Reshape(Range(g, 1, count, 1, {}, where), Concat({one, space, one}, 0, {}, where), {}, where);
  const AttrMap& attrs = c.attrs();
  Output places;
  if constexpr (kVolumes) {
    places = ExtractVolumePatches(numbers,
                                  {.ksizes = attrs.Get<AttrValue::Ints>("ksizes"),
                                   .strides = attrs.Get<AttrValue::Ints>("strides"),
                                   .padding = attrs.Get<std::string>("padding")},
                                  where);
  } else {
    places = ExtractImagePatches(numbers,
                                 {.ksizes = attrs.Get<AttrValue::Ints>("ksizes"),
                                  .strides = attrs.Get<AttrValue::Ints>("strides"),
                                  .rates = attrs.Get<AttrValue::Ints>("rates"),
                                  .padding = attrs.Get<std::string>("padding")},
                                 where);
  }
  const Output flat_places = Reshape(places, {-1}, {}, where);
  const Output taps = Size(flat_places, {}, where);
  const Output by_image = Reshape(c.grad(), IntArg::Packed({batch, taps, channels}), {}, where);
  const Output by_tap = Transpose(by_image, {1, 0, 2}, {}, where);
  const Output sums = UnsortedSegmentSum(by_tap, flat_places, count, {}, where);
  const Output inside = Slice(sums, {1, 0, 0}, {-1, -1, -1}, {}, where);
  c.Set(0, Reshape(Transpose(inside, {1, 0, 2}, {}, where), shape, {}, where));
  return absl::OkStatus();
}

}  // namespace

Output ExtractImagePatches(Output images, ImagePatchesOptions o, Location where) {
  return NodeBuilder("ExtractImagePatches", o.name, where)
      .Input(images)
      .Attr("ksizes", o.ksizes)
      .Attr("strides", o.strides)
      .Attr("rates", o.rates)
      .Attr("padding", o.padding)
      .Build();
}

Output ExtractVolumePatches(Output input, VolumePatchesOptions o, Location where) {
  return NodeBuilder("ExtractVolumePatches", o.name, where)
      .Input(input)
      .Attr("ksizes", o.ksizes)
      .Attr("strides", o.strides)
      .Attr("padding", o.padding)
      .Build();
}

void DefinePatches(OpRegistry& ops) {
  ops.Define("ExtractImagePatches")
      .Attr({.name = "ksizes", .kind = AttrKind::kIntList, .minimum = 4})
      .Attr({.name = "strides", .kind = AttrKind::kIntList, .minimum = 4})
      .Attr({.name = "rates", .kind = AttrKind::kIntList, .minimum = 4})
      .TypeAttr("T", kRealTypes)
      .StringAttr("padding", {"SAME", "VALID"})
      .Input("images", "T")
      .Output("patches", "T")
      .Shape(PatchesShape)
      .Gradient(PatchesGradient<false>)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeExtractPatchesCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("The windows of images as vectors.");
  ops.Define("ExtractVolumePatches")
      .Attr({.name = "ksizes", .kind = AttrKind::kIntList, .minimum = 5})
      .Attr({.name = "strides", .kind = AttrKind::kIntList, .minimum = 5})
      .TypeAttr("T", kRealTypes)
      .StringAttr("padding", {"SAME", "VALID"})
      .Input("input", "T")
      .Output("patches", "T")
      .Shape(PatchesShape)
      .Gradient(PatchesGradient<true>)
      .Cpu({.types = {{"T", kCpuRealTypes}}, .make = MakeExtractPatchesCpu})
      .Gpu({.types = {{"T", kGpuFloatTypes}}})
      .Doc("The windows of volumes as vectors.");
}

}  // namespace headrace

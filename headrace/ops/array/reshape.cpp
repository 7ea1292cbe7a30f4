#include "headrace/ops/array/reshape.h"

#include <algorithm>

#include "headrace/graph/grad_context.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/reshape_kernels.h"
#include "headrace/ops/array/segment.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/array/strided_slice.h"

namespace headrace {
namespace {

// Product of the known dimensions, and how many are unknown.
struct Known {
  int64_t product = 1;
  int unknown = 0;
  int unknown_at = -1;
};
Known CountKnown(const PartialShape& shape) {
  Known known;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] < 0) {
      ++known.unknown;
      known.unknown_at = i;
    } else {
      known.product *= shape[i];
    }
  }
  return known;
}

Status ReshapeShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape out, c.InputAsShape(1, /*allow_unknown=*/true));
  const PartialShape& in = c.input(0);
  if (!out.has_rank() || !in.has_rank()) return c.SetOutput(0, out);
  const Known have = CountKnown(in), want = CountKnown(out);
  if (have.unknown == 0 && want.unknown == 0 && have.product != want.product) {
    return InvalidArgument("Cannot reshape a tensor with ", have.product, " elements to shape ",
                           out.ToString(), " (", want.product, " elements)");
  }
  if (want.unknown != 1) return c.SetOutput(0, out);
  if (have.unknown == 0) {
    if (want.product == 0) {
      if (have.product == 0) {
        // Not a size that is only not known yet: that may be any.
        if (c.input_value(1) != nullptr)
          out.set_dim(want.unknown_at, MissingSizeOfEmpty(in.dims(), out.dims()));
        return c.SetOutput(0, out);
      }
      return InvalidArgument("Cannot reshape a tensor with ", have.product, " elements to shape ",
                             out.ToString(), " (0 elements)");
    }
    if (have.product % want.product != 0) {
      return InvalidArgument("Dimension size must be evenly divisible by ", want.product,
                             " but is ", have.product);
    }
    out.set_dim(want.unknown_at, have.product / want.product);
  }
  return c.SetOutput(0, out);
}

Status ExpandDimsShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const auto dim = c.InputAsInts(1);
  if (dim.has_value() && dim->size() != 1) {
    return InvalidArgument("input 1 ('dim') must have one element, got ", dim->size());
  }
  if (!in.has_rank()) return c.SetOutput(0, PartialShape());
  if (!dim.has_value()) return c.SetOutput(0, PartialShape::OfRank(in.rank() + 1));
  int64_t at = dim->front();
  if (at < -1 - in.rank() || at > in.rank()) {
    return InvalidArgument("dim ", at, " not in the interval [", -1 - in.rank(), ", ", in.rank(),
                           "].");
  }
  if (at < 0) at += in.rank() + 1;
  PartialShape out{std::initializer_list<int64_t>{}};
  for (int i = 0; i < in.rank(); ++i) {
    if (i == at) out.Append(1);
    out.Append(in[i]);
  }
  if (at == in.rank()) out.Append(1);
  return c.SetOutput(0, out);
}

Status SqueezeShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  const auto& dims = c.attrs().Get<AttrValue::Ints>("squeeze_dims");
  if (!in.has_rank()) return c.SetOutput(0, PartialShape());
  bool drop[kMaxRank] = {};
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t at = dims[i] < 0 ? dims[i] + in.rank() : dims[i];
    if (at < 0 || at >= in.rank()) {
      return InvalidArgument("squeeze_dims[", i, "] not in [", -in.rank(), ",", in.rank(), ").");
    }
    if (in[static_cast<int>(at)] >= 0 && in[static_cast<int>(at)] != 1) {
      return InvalidArgument("Can not squeeze dim[", at, "], expected a dimension of 1, got ",
                             in[static_cast<int>(at)]);
    }
    drop[at] = true;
  }
  if (dims.empty()) {
    for (int i = 0; i < in.rank(); ++i) {
      if (in[i] < 0) return c.SetOutput(0, PartialShape());  // it may be 1 or not
      drop[i] = in[i] == 1;
    }
  }
  PartialShape out{std::initializer_list<int64_t>{}};
  for (int i = 0; i < in.rank(); ++i) {
    if (!drop[i]) out.Append(in[i]);
  }
  return c.SetOutput(0, out);
}

// Slices become dense within the scope of the Reshape, as TensorFlow's conversion of an argument
// does it.
Status ReshapeSlices(GradContext& c, const IndexedSlices& slices, Output shape) {
  Graph& g = c.graph();
  const OpScope scope(g, "", "Reshape");
  const Output rows = At(slices.dense_shape, {0}, {}, c.where());
  const Output dense =
      UnsortedSegmentSum(slices.values, slices.indices, rows, {.name = "tensor"}, c.where());
  c.Set(0, NodeBuilder(g, "Reshape", scope.op_name(), c.where()).Input(dense).Input(shape).Build());
  return absl::OkStatus();
}

Status ReshapedBack(GradContext& c) {
  if (const auto& slices = c.gradient(0).slices;
      slices.has_value() && slices->dense_shape.valid()) {
    return ReshapeSlices(c, *slices, ShapeOf(c.input(0), {}, c.where()));
  }
  const Output grad = c.grad();
  c.Set(0, Reshape(grad, ShapeOf(c.input(0), {}, c.where()), {}, c.where()));
  return absl::OkStatus();
}

Output WithIntArg(std::string_view op, std::string_view argument, Output x, const IntArg& arg,
                  const OpOptions& o, Location where) {
  if (!x.valid()) return {};
  if (arg.is_output()) return NodeBuilder(op, o.name, where).Input(x).Input(arg.output()).Build();
  Graph& g = *x.graph();
  OpScope scope(g, o.name, op);
  const Output value = arg.In(g, argument, DType::kInt32, where);
  return NodeBuilder(g, op, scope.op_name(), where).Input(x).Input(value).Build();
}

}  // namespace

Output Reshape(Output x, IntArg shape, OpOptions o, Location where) {
  return WithIntArg("Reshape", "shape", x, shape, o, where);
}
Output ExpandDims(Output x, IntArg axis, OpOptions o, Location where) {
  return WithIntArg("ExpandDims", "dim", x, axis, o, where);
}
Output Squeeze(Output x, SqueezeOptions o, Location where) {
  return NodeBuilder("Squeeze", o.name, where).Input(x).Attr("squeeze_dims", o.axis).Build();
}

int64_t MissingSizeOfEmpty(std::span<const int64_t> in, std::span<const int64_t> stated) {
  const auto product = [](std::span<const int64_t> dims) {
    int64_t product = 1;
    for (int64_t dim : dims) {
      if (__builtin_mul_overflow(product, std::max<int64_t>(dim, 1), &product)) return int64_t{1};
    }
    return product;
  };
  return product(in) / product(stated);
}

void DefineReshape(OpRegistry& ops) {
  const DTypeSet on_gpu = kGpuMovedTypes;
  ops.Define("Reshape")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tshape", kIndexTypes, DType::kInt32)
      .Input("tensor", "T")
      .Input("shape", "Tshape")
      .Output("output", "T")
      .Shape(ReshapeShape)
      .Gradient(ReshapedBack)
      .Forwards(0, 0)
      .Cpu({.make = MakeReshapeCpu})
      .Gpu({.types = {{"T", on_gpu}}, .host_args = {"shape"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"tensor", "shape", "output"}})
      .Doc("The same elements with another shape.");
  ops.Define("ExpandDims")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tdim", kIndexTypes, DType::kInt32)
      .Input("input", "T")
      .Input("dim", "Tdim")
      .Output("output", "T")
      .Shape(ExpandDimsShape)
      .Gradient(ReshapedBack)
      .Forwards(0, 0)
      .Cpu({.make = MakeExpandDimsCpu})
      .Gpu({.types = {{"T", on_gpu}}, .host_args = {"dim"}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "dim", "output"}})
      .Doc("Puts in a dimension of 1.");
  ops.Define("Squeeze")
      .TypeAttr("T", kAllTypes)
      .Attr("squeeze_dims", AttrValue::Ints{})
      .Input("input", "T")
      .Output("output", "T")
      .Shape(SqueezeShape)
      .Gradient(ReshapedBack)
      .Forwards(0, 0)
      .Cpu({.make = MakeSqueezeCpu})
      .Gpu({.types = {{"T", on_gpu}}})
      .Gpu({.types = {{"T", kInt32Only}}, .host_args = {"input", "output"}})
      .Doc("Drops dimensions of 1.");
}

}  // namespace headrace

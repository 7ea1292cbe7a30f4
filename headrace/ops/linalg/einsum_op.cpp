// The op Einsum.
#include <algorithm>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/linalg/einsum_equation.h"
#include "headrace/ops/linalg/einsum_kernels.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

// Dimensions by label. Letters must agree, dimensions of ellipses broadcast.
Status Record(int label, int64_t dim, int axis, const PartialShape& shape,
              std::map<int, int64_t>& dims) {
  const auto [it, fresh] = dims.try_emplace(label, dim);
  if (fresh) return absl::OkStatus();
  int64_t& known = it->second;
  if (label >= EinsumLabels::kEllipsis) {
    if (known == 1 || dim == 1 || known == dim) {
      known = known == 1 ? dim : known;
      return absl::OkStatus();
    }
  } else if (known < 0 || dim < 0 || known == dim) {
    known = std::max(known, dim);
    return absl::OkStatus();
  }
  if (known < 0 || dim < 0) {  // of two that broadcast: the one that is known and not 1
    known = std::max(known, dim);
    return absl::OkStatus();
  }
  return InvalidArgument("Expected dimension ", known, " at axis ", axis, " of the input shaped ",
                         shape.ToString(), " but got dimension ", dim);
}

Status EinsumShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const EinsumEquation equation,
                      ParseEinsum(c.attrs().Get<std::string>("equation")));
  std::vector<int> ranks;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_rank()) return c.SetOutput(0, PartialShape());
    ranks.push_back(c.input(i).rank());
  }
  HR_ASSIGN_OR_RETURN(const EinsumLabels labels, LabelDimensions(equation, ranks));
  std::map<int, int64_t> dims;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const std::vector<int>& of_input = labels.inputs[static_cast<size_t>(i)];
    for (int axis = 0; axis < c.input(i).rank(); ++axis) {
      HR_RETURN_IF_ERROR(
          Record(of_input[static_cast<size_t>(axis)], c.input(i)[axis], axis, c.input(i), dims));
    }
  }
  if (labels.output.size() > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument("the result has ", labels.output.size(), " dimensions; at most ",
                           kMaxRank);
  }
  PartialShape out = PartialShape::OfRank(0);
  for (int label : labels.output) out.Append(dims.at(label));
  return c.SetOutput(0, out);
}

}  // namespace

void DefineEinsum(OpRegistry& ops) {
  ops.Define("Einsum")
      .InputList("inputs", "T", "N")
      .Output("output", "T")
      .Attr("equation", AttrKind::kString)
      .Attr({.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .TypeAttr("T", kAllTypes)
      .Shape(EinsumShape)
      .Cpu({.types = {{"T", kLinalgTypes}}, .make = MakeEinsumCpu})
      .Gpu({.types = {{"T", kLinalgTypes}}})
      .Doc("Sums of products of one or two tensors by an equation.");
}

}  // namespace headrace

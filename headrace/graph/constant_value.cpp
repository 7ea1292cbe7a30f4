// Values of small integer tensors that follow from constants and known shapes while a graph is
// built: shapes, axes, multiples. Kernels live in a higher layer, so the few ops that make up such
// arithmetic are evaluated here, element by element, some of which may be unknown (the batch size
// of [?,784]).
#include <functional>

#include "headrace/graph/internal/small_ints.h"
#include "headrace/graph/shape_context.h"

namespace headrace {
namespace {

using internal::SmallInts;
using internal::SmallIntsEvaluator;

bool IsIndex(DType type) {
  return type == DType::kInt32 || type == DType::kInt64;
}

}  // namespace

Tensor ConstantValue(Output output) {
  if (!output.valid()) return Tensor();
  const Node& node = *output.node;
  if (node.op_name() == "Const") {
    const Tensor* value =
        node.attrs().Find("value") == nullptr ? nullptr : node.attrs().Find("value")->As<Tensor>();
    return value == nullptr ? Tensor() : *value;
  }
  const DType type = output.dtype();
  if (!IsIndex(type)) return Tensor();
  const std::optional<SmallInts> ints = SmallIntsEvaluator().Evaluate(output);
  if (!ints || !ints->all_known()) return Tensor();
  Tensor value(type, ints->shape);
  for (size_t i = 0; i < ints->values.size(); ++i) {
    if (type == DType::kInt32) {
      value.data<int32_t>()[i] = static_cast<int32_t>(*ints->values[i]);
    } else {
      value.data<int64_t>()[i] = *ints->values[i];
    }
  }
  return value;
}

PartialShape ConstantValueAsShape(Output output) {
  if (!output.valid() || !IsIndex(output.dtype())) return PartialShape();
  const PartialShape& given = output.shape();
  if (given.has_rank() && given.rank() != 1) return PartialShape();
  const std::optional<SmallInts> ints = SmallIntsEvaluator().Evaluate(output);
  if (!ints) {
    const bool fits = given.has_rank() && given[0] >= 0 && given[0] <= kMaxRank;
    return fits ? PartialShape::OfRank(static_cast<int>(given[0])) : PartialShape();
  }
  if (ints->shape.rank() != 1 || ints->values.size() > static_cast<size_t>(kMaxRank))
    return PartialShape();
  PartialShape shape = PartialShape::OfRank(0);
  for (const std::optional<int64_t>& value : ints->values) {
    shape.Append(value && *value >= 0 ? *value : PartialShape::kUnknown);
  }
  return shape;
}

}  // namespace headrace

#include "headrace/ops/array/broadcast_axes.h"
#include "headrace/ops/array/reshape.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/math_gradients.h"
#include "headrace/ops/math/reduce.h"

namespace headrace {

bool KnownEqualShapes(Output x, Output y, Output grad) {
  return x.shape().is_fully_known() && x.shape() == y.shape() && x.shape() == grad.shape();
}

OperandGradients::OperandGradients(Output x, Output y, Output grad, Known known, Location where)
    : where_(where) {
  const Output operands[] = {x, y};
  if (known == Known::kUse && x.shape().is_fully_known() && y.shape().is_fully_known()) {
    is_static_ = true;
    const StatusOr<BroadcastReduction> axes =
        ReductionOfBroadcast(x.shape().dims(), y.shape().dims());
    for (int i = 0; i < 2; ++i) {
      const auto dims = operands[i].shape().dims();
      static_shapes_[i].assign(dims.begin(), dims.end());
      must_reduce_[i] = operands[i].shape() != grad.shape();
      if (!axes.ok()) continue;  // the forward node could not have been made
      const auto& list = i == 0 ? axes->axes0 : axes->axes1;
      static_axes_[i].assign(list.begin(), list.begin() + (i == 0 ? axes->size0 : axes->size1));
    }
    return;
  }
  for (int i = 0; i < 2; ++i)
    shapes_[i] = ShapeOf(operands[i], {.optimize = known != Known::kUse}, where);
  MakeAxes();
}

OperandGradients::OperandGradients(Output shape_x, Output shape_y, Location where) : where_(where) {
  shapes_[0] = shape_x;
  shapes_[1] = shape_y;
  MakeAxes();
}

void OperandGradients::MakeAxes() {
  const BroadcastAxes axes = BroadcastGradientArgs(shapes_[0], shapes_[1], {}, where_);
  axes_[0] = axes.r0;
  axes_[1] = axes.r1;
}

Output OperandGradients::Reduce(int i, Output grad) const {
  if (!must_reduce_[i]) return grad;
  if (is_static_)
    return Reshape(ReduceSum(grad, static_axes_[i], {}, where_), static_shapes_[i], {}, where_);
  return Reshape(ReduceSum(grad, axes_[i], {}, where_), shapes_[i], {}, where_);
}

}  // namespace headrace

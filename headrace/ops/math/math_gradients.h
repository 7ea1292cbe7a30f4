// Gradient functions of the math ops, for their definitions; and what they are made of. Nodes are
// named and ordered as TensorFlow 1.15's gradient functions name and order theirs.
#pragma once

#include <optional>
#include <vector>

#include "headrace/graph/grad_context.h"

namespace headrace {

// Of functions of one argument (unary_gradients.cpp).
Status AbsGradient(GradContext& c);
Status NegGradient(GradContext& c);
Status SignGradient(GradContext& c);
Status SquareGradient(GradContext& c);
Status SqrtGradient(GradContext& c);
Status RsqrtGradient(GradContext& c);
Status ReciprocalGradient(GradContext& c);
Status ExpGradient(GradContext& c);
Status Expm1Gradient(GradContext& c);
Status LogGradient(GradContext& c);
Status Log1pGradient(GradContext& c);
Status SigmoidGradient(GradContext& c);
Status TanhGradient(GradContext& c);
Status SinGradient(GradContext& c);
Status CosGradient(GradContext& c);
Status TanGradient(GradContext& c);
Status AsinGradient(GradContext& c);
Status AcosGradient(GradContext& c);
Status AtanGradient(GradContext& c);
Status SinhGradient(GradContext& c);
Status CoshGradient(GradContext& c);
Status AsinhGradient(GradContext& c);
Status AcoshGradient(GradContext& c);
Status AtanhGradient(GradContext& c);
Status ErfGradient(GradContext& c);
Status ErfcGradient(GradContext& c);
Status LgammaGradient(GradContext& c);
Status DigammaGradient(GradContext& c);
Status SigmoidGradGradient(GradContext& c);
Status TanhGradGradient(GradContext& c);
Status SqrtGradGradient(GradContext& c);
Status RsqrtGradGradient(GradContext& c);
Status ReciprocalGradGradient(GradContext& c);

// Of functions of two arguments (binary_gradients.cpp).
Status AddGradient(GradContext& c);
Status SubGradient(GradContext& c);
Status MulGradient(GradContext& c);
Status DivGradient(GradContext& c);
Status RealDivGradient(GradContext& c);
Status FloorModGradient(GradContext& c);
Status DivNoNanGradient(GradContext& c);
Status MulNoNanGradient(GradContext& c);
Status XdivyGradient(GradContext& c);
Status XlogyGradient(GradContext& c);
Status PowGradient(GradContext& c);
Status MaximumGradient(GradContext& c);
Status MinimumGradient(GradContext& c);
Status SquaredDifferenceGradient(GradContext& c);
Status Atan2Gradient(GradContext& c);
Status PolygammaGradient(GradContext& c);
Status ZetaGradient(GradContext& c);

// Brings gradients of a broadcast result back to the shapes of the two operands. When all shapes
// are known the axes are constants made where they are needed, and an operand that was not
// broadcast needs nothing; else the axes come from BroadcastGradientArgs, made at once.
class OperandGradients {
 public:
  enum class Known {
    kUse,         // as TensorFlow's newer gradient functions, by static shapes where it can
    kShapesOnly,  // as its older ones: always BroadcastGradientArgs, of constants where shapes are
                  // known
  };
  OperandGradients(Output x, Output y, Output grad, Known known, Location where);
  // From shapes that are tensors already.
  OperandGradients(Output shape_x, Output shape_y, Location where);
  // The gradient of operand i (0: x, 1: y) from one of the result's shape.
  Output Reduce(int i, Output grad) const;
  bool must_reduce(int i) const { return must_reduce_[i]; }

 private:
  void MakeAxes();

  Location where_;
  bool is_static_ = false;
  bool must_reduce_[2] = {true, true};
  Output shapes_[2], axes_[2];
  std::vector<int64_t> static_shapes_[2], static_axes_[2];
};

// True when x, y and grad are known to have one shape.
bool KnownEqualShapes(Output x, Output y, Output grad);

}  // namespace headrace

// Gradients of sparse_math.cpp, made of the nodes that TensorFlow makes.
#pragma once

#include "headrace/graph/grad_context.h"

namespace headrace {

Status SparseAddGradient(GradContext& c);
Status SparseTensorDenseAddGradient(GradContext& c);
Status SparseTensorDenseMatMulGradient(GradContext& c);
Status SparseDenseCwiseMulGradient(GradContext& c);
Status SparseDenseCwiseDivGradient(GradContext& c);
Status SparseSoftmaxGradient(GradContext& c);
Status SparseReduceSumGradient(GradContext& c);

}  // namespace headrace

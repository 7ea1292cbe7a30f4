// Kernels that treat each matrix of a batch alone: `[..., m, n] -> [..., p, q]`.
//
//   Status Invert(const MatrixCall& call) { ... call.in[0].data, call.in[0].rows ... }
//   return MakeMatrixKernel(Invert, {.ns = [](const MatrixCall& call) { ... }});
//
// The matrices of a batch are shared out over the workers; each is computed by one thread, so that
// results do not depend on their number. Shapes are checked, and those of the outputs found, by the
// op's own shape function.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "headrace/kernel/kernel.h"

namespace headrace {

// Shapes of all outputs by the op's shape function, with the inputs' real shapes and values.
// Errors: what the shape function says.
StatusOr<std::vector<Shape>> OutputShapes(const KernelContext& ctx);

// One matrix, row-major and dense. A vector counts as a column, a number as 1 x 1.
struct MatrixIn {
  const void* data = nullptr;
  int64_t rows = 0, cols = 0;
};
struct MatrixOut {
  void* data = nullptr;
  int64_t rows = 0, cols = 0;
};

struct MatrixCall {
  static constexpr int kMost = 4;
  std::array<MatrixIn, kMost> in;
  std::array<MatrixOut, kMost> out;
  const KernelContext& ctx;  // for the inputs that are no batches of matrices
};

// Computes one matrix. Its error becomes the node's; that of the first matrix wins.
using MatrixFunction = std::function<Status(const MatrixCall& call)>;

struct MatrixKernelOptions {
  int inputs = 1;  // how many of the op's inputs are batches of matrices; input 0 gives the batch
  // Estimated nanoseconds for one matrix; default: m * n * min(m, n) of input 0.
  double (*ns)(const MatrixCall& call) = nullptr;
};
std::unique_ptr<Kernel> MakeMatrixKernel(MatrixFunction function, MatrixKernelOptions options = {});

}  // namespace headrace

#include <algorithm>
#include <limits>
#include <mutex>

#include "headrace/base/strings.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/linalg/matrix_kernel.h"

namespace headrace {
namespace {

// The matrices of one tensor: where they begin, how far they are apart, what they look like.
struct Matrices {
  int64_t rows = 1, cols = 1, step_bytes = 0;

  Matrices() = default;
  Matrices(const Shape& shape, int batch_rank, DType type) {
    if (shape.rank() > batch_rank) rows = shape[batch_rank];
    if (shape.rank() > batch_rank + 1) cols = shape[batch_rank + 1];
    step_bytes = rows * cols * static_cast<int64_t>(SizeOf(type));
  }
};

double DefaultCost(const MatrixCall& call) {
  const double m = static_cast<double>(call.in[0].rows), n = static_cast<double>(call.in[0].cols);
  return 100 + m * n * std::min(m, n);
}

class MatrixKernel final : public Kernel {
 public:
  MatrixKernel(MatrixFunction function, MatrixKernelOptions options)
      : function_(std::move(function)), options_(options) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
    const int batch_rank = ctx.input(0).rank() - 2;
    const int64_t batch = ctx.input(0).shape().Product(0, batch_rank);
    std::array<Matrices, MatrixCall::kMost> in, out;
    MatrixCall first{.ctx = ctx};
    for (int i = 0; i < options_.inputs; ++i) {
      in[i] = Matrices(ctx.input(i).shape(), batch_rank, ctx.input(i).dtype());
      first.in[i] = {ctx.input(i).raw_data(), in[i].rows, in[i].cols};
    }
    const int outputs = static_cast<int>(shapes.size());
    for (int i = 0; i < outputs; ++i) {
      HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(i, shapes[i]));
      out[i] = Matrices(shapes[i], batch_rank, y->dtype());
      first.out[i] = {y->raw_data(), out[i].rows, out[i].cols};
    }
    std::mutex mutex;
    int64_t failed = std::numeric_limits<int64_t>::max();
    Status error;
    const double ns = (options_.ns == nullptr ? DefaultCost : options_.ns)(first);
    ctx.workers().ParallelFor(batch, ns, [&](int64_t begin, int64_t end) {
      MatrixCall call = first;
      for (int64_t b = begin; b < end; ++b) {
        for (int i = 0; i < options_.inputs; ++i)
          call.in[i].data = static_cast<const char*>(first.in[i].data) + b * in[i].step_bytes;
        for (int i = 0; i < outputs; ++i)
          call.out[i].data = static_cast<char*>(first.out[i].data) + b * out[i].step_bytes;
        Status status = function_(call);
        if (status.ok()) continue;
        std::lock_guard lock(mutex);
        if (b < failed) {
          failed = b;
          error = std::move(status);
        }
        return;  // later matrices of this piece do not matter any more
      }
    });
    return error;
  }

 private:
  const MatrixFunction function_;
  const MatrixKernelOptions options_;
};

}  // namespace

StatusOr<std::vector<Shape>> OutputShapes(const KernelContext& ctx) {
  std::vector<PartialShape> inputs;
  for (int i = 0; i < ctx.num_inputs(); ++i) inputs.emplace_back(ctx.input(i).shape());
  ShapeContext shapes(ctx.node(), inputs, [&](int i) { return &ctx.input(i); });
  HR_RETURN_IF_ERROR(ctx.node().op().shape_fn()(shapes));
  std::vector<Shape> result;
  for (const PartialShape& shape : shapes.outputs()) {
    if (!shape.is_fully_known())
      return Internal("the shape function leaves a shape open: ", shape.ToString());
    result.push_back(shape.ToShape());
  }
  return result;
}

std::unique_ptr<Kernel> MakeMatrixKernel(MatrixFunction function, MatrixKernelOptions options) {
  return std::make_unique<MatrixKernel>(std::move(function), options);
}

}  // namespace headrace

#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/gemm.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/math/sparse_matmul_kernels.h"

namespace headrace {
namespace {

class SparseMatMulKernel final : public Kernel {
 public:
  SparseMatMulKernel(bool ta, bool tb) : ta_(ta), tb_(tb) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (a.rank() != 2 || b.rank() != 2) {
      return InvalidArgument("a and b must be matrices, got shapes ", a.shape().ToString(), " and ",
                             b.shape().ToString());
    }
    const int64_t m = a.dim(ta_ ? 1 : 0), k = a.dim(ta_ ? 0 : 1), n = b.dim(tb_ ? 0 : 1);
    if (k != b.dim(tb_ ? 1 : 0)) {
      return InvalidArgument("Matrix size incompatible: a: ", a.shape().ToString(),
                             ", b: ", b.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {m, n}));
    if (out->num_elements() == 0) return absl::OkStatus();
    HR_ASSIGN_OR_RETURN(const float* x, AsFloat(ctx, a, wide_a_));
    HR_ASSIGN_OR_RETURN(const float* y, AsFloat(ctx, b, wide_b_));
    return Gemm(ctx.workers(), ta_, tb_, m, n, k, x, y, out->data<float>());
  }

 private:
  static StatusOr<const float*> AsFloat(KernelContext& ctx, const Tensor& in, Tensor& wide) {
    if (in.dtype() == DType::kFloat32) return in.data<float>();
    HR_RETURN_IF_ERROR(ctx.Scratch(wide, DType::kFloat32, in.shape()));
    const BFloat16* from = in.data<BFloat16>();
    float* to = wide.data<float>();
    ctx.workers().ParallelFor(in.num_elements(), 0.3, [&](int64_t begin, int64_t end) {
      WidenToFloat(from + begin, DType::kBFloat16, to + begin, end - begin);
    });
    return to;
  }

  const bool ta_, tb_;
  Tensor wide_a_, wide_b_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSparseMatMulCpu(const KernelInit& init) {
  return std::make_unique<SparseMatMulKernel>(init.Attr<bool>("transpose_a"),
                                              init.Attr<bool>("transpose_b"));
}

}  // namespace headrace

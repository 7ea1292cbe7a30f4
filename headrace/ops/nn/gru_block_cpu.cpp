#include <algorithm>
#include <cmath>

#include "headrace/kernel/cpu/gemm.h"
#include "headrace/ops/nn/gru_block_kernels.h"

namespace headrace {
namespace {

float Sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}

class GRUKernel : public Kernel {
 protected:
  enum Arg { kX, kHPrev, kWru, kWc, kBru, kBc, kNumArgs };

  Status Check(KernelContext& ctx) {
    const Tensor& x = ctx.input(kX);
    const Tensor& h_prev = ctx.input(kHPrev);
    if (x.rank() != 2) return InvalidArgument("x must have rank 2, got ", x.shape().ToString());
    if (h_prev.rank() != 2)
      return InvalidArgument("h_prev must have rank 2, got ", h_prev.shape().ToString());
    batch_ = x.dim(0);
    inputs_ = x.dim(1);
    cell_ = h_prev.dim(1);
    HR_RETURN_IF_ERROR(Expect("h_prev", h_prev, {batch_, cell_}));
    HR_RETURN_IF_ERROR(Expect("w_ru", ctx.input(kWru), {inputs_ + cell_, 2 * cell_}));
    HR_RETURN_IF_ERROR(Expect("w_c", ctx.input(kWc), {inputs_ + cell_, cell_}));
    HR_RETURN_IF_ERROR(Expect("b_ru", ctx.input(kBru), {2 * cell_}));
    HR_RETURN_IF_ERROR(Expect("b_c", ctx.input(kBc), {cell_}));
    return ctx.Scratch(joined_, DType::kFloat32, {batch_, inputs_ + cell_});
  }

  static Status Expect(std::string_view name, const Tensor& t, const Shape& shape) {
    if (t.shape() == shape) return absl::OkStatus();
    return InvalidArgument(name, " must have shape ", shape.ToString(), ", got ",
                           t.shape().ToString());
  }

  template <class F>
  void ForEach(KernelContext& ctx, double ns_per_item, F&& f) {
    ctx.workers().ParallelFor(batch_, ns_per_item * static_cast<double>(cell_),
                              [&](int64_t begin, int64_t end) {
                                for (int64_t row = begin; row < end; ++row) {
                                  for (int64_t c = 0; c < cell_; ++c) f(row, c);
                                }
                              });
  }

  int64_t batch_ = 0, inputs_ = 0, cell_ = 0;
  Tensor joined_;  // [batch, inputs + cell]
};

class GRUBlockCell final : public GRUKernel {
 public:
  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(Check(ctx));
    float* out[4];
    for (int i = 0; i < 4; ++i) {
      HR_ASSIGN_OR_RETURN(Tensor * t, ctx.Output(i, {batch_, cell_}));
      out[i] = t->data<float>();
    }
    float *r = out[0], *u = out[1], *c = out[2], *h = out[3];
    HR_RETURN_IF_ERROR(ctx.Scratch(gates_, DType::kFloat32, {batch_, 2 * cell_}));
    const float* h_prev = ctx.input(kHPrev).data<float>();
    Join(ctx, [&](int64_t at) { return h_prev[at]; });
    HR_RETURN_IF_ERROR(Product(ctx, 2 * cell_, kWru, kBru, gates_.data<float>()));
    const float* gates = gates_.data<float>();
    ForEach(ctx, 20, [&](int64_t row, int64_t col) {
      r[row * cell_ + col] = Sigmoid(gates[row * 2 * cell_ + col]);
      u[row * cell_ + col] = Sigmoid(gates[row * 2 * cell_ + cell_ + col]);
    });
    Join(ctx, [&](int64_t at) { return h_prev[at] * r[at]; });
    HR_RETURN_IF_ERROR(Product(ctx, cell_, kWc, kBc, c));
    ForEach(ctx, 20, [&](int64_t row, int64_t col) {
      const int64_t at = row * cell_ + col;
      c[at] = std::tanh(c[at]);
      h[at] = u[at] * h_prev[at] + (1 - u[at]) * c[at];
    });
    return absl::OkStatus();
  }

 private:
  template <class F>
  void Join(KernelContext& ctx, F&& second) {
    const float* x = ctx.input(kX).data<float>();
    float* to = joined_.data<float>();
    for (int64_t row = 0; row < batch_; ++row) {
      to = std::copy_n(x + row * inputs_, inputs_, to);
      for (int64_t c = 0; c < cell_; ++c) *to++ = second(row * cell_ + c);
    }
  }

  Status Product(KernelContext& ctx, int64_t columns, Arg w, Arg b, float* out) {
    return Gemm(ctx.workers(), false, false, batch_, columns, inputs_ + cell_,
                joined_.data<float>(), ctx.input(w).data<float>(), out,
                {.bias = ctx.input(b).data<float>()});
  }

  Tensor gates_;
};

class GRUBlockCellGrad final : public GRUKernel {
 public:
  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(Check(ctx));
    static constexpr const char* kNames[] = {"r", "u", "c", "d_h"};
    const float* in[4];
    for (int i = 0; i < 4; ++i) {
      HR_RETURN_IF_ERROR(Expect(kNames[i], ctx.input(kNumArgs + i), {batch_, cell_}));
      in[i] = ctx.input(kNumArgs + i).data<float>();
    }
    const float *r = in[0], *u = in[1], *c = in[2], *dh = in[3];
    HR_ASSIGN_OR_RETURN(Tensor * dx, ctx.Output(0, {batch_, inputs_}));
    HR_ASSIGN_OR_RETURN(Tensor * dh_prev, ctx.Output(1, {batch_, cell_}));
    HR_ASSIGN_OR_RETURN(Tensor * dc_bar, ctx.Output(2, {batch_, cell_}));
    HR_ASSIGN_OR_RETURN(Tensor * dru_bar, ctx.Output(3, {batch_, 2 * cell_}));
    const float* h_prev = ctx.input(kHPrev).data<float>();
    float* dc = dc_bar->data<float>();
    float* dru = dru_bar->data<float>();
    ForEach(ctx, 3, [&](int64_t row, int64_t col) {
      const int64_t at = row * cell_ + col;
      dc[at] = dh[at] * (1 - u[at]) * (1 - c[at] * c[at]);
      dru[row * 2 * cell_ + cell_ + col] = dh[at] * (h_prev[at] - c[at]) * u[at] * (1 - u[at]);
    });
    // [dx, d(h_prev * r)] through c, then what is left through r and u.
    HR_RETURN_IF_ERROR(Back(ctx, cell_, kWc, dc));
    const float* joined = joined_.data<float>();
    const int64_t width = inputs_ + cell_;
    ForEach(ctx, 3, [&](int64_t row, int64_t col) {
      const int64_t at = row * cell_ + col;
      const float dhr = joined[row * width + inputs_ + col];
      dru[row * 2 * cell_ + col] = dhr * h_prev[at] * r[at] * (1 - r[at]);
      dh_prev->data<float>()[at] = dhr * r[at] + dh[at] * u[at];
    });
    CopyX(dx->data<float>(), /*add=*/false);
    HR_RETURN_IF_ERROR(Back(ctx, 2 * cell_, kWru, dru));
    CopyX(dx->data<float>(), /*add=*/true);
    ForEach(ctx, 1, [&](int64_t row, int64_t col) {
      dh_prev->data<float>()[row * cell_ + col] += joined[row * width + inputs_ + col];
    });
    return absl::OkStatus();
  }

 private:
  // joined_ = d * w^T
  Status Back(KernelContext& ctx, int64_t columns, Arg w, const float* d) {
    return Gemm(ctx.workers(), false, true, batch_, inputs_ + cell_, columns, d,
                ctx.input(w).data<float>(), joined_.data<float>());
  }

  void CopyX(float* dx, bool add) {
    for (int64_t row = 0; row < batch_; ++row) {
      const float* from = joined_.data<float>() + row * (inputs_ + cell_);
      for (int64_t i = 0; i < inputs_; ++i, ++dx) *dx = add ? *dx + from[i] : from[i];
    }
  }
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeGRUBlockCellCpu(const KernelInit&) {
  return std::make_unique<GRUBlockCell>();
}
StatusOr<std::unique_ptr<Kernel>> MakeGRUBlockCellGradCpu(const KernelInit&) {
  return std::make_unique<GRUBlockCellGrad>();
}

}  // namespace headrace

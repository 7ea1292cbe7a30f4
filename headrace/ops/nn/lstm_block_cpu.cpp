// A step is the product of [x, h_prev] and the weights, and one pass over its rows. A single cell
// is a sequence of one step.
#include <algorithm>
#include <array>
#include <cmath>

#include "headrace/kernel/cpu/gemm.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/nn/lstm_block_kernels.h"

namespace headrace {
namespace {

constexpr int kNumStates = 7;
enum State { kI, kCs, kF, kO, kCi, kCo, kH };

// An input in float32, whatever it is in.
class WideInput {
 public:
  Status Read(KernelContext& ctx, const Tensor& t) {
    if (t.dtype() == DType::kFloat32) {
      data_ = t.data<float>();
      return absl::OkStatus();
    }
    HR_RETURN_IF_ERROR(ctx.Scratch(wide_, DType::kFloat32, t.shape()));
    WidenToFloat(t.raw_data(), t.dtype(), wide_.data<float>(), t.num_elements());
    data_ = wide_.data<float>();
    return absl::OkStatus();
  }
  const float* data() const { return data_; }

 private:
  Tensor wide_;
  const float* data_ = nullptr;
};

// An output that is made in float32, from zeros, and brought to its dtype by Finish.
class WideOutput {
 public:
  Status Make(KernelContext& ctx, int i, const Shape& shape) {
    HR_ASSIGN_OR_RETURN(out_, ctx.Output(i, shape));
    if (out_->dtype() != DType::kFloat32)
      HR_RETURN_IF_ERROR(ctx.Scratch(wide_, DType::kFloat32, shape));
    std::fill_n(data(), shape.num_elements(), 0.0f);
    return absl::OkStatus();
  }
  void Finish() {
    if (out_->dtype() != DType::kFloat32)
      NarrowFromFloat(wide_.data<float>(), out_->dtype(), out_->raw_data(), out_->num_elements());
  }
  float* data() {
    return out_->dtype() == DType::kFloat32 ? out_->data<float>() : wide_.data<float>();
  }

 private:
  Tensor* out_ = nullptr;
  Tensor wide_;
};

float Sigmoid(float x) {
  return 1.0f / (1.0f + std::exp(-x));
}

// Where the gates begin in a row of gates, in cells.
struct GateOrder {
  int64_t i, ci, f, o;
};
constexpr GateOrder kOrder = {0, 1, 2, 3}, kOrderV2 = {0, 2, 1, 3};

struct Sizes {
  int64_t time = 1, steps = 1, batch = 0, inputs = 0, cell = 0;
  int64_t rows() const { return inputs + cell; }
};

class LSTMKernel : public Kernel {
 public:
  explicit LSTMKernel(const KernelInit& init, bool sequence)
      : sequence_(sequence),
        order_(init.node().op_name().ends_with("V2") ? kOrderV2 : kOrder),
        peephole_(init.Attr<bool>("use_peephole")) {}

 protected:
  enum Arg { kX, kCsPrev, kHPrev, kW, kWci, kWcf, kWco, kB, kNumArgs };

  // Reads what cells and their gradients have in common; the names are those of the inputs.
  Status ReadCell(KernelContext& ctx) {
    const int first = sequence_ ? 1 : 0;
    const Tensor& x = ctx.input(first);
    if (x.rank() != 2 + first)
      return InvalidArgument("x must have rank ", 2 + first, ", got ", x.shape().ToString());
    const Tensor& cs_prev = ctx.input(first + kCsPrev);
    if (cs_prev.rank() != 2)
      return InvalidArgument("cs_prev must have rank 2, got ", cs_prev.shape().ToString());
    sizes_.batch = x.dim(first);
    sizes_.inputs = x.dim(first + 1);
    sizes_.cell = cs_prev.dim(1);
    const int64_t cell = sizes_.cell;
    HR_RETURN_IF_ERROR(Expect("cs_prev", cs_prev, {sizes_.batch, cell}));
    HR_RETURN_IF_ERROR(Expect("h_prev", ctx.input(first + kHPrev), {sizes_.batch, cell}));
    HR_RETURN_IF_ERROR(Expect("w", ctx.input(first + kW), {sizes_.rows(), 4 * cell}));
    HR_RETURN_IF_ERROR(Expect("b", ctx.input(first + kB), {4 * cell}));
    if (peephole_) {
      HR_RETURN_IF_ERROR(Expect("wci", ctx.input(first + kWci), {cell}));
      HR_RETURN_IF_ERROR(Expect("wcf", ctx.input(first + kWcf), {cell}));
      HR_RETURN_IF_ERROR(Expect("wco", ctx.input(first + kWco), {cell}));
    }
    if (sequence_) HR_RETURN_IF_ERROR(ReadSteps(ctx.input(0), x.dim(0)));
    for (int i = 0; i < kNumArgs; ++i) HR_RETURN_IF_ERROR(args_[i].Read(ctx, ctx.input(first + i)));
    HR_RETURN_IF_ERROR(ctx.Scratch(xh_, DType::kFloat32, {sizes_.batch, sizes_.rows()}));
    return ctx.Scratch(gates_, DType::kFloat32, {sizes_.batch, 4 * cell});
  }

  static Status Expect(std::string_view name, const Tensor& t, const Shape& shape) {
    if (t.shape() == shape) return absl::OkStatus();
    return InvalidArgument(name, " must have shape ", shape.ToString(), ", got ",
                           t.shape().ToString());
  }

  // The shape of a state: [batch, cell], for all steps.
  Shape StateShape() const {
    return sequence_ ? Shape({sizes_.time, sizes_.batch, sizes_.cell})
                     : Shape({sizes_.batch, sizes_.cell});
  }

  // xh_ = [x at step t, h]
  void JoinInputs(int64_t t, const float* h) {
    const float* x = args_[kX].data() + t * sizes_.batch * sizes_.inputs;
    float* to = xh_.data<float>();
    for (int64_t row = 0; row < sizes_.batch; ++row) {
      to = std::copy_n(x + row * sizes_.inputs, sizes_.inputs, to);
      to = std::copy_n(h + row * sizes_.cell, sizes_.cell, to);
    }
  }

  const bool sequence_;
  const GateOrder order_;
  const bool peephole_;
  Sizes sizes_;
  std::array<WideInput, kNumArgs> args_;
  Tensor xh_, gates_;

 private:
  Status ReadSteps(const Tensor& seq_len_max, int64_t time) {
    if (seq_len_max.rank() != 0) {
      return InvalidArgument("seq_len_max must be a scalar, got ", seq_len_max.shape().ToString());
    }
    const int64_t steps = seq_len_max.data<int64_t>()[0];
    if (steps < 0 || steps > time)
      return InvalidArgument("seq_len_max must be in [0, ", time, "], got ", steps);
    sizes_.time = time;
    sizes_.steps = steps;
    return absl::OkStatus();
  }
};

class LSTMForward final : public LSTMKernel {
 public:
  LSTMForward(const KernelInit& init, bool sequence)
      : LSTMKernel(init, sequence),
        forget_bias_(init.node().op_name().ends_with("V2") ? 0 : init.Attr<float>("forget_bias")),
        cell_clip_(init.Attr<float>("cell_clip")) {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(ReadCell(ctx));
    for (int i = 0; i < kNumStates; ++i) HR_RETURN_IF_ERROR(states_[i].Make(ctx, i, StateShape()));
    const int64_t state_size = sizes_.batch * sizes_.cell;
    const float* cs_prev = args_[kCsPrev].data();
    const float* h_prev = args_[kHPrev].data();
    for (int64_t t = 0; t < sizes_.steps; ++t) {
      JoinInputs(t, h_prev);
      HR_RETURN_IF_ERROR(Gemm(ctx.workers(), false, false, sizes_.batch, 4 * sizes_.cell,
                              sizes_.rows(), xh_.data<float>(), args_[kW].data(),
                              gates_.data<float>(), {.bias = args_[kB].data()}));
      ctx.workers().ParallelFor(sizes_.batch, 40.0 * static_cast<double>(sizes_.cell),
                                [&](int64_t begin, int64_t end) {
                                  for (int64_t row = begin; row < end; ++row)
                                    Row(row, cs_prev, t * state_size);
                                });
      cs_prev = states_[kCs].data() + t * state_size;
      h_prev = states_[kH].data() + t * state_size;
    }
    for (WideOutput& state : states_) state.Finish();
    return absl::OkStatus();
  }

 private:
  void Row(int64_t row, const float* cs_prev, int64_t offset) {
    const int64_t cell = sizes_.cell;
    const float* gates = gates_.data<float>() + row * 4 * cell;
    cs_prev += row * cell;
    offset += row * cell;
    const auto peep = [&](Arg arg, int64_t c) { return peephole_ ? args_[arg].data()[c] : 0.0f; };
    for (int64_t c = 0; c < cell; ++c) {
      const auto state = [&](State s) -> float& { return states_[s].data()[offset + c]; };
      const float i = Sigmoid(gates[order_.i * cell + c] + cs_prev[c] * peep(kWci, c));
      const float ci = std::tanh(gates[order_.ci * cell + c]);
      const float f =
          Sigmoid(gates[order_.f * cell + c] + forget_bias_ + cs_prev[c] * peep(kWcf, c));
      float cs = i * ci + f * cs_prev[c];
      if (cell_clip_ > 0) cs = std::min(std::max(cs, -cell_clip_), cell_clip_);
      const float o = Sigmoid(gates[order_.o * cell + c] + cs * peep(kWco, c));
      const float co = std::tanh(cs);
      state(kI) = i;
      state(kCs) = cs;
      state(kF) = f;
      state(kO) = o;
      state(kCi) = ci;
      state(kCo) = co;
      state(kH) = o * co;
    }
  }

  const float forget_bias_, cell_clip_;
  std::array<WideOutput, kNumStates> states_;
};

// Backpropagation through one step: gates_ becomes the gradient of the gates.
class LSTMBackward : public LSTMKernel {
 public:
  using LSTMKernel::LSTMKernel;

 protected:
  Status ReadStates(KernelContext& ctx) {
    const int first = (sequence_ ? 1 : 0) + kNumArgs;
    const int states = sequence_ ? kNumStates : kNumStates - 1;  // a cell's gradient needs no h
    static constexpr const char* kNames[] = {"i", "cs", "f", "o", "ci", "co", "h"};
    for (int i = 0; i < states; ++i) {
      HR_RETURN_IF_ERROR(Expect(kNames[i], ctx.input(first + i), StateShape()));
      HR_RETURN_IF_ERROR(states_[i].Read(ctx, ctx.input(first + i)));
    }
    HR_RETURN_IF_ERROR(Expect("cs_grad", ctx.input(first + states), StateShape()));
    HR_RETURN_IF_ERROR(Expect("h_grad", ctx.input(first + states + 1), StateShape()));
    HR_RETURN_IF_ERROR(cs_grad_.Read(ctx, ctx.input(first + states)));
    return h_grad_.Read(ctx, ctx.input(first + states + 1));
  }

  // Step t, of the gradients that flow in from outside and from step t + 1 (`later`, if there is
  // one); the gradient of cs_prev goes to `cs_prev_grad`, which may be `later_cs` itself.
  void Step(KernelContext& ctx, int64_t t, const float* cs_prev, const float* later_cs,
            const float* later_h, float* cs_prev_grad) {
    ctx.workers().ParallelFor(sizes_.batch, 20.0 * static_cast<double>(sizes_.cell),
                              [&](int64_t begin, int64_t end) {
                                for (int64_t row = begin; row < end; ++row)
                                  Row(t, row, cs_prev, later_cs, later_h, cs_prev_grad);
                              });
  }

  // Adds step t to the gradients of the peepholes.
  void AddPeepholes(int64_t t, const float* cs_prev, float* wci, float* wcf, float* wco) {
    if (!peephole_) return;
    const int64_t cell = sizes_.cell;
    const float* cs = states_[kCs].data() + t * sizes_.batch * cell;
    for (int64_t row = 0; row < sizes_.batch; ++row) {
      const float* d = gates_.data<float>() + row * 4 * cell;
      for (int64_t c = 0; c < cell; ++c) {
        wci[c] += d[order_.i * cell + c] * cs_prev[row * cell + c];
        wcf[c] += d[order_.f * cell + c] * cs_prev[row * cell + c];
        wco[c] += d[order_.o * cell + c] * cs[row * cell + c];
      }
    }
  }

  std::array<WideInput, kNumStates> states_;
  WideInput cs_grad_, h_grad_;

 private:
  void Row(int64_t t, int64_t row, const float* cs_prev, const float* later_cs,
           const float* later_h, float* cs_prev_grad) {
    const int64_t cell = sizes_.cell, in_step = row * cell;
    const int64_t offset = t * sizes_.batch * cell + in_step;
    float* d = gates_.data<float>() + 4 * in_step;
    for (int64_t c = 0; c < cell; ++c) {
      const auto state = [&](State s) { return states_[s].data()[offset + c]; };
      const float i = state(kI), f = state(kF), o = state(kO), ci = state(kCi), co = state(kCo);
      float dh = h_grad_.data()[offset + c], dcs = cs_grad_.data()[offset + c];
      if (later_h != nullptr) dh += later_h[in_step + c];
      if (later_cs != nullptr) dcs += later_cs[in_step + c];
      const float d_o = o * (1 - o) * dh * co;
      dcs += (1 - co * co) * dh * o;
      if (peephole_) dcs += d_o * args_[kWco].data()[c];
      const float d_f = f * (1 - f) * dcs * cs_prev[in_step + c];
      const float d_i = i * (1 - i) * dcs * ci;
      d[order_.i * cell + c] = d_i;
      d[order_.ci * cell + c] = (1 - ci * ci) * dcs * i;
      d[order_.f * cell + c] = d_f;
      d[order_.o * cell + c] = d_o;
      float before = dcs * f;
      if (peephole_) before += d_i * args_[kWci].data()[c] + d_f * args_[kWcf].data()[c];
      cs_prev_grad[in_step + c] = before;
    }
  }
};

class LSTMBlockCellGrad final : public LSTMBackward {
 public:
  explicit LSTMBlockCellGrad(const KernelInit& init) : LSTMBackward(init, /*sequence=*/false) {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(ReadCell(ctx));
    HR_RETURN_IF_ERROR(ReadStates(ctx));
    HR_RETURN_IF_ERROR(cs_prev_grad_.Make(ctx, 0, StateShape()));
    HR_RETURN_IF_ERROR(dgates_.Make(ctx, 1, {sizes_.batch, 4 * sizes_.cell}));
    for (int i = 0; i < 3; ++i) HR_RETURN_IF_ERROR(peepholes_[i].Make(ctx, i + 2, {sizes_.cell}));
    const float* cs_prev = args_[kCsPrev].data();
    Step(ctx, 0, cs_prev, nullptr, nullptr, cs_prev_grad_.data());
    std::copy_n(gates_.data<float>(), gates_.num_elements(), dgates_.data());
    AddPeepholes(0, cs_prev, peepholes_[0].data(), peepholes_[1].data(), peepholes_[2].data());
    cs_prev_grad_.Finish();
    dgates_.Finish();
    for (WideOutput& peephole : peepholes_) peephole.Finish();
    return absl::OkStatus();
  }

 private:
  WideOutput cs_prev_grad_, dgates_;
  std::array<WideOutput, 3> peepholes_;
};

class BlockLSTMGrad final : public LSTMBackward {
 public:
  explicit BlockLSTMGrad(const KernelInit& init) : LSTMBackward(init, /*sequence=*/true) {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(ReadCell(ctx));
    HR_RETURN_IF_ERROR(ReadStates(ctx));
    for (int i = 0; i < kNumArgs; ++i)
      HR_RETURN_IF_ERROR(grads_[i].Make(ctx, i, ctx.input(i + 1).shape()));
    HR_RETURN_IF_ERROR(ctx.Scratch(dxh_, DType::kFloat32, {sizes_.batch, sizes_.rows()}));
    const int64_t state_size = sizes_.batch * sizes_.cell;
    float* cs_grad = grads_[kCsPrev].data();
    for (int64_t t = sizes_.steps - 1; t >= 0; --t) {
      const bool first = t == 0;
      const float* cs_prev =
          first ? args_[kCsPrev].data() : states_[kCs].data() + (t - 1) * state_size;
      const float* h_prev =
          first ? args_[kHPrev].data() : states_[kH].data() + (t - 1) * state_size;
      Step(ctx, t, cs_prev, cs_grad, grads_[kHPrev].data(), cs_grad);
      HR_RETURN_IF_ERROR(Products(ctx, t, h_prev));
      AddPeepholes(t, cs_prev, grads_[kWci].data(), grads_[kWcf].data(), grads_[kWco].data());
    }
    for (WideOutput& grad : grads_) grad.Finish();
    return absl::OkStatus();
  }

 private:
  // From the gates to x, h_prev, w and b.
  Status Products(KernelContext& ctx, int64_t t, const float* h_prev) {
    const int64_t gates = 4 * sizes_.cell;
    const float* d = gates_.data<float>();
    HR_RETURN_IF_ERROR(Gemm(ctx.workers(), false, true, sizes_.batch, sizes_.rows(), gates, d,
                            args_[kW].data(), dxh_.data<float>()));
    const float* from = dxh_.data<float>();
    float* x = grads_[kX].data() + t * sizes_.batch * sizes_.inputs;
    for (int64_t row = 0; row < sizes_.batch; ++row, from += sizes_.rows()) {
      std::copy_n(from, sizes_.inputs, x + row * sizes_.inputs);
      std::copy_n(from + sizes_.inputs, sizes_.cell, grads_[kHPrev].data() + row * sizes_.cell);
    }
    JoinInputs(t, h_prev);
    HR_RETURN_IF_ERROR(Gemm(ctx.workers(), true, false, sizes_.rows(), gates, sizes_.batch,
                            xh_.data<float>(), d, grads_[kW].data(), {.accumulate = true}));
    for (int64_t row = 0; row < sizes_.batch; ++row) {
      for (int64_t c = 0; c < gates; ++c) grads_[kB].data()[c] += d[row * gates + c];
    }
    return absl::OkStatus();
  }

  std::array<WideOutput, kNumArgs> grads_;
  Tensor dxh_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeLSTMBlockCellCpu(const KernelInit& init) {
  return std::make_unique<LSTMForward>(init, /*sequence=*/false);
}
StatusOr<std::unique_ptr<Kernel>> MakeLSTMBlockCellGradCpu(const KernelInit& init) {
  return std::make_unique<LSTMBlockCellGrad>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeBlockLSTMCpu(const KernelInit& init) {
  return std::make_unique<LSTMForward>(init, /*sequence=*/true);
}
StatusOr<std::unique_ptr<Kernel>> MakeBlockLSTMGradCpu(const KernelInit& init) {
  return std::make_unique<BlockLSTMGrad>(init);
}

}  // namespace headrace

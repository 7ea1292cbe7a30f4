// Loops over the functors, compiled once for each instruction set; the kernel takes the best one
// when it is made.
#include <array>
#include <utility>

#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/nn/activation_functors.h"
#include "headrace/ops/nn/activation_kernels.h"
#include "headrace/tensor/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "headrace/ops/nn/activations_cpu.cpp"
#define HWY_DISABLED_TARGETS HWY_SSSE3
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace headrace {
namespace HWY_NAMESPACE {

// `out` may be `in` itself: the loops say so, or they would not be vectorised then.

template <class F, class T>
void Row(const void* x, void* y, int64_t n) {
  const T* in = static_cast<const T*>(x);
  T* out = static_cast<T*>(y);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = F{}(in[i]);
}

// Both inputs step by 1: the shapes of gradient and features are equal.
template <class F, class T>
uint32_t GradRow(const void* dy, int64_t, const void* x, int64_t, void* dx, int64_t n) {
  const T* in = static_cast<const T*>(x);
  const T* from = static_cast<const T*>(dy);
  T* out = static_cast<T*>(dx);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = F{}(from[i], in[i]);
  return kRowOk;
}

template <class T>
void LeakyRow(const void* x, void* y, int64_t n, float alpha) {
  const T* in = static_cast<const T*>(x);
  T* out = static_cast<T*>(y);
  const fn::LeakyRelu f{alpha};
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(in[i]);
}

template <class T>
void LeakyGradRow(const void* dy, const void* x, void* dx, int64_t n, float alpha) {
  const T* in = static_cast<const T*>(x);
  const T* from = static_cast<const T*>(dy);
  T* out = static_cast<T*>(dx);
  const fn::LeakyReluGrad f{alpha};
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(from[i], in[i]);
}

struct Rows {
  UnaryRow function = nullptr;
  BinaryRow gradient = nullptr;
};
template <class F, class G, class T>
constexpr Rows RowsOf() {
  return {Row<F, T>, GradRow<G, T>};
}

template <class T>
Rows FloatRows(ActivationOp op) {
  switch (op) {
    case ActivationOp::kRelu:
      return RowsOf<fn::Relu, fn::ReluGrad, T>();
    case ActivationOp::kRelu6:
      return RowsOf<fn::Relu6, fn::Relu6Grad, T>();
    case ActivationOp::kElu:
      return RowsOf<fn::Elu, fn::EluGrad, T>();
    case ActivationOp::kSelu:
      return RowsOf<fn::Selu, fn::SeluGrad, T>();
    case ActivationOp::kSoftplus:
      return RowsOf<fn::Softplus, fn::SoftplusGrad, T>();
    case ActivationOp::kSoftsign:
      return RowsOf<fn::Softsign, fn::SoftsignGrad, T>();
    default:
      return {};
  }
}

void FindRows(ActivationOp op, DType type, UnaryRow* function, BinaryRow* gradient) {
  const Rows rows = type == DType::kFloat64 ? FloatRows<double>(op) : FloatRows<float>(op);
  *function = rows.function;
  *gradient = rows.gradient;
}

using LeakyRowFn = void (*)(const void*, void*, int64_t, float);
using LeakyGradRowFn = void (*)(const void*, const void*, void*, int64_t, float);
void FindLeakyRows(DType type, LeakyRowFn* function, LeakyGradRowFn* gradient) {
  *function = type == DType::kFloat64 ? LeakyRow<double> : LeakyRow<float>;
  *gradient = type == DType::kFloat64 ? LeakyGradRow<double> : LeakyGradRow<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace headrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace headrace {
namespace {

HWY_EXPORT(FindRows);
HWY_EXPORT(FindLeakyRows);

// Estimated cost of an element.
double NsPerItem(ActivationOp op) {
  return op == ActivationOp::kElu || op == ActivationOp::kSelu || op == ActivationOp::kSoftplus
             ? 0.5
             : 0.1;
}

// Integers have Relu and Relu6 only; not worth a loop for each instruction set.
void FindIntegerRows(ActivationOp op, DType type, UnaryRow* function, BinaryRow* gradient) {
  DispatchDType<kIntTypes>(type, [&]<class T>() {
    if (op == ActivationOp::kRelu) {
      *function = HWY_STATIC_DISPATCH(Row)<fn::Relu, T>;
      *gradient = HWY_STATIC_DISPATCH(GradRow)<fn::ReluGrad, T>;
    } else {
      *function = HWY_STATIC_DISPATCH(Row)<fn::Relu6, T>;
      *gradient = HWY_STATIC_DISPATCH(GradRow)<fn::Relu6Grad, T>;
    }
  });
}

void ChooseRows(ActivationOp op, DType type, UnaryRow* function, BinaryRow* gradient) {
  if (IsInteger(type)) {
    FindIntegerRows(op, type, function, gradient);
  } else {
    HWY_DYNAMIC_DISPATCH(FindRows)(op, type, function, gradient);
  }
}

class ActivationKernel final : public Kernel {
 public:
  explicit ActivationKernel(const UnaryFunction& function) : function_(function) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
    function_.Run(x.raw_data(), y->raw_data(), x.num_elements(), ctx.workers());
    return absl::OkStatus();
  }

 private:
  UnaryFunction function_;
};

Status CheckSameShape(KernelContext& ctx) {
  const Shape& a = ctx.input(0).shape();
  const Shape& b = ctx.input(1).shape();
  if (a == b) [[likely]]
    return absl::OkStatus();
  return InvalidArgument("both inputs must have the same shape: input 0: ", a.ToString(),
                         ", input 1: ", b.ToString());
}

class ActivationGradKernel final : public Kernel {
 public:
  explicit ActivationGradKernel(const BinaryFunction& function) : function_(function) {}
  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(CheckSameShape(ctx));
    const Tensor& dy = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * dx, ctx.Output(0, dy.shape()));
    return function_.RunSame(dy.raw_data(), ctx.input(1).raw_data(), dx->raw_data(),
                             dy.num_elements(), ctx.workers());
  }

 private:
  BinaryFunction function_;
};

// LeakyRelu and its gradient (two inputs). 16-bit floats: in blocks, as float32.
class LeakyKernel final : public Kernel {
 public:
  explicit LeakyKernel(const KernelInit& init)
      : type_(init.input_type(0)), alpha_(init.Attr<float>("alpha")) {
    HWY_DYNAMIC_DISPATCH(FindLeakyRows)(type_, &function_, &gradient_);
  }

  Status Compute(KernelContext& ctx) override {
    const bool is_gradient = ctx.num_inputs() == 2;
    if (is_gradient) HR_RETURN_IF_ERROR(CheckSameShape(ctx));
    const Tensor& first = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, first.shape()));
    const char* a = static_cast<const char*>(first.raw_data());
    const char* b = is_gradient ? static_cast<const char*>(ctx.input(1).raw_data()) : nullptr;
    char* y = static_cast<char*>(out->raw_data());
    const int64_t size = static_cast<int64_t>(SizeOf(type_));
    ctx.workers().ParallelFor(first.num_elements(), 0.1, [&](int64_t begin, int64_t end) {
      const char* b_part = b == nullptr ? nullptr : b + begin * size;
      if (size == 2) {
        RunWidened(a + begin * size, b_part, y + begin * size, end - begin);
      } else {
        Run(a + begin * size, b_part, y + begin * size, end - begin);
      }
    });
    return absl::OkStatus();
  }

 private:
  void Run(const void* a, const void* b, void* y, int64_t n) const {
    b == nullptr ? function_(a, y, n, alpha_) : gradient_(a, b, y, n, alpha_);
  }
  void RunWidened(const char* a, const char* b, char* y, int64_t n) const {
    constexpr int64_t kBlock = 512;
    float wide_a[kBlock], wide_b[kBlock];
    for (int64_t i = 0; i < n; i += kBlock) {
      const int64_t count = std::min(kBlock, n - i);
      WidenToFloat(a + 2 * i, type_, wide_a, count);
      if (b != nullptr) WidenToFloat(b + 2 * i, type_, wide_b, count);
      Run(wide_a, b == nullptr ? nullptr : wide_b, wide_a, count);
      NarrowFromFloat(wide_a, type_, y + 2 * i, count);
    }
  }

  DType type_;
  float alpha_;
  void (*function_)(const void*, void*, int64_t, float) = nullptr;
  void (*gradient_)(const void*, const void*, void*, int64_t, float) = nullptr;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeActivation(const KernelInit& init, ActivationOp op) {
  if (op == ActivationOp::kLeakyRelu) return std::make_unique<LeakyKernel>(init);
  const DType type = init.input_type(0);
  UnaryRow function = nullptr;
  BinaryRow gradient = nullptr;
  ChooseRows(op, type, &function, &gradient);
  return std::make_unique<ActivationKernel>(UnaryFunction(function, type, type, NsPerItem(op)));
}

StatusOr<std::unique_ptr<Kernel>> MakeActivationGrad(const KernelInit& init, ActivationOp op) {
  if (op == ActivationOp::kLeakyRelu) return std::make_unique<LeakyKernel>(init);
  const DType type = init.input_type(0);
  UnaryRow function = nullptr;
  BinaryRow gradient = nullptr;
  ChooseRows(op, type, &function, &gradient);
  return std::make_unique<ActivationGradKernel>(BinaryFunction(gradient, type, type, 0.15));
}

}  // namespace headrace
#endif  // HWY_ONCE

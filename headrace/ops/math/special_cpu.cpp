#include <cmath>

#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/elementwise_rows_inl.h"
#include "headrace/ops/math/special_functors.h"
#include "headrace/ops/math/special_kernels.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

template <double (*kFunction)(double, double)>
struct OfTwo {
  template <class T>
  T operator()(T a, T x) const {
    return static_cast<T>(kFunction(static_cast<double>(a), static_cast<double>(x)));
  }
};
struct Next {
  template <class T>
  T operator()(T from, T to) const {
    return std::nextafter(from, to);
  }
};
template <int kOrder>
struct Bessel {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(fn::ScaledBesselI(kOrder, static_cast<double>(x)));
  }
};

template <class F>
BinaryFunction FunctionOf(DType type, double ns) {
  return BinaryFunction(HWY_NAMESPACE::BinaryRowOf<F, kFloat32And64>(type), type, type, ns);
}

class BetaincKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    const Tensor* shaped = &ctx.input(0);
    for (int i : {1, 2}) {
      if (shaped->rank() == 0) shaped = &ctx.input(i);
      if (ctx.input(i).rank() != 0 && ctx.input(i).shape() != shaped->shape()) {
        return InvalidArgument(
            "inputs must have the same shape or be scalars, got ", ctx.input(0).shape().ToString(),
            ", ", ctx.input(1).shape().ToString(), " and ", ctx.input(2).shape().ToString());
      }
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shaped->shape()));
    DispatchDType<kFloat32And64>(out->dtype(), [&]<class T>() {
      const T* in[3];
      int64_t steps[3];
      for (int i = 0; i < 3; ++i) {
        in[i] = ctx.input(i).data<T>();
        steps[i] = ctx.input(i).rank() == 0 && shaped->rank() != 0 ? 0 : 1;
      }
      T* y = out->data<T>();
      ctx.workers().ParallelFor(out->num_elements(), 300, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          y[i] = static_cast<T>(fn::IncompleteBeta(static_cast<double>(in[0][i * steps[0]]),
                                                   static_cast<double>(in[1][i * steps[1]]),
                                                   static_cast<double>(in[2][i * steps[2]])));
        }
      });
    });
    return absl::OkStatus();
  }
};

class ApproximateEqualKernel final : public Kernel {
 public:
  explicit ApproximateEqualKernel(float tolerance) : tolerance_(tolerance) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    if (x.shape() != y.shape()) {
      return InvalidArgument("x and y must be of the same shape. x shape: ", x.shape().ToString(),
                             ". y shape: ", y.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, x.shape()));
    bool* z = out->data<bool>();
    DispatchDType<kFloat32And64>(x.dtype(), [&]<class T>() {
      const T *a = x.data<T>(), *b = y.data<T>();
      const T tolerance = static_cast<T>(tolerance_);
      ctx.workers().ParallelFor(x.num_elements(), 0.4, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) z[i] = std::abs(a[i] - b[i]) < tolerance;
      });
    });
    return absl::OkStatus();
  }

 private:
  const float tolerance_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSpecialBinaryCpu(const KernelInit& init) {
  const std::string& op = init.node().op_name();
  const DType type = init.input_type(0);
  if (op == "Igamma") return MakeBinaryKernel(FunctionOf<OfTwo<fn::LowerGamma>>(type, 200));
  if (op == "Igammac") return MakeBinaryKernel(FunctionOf<OfTwo<fn::UpperGamma>>(type, 200));
  if (op == "IgammaGradA")
    return MakeBinaryKernel(FunctionOf<OfTwo<fn::LowerGammaDerivative>>(type, 400));
  return MakeBinaryKernel(FunctionOf<Next>(type, 2));
}

StatusOr<std::unique_ptr<Kernel>> MakeBesselCpu(const KernelInit& init) {
  const DType type = init.input_type(0);
  const DType wide = type == DType::kFloat64 ? type : DType::kFloat32;
  const UnaryRow row = init.node().op_name() == "BesselI0e"
                           ? HWY_NAMESPACE::UnaryRowOf<Bessel<0>, kFloat32And64>(wide)
                           : HWY_NAMESPACE::UnaryRowOf<Bessel<1>, kFloat32And64>(wide);
  return MakeUnaryKernel(UnaryFunction(row, type, type, 60));
}

StatusOr<std::unique_ptr<Kernel>> MakeBetaincCpu(const KernelInit&) {
  return std::make_unique<BetaincKernel>();
}

StatusOr<std::unique_ptr<Kernel>> MakeApproximateEqualCpu(const KernelInit& init) {
  return std::make_unique<ApproximateEqualKernel>(init.Attr<float>("tolerance"));
}

}  // namespace headrace

#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/simd_rows.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

template <class T, class F>
void Loop(const void* x_data, void* y_data, int64_t n) {
  using R = decltype(F{}(T{}));
  const T* x = static_cast<const T*>(x_data);
  R* y = static_cast<R*>(y_data);
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) y[i] = F{}(x[i]);
}

template <class F, DTypeSet kTypes>
UnaryRow RowOf(DType type) {
  UnaryRow row = nullptr;
  DispatchDType<kTypes>(type, [&]<class T>() { row = Loop<T, F>; });
  return row;
}

// The dtypes for which FindSimdUnaryRow has no loop. 16-bit floats use the loop of float32.
struct Entry {
  std::string_view op;
  UnaryRow (*find)(DType);
  double ns_per_item;
};
constexpr DTypeSet kSignedInts{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
constexpr double kCheap = 0.2, kFunction = 0.6, kSlow = 15;
#define HR_COMPLEX_(OP, COST) \
  { #OP, RowOf < fn::OP, kComplexTypes>, COST }
constexpr Entry kEntries[] = {
    {"Abs", RowOf<fn::Abs, kSignedInts>, kCheap},
    {"Acos", nullptr, kFunction},
    HR_COMPLEX_(Acosh, kFunction),
    HR_COMPLEX_(Angle, kFunction),
    {"Asin", nullptr, kFunction},
    HR_COMPLEX_(Asinh, kFunction),
    {"Atan", nullptr, kFunction},
    HR_COMPLEX_(Atanh, kFunction),
    {"Ceil", nullptr, kCheap},
    {"ComplexAbs", RowOf<fn::Abs, kComplexTypes>, kFunction},
    HR_COMPLEX_(Conj, kCheap),
    HR_COMPLEX_(Cos, kFunction),
    HR_COMPLEX_(Cosh, kFunction),
    {"Digamma", RowOf<fn::Digamma, kFloat32And64>, kSlow},
    {"Erf", nullptr, kFunction},
    {"Erfc", RowOf<fn::Erfc, kFloat32And64>, kSlow},
    HR_COMPLEX_(Exp, kFunction),
    HR_COMPLEX_(Expm1, kFunction),
    {"Floor", nullptr, kCheap},
    HR_COMPLEX_(Imag, kCheap),
    {"Inv", RowOf<fn::Reciprocal, kFloat32And64 | kComplexTypes>, kCheap},
    {"IsFinite", nullptr, kCheap},
    {"IsInf", nullptr, kCheap},
    {"IsNan", nullptr, kCheap},
    {"Lgamma", RowOf<fn::Lgamma, kFloat32And64>, kSlow},
    HR_COMPLEX_(Log, kFunction),
    HR_COMPLEX_(Log1p, kFunction),
    {"LogicalNot", RowOf<fn::LogicalNot, kOnlyBool>, kCheap},
    {"Neg", RowOf<fn::Neg, kSignedIndex | kComplexTypes>, kCheap},
    HR_COMPLEX_(Real, kCheap),
    HR_COMPLEX_(Reciprocal, kCheap),
    {"Rint", nullptr, kCheap},
    {"Round", RowOf<fn::Round, kSignedIndex>, kCheap},
    HR_COMPLEX_(Rsqrt, kCheap),
    HR_COMPLEX_(Sigmoid, kFunction),
    {"Sign", RowOf<fn::Sign, kSignedIndex | kComplexTypes>, kCheap},
    HR_COMPLEX_(Sin, kFunction),
    HR_COMPLEX_(Sinh, kFunction),
    HR_COMPLEX_(Sqrt, kCheap),
    {"Square", RowOf<fn::Square, kSignedIndex | kComplexTypes>, kCheap},
    {"Tan", RowOf<fn::Tan, kFloat32And64 | kComplexTypes>, kSlow},
    HR_COMPLEX_(Tanh, kFunction),
};
#undef HR_COMPLEX_

}  // namespace

UnaryFunction FindUnaryFunction(std::string_view op, DType in, DType out) {
  const DType type = in == DType::kFloat16 || in == DType::kBFloat16 ? DType::kFloat32 : in;
  for (const Entry& entry : kEntries) {
    if (entry.op != op) continue;
    UnaryRow row = FindSimdUnaryRow(op, type);
    if (row == nullptr && entry.find != nullptr) row = entry.find(type);
    const double scale = IsComplex(type) ? 30 : 1;
    return UnaryFunction(row, in, out, entry.ns_per_item * scale);
  }
  return {};
}

namespace {

class UnaryKernel final : public Kernel {
 public:
  explicit UnaryKernel(UnaryFunction function) : function_(function) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
    function_.Run(x.raw_data(), y->raw_data(), x.num_elements(), ctx.workers());
    return absl::OkStatus();
  }

 private:
  const UnaryFunction function_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeUnaryCpu(const KernelInit& init) {
  const UnaryFunction function =
      FindUnaryFunction(init.node().op_name(), init.input_type(0), init.output_type(0));
  if (!function.valid()) {
    return Unimplemented("there is no CPU loop of ", init.node().op_name(), " for ",
                         DTypeName(init.input_type(0)));
  }
  return std::make_unique<UnaryKernel>(function);
}

}  // namespace headrace

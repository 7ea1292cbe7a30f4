#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/elementwise_rows_inl.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/simd_rows.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

namespace rows = HWY_NAMESPACE;

// The dtypes for which FindSimdUnaryRow has no loop. 16-bit floats use the loop of float32.
struct Entry {
  std::string_view op;
  UnaryRow (*find)(DType);
  double ns_per_item;
};
constexpr double kCheap = 0.2, kFunction = 0.6, kSlow = 15;

#define HR_COMPLEX_(OP, COST) \
  { #OP, rows::UnaryRowOf < fn::OP, kComplexTypes>, COST }
constexpr Entry kEntries[] = {
    {"Abs", nullptr, kCheap},
    {"Acos", nullptr, kFunction},
    HR_COMPLEX_(Acosh, kFunction),
    HR_COMPLEX_(Angle, kFunction),
    {"Asin", nullptr, kFunction},
    HR_COMPLEX_(Asinh, kFunction),
    {"Atan", nullptr, kFunction},
    HR_COMPLEX_(Atanh, kFunction),
    {"Ceil", nullptr, kCheap},
    {"ComplexAbs", rows::UnaryRowOf<fn::Abs, kComplexTypes>, kFunction},
    HR_COMPLEX_(Conj, kCheap),
    HR_COMPLEX_(Cos, kFunction),
    HR_COMPLEX_(Cosh, kFunction),
    {"Digamma", rows::UnaryRowOf<fn::Digamma, kFloat32And64>, kSlow},
    {"Erf", nullptr, kFunction},
    {"Erfc", rows::UnaryRowOf<fn::Erfc, kFloat32And64>, kSlow},
    HR_COMPLEX_(Exp, kFunction),
    HR_COMPLEX_(Expm1, kFunction),
    {"Floor", nullptr, kCheap},
    HR_COMPLEX_(Imag, kCheap),
    {"Inv", rows::UnaryRowOf<fn::Reciprocal, kComplexTypes>, kCheap},
    {"Invert", nullptr, kCheap},
    {"IsFinite", nullptr, kCheap},
    {"IsInf", nullptr, kCheap},
    {"IsNan", nullptr, kCheap},
    {"Lgamma", rows::UnaryRowOf<fn::Lgamma, kFloat32And64>, kSlow},
    HR_COMPLEX_(Log, kFunction),
    HR_COMPLEX_(Log1p, kFunction),
    {"LogicalNot", nullptr, kCheap},
    HR_COMPLEX_(Neg, kCheap),
    {"PopulationCount", nullptr, kCheap},
    HR_COMPLEX_(Real, kCheap),
    HR_COMPLEX_(Reciprocal, kCheap),
    {"Rint", nullptr, kCheap},
    {"Round", nullptr, kCheap},
    HR_COMPLEX_(Rsqrt, kCheap),
    HR_COMPLEX_(Sigmoid, kFunction),
    HR_COMPLEX_(Sign, kCheap),
    HR_COMPLEX_(Sin, kFunction),
    HR_COMPLEX_(Sinh, kFunction),
    HR_COMPLEX_(Sqrt, kCheap),
    HR_COMPLEX_(Square, kCheap),
    HR_COMPLEX_(Tan, kFunction),
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

std::unique_ptr<Kernel> MakeUnaryKernel(UnaryFunction function) {
  return std::make_unique<UnaryKernel>(function);
}

StatusOr<std::unique_ptr<Kernel>> MakeUnaryCpu(const KernelInit& init) {
  const UnaryFunction function =
      FindUnaryFunction(init.node().op_name(), init.input_type(0), init.output_type(0));
  if (!function.valid()) {
    return Unimplemented("there is no CPU loop of ", init.node().op_name(), " for ",
                         DTypeName(init.input_type(0)));
  }
  return MakeUnaryKernel(function);
}

}  // namespace headrace

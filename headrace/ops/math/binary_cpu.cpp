#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/elementwise_rows_inl.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/simd_rows.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

namespace rows = HWY_NAMESPACE;

// The dtypes for which FindSimdBinaryRow has no loop. 16-bit floats use the loop of float32.
struct Entry {
  std::string_view op;
  BinaryRow (*find)(DType);
  double ns_per_item;
};
constexpr double kCheap = 0.25, kDivision = 1.5, kFunction = 2, kSeries = 200;
constexpr Entry kEntries[] = {
    {"Add", rows::BinaryRowOf<fn::Add, kComplexTypes | kOnlyString>, kCheap},
    {"AddV2", rows::BinaryRowOf<fn::Add, kComplexTypes>, kCheap},
    {"Atan2", nullptr, kFunction},
    {"BitwiseAnd", nullptr, kCheap},
    {"BitwiseOr", nullptr, kCheap},
    {"BitwiseXor", nullptr, kCheap},
    {"Complex", rows::BinaryRowOf<fn::Complex, kFloat32And64>, kCheap},
    {"Div", rows::BinaryRowOf<fn::Div, kComplexTypes>, kCheap},
    {"DivNoNan", rows::BinaryRowOf<fn::DivNoNan, kComplexTypes>, kCheap},
    {"Equal", rows::BinaryRowOf<fn::Equal, kComplexTypes | kOnlyString>, kCheap},
    {"FloorDiv", nullptr, kDivision},
    {"FloorMod", nullptr, kDivision},
    {"Greater", nullptr, kCheap},
    {"GreaterEqual", nullptr, kCheap},
    {"InvGrad", rows::BinaryRowOf<fn::ReciprocalGrad, kComplexTypes>, kCheap},
    {"LeftShift", nullptr, kCheap},
    {"Less", nullptr, kCheap},
    {"LessEqual", nullptr, kCheap},
    {"LogicalAnd", nullptr, kCheap},
    {"LogicalOr", nullptr, kCheap},
    {"Maximum", nullptr, kCheap},
    {"Minimum", nullptr, kCheap},
    {"Mod", nullptr, kDivision},
    {"Mul", rows::BinaryRowOf<fn::Mul, kComplexTypes>, kCheap},
    {"MulNoNan", rows::BinaryRowOf<fn::MulNoNan, kComplexTypes>, kCheap},
    {"NotEqual", rows::BinaryRowOf<fn::NotEqual, kComplexTypes | kOnlyString>, kCheap},
    {"Polygamma", rows::BinaryRowOf<fn::Polygamma, kFloat32And64>, kSeries},
    {"Pow", rows::BinaryRowOf<fn::Pow, kComplexTypes>, kFunction},
    {"RealDiv", rows::BinaryRowOf<fn::Div, kComplexTypes>, kCheap},
    {"ReciprocalGrad", rows::BinaryRowOf<fn::ReciprocalGrad, kComplexTypes>, kCheap},
    {"RightShift", nullptr, kCheap},
    {"RsqrtGrad", rows::BinaryRowOf<fn::RsqrtGrad, kComplexTypes>, kCheap},
    {"SigmoidGrad", rows::BinaryRowOf<fn::SigmoidGrad, kComplexTypes>, kCheap},
    {"SqrtGrad", rows::BinaryRowOf<fn::SqrtGrad, kComplexTypes>, kCheap},
    {"SquaredDifference", rows::BinaryRowOf<fn::SquaredDifference, kComplexTypes>, kCheap},
    {"Sub", rows::BinaryRowOf<fn::Sub, kComplexTypes>, kCheap},
    {"TanhGrad", rows::BinaryRowOf<fn::TanhGrad, kComplexTypes>, kCheap},
    {"TruncateDiv", nullptr, kDivision},
    {"TruncateMod", nullptr, kDivision},
    {"Xdivy", rows::BinaryRowOf<fn::Xdivy, kComplexTypes>, kCheap},
    {"Xlogy", rows::BinaryRowOf<fn::Xlogy, kComplexTypes>, kFunction},
    {"Zeta", rows::BinaryRowOf<fn::Zeta, kFloat32And64>, kSeries},
};

}  // namespace

BinaryFunction FindBinaryFunction(std::string_view op, DType in, DType out) {
  const DType type = in == DType::kFloat16 || in == DType::kBFloat16 ? DType::kFloat32 : in;
  for (const Entry& entry : kEntries) {
    if (entry.op != op) continue;
    BinaryRow row = FindSimdBinaryRow(op, type);
    if (row == nullptr && entry.find != nullptr) row = entry.find(type);
    const double scale = type == DType::kString ? 100 : IsComplex(type) ? 5 : 1;
    return BinaryFunction(row, in, out, entry.ns_per_item * scale);
  }
  return {};
}

namespace {

class BinaryKernel final : public Kernel {
 public:
  BinaryKernel(BinaryFunction function, std::optional<bool> if_incompatible)
      : function_(function), if_incompatible_(if_incompatible) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (a.shape() == b.shape()) [[likely]] {
      HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, a.shape()));
      return function_.RunSame(a.raw_data(), b.raw_data(), y->raw_data(), a.num_elements(),
                               ctx.workers());
    }
    if (b.shape().is_scalar() || a.shape().is_scalar()) {
      const bool b_steps = a.shape().is_scalar();
      const Tensor& stepping = b_steps ? b : a;
      HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, stepping.shape()));
      return function_.RunSteps(a.raw_data(), !b_steps, b.raw_data(), b_steps, y->raw_data(),
                                stepping.num_elements(), ctx.workers());
    }
    const Status broadcast = plan_.Prepare({&a.shape(), &b.shape()});
    if (!broadcast.ok()) {
      if (!if_incompatible_.has_value()) return broadcast;
      HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, Shape()));
      *y->data<bool>() = *if_incompatible_;
      return absl::OkStatus();
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, plan_.shape()));
    return function_.Run(plan_, a.raw_data(), b.raw_data(), y->raw_data(), ctx.workers());
  }

 private:
  const BinaryFunction function_;
  // The answer for shapes that do not broadcast, if that is no error.
  const std::optional<bool> if_incompatible_;
  BroadcastPlan<2> plan_;
};

class SameShapeKernel final : public Kernel {
 public:
  explicit SameShapeKernel(BinaryFunction function) : function_(function) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (a.shape() != b.shape()) [[unlikely]] {
      return InvalidArgument("inputs must have the same shape, got ", a.shape().ToString(), " and ",
                             b.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, a.shape()));
    return function_.RunSame(a.raw_data(), b.raw_data(), y->raw_data(), a.num_elements(),
                             ctx.workers());
  }

 private:
  const BinaryFunction function_;
};

StatusOr<BinaryFunction> FunctionOf(const KernelInit& init) {
  const BinaryFunction function =
      FindBinaryFunction(init.node().op_name(), init.input_type(0), init.output_type(0));
  if (function.valid()) return function;
  return Unimplemented("there is no CPU loop of ", init.node().op_name(), " for ",
                       DTypeName(init.input_type(0)));
}

}  // namespace

std::unique_ptr<Kernel> MakeBinaryKernel(BinaryFunction function) {
  return std::make_unique<BinaryKernel>(function, std::nullopt);
}

StatusOr<std::unique_ptr<Kernel>> MakeBinaryCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const BinaryFunction function, FunctionOf(init));
  std::optional<bool> if_incompatible;
  if (!init.attrs().GetOr("incompatible_shape_error", true))
    if_incompatible = init.node().op_name() == "NotEqual";
  return std::make_unique<BinaryKernel>(function, if_incompatible);
}

StatusOr<std::unique_ptr<Kernel>> MakeSameShapeBinaryCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const BinaryFunction function, FunctionOf(init));
  return std::make_unique<SameShapeKernel>(function);
}

}  // namespace headrace

#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/elementwise_rows_inl.h"
#include "headrace/ops/math/functors.h"
#include "headrace/ops/math/simd_rows.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {
namespace {

// For functions that are not defined for some b: those elements are left, and reported.
template <class T, class F, uint32_t kError>
uint32_t CheckedLoop(const void* a_data, int64_t a_step, const void* b_data, int64_t b_step,
                     void* out, int64_t n) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* y = static_cast<T*>(out);
  uint32_t error = kRowOk;
  for (int64_t i = 0; i < n; ++i) {
    const T divisor = b[i * b_step];
    if (kError == kZeroDivisor ? divisor == T(0) : divisor < T(0)) {
      error = kError;
      y[i] = T(0);
    } else {
      y[i] = F{}(a[i * a_step], divisor);
    }
  }
  return error;
}

template <class F, DTypeSet kInts, uint32_t kError, DTypeSet kOthers = DTypeSet()>
BinaryRow CheckedRowOf(DType type) {
  BinaryRow row = BinaryRowOf<F, kOthers>(type);
  DispatchDType<kInts>(type, [&]<class T>() { row = CheckedLoop<T, F, kError>; });
  return row;
}

constexpr DTypeSet kSmallInts{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
                              DType::kUInt8};
constexpr DTypeSet kMostInts = kSmallInts | DTypeSet(DType::kUInt16);
constexpr DTypeSet kMostIntsAndComplex = kMostInts | kComplexTypes;
constexpr DTypeSet kComparable = kSmallInts | kComplexTypes | kOnlyBool | kOnlyString;

// The dtypes for which FindSimdBinaryRow has no loop. 16-bit floats use the loop of float32.
struct Entry {
  std::string_view op;
  BinaryRow (*find)(DType);
  double ns_per_item;
};
constexpr double kCheap = 0.25, kFunction = 10;
constexpr Entry kEntries[] = {
    {"Add", BinaryRowOf<fn::Add, kMostIntsAndComplex | kOnlyString>, kCheap},
    {"AddV2", BinaryRowOf<fn::Add, kMostIntsAndComplex>, kCheap},
    {"Atan2", nullptr, kFunction},
    {"Complex", BinaryRowOf<fn::Complex, kFloat32And64>, kCheap},
    {"Div", CheckedRowOf<fn::Div, kMostInts, kZeroDivisor, kComplexTypes>, kCheap},
    {"DivNoNan", BinaryRowOf<fn::DivNoNan, kComplexTypes>, kCheap},
    {"Equal", BinaryRowOf<fn::Equal, kComparable>, kCheap},
    {"FloorDiv", CheckedRowOf<fn::FloorDiv, kMostInts, kZeroDivisor>, 1.5},
    {"FloorMod", CheckedRowOf<fn::FloorMod, kSignedIndex, kZeroDivisor>, kFunction},
    {"Greater", BinaryRowOf<fn::Greater, kSmallInts>, kCheap},
    {"GreaterEqual", BinaryRowOf<fn::GreaterEqual, kSmallInts>, kCheap},
    {"InvGrad", BinaryRowOf<fn::ReciprocalGrad, kComplexTypes>, kCheap},
    {"Less", BinaryRowOf<fn::Less, kSmallInts>, kCheap},
    {"LessEqual", BinaryRowOf<fn::LessEqual, kSmallInts>, kCheap},
    {"LogicalAnd", BinaryRowOf<fn::LogicalAnd, kOnlyBool>, kCheap},
    {"LogicalOr", BinaryRowOf<fn::LogicalOr, kOnlyBool>, kCheap},
    {"Maximum", BinaryRowOf<fn::Maximum, kSignedIndex>, kCheap},
    {"Minimum", BinaryRowOf<fn::Minimum, kSignedIndex>, kCheap},
    {"Mod", CheckedRowOf<fn::TruncateMod, kSignedIndex, kZeroDivisor>, kFunction},
    {"Mul", BinaryRowOf<fn::Mul, kMostIntsAndComplex>, kCheap},
    {"MulNoNan", BinaryRowOf<fn::MulNoNan, kComplexTypes>, kCheap},
    {"NotEqual", BinaryRowOf<fn::NotEqual, kComparable>, kCheap},
    {"Polygamma", BinaryRowOf<fn::Polygamma, kFloat32And64>, 20 * kFunction},
    {"Pow", CheckedRowOf<fn::Pow, kSignedIndex, kNegativePower, kComplexTypes>, kFunction},
    {"RealDiv", BinaryRowOf<fn::Div, kComplexTypes>, kCheap},
    {"ReciprocalGrad", BinaryRowOf<fn::ReciprocalGrad, kComplexTypes>, kCheap},
    {"RsqrtGrad", BinaryRowOf<fn::RsqrtGrad, kComplexTypes>, kCheap},
    {"SigmoidGrad", BinaryRowOf<fn::SigmoidGrad, kComplexTypes>, kCheap},
    {"SqrtGrad", BinaryRowOf<fn::SqrtGrad, kComplexTypes>, kCheap},
    {"SquaredDifference", BinaryRowOf<fn::SquaredDifference, kSignedIndex | kComplexTypes>, kCheap},
    {"Sub", BinaryRowOf<fn::Sub, kMostIntsAndComplex>, kCheap},
    {"TanhGrad", BinaryRowOf<fn::TanhGrad, kComplexTypes>, kCheap},
    {"TruncateDiv", CheckedRowOf<fn::Div, kMostInts, kZeroDivisor>, 1.5},
    {"TruncateMod", CheckedRowOf<fn::TruncateMod, kSignedIndex, kZeroDivisor>, kFunction},
    {"Xdivy", BinaryRowOf<fn::Xdivy, kComplexTypes>, kCheap},
    {"Xlogy", BinaryRowOf<fn::Xlogy, kComplexTypes>, kFunction},
    {"Zeta", BinaryRowOf<fn::Zeta, kFloat32And64>, 20 * kFunction},
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

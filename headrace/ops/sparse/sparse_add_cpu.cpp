// Kernels that walk through the entries of two sparse tensors: SparseAdd, SparseAddGrad,
// SparseSparseMaximum, SparseSparseMinimum.
#include <cmath>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/sparse/sparse_input.h"
#include "headrace/ops/sparse/sparse_math_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kAddTypes = DTypeSet{DType::kFloat32, DType::kFloat64, DType::kInt8,
                                        DType::kInt16,   DType::kInt32,   DType::kInt64} |
                               kComplexTypes;

// An entry of the union: where it stands in a and in b, -1 if it does not.
struct Pair {
  int64_t a, b;
};

std::vector<Pair> Union(const SparseInput& a, const SparseInput& b) {
  std::vector<Pair> pairs;
  int64_t i = 0, j = 0;
  while (i < a.count || j < b.count) {
    const int order = i == a.count ? 1 : j == b.count ? -1 : CompareIndices(a.index(i), b.index(j));
    pairs.push_back({order <= 0 ? i++ : -1, order >= 0 ? j++ : -1});
  }
  return pairs;
}

Status CheckTwo(const KernelContext& ctx) {
  const Tensor &ai = ctx.input(0), &av = ctx.input(1), &as = ctx.input(2), &bi = ctx.input(3),
               &bv = ctx.input(4), &bs = ctx.input(5);
  if (ai.rank() != 2 || bi.rank() != 2) {
    return InvalidArgument("Input indices should be matrices but received shapes: ",
                           ai.shape().ToString(), " and ", bi.shape().ToString());
  }
  if (av.rank() != 1 || bv.rank() != 1) {
    return InvalidArgument("Input values should be vectors but received shapes: ",
                           av.shape().ToString(), " and ", bv.shape().ToString());
  }
  if (av.dim(0) != ai.dim(0) || bv.dim(0) != bi.dim(0)) {
    return InvalidArgument("Expected ", ai.dim(0), " and ", bi.dim(0),
                           " non-empty input values, got ", av.dim(0), " and ", bv.dim(0));
  }
  if (as.rank() != 1 || bs.rank() != 1) {
    return InvalidArgument("Input shapes should be a vector but received shapes ",
                           as.shape().ToString(), " and ", bs.shape().ToString());
  }
  const auto a = as.flat<int64_t>(), b = bs.flat<int64_t>();
  if (a.size() != b.size()) {
    return InvalidArgument("Operands do not have the same ranks; got shapes: ", StrJoin(a, " "),
                           " and ", StrJoin(b, " "));
  }
  for (size_t d = 0; d < a.size(); ++d) {
    if (a[d] != b[d]) {
      return InvalidArgument("Operands' shapes do not match: got ", a[d], " and ", b[d],
                             " for dimension ", d);
    }
  }
  return absl::OkStatus();
}

StatusOr<int64_t*> UnionIndices(KernelContext& ctx, const SparseInput& a, const SparseInput& b,
                                const std::vector<Pair>& pairs) {
  HR_ASSIGN_OR_RETURN(int64_t * out,
                      MakeIndices(ctx, 0, static_cast<int64_t>(pairs.size()), a.rank));
  int64_t* at = out;
  for (const Pair& pair : pairs) {
    const auto index = pair.a >= 0 ? a.index(pair.a) : b.index(pair.b);
    at = std::copy(index.begin(), index.end(), at);
  }
  return out;
}

template <class T>
bool BelowThreshold(T value, const Tensor& threshold) {
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    return std::abs(value) < *threshold.data<float>();
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return std::abs(value) < *threshold.data<double>();
  } else {
    return (value < T(0) ? static_cast<T>(-value) : value) < *threshold.data<T>();
  }
}

DType RealTypeOf(DType type) {
  return type == DType::kComplex64    ? DType::kFloat32
         : type == DType::kComplex128 ? DType::kFloat64
                                      : type;
}

Status Add(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(CheckTwo(ctx));
  HR_ASSIGN_OR_RETURN(const SparseInput a, ReadSparse(ctx, 0));
  HR_ASSIGN_OR_RETURN(const SparseInput b, ReadSparse(ctx, 3));
  const Tensor& threshold = ctx.input(6);
  if (threshold.rank() != 0) {
    return InvalidArgument("The magnitude threshold must be a scalar: got shape ",
                           threshold.shape().ToString());
  }
  if (threshold.dtype() != RealTypeOf(a.values->dtype())) {
    return InvalidArgument("the threshold of ", DTypeName(a.values->dtype()), " values must be ",
                           DTypeName(RealTypeOf(a.values->dtype())), ", got ",
                           DTypeName(threshold.dtype()));
  }
  std::vector<Pair> kept;
  Status status;
  DispatchDType<kAddTypes>(a.values->dtype(), [&]<class T>() {
    std::vector<T> sums;
    for (const Pair& pair : Union(a, b)) {
      T sum = pair.a >= 0 ? a.data<T>()[pair.a] : T(0);
      if (pair.b >= 0) sum = static_cast<T>(sum + b.data<T>()[pair.b]);
      if (pair.a >= 0 && pair.b >= 0 && BelowThreshold(sum, threshold)) continue;
      kept.push_back(pair);
      sums.push_back(sum);
    }
    const StatusOr<Tensor*> values = ctx.Output(1, {static_cast<int64_t>(sums.size())});
    status = values.status();
    if (status.ok()) std::copy(sums.begin(), sums.end(), (*values)->data<T>());
  });
  HR_RETURN_IF_ERROR(status);
  HR_RETURN_IF_ERROR(UnionIndices(ctx, a, b, kept).status());
  return SetShapeOutput(ctx, 2, a.dims);
}

// The gradient of an operand's entry is that of the sum's entry with its index; 0 where the
// threshold took it away.
template <class T>
void FindGradients(const T* grad, const Tensor& sum, const Tensor& indices, T* out) {
  const auto rank = static_cast<size_t>(indices.dim(1));
  const auto index = [&](const Tensor& t, int64_t i) {
    return std::span<const int64_t>(t.data<int64_t>() + i * t.dim(1), rank);
  };
  int64_t k = 0;
  for (int64_t i = 0; i < indices.dim(0); ++i) {
    while (k < sum.dim(0) && CompareIndices(index(sum, k), index(indices, i)) < 0) ++k;
    const bool there = k < sum.dim(0) && CompareIndices(index(sum, k), index(indices, i)) == 0;
    out[i] = there ? grad[k] : T(0);
  }
}

Status AddGrad(KernelContext& ctx) {
  const Tensor &grad = ctx.input(0), &a = ctx.input(1), &b = ctx.input(2), &sum = ctx.input(3);
  if (a.rank() != 2 || b.rank() != 2 || sum.rank() != 2) {
    return InvalidArgument(
        "Input indices should be matrices but received shapes: ", a.shape().ToString(), ", ",
        b.shape().ToString(), " and ", sum.shape().ToString());
  }
  if (grad.rank() != 1) {
    return InvalidArgument("Input backprop_val_grad should be a vector but received shape: ",
                           grad.shape().ToString());
  }
  if (a.dim(1) != b.dim(1) || b.dim(1) != sum.dim(1)) {
    return InvalidArgument("The densified operands should have the same ndims; for A, B, sum got: ",
                           a.dim(1), b.dim(1), sum.dim(1));
  }
  if (grad.dim(0) != sum.dim(0)) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): "
        "got ",
        grad.dim(0), " and ", sum.dim(0));
  }
  HR_ASSIGN_OR_RETURN(Tensor * of_a, ctx.Output(0, {a.dim(0)}));
  HR_ASSIGN_OR_RETURN(Tensor * of_b, ctx.Output(1, {b.dim(0)}));
  DispatchDType<kAddTypes>(grad.dtype(), [&]<class T>() {
    FindGradients(grad.data<T>(), sum, a, of_a->data<T>());
    FindGradients(grad.data<T>(), sum, b, of_b->data<T>());
  });
  return absl::OkStatus();
}

class ExtremeKernel final : public Kernel {
 public:
  explicit ExtremeKernel(bool largest) : largest_(largest) {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(CheckTwo(ctx));
    HR_ASSIGN_OR_RETURN(const SparseInput a, ReadSparse(ctx, 0));
    HR_ASSIGN_OR_RETURN(const SparseInput b, ReadSparse(ctx, 3));
    const std::vector<Pair> pairs = Union(a, b);
    HR_RETURN_IF_ERROR(UnionIndices(ctx, a, b, pairs).status());
    HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {static_cast<int64_t>(pairs.size())}));
    DispatchDType<kRealTypes>(values->dtype(), [&]<class T>() {
      T* out = values->data<T>();
      for (const Pair& pair : pairs) {
        const T x = pair.a >= 0 ? a.data<T>()[pair.a] : T(0),
                y = pair.b >= 0 ? b.data<T>()[pair.b] : T(0);
        *out++ = (x < y) == largest_ ? y : x;
      }
    });
    return absl::OkStatus();
  }

 private:
  const bool largest_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSparseAddCpu(const KernelInit& init) {
  return MakeFunctionKernel<Add>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseAddGradCpu(const KernelInit& init) {
  return MakeFunctionKernel<AddGrad>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseSparseExtremeCpu(const KernelInit& init) {
  return std::make_unique<ExtremeKernel>(init.node().op_name() == "SparseSparseMaximum");
}

}  // namespace headrace

#include <complex>

#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/array/transpose_kernels.h"

namespace headrace {
namespace {

Status TransposeInto(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  const Tensor& stated = ctx.input(1);
  const int rank = in.rank();
  if (stated.rank() != 1)
    return InvalidArgument("perm must be a vector, not ", stated.shape().ToString());
  if (stated.num_elements() != rank) {
    return InvalidArgument("transpose expects a vector of size ", rank,
                           ". But input(1) is a vector of size ", stated.num_elements());
  }
  const auto in_strides = RowMajorStrides(in.shape());
  uint32_t seen = 0;
  Shape shape;
  std::array<int, kMaxRank> perm{};
  for (int i = 0; i < rank; ++i) {
    const int64_t from = IntAt(stated, i);
    if (from < 0 || from >= rank)
      return InvalidArgument(from, " is out of range [0 .. ", rank, ")");
    perm[i] = static_cast<int>(from);
    seen |= 1u << from;
    shape.Append(in.dim(perm[i]));
  }
  for (int i = 0; i < rank; ++i) {
    if ((seen >> i & 1) == 0) {
      return InvalidArgument(i, " is missing from {", StrJoin(std::span(perm.data(), rank), ","),
                             "}.");
    }
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  const auto out_strides = RowMajorStrides(shape);
  CopyView view;
  for (int i = 0; i < rank; ++i) view.Add(shape.dim(i), out_strides[i], in_strides[perm[i]]);
  StridedCopy(ctx.workers(), in.dtype(), view, out->raw_data(), in.raw_data());
  return absl::OkStatus();
}

template <class T>
void Conjugate(KernelContext& ctx, Tensor& out) {
  T* y = out.data<T>();
  ctx.workers().ParallelFor(out.num_elements(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = std::conj(y[i]);
  });
}

Status ConjugateTransposeInto(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(TransposeInto(ctx));
  Shape shape;
  for (int i = 0; i < ctx.input(0).rank(); ++i)
    shape.Append(ctx.input(0).dim(static_cast<int>(IntAt(ctx.input(1), i))));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  if (out->dtype() == DType::kComplex64) Conjugate<std::complex<float>>(ctx, *out);
  if (out->dtype() == DType::kComplex128) Conjugate<std::complex<double>>(ctx, *out);
  return absl::OkStatus();
}

template <class I>
Status Invert(const Tensor& in, Tensor& out) {
  const int64_t n = in.num_elements();
  I* y = out.data<I>();
  std::fill_n(y, n, I(-1));
  for (int64_t i = 0; i < n; ++i) {
    const I at = in.data<I>()[i];
    if (at < 0 || at >= n) return InvalidArgument(at, " is not between 0 and ", n);
    if (y[at] != -1) return InvalidArgument(at, " is duplicated in the input.");
    y[at] = static_cast<I>(i);
  }
  return absl::OkStatus();
}

Status InvertPermutationKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  if (in.rank() != 1) return InvalidArgument("invert_permutation expects a 1D vector.");
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
  return in.dtype() == DType::kInt32 ? Invert<int32_t>(in, *out) : Invert<int64_t>(in, *out);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTransposeCpu(const KernelInit& init) {
  return MakeFunctionKernel<TransposeInto>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeConjugateTransposeCpu(const KernelInit& init) {
  return MakeFunctionKernel<ConjugateTransposeInto>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeInvertPermutationCpu(const KernelInit& init) {
  return MakeFunctionKernel<InvertPermutationKernel>(init);
}

}  // namespace headrace

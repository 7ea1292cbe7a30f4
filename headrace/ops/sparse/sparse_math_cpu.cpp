#include <algorithm>
#include <cmath>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/sparse/sparse_input.h"
#include "headrace/ops/sparse/sparse_math_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

template <class T>
T Plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {  // wraps
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return static_cast<T>(a + b);
  }
}

template <class T>
Status AddEntries(const Tensor& indices, const Tensor& values, Tensor& out) {
  const auto strides = RowMajorStrides(out.shape());
  for (int64_t i = 0; i < indices.dim(0); ++i) {
    int64_t place = 0;
    for (int d = 0; d < out.rank(); ++d) {
      const int64_t at = IntAt(indices, i * out.rank() + d);
      if (at < 0 || at >= out.dim(d)) {
        std::vector<int64_t> index;
        for (int k = 0; k < out.rank(); ++k) index.push_back(IntAt(indices, i * out.rank() + k));
        return InvalidArgument("indices[", i, "] = [", IndexListText(index),
                               "] is out of bounds: need 0 <= index < ", out.shape().ToString());
      }
      place += at * strides[d];
    }
    T& sum = out.data<T>()[place];
    sum = Plus(sum, values.data<T>()[i]);
  }
  return absl::OkStatus();
}

Status TensorDenseAdd(KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &values = ctx.input(1), &shape = ctx.input(2),
               &dense = ctx.input(3);
  if (indices.rank() != 2) {
    return InvalidArgument("Input a_indices should be a matrix but received shape: ",
                           indices.shape().ToString());
  }
  if (values.rank() != 1 || shape.rank() != 1) {
    return InvalidArgument("Inputs a_values and a_shape should be vectors but received shapes: ",
                           values.shape().ToString(), " and ", shape.shape().ToString());
  }
  if (values.dim(0) != indices.dim(0)) {
    return InvalidArgument("Dimensions ", values.dim(0), " and ", indices.dim(0),
                           " are not compatible: a_values and the rows of a_indices");
  }
  if (shape.dim(0) != dense.rank() || indices.dim(1) != dense.rank()) {
    return InvalidArgument("Two operands have different ranks; received: ", shape.dim(0), " and ",
                           dense.rank());
  }
  for (int d = 0; d < dense.rank(); ++d) {
    if (IntAt(shape, d) != dense.dim(d)) {
      return InvalidArgument("Dimension ", d,
                             " does not equal (no broadcasting is supported): sparse side ",
                             IntAt(shape, d), " vs dense side ", dense.dim(d));
    }
  }
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, dense.shape()));
  if (out->raw_data() != dense.raw_data()) out->CopyElementsFrom(dense);
  Status status;
  DispatchDType<kCommonNumberTypes>(
      out->dtype(), [&]<class T>() { status = AddEntries<T>(indices, values, *out); });
  return status;
}

enum class Cwise { kAdd, kMul, kDiv };

class DenseCwiseKernel final : public Kernel {
 public:
  explicit DenseCwiseKernel(Cwise op) : op_(op) {}

  Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).rank() != 2) {
      return InvalidArgument("Input sp_indices should be a matrix but received shape: ",
                             ctx.input(0).shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 0));
    const Tensor& dense = ctx.input(3);
    const int missing = in.rank - dense.rank();
    bool broadcasts = missing >= 0;
    for (int d = 0; d < dense.rank() && broadcasts; ++d)
      broadcasts = dense.dim(d) == 1 || dense.dim(d) == in.dims[d + missing];
    if (!broadcasts) {
      return InvalidArgument(
          "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: [",
          IndexListText(in.dims), "] vs. ", dense.shape().ToString());
    }
    if (!CheckInBounds(in).ok()) {
      return InvalidArgument(
          "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape");
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {in.count}));
    const auto strides = RowMajorStrides(dense.shape());
    Status status;
    DispatchDType<kRealTypes>(out->dtype(), [&]<class T>() {
      for (int64_t i = 0; i < in.count && status.ok(); ++i) {
        int64_t place = 0;
        for (int d = 0; d < dense.rank(); ++d)
          place += dense.dim(d) == 1 ? 0 : in.index(i)[d + missing] * strides[d];
        status = Apply(in.data<T>()[i], dense.data<T>()[place], out->data<T>()[i]);
      }
    });
    return status;
  }

 private:
  template <class T>
  Status Apply(T x, T y, T& out) const {
    if (op_ == Cwise::kAdd) {
      out = Plus(x, y);
    } else if (op_ == Cwise::kMul) {
      if constexpr (std::is_integral_v<T>) {
        out = static_cast<T>(static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
      } else {
        out = static_cast<T>(x * y);
      }
    } else {
      if constexpr (std::is_integral_v<T>) {
        if (y == 0) return InvalidArgument("Integer division by zero");
        if (std::is_signed_v<T> && y == static_cast<T>(-1)) {  // the least number has no negative
          out = static_cast<T>(0 - static_cast<uint64_t>(x));
          return absl::OkStatus();
        }
      }
      out = static_cast<T>(x / y);
    }
    return absl::OkStatus();
  }

  const Cwise op_;
};

class MatMulKernel final : public Kernel {
 public:
  MatMulKernel(bool adjoint_a, bool adjoint_b) : adjoint_a_(adjoint_a), adjoint_b_(adjoint_b) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &indices = ctx.input(0), &values = ctx.input(1), &shape = ctx.input(2),
                 &b = ctx.input(3);
    HR_RETURN_IF_ERROR(CheckShapes(indices, values, shape, b));
    const int64_t rows = *shape.data<int64_t>(), columns = shape.data<int64_t>()[1];
    const int64_t m = adjoint_a_ ? columns : rows, k = adjoint_a_ ? rows : columns;
    const int64_t b_rows = b.dim(adjoint_b_ ? 1 : 0), n = b.dim(adjoint_b_ ? 0 : 1);
    if (k != b_rows) {
      return InvalidArgument("Cannot multiply A and B because inner dimension does not match: ", k,
                             " vs. ", b_rows, ".  Did you forget a transpose?  Dimensions of A: [",
                             m, ", ", k, ").  Dimensions of B: ", b.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {m, n}));
    Status status;
    DispatchDType<kFloatTypes | kComplexTypes | kInt32Only>(out->dtype(), [&]<class T>() {
      // 16-bit floats are summed in 32 bits.
      using Sum =
          std::conditional_t<std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>, float, T>;
      std::vector<Sum> wide(std::is_same_v<T, Sum> ? 0 : static_cast<size_t>(m * n));
      Sum* to = nullptr;
      if constexpr (std::is_same_v<T, Sum>) {
        to = out->data<T>();
      } else {
        to = wide.data();
      }
      std::fill(to, to + m * n, Sum(0));
      for (int64_t i = 0; i < indices.dim(0) && status.ok(); ++i) {
        const int64_t r = IntAt(indices, 2 * i + (adjoint_a_ ? 1 : 0)),
                      c = IntAt(indices, 2 * i + (adjoint_a_ ? 0 : 1));
        if (c < 0 || c >= k) {
          status = InvalidArgument("k (", c, ") from index[", i, ",", adjoint_a_ ? 0 : 1,
                                   "] out of bounds (>=", k, ")");
        } else if (r < 0 || r >= m) {
          status = InvalidArgument("m (", r, ") from index[", i, ",", adjoint_a_ ? 1 : 0,
                                   "] out of bounds (>=", m, ")");
        } else {
          AddRow<T, Sum>(values.data<T>()[i], b.data<T>(), c, k, n, to + r * n);
        }
      }
      for (size_t i = 0; i < wide.size(); ++i) out->data<T>()[i] = T(wide[i]);
    });
    return status;
  }

 private:
  static Status CheckShapes(const Tensor& indices, const Tensor& values, const Tensor& shape,
                            const Tensor& b) {
    if (b.rank() != 2) return InvalidArgument("Tensor 'b' is not a matrix");
    if (shape.rank() != 1) return InvalidArgument("Tensor 'a_shape' is not a vector");
    if (shape.num_elements() != 2) return InvalidArgument("Tensor 'a_shape' must have 2 elements");
    if (values.rank() != 1) return InvalidArgument("Tensor 'a_values' is not a vector");
    if (indices.rank() != 2) return InvalidArgument("Tensor 'a_indices' is not a matrix");
    if (indices.dim(0) != values.dim(0)) {
      return InvalidArgument(
          "Number of rows of a_indices does not match number of entries in a_values");
    }
    if (indices.dim(1) != 2) {
      return InvalidArgument(
          "Number of columns of a_indices does not match number of entries in a_shape");
    }
    for (int64_t size : shape.flat<int64_t>()) {
      if (size < 0) return InvalidArgument("'a_shape' may not be negative, got ", size);
    }
    return absl::OkStatus();
  }

  template <class T>
  static T Conjugate(T x) {
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      return std::conj(x);
    } else {
      return x;
    }
  }

  // out += value * row c of b.
  template <class T, class Sum>
  void AddRow(T value, const T* b, int64_t c, int64_t k, int64_t n, Sum* out) const {
    const Sum factor = static_cast<Sum>(value);  // TensorFlow 1.15 conjugates b alone
    for (int64_t j = 0; j < n; ++j) {
      const Sum x = static_cast<Sum>(adjoint_b_ ? Conjugate(b[j * k + c]) : b[c * n + j]);
      if constexpr (std::is_integral_v<Sum>) {  // wraps
        out[j] = static_cast<Sum>(static_cast<uint32_t>(out[j]) +
                                  static_cast<uint32_t>(factor) * static_cast<uint32_t>(x));
      } else {
        out[j] += factor * x;
      }
    }
  }

  const bool adjoint_a_, adjoint_b_;
};

Status Softmax(KernelContext& ctx) {
  if (ctx.input(0).rank() != 2) {
    return InvalidArgument("Input sp_indices should be a matrix but received shape: ",
                           ctx.input(0).shape().ToString());
  }
  HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 0));
  if (in.rank < 2) {
    return InvalidArgument("Input should have rank >= 2, but received shape: ",
                           IndexListText(in.dims));
  }
  HR_RETURN_IF_ERROR(CheckInBounds(in));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {in.count}));
  const auto row = [&](int64_t i) { return in.index(i).first(static_cast<size_t>(in.rank - 1)); };
  DispatchDType<DTypeSet{DType::kFloat32, DType::kFloat64}>(out->dtype(), [&]<class T>() {
    const T* x = in.data<T>();
    T* y = out->data<T>();
    for (int64_t begin = 0, end; begin < in.count; begin = end) {
      for (end = begin + 1; end < in.count && CompareIndices(row(begin), row(end)) == 0;) ++end;
      const T largest = *std::max_element(x + begin, x + end);
      T sum = 0;
      for (int64_t i = begin; i < end; ++i) sum += y[i] = std::exp(x[i] - largest);
      for (int64_t i = begin; i < end; ++i) y[i] /= sum;
    }
  });
  return absl::OkStatus();
}

class ReduceKernel final : public Kernel {
 public:
  ReduceKernel(bool sum, bool sparse, bool keep_dims)
      : sum_(sum), sparse_(sparse), keep_dims_(keep_dims) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 0));
    HR_RETURN_IF_ERROR(CheckInBounds(in));
    std::vector<bool> reduced(static_cast<size_t>(in.rank), false);
    for (int64_t i = 0; i < ctx.input(3).num_elements(); ++i) {
      const int64_t axis = IntAt(ctx.input(3), i);
      if (axis < -in.rank || axis >= in.rank) {
        return InvalidArgument("Invalid reduction dimension ", axis, ", for input with ", in.rank,
                               " dimensions.");
      }
      reduced[axis < 0 ? axis + in.rank : axis] = true;
    }
    std::vector<int> shown;  // dimensions that are left
    std::vector<int64_t> dims;
    for (int d = 0; d < in.rank; ++d) {
      if (!reduced[d] || keep_dims_) {
        shown.push_back(reduced[d] ? -1 : d);
        dims.push_back(reduced[d] ? 1 : in.dims[d]);
      }
    }
    // The entries with their index in the result, groups of equal ones together.
    const int rank = static_cast<int>(shown.size());
    std::vector<int64_t> indices;
    for (int64_t i = 0; i < in.count; ++i) {
      for (int d : shown) indices.push_back(d < 0 ? 0 : in.index(i)[d]);
    }
    const SparseInput out{.indices = indices.data(), .count = in.count, .rank = rank, .dims = dims};
    return Reduce(ctx, in, out);
  }

 private:
  Status Reduce(KernelContext& ctx, const SparseInput& in, const SparseInput& out) {
    const std::vector<int64_t> order = RowMajorOrder(out);
    std::vector<int64_t> begins;
    for (int64_t i = 0; i < out.count; ++i) {
      if (i == 0 || CompareIndices(out.index(order[i - 1]), out.index(order[i])) != 0)
        begins.push_back(i);
    }
    const auto groups = static_cast<int64_t>(begins.size());
    begins.push_back(out.count);
    Tensor* values = nullptr;
    std::vector<int64_t> places(static_cast<size_t>(groups));
    if (sparse_) {
      HR_ASSIGN_OR_RETURN(int64_t * indices, MakeIndices(ctx, 0, groups, out.rank));
      for (int64_t g = 0; g < groups; ++g)
        std::ranges::copy(out.index(order[begins[g]]), indices + g * out.rank);
      HR_ASSIGN_OR_RETURN(values, ctx.Output(1, {groups}));
      HR_RETURN_IF_ERROR(SetShapeOutput(ctx, 2, out.dims));
    } else {
      HR_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(out.dims));
      HR_ASSIGN_OR_RETURN(values, ctx.Output(0, shape));
      const auto strides = RowMajorStrides(shape);
      for (int64_t g = 0; g < groups; ++g) {
        for (int d = 0; d < out.rank; ++d) places[g] += out.index(order[begins[g]])[d] * strides[d];
      }
    }
    DispatchDType<kCommonNumberTypes>(values->dtype(), [&]<class T>() {
      T* to = values->data<T>();
      if (!sparse_) std::fill_n(to, values->num_elements(), T(0));
      for (int64_t g = 0; g < groups; ++g) {
        T result = in.data<T>()[order[begins[g]]];
        for (int64_t i = begins[g] + 1; i < begins[g + 1]; ++i) {
          const T x = in.data<T>()[order[i]];
          if (sum_) {
            result = Plus(result, x);
          } else {
            if constexpr (!std::is_same_v<T, std::complex<float>> &&
                          !std::is_same_v<T, std::complex<double>>) {
              result = result < x ? x : result;
            }
          }
        }
        to[sparse_ ? g : places[g]] = result;
      }
    });
    return absl::OkStatus();
  }

  const bool sum_, sparse_, keep_dims_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSparseTensorDenseAddCpu(const KernelInit& init) {
  return MakeFunctionKernel<TensorDenseAdd>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseDenseCwiseCpu(const KernelInit& init) {
  const std::string& op = init.node().op_name();
  return std::make_unique<DenseCwiseKernel>(op.ends_with("Add")   ? Cwise::kAdd
                                            : op.ends_with("Mul") ? Cwise::kMul
                                                                  : Cwise::kDiv);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseTensorDenseMatMulCpu(const KernelInit& init) {
  return std::make_unique<MatMulKernel>(init.Attr<bool>("adjoint_a"), init.Attr<bool>("adjoint_b"));
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseSoftmaxCpu(const KernelInit& init) {
  return MakeFunctionKernel<Softmax>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseReduceCpu(const KernelInit& init) {
  const std::string& op = init.node().op_name();
  return std::make_unique<ReduceKernel>(op.starts_with("SparseReduceSum"), op.ends_with("Sparse"),
                                        init.Attr<bool>("keep_dims"));
}

}  // namespace headrace

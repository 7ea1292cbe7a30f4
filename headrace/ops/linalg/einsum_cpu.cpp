// Operands are brought into the form of a batch of matrices, multiplied, and the products put where
// the result wants them.
#include <algorithm>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/gemm.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/linalg/einsum_equation.h"
#include "headrace/ops/linalg/einsum_kernels.h"
#include "headrace/ops/linalg/matrix_kernel.h"
#include "headrace/ops/linalg/types.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

using Dims = std::map<int, int64_t>;  // by label

// How far apart elements are along each label: a letter that is there twice means a diagonal.
Dims StridesOf(const Shape& shape, const std::vector<int>& labels) {
  Dims strides;
  const auto row_major = RowMajorStrides(shape);
  for (int i = 0; i < shape.rank(); ++i) {
    const int label = labels[static_cast<size_t>(i)];
    const bool broadcasts = label >= EinsumLabels::kEllipsis && shape[i] == 1;
    strides[label] += broadcasts ? 0 : row_major[static_cast<size_t>(i)];
  }
  return strides;
}

int64_t At(const Dims& dims, int label) {
  const auto it = dims.find(label);
  return it == dims.end() ? 0 : it->second;
}

int64_t SizeOf(const std::vector<int>& labels, const Dims& dims) {
  int64_t size = 1;
  for (int label : labels) size *= dims.at(label);
  return size;
}

// f(offset) for each place of the labels, in row-major order.
template <class F>
void ForEachPlace(const std::vector<int>& labels, const Dims& dims, const Dims& strides, F f) {
  const int64_t size = SizeOf(labels, dims);
  std::vector<int64_t> index(labels.size());
  int64_t offset = 0;
  for (int64_t at = 0; at < size; ++at) {
    f(offset);
    for (size_t i = labels.size(); i-- > 0;) {
      const int64_t stride = At(strides, labels[i]);
      offset += stride;
      if (++index[i] < dims.at(labels[i])) break;
      offset -= stride * index[i];
      index[i] = 0;
    }
  }
}

class EinsumKernel final : public Kernel {
 public:
  explicit EinsumKernel(EinsumEquation equation) : equation_(std::move(equation)) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const std::vector<Shape> shapes, OutputShapes(ctx));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shapes[0]));
    std::vector<int> ranks;
    for (int i = 0; i < ctx.num_inputs(); ++i) ranks.push_back(ctx.input(i).rank());
    HR_ASSIGN_OR_RETURN(const EinsumLabels labels, LabelDimensions(equation_, ranks));
    Dims dims;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      for (int axis = 0; axis < ctx.input(i).rank(); ++axis) {
        int64_t& dim = dims.try_emplace(labels.inputs[i][axis], 1).first->second;
        if (dim == 1) dim = ctx.input(i).dim(axis);
      }
    }
    if (y->num_elements() == 0) return absl::OkStatus();
    Status status;
    DispatchDType<kLinalgTypes>(y->dtype(),
                                [&]<class T>() { status = ComputeFor<T>(ctx, labels, dims, *y); });
    return status;
  }

 private:
  struct Groups {
    std::vector<int> batch, contracted, own[2], summed[2];
  };

  static Groups GroupsOf(const EinsumLabels& labels, const Dims& dims) {
    const auto has = [](const std::vector<int>& list, int label) {
      return std::ranges::find(list, label) != list.end();
    };
    Groups g;
    const bool two = labels.inputs.size() > 1;
    for (const auto& [label, dim] : dims) {
      const bool a = has(labels.inputs[0], label), b = two && has(labels.inputs[1], label);
      const bool kept = has(labels.output, label);
      if (a && b) {
        (kept ? g.batch : g.contracted).push_back(label);
      } else {
        (kept ? g.own : g.summed)[a ? 0 : 1].push_back(label);
      }
    }
    return g;
  }

  template <class T>
  Status ComputeFor(KernelContext& ctx, const EinsumLabels& labels, const Dims& dims, Tensor& y) {
    const Groups g = GroupsOf(labels, dims);
    const bool two = labels.inputs.size() > 1;
    const int64_t m = SizeOf(g.own[0], dims), n = SizeOf(g.own[1], dims);
    const int64_t k = SizeOf(g.contracted, dims), batch = SizeOf(g.batch, dims);
    std::vector<int> order = Joined(g.batch, g.own[0]);
    HR_RETURN_IF_ERROR(
        Arrange<T>(ctx, 0, labels, dims, Joined(order, g.contracted), g.summed[0], a_));
    const Tensor* product = &a_;
    if (two) {
      HR_RETURN_IF_ERROR(Arrange<T>(
          ctx, 1, labels, dims, Joined(Joined(g.batch, g.contracted), g.own[1]), g.summed[1], b_));
      HR_RETURN_IF_ERROR(ctx.Scratch(c_, y.dtype(), {batch, m, n}));
      for (int64_t i = 0; i < batch; ++i) {
        HR_RETURN_IF_ERROR(Multiply(ctx.workers(), m, n, k, a_.data<T>() + i * m * k,
                                    b_.data<T>() + i * k * n, c_.data<T>() + i * m * n));
      }
      product = &c_;
    }
    order = Joined(order, g.own[1]);
    const Dims to = StridesOf(y.shape(), labels.output);
    std::fill_n(y.data<T>(), y.num_elements(), T(0));
    CopyView view;
    int64_t stride = SizeOf(order, dims);
    for (int label : order) {
      const int64_t dim = dims.at(label);
      stride /= std::max<int64_t>(1, dim);
      view.Add(dim, At(to, label), stride);
    }
    StridedCopy(ctx.workers(), y.dtype(), view, y.raw_data(), product->raw_data());
    return absl::OkStatus();
  }

  static std::vector<int> Joined(std::vector<int> a, const std::vector<int>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  // Input `i` with its dimensions in this order, dense, and summed over some.
  template <class T>
  Status Arrange(KernelContext& ctx, int i, const EinsumLabels& labels, const Dims& dims,
                 const std::vector<int>& order, const std::vector<int>& summed, Tensor& to) {
    const Tensor& x = ctx.input(i);
    const Dims strides = StridesOf(x.shape(), labels.inputs[static_cast<size_t>(i)]);
    const int64_t size = SizeOf(order, dims);
    HR_RETURN_IF_ERROR(ctx.Scratch(to, x.dtype(), {size}));
    if (size == 0) return absl::OkStatus();
    if (summed.empty()) {
      CopyView view;
      int64_t stride = size;
      for (int label : order) {
        stride /= dims.at(label);
        view.Add(dims.at(label), stride, At(strides, label));
      }
      StridedCopy(ctx.workers(), x.dtype(), view, to.raw_data(), x.raw_data());
      return absl::OkStatus();
    }
    const T* from = x.data<T>();
    T* out = to.data<T>();
    ForEachPlace(order, dims, strides, [&](int64_t offset) {
      T sum = T(0);
      ForEachPlace(summed, dims, strides, [&](int64_t more) { sum += from[offset + more]; });
      *out++ = sum;
    });
    return absl::OkStatus();
  }

  template <class T>
  static Status Multiply(WorkerPool& workers, int64_t m, int64_t n, int64_t k, const T* a,
                         const T* b, T* c) {
    if constexpr (std::is_floating_point_v<T>) {
      return Gemm(workers, false, false, m, n, k, a, b, c);
    } else {
      GemmPlain(workers, false, false, m, n, k, a, b, c);
      return absl::OkStatus();
    }
  }

  const EinsumEquation equation_;
  Tensor a_, b_, c_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeEinsumCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(EinsumEquation equation, ParseEinsum(init.Attr<std::string>("equation")));
  if (equation.inputs.size() > 2) {
    return Unimplemented("Einsum takes one or two operands, got ", equation.inputs.size());
  }
  return std::make_unique<EinsumKernel>(std::move(equation));
}

}  // namespace headrace

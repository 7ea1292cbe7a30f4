#include <cmath>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/nn/row_math.h"
#include "headrace/ops/nn/softmax_kernels.h"

namespace headrace {
namespace {

// Estimated cost of a row of exponentials.
double NsPerRow(int64_t columns) {
  return 15 + 0.8 * static_cast<double>(columns);
}

// Rows [begin, end) of softmax or its logarithm. y may be x.
template <class T>
void SoftmaxRows(bool log, const T* x, T* y, int64_t columns, int64_t begin, int64_t end) {
  const RowMath<T>& rows = RowMath<T>::Get();
  // The logarithm needs the exponentials only for their sum.
  std::vector<T> exponentials(log ? static_cast<size_t>(columns) : 0);
  for (int64_t r = begin; r < end; ++r) {
    const T* from = x + r * columns;
    T* to = y + r * columns;
    const T most = rows.max(from, columns);
    if (log) {
      const T sum = rows.exp_sum(from, most, exponentials.data(), columns);
      // First the shift, then the logarithm: their sum may round.
      const T log_sum = std::log(sum);
      rows.scale(from, T(1), -most, to, columns);
      rows.scale(to, T(1), -log_sum, to, columns);
    } else {
      const T sum = rows.exp_sum(from, most, to, columns);
      rows.scale(to, T(1) / sum, T(0), to, columns);
    }
  }
}

template <bool kLog>
Status ComputeSoftmax(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 1)
    return InvalidArgument("logits must have >= 1 dimension, got ", x.shape().ToString());
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
  const int64_t columns = x.dim(x.rank() - 1);
  if (x.num_elements() == 0) return absl::OkStatus();
  ctx.workers().ParallelFor(
      x.num_elements() / columns, NsPerRow(columns), [&](int64_t begin, int64_t end) {
        if (x.dtype() == DType::kFloat32) {
          SoftmaxRows(kLog, x.data<float>(), y->data<float>(), columns, begin, end);
        } else if (x.dtype() == DType::kFloat64) {
          SoftmaxRows(kLog, x.data<double>(), y->data<double>(), columns, begin, end);
        } else {
          std::vector<float> wide(static_cast<size_t>(columns));
          for (int64_t r = begin; r < end; ++r) {
            WidenToFloat(x.data<Half>() + r * columns, x.dtype(), wide.data(), columns);
            SoftmaxRows(kLog, wide.data(), wide.data(), columns, 0, 1);
            NarrowFromFloat(wide.data(), x.dtype(), y->data<Half>() + r * columns, columns);
          }
        }
      });
  return absl::OkStatus();
}

// One row of the loss, in float32 or float64: y becomes the gradient by x.
template <class T>
T DenseLossRow(const RowMath<T>& rows, const T* x, const T* labels, T* y, int64_t columns) {
  const T most = rows.max(x, columns);
  const T sum = rows.exp_sum(x, most, y, columns);
  return rows.cross_entropy(x, labels, most, std::log(sum), T(1) / sum, y, columns);
}
template <class T>
T SparseLossRow(const RowMath<T>& rows, const T* x, int64_t label, T* y, int64_t columns) {
  const T most = rows.max(x, columns);
  const T sum = rows.exp_sum(x, most, y, columns);
  const T loss = std::log(sum) - (x[label] - most);
  rows.scale(y, T(1) / sum, T(0), y, columns);
  y[label] -= T(1);
  return loss;
}

// A [rows, columns] view of an input in which dimensions of 1 may repeat.
struct Spread {
  const Tensor* tensor = nullptr;
  int64_t row_step = 0, column_step = 1;

  // Row r with `columns` elements; copied to `buffer` if it is one element repeated.
  template <class T>
  const T* Row(int64_t r, int64_t columns, std::vector<T>& buffer) const {
    const T* from = tensor->data<T>() + r * row_step;
    if (column_step == 1) return from;
    buffer.assign(static_cast<size_t>(columns), *from);
    return buffer.data();
  }
};

// The shape that both broadcast to, which must have two dimensions.
StatusOr<Shape> LossShape(const Tensor& logits, const Tensor& labels) {
  StatusOr<Shape> shape = BroadcastShapes(logits.shape(), labels.shape());
  if (!shape.ok()) {
    return InvalidArgument("logits and labels must be broadcastable: logits_size=",
                           logits.shape().ToString(), " labels_size=", labels.shape().ToString());
  }
  if (shape->rank() != 2) {
    return InvalidArgument(
        "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional: "
        "logits_size=",
        logits.shape().ToString(), " labels_size=", labels.shape().ToString());
  }
  return shape;
}

Spread SpreadOver(const Tensor& tensor, const Shape& shape) {
  const int64_t columns = tensor.rank() == 0 ? 1 : tensor.dim(tensor.rank() - 1);
  const int64_t rows = tensor.rank() < 2 ? 1 : tensor.dim(0);
  return {&tensor, rows == 1 && shape[0] != 1 ? 0 : columns, columns == 1 && shape[1] != 1 ? 0 : 1};
}

template <class T>
void DenseLoss(KernelContext& ctx, const Spread& logits, const Spread& labels, Tensor& loss,
               Tensor& backprop) {
  const int64_t columns = backprop.dim(1);
  const RowMath<T>& rows = RowMath<T>::Get();
  ctx.workers().ParallelFor(backprop.dim(0), NsPerRow(columns), [&](int64_t begin, int64_t end) {
    std::vector<T> logits_row, labels_row;
    for (int64_t r = begin; r < end; ++r) {
      loss.data<T>()[r] =
          DenseLossRow(rows, logits.Row(r, columns, logits_row), labels.Row(r, columns, labels_row),
                       backprop.data<T>() + r * columns, columns);
    }
  });
}

void DenseLossHalf(KernelContext& ctx, const Spread& logits, const Spread& labels, Tensor& loss,
                   Tensor& backprop) {
  const int64_t columns = backprop.dim(1);
  const RowMath<float>& rows = RowMath<float>::Get();
  ctx.workers().ParallelFor(
      backprop.dim(0), 2 * NsPerRow(columns), [&](int64_t begin, int64_t end) {
        std::vector<Half> logits_row, labels_row;
        std::vector<float> x(static_cast<size_t>(columns)), z(x.size()), y(x.size());
        for (int64_t r = begin; r < end; ++r) {
          WidenToFloat(logits.Row(r, columns, logits_row), DType::kFloat16, x.data(), columns);
          WidenToFloat(labels.Row(r, columns, labels_row), DType::kFloat16, z.data(), columns);
          loss.data<Half>()[r] = Half(DenseLossRow(rows, x.data(), z.data(), y.data(), columns));
          NarrowFromFloat(y.data(), DType::kFloat16, backprop.data<Half>() + r * columns, columns);
        }
      });
}

Status ComputeSoftmaxCrossEntropy(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const Shape shape, LossShape(ctx.input(0), ctx.input(1)));
  const Spread logits = SpreadOver(ctx.input(0), shape), labels = SpreadOver(ctx.input(1), shape);
  HR_ASSIGN_OR_RETURN(Tensor * loss, ctx.Output(0, {shape[0]}));
  HR_ASSIGN_OR_RETURN(Tensor * backprop, ctx.Output(1, shape));
  if (shape[1] == 0) {
    std::memset(loss->raw_data(), 0, loss->size_bytes());
  } else if (loss->dtype() == DType::kFloat32) {
    DenseLoss<float>(ctx, logits, labels, *loss, *backprop);
  } else if (loss->dtype() == DType::kFloat64) {
    DenseLoss<double>(ctx, logits, labels, *loss, *backprop);
  } else {
    DenseLossHalf(ctx, logits, labels, *loss, *backprop);
  }
  return absl::OkStatus();
}

template <class Label>
Status CheckLabels(const Tensor& labels, int64_t classes) {
  const std::span<const Label> values = labels.flat<Label>();
  for (const Label value : values) {
    if (value >= 0 && value < classes) continue;
    return InvalidArgument("Received a label value of ", value,
                           " which is outside the valid range of [0, ", classes,
                           ").  Label values: ",
                           StrJoin(values.subspan(0, std::min<size_t>(values.size(), 1000)), " "),
                           values.size() > 1000 ? " ..." : "");
  }
  return absl::OkStatus();
}

template <class T, class Label>
void SparseLoss(KernelContext& ctx, const Tensor& logits, const Tensor& labels, Tensor& loss,
                Tensor& backprop) {
  const int64_t columns = backprop.dim(1);
  const Label* numbers = labels.data<Label>();
  ctx.workers().ParallelFor(backprop.dim(0), NsPerRow(columns), [&](int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<T, Half>) {
      const RowMath<float>& rows = RowMath<float>::Get();
      std::vector<float> x(static_cast<size_t>(columns)), y(x.size());
      for (int64_t r = begin; r < end; ++r) {
        WidenToFloat(logits.data<Half>() + r * columns, DType::kFloat16, x.data(), columns);
        loss.data<Half>()[r] = Half(SparseLossRow(rows, x.data(), numbers[r], y.data(), columns));
        NarrowFromFloat(y.data(), DType::kFloat16, backprop.data<Half>() + r * columns, columns);
      }
    } else {
      const RowMath<T>& rows = RowMath<T>::Get();
      for (int64_t r = begin; r < end; ++r) {
        loss.data<T>()[r] = SparseLossRow(rows, logits.data<T>() + r * columns, numbers[r],
                                          backprop.data<T>() + r * columns, columns);
      }
    }
  });
}

template <class Label>
Status ComputeSparse(KernelContext& ctx) {
  const Tensor& logits = ctx.input(0);
  const Tensor& labels = ctx.input(1);
  if (logits.dim(1) <= 0) {
    return InvalidArgument("Must have at least one class, but got logits shape ",
                           logits.shape().ToString());
  }
  HR_RETURN_IF_ERROR(CheckLabels<Label>(labels, logits.dim(1)));
  HR_ASSIGN_OR_RETURN(Tensor * loss, ctx.Output(0, {logits.dim(0)}));
  HR_ASSIGN_OR_RETURN(Tensor * backprop, ctx.Output(1, logits.shape()));
  if (logits.dtype() == DType::kFloat32) {
    SparseLoss<float, Label>(ctx, logits, labels, *loss, *backprop);
  } else if (logits.dtype() == DType::kFloat64) {
    SparseLoss<double, Label>(ctx, logits, labels, *loss, *backprop);
  } else {
    SparseLoss<Half, Label>(ctx, logits, labels, *loss, *backprop);
  }
  return absl::OkStatus();
}

Status ComputeSparseSoftmaxCrossEntropy(KernelContext& ctx) {
  const Shape& logits = ctx.input(0).shape();
  const Shape& labels = ctx.input(1).shape();
  if (logits.rank() != 2)
    return InvalidArgument("logits must be 2-D, but got shape ", logits.ToString());
  if (labels.rank() != 1)
    return InvalidArgument("labels must be 1-D, but got shape ", labels.ToString());
  if (logits[0] != labels[0]) {
    return InvalidArgument(
        "logits and labels must have the same first dimension, got logits shape ",
        logits.ToString(), " and labels shape ", labels.ToString());
  }
  return ctx.input(1).dtype() == DType::kInt32 ? ComputeSparse<int32_t>(ctx)
                                               : ComputeSparse<int64_t>(ctx);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSoftmaxCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeSoftmax<false>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeLogSoftmaxCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeSoftmax<true>>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSoftmaxCrossEntropyCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeSoftmaxCrossEntropy>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseSoftmaxCrossEntropyCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeSparseSoftmaxCrossEntropy>(init);
}

}  // namespace headrace

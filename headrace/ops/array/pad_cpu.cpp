#include <vector>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/constant_kernels.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/pad_kernels.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

struct Paddings {
  std::array<int64_t, kMaxRank> before, after;
};

StatusOr<Paddings> ReadPaddings(const Tensor& paddings, const Shape& in) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ",
                           paddings.shape().ToString());
  }
  if (paddings.dim(0) != in.rank()) {
    return InvalidArgument("The first dimension of paddings must be the rank of inputs",
                           paddings.shape().ToString(), " ", in.ToString());
  }
  Paddings p;
  for (int i = 0; i < in.rank(); ++i) {
    p.before[i] = IntAt(paddings, 2 * i);
    p.after[i] = IntAt(paddings, 2 * i + 1);
    if (p.before[i] < 0 || p.after[i] < 0) {
      return InvalidArgument("Paddings must be non-negative: ", p.before[i], " ", p.after[i]);
    }
    int64_t size = 0;
    if (__builtin_add_overflow(p.before[i], p.after[i], &size) ||
        __builtin_add_overflow(size, in.dim(i), &size)) {
      return InvalidArgument("paddings ", p.before[i], ", ", p.after[i], " of dimension ", i,
                             " (size ", in.dim(i), ") make a size beyond int64");
    }
  }
  return p;
}

class PadKernel final : public Kernel {
 public:
  explicit PadKernel(Tensor zero) : zero_(std::move(zero)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    const bool has_value = ctx.num_inputs() > 2;
    if (has_value && ctx.input(2).num_elements() != 1) {
      return InvalidArgument("constant_values must be a scalar. Found: ",
                             ctx.input(2).shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(const Paddings p, ReadPaddings(ctx.input(1), in.shape()));
    Shape shape = in.shape();
    for (int i = 0; i < in.rank(); ++i) shape.set_dim(i, in.dim(i) + p.before[i] + p.after[i]);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    const Tensor& value = has_value ? ctx.input(2) : zero_;
    if (shape != in.shape()) {
      FillElements(ctx.workers(), out->dtype(), out->raw_data(), out->num_elements(),
                   value.raw_data());
    }
    const auto in_strides = RowMajorStrides(in.shape()), out_strides = RowMajorStrides(shape);
    CopyView view;
    int64_t offset = 0;
    for (int i = 0; i < in.rank(); ++i) {
      view.Add(in.dim(i), out_strides[i], in_strides[i]);
      offset += p.before[i] * out_strides[i];
    }
    if (in.num_elements() > 0) {
      StridedCopy(ctx.workers(), in.dtype(), view, ElementAt(*out, offset), in.raw_data());
    }
    return absl::OkStatus();
  }

 private:
  const Tensor zero_;
};

// For each dimension, where in the inner tensor each place of the padded one comes from, times the
// stride.
using Sources = std::array<std::vector<int64_t>, kMaxRank>;

Status MirrorSources(const Shape& inner, const Paddings& p, bool symmetric, Sources& sources) {
  const auto strides = RowMajorStrides(inner);
  for (int i = 0; i < inner.rank(); ++i) {
    const int64_t dim = inner.dim(i), skip = symmetric ? 0 : 1;
    const int64_t most = dim - skip;
    if (p.before[i] > most || p.after[i] > most) {
      return InvalidArgument("paddings must be ", symmetric ? "no greater" : "less",
                             " than the dimension size: ", p.before[i], ", ", p.after[i],
                             symmetric ? " greater than " : " not less than ", dim);
    }
    sources[i].clear();
    for (int64_t k = -p.before[i]; k < dim + p.after[i]; ++k) {
      const int64_t at = k < 0 ? -k - (1 - skip) : k >= dim ? 2 * dim - 1 - skip - k : k;
      sources[i].push_back(at * strides[i]);
    }
  }
  return absl::OkStatus();
}

// Calls f(place in the padded tensor, offset in the inner tensor) for every place, in order.
template <class F>
void ForEachPlace(const Shape& padded, const Sources& sources, F&& f) {
  const int rank = padded.rank();
  std::array<int64_t, kMaxRank> index{};
  const int64_t count = padded.num_elements();
  for (int64_t place = 0; place < count; ++place) {
    int64_t offset = 0;
    for (int i = 0; i < rank; ++i) offset += sources[i][index[i]];
    f(place, offset);
    for (int i = rank - 1; i >= 0 && ++index[i] == padded.dim(i); --i) index[i] = 0;
  }
}

// The padded tensor, row by row: what is inside lies in one piece, only the borders are picked.
template <class T>
void CopyMirrored(WorkerPool& workers, const Shape& padded, const Paddings& p,
                  const Sources& sources, const T* x, T* y) {
  const int last = padded.rank() - 1;
  if (padded.num_elements() == 0) return;
  if (last < 0) {
    *y = *x;
    return;
  }
  const int64_t row = padded.dim(last), rows = padded.num_elements() / row;
  const int64_t before = p.before[last], after = row - p.after[last];
  const std::vector<int64_t>& places = sources[last];
  workers.ParallelFor(rows, 5 + 0.3 * static_cast<double>(row), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      int64_t offset = 0, rest = r;
      for (int d = last - 1; d >= 0; --d) {
        offset += sources[d][static_cast<size_t>(rest % padded.dim(d))];
        rest /= padded.dim(d);
      }
      const T* from = x + offset;
      T* to = y + r * row;
      for (int64_t k = 0; k < before; ++k) to[k] = from[places[static_cast<size_t>(k)]];
      std::copy_n(from, after - before, to + before);
      for (int64_t k = after; k < row; ++k) to[k] = from[places[static_cast<size_t>(k)]];
    }
  });
}

constexpr DTypeSet kPadded = kNumberTypes | DTypeSet{DType::kBool, DType::kString};

class MirrorPadKernel final : public Kernel {
 public:
  MirrorPadKernel(bool symmetric, bool grad) : symmetric_(symmetric), grad_(grad) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const Paddings p, ReadPaddings(ctx.input(1), in.shape()));
    Shape shape = in.shape();
    for (int i = 0; i < in.rank(); ++i) {
      const int64_t border = p.before[i] + p.after[i];
      if (grad_ && border > in.dim(i)) {
        return InvalidArgument("paddings ", p.before[i], ", ", p.after[i],
                               " are larger than the dimension ", in.dim(i));
      }
      shape.set_dim(i, in.dim(i) + (grad_ ? -border : border));
    }
    HR_RETURN_IF_ERROR(MirrorSources(grad_ ? shape : in.shape(), p, symmetric_, sources_));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    DispatchDType<kPadded>(in.dtype(), [&]<class T>() {
      const T* x = in.data<T>();
      T* y = out->data<T>();
      if (!grad_) {
        CopyMirrored(ctx.workers(), shape, p, sources_, x, y);
      } else if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, bool>) {
        std::fill_n(y, out->num_elements(), T());
        ForEachPlace(in.shape(), sources_,
                     [&](int64_t place, int64_t offset) { y[offset] += x[place]; });
      }
    });
    return absl::OkStatus();
  }

 private:
  const bool symmetric_, grad_;
  Sources sources_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakePadCpu(const KernelInit& init) {
  return std::make_unique<PadKernel>(ScalarTensor(0, init.output_type(0)));
}
StatusOr<std::unique_ptr<Kernel>> MakeMirrorPadCpu(const KernelInit& init) {
  return std::make_unique<MirrorPadKernel>(init.Attr<std::string>("mode") == "SYMMETRIC", false);
}
StatusOr<std::unique_ptr<Kernel>> MakeMirrorPadGradCpu(const KernelInit& init) {
  return std::make_unique<MirrorPadKernel>(init.Attr<std::string>("mode") == "SYMMETRIC", true);
}

}  // namespace headrace

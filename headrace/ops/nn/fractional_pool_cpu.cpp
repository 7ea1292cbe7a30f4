#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/ops/nn/fractional_pool_kernels.h"
#include "headrace/ops/random/generator.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes = kFloat32And64 | kSignedIndex;
using Sequence = std::vector<int64_t>;  // where windows begin, and the end

// Window i begins at ceil(alpha * (i + u)) - 1: sizes differ by 1 at most if u, the one random
// number, is small enough for the first and the last window.
Sequence PseudoRandomSizes(int64_t in, int64_t out, RandomGenerator& generator) {
  const double alpha = static_cast<double>(in) / static_cast<double>(out);
  const int64_t least = in / out;
  const double first_limit = static_cast<double>(least + 2) / alpha - 1;
  const double last_limit =
      static_cast<double>(in + 1 - least) / alpha - static_cast<double>(out - 1);
  PhiloxWords words(generator.Reserve(1));
  const uint32_t high = words.Next();
  const double u = UniformDouble(high, words.Next()) * std::min(first_limit, last_limit);
  Sequence sizes(static_cast<size_t>(out));
  int64_t begin = 1;
  for (int64_t i = 1; i <= out; ++i) {
    const int64_t next =
        i == out ? in + 1 : static_cast<int64_t>(std::ceil(alpha * (static_cast<double>(i) + u)));
    sizes[static_cast<size_t>(i - 1)] = next - begin;
    begin = next;
  }
  return sizes;
}

// As many windows as must be are longer by one; which ones is shuffled.
Sequence ShuffledSizes(int64_t in, int64_t out, RandomGenerator& generator) {
  Sequence sizes(static_cast<size_t>(out), in / out);
  for (int64_t i = 0; i < in % out; ++i) ++sizes[static_cast<size_t>(i)];
  PhiloxWords words(generator.Reserve(static_cast<uint64_t>((out + 3) / Philox::kWords)));
  for (size_t i = 0; i + 1 < sizes.size(); ++i) {
    const uint32_t left = static_cast<uint32_t>(sizes.size() - i);
    std::swap(sizes[i], sizes[i + words.Next() % left]);
  }
  return sizes;
}

Sequence MakeSequence(int64_t in, int64_t out, bool pseudo_random, RandomGenerator& generator) {
  const Sequence sizes =
      pseudo_random ? PseudoRandomSizes(in, out, generator) : ShuffledSizes(in, out, generator);
  Sequence begins(sizes.size() + 1);
  for (size_t i = 0; i < sizes.size(); ++i) begins[i + 1] = begins[i] + sizes[i];
  return begins;
}

// The windows of a node that keeps them.
class KeptWindows final : public Resource {
 public:
  std::string_view kind() const override { return "pooling windows"; }
  std::mutex mutex;
  Sequence rows, columns;
};

// The part of an image that one window covers.
struct Range {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};
Range RangeOf(const int64_t* sequence, int64_t i, bool overlapping, int64_t size) {
  return {sequence[i], std::min(sequence[i + 1] + (overlapping ? 1 : 0), size)};
}

struct Windows {
  int64_t batch, height, width, channels;  // of the input
  int64_t rows, columns;                   // of windows
  const int64_t *row_begins, *column_begins;
  bool overlapping;

  int64_t image() const { return height * width * channels; }
  // Calls body(window number, rows, columns) for the windows of one image.
  template <class Body>
  void ForEach(Body body) const {
    for (int64_t i = 0; i < rows; ++i) {
      const Range r = RangeOf(row_begins, i, overlapping, height);
      for (int64_t j = 0; j < columns; ++j)
        body(i * columns + j, r, RangeOf(column_begins, j, overlapping, width));
    }
  }
  template <class Body>
  void ForEachPixel(const Range& r, const Range& c, Body body) const {
    for (int64_t y = r.begin; y < r.end; ++y) {
      for (int64_t x = c.begin; x < c.end; ++x) body((y * width + x) * channels);
    }
  }
  // Images in parallel: windows of one may overlap.
  template <class Body>
  void ForEachImage(WorkerPool& workers, Body body) const {
    workers.ParallelFor(batch, 1.0 * static_cast<double>(image()), [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) body(n);
    });
  }
};

template <class T>
void MaxOfImage(const Windows& w, const T* x, T* y) {
  w.ForEach([&](int64_t window, const Range& r, const Range& c) {
    T* out = y + window * w.channels;
    std::fill_n(out, w.channels, std::numeric_limits<T>::lowest());
    w.ForEachPixel(r, c, [&](int64_t at) {
      for (int64_t k = 0; k < w.channels; ++k) out[k] = out[k] < x[at + k] ? x[at + k] : out[k];
    });
  });
}

template <class T>
void MeanOfImage(const Windows& w, const T* x, T* y) {
  w.ForEach([&](int64_t window, const Range& r, const Range& c) {
    T* out = y + window * w.channels;
    std::fill_n(out, w.channels, T(0));
    w.ForEachPixel(r, c, [&](int64_t at) {
      for (int64_t k = 0; k < w.channels; ++k) out[k] += x[at + k];
    });
    const T count = static_cast<T>(r.size() * c.size());
    for (int64_t k = 0; k < w.channels; ++k) out[k] /= count;
  });
}

class ForwardKernel final : public Kernel {
 public:
  ForwardKernel(const KernelInit& init, bool mean, std::shared_ptr<RandomGenerator> generator,
                std::shared_ptr<KeptWindows> kept)
      : attrs_(init.attrs()),
        mean_(mean),
        pseudo_random_(init.Attr<bool>("pseudo_random")),
        overlapping_(init.Attr<bool>("overlapping")),
        generator_(std::move(generator)),
        kept_(std::move(kept)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const PartialShape known, FractionalPoolShape(attrs_, x.shape()));
    const Shape shape = known.ToShape();
    Sequence rows, columns;
    ChooseWindows(x.shape(), shape, rows, columns);
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape));
    for (int i : {1, 2}) {
      const Sequence& sequence = i == 1 ? rows : columns;
      HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(i, {static_cast<int64_t>(sequence.size())}));
      std::copy(sequence.begin(), sequence.end(), out->data<int64_t>());
    }
    if (y->num_elements() == 0) return absl::OkStatus();
    const Windows w{x.dim(0), x.dim(1),    x.dim(2),       x.dim(3),    shape[1],
                    shape[2], rows.data(), columns.data(), overlapping_};
    DispatchDType<kTypes>(x.dtype(), [&]<class T>() {
      const int64_t size = w.rows * w.columns * w.channels;
      w.ForEachImage(ctx.workers(), [&](int64_t n) {
        const T* image = x.data<T>() + n * w.image();
        mean_ ? MeanOfImage(w, image, y->data<T>() + n * size)
              : MaxOfImage(w, image, y->data<T>() + n * size);
      });
    });
    return absl::OkStatus();
  }

 private:
  void ChooseWindows(const Shape& in, const Shape& out, Sequence& rows, Sequence& columns) {
    const auto choose = [&] {
      rows = MakeSequence(in[1], out[1], pseudo_random_, *generator_);
      columns = MakeSequence(in[2], out[2], pseudo_random_, *generator_);
    };
    if (kept_ == nullptr) return choose();
    std::lock_guard lock(kept_->mutex);
    const bool fit =
        !kept_->rows.empty() && kept_->rows.back() == in[1] && kept_->columns.back() == in[2];
    if (!fit) {  // the first run, or images of another size
      choose();
      kept_->rows = rows;
      kept_->columns = columns;
    }
    rows = kept_->rows;
    columns = kept_->columns;
  }

  const AttrMap attrs_;
  const bool mean_, pseudo_random_, overlapping_;
  const std::shared_ptr<RandomGenerator> generator_;
  const std::shared_ptr<KeptWindows> kept_;  // null: other windows in each run
};

Status CheckSequence(std::string_view name, const Tensor& sequence, int64_t windows, int64_t size) {
  if (sequence.rank() != 1 || sequence.dim(0) != windows + 1) {
    return InvalidArgument(name, " must have shape [", windows + 1, "], got ",
                           sequence.shape().ToString());
  }
  const int64_t* begins = sequence.data<int64_t>();
  for (int64_t i = 0; i < windows; ++i) {
    if (begins[i] < 0 || begins[i] >= begins[i + 1] || begins[i + 1] > size) {
      return InvalidArgument(name, " must rise within [0, ", size, "], got ", begins[i], " and ",
                             begins[i + 1]);
    }
  }
  return absl::OkStatus();
}

// To the first of the largest elements of each window.
template <class T>
void AddMaxGradient(const Windows& w, const T* x, const T* grad, T* out) {
  std::vector<T> best(static_cast<size_t>(w.channels));
  std::vector<int64_t> places(static_cast<size_t>(w.channels));
  w.ForEach([&](int64_t window, const Range& r, const Range& c) {
    const int64_t first = (r.begin * w.width + c.begin) * w.channels;
    for (int64_t k = 0; k < w.channels; ++k) {
      best[k] = x[first + k];
      places[k] = first;
    }
    w.ForEachPixel(r, c, [&](int64_t at) {
      for (int64_t k = 0; k < w.channels; ++k) {
        const bool larger = best[k] < x[at + k];
        best[k] = larger ? x[at + k] : best[k];
        places[k] = larger ? at : places[k];
      }
    });
    for (int64_t k = 0; k < w.channels; ++k) out[places[k] + k] += grad[window * w.channels + k];
  });
}

// Sums in float64, as integers too are cut only in the end.
template <class T>
void AddMeanGradient(const Windows& w, const T* grad, std::vector<double>& sums, T* out) {
  sums.assign(static_cast<size_t>(w.image()), 0.0);
  w.ForEach([&](int64_t window, const Range& r, const Range& c) {
    const double count = static_cast<double>(r.size() * c.size());
    w.ForEachPixel(r, c, [&](int64_t at) {
      for (int64_t k = 0; k < w.channels; ++k)
        sums[at + k] += static_cast<double>(grad[window * w.channels + k]) / count;
    });
  });
  for (int64_t i = 0; i < w.image(); ++i) out[i] = static_cast<T>(sums[i]);
}

// Inputs: original input and output (max), or the input's shape (mean); then the gradient and the
// sequences.
class GradKernel final : public Kernel {
 public:
  GradKernel(bool mean, bool overlapping) : mean_(mean), overlapping_(overlapping) {}
  Status Compute(KernelContext& ctx) override {
    const int first = mean_ ? 1 : 2;
    const Tensor &grad = ctx.input(first), &rows = ctx.input(first + 1),
                 &columns = ctx.input(first + 2);
    Shape input = ctx.input(0).shape();
    if (mean_) {
      HR_ASSIGN_OR_RETURN(input, ShapeFromTensor(ctx.input(0), "orig_input_tensor_shape"));
    }
    if (input.rank() != 4 || grad.rank() != 4 || grad.dim(0) != input[0] ||
        grad.dim(3) != input[3]) {
      return InvalidArgument("out_backprop of shape ", grad.shape().ToString(),
                             " does not belong to an input of shape ", input.ToString());
    }
    HR_RETURN_IF_ERROR(CheckSequence("row_pooling_sequence", rows, grad.dim(1), input[1]));
    HR_RETURN_IF_ERROR(CheckSequence("col_pooling_sequence", columns, grad.dim(2), input[2]));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, input));
    if (out->num_elements() == 0) return absl::OkStatus();
    std::memset(out->raw_data(), 0, out->size_bytes());
    const Windows w{input[0],
                    input[1],
                    input[2],
                    input[3],
                    grad.dim(1),
                    grad.dim(2),
                    rows.data<int64_t>(),
                    columns.data<int64_t>(),
                    overlapping_};
    const int64_t size = w.rows * w.columns * w.channels;
    DispatchDType<kTypes>(grad.dtype(), [&]<class T>() {
      w.ForEachImage(ctx.workers(), [&](int64_t n) {
        const T* g = grad.data<T>() + n * size;
        T* to = out->data<T>() + n * w.image();
        if (mean_) {
          std::vector<double> sums;
          AddMeanGradient(w, g, sums, to);
        } else {
          AddMaxGradient(w, ctx.input(0).data<T>() + n * w.image(), g, to);
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  const bool mean_, overlapping_;
};

StatusOr<std::unique_ptr<Kernel>> MakeForward(const KernelInit& init, bool mean) {
  HR_RETURN_IF_ERROR(FractionalPoolShape(init.attrs(), PartialShape()).status());
  HR_ASSIGN_OR_RETURN(std::shared_ptr<RandomGenerator> generator, RandomGenerator::Of(init));
  std::shared_ptr<KeptWindows> kept;
  if (!init.Attr<bool>("deterministic") &&
      (init.Attr<int64_t>("seed") != 0 || init.Attr<int64_t>("seed2") != 0)) {
    return InvalidArgument("Both seed and seed2 should be 0 if deterministic is false.");
  }
  if (init.Attr<bool>("deterministic")) {
    HR_ASSIGN_OR_RETURN(kept, init.resources().LookupOrCreate<KeptWindows>(
                                  "", StrCat("_windows/", init.node().name()),
                                  [] { return std::make_shared<KeptWindows>(); }));
  }
  return std::make_unique<ForwardKernel>(init, mean, std::move(generator), std::move(kept));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeFractionalMaxPoolCpu(const KernelInit& init) {
  return MakeForward(init, false);
}
StatusOr<std::unique_ptr<Kernel>> MakeFractionalAvgPoolCpu(const KernelInit& init) {
  return MakeForward(init, true);
}
StatusOr<std::unique_ptr<Kernel>> MakeFractionalMaxPoolGradCpu(const KernelInit& init) {
  return std::make_unique<GradKernel>(false, init.Attr<bool>("overlapping"));
}
StatusOr<std::unique_ptr<Kernel>> MakeFractionalAvgPoolGradCpu(const KernelInit& init) {
  return std::make_unique<GradKernel>(true, init.Attr<bool>("overlapping"));
}

}  // namespace headrace

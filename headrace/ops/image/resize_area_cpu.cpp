#include <algorithm>
#include <cmath>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/image/resize_geometry.h"
#include "headrace/ops/image/resize_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// The pixels that one new pixel covers: the first and the last of them in part.
struct Cover {
  int64_t begin, end;
  float first, last;  // how much of them is covered
};

float CoveredPart(int64_t pixel, float begin, float end, float scale) {
  const float p = static_cast<float>(pixel), next = static_cast<float>(pixel + 1);
  if (p < begin) return next > end ? scale : next - begin;
  return next > end ? end - p : 1.0f;
}

Cover CoverOf(const ResizeAxis& axis, int64_t i) {
  const float begin = static_cast<float>(i) * axis.scale;
  const float end = static_cast<float>(i + 1) * axis.scale;
  Cover cover{.begin = static_cast<int64_t>(std::floor(begin)),
              .end = static_cast<int64_t>(std::ceil(end))};
  cover.first = CoveredPart(cover.begin, begin, end, axis.scale);
  cover.last = CoveredPart(cover.end - 1, begin, end, axis.scale);
  return cover;
}

float PartAt(const Cover& cover, int64_t pixel) {
  if (pixel == cover.begin) return cover.first;
  return pixel + 1 == cover.end ? cover.last : 1.0f;
}

// Adds one row's share of a new pixel.
template <class T>
void AddRow(const ResizeGeometry& g, const Cover& x, const T* row, float part,
            std::vector<float>& row_sum, float* sum) {
  std::fill(row_sum.begin(), row_sum.end(), 0.0f);
  for (int64_t j = x.begin; j < x.end; ++j) {
    const T* pixel = row + g.x.Bounded(j) * g.channels;
    const float weight = PartAt(x, j);
    for (int64_t c = 0; c < g.channels; ++c)
      row_sum[static_cast<size_t>(c)] += static_cast<float>(pixel[c]) * weight;
  }
  for (int64_t c = 0; c < g.channels; ++c) sum[c] += row_sum[static_cast<size_t>(c)] * part;
}

template <class T>
void ResizeRow(const ResizeGeometry& g, const std::vector<Cover>& columns, int64_t row,
               const T* image, std::vector<float>& row_sum, float* out) {
  const Cover y = CoverOf(g.y, row);
  const float scale = static_cast<float>(1.0 / (g.y.scale * g.x.scale));
  for (const Cover& x : columns) {
    std::fill_n(out, g.channels, 0.0f);
    for (int64_t i = y.begin; i < y.end; ++i)
      AddRow(g, x, image + g.y.Bounded(i) * g.row(), PartAt(y, i), row_sum, out);
    for (int64_t c = 0; c < g.channels; ++c) out[c] *= scale;
    out += g.channels;
  }
}

class ResizeAreaKernel final : public Kernel {
 public:
  explicit ResizeAreaKernel(const ResizeAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& images = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const ResizeGeometry g,
                        ResizeGeometry::Of(attrs_, images.shape(), ctx.input(1)));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, g.resized()));
    std::vector<Cover> columns;
    for (int64_t x = 0; x < g.x.out; ++x) columns.push_back(CoverOf(g.x, x));
    // Every pixel of the image is read once, or every new one made.
    const double ns = 3.0 * static_cast<double>(g.row()) * std::max(1.0f, g.y.scale) +
                      3.0 * static_cast<double>(g.resized_row());
    DispatchDType<kCpuRealTypes>(images.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(g.batch * g.y.out, ns, [&](int64_t begin, int64_t end) {
        std::vector<float> row_sum(static_cast<size_t>(g.channels));
        for (int64_t i = begin; i < end; ++i) {
          ResizeRow(g, columns, i % g.y.out, images.data<T>() + i / g.y.out * g.image(), row_sum,
                    out->data<float>() + i * g.resized_row());
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  const ResizeAttrs attrs_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeResizeAreaCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ResizeAttrs::From(init.attrs()));
  return std::make_unique<ResizeAreaKernel>(attrs);
}

}  // namespace headrace

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/image/resize_geometry.h"
#include "headrace/ops/image/resize_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// Keys' kernel at steps of 1/1024: TensorFlow's results are those of such a table. Of a distance
// below 1 at [0], of one more at [1].
constexpr int kSteps = 1024;
using CubicTable = std::array<std::array<float, 2>, kSteps + 1>;

CubicTable MakeTable(double a) {
  CubicTable table;
  for (int i = 0; i <= kSteps; ++i) {
    const float x = static_cast<float>(i * 1.0 / kSteps);
    table[i][0] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
    const float x1 = static_cast<float>(x + 1.0);
    table[i][1] = static_cast<float>(((a * x1 - 5 * a) * x1 + 8 * a) * x1 - 4 * a);
  }
  return table;
}

const CubicTable& TableOf(const ResizeAttrs& attrs) {
  static const CubicTable keys = MakeTable(-0.5), sharp = MakeTable(-0.75);
  return attrs.half_pixel_centers ? keys : sharp;
}

struct Cubic {
  std::array<int64_t, 4> at;
  std::array<float, 4> weight;
};

// Pixels beyond the border count as those at it; with half_pixel_centers they do not count, and the
// others make up for them.
Cubic CubicOf(const ResizeAxis& axis, int64_t i) {
  const CubicTable& table = TableOf(axis.attrs);
  const float position = axis.At(i), floor = std::floor(position);
  const int64_t first = static_cast<int64_t>(floor) - 1;
  const int64_t step = std::lrint((position - floor) * kSteps);
  Cubic cubic{
      .weight = {table[step][1], table[step][0], table[kSteps - step][0], table[kSteps - step][1]}};
  for (int k = 0; k < 4; ++k) {
    cubic.at[k] = axis.Bounded(first + k);
    if (axis.attrs.half_pixel_centers && cubic.at[k] != first + k) cubic.weight[k] = 0;
  }
  if (!axis.attrs.half_pixel_centers) return cubic;
  const float sum = cubic.weight[0] + cubic.weight[1] + cubic.weight[2] + cubic.weight[3];
  if (std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min()) {
    const float inverse = 1.0f / sum;
    for (float& weight : cubic.weight) weight *= inverse;
  }
  return cubic;
}

std::vector<Cubic> AllCubic(const ResizeAxis& axis, int64_t stride) {
  std::vector<Cubic> all(static_cast<size_t>(axis.out));
  for (int64_t i = 0; i < axis.out; ++i) {
    Cubic& cubic = all[static_cast<size_t>(i)] = CubicOf(axis, i);
    for (int64_t& at : cubic.at) at *= stride;
  }
  return all;
}

inline float Sum(const std::array<float, 4>& weight, float a, float b, float c, float d) {
  return a * weight[0] + b * weight[1] + c * weight[2] + d * weight[3];
}

// Down the columns first, then along the row.
template <class T>
void ResizeRow(const ResizeGeometry& g, const Cubic& y, const std::vector<Cubic>& columns,
               const T* image, std::vector<float>& scratch, float* out) {
  const T *r0 = image + y.at[0] * g.row(), *r1 = image + y.at[1] * g.row(),
          *r2 = image + y.at[2] * g.row(), *r3 = image + y.at[3] * g.row();
  for (int64_t i = 0; i < g.row(); ++i) {
    scratch[static_cast<size_t>(i)] =
        Sum(y.weight, static_cast<float>(r0[i]), static_cast<float>(r1[i]),
            static_cast<float>(r2[i]), static_cast<float>(r3[i]));
  }
  for (const Cubic& x : columns) {
    const float* row = scratch.data();
    for (int64_t c = 0; c < g.channels; ++c) {
      *out++ =
          Sum(x.weight, row[x.at[0] + c], row[x.at[1] + c], row[x.at[2] + c], row[x.at[3] + c]);
    }
  }
}

class ResizeBicubicKernel final : public Kernel {
 public:
  explicit ResizeBicubicKernel(const ResizeAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& images = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const ResizeGeometry g,
                        ResizeGeometry::Of(attrs_, images.shape(), ctx.input(1)));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, g.resized()));
    const std::vector<Cubic> columns = AllCubic(g.x, g.channels);
    const double ns = 2.0 * static_cast<double>(g.row() + g.resized_row());
    DispatchDType<kCpuRealTypes>(images.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(g.batch * g.y.out, ns, [&](int64_t begin, int64_t end) {
        std::vector<float> scratch(static_cast<size_t>(g.row()));
        for (int64_t i = begin; i < end; ++i) {
          ResizeRow(g, CubicOf(g.y, i % g.y.out), columns,
                    images.data<T>() + i / g.y.out * g.image(), scratch,
                    out->data<float>() + i * g.resized_row());
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  const ResizeAttrs attrs_;
};

template <class T>
void AddImageGradient(const ResizeGeometry& g, const std::vector<Cubic>& columns,
                      const float* grads, T* out) {
  for (int64_t row = 0; row < g.y.out; ++row) {
    const Cubic y = CubicOf(g.y, row);
    for (const Cubic& x : columns) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
          T* to = out + y.at[i] * g.row() + x.at[j];
          for (int64_t c = 0; c < g.channels; ++c)
            to[c] += static_cast<T>(grads[c] * y.weight[i] * x.weight[j]);
        }
      }
      grads += g.channels;
    }
  }
}

class ResizeBicubicGradKernel final : public Kernel {
 public:
  explicit ResizeBicubicGradKernel(const ResizeAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor &grads = ctx.input(0), &images = ctx.input(1);
    HR_ASSIGN_OR_RETURN(const ResizeGeometry g,
                        ResizeGeometry::Between(attrs_, images.shape(), grads.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, g.images()));
    std::memset(out->raw_data(), 0, out->size_bytes());
    const std::vector<Cubic> columns = AllCubic(g.x, g.channels);
    const int64_t resized = g.y.out * g.resized_row();
    DispatchDType<kFloat32And64>(out->dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(g.batch, 12.0 * static_cast<double>(resized),
                                [&](int64_t begin, int64_t end) {
                                  for (int64_t n = begin; n < end; ++n)
                                    AddImageGradient(g, columns, grads.data<float>() + n * resized,
                                                     out->data<T>() + n * g.image());
                                });
    });
    return absl::OkStatus();
  }

 private:
  const ResizeAttrs attrs_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeResizeBicubicCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ResizeAttrs::From(init.attrs()));
  return std::make_unique<ResizeBicubicKernel>(attrs);
}
StatusOr<std::unique_ptr<Kernel>> MakeResizeBicubicGradCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ResizeAttrs::From(init.attrs()));
  return std::make_unique<ResizeBicubicGradKernel>(attrs);
}

}  // namespace headrace

#include <cstring>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/image/resize_geometry.h"
#include "headrace/ops/image/resize_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

std::vector<int64_t> NearestColumns(const ResizeGeometry& g) {
  std::vector<int64_t> columns(static_cast<size_t>(g.x.out));
  for (int64_t i = 0; i < g.x.out; ++i)
    columns[static_cast<size_t>(i)] = g.x.NearestTo(i) * g.channels;
  return columns;
}

class ResizeNearestKernel final : public Kernel {
 public:
  explicit ResizeNearestKernel(const ResizeAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& images = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const ResizeGeometry g,
                        ResizeGeometry::Of(attrs_, images.shape(), ctx.input(1)));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, g.resized()));
    const std::vector<int64_t> columns = NearestColumns(g);
    const double ns = 1.0 * static_cast<double>(g.resized_row());
    DispatchDType<kCpuRealTypes>(images.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(g.batch * g.y.out, ns, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T* row =
              images.data<T>() + i / g.y.out * g.image() + g.y.NearestTo(i % g.y.out) * g.row();
          T* to = out->data<T>() + i * g.resized_row();
          for (const int64_t column : columns) {
            for (int64_t c = 0; c < g.channels; ++c) *to++ = row[column + c];
          }
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  const ResizeAttrs attrs_;
};

// Each pixel of `grads`, which has the size that the images were resized to, goes to the pixel that
// it was copied from.
class ResizeNearestGradKernel final : public Kernel {
 public:
  explicit ResizeNearestGradKernel(const ResizeAttrs& attrs) : attrs_(attrs) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& grads = ctx.input(0);
    // Checks both; from its turned-round geometry only the sizes are of use.
    HR_ASSIGN_OR_RETURN(const ResizeGeometry turned,
                        ResizeGeometry::Of(attrs_, grads.shape(), ctx.input(1)));
    HR_ASSIGN_OR_RETURN(const ResizeGeometry g,
                        ResizeGeometry::Between(attrs_, turned.resized(), grads.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, g.images()));
    std::memset(out->raw_data(), 0, out->size_bytes());
    const std::vector<int64_t> columns = NearestColumns(g);
    const int64_t resized = g.y.out * g.resized_row();
    DispatchDType<kCpuRealTypes>(grads.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(
          g.batch, 1.5 * static_cast<double>(resized), [&](int64_t begin, int64_t end) {
            for (int64_t n = begin; n < end; ++n)
              AddImage(g, columns, grads.data<T>() + n * resized, out->data<T>() + n * g.image());
          });
    });
    return absl::OkStatus();
  }

 private:
  template <class T>
  static void AddImage(const ResizeGeometry& g, const std::vector<int64_t>& columns, const T* grads,
                       T* out) {
    for (int64_t y = 0; y < g.y.out; ++y) {
      T* row = out + g.y.NearestTo(y) * g.row();
      for (const int64_t column : columns) {
        for (int64_t c = 0; c < g.channels; ++c)
          row[column + c] = static_cast<T>(row[column + c] + *grads++);
      }
    }
  }
  const ResizeAttrs attrs_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeResizeNearestNeighborCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ResizeAttrs::From(init.attrs()));
  return std::make_unique<ResizeNearestKernel>(attrs);
}
StatusOr<std::unique_ptr<Kernel>> MakeResizeNearestNeighborGradCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ResizeAttrs::From(init.attrs()));
  return std::make_unique<ResizeNearestGradKernel>(attrs);
}

}  // namespace headrace

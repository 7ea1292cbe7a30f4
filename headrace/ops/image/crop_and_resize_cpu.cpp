#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/image/crop_and_resize_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// Rows (or columns) of one crop in their image.
struct CropAxis {
  CropAxis(float begin, float end, int64_t image, int64_t crop)
      : begin(begin), end(end), last(static_cast<float>(image - 1)), many(crop > 1) {
    if (many) step = (end - begin) * last / static_cast<float>(crop - 1);
  }
  float At(int64_t i) const {
    return many ? begin * last + static_cast<float>(i) * step
                : static_cast<float>(0.5 * (begin + end) * last);
  }
  // False for what is no number, too.
  bool Holds(float at) const { return at >= 0 && at <= last; }

  float begin, end, last;
  bool many;
  float step = 0;
};

// Neighbours of a place within an image.
struct Neighbours {
  explicit Neighbours(float at)
      : lower(static_cast<int64_t>(std::floor(at))),
        upper(static_cast<int64_t>(std::ceil(at))),
        nearest(static_cast<int64_t>(std::round(at))),
        weight(at - static_cast<float>(lower)) {}
  int64_t lower, upper, nearest;
  float weight;  // of the upper one
};

struct CropCall {
  int64_t batch, height, width, channels;
  int64_t boxes, rows, columns;  // of the crops
  const float* box;              // [boxes, 4]
  const int32_t* image_of;       // [boxes]

  int64_t row() const { return width * channels; }
  int64_t image() const { return height * row(); }
  int64_t crop() const { return rows * columns * channels; }
  CropAxis Y(int64_t b) const { return {box[4 * b], box[4 * b + 2], height, rows}; }
  CropAxis X(int64_t b) const { return {box[4 * b + 1], box[4 * b + 3], width, columns}; }
};

Status CheckBoxes(const CropCall& call, const Tensor& boxes, const Tensor& indices) {
  if (boxes.shape().rank() != 2 || boxes.shape()[1] != 4) {
    return InvalidArgument("boxes must be 2-D with 4 columns, got shape ",
                           boxes.shape().ToString());
  }
  if (indices.shape() != Shape{boxes.shape()[0]}) {
    return InvalidArgument("box_ind must have shape [", boxes.shape()[0], "], got ",
                           indices.shape().ToString());
  }
  if (call.height <= 0 || call.width <= 0) {
    return InvalidArgument("image dimensions must be positive, got ", call.height, " x ",
                           call.width);
  }
  if (call.rows <= 0 || call.columns <= 0) {
    return InvalidArgument("crop dimensions must be positive, got ", call.rows, " x ",
                           call.columns);
  }
  for (int64_t b = 0; b < call.boxes; ++b) {
    if (call.image_of[b] < 0 || call.image_of[b] >= call.batch) {
      return OutOfRange("box_index has values outside [0, batch_size): ", call.image_of[b],
                        " of box ", b, " with ", call.batch, " images");
    }
  }
  return absl::OkStatus();
}

StatusOr<CropCall> CallOf(const Shape& images, const Shape& crops, const Tensor& boxes,
                          const Tensor& indices) {
  if (images.rank() != 4)
    return InvalidArgument("input image must be 4-D, got shape ", images.ToString());
  if (crops.rank() != 4)
    return InvalidArgument("grads image must be 4-D, got shape ", crops.ToString());
  if (crops[3] != images[3]) {
    return InvalidArgument("image_size and grads are incompatible: ", images[3], " and ", crops[3],
                           " channels");
  }
  const CropCall call{.batch = images[0],
                      .height = images[1],
                      .width = images[2],
                      .channels = images[3],
                      .boxes = crops[0],
                      .rows = crops[1],
                      .columns = crops[2],
                      .box = boxes.data<float>(),
                      .image_of = indices.data<int32_t>()};
  if (boxes.shape().rank() > 0 && boxes.shape()[0] != crops[0]) {
    return InvalidArgument("boxes and grads have incompatible shape: ", boxes.shape()[0], " and ",
                           crops[0], " boxes");
  }
  HR_RETURN_IF_ERROR(CheckBoxes(call, boxes, indices));
  return call;
}

template <class T>
void CropBox(const CropCall& s, int64_t b, bool nearest, float outside, const T* images,
             float* out) {
  const T* image = images + s.image_of[b] * s.image();
  const CropAxis rows = s.Y(b), columns = s.X(b);
  for (int64_t i = 0; i < s.rows; ++i) {
    const float y = rows.At(i);
    for (int64_t j = 0; j < s.columns; ++j, out += s.channels) {
      const float x = columns.At(j);
      if (!rows.Holds(y) || !columns.Holds(x)) {
        std::fill_n(out, s.channels, outside);
        continue;
      }
      const Neighbours v(y), h(x);
      const auto at = [&](int64_t row, int64_t column, int64_t c) {
        return static_cast<float>(image[row * s.row() + column * s.channels + c]);
      };
      for (int64_t c = 0; c < s.channels; ++c) {
        if (nearest) {
          out[c] = at(v.nearest, h.nearest, c);
          continue;
        }
        const float tl = at(v.lower, h.lower, c), bl = at(v.upper, h.lower, c);
        const float top = tl + (at(v.lower, h.upper, c) - tl) * h.weight;
        const float bottom = bl + (at(v.upper, h.upper, c) - bl) * h.weight;
        out[c] = top + (bottom - top) * v.weight;
      }
    }
  }
}

class CropAndResizeKernel final : public Kernel {
 public:
  explicit CropAndResizeKernel(const KernelInit& init)
      : nearest_(init.Attr<std::string>("method") == "nearest"),
        outside_(init.Attr<float>("extrapolation_value")) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor &images = ctx.input(0), &boxes = ctx.input(1), &size = ctx.input(3);
    if (images.shape().rank() != 4) {
      return InvalidArgument("input image must be 4-D, got shape ", images.shape().ToString());
    }
    if (size.shape() != Shape{2}) {
      return InvalidArgument("crop_size must have two elements, got shape ",
                             size.shape().ToString());
    }
    const int64_t count = boxes.shape().rank() == 0 ? 0 : boxes.shape()[0];
    HR_ASSIGN_OR_RETURN(const Shape crops,
                        Shape::Make(std::array<int64_t, 4>{count, IntAt(size, 0), IntAt(size, 1),
                                                           images.shape()[3]}));
    HR_ASSIGN_OR_RETURN(const CropCall s, CallOf(images.shape(), crops, boxes, ctx.input(2)));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, crops));
    DispatchDType<kCpuRealTypes>(images.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(s.boxes, 4.0 * static_cast<double>(s.crop()),
                                [&](int64_t begin, int64_t end) {
                                  for (int64_t b = begin; b < end; ++b) {
                                    CropBox(s, b, nearest_, outside_, images.data<T>(),
                                            out->data<float>() + b * s.crop());
                                  }
                                });
    });
    return absl::OkStatus();
  }

 private:
  const bool nearest_;
  const float outside_;
};

// Calls body(gradients of a pixel's channels, i, j, rows, columns) for the pixels of a crop that lie
// in the image.
template <class Body>
void ForEachInside(const CropCall& s, int64_t b, const float* grads, Body body) {
  const CropAxis rows = s.Y(b), columns = s.X(b);
  for (int64_t i = 0; i < s.rows; ++i) {
    const float y = rows.At(i);
    if (!rows.Holds(y)) continue;
    const Neighbours v(y);
    for (int64_t j = 0; j < s.columns; ++j) {
      const float x = columns.At(j);
      if (columns.Holds(x))
        body(grads + b * s.crop() + (i * s.columns + j) * s.channels, i, j, v, Neighbours(x));
    }
  }
}

template <class T>
void AddToImage(const CropCall& s, int64_t b, bool nearest, const float* grads, T* images) {
  T* image = images + s.image_of[b] * s.image();
  ForEachInside(s, b, grads,
                [&](const float* grad, int64_t, int64_t, const Neighbours& v, const Neighbours& h) {
                  const auto add = [&](int64_t row, int64_t column, int64_t c, float value) {
                    image[row * s.row() + column * s.channels + c] += static_cast<T>(value);
                  };
                  for (int64_t c = 0; c < s.channels; ++c) {
                    if (nearest) {
                      add(v.nearest, h.nearest, c, grad[c]);
                      continue;
                    }
                    const float top = (1 - v.weight) * grad[c], bottom = v.weight * grad[c];
                    add(v.lower, h.lower, c, (1 - h.weight) * top);
                    add(v.lower, h.upper, c, h.weight * top);
                    add(v.upper, h.lower, c, (1 - h.weight) * bottom);
                    add(v.upper, h.upper, c, h.weight * bottom);
                  }
                });
}

class GradImageKernel final : public Kernel {
 public:
  explicit GradImageKernel(const KernelInit& init)
      : nearest_(init.Attr<std::string>("method") == "nearest") {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& grads = ctx.input(0);
    HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(3), "image_size"));
    HR_ASSIGN_OR_RETURN(const CropCall s, CallOf(shape, grads.shape(), ctx.input(1), ctx.input(2)));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    std::memset(out->raw_data(), 0, out->size_bytes());
    // Boxes of one image overlap: images are shared out, not boxes.
    DispatchDType<kIeeeFloats>(out->dtype(), [&]<class T>() {
      const double ns = 6.0 * static_cast<double>(s.crop() * s.boxes) /
                        static_cast<double>(std::max<int64_t>(s.batch, 1));
      ctx.workers().ParallelFor(s.batch, ns, [&](int64_t begin, int64_t end) {
        for (int64_t b = 0; b < s.boxes; ++b) {
          if (s.image_of[b] >= begin && s.image_of[b] < end)
            AddToImage(s, b, nearest_, grads.data<float>(), out->data<T>());
        }
      });
    });
    return absl::OkStatus();
  }

 private:
  const bool nearest_;
};

// How one pixel of a crop moves with the two ends of its axis, times `grad` of its place.
void AddToEnds(const CropAxis& axis, int64_t i, int64_t crop, float grad, float* begin,
               float* end) {
  if (!axis.many) {
    *begin += static_cast<float>(grad * 0.5 * axis.last);
    *end += static_cast<float>(grad * 0.5 * axis.last);
    return;
  }
  const float at = static_cast<float>(i) * (axis.last / static_cast<float>(crop - 1));
  *begin += grad * (axis.last - at);
  *end += grad * at;
}

template <class T>
void AddToBox(const CropCall& s, int64_t b, const float* grads, const T* images, float* out) {
  const T* image = images + s.image_of[b] * s.image();
  const CropAxis rows = s.Y(b), columns = s.X(b);
  ForEachInside(
      s, b, grads,
      [&](const float* grad, int64_t i, int64_t j, const Neighbours& v, const Neighbours& h) {
        const auto at = [&](int64_t row, int64_t column, int64_t c) {
          return static_cast<float>(image[row * s.row() + column * s.channels + c]);
        };
        for (int64_t c = 0; c < s.channels; ++c) {
          const float tl = at(v.lower, h.lower, c), tr = at(v.lower, h.upper, c),
                      bl = at(v.upper, h.lower, c), br = at(v.upper, h.upper, c);
          const float down = (1 - h.weight) * (bl - tl) + h.weight * (br - tr);
          const float right = (1 - v.weight) * (tr - tl) + v.weight * (br - bl);
          AddToEnds(rows, i, s.rows, down * grad[c], &out[0], &out[2]);
          AddToEnds(columns, j, s.columns, right * grad[c], &out[1], &out[3]);
        }
      });
}

Status ComputeGradBoxes(KernelContext& ctx) {
  const Tensor &grads = ctx.input(0), &images = ctx.input(1);
  HR_ASSIGN_OR_RETURN(const CropCall s,
                      CallOf(images.shape(), grads.shape(), ctx.input(2), ctx.input(3)));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {s.boxes, 4}));
  std::memset(out->raw_data(), 0, out->size_bytes());
  DispatchDType<kCpuRealTypes>(images.dtype(), [&]<class T>() {
    ctx.workers().ParallelFor(
        s.boxes, 6.0 * static_cast<double>(s.crop()), [&](int64_t begin, int64_t end) {
          for (int64_t b = begin; b < end; ++b)
            AddToBox(s, b, grads.data<float>(), images.data<T>(), out->data<float>() + 4 * b);
        });
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCropAndResizeCpu(const KernelInit& init) {
  return std::make_unique<CropAndResizeKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeCropAndResizeGradImageCpu(const KernelInit& init) {
  return std::make_unique<GradImageKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeCropAndResizeGradBoxesCpu(const KernelInit& init) {
  return MakeFunctionKernel<ComputeGradBoxes>(init);
}

}  // namespace headrace

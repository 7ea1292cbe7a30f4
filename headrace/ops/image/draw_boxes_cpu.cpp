#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/image/draw_boxes_kernels.h"

namespace headrace {
namespace {

using Color = std::array<float, 4>;

// Yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia.
constexpr Color kColors[] = {
    {1, 1, 0, 1},       {0, 0, 1, 1},    {1, 0, 0, 1},    {0, 1, 0, 1}, {0.5f, 0, 0.5f, 1},
    {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};

StatusOr<std::vector<Color>> ColorsOf(KernelContext& ctx, int64_t channels) {
  std::vector<Color> colors(std::begin(kColors), std::end(kColors));
  if (channels == 1) {
    for (Color& color : colors) color[0] = 1;  // all white
  }
  if (ctx.num_inputs() < 3) return colors;
  const Tensor& given = ctx.input(2);
  if (given.shape().rank() != 2 || given.shape()[1] < channels) {
    return InvalidArgument("colors must be a matrix of at least ", channels, " columns, got shape ",
                           given.shape().ToString());
  }
  if (given.num_elements() == 0) return colors;
  const int64_t width = given.shape()[1];
  colors.assign(static_cast<size_t>(given.shape()[0]), Color{});
  for (size_t i = 0; i < colors.size(); ++i) {
    const float* row = given.data<float>() + static_cast<int64_t>(i) * width;
    std::copy_n(row, std::min<int64_t>(width, 4), colors[i].begin());
  }
  return colors;
}

// The first and last row (or column) of a box; a side may lie outside.
struct Side {
  // Far outside is far enough at twice the size; what is no number is an inverted side.
  Side(float begin, float end, int64_t size) : size(size) {
    if (std::isnan(begin) || std::isnan(end)) return;
    const float bound = 2 * static_cast<float>(size) + 2;
    const auto at = [&](float x) {
      const float pixel = size > 1 ? x * static_cast<float>(size - 1) : 0.0f;
      return static_cast<int64_t>(std::clamp(pixel, -bound, bound));
    };
    first = at(begin);
    last = at(end);
  }
  bool IsSeen() const { return first <= last && first < size && last >= 0; }
  int64_t begin() const { return std::max<int64_t>(first, 0); }
  int64_t end() const { return std::min(last, size - 1) + 1; }

  int64_t size, first = 0, last = -1;
};

template <class T>
struct Canvas {
  T* pixels;
  int64_t width, channels;
  const Color* color;

  void Draw(int64_t row, int64_t column) {
    T* pixel = pixels + (row * width + column) * channels;
    for (int64_t c = 0; c < channels; ++c) pixel[c] = T((*color)[static_cast<size_t>(c)]);
  }
};

template <class T>
void DrawBox(const Side& y, const Side& x, Canvas<T> canvas) {
  if (!y.IsSeen() || !x.IsSeen()) return;
  for (int64_t column = x.begin(); column < x.end(); ++column) {
    if (y.first >= 0) canvas.Draw(y.first, column);
    if (y.last < y.size) canvas.Draw(y.last, column);
  }
  for (int64_t row = y.begin(); row < y.end(); ++row) {
    if (x.first >= 0) canvas.Draw(row, x.first);
    if (x.last < x.size) canvas.Draw(row, x.last);
  }
}

Status CheckShapes(const Shape& images, const Shape& boxes) {
  if (images.rank() != 4) {
    return InvalidArgument("The rank of the images should be 4, got shape ", images.ToString());
  }
  if (boxes.rank() != 3 || boxes[2] != 4) {
    return InvalidArgument("boxes must have shape [batch, boxes, 4], got ", boxes.ToString());
  }
  if (images[0] != boxes[0]) {
    return InvalidArgument("The batch sizes should be the same, got ", images[0], " and ",
                           boxes[0]);
  }
  if (images[3] != 1 && images[3] != 3 && images[3] != 4) {
    return InvalidArgument("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got ",
                           images[3]);
  }
  return absl::OkStatus();
}

template <class T>
Status Draw(KernelContext& ctx) {
  const Tensor &images = ctx.input(0), &boxes = ctx.input(1);
  const Shape& shape = images.shape();
  HR_RETURN_IF_ERROR(CheckShapes(shape, boxes.shape()));
  HR_ASSIGN_OR_RETURN(const std::vector<Color> colors, ColorsOf(ctx, shape[3]));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  if (out->num_elements() == 0) return absl::OkStatus();
  if (out->raw_data() != images.raw_data())
    std::memcpy(out->raw_data(), images.raw_data(), images.size_bytes());
  const int64_t count = boxes.shape()[1], image = shape.Product(1, 4);
  for (int64_t i = 0; i < shape[0] * count; ++i) {
    const float* box = boxes.data<float>() + 4 * i;
    DrawBox(Side(box[0], box[2], shape[1]), Side(box[1], box[3], shape[2]),
            Canvas<T>{.pixels = out->data<T>() + i / count * image,
                      .width = shape[2],
                      .channels = shape[3],
                      .color = &colors[static_cast<size_t>(i % count) % colors.size()]});
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDrawBoundingBoxesCpu(const KernelInit& init) {
  if (init.input_type(0) == DType::kFloat16) return MakeFunctionKernel<Draw<Half>>(init);
  return MakeFunctionKernel<Draw<float>>(init);
}

}  // namespace headrace

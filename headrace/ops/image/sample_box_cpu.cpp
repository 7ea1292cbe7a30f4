#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/image/sample_box_kernels.h"
#include "headrace/ops/random/generator.h"
#include "headrace/ops/random/uniform_below.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes{DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};

struct Box {  // in pixels; ends are outside
  int64_t top = 0, left = 0, bottom = 0, right = 0;

  float Area() const { return static_cast<float>((bottom - top) * (right - left)); }
  float AreaWith(const Box& other) const {
    const int64_t height = std::min(bottom, other.bottom) - std::max(top, other.top);
    const int64_t width = std::min(right, other.right) - std::max(left, other.left);
    return height < 0 || width < 0 ? 0.0f : static_cast<float>(height * width);
  }
};

struct Limits {
  float min_aspect, max_aspect, min_area, max_area;
  int64_t attempts;
  bool image_if_no_boxes;

  static StatusOr<Limits> From(const AttrMap& attrs) {
    const auto aspect = attrs.Get<AttrValue::Floats>("aspect_ratio_range");
    const auto area = attrs.Get<AttrValue::Floats>("area_range");
    if (aspect.size() != 2 || !(aspect[0] > 0) || !(aspect[1] > 0)) {
      return InvalidArgument("Aspect ratio range must be two positive numbers, got [",
                             StrJoin(aspect, ", "), "]");
    }
    if (area.size() != 2 || !(area[0] > 0 && area[0] <= 1) || !(area[1] > 0 && area[1] <= 1)) {
      return InvalidArgument("Area range must be two numbers in (0, 1], got [", StrJoin(area, ", "),
                             "]");
    }
    const Limits limits{.min_aspect = aspect[0],
                        .max_aspect = aspect[1],
                        .min_area = area[0],
                        .max_area = area[1],
                        .attempts = attrs.Get<int64_t>("max_attempts"),
                        .image_if_no_boxes = attrs.Get<bool>("use_image_if_no_bounding_boxes")};
    if (limits.attempts <= 0 || limits.attempts > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("Max attempts must be positive, got ", limits.attempts);
    }
    return limits;
  }
};

// Draws boxes of an image. The order of draws and of float32 operations is TensorFlow's, whose boxes
// these are.
class BoxSampler {
 public:
  BoxSampler(int64_t height, int64_t width, const Limits& limits, const Philox& generator)
      : height_(height), width_(width), limits_(limits), words_(generator) {}

  // False if the numbers drawn make no box.
  bool Draw(Box& box) {
    const float aspect = UniformFloat(words_.Next()) * (limits_.max_aspect - limits_.min_aspect) +
                         limits_.min_aspect;
    if (height_ <= 0 || width_ <= 0 || limits_.min_area > limits_.max_area) return false;
    int64_t height = 0, width = 0;
    if (!DrawSize(aspect, height, width)) return false;
    box.top = height < height_ ? Below(height_ - height) : 0;
    box.left = width < width_ ? Below(width_ - width) : 0;
    box.bottom = box.top + height;
    box.right = box.left + width;
    return true;
  }

 private:
  int64_t Below(int64_t n) {
    return UniformBelow(static_cast<uint32_t>(n), [&] { return words_.Next(); });
  }
  static int64_t Rounded(float x) { return std::lrint(x); }
  static int64_t WidthOf(int64_t height, float aspect) {
    return Rounded(static_cast<float>(height) * aspect);
  }

  bool DrawSize(float aspect, int64_t& height, int64_t& width) {
    const float image_height = static_cast<float>(height_),
                image_width = static_cast<float>(width_);
    const float min_area = limits_.min_area * image_width * image_height;
    const float max_area = limits_.max_area * image_width * image_height;
    int64_t least = Rounded(std::sqrt(min_area / aspect));
    int64_t most = Rounded(std::sqrt(max_area / aspect));
    if (WidthOf(most, aspect) > width_) {
      constexpr float kLittle = 0.0000001f;
      const double widest = (static_cast<double>(width_) + 0.5 - kLittle) / aspect;
      most = static_cast<int64_t>(std::min(widest, static_cast<double>(height_)));
    }
    most = std::min(most, height_);
    least = std::min(least, most);
    height = least < most ? least + Below(most - least + 1) : least;
    width = WidthOf(height, aspect);
    // Rounding may miss the areas by a little: a larger one, then a smaller one.
    const auto area = [&] { return static_cast<float>(width * height); };
    if (area() < min_area) width = WidthOf(++height, aspect);
    if (area() > max_area) width = WidthOf(--height, aspect);
    return area() >= min_area && area() <= max_area && width <= width_ && height <= height_ &&
           width > 0 && height > 0;
  }

  const int64_t height_, width_;
  const Limits& limits_;
  PhiloxWords words_;
};

bool CoversEnough(const Box& crop, float least, const std::vector<Box>& objects) {
  constexpr float kOnePixel = 1;
  if (crop.Area() < kOnePixel) return false;
  return std::ranges::any_of(objects, [&](const Box& object) {
    return object.Area() >= kOnePixel && crop.AreaWith(object) / object.Area() >= least;
  });
}

StatusOr<std::vector<Box>> ObjectsOf(const Tensor& boxes, int64_t height, int64_t width,
                                     bool image_if_none) {
  if (boxes.shape().rank() != 3 || boxes.shape()[2] != 4) {
    return InvalidArgument("input boxes must be 3-dimensional [batch, num_boxes, 4], got shape ",
                           boxes.shape().ToString());
  }
  std::vector<Box> objects;
  const float h = static_cast<float>(height), w = static_cast<float>(width);
  for (int64_t i = 0; i < boxes.num_elements() / 4; ++i) {
    const float* box = boxes.data<float>() + 4 * i;
    for (int k = 0; k < 4; ++k) {
      if (!(box[k] >= 0 && box[k] <= 1)) {
        return InvalidArgument("All bounding box coordinates must be in [0.0, 1.0]: ", box[k]);
      }
    }
    objects.push_back({.top = static_cast<int64_t>(box[0] * h),
                       .left = static_cast<int64_t>(box[1] * w),
                       .bottom = static_cast<int64_t>(box[2] * h),
                       .right = static_cast<int64_t>(box[3] * w)});
  }
  if (objects.empty()) {
    if (!image_if_none) {
      return InvalidArgument(
          "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if "
          "you wish to not provide any bounding boxes.");
    }
    objects.push_back({.bottom = height, .right = width});
  }
  return objects;
}

class SampleBoxKernel final : public Kernel {
 public:
  SampleBoxKernel(const Limits& limits, float min_covered,
                  std::shared_ptr<RandomGenerator> generator)
      : limits_(limits), min_covered_(min_covered), generator_(std::move(generator)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& image = ctx.input(0);
    if (image.shape() != Shape{3}) {
      return InvalidArgument("image_size must contain 3 elements, got shape ",
                             image.shape().ToString());
    }
    int64_t height = 0, width = 0;
    DispatchDType<kTypes>(image.dtype(), [&]<class T>() {
      height = static_cast<int64_t>(image.data<T>()[0]);
      width = static_cast<int64_t>(image.data<T>()[1]);
    });
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (height < 0 || height >= kMost || width < 0 || width >= kMost) {
      return InvalidArgument("image height and width must be in [0, ", kMost, "), got ", height,
                             " x ", width);
    }
    HR_ASSIGN_OR_RETURN(const float least, MinCovered(ctx));
    HR_ASSIGN_OR_RETURN(const std::vector<Box> objects,
                        ObjectsOf(ctx.input(1), height, width, limits_.image_if_no_boxes));
    return Store(ctx, Sample(height, width, least, objects), height, width);
  }

 private:
  StatusOr<float> MinCovered(KernelContext& ctx) const {
    float least = min_covered_;
    if (ctx.num_inputs() == 3) {
      if (!ctx.input(2).shape().is_scalar()) {
        return InvalidArgument("min_object_covered must be 0-D, got shape ",
                               ctx.input(2).shape().ToString());
      }
      least = ctx.input(2).data<float>()[0];
    }
    if (!(least >= 0)) return InvalidArgument("Min object covered must be non-negative: ", least);
    return least;
  }

  Box Sample(int64_t height, int64_t width, float least, const std::vector<Box>& objects) const {
    BoxSampler sampler(height, width, limits_,
                       generator_->Reserve(static_cast<uint64_t>(limits_.attempts)));
    Box box;
    for (int64_t i = 0; i < limits_.attempts; ++i) {
      if (sampler.Draw(box) && CoversEnough(box, least, objects)) return box;
    }
    return {.bottom = height, .right = width};
  }

  static Status Store(KernelContext& ctx, const Box& box, int64_t height, int64_t width) {
    HR_ASSIGN_OR_RETURN(Tensor * begin, ctx.Output(0, {3}));
    HR_ASSIGN_OR_RETURN(Tensor * size, ctx.Output(1, {3}));
    HR_ASSIGN_OR_RETURN(Tensor * boxes, ctx.Output(2, {1, 1, 4}));
    DispatchDType<kTypes>(begin->dtype(), [&]<class T>() {
      T *from = begin->data<T>(), *extent = size->data<T>();
      from[0] = static_cast<T>(box.top), from[1] = static_cast<T>(box.left), from[2] = T(0);
      extent[0] = static_cast<T>(box.bottom - box.top);
      extent[1] = static_cast<T>(box.right - box.left);
      extent[2] = static_cast<T>(-1);  // all channels
    });
    const float h = static_cast<float>(height), w = static_cast<float>(width);
    float* out = boxes->data<float>();
    out[0] = static_cast<float>(box.top) / h, out[1] = static_cast<float>(box.left) / w;
    out[2] = static_cast<float>(box.bottom) / h, out[3] = static_cast<float>(box.right) / w;
    return absl::OkStatus();
  }

  const Limits limits_;
  const float min_covered_;
  const std::shared_ptr<RandomGenerator> generator_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSampleBoxCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const Limits limits, Limits::From(init.attrs()));
  HR_ASSIGN_OR_RETURN(auto generator, RandomGenerator::Of(init));
  return std::make_unique<SampleBoxKernel>(limits, init.attrs().GetOr("min_object_covered", 0.1f),
                                           std::move(generator));
}

}  // namespace headrace

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <mutex>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/dnnl.h"
#include "headrace/ops/nn/conv_dnnl.h"
#include "headrace/tensor/tensor.h"

namespace headrace {
namespace {

using Primitive = std::shared_ptr<const DnnlPrimitive>;
using Tag = dnnl::memory::format_tag;

// What a primitive computes: the convolution of `images` images.
struct Descs {
  dnnl::memory::desc input, filter, output;  // filter: any layout
  dnnl::memory::dims stride, dilation, pad_before, pad_after;
};

StatusOr<Descs> Describe(const ConvShape& s, int64_t images) {
  Descs d;
  std::vector<int64_t> input = {images, s.in_channels}, filter = {s.out_channels, s.in_channels},
                       output = {images, s.out_channels};
  for (const Window* w : {&s.d, &s.h, &s.w}) {
    if (w == &s.d && !s.is_volume()) continue;
    input.push_back(w->in);
    filter.push_back(w->filter);
    output.push_back(w->out);
    d.stride.push_back(w->stride);
    d.dilation.push_back(w->dilation - 1);
    d.pad_before.push_back(w->pad_before);
    // oneDNN wants the padding that makes its formula exact, which may be less than there is.
    d.pad_after.push_back((w->out - 1) * w->stride + w->extent() - w->in - w->pad_before);
  }
  const Tag layout = s.is_volume() ? Tag::ndhwc : Tag::nhwc;
  HR_ASSIGN_OR_RETURN(d.input, DnnlDesc(DType::kFloat32, input, layout));
  HR_ASSIGN_OR_RETURN(d.filter, DnnlDesc(DType::kFloat32, filter, Tag::any));
  HR_ASSIGN_OR_RETURN(d.output, DnnlDesc(DType::kFloat32, output, layout));
  return d;
}

std::string KeyOf(ConvDirection direction, const ConvShape& s, int64_t images) {
  std::string key = StrCat("conv/", static_cast<int>(direction), "/", images, "/", s.in_channels,
                           "/", s.out_channels);
  for (const Window* w : {&s.d, &s.h, &s.w}) {
    StrAppend(&key, "/", w->in, ",", w->filter, ",", w->stride, ",", w->dilation, ",",
              w->pad_before, ",", w->out);
  }
  return key;
}

StatusOr<Primitive> MakePrimitive(ConvDirection direction, const ConvShape& s, int64_t images) {
  HR_ASSIGN_OR_RETURN(const Descs d, Describe(s, images));
  return CachedDnnlPrimitive(KeyOf(direction, s, images), [&]() -> dnnl::primitive_desc_base {
    using dnnl::algorithm;
    const dnnl::primitive_attr attr = DnnlAttr();
    const dnnl::convolution_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, algorithm::convolution_direct, d.input, d.filter,
         d.output, d.stride, d.dilation, d.pad_before, d.pad_after},
        attr, DnnlEngine());
    if (direction == ConvDirection::kForward) return forward;
    if (direction == ConvDirection::kBackwardData) {
      return dnnl::convolution_backward_data::primitive_desc(
          {algorithm::convolution_direct, d.input, d.filter, d.output, d.stride, d.dilation,
           d.pad_before, d.pad_after},
          attr, DnnlEngine(), forward);
    }
    return dnnl::convolution_backward_weights::primitive_desc(
        {algorithm::convolution_direct, d.input, d.filter, d.output, d.stride, d.dilation,
         d.pad_before, d.pad_after},
        attr, DnnlEngine(), forward);
  });
}

// Between TensorFlow's layout of a filter and the one that a primitive wants.
StatusOr<DnnlCall> MakeReorder(const ConvShape& s, const dnnl::memory::desc& wanted,
                               bool to_wanted) {
  std::vector<int64_t> dims = {s.out_channels, s.in_channels};
  if (s.is_volume()) dims.push_back(s.d.filter);
  dims.insert(dims.end(), {s.h.filter, s.w.filter});
  HR_ASSIGN_OR_RETURN(const dnnl::memory::desc plain,
                      DnnlDesc(DType::kFloat32, dims, s.is_volume() ? Tag::dhwio : Tag::hwio));
  const dnnl::memory::desc& from = to_wanted ? plain : wanted;
  const dnnl::memory::desc& to = to_wanted ? wanted : plain;
  std::string key = "conv_filter/";
  key.append(reinterpret_cast<const char*>(&from.data), sizeof(from.data));
  key.append(reinterpret_cast<const char*>(&to.data), sizeof(to.data));
  // A reference reorder is a plain loop, and small beside the convolution.
  HR_ASSIGN_OR_RETURN(Primitive reorder, CachedDnnlPrimitive(
                                             key,
                                             [&]() -> dnnl::primitive_desc_base {
                                               return dnnl::reorder::primitive_desc(
                                                   DnnlEngine(), from, DnnlEngine(), to,
                                                   DnnlAttr());
                                             },
                                             /*allow_reference=*/true));
  return DnnlCall::Create(reorder, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

// Estimated time of one image on one core.
double NsPerImage(const ConvShape& s) {
  return s.macs() / 40 + 200;
}

// Images of a chunk: some 0.3 ms of work, and no fewer than eight chunks where the batch allows.
int64_t ChunkImages(const ConvShape& s) {
  const int64_t by_time = std::max<int64_t>(1, static_cast<int64_t>(300'000 / NsPerImage(s)));
  return std::clamp<int64_t>(std::min(by_time, s.batch / 8), 1, s.batch);
}

// Groups of images whose filter gradients are summed apart: a power of two, limited by the memory
// of the partial sums.
int64_t FilterGroups(const ConvShape& s, size_t filter_bytes) {
  constexpr int64_t kMostGroups = 16, kMostBytes = 32 << 20;
  const double total_ns = NsPerImage(s) * static_cast<double>(s.batch);
  int64_t groups = 1;
  while (groups * 2 <= std::min(s.batch, kMostGroups) &&
         total_ns / static_cast<double>(groups * 2) > 100'000 &&
         (groups < 2 || groups * 2 * static_cast<int64_t>(filter_bytes) <= kMostBytes)) {
    groups *= 2;
  }
  return groups;
}

// The gradient by the input of a convolution without strides is a convolution of the output's
// gradient with the filter turned by 180 degrees and its channels exchanged: oneDNN's forward
// kernels are better tuned for large filters.
bool IsBetterForward(const ConvShape& s) {
  const auto fits = [](const Window& w) {
    return w.stride == 1 && w.pad_before < w.extent() &&
           w.in + w.pad_before - w.out + 1 <= w.extent();
  };
  return s.filter_size() >= 16 && fits(s.d) && fits(s.h) && fits(s.w) && s.in_channels >= 16;
}
ConvShape Turned(const ConvShape& s) {
  const auto turn = [](const Window& w) {
    Window t{.in = w.out, .filter = w.filter, .stride = 1, .dilation = w.dilation, .out = w.in};
    t.pad_before = w.extent() - 1 - w.pad_before;
    t.pad_after = t.out + t.extent() - 1 - t.in - t.pad_before;
    return t;
  };
  return {.batch = s.batch,
          .in_channels = s.out_channels,
          .out_channels = s.in_channels,
          .d = turn(s.d),
          .h = turn(s.h),
          .w = turn(s.w)};
}
void TurnFilter(const ConvShape& s, const float* filter, float* turned) {
  const int64_t positions = s.filter_size(), in = s.in_channels, out = s.out_channels;
  for (int64_t p = 0; p < positions; ++p) {
    const float* from = filter + p * in * out;
    float* to = turned + (positions - 1 - p) * in * out;
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t o = 0; o < out; ++o) to[o * in + i] = from[i * out + o];
    }
  }
}

// The first error of parallel chunks.
class FirstError {
 public:
  void Note(Status status) {
    if (status.ok()) [[likely]]
      return;
    std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = std::move(status);
  }
  Status Take() { return std::move(status_); }

 private:
  std::mutex mutex_;
  Status status_;
};

}  // namespace

struct DnnlConv::Plan {
  struct Chunk {
    DnnlCall call;  // arguments: images, filter, images
    int64_t first_image = 0;
  };
  ConvDirection direction = ConvDirection::kForward;  // of the primitives
  ConvShape shape;
  std::vector<Chunk> chunks;
  int64_t first_elements = 0,
          last_elements = 0;  // of an image of the first and of the last argument
  dnnl::memory::desc layout;  // of the filter, or its gradient
  DnnlCall reorder;           // to it, or from it
  Tensor packed;              // in that layout; backward filter: one for each chunk
  int64_t packed_elements = 0;
  bool turned = false;  // backward data, computed as a forward convolution
  Tensor turned_filter;

  Status Build(ConvDirection wanted, const ConvShape& s);
  // `count` chunks: as equal as possible if `images` is 0, else all but the last of that many
  // images.
  Status BuildChunks(int64_t count, int64_t images);
  Status AddChunk(int64_t first_image, int64_t images, int64_t index, int64_t count);
  StatusOr<DnnlCall> MakeCall(const Primitive& primitive, int64_t images) const;
  Status AllocateFilters(int64_t count);
  Status RunChunks(WorkerPool& workers, const float* first, const float* last);
  void SumFilters(WorkerPool& workers);
};

StatusOr<DnnlCall> DnnlConv::Plan::MakeCall(const Primitive& primitive, int64_t images) const {
  HR_ASSIGN_OR_RETURN(const Descs d, Describe(shape, images));
  switch (direction) {
    case ConvDirection::kForward:
      return DnnlCall::Create(
          primitive,
          {{DNNL_ARG_SRC, d.input}, {DNNL_ARG_WEIGHTS, layout}, {DNNL_ARG_DST, d.output}});
    case ConvDirection::kBackwardData:
      return DnnlCall::Create(primitive, {{DNNL_ARG_DIFF_DST, d.output},
                                          {DNNL_ARG_WEIGHTS, layout},
                                          {DNNL_ARG_DIFF_SRC, d.input}});
    default:
      return DnnlCall::Create(primitive, {{DNNL_ARG_SRC, d.input},
                                          {DNNL_ARG_DIFF_WEIGHTS, layout},
                                          {DNNL_ARG_DIFF_DST, d.output}});
  }
}

Status DnnlConv::Plan::AllocateFilters(int64_t count) {
  constexpr int64_t kLine = 16;  // each filter begins on a cache line
  packed_elements =
      (static_cast<int64_t>(layout.get_size() / sizeof(float)) + kLine - 1) / kLine * kLine;
  HR_ASSIGN_OR_RETURN(packed, Tensor::Allocate(HostAllocator(), DType::kFloat32,
                                               {count, packed_elements}, "oneDNN filter"));
  const bool gradient = direction == ConvDirection::kBackwardFilter;
  HR_ASSIGN_OR_RETURN(reorder, MakeReorder(shape, layout, !gradient));
  reorder.Bind(gradient ? 0 : 1, packed.data<float>());
  return absl::OkStatus();
}

Status DnnlConv::Plan::AddChunk(int64_t first_image, int64_t images, int64_t index, int64_t count) {
  const bool gradient = direction == ConvDirection::kBackwardFilter;
  HR_ASSIGN_OR_RETURN(const Primitive primitive, MakePrimitive(direction, shape, images));
  const dnnl::memory::desc filter =
      gradient ? primitive->desc.diff_weights_desc(0) : primitive->desc.weights_desc(0);
  if (index == 0) {
    layout = filter;
    HR_RETURN_IF_ERROR(AllocateFilters(gradient ? count : 1));
  } else if (filter != layout) {
    return FailedPrecondition("oneDNN wants other filter layouts for other numbers of images");
  }
  Chunk& chunk = chunks.emplace_back();
  chunk.first_image = first_image;
  HR_ASSIGN_OR_RETURN(chunk.call, MakeCall(primitive, images));
  // The filter is bound once: a layout with padding is padded when it is bound.
  chunk.call.Bind(1, packed.data<float>() + (gradient ? index * packed_elements : 0));
  return absl::OkStatus();
}

Status DnnlConv::Plan::BuildChunks(int64_t count, int64_t images) {
  chunks.clear();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = images == 0 ? shape.batch * i / count : i * images;
    const int64_t end =
        images == 0 ? shape.batch * (i + 1) / count : std::min(shape.batch, begin + images);
    HR_RETURN_IF_ERROR(AddChunk(begin, end - begin, i, count));
  }
  return absl::OkStatus();
}

Status DnnlConv::Plan::Build(ConvDirection wanted, const ConvShape& s) {
  direction = wanted;
  shape = s;
  if (wanted == ConvDirection::kBackwardData && IsBetterForward(s)) {
    turned = true;
    direction = ConvDirection::kForward;
    shape = Turned(s);
    HR_ASSIGN_OR_RETURN(
        turned_filter,
        Tensor::Allocate(HostAllocator(), DType::kFloat32,
                         {s.filter_size(), s.in_channels, s.out_channels}, "turned filter"));
  }
  const int64_t input_elements = shape.in_size() * shape.in_channels;
  const int64_t output_elements = shape.out_size() * shape.out_channels;
  first_elements = direction == ConvDirection::kBackwardData ? output_elements : input_elements;
  last_elements = direction == ConvDirection::kBackwardData ? input_elements : output_elements;
  const bool gradient = direction == ConvDirection::kBackwardFilter;
  const int64_t images = ChunkImages(shape);
  const size_t filter_bytes =
      static_cast<size_t>(s.filter_size() * s.in_channels * s.out_channels) * sizeof(float);
  const int64_t count =
      gradient ? FilterGroups(s, filter_bytes) : (shape.batch + images - 1) / images;
  Status status = BuildChunks(count, gradient ? 0 : images);
  // Chunks of one size have one layout.
  if (absl::IsFailedPrecondition(status))
    status = BuildChunks(gradient ? 1 : shape.batch, gradient ? 0 : 1);
  return status;
}

Status DnnlConv::Plan::RunChunks(WorkerPool& workers, const float* first, const float* last) {
  FirstError error;
  workers.ParallelChunks(static_cast<int64_t>(chunks.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Chunk& chunk = chunks[i];
      chunk.call.Bind(0, first + chunk.first_image * first_elements);
      chunk.call.Bind(2, last + chunk.first_image * last_elements);
      error.Note(chunk.call.Run());
    }
  });
  return error.Take();
}

// Adds the filter gradients of all groups to that of the first, in order.
void DnnlConv::Plan::SumFilters(WorkerPool& workers) {
  const int64_t groups = static_cast<int64_t>(chunks.size());
  float* total = packed.data<float>();
  if (groups == 1) return;
  workers.ParallelFor(packed_elements, 0.1 * static_cast<double>(groups),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t g = 1; g < groups; ++g) {
                          const float* part = total + g * packed_elements;
                          for (int64_t i = begin; i < end; ++i) total[i] += part[i];
                        }
                      });
}

DnnlConv::DnnlConv() = default;
DnnlConv::~DnnlConv() = default;

Status DnnlConv::Prepare(ConvDirection direction, const ConvShape& shape) {
  if (plan_ != nullptr && direction == direction_ && shape_ == shape) [[likely]]
    return absl::OkStatus();
  plan_ = nullptr;
  auto plan = std::make_unique<Plan>();
  HR_RETURN_IF_ERROR(plan->Build(direction, shape));
  plan_ = std::move(plan);
  direction_ = direction;
  shape_ = shape;
  return absl::OkStatus();
}

Status DnnlConv::Run(WorkerPool& workers, const float* a, const float* b, float* result) {
  Plan& plan = *plan_;
  if (direction_ == ConvDirection::kBackwardFilter) {
    HR_RETURN_IF_ERROR(plan.RunChunks(workers, a, b));
    plan.SumFilters(workers);
    plan.reorder.Bind(1, result);
    return plan.reorder.Run();
  }
  const float* filter = b;
  if (plan.turned) {
    TurnFilter(*shape_, b, plan.turned_filter.data<float>());
    filter = plan.turned_filter.data<float>();
  }
  plan.reorder.Bind(0, filter);
  HR_RETURN_IF_ERROR(plan.reorder.Run());
  return plan.RunChunks(workers, a, result);
}

}  // namespace headrace

#include <algorithm>
#include <cstring>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/image/box_overlap.h"
#include "headrace/ops/image/non_max_suppression_kernels.h"

namespace headrace {
namespace {

struct Call {
  int64_t batch, boxes, kinds, classes;  // kinds of boxes: 1, or one for each class
  int64_t per_class, total, size;        // size: of the result
  float overlap, score;
  bool clip;
};

struct Found {
  float score;
  int64_t box, of_class;
};

// Best first. Not a stable order: equal scores come as TensorFlow's, by the same sort.
void SortByScore(std::vector<Found>& found) {
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.score > b.score; });
}

struct Image {
  const float *boxes, *scores;

  const float* Box(const Call& s, int64_t box, int64_t of_class) const {
    return boxes + 4 * (box * s.kinds + (s.kinds > 1 ? of_class : 0));
  }
};

// Appends what one class keeps.
void SelectClass(const Call& s, const Image& image, int64_t of_class, std::vector<Found>& all) {
  std::vector<Found> candidates;
  for (int64_t i = 0; i < s.boxes; ++i) {
    const float score = image.scores[i * s.classes + of_class];
    if (score > s.score) candidates.push_back({score, i, of_class});
  }
  SortByScore(candidates);
  std::vector<Corners> kept;
  for (const Found& candidate : candidates) {
    if (static_cast<int64_t>(kept.size()) >= std::min(s.per_class, s.boxes)) break;
    const Corners corners = Corners::Of(image.Box(s, candidate.box, of_class));
    const bool suppressed = std::any_of(kept.rbegin(), kept.rend(), [&](const Corners& better) {
      return Overlap(corners, better) > s.overlap;
    });
    if (suppressed) continue;
    kept.push_back(corners);
    all.push_back(candidate);
  }
}

struct Results {
  float *boxes, *scores, *classes;
  int32_t* valid;
};

void SelectImage(const Call& s, const Image& image, const Results& out) {
  std::vector<Found> all;
  for (int64_t k = 0; k < s.classes; ++k) SelectClass(s, image, k, all);
  SortByScore(all);
  const int64_t count = std::min(s.size, static_cast<int64_t>(all.size()));
  for (int64_t i = 0; i < count; ++i) {
    const Found& found = all[static_cast<size_t>(i)];
    const float* box = image.Box(s, found.box, found.of_class);
    for (int k = 0; k < 4; ++k)
      out.boxes[4 * i + k] = s.clip ? std::max(std::min(box[k], 1.0f), 0.0f) : box[k];
    out.scores[i] = found.score;
    out.classes[i] = static_cast<float>(found.of_class);
  }
  *out.valid = static_cast<int32_t>(count);
}

StatusOr<Call> CallOf(KernelContext& ctx, bool pad_per_class, bool clip) {
  const Shape &boxes = ctx.input(0).shape(), &scores = ctx.input(1).shape();
  if (boxes.rank() != 4 || boxes[3] != 4) {
    return InvalidArgument("boxes must be 4-D with 4 columns, got shape ", boxes.ToString());
  }
  if (scores.rank() != 3 || scores[0] != boxes[0] || scores[1] != boxes[1]) {
    return InvalidArgument("scores must have shape [", boxes[0], ", ", boxes[1], ", classes], got ",
                           scores.ToString());
  }
  if (boxes[2] != 1 && boxes[2] != scores[2]) {
    return InvalidArgument("third dimension of boxes must be either 1 or num classes (", scores[2],
                           "), got ", boxes[2]);
  }
  Call s{.batch = boxes[0], .boxes = boxes[1], .kinds = boxes[2], .classes = scores[2]};
  HR_ASSIGN_OR_RETURN(s.per_class, SizeScalar(ctx.input(2), "max_output_size_per_class"));
  HR_ASSIGN_OR_RETURN(s.total, SizeScalar(ctx.input(3), "max_total_size"));
  HR_ASSIGN_OR_RETURN(s.overlap, Threshold(ctx.input(4)));
  HR_ASSIGN_OR_RETURN(s.score, FloatScalar(ctx.input(5), "score_threshold"));
  s.size = pad_per_class ? std::min(s.total, s.per_class * s.classes) : s.total;
  s.clip = clip;
  return s;
}

class CombinedKernel final : public Kernel {
 public:
  explicit CombinedKernel(const KernelInit& init)
      : pad_per_class_(init.Attr<bool>("pad_per_class")), clip_(init.Attr<bool>("clip_boxes")) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Call s, CallOf(ctx, pad_per_class_, clip_));
    HR_RETURN_IF_ERROR(Shape::Make(std::array<int64_t, 3>{s.batch, s.size, 4}).status());
    HR_ASSIGN_OR_RETURN(Tensor * boxes, ctx.Output(0, {s.batch, s.size, 4}));
    HR_ASSIGN_OR_RETURN(Tensor * scores, ctx.Output(1, {s.batch, s.size}));
    HR_ASSIGN_OR_RETURN(Tensor * classes, ctx.Output(2, {s.batch, s.size}));
    HR_ASSIGN_OR_RETURN(Tensor * valid, ctx.Output(3, {s.batch}));
    for (Tensor* out : {boxes, scores, classes}) {
      if (out->num_elements() > 0) std::memset(out->raw_data(), 0, out->size_bytes());
    }
    const int64_t box_count = s.boxes * s.kinds * 4, score_count = s.boxes * s.classes;
    const double ns = 100.0 * static_cast<double>(score_count);
    ctx.workers().ParallelFor(s.batch, ns, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        SelectImage(s,
                    {ctx.input(0).data<float>() + n * box_count,
                     ctx.input(1).data<float>() + n * score_count},
                    {boxes->data<float>() + n * s.size * 4, scores->data<float>() + n * s.size,
                     classes->data<float>() + n * s.size, valid->data<int32_t>() + n});
      }
    });
    return absl::OkStatus();
  }

 private:
  const bool pad_per_class_, clip_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCombinedSuppressionCpu(const KernelInit& init) {
  return std::make_unique<CombinedKernel>(init);
}

}  // namespace headrace

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <queue>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/image/box_overlap.h"
#include "headrace/ops/image/non_max_suppression_kernels.h"

namespace headrace {
namespace {

struct Rules {
  int64_t most = 0;
  float overlap = 0.5f;
  float score = std::numeric_limits<float>::lowest();
  float sigma = 0;  // > 0: overlaps cost score
};

struct Candidate {
  int32_t index;
  float score;
  size_t compared;  // with that many of the selected ones
};
struct IsWorse {
  bool operator()(const Candidate& a, const Candidate& b) const { return a.score < b.score; }
};

struct Selected {
  std::vector<int32_t> indices;
  std::vector<float> scores;
};

// Whether the candidate is out at once; else its score may be lower. The last selected ones come
// first: they are the likeliest to be like it.
template <class OverlapOf>
bool IsSuppressed(Candidate& candidate, const Selected& selected, const Rules& rules,
                  OverlapOf overlap_of) {
  for (size_t j = selected.indices.size(); j-- > candidate.compared;) {
    const float overlap = overlap_of(candidate.index, selected.indices[j]);
    if (overlap >= rules.overlap) return true;
    if (rules.sigma > 0) candidate.score *= std::exp(-0.5f / rules.sigma * overlap * overlap);
    if (candidate.score <= rules.score) break;
  }
  candidate.compared = selected.indices.size();
  return false;
}

// Equal scores come in TensorFlow's order: that of the standard library's heap, to which what is
// selected goes back once. (There it is selected again if it does not overlap with itself.)
template <class OverlapOf>
Selected Select(const std::vector<float>& scores, const Rules& rules, OverlapOf overlap_of) {
  std::priority_queue<Candidate, std::deque<Candidate>, IsWorse> queue;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > rules.score) queue.push({static_cast<int32_t>(i), scores[i], 0});
  }
  Selected selected;
  std::vector<bool> is_selected(scores.size());
  while (static_cast<int64_t>(selected.indices.size()) < rules.most && !queue.empty()) {
    Candidate candidate = queue.top();
    queue.pop();
    const size_t index = static_cast<size_t>(candidate.index);
    const float before = candidate.score;
    if (is_selected[index] || IsSuppressed(candidate, selected, rules, overlap_of)) continue;
    if (candidate.score == before) {
      selected.indices.push_back(candidate.index);
      selected.scores.push_back(candidate.score);
      is_selected[index] = true;
    }
    if (candidate.score > rules.score) queue.push(candidate);
  }
  return selected;
}

// Inputs from the third on: size, overlap, score, sigma, as far as a version has them.
StatusOr<Rules> RulesOf(KernelContext& ctx) {
  Rules rules;
  HR_ASSIGN_OR_RETURN(rules.most, SizeScalar(ctx.input(2), "max_output_size"));
  if (ctx.num_inputs() > 3) {
    HR_ASSIGN_OR_RETURN(rules.overlap, Threshold(ctx.input(3)));
  }
  if (ctx.num_inputs() > 4) {
    HR_ASSIGN_OR_RETURN(rules.score, FloatScalar(ctx.input(4), "score_threshold"));
  }
  if (ctx.num_inputs() > 5) {
    HR_ASSIGN_OR_RETURN(rules.sigma, FloatScalar(ctx.input(5), "soft_nms_sigma"));
    if (!(rules.sigma >= 0))
      return InvalidArgument("soft_nms_sigma must be >= 0, got ", rules.sigma);
  }
  return rules;
}

std::vector<float> Floats(const Tensor& tensor) {
  std::vector<float> values(static_cast<size_t>(tensor.num_elements()));
  if (tensor.dtype() == DType::kFloat16) {
    std::copy_n(tensor.data<Half>(), values.size(), values.begin());
  } else {
    std::copy_n(tensor.data<float>(), values.size(), values.begin());
  }
  return values;
}

Status CheckCount(int64_t count) {
  if (count > std::numeric_limits<int32_t>::max())
    return InvalidArgument("boxes must be fewer than 2^31, got ", count);
  return absl::OkStatus();
}

class SuppressionKernel final : public Kernel {
 public:
  explicit SuppressionKernel(const KernelInit& init)
      : pads_(init.attrs().GetOr("pad_to_max_output_size", false)),
        overlap_(init.attrs().GetOr("iou_threshold", 0.5f)) {}

  Status Compute(KernelContext& ctx) override {
    const Shape &boxes = ctx.input(0).shape(), &scores = ctx.input(1).shape();
    if (boxes.rank() != 2 || boxes[1] != 4)
      return InvalidArgument("boxes must be 2-D with 4 columns, got shape ", boxes.ToString());
    if (scores != Shape{boxes[0]}) {
      return InvalidArgument("scores must have shape [", boxes[0], "], got ", scores.ToString());
    }
    HR_RETURN_IF_ERROR(CheckCount(boxes[0]));
    HR_ASSIGN_OR_RETURN(Rules rules, RulesOf(ctx));
    if (ctx.num_inputs() == 3) rules.overlap = overlap_;
    const std::vector<float> values = Floats(ctx.input(0));
    std::vector<Corners> corners;
    for (size_t i = 0; i < values.size(); i += 4) corners.push_back(Corners::Of(&values[i]));
    return Store(ctx,
                 Select(Floats(ctx.input(1)), rules,
                        [&](int32_t a, int32_t b) {
                          return Overlap(corners[static_cast<size_t>(a)],
                                         corners[static_cast<size_t>(b)]);
                        }),
                 rules.most);
  }

 private:
  // Indices; in version 4 their number; in version 5 the scores between.
  Status Store(KernelContext& ctx, const Selected& selected, int64_t most) const {
    const int64_t count = static_cast<int64_t>(selected.indices.size());
    const int64_t size = pads_ ? most : count;
    HR_ASSIGN_OR_RETURN(Tensor * indices, ctx.Output(0, {size}));
    if (size > 0) std::memset(indices->raw_data(), 0, indices->size_bytes());
    std::ranges::copy(selected.indices, indices->data<int32_t>());
    const int outputs = ctx.node().num_outputs();
    if (outputs == 3) HR_RETURN_IF_ERROR(StoreScores(ctx, selected, size));
    if (outputs == 1) return absl::OkStatus();
    HR_ASSIGN_OR_RETURN(Tensor * valid, ctx.Output(outputs - 1, Shape()));
    valid->data<int32_t>()[0] = static_cast<int32_t>(count);
    return absl::OkStatus();
  }
  static Status StoreScores(KernelContext& ctx, const Selected& selected, int64_t size) {
    HR_ASSIGN_OR_RETURN(Tensor * scores, ctx.Output(1, {size}));
    if (size > 0) std::memset(scores->raw_data(), 0, scores->size_bytes());
    for (size_t i = 0; i < selected.scores.size(); ++i) {
      if (scores->dtype() == DType::kFloat16) {
        scores->data<Half>()[i] = Half(selected.scores[i]);
      } else {
        scores->data<float>()[i] = selected.scores[i];
      }
    }
    return absl::OkStatus();
  }

  const bool pads_;
  const float overlap_;  // of the first version
};

Status SelectByOverlaps(KernelContext& ctx) {
  const Tensor& overlaps = ctx.input(0);
  const Shape &shape = overlaps.shape(), &scores = ctx.input(1).shape();
  if (shape.rank() != 2 || shape[0] != shape[1])
    return InvalidArgument("overlaps must be a square matrix, got shape ", shape.ToString());
  if (scores != Shape{shape[0]})
    return InvalidArgument("scores must have shape [", shape[0], "], got ", scores.ToString());
  HR_RETURN_IF_ERROR(CheckCount(shape[0]));
  Rules rules;
  HR_ASSIGN_OR_RETURN(rules.most, SizeScalar(ctx.input(2), "max_output_size"));
  HR_ASSIGN_OR_RETURN(rules.overlap, FloatScalar(ctx.input(3), "overlap_threshold"));
  HR_ASSIGN_OR_RETURN(rules.score, FloatScalar(ctx.input(4), "score_threshold"));
  const Selected selected = Select(Floats(ctx.input(1)), rules, [&](int32_t a, int32_t b) {
    return overlaps.data<float>()[a * shape[0] + b];
  });
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {static_cast<int64_t>(selected.indices.size())}));
  std::ranges::copy(selected.indices, out->data<int32_t>());
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeNonMaxSuppressionCpu(const KernelInit& init) {
  return std::make_unique<SuppressionKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSuppressionWithOverlapsCpu(const KernelInit& init) {
  return MakeFunctionKernel<SelectByOverlaps>(init);
}

}  // namespace headrace

#include "headrace/session/internal/session_step.h"

#include "headrace/base/strings.h"

namespace headrace {

StatusOr<CompiledStep*> SessionStep::For(std::span<const Tensor> feeds) {
  CompiledStep* last = last_.load(std::memory_order_acquire);
  if (last != nullptr && Fits(*last, feeds)) [[likely]]
    return last;
  HR_RETURN_IF_ERROR(CheckFeeds(feeds));
  std::lock_guard lock(mutex_);
  for (auto& variant : variants_) {
    if (!Fits(*variant, feeds)) continue;
    last_.store(variant.get(), std::memory_order_release);
    return variant.get();
  }
  std::vector<PartialShape> shapes;
  if (variants_.size() < kMostVariants) {
    for (const Tensor& feed : feeds) shapes.push_back(PartialShape(feed.shape()));
  } else {
    shapes = Generalized(feeds);
  }
  HR_ASSIGN_OR_RETURN(std::unique_ptr<CompiledStep> compiled,
                      compile_(signature_, std::move(shapes)));
  variants_.push_back(std::move(compiled));
  last_.store(variants_.back().get(), std::memory_order_release);
  return variants_.back().get();
}

void SessionStep::Release() {
  std::lock_guard lock(mutex_);
  last_.store(nullptr, std::memory_order_release);
  variants_.clear();
}

bool SessionStep::Fits(const CompiledStep& step, std::span<const Tensor> feeds) const {
  if (feeds.size() != step.feed_shapes.size()) return false;
  for (size_t i = 0; i < feeds.size(); ++i) {
    const PartialShape& wanted = step.feed_shapes[i];
    const Shape& given = feeds[i].shape();
    if (feeds[i].dtype() != signature_.feeds[i].value_dtype()) return false;
    if (!wanted.has_rank()) continue;
    if (wanted.rank() != given.rank()) return false;
    for (int d = 0; d < given.rank(); ++d) {
      if (wanted.dim(d) != given.dim(d) && wanted.dim(d) != PartialShape::kUnknown) return false;
    }
  }
  return true;
}

Status SessionStep::CheckFeeds(std::span<const Tensor> feeds) const {
  if (feeds.size() != signature_.feeds.size()) {
    return InvalidArgument("the step takes ", signature_.feeds.size(), " feeds, got ",
                           feeds.size());
  }
  for (size_t i = 0; i < feeds.size(); ++i) {
    const Output& fed = signature_.feeds[i];
    if (!feeds[i].valid())
      return InvalidArgument("Cannot feed Tensor '", fed.name(), "': no value was given");
    if (feeds[i].dtype() != fed.value_dtype()) {
      return InvalidArgument("Cannot feed value of dtype ", DTypeName(feeds[i].dtype()),
                             " for Tensor '", fed.name(), "', which has dtype ",
                             DTypeName(fed.value_dtype()));
    }
    if (!fed.shape().IsCompatibleWith(PartialShape(feeds[i].shape()))) {
      return InvalidArgument("Cannot feed value of shape ", feeds[i].shape().ToString(),
                             " for Tensor '", fed.name(), "', which has shape '",
                             fed.shape().ToString(), "'");
    }
  }
  return absl::OkStatus();
}

// What all shapes so far, and the new one, have in common.
std::vector<PartialShape> SessionStep::Generalized(std::span<const Tensor> feeds) const {
  std::vector<PartialShape> common;
  for (size_t i = 0; i < feeds.size(); ++i) {
    PartialShape shape(feeds[i].shape());
    for (const auto& variant : variants_) {
      const PartialShape& other = variant->feed_shapes[i];
      if (other.rank() != shape.rank()) {
        shape = PartialShape();
        break;
      }
      for (int d = 0; d < shape.rank(); ++d) {
        if (other.dim(d) != shape.dim(d)) shape.set_dim(d, PartialShape::kUnknown);
      }
    }
    common.push_back(shape);
  }
  return common;
}

}  // namespace headrace

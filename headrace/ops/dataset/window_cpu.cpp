// WindowDataset, UnbatchDataset.
#include <deque>

#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

// One component of the elements of a window.
class WindowComponent final : public Dataset {
 public:
  WindowComponent(DType type, PartialShape shape, std::vector<Tensor> values)
      : Dataset({type}, {shape}), values_(std::move(values)) {}
  std::string_view name() const override { return "Window"; }
  int64_t Cardinality() const override { return static_cast<int64_t>(values_.size()); }

 private:
  class Position final : public IteratorOf<WindowComponent> {
   public:
    using IteratorOf::IteratorOf;
    StatusOr<bool> Next(const IterationContext&, Element& element) override {
      if (next_ == dataset().values_.size()) return false;
      element = {dataset().values_[next_++]};
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("WindowComponent");
      state.Int(static_cast<int64_t>(next_));
      return absl::OkStatus();
    }
    Status Restore(const IterationContext&, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("WindowComponent"));
      HR_ASSIGN_OR_RETURN(const int64_t next, state.IntIn(0, dataset().Cardinality()));
      next_ = static_cast<size_t>(next);
      return absl::OkStatus();
    }

   private:
    size_t next_ = 0;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext&,
                                                   std::string place) const override {
    return std::make_unique<Position>(
        std::static_pointer_cast<const WindowComponent>(shared_from_this()), std::move(place));
  }

  const std::vector<Tensor> values_;
};

struct WindowOptions {
  int64_t size = 1, shift = 1, stride = 1;
  bool drop_remainder = false;
};

// Elements that are datasets: each of `size` elements of the input, `stride` apart, `shift` after the last one.
class WindowDataset final : public UnaryDataset {
 public:
  WindowDataset(DatasetPtr input, WindowOptions options)
      : UnaryDataset(input, std::vector<DType>(input->types().size(), DType::kVariant),
                     std::vector<PartialShape>(input->types().size(), Shape())),
        options_(options) {}
  std::string_view name() const override { return "Window"; }

 private:
  class Position final : public UnaryIterator<WindowDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      const WindowOptions& o = dataset().options_;
      HR_RETURN_IF_ERROR(Fill(ctx, (o.size - 1) * o.stride + 1));
      const auto at_hand = static_cast<int64_t>(ahead_.size());
      if (at_hand == 0 || (o.drop_remainder && at_hand < (o.size - 1) * o.stride + 1)) return false;
      element.clear();
      for (size_t c = 0; c < dataset().types().size(); ++c) element.push_back(Component(c));
      HR_RETURN_IF_ERROR(Shift(ctx));
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Window");
      state.Int(input_ == nullptr);
      state.Int(static_cast<int64_t>(ahead_.size()));
      for (const Element& element : ahead_) state.Values(element);
      return input_ == nullptr ? absl::OkStatus() : input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Window"));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      HR_ASSIGN_OR_RETURN(const int64_t count, state.IntIn(0, int64_t{1} << 62));
      ahead_.clear();
      for (int64_t i = 0; i < count; ++i) {
        HR_ASSIGN_OR_RETURN(Element element, state.Values());
        ahead_.push_back(std::move(element));
      }
      if (ended != 0) input_.reset();
      return input_ == nullptr ? absl::OkStatus() : input_->Restore(ctx, state);
    }

   private:
    Status Fill(const IterationContext& ctx, int64_t wanted) {
      while (input_ != nullptr && static_cast<int64_t>(ahead_.size()) < wanted) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        Element element;
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
        if (more) {
          ahead_.push_back(std::move(element));
        } else {
          input_.reset();
        }
      }
      return absl::OkStatus();
    }
    Status Shift(const IterationContext& ctx) {
      const int64_t shift = dataset().options_.shift;
      const auto dropped = std::min<int64_t>(shift, static_cast<int64_t>(ahead_.size()));
      ahead_.erase(ahead_.begin(), ahead_.begin() + dropped);
      Element passed;
      for (int64_t i = dropped; i < shift && input_ != nullptr; ++i) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, passed));
        if (!more) input_.reset();
      }
      return absl::OkStatus();
    }
    Tensor Component(size_t c) const {
      const WindowOptions& o = dataset().options_;
      const Dataset& input = dataset().input();
      std::vector<Tensor> values;
      for (int64_t i = 0, at = 0; i < o.size && at < static_cast<int64_t>(ahead_.size());
           ++i, at += o.stride) {
        values.push_back(ahead_[static_cast<size_t>(at)][c]);
      }
      return DatasetTensor(std::make_shared<WindowComponent>(input.types()[c], input.shapes()[c],
                                                             std::move(values)));
    }

    std::deque<Element> ahead_;  // from the first of the next window on
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, WindowDataset>(ctx, std::move(place));
  }

  const WindowOptions options_;
};

// Rows of the elements of the input.
class UnbatchDataset final : public UnaryDataset {
 public:
  UnbatchDataset(DatasetPtr input, std::vector<PartialShape> shapes)
      : UnaryDataset(input, input->types(), std::move(shapes)) {}
  std::string_view name() const override { return "Unbatch"; }

 private:
  class Position final : public UnaryIterator<UnbatchDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      while (row_ == rows_) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        row_ = rows_ = 0;
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, batch_));
        if (!more) return false;
        HR_RETURN_IF_ERROR(CountRows());
      }
      element.clear();
      for (const Tensor& whole : batch_) {
        element.push_back(
            whole.SliceDim0(row_, row_ + 1).Reshaped(Shape(whole.shape().dims().subspan(1))));
      }
      ++row_;
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("Unbatch");
      state.Int(row_);
      state.Values(row_ == rows_ ? Element() : batch_);
      return input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Unbatch"));
      HR_ASSIGN_OR_RETURN(row_, state.IntIn(0, int64_t{1} << 62));
      HR_ASSIGN_OR_RETURN(batch_, state.Values());
      rows_ = row_;
      if (!batch_.empty()) HR_RETURN_IF_ERROR(CountRows());
      if (row_ > rows_)
        return InvalidArgument("the state is that of another pipeline: row ", row_, " of ", rows_);
      return input_->Restore(ctx, state);
    }

   private:
    Status CountRows() {
      for (const Tensor& whole : batch_) {
        if (whole.rank() == 0)
          return InvalidArgument("Input element must have a non-scalar value in each component.");
        if (whole.dim(0) != batch_[0].dim(0)) {
          return InvalidArgument(
              "Input element must have the same batch size in each component. Component 0 had "
              "size ",
              batch_[0].dim(0), " but component ", &whole - batch_.data(), " had size, ",
              whole.dim(0), ".");
        }
      }
      rows_ = batch_[0].dim(0);
      return absl::OkStatus();
    }

    Element batch_;
    int64_t row_ = 0, rows_ = 0;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, UnbatchDataset>(ctx, std::move(place));
  }
};

StatusOr<DatasetPtr> MakeWindow(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  WindowOptions o;
  HR_ASSIGN_OR_RETURN(o.size, ScalarInput<int64_t>(ctx, 1, "size"));
  HR_ASSIGN_OR_RETURN(o.shift, ScalarInput<int64_t>(ctx, 2, "shift"));
  HR_ASSIGN_OR_RETURN(o.stride, ScalarInput<int64_t>(ctx, 3, "stride"));
  HR_ASSIGN_OR_RETURN(o.drop_remainder, ScalarInput<bool>(ctx, 4, "drop_remainder"));
  if (o.size <= 0) return InvalidArgument("Window size must be greater than zero.");
  if (o.shift <= 0) return InvalidArgument("Window shift must be greater than zero.");
  if (o.stride <= 0) return InvalidArgument("Window stride must be greater than zero.");
  int64_t span = 0;
  if (__builtin_mul_overflow(o.size, o.stride, &span)) {
    return InvalidArgument("Window size ", o.size, " and stride ", o.stride, " are too large.");
  }
  return std::make_shared<WindowDataset>(std::move(input), o);
}

StatusOr<DatasetPtr> MakeUnbatch(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  return std::make_shared<UnbatchDataset>(std::move(input), StatedShapes(ctx));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeWindowDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeWindow>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeUnbatchDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeUnbatch>(init);
}

}  // namespace headrace

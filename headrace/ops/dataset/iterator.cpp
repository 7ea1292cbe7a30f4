#include "headrace/ops/dataset/iterator.h"

#include "headrace/ops/dataset/dataset_kernel.h"

namespace headrace {

class IteratorResource::Turn {
 public:
  Turn(IteratorResource& iterator, Cancellation& step) : iterator_(iterator) {
    {
      std::lock_guard lock(iterator_.mutex_);
      got_ = !iterator_.taken_;
      iterator_.taken_ = true;
    }
    if (!got_) Wait(step);
  }
  ~Turn() {
    if (!got_) return;
    {
      std::lock_guard lock(iterator_.mutex_);
      iterator_.taken_ = false;
    }
    iterator_.free_.notify_one();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  // OK if it is this call's turn, else why its step ended.
  const Status& status() const { return status_; }

 private:
  void Wait(Cancellation& step) {
    const auto wakes = step.OnCancel([this] {
      std::lock_guard lock(iterator_.mutex_);
      iterator_.free_.notify_all();
    });
    {
      std::unique_lock lock(iterator_.mutex_);
      status_ = step.Wait(lock, iterator_.free_, [this] { return !iterator_.taken_; });
      got_ = status_.ok();
      if (got_) iterator_.taken_ = true;
    }
    if (!got_) iterator_.free_.notify_one();  // the wake may have been meant for another
    step.Remove(wakes);
  }

  IteratorResource& iterator_;
  bool got_ = false;
  Status status_;
};

IteratorResource::~IteratorResource() = default;

Status IteratorResource::Start(const IterationContext& ctx, const DatasetPtr& dataset) {
  HR_RETURN_IF_ERROR(CheckTypes(types_, dataset->types()));
  HR_RETURN_IF_ERROR(CheckShapes(shapes_, dataset->shapes()));
  IterationContext context = ctx;
  context.memory = std::make_shared<IterationMemory>();
  HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> iterator, dataset->Iterate(context, "Iterator"));
  const Turn turn(*this, *ctx.cancellation);
  HR_RETURN_IF_ERROR(turn.status());
  iterator_ = std::move(iterator);
  std::lock_guard lock(mutex_);
  dataset_ = dataset;
  context_ = std::move(context);
  context_.cancellation = nullptr;
  return absl::OkStatus();
}

bool IteratorResource::started() const {
  std::lock_guard lock(mutex_);
  return dataset_ != nullptr;
}

Status IteratorResource::Next(Cancellation& step, Element& element) {
  const Turn turn(*this, step);
  HR_RETURN_IF_ERROR(turn.status());
  if (dataset_ == nullptr) {
    return absl::FailedPreconditionError(
        "GetNext() failed because the iterator has not been initialized. Ensure that you have run "
        "the initializer "
        "operation for this iterator before getting the next element.");
  }
  if (iterator_ != nullptr) {
    HR_ASSIGN_OR_RETURN(const bool more, iterator_->Next(context_.With(step), element));
    if (more) return absl::OkStatus();
    iterator_.reset();  // nothing of a finished epoch is kept
  }
  return absl::OutOfRangeError("End of sequence");
}

Status IteratorResource::Save(Cancellation& step, PipelineState& state) {
  const Turn turn(*this, step);
  HR_RETURN_IF_ERROR(turn.status());
  if (dataset_ == nullptr) {
    return absl::FailedPreconditionError(
        "SerializeIterator() failed because the iterator has not been initialized.");
  }
  StateWriter writer;
  writer.Int(iterator_ == nullptr);
  if (iterator_ != nullptr) HR_RETURN_IF_ERROR(iterator_->Save(writer));
  state.values = writer.Take();
  return absl::OkStatus();
}

Status IteratorResource::Restore(Cancellation& step, const PipelineState& state) {
  const Turn turn(*this, step);
  HR_RETURN_IF_ERROR(turn.status());
  if (dataset_ == nullptr) {
    return absl::FailedPreconditionError(
        "the iterator has not been initialized: its initializer says which dataset a state belongs "
        "to; run it before "
        "a state is restored");
  }
  context_.memory = std::make_shared<IterationMemory>();
  const IterationContext ctx = context_.With(step);
  StateReader reader(state.values);
  HR_ASSIGN_OR_RETURN(const int64_t ended, reader.IntIn(0, 1));
  HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> iterator, dataset_->Iterate(ctx, "Iterator"));
  if (ended == 0) HR_RETURN_IF_ERROR(iterator->Restore(ctx, reader));
  HR_RETURN_IF_ERROR(reader.End());
  iterator_ = ended == 0 ? std::move(iterator) : nullptr;
  return absl::OkStatus();
}

IterationContext ContextOf(KernelContext& ctx) {
  return {.cancellation = ctx.step().cancellation,
          .device = &ctx.device(),
          .resources = ctx.step().resources,
          .memory = std::make_shared<IterationMemory>()};
}

}  // namespace headrace

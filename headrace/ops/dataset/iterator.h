// The iterator that nodes of a graph share: a dataset's position between steps.
//
//   auto iterator = std::make_shared<IteratorResource>("it", types, shapes);
//   HR_RETURN_IF_ERROR(iterator->Start(ctx, dataset));
//   HR_RETURN_IF_ERROR(iterator->Next(*step.cancellation, element));
//
// Thread-safe: calls take turns, and one that waits for its turn ends with its step.
#pragma once

#include <condition_variable>

#include "headrace/ops/dataset/pipeline_state.h"

namespace headrace {

class IteratorResource final : public Resource {
 public:
  IteratorResource(std::string name, std::vector<DType> types, std::vector<PartialShape> shapes)
      : name_(std::move(name)), types_(std::move(types)), shapes_(std::move(shapes)) {}
  ~IteratorResource() override;

  std::string_view kind() const override { return "iterator"; }
  const std::string& name() const { return name_; }
  const std::vector<DType>& types() const { return types_; }
  const std::vector<PartialShape>& shapes() const { return shapes_; }

  // Goes to the begin of `dataset`, from whatever dataset before. Errors: InvalidArgument when its elements do not fit.
  Status Start(const IterationContext& ctx, const DatasetPtr& dataset);
  bool started() const;
  // Errors: OutOfRange "End of sequence"; FailedPrecondition before the first Start; those of the datasets.
  Status Next(Cancellation& step, Element& element);

  Status Save(Cancellation& step, PipelineState& state);
  // Errors: FailedPrecondition for the state of another pipeline. The position is undefined after an error.
  Status Restore(Cancellation& step, const PipelineState& state);

 private:
  // One call's turn: nobody else is in the iterators meanwhile.
  class Turn;

  const std::string name_;
  const std::vector<DType> types_;
  const std::vector<PartialShape> shapes_;
  mutable std::mutex mutex_;
  std::condition_variable free_;
  bool taken_ = false;
  // Of the one who has the turn:
  IterationContext context_;  // of Start, without a cancellation
  DatasetPtr dataset_;
  std::unique_ptr<Iterator> iterator_;  // null at the end
};

// What iterators of a step are started with.
IterationContext ContextOf(KernelContext& ctx);

}  // namespace headrace

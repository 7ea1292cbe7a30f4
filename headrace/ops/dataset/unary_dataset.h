// Datasets over one other dataset.
#pragma once

#include "headrace/ops/dataset/dataset_kernel.h"
#include "headrace/ops/dataset/pipeline_state.h"

namespace headrace {

class UnaryDataset : public Dataset {
 public:
  // Elements like those of `input`.
  explicit UnaryDataset(DatasetPtr input)
      : Dataset(input->types(), input->shapes()), input_(std::move(input)) {}
  UnaryDataset(DatasetPtr input, std::vector<DType> types, std::vector<PartialShape> shapes)
      : Dataset(std::move(types), std::move(shapes)), input_(std::move(input)) {}
  const Dataset& input() const { return *input_; }

 protected:
  template <class D>
  std::shared_ptr<const D> Self() const {
    return std::static_pointer_cast<const D>(shared_from_this());
  }
  // An iterator I(dataset, place, iterator of the input).
  template <class I, class D>
  StatusOr<std::unique_ptr<Iterator>> OverInput(const IterationContext& ctx,
                                                std::string place) const {
    HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> input, input_->Iterate(ctx, place));
    return std::make_unique<I>(Self<D>(), std::move(place), std::move(input));
  }

 private:
  const DatasetPtr input_;
};

template <class D>
class UnaryIterator : public IteratorOf<D> {
 public:
  UnaryIterator(std::shared_ptr<const D> dataset, std::string place,
                std::unique_ptr<Iterator> input)
      : IteratorOf<D>(std::move(dataset), std::move(place)), input_(std::move(input)) {}

 protected:
  std::unique_ptr<Iterator> input_;  // null where a derived class lets it go at the end
};

}  // namespace headrace

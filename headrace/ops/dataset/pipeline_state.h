// Where a pipeline stands: a row of tensors that its iterators write and read in one order.
//
//   Status Save(StateWriter& state) const override {
//     state.Begin("Take");
//     state.Int(taken_);
//     return input_->Save(state);
//   }
//   Status Restore(const IterationContext& ctx, StateReader& state) override {
//     HR_RETURN_IF_ERROR(state.Begin("Take"));
//     HR_ASSIGN_OR_RETURN(taken_, state.Int());
//     return input_->Restore(ctx, state);
//   }
//
// A reader trusts nothing: a state of another pipeline, or cut short, is an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/ops/dataset/dataset.h"

namespace headrace {

// As a value of the graph: what SerializeIterator gives.
struct PipelineState final : VariantObject {
  std::string_view kind() const override { return "state of an iterator"; }
  std::vector<Tensor> values;
};

class StateWriter {
 public:
  // Marks whose values follow.
  void Begin(std::string_view iterator) { Text(iterator); }
  void Int(int64_t value) { values_.push_back(Tensor::Scalar(value)); }
  void Text(std::string_view value) { values_.push_back(Tensor::Scalar(std::string(value))); }
  void Value(const Tensor& value) { values_.push_back(value); }
  void Values(const Element& element);
  std::vector<Tensor> Take() { return std::move(values_); }

 private:
  std::vector<Tensor> values_;
};

class StateReader {
 public:
  explicit StateReader(const std::vector<Tensor>& values) : values_(values) {}
  // Errors: FailedPrecondition "the state is that of another pipeline: ...".
  Status Begin(std::string_view iterator);
  StatusOr<int64_t> Int();
  // `least` to `most`, else FailedPrecondition.
  StatusOr<int64_t> IntIn(int64_t least, int64_t most);
  StatusOr<std::string> Text();
  StatusOr<Tensor> Value();
  StatusOr<Element> Values();
  // FailedPrecondition if values are left.
  Status End() const;

 private:
  const std::vector<Tensor>& values_;
  size_t at_ = 0;
};

}  // namespace headrace

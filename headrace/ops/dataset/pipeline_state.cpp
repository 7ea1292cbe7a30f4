#include "headrace/ops/dataset/pipeline_state.h"

#include <limits>

namespace headrace {
namespace {

Status OtherPipeline(std::string_view wanted, std::string_view got) {
  return absl::FailedPreconditionError(
      StrCat("the state is that of another pipeline: expected ", wanted, ", got ", got));
}

}  // namespace

void StateWriter::Values(const Element& element) {
  Int(static_cast<int64_t>(element.size()));
  values_.insert(values_.end(), element.begin(), element.end());
}

Status StateReader::Begin(std::string_view iterator) {
  HR_ASSIGN_OR_RETURN(const std::string found, Text());
  if (found != iterator) return OtherPipeline(iterator, found);
  return absl::OkStatus();
}

StatusOr<Tensor> StateReader::Value() {
  if (at_ == values_.size()) return OtherPipeline("a value", "the end");
  return values_[at_++];
}

StatusOr<int64_t> StateReader::Int() {
  HR_ASSIGN_OR_RETURN(const Tensor value, Value());
  if (value.dtype() != DType::kInt64 || value.num_elements() != 1)
    return OtherPipeline("an int64", value.ToString());
  return *value.data<int64_t>();
}

StatusOr<int64_t> StateReader::IntIn(int64_t least, int64_t most) {
  HR_ASSIGN_OR_RETURN(const int64_t value, Int());
  if (value < least || value > most)
    return OtherPipeline(StrCat("a number of ", least, " to ", most), StrCat(value));
  return value;
}

StatusOr<std::string> StateReader::Text() {
  HR_ASSIGN_OR_RETURN(const Tensor value, Value());
  if (value.dtype() != DType::kString || value.num_elements() != 1)
    return OtherPipeline("a text", value.ToString());
  return *value.data<std::string>();
}

StatusOr<Element> StateReader::Values() {
  HR_ASSIGN_OR_RETURN(const int64_t count, IntIn(0, static_cast<int64_t>(values_.size() - at_)));
  const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(at_);
  if (count > static_cast<int64_t>(values_.size() - at_))
    return OtherPipeline("an element", "the end");
  at_ += static_cast<size_t>(count);
  return Element(begin, begin + count);
}

Status StateReader::End() const {
  if (at_ == values_.size()) return absl::OkStatus();
  return OtherPipeline("the end", values_[at_].ToString());
}

}  // namespace headrace

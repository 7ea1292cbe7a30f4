#include <algorithm>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/ops/data/accumulator_resource.h"
#include "headrace/tensor/float16.h"

namespace headrace {
namespace {

template <class T>
void AddTo(std::span<T> sum, const T* more) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = static_cast<T>(sum[i] + more[i]);
}

template <class T>
void DivideBy(std::span<T> sum, int64_t count) {
  if (count == 1) return;
  const T divisor = static_cast<T>(static_cast<float>(count));
  for (T& x : sum) x = static_cast<T>(x / divisor);
}

template <class T>
class DenseSum final : public GradientSum {
 public:
  explicit DenseSum(const PartialShape& shape) : shape_(shape) {}

  Status Add(std::span<const Tensor* const> gradient) override {
    const Tensor& given = *gradient[0];
    const PartialShape expected = sum_.valid() ? PartialShape(sum_.shape()) : shape_;
    if (!expected.IsCompatibleWith(PartialShape(given.shape()))) {
      return InvalidArgument("Shape mismatch: expected ", expected.ToString(), ", got ",
                             given.shape().ToString());
    }
    if (!sum_.valid()) {
      sum_ = given.Clone();
    } else {
      AddTo(sum_.flat<T>(), given.data<T>());
    }
    return absl::OkStatus();
  }
  std::vector<Tensor> Take(int64_t count, bool mean) override {
    if (mean) DivideBy(sum_.flat<T>(), count);
    return {std::exchange(sum_, Tensor())};
  }
  int64_t memory_bytes() const override {
    return sum_.valid() ? static_cast<int64_t>(sum_.size_bytes()) : 0;
  }

 private:
  const PartialShape shape_;
  Tensor sum_;  // invalid: no gradient yet
};

template <class T>
class SparseSum final : public GradientSum {
 public:
  explicit SparseSum(const PartialShape& shape) : shape_(shape) {}

  Status Add(std::span<const Tensor* const> gradient) override {
    const Tensor& indices = *gradient[0];
    const Tensor& values = *gradient[1];
    HR_RETURN_IF_ERROR(Check(indices, values));
    if (gradient.size() > 2) HR_RETURN_IF_ERROR(CheckShape(*gradient[2], values));
    if (!row_shape_.has_rank()) row_shape_ = PartialShape(values.shape().dims().subspan(1));
    const size_t width = static_cast<size_t>(row_shape_.num_elements());
    ++additions_;
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      const T* from = values.data<T>() + static_cast<size_t>(i) * width;
      auto [it, added] = rows_.try_emplace(indices.data<int64_t>()[i]);
      Row& row = it->second;
      if (added) {
        row.values.assign(from, from + width);
      } else {
        AddTo(std::span(row.values), from);
      }
      // An index that one gradient has twice counts once.
      row.count += row.last_addition != additions_;
      row.last_addition = additions_;
    }
    return absl::OkStatus();
  }

  std::vector<Tensor> Take(int64_t count, bool mean) override {
    std::vector<int64_t> dims{static_cast<int64_t>(rows_.size())};
    dims.insert(dims.end(), row_shape_.dims().begin(), row_shape_.dims().end());
    Tensor indices(DType::kInt64, Shape{dims[0]}), values(kDTypeOf<T>, Shape(dims));
    int64_t* index = indices.data<int64_t>();
    T* to = values.data<T>();
    for (auto& [at, row] : rows_) {
      if (mean) DivideBy(std::span(row.values), row.count);
      *index++ = at;
      to = std::copy(row.values.begin(), row.values.end(), to);
    }
    Tensor shape(DType::kInt64, Shape{static_cast<int64_t>(dims.size())});
    std::copy(dims.begin(), dims.end(), shape.data<int64_t>());
    *shape.data<int64_t>() = shape_.rank() > 0 ? shape_.dim(0) : PartialShape::kUnknown;
    rows_.clear();
    row_shape_ = PartialShape();
    return {std::move(indices), std::move(values), std::move(shape)};
  }

  int64_t memory_bytes() const override {
    return static_cast<int64_t>(rows_.size()) * std::max<int64_t>(row_shape_.num_elements(), 0) *
           static_cast<int64_t>(sizeof(T));
  }

 private:
  struct Row {
    std::vector<T> values;
    int64_t count = 0;
    int64_t last_addition = 0;
  };

  Status Check(const Tensor& indices, const Tensor& values) const {
    if (indices.rank() != 1) {
      return InvalidArgument("Input indices should be vector but received shape: ",
                             indices.shape().ToString());
    }
    if (values.rank() < 1) {
      return InvalidArgument("Values cannot be 0-dimensional: one row for each index is expected");
    }
    if (values.dim(0) != indices.num_elements()) {
      return InvalidArgument("Expected ", indices.num_elements(), " non-empty input values, got ",
                             values.dim(0));
    }
    const PartialShape row(values.shape().dims().subspan(1));
    PartialShape expected = row_shape_;
    if (!expected.has_rank() && shape_.rank() > 0)
      expected = PartialShape(shape_.dims().subspan(1));
    if (expected.has_rank() && expected.rank() != row.rank()) {
      return InvalidArgument("Shape mismatch: expected values rank ", expected.rank() + 1, ", got ",
                             values.rank());
    }
    for (int d = 0; d < expected.rank(); ++d) {
      if (expected.dim(d) < 0 || expected.dim(d) == row.dim(d)) continue;
      return InvalidArgument("Shape mismatch: expected values dim ", d + 1, " to be ",
                             expected.dim(d), ", got ", row.dim(d));
    }
    const int64_t limit = shape_.rank() > 0 ? shape_.dim(0) : -1;
    for (int64_t i = 0; i < indices.num_elements(); ++i) {
      const int64_t index = indices.data<int64_t>()[i];
      if (index >= 0 && (limit < 0 || index < limit)) continue;
      return InvalidArgument("Shape mismatch: index of slice ", i,
                             " exceeded limits of shape; index is ", index, " exceeded ", limit);
    }
    return absl::OkStatus();
  }

  // The shape that comes with a gradient, where one does.
  Status CheckShape(const Tensor& shape, const Tensor& values) const {
    if (shape.num_elements() == 0) return absl::OkStatus();
    const std::span<const int64_t> dims = shape.flat<int64_t>();
    bool fits = static_cast<int>(dims.size()) == values.rank();
    for (int d = 1; fits && d < values.rank(); ++d)
      fits = dims[static_cast<size_t>(d)] == values.dim(d);
    if (fits && shape_.rank() > 0) fits = shape_.IsCompatibleWith(PartialShape(dims));
    if (fits) return absl::OkStatus();
    return InvalidArgument("Shape mismatch: the gradient says it has shape ",
                           PartialShape(dims).ToString(), ", its values have shape ",
                           values.shape().ToString(), ", the accumulator ", shape_.ToString());
  }

  const PartialShape shape_;  // of rank 0, as TensorFlow's optimizers state it: not known
  PartialShape row_shape_;    // unknown rank: no gradient yet
  int64_t additions_ = 0;
  std::map<int64_t, Row> rows_;
};

template <template <class> class Sum>
std::unique_ptr<GradientSum> MakeSum(DType type, const PartialShape& shape) {
  if (type == DType::kFloat16) return std::make_unique<Sum<Half>>(shape);
  if (type == DType::kFloat64) return std::make_unique<Sum<double>>(shape);
  return std::make_unique<Sum<float>>(shape);
}

}  // namespace

std::unique_ptr<GradientSum> MakeDenseSum(DType type, const PartialShape& shape) {
  return MakeSum<DenseSum>(type, shape);
}

std::unique_ptr<GradientSum> MakeSparseSum(DType type, const PartialShape& shape) {
  return MakeSum<SparseSum>(type, shape);
}

}  // namespace headrace

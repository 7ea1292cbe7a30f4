// TensorDataset, TensorSliceDataset, SparseTensorSliceDataset, RangeDataset.
#include <algorithm>
#include <limits>

#include "headrace/ops/data/kept_value.h"
#include "headrace/ops/dataset/dataset_kernel.h"
#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/pipeline_state.h"

namespace headrace {
namespace {

// A dataset whose elements are known by their number.
class IndexedDataset : public Dataset {
 public:
  IndexedDataset(std::vector<DType> types, std::vector<PartialShape> shapes, int64_t count)
      : Dataset(std::move(types), std::move(shapes)), count_(count) {}
  int64_t Cardinality() const final { return count_; }
  virtual Status Get(int64_t i, Element& element) const = 0;

 private:
  class Position final : public IteratorOf<IndexedDataset> {
   public:
    using IteratorOf::IteratorOf;
    StatusOr<bool> Next(const IterationContext&, Element& element) override {
      if (next_ == dataset().count_) return false;
      HR_RETURN_IF_ERROR(dataset().Get(next_, element));
      ++next_;
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin(dataset().name());
      state.Int(next_);
      return absl::OkStatus();
    }
    Status Restore(const IterationContext&, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin(dataset().name()));
      HR_ASSIGN_OR_RETURN(next_, state.IntIn(0, dataset().count_));
      return absl::OkStatus();
    }

   private:
    int64_t next_ = 0;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext&,
                                                   std::string place) const final {
    return std::make_unique<Position>(
        std::static_pointer_cast<const IndexedDataset>(shared_from_this()), std::move(place));
  }

  const int64_t count_;
};

class TensorDataset final : public IndexedDataset {
 public:
  TensorDataset(std::vector<DType> types, std::vector<PartialShape> shapes, Element element)
      : IndexedDataset(std::move(types), std::move(shapes), 1), element_(std::move(element)) {}
  std::string_view name() const override { return "Tensor"; }
  Status Get(int64_t, Element& element) const override {
    element = element_;
    return absl::OkStatus();
  }

 private:
  const Element element_;
};

class TensorSliceDataset final : public IndexedDataset {
 public:
  TensorSliceDataset(std::vector<DType> types, std::vector<PartialShape> shapes, Element whole)
      : IndexedDataset(std::move(types), std::move(shapes), whole[0].dim(0)),
        whole_(std::move(whole)) {}
  std::string_view name() const override { return "TensorSlice"; }
  Status Get(int64_t i, Element& element) const override {
    element.clear();
    for (const Tensor& tensor : whole_) {
      element.push_back(
          tensor.SliceDim0(i, i + 1).Reshaped(Shape(tensor.shape().dims().subspan(1))));
    }
    return absl::OkStatus();
  }

 private:
  const Element whole_;
};

class RangeDataset final : public IndexedDataset {
 public:
  RangeDataset(int64_t start, int64_t step, int64_t count)
      : IndexedDataset({DType::kInt64}, {Shape()}, count), start_(start), step_(step) {}
  std::string_view name() const override { return "Range"; }
  Status Get(int64_t i, Element& element) const override {
    element = {Tensor::Scalar(start_ + i * step_)};
    return absl::OkStatus();
  }

 private:
  const int64_t start_, step_;
};

// Rows of a sparse tensor; those without values are empty sparse tensors.
class SparseTensorSliceDataset final : public IndexedDataset {
 public:
  SparseTensorSliceDataset(Tensor indices, Tensor values, Tensor shape, std::vector<int64_t> begins)
      : IndexedDataset({DType::kInt64, values.dtype(), DType::kInt64},
                       {PartialShape{-1, indices.dim(1) - 1}, PartialShape{-1},
                        PartialShape{indices.dim(1) - 1}},
                       static_cast<int64_t>(begins.size()) - 1),
        indices_(std::move(indices)),
        values_(std::move(values)),
        shape_(std::move(shape)),
        begins_(std::move(begins)) {}
  std::string_view name() const override { return "SparseTensorSlice"; }
  Status Get(int64_t i, Element& element) const override {
    const int64_t begin = begins_[static_cast<size_t>(i)],
                  end = begins_[static_cast<size_t>(i) + 1];
    const int64_t rank = indices_.dim(1);
    Tensor indices(DType::kInt64, {end - begin, rank - 1});
    for (int64_t k = begin; k < end; ++k) {
      std::copy_n(indices_.data<int64_t>() + k * rank + 1, rank - 1,
                  indices.data<int64_t>() + (k - begin) * (rank - 1));
    }
    element = {std::move(indices), values_.SliceDim0(begin, end), shape_.SliceDim0(1, rank)};
    return absl::OkStatus();
  }

 private:
  const Tensor indices_, values_, shape_;
  const std::vector<int64_t> begins_;  // of the values of each row, and the end
};

Element KeptInputs(KernelContext& ctx) {
  Element element;
  for (int i = 0; i < ctx.num_inputs(); ++i) element.push_back(KeptValue(ctx.input(i)));
  return element;
}

StatusOr<std::vector<int64_t>> RowBegins(const Tensor& indices, int64_t rows) {
  std::vector<int64_t> begins{0};
  const int64_t rank = indices.dim(1);
  int64_t before = 0;
  for (int64_t k = 0; k < indices.dim(0); ++k) {
    const int64_t row = indices.data<int64_t>()[k * rank];
    if (row < before) {
      return Unimplemented("The SparseTensor must be ordered in the batch dimension; handling ",
                           "arbitrarily ordered input is not currently supported.");
    }
    if (row >= rows) {
      return InvalidArgument("indices[", k, ", 0] = ", row,
                             " is outside of dense_shape, which has ", rows, " rows");
    }
    begins.resize(static_cast<size_t>(row) + 1, k);
    before = row;
  }
  begins.resize(static_cast<size_t>(rows) + 1, indices.dim(0));
  return begins;
}

StatusOr<DatasetPtr> MakeTensor(KernelContext& ctx) {
  return std::make_shared<TensorDataset>(StatedTypes(ctx), StatedShapes(ctx), KeptInputs(ctx));
}

StatusOr<DatasetPtr> MakeTensorSlice(KernelContext& ctx) {
  Element whole = KeptInputs(ctx);
  for (const Tensor& tensor : whole) {
    if (tensor.rank() == 0) return InvalidArgument("All components must be at least 1-dimensional");
    if (tensor.dim(0) != whole[0].dim(0)) {
      return InvalidArgument("All components must have the same size in the 0th dimension");
    }
  }
  return std::make_shared<TensorSliceDataset>(StatedTypes(ctx), StatedShapes(ctx),
                                              std::move(whole));
}

StatusOr<DatasetPtr> MakeRange(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const int64_t start, ScalarInput<int64_t>(ctx, 0, "start"));
  HR_ASSIGN_OR_RETURN(const int64_t stop, ScalarInput<int64_t>(ctx, 1, "stop"));
  HR_ASSIGN_OR_RETURN(const int64_t step, ScalarInput<int64_t>(ctx, 2, "step"));
  if (step == 0) return InvalidArgument("step must be a non-zero integer.");
  // Unsigned: the distance of any two numbers fits.
  const bool up = step > 0;
  const uint64_t width =
      up ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  uint64_t distance = 0;
  if (up && stop > start) distance = static_cast<uint64_t>(stop) - static_cast<uint64_t>(start);
  if (!up && stop < start) distance = static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
  const uint64_t count = distance / width + (distance % width != 0);
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return std::make_shared<RangeDataset>(start, step, static_cast<int64_t>(std::min(count, kMost)));
}

StatusOr<DatasetPtr> MakeSparseTensorSlice(KernelContext& ctx) {
  const Tensor &indices = ctx.input(0), &values = ctx.input(1), &shape = ctx.input(2);
  if (indices.rank() != 2) {
    return InvalidArgument("Input indices should be a matrix but received shape ",
                           indices.shape().ToString());
  }
  if (values.rank() != 1) {
    return InvalidArgument("Input values should be a vector but received shape ",
                           values.shape().ToString());
  }
  if (shape.rank() != 1) {
    return InvalidArgument("Input shape should be a vector but received shape ",
                           shape.shape().ToString());
  }
  if (indices.dim(0) != values.dim(0) || indices.dim(1) != shape.dim(0) || shape.dim(0) == 0) {
    return InvalidArgument("indices ", indices.shape().ToString(), ", values ",
                           values.shape().ToString(), " and dense_shape ", shape.shape().ToString(),
                           " are not those of a sparse tensor of rank 1 or more");
  }
  const int64_t rows = shape.data<int64_t>()[0];
  constexpr int64_t kMostRows = int64_t{1} << 32;
  if (rows < 0 || rows > kMostRows)
    return InvalidArgument("dense_shape[0] must be in [0, 2^32], got ", rows);
  HR_ASSIGN_OR_RETURN(std::vector<int64_t> begins, RowBegins(indices, rows));
  return std::make_shared<SparseTensorSliceDataset>(KeptValue(indices), KeptValue(values),
                                                    KeptValue(shape), std::move(begins));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeTensorDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeTensor>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeTensorSliceDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeTensorSlice>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeRangeDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeRange>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseTensorSliceDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeSparseTensorSlice>(init);
}

}  // namespace headrace

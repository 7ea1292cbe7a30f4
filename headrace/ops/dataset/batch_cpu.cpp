// BatchDataset, PaddedBatchDataset, and their V2.
#include <algorithm>

#include "headrace/ops/data/kept_value.h"
#include "headrace/ops/dataset/batch_dataset.h"
#include "headrace/ops/dataset/batch_rows.h"
#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

struct BatchOptions {
  int64_t size = 1;
  bool drop_remainder = false;
};

// What makes a batch of rows.
class Stacking {
 public:
  virtual ~Stacking() = default;
  virtual StatusOr<Element> Stack(const std::vector<Element>& rows) const = 0;
};

class PlainStacking final : public Stacking {
 public:
  StatusOr<Element> Stack(const std::vector<Element>& rows) const override {
    Element batch;
    for (size_t c = 0; c < rows[0].size(); ++c) {
      HR_ASSIGN_OR_RETURN(Tensor component, BatchRows(rows, c));
      batch.push_back(std::move(component));
    }
    return batch;
  }
};

// Unknown dimensions of `shapes` become the largest of a batch.
class PaddedStacking final : public Stacking {
 public:
  PaddedStacking(std::vector<PartialShape> shapes, Element padding)
      : shapes_(std::move(shapes)), padding_(std::move(padding)) {}
  StatusOr<Element> Stack(const std::vector<Element>& rows) const override {
    Element batch;
    for (size_t c = 0; c < rows[0].size(); ++c) {
      HR_ASSIGN_OR_RETURN(const Shape shape, RowShape(rows, c));
      HR_ASSIGN_OR_RETURN(Tensor component, PaddedRows(rows, c, shape, padding_[c]));
      batch.push_back(std::move(component));
    }
    return batch;
  }

 private:
  StatusOr<Shape> RowShape(const std::vector<Element>& rows, size_t c) const {
    const PartialShape& asked = shapes_[c];
    std::vector<int64_t> dims(static_cast<size_t>(asked.rank()));
    for (const Element& row : rows) {
      const Shape& shape = row[c].shape();
      if (shape.rank() != asked.rank()) {
        return InvalidArgument(
            "All elements in a batch must have the same rank as the padded shape for component", c,
            ": expected rank ", asked.rank(), " but got element with rank ", shape.rank());
      }
      for (int d = 0; d < shape.rank(); ++d) {
        if (asked.dim(d) >= 0 && shape.dim(d) > asked.dim(d)) {
          return DataLoss("Attempted to pad to a smaller size than the input element.");
        }
        int64_t& dim = dims[static_cast<size_t>(d)];
        dim = asked.dim(d) >= 0 ? asked.dim(d) : std::max(dim, shape.dim(d));
      }
    }
    return Shape::Make(dims);
  }

  static Status DataLoss(std::string_view text) { return absl::DataLossError(std::string(text)); }

  const std::vector<PartialShape> shapes_;
  const Element padding_;
};

class BatchDataset final : public UnaryDataset {
 public:
  BatchDataset(std::string_view name, DatasetPtr input, std::vector<PartialShape> shapes,
               BatchOptions options, std::unique_ptr<Stacking> stacking)
      : UnaryDataset(input, input->types(), std::move(shapes)),
        name_(name),
        options_(options),
        stacking_(std::move(stacking)) {}
  std::string_view name() const override { return name_; }
  int64_t Cardinality() const override {
    const int64_t count = input().Cardinality();
    if (count < 0) return count;
    return count / options_.size + (!options_.drop_remainder && count % options_.size != 0);
  }

 private:
  class Position final : public UnaryIterator<BatchDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      const BatchOptions& options = dataset().options_;
      rows_.clear();
      while (input_ != nullptr && static_cast<int64_t>(rows_.size()) < options.size) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        Element row;
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, row));
        if (more) {
          rows_.push_back(std::move(row));
        } else {
          input_.reset();
        }
      }
      const bool full = static_cast<int64_t>(rows_.size()) == options.size;
      if (rows_.empty() || (!full && options.drop_remainder)) return false;
      StatusOr<Element> batch = dataset().stacking_->Stack(rows_);
      rows_.clear();
      HR_ASSIGN_OR_RETURN(element, std::move(batch));
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin(dataset().name_);
      state.Int(input_ == nullptr);
      return input_ == nullptr ? absl::OkStatus() : input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin(dataset().name_));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      if (ended != 0) input_.reset();
      return input_ == nullptr ? absl::OkStatus() : input_->Restore(ctx, state);
    }

   private:
    std::vector<Element> rows_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, BatchDataset>(ctx, std::move(place));
  }

  const std::string_view name_;
  const BatchOptions options_;
  const std::unique_ptr<const Stacking> stacking_;
};

// batch_size at input 1, drop_remainder (V2) last.
StatusOr<BatchOptions> Options(KernelContext& ctx) {
  BatchOptions options;
  HR_ASSIGN_OR_RETURN(options.size, ScalarInput<int64_t>(ctx, 1, "batch_size"));
  if (options.size <= 0) return InvalidArgument("Batch size must be greater than zero.");
  if (ctx.node().op_name().ends_with("V2")) {
    HR_ASSIGN_OR_RETURN(options.drop_remainder,
                        ScalarInput<bool>(ctx, ctx.num_inputs() - 1, "drop_remainder"));
  }
  return options;
}

std::vector<PartialShape> Batched(const std::vector<PartialShape>& shapes,
                                  const BatchOptions& options) {
  std::vector<PartialShape> batched;
  for (const PartialShape& shape : shapes) {
    batched.push_back(
        BatchedShape(shape, options.drop_remainder ? options.size : PartialShape::kUnknown));
  }
  return batched;
}

StatusOr<DatasetPtr> MakeBatch(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const BatchOptions options, Options(ctx));
  return BatchedDataset(std::move(input), options.size, options.drop_remainder);
}

StatusOr<PartialShape> PaddedShape(const Tensor& dims) {
  if (dims.rank() != 1) return InvalidArgument("All padded shapes must be vectors");
  return PartialShape::Make(dims.flat<int64_t>());
}

Status CheckPadding(const Tensor& padding, DType type) {
  if (padding.rank() != 0) return InvalidArgument("All padding values must be scalars");
  if (padding.dtype() == type) return absl::OkStatus();
  return InvalidArgument(
      "Mismatched type between padding value and input dataset's component: expected ",
      DTypeName(type), " but got ", DTypeName(padding.dtype()));
}

StatusOr<DatasetPtr> MakePaddedBatch(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const BatchOptions options, Options(ctx));
  const auto components = ctx.node().attrs().Get<int64_t>("N");
  if (components != static_cast<int64_t>(input->types().size())) {
    return InvalidArgument(
        "Number of padded shapes (", components,
        ") must match the number of components in the input dataset's elements (",
        input->types().size(), ")");
  }
  std::vector<PartialShape> shapes;
  Element padding;
  for (int c = 0; c < static_cast<int>(components); ++c) {
    HR_ASSIGN_OR_RETURN(PartialShape shape, PaddedShape(ctx.input(2 + c)));
    shapes.push_back(shape);
    const Tensor& value = ctx.input(2 + static_cast<int>(components) + c);
    HR_RETURN_IF_ERROR(CheckPadding(value, input->types()[static_cast<size_t>(c)]));
    padding.push_back(KeptValue(value));
  }
  std::vector<PartialShape> batched = Batched(shapes, options);
  return std::make_shared<BatchDataset>(
      "PaddedBatch", std::move(input), std::move(batched), options,
      std::make_unique<PaddedStacking>(std::move(shapes), std::move(padding)));
}

}  // namespace

DatasetPtr BatchedDataset(DatasetPtr input, int64_t size, bool drop_remainder) {
  const BatchOptions options{.size = size, .drop_remainder = drop_remainder};
  std::vector<PartialShape> shapes = Batched(input->shapes(), options);
  return std::make_shared<BatchDataset>("Batch", std::move(input), std::move(shapes), options,
                                        std::make_unique<PlainStacking>());
}

StatusOr<std::unique_ptr<Kernel>> MakeBatchDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakeBatch>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakePaddedBatchDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakePaddedBatch>(init);
}

}  // namespace headrace

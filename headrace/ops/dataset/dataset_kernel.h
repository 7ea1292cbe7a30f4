// Kernels of ops that make a dataset: one function each.
//
//   StatusOr<DatasetPtr> MakeTake(KernelContext& ctx) {
//     HR_ASSIGN_OR_RETURN(const DatasetPtr input, DatasetInput(ctx, 0));
//     HR_ASSIGN_OR_RETURN(const int64_t count, ScalarInput<int64_t>(ctx, 1, "count"));
//     return std::make_shared<TakeDataset>(input, count);
//   }
//   ... .Cpu({.make = MakeDatasetKernel<MakeTake>})
#pragma once

#include "headrace/ops/dataset/dataset.h"

namespace headrace {

// Input i. Errors: InvalidArgument for a variant that holds no dataset.
StatusOr<DatasetPtr> DatasetInput(KernelContext& ctx, int i);

// A scalar. Errors: InvalidArgument "count must be a scalar".
template <class T>
StatusOr<T> ScalarInput(KernelContext& ctx, int i, std::string_view name) {
  const Tensor& input = ctx.input(i);
  if (input.rank() != 0)
    return InvalidArgument(name, " must be a scalar, got shape ", input.shape().ToString());
  return input.scalar<T>();
}
// A scalar or vector of strings. Errors: InvalidArgument "`filenames` must be a scalar or a vector.".
StatusOr<std::vector<std::string>> StringsInput(KernelContext& ctx, int i, std::string_view name);

// What the node states of its elements.
std::vector<DType> StatedTypes(KernelContext& ctx);
std::vector<PartialShape> StatedShapes(KernelContext& ctx);

// InvalidArgument "Number of components does not match: expected 2 types but got 1." or "Data type mismatch at
// component 0: expected int64 but got float32.".
Status CheckTypes(const std::vector<DType>& expected, const std::vector<DType>& received);
// InvalidArgument "Incompatible shapes at component 0: expected [2] but got [3].".
Status CheckShapes(const std::vector<PartialShape>& expected,
                   const std::vector<PartialShape>& received);

template <StatusOr<DatasetPtr> (*kMake)(KernelContext&)>
StatusOr<std::unique_ptr<Kernel>> MakeDatasetKernel(const KernelInit&) {
  class DatasetKernel final : public Kernel {
    Status Compute(KernelContext& ctx) override {
      HR_ASSIGN_OR_RETURN(DatasetPtr dataset, kMake(ctx));
      ctx.SetOutput(0, DatasetTensor(std::move(dataset)));
      return absl::OkStatus();
    }
  };
  return std::make_unique<DatasetKernel>();
}

}  // namespace headrace

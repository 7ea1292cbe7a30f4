#include "headrace/ops/dataset/dataset.h"

namespace headrace {

Tensor DatasetTensor(DatasetPtr dataset) {
  return Tensor::Scalar(Variant{std::move(dataset)});
}

StatusOr<DatasetPtr> DatasetFromTensor(const Tensor& tensor) {
  if (tensor.dtype() != DType::kVariant || tensor.num_elements() != 1) {
    return InvalidArgument(
        "The given tensor does not represent a dataset: a scalar variant is wanted, got ",
        tensor.ToString());
  }
  auto dataset = std::dynamic_pointer_cast<const Dataset>(tensor.scalar<Variant>().object);
  if (dataset == nullptr)
    return InvalidArgument("The given variant tensor does not hold a dataset.");
  return dataset;
}

}  // namespace headrace

// The element type of DType::kVariant tensors: a shared object that only the ops of its own family look into
// (datasets, the state of an iterator, optional values). Others hand it on whole.
//
//   class Dataset : public VariantObject { ... };
//   Tensor handle = Tensor::Scalar(Variant{std::move(dataset)});
//   auto dataset = std::dynamic_pointer_cast<const Dataset>(handle.scalar<Variant>().object);
//
// Objects never change once they are in a tensor, so that copies may share them between threads.
#pragma once

#include <memory>
#include <string_view>

#include "headrace/tensor/dtype.h"

namespace headrace {

class VariantObject {
 public:
  virtual ~VariantObject() = default;
  virtual std::string_view kind() const = 0;  // "dataset"
};

struct Variant {
  std::shared_ptr<const VariantObject> object;  // null: nothing yet
};

namespace internal {
template <>
struct DTypeOfImpl<Variant> {
  static constexpr DType value = DType::kVariant;
};
}  // namespace internal

}  // namespace headrace

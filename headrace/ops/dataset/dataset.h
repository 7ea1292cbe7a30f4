// Datasets: what elements a pipeline of input has; iterators: where a program stands in it.
//
//   class TakeDataset final : public Dataset {
//     StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx, std::string place) const override;
//   };
//   HR_ASSIGN_OR_RETURN(std::unique_ptr<Iterator> it, dataset->Iterate(ctx, "Iterator"));
//   for (Element element;;) { HR_ASSIGN_OR_RETURN(bool more, it->Next(ctx, element)); if (!more) break; ... }
//
// What was decided, for writers of further datasets:
// - A dataset is an immutable object in a scalar variant tensor (DatasetFromTensor, DatasetTensor). Kernels of dataset
//   ops make one from their inputs (dataset_kernel.h); its tensors own their bytes (KeptValue), as it outlives the step.
// - An iterator belongs to one thread at a time: whoever shares it holds a lock (the iterator op does). One that
//   computes ahead owns threads (background_thread.h), which are the only users of its input iterator, and ends them
//   in its destructor.
// - The context is a small value that comes with each call, because a step that asks for an element has a
//   cancellation of its own. A background thread makes a copy with a cancellation that its iterator owns. Device and
//   resources outlive all iterators. Long loops look at `ctx.cancellation` (CheckCancelled), waits wait through it.
// - Elements own their bytes and are never written to once handed out, unless Tensor::unique().
// - `place` names an iterator within its pipeline ("Iterator::Zip[1]::Shuffle"). Iterators that stand at one place
//   one after the other (epochs of a repeat) find there what they keep between passes: IterationMemory.
// - Save and Restore write and read the same values in the same order (pipeline_state.h). Restore is called on a
//   fresh iterator of an equal dataset.
// - Functions (map, filter) are held by their datasets; their calls get what they need from the context.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/base/cancellation.h"
#include "headrace/base/strings.h"
#include "headrace/kernel/kernel.h"
#include "headrace/tensor/variant.h"

namespace headrace {

class StateReader;  // pipeline_state.h
class StateWriter;

// One tensor for each component.
using Element = std::vector<Tensor>;

// What iterators of one pipeline keep between passes, by place: a shuffle its sequence of seeds, a cache its elements.
// Thread-safe.
class IterationMemory {
 public:
  template <class T, class Make>
  std::shared_ptr<T> FindOrMake(const std::string& place, Make make) {
    std::lock_guard lock(mutex_);
    std::shared_ptr<void>& entry = entries_[place];
    if (entry == nullptr) entry = std::shared_ptr<T>(make());
    return std::static_pointer_cast<T>(entry);  // one kind of dataset stands at a place
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<void>> entries_;
};

struct IterationContext {
  Cancellation* cancellation = nullptr;  // of the call
  Device* device = nullptr;              // where functions run
  ResourceStore* resources = nullptr;
  std::shared_ptr<IterationMemory> memory;
  // What OptimizeDataset asked for: a repeat of a shuffle draws from one buffer across epochs.
  bool fuse_shuffle_and_repeat = false;

  Status CheckCancelled() const {
    return cancellation->cancelled() ? cancellation->status() : Status();
  }
  IterationContext With(Cancellation& other) const {
    IterationContext copy = *this;
    copy.cancellation = &other;
    return copy;
  }
};

class Iterator {
 public:
  virtual ~Iterator() = default;
  // The next element; false at the end, and from then on. After an error the iterator may be asked again.
  virtual StatusOr<bool> Next(const IterationContext& ctx, Element& element) = 0;
  virtual Status Save(StateWriter& state) const = 0;
  virtual Status Restore(const IterationContext& ctx, StateReader& state) = 0;
};

class Dataset : public VariantObject, public std::enable_shared_from_this<Dataset> {
 public:
  static constexpr int64_t kInfinite = -1, kUnknownCount = -2;

  Dataset(std::vector<DType> types, std::vector<PartialShape> shapes)
      : types_(std::move(types)), shapes_(std::move(shapes)) {}

  std::string_view kind() const final { return "dataset"; }
  virtual std::string_view name() const = 0;  // "Take", as places show it
  const std::vector<DType>& types() const { return types_; }
  const std::vector<PartialShape>& shapes() const { return shapes_; }
  // How many elements there are, where that can be told without looking at them.
  virtual int64_t Cardinality() const { return kUnknownCount; }

  // An iterator before the first element, which keeps this dataset alive.
  StatusOr<std::unique_ptr<Iterator>> Iterate(const IterationContext& ctx,
                                              std::string_view parent_place) const {
    return MakeIterator(ctx, StrCat(parent_place, "::", name()));
  }

 private:
  virtual StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                           std::string place) const = 0;

  const std::vector<DType> types_;
  const std::vector<PartialShape> shapes_;
};

using DatasetPtr = std::shared_ptr<const Dataset>;

Tensor DatasetTensor(DatasetPtr dataset);
// Errors: InvalidArgument for a tensor that holds no dataset.
StatusOr<DatasetPtr> DatasetFromTensor(const Tensor& tensor);

// The usual shape of an iterator: knows its dataset and its place.
template <class D>
class IteratorOf : public Iterator {
 public:
  IteratorOf(std::shared_ptr<const D> dataset, std::string place)
      : dataset_(std::move(dataset)), place_(std::move(place)) {}

 protected:
  const D& dataset() const { return *dataset_; }
  const std::string& place() const { return place_; }

 private:
  const std::shared_ptr<const D> dataset_;
  const std::string place_;
};

}  // namespace headrace

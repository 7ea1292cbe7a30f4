// State that outlives a step: variables, random generators, queues; found by container and name.
//
//   HR_ASSIGN_OR_RETURN(std::shared_ptr<VariableResource> w, store.LookupOrCreate<VariableResource>("", "layer1/w", [] {...}));
//
// Thread-safe. Destroyed with the last of: the store's entry, kernels and handles that refer to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "headrace/base/location.h"
#include "headrace/base/strings.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

class Resource {
 public:
  virtual ~Resource() = default;
  virtual std::string_view kind() const = 0;  // "variable", "queue"
  virtual int64_t memory_bytes() const { return 0; }
};

class ResourceStore {
 public:
  // Errors: NotFound; InvalidArgument when the name holds another kind.
  template <class T>
  StatusOr<std::shared_ptr<T>> Lookup(std::string_view container, std::string_view name) const {
    std::shared_ptr<Resource> found = Find(container, name);
    if (found == nullptr) return NotFound("resource '", container, "/", name, "' does not exist");
    return Cast<T>(std::move(found), name);
  }
  template <class T>
  StatusOr<std::shared_ptr<T>> LookupOrCreate(std::string_view container, std::string_view name,
                                              const std::function<StatusOr<std::shared_ptr<T>>()>& make) {
    std::lock_guard lock(mutex_);
    auto it = entries_.find(std::pair(std::string(container), std::string(name)));
    if (it != entries_.end()) return Cast<T>(it->second, name);
    HR_ASSIGN_OR_RETURN(std::shared_ptr<T> made, make());
    entries_.emplace(std::pair(std::string(container), std::string(name)), made);
    return made;
  }
  // NotFound if there is none.
  Status Remove(std::string_view container, std::string_view name);
  void RemoveContainer(std::string_view container);
  void Clear();
  int64_t memory_bytes() const;
  std::vector<std::pair<std::string, std::shared_ptr<Resource>>> List() const;  // by name

 private:
  std::shared_ptr<Resource> Find(std::string_view container, std::string_view name) const;
  template <class T>
  static StatusOr<std::shared_ptr<T>> Cast(std::shared_ptr<Resource> resource, std::string_view name) {
    auto typed = std::dynamic_pointer_cast<T>(resource);
    if (typed == nullptr) return InvalidArgument("resource '", name, "' is a ", resource->kind());
    return typed;
  }
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<Resource>> entries_;
};

// The value behind VariableV2. A read shares the bytes; a write while readers hold them goes to fresh bytes, so a
// reader never sees a value change. With no reader, writes are in place and allocate nothing.
class VariableResource final : public Resource {
 public:
  VariableResource(std::string name, DType type, PartialShape shape, Allocator& allocator, Location where = {})
      : name_(std::move(name)), type_(type), shape_(shape), allocator_(allocator), allocator_owner_(allocator.Share()), where_(where) {}

  std::string_view kind() const override { return "variable"; }
  int64_t memory_bytes() const override;
  const std::string& name() const { return name_; }
  DType dtype() const { return type_; }
  const PartialShape& shape() const { return shape_; }
  Allocator& allocator() const { return allocator_; }

  bool initialized() const;
  // FailedPrecondition "Attempting to use uninitialized value w" (with the line that made it).
  StatusOr<Tensor> Read() const;
  // The same without Status, for hot paths: an invalid tensor if uninitialised.
  Tensor ReadOrInvalid() const;
  // Replaces the value; shares `value`'s bytes if it owns them alone, else copies. InvalidArgument for another
  // dtype, or (with `validate_shape`) for a shape that does not fit.
  Status Assign(const Tensor& value, bool validate_shape = true);
  // Runs `update` on the value with exclusive access; the value's bytes belong to nobody else meanwhile.
  // FailedPrecondition if uninitialised.
  Status Update(absl::FunctionRef<Status(Tensor& value)> update);
  // Writes so far.
  int64_t version() const;

 private:
  const std::string name_;
  const DType type_;
  const PartialShape shape_;
  Allocator& allocator_;
  const std::shared_ptr<Allocator> allocator_owner_;  // a shared store outlives the devices of a session
  const Location where_;
  mutable std::mutex mutex_;
  Tensor value_;
  int64_t version_ = 0;
};

}  // namespace headrace

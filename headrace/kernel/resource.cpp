#include "headrace/kernel/resource.h"

namespace headrace {

std::shared_ptr<Resource> ResourceStore::Find(std::string_view container,
                                              std::string_view name) const {
  std::lock_guard lock(mutex_);
  auto it = entries_.find(std::pair(std::string(container), std::string(name)));
  return it == entries_.end() ? nullptr : it->second;
}

Status ResourceStore::Remove(std::string_view container, std::string_view name) {
  std::shared_ptr<Resource> removed;  // destroyed after the lock is released
  std::lock_guard lock(mutex_);
  auto it = entries_.find(std::pair(std::string(container), std::string(name)));
  if (it == entries_.end()) return NotFound("resource '", container, "/", name, "' does not exist");
  removed = std::move(it->second);
  entries_.erase(it);
  return absl::OkStatus();
}

void ResourceStore::RemoveContainer(std::string_view container) {
  std::vector<std::shared_ptr<Resource>> removed;
  std::lock_guard lock(mutex_);
  auto it = entries_.lower_bound(std::pair(std::string(container), std::string()));
  while (it != entries_.end() && it->first.first == container) {
    removed.push_back(std::move(it->second));
    it = entries_.erase(it);
  }
}

void ResourceStore::Clear() {
  decltype(entries_) removed;
  std::lock_guard lock(mutex_);
  removed.swap(entries_);
}

int64_t ResourceStore::memory_bytes() const {
  int64_t total = 0;
  for (const auto& [name, resource] : List()) total += resource->memory_bytes();
  return total;
}

std::vector<std::pair<std::string, std::shared_ptr<Resource>>> ResourceStore::List() const {
  std::vector<std::pair<std::string, std::shared_ptr<Resource>>> list;
  std::lock_guard lock(mutex_);
  list.reserve(entries_.size());
  for (const auto& [key, resource] : entries_) {
    list.emplace_back(key.first.empty() ? key.second : StrCat(key.first, "/", key.second),
                      resource);
  }
  return list;
}

namespace {

Status Uninitialized(const std::string& name, Location where) {
  return FailedPrecondition(
      "Attempting to use uninitialized value ", name,
      where.known() ? StrCat(" (made at ", where.ToString(), ")") : std::string());
}

// True if `value` is the only user of bytes of this allocator, and of all of them, so that a
// variable may keep them.
bool CanTakeOver(const Tensor& value, const Allocator& allocator) {
  return value.unique() && value.buffer()->allocator() == &allocator &&
         value.buffer()->data() == value.raw_data() &&
         value.buffer()->size_bytes() == value.size_bytes();
}

}  // namespace

int64_t VariableResource::memory_bytes() const {
  std::lock_guard lock(mutex_);
  return value_.valid() ? static_cast<int64_t>(value_.size_bytes()) : 0;
}

bool VariableResource::initialized() const {
  std::lock_guard lock(mutex_);
  return value_.valid();
}

StatusOr<Tensor> VariableResource::Read() const {
  Tensor value = ReadOrInvalid();
  if (!value.valid()) return Uninitialized(name_, where_);
  return value;
}

Tensor VariableResource::ReadOrInvalid() const {
  std::lock_guard lock(mutex_);
  return value_;
}

Status VariableResource::Assign(const Tensor& value, bool validate_shape) {
  if (value.dtype() != type_) {
    return InvalidArgument("variable '", name_, "' holds ", DTypeName(type_), ", got ",
                           DTypeName(value.dtype()));
  }
  Tensor old;  // destroyed after the lock is released
  std::lock_guard lock(mutex_);
  const bool same_shape = value_.valid() && value_.shape() == value.shape();
  if (validate_shape && !same_shape &&
      (value_.valid() || !shape_.IsCompatibleWith(PartialShape(value.shape())))) {
    return InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= ",
                           value_.valid() ? value_.shape().ToString() : shape_.ToString(),
                           " rhs shape= ", value.shape().ToString(), " (variable '", name_, "')");
  }
  ++version_;
  if (CanTakeOver(value, allocator_)) {
    old = std::exchange(value_, value);
  } else if (same_shape && value_.unique()) {
    value_.CopyElementsFrom(value);
  } else {
    StatusOr<Tensor> fresh = value.CloneTo(allocator_, name_);
    if (!fresh.ok()) {
      --version_;
      return std::move(fresh).status();
    }
    old = std::exchange(value_, *std::move(fresh));
  }
  return absl::OkStatus();
}

Status VariableResource::Update(absl::FunctionRef<Status(Tensor& value)> update) {
  Tensor old;
  std::lock_guard lock(mutex_);
  if (!value_.valid()) return Uninitialized(name_, where_);
  if (!value_.unique()) {  // somebody still reads these bytes
    HR_ASSIGN_OR_RETURN(Tensor fresh, value_.CloneTo(allocator_, name_));
    old = std::exchange(value_, std::move(fresh));
  }
  HR_RETURN_IF_ERROR(update(value_));
  ++version_;
  return absl::OkStatus();
}

int64_t VariableResource::version() const {
  std::lock_guard lock(mutex_);
  return version_;
}

}  // namespace headrace

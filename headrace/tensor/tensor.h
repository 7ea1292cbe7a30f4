// A dense array of one dtype: shape plus a counted reference to its bytes. Copying a Tensor shares the
// bytes; Clone copies them.
//
//   Tensor x = Tensor::Of<float>({1, 2, 3, 4}, {2, 2});
//   x.flat<float>()[3] = 5;
//   Tensor row = x.SliceDim0(0, 1);       // shares memory with x
//
// Thread safety: the reference count is atomic; contents follow the usual rules for plain memory.
#pragma once

#include <atomic>
#include <cassert>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/tensor/allocator.h"
#include "headrace/tensor/dtype.h"
#include "headrace/tensor/resource_handle.h"
#include "headrace/tensor/shape.h"

namespace headrace {

// Reference-counted bytes. Owns its elements (strings are destroyed with it).
class Buffer {
 public:
  // With room for `count` elements of `type`, default-constructed where the type is not plain (plain
  // bytes are left as they are). nullptr when the allocator has no room.
  static Buffer* Make(Allocator& allocator, DType type, int64_t count, std::string_view owner);
  // Memory of someone else; `release` (may be null) is called with `context` when the last reference goes.
  static Buffer* Wrap(void* data, size_t size_bytes, void (*release)(void* context), void* context);

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
  }
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1; }
  void* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }
  Allocator* allocator() const { return allocator_; }

 private:
  Buffer() = default;
  void Destroy();

  std::atomic<int32_t> refs_{1};
  DType type_ = DType::kInvalid;  // of the elements, where they need destruction
  void* data_ = nullptr;
  size_t size_bytes_ = 0;
  int64_t count_ = 0;
  Allocator* allocator_ = nullptr;  // null: wrapped
  void (*release_)(void*) = nullptr;
  void* context_ = nullptr;
};

class Tensor {
 public:
  Tensor() = default;  // no tensor: dtype kInvalid
  // Uninitialised host memory (strings are empty). For sizes that a program chose itself; where the
  // size comes from data, use Allocate, which reports that memory is short (this one throws bad_alloc).
  Tensor(DType type, const Shape& shape);
  // Errors: ResourceExhausted from the allocator; InvalidArgument for kInvalid or a size over 2^63 bytes.
  static StatusOr<Tensor> Allocate(Allocator& allocator, DType type, const Shape& shape,
                                   std::string_view owner = {});
  // Memory of someone else that outlives every use of this tensor (an arena, a mapped file): no count.
  static Tensor View(DType type, const Shape& shape, void* data);
  // Takes over one reference of `buffer`.
  static Tensor Adopt(DType type, const Shape& shape, Buffer* buffer);

  template <class T>
  static Tensor Scalar(T value) {
    Tensor t(kDTypeOf<T>, Shape());
    *t.data<T>() = std::move(value);
    return t;
  }
  template <class T>
  static Tensor Of(std::span<const T> values, const Shape& shape) {
    assert(static_cast<int64_t>(values.size()) == shape.num_elements());
    Tensor t(kDTypeOf<T>, shape);
    std::copy(values.begin(), values.end(), t.data<T>());
    return t;
  }
  template <class T>
  static Tensor Of(std::initializer_list<T> values, const Shape& shape) {
    return Of<T>(std::span<const T>(values.begin(), values.size()), shape);
  }
  // A vector of the values.
  template <class T>
  static Tensor Of(std::initializer_list<T> values) {
    return Of<T>(values, Shape{static_cast<int64_t>(values.size())});
  }

  Tensor(const Tensor& other)
      : data_(other.data_), buffer_(other.buffer_), shape_(other.shape_), dtype_(other.dtype_) {
    if (buffer_ != nullptr) buffer_->Ref();
  }
  Tensor(Tensor&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), buffer_(std::exchange(other.buffer_, nullptr)),
        shape_(other.shape_), dtype_(std::exchange(other.dtype_, DType::kInvalid)) {}
  Tensor& operator=(const Tensor& other) {
    if (this != &other) *this = Tensor(other);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    if (this != &other) {
      if (buffer_ != nullptr) buffer_->Unref();
      data_ = std::exchange(other.data_, nullptr);
      buffer_ = std::exchange(other.buffer_, nullptr);
      shape_ = other.shape_;
      dtype_ = std::exchange(other.dtype_, DType::kInvalid);
    }
    return *this;
  }
  ~Tensor() {
    if (buffer_ != nullptr) buffer_->Unref();
  }

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return shape_.num_elements(); }
  size_t size_bytes() const { return static_cast<size_t>(num_elements()) * SizeOf(dtype_); }
  bool valid() const { return dtype_ != DType::kInvalid; }

  void* raw_data() { return data_; }
  const void* raw_data() const { return data_; }
  template <class T>
  T* data() {
    assert(kDTypeOf<T> == dtype_);
    return static_cast<T*>(data_);
  }
  template <class T>
  const T* data() const {
    assert(kDTypeOf<T> == dtype_);
    return static_cast<const T*>(data_);
  }
  template <class T>
  std::span<T> flat() {
    return {data<T>(), static_cast<size_t>(num_elements())};
  }
  template <class T>
  std::span<const T> flat() const {
    return {data<T>(), static_cast<size_t>(num_elements())};
  }
  template <class T>
  const T& scalar() const {
    assert(num_elements() == 1);
    return *data<T>();
  }

  // True if this tensor keeps its bytes alive by a counted reference (false for views).
  bool owns_buffer() const { return buffer_ != nullptr; }
  // True if nobody else refers to the bytes.
  bool unique() const { return buffer_ != nullptr && buffer_->unique(); }
  Buffer* buffer() const { return buffer_; }
  bool SharesMemoryWith(const Tensor& other) const { return data_ != nullptr && data_ == other.data_; }

  // The same bytes seen with another shape. REQUIRES: equal number of elements.
  Tensor Reshaped(const Shape& shape) const;
  // The same bytes seen as another dtype of the same size. REQUIRES: both plain.
  Tensor Bitcast(DType type) const;
  // Rows [begin, end) of dimension 0, sharing the bytes.
  Tensor SliceDim0(int64_t begin, int64_t end) const;
  // A copy of the bytes in plain host memory (or from `allocator`).
  Tensor Clone() const;
  StatusOr<Tensor> CloneTo(Allocator& allocator, std::string_view owner = {}) const;
  // Copies the elements of `source`. REQUIRES: equal dtype and number of elements.
  void CopyElementsFrom(const Tensor& source);

  // "float32 [2,2] {1, 2, 3, ...}" with at most `most` elements.
  std::string ToString(int most = 8) const;

 private:
  void* data_ = nullptr;
  Buffer* buffer_ = nullptr;
  Shape shape_;
  DType dtype_ = DType::kInvalid;
};

}  // namespace headrace

#include "headrace/tensor/tensor.h"

#include <algorithm>
#include <memory>
#include <new>

#include "headrace/base/strings.h"
#include "headrace/tensor/dispatch.h"
#include "headrace/tensor/variant.h"

namespace headrace {

Buffer* Buffer::Make(Allocator& allocator, DType type, int64_t count, std::string_view owner) {
  const size_t size_bytes = static_cast<size_t>(count) * SizeOf(type);
  void* data = allocator.Allocate(size_bytes, owner);
  if (data == nullptr) return nullptr;
  auto* buffer = new Buffer;
  buffer->data_ = data;
  buffer->size_bytes_ = size_bytes;
  buffer->count_ = count;
  buffer->allocator_ = &allocator;
  buffer->type_ = type;
  if (type == DType::kString) {
    std::uninitialized_value_construct_n(static_cast<std::string*>(data), count);
  } else if (type == DType::kResource) {
    std::uninitialized_value_construct_n(static_cast<ResourceHandle*>(data), count);
  } else if (type == DType::kVariant) {
    std::uninitialized_value_construct_n(static_cast<Variant*>(data), count);
  }
  return buffer;
}

Buffer* Buffer::Wrap(void* data, size_t size_bytes, void (*release)(void*), void* context) {
  auto* buffer = new Buffer;
  buffer->data_ = data;
  buffer->size_bytes_ = size_bytes;
  buffer->release_ = release;
  buffer->context_ = context;
  return buffer;
}

void Buffer::Destroy() {
  if (allocator_ != nullptr) {
    if (type_ == DType::kString) std::destroy_n(static_cast<std::string*>(data_), count_);
    if (type_ == DType::kResource) std::destroy_n(static_cast<ResourceHandle*>(data_), count_);
    if (type_ == DType::kVariant) std::destroy_n(static_cast<Variant*>(data_), count_);
    allocator_->Deallocate(data_);
  } else if (release_ != nullptr) {
    release_(context_);
  }
  delete this;
}

Tensor::Tensor(DType type, const Shape& shape) : shape_(shape), dtype_(type) {
  buffer_ = Buffer::Make(HostAllocator(), type, shape.num_elements(), "");
  if (buffer_ == nullptr) throw std::bad_alloc();
  data_ = buffer_->data();
}

StatusOr<Tensor> Tensor::Allocate(Allocator& allocator, DType type, const Shape& shape, std::string_view owner) {
  const size_t element = SizeOf(type);
  if (element == 0) {
    return InvalidArgument("no tensor of dtype ", DTypeName(type), " can be made");
  }
  // Dimensions may come from data, a kernel's sums and products of them too.
  int64_t count = 1, size = 0;
  bool fits = true;
  for (int64_t d : shape.dims()) fits = fits && d >= 0 && !__builtin_mul_overflow(count, d, &count);
  if (!fits || __builtin_mul_overflow(count, static_cast<int64_t>(element), &size)) {
    return InvalidArgument("a tensor of ", DTypeName(type), " ", shape.ToString(), " does not fit an address space");
  }
  Buffer* buffer = Buffer::Make(allocator, type, count, owner);
  if (buffer == nullptr) return allocator.OutOfMemory(static_cast<size_t>(count) * element, owner);
  return Adopt(type, shape, buffer);
}

Tensor Tensor::View(DType type, const Shape& shape, void* data) {
  Tensor t;
  t.dtype_ = type;
  t.shape_ = shape;
  t.data_ = data;
  return t;
}

Tensor Tensor::Adopt(DType type, const Shape& shape, Buffer* buffer) {
  Tensor t = View(type, shape, buffer->data());
  t.buffer_ = buffer;
  return t;
}

Tensor Tensor::Reshaped(const Shape& shape) const {
  assert(shape.num_elements() == num_elements());
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::Bitcast(DType type) const {
  assert(SizeOf(type) == SizeOf(dtype_) && IsPlain(type) && IsPlain(dtype_));
  Tensor t = *this;
  t.dtype_ = type;
  return t;
}

Tensor Tensor::SliceDim0(int64_t begin, int64_t end) const {
  assert(rank() >= 1 && 0 <= begin && begin <= end && end <= dim(0));
  Tensor t = *this;
  t.shape_.set_dim(0, end - begin);
  t.data_ = static_cast<char*>(data_) + static_cast<size_t>(begin * shape_.Product(1, rank())) * SizeOf(dtype_);
  return t;
}

Tensor Tensor::Clone() const {
  Tensor copy(dtype_, shape_);
  copy.CopyElementsFrom(*this);
  return copy;
}

StatusOr<Tensor> Tensor::CloneTo(Allocator& allocator, std::string_view owner) const {
  HR_ASSIGN_OR_RETURN(Tensor copy, Allocate(allocator, dtype_, shape_, owner));
  copy.CopyElementsFrom(*this);
  return copy;
}

void Tensor::CopyElementsFrom(const Tensor& source) {
  assert(source.dtype_ == dtype_ && source.num_elements() == num_elements());
  const int64_t count = num_elements();
  if (dtype_ == DType::kString) {
    std::copy_n(source.data<std::string>(), count, data<std::string>());
  } else if (dtype_ == DType::kResource) {
    std::copy_n(source.data<ResourceHandle>(), count, data<ResourceHandle>());
  } else if (dtype_ == DType::kVariant) {
    std::copy_n(source.data<Variant>(), count, data<Variant>());
  } else if (count > 0 && data_ != source.data_) {
    std::memcpy(data_, source.data_, source.size_bytes());
  }
}

std::string Tensor::ToString(int most) const {
  if (!valid()) return "(no tensor)";
  std::string text = StrCat(DTypeName(dtype_), " ", shape_.ToString(), " {");
  const int64_t shown = std::min<int64_t>(num_elements(), most);
  for (int64_t i = 0; i < shown; ++i) {
    if (i > 0) StrAppend(&text, ", ");
    const bool known = DispatchDType<kPlainTypes - kQuantizedTypes>(dtype_, [&]<class T>() {
      if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
        const T z = data<T>()[i];
        StrAppend(&text, z.real(), z.imag() < 0 ? "" : "+", z.imag(), "j");
      } else if constexpr (std::is_same_v<T, bool>) {
        StrAppend(&text, data<T>()[i] ? "true" : "false");
      } else if constexpr (std::is_integral_v<T>) {
        StrAppend(&text, +data<T>()[i]);  // promoted: small integers are no characters
      } else {
        StrAppend(&text, static_cast<double>(data<T>()[i]));
      }
    });
    if (!known && dtype_ == DType::kString) {
      StrAppend(&text, "\"", EscapeC(data<std::string>()[i]), "\"");
    } else if (!known) {
      StrAppend(&text, "?");
    }
  }
  StrAppend(&text, shown < num_elements() ? ", ...}" : "}");
  return text;
}

}  // namespace headrace

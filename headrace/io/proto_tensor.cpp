// Tensor <-> TensorProto.
#include <algorithm>
#include <bit>
#include <complex>
#include <limits>
#include <type_traits>

#include "headrace/base/strings.h"
#include "headrace/io/varint.h"
#include "headrace/io/proto/graph.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/tensor/dispatch.h"

static_assert(std::endian::native == std::endian::little, "tensor_content is little-endian");

namespace headrace {
namespace {

constexpr int64_t kMaxContentBytes = std::numeric_limits<int32_t>::max() - 4096;

template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

// Quantized types have no C++ type of their own: their bytes are those of the plain integer.
DType StoredAs(DType type) {
  switch (type) {
    case DType::kQInt8:
      return DType::kInt8;
    case DType::kQUInt8:
      return DType::kUInt8;
    case DType::kQInt16:
      return DType::kInt16;
    case DType::kQUInt16:
      return DType::kUInt16;
    case DType::kQInt32:
      return DType::kInt32;
    default:
      return type;
  }
}

// The field that holds values of T, const or mutable as `message` is.
#define HR_FIELD_(NAME)                   \
  if constexpr (std::is_const_v<Message>) \
    return &message->NAME();              \
  else                                    \
    return message->mutable_##NAME();
template <class T, class Message>
auto ValuesOf(Message* message) {
  if constexpr (std::is_same_v<T, float>) {
    HR_FIELD_(float_val)
  } else if constexpr (std::is_same_v<T, double>) {
    HR_FIELD_(double_val)
  } else if constexpr (std::is_same_v<T, int64_t>) {
    HR_FIELD_(int64_val)
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    HR_FIELD_(uint32_val)
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    HR_FIELD_(uint64_val)
  } else if constexpr (std::is_same_v<T, bool>) {
    HR_FIELD_(bool_val)
  } else if constexpr (std::is_same_v<T, std::string>) {
    HR_FIELD_(string_val)
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    HR_FIELD_(scomplex_val)
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    HR_FIELD_(dcomplex_val)
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    HR_FIELD_(resource_handle_val)
  } else if constexpr (kIsHalf<T>) {
    HR_FIELD_(half_val)
  } else {
    HR_FIELD_(int_val)
  }
}
#undef HR_FIELD_

// Element `i` of a field; false when it is outside the range of T.
template <class T, class Field>
bool ReadValue(const Field& values, int i, T* out) {
  if constexpr (kIsComplex<T>) {
    *out = T(values.Get(2 * i), values.Get(2 * i + 1));
  } else if constexpr (kIsHalf<T>) {
    const int32_t bits = values.Get(i);
    if (bits < 0 || bits > 0xffff) return false;
    *out = T::FromBits(static_cast<uint16_t>(bits));
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    out->container = values.Get(i).container();
    out->name = values.Get(i).name();
  } else if constexpr (std::is_integral_v<T> && sizeof(T) < 4 && !std::is_same_v<T, bool>) {
    const int32_t value = values.Get(i);
    if (value < std::numeric_limits<T>::min() || value > std::numeric_limits<T>::max())
      return false;
    *out = static_cast<T>(value);
  } else {
    *out = values.Get(i);
  }
  return true;
}

template <class T, class Field>
void AddValue(const T& value, Field* values) {
  if constexpr (kIsComplex<T>) {
    values->Add(value.real());
    values->Add(value.imag());
  } else if constexpr (kIsHalf<T>) {
    values->Add(value.bits);
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    auto* handle = values->Add();
    handle->set_container(value.container);
    handle->set_name(value.name);
  } else if constexpr (std::is_same_v<T, std::string>) {
    *values->Add() = value;
  } else {
    values->Add(value);
  }
}

template <class F>
bool DispatchStored(DType type, F&& body) {
  if (type == DType::kResource) {
    body.template operator()<ResourceHandle>();
    return true;
  }
  return DispatchDType<kAllTypes>(StoredAs(type), body);
}

template <class T>
bool SameBits(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, std::string>) {
    return a == b;
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    return a.container == b.container && a.name == b.name;
  } else {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

template <class T>
Status WriteValues(const Tensor& tensor, bool drop_repeats, proto::TensorProto* message) {
  const T* data = static_cast<const T*>(tensor.raw_data());
  int64_t count = tensor.num_elements();
  while (drop_repeats && count > 1 && SameBits(data[count - 1], data[count - 2])) --count;
  if (count >
      kMaxContentBytes / static_cast<int64_t>(std::is_same_v<T, std::string> ? 2 : sizeof(T))) {
    return InvalidArgument("a ", DTypeName(tensor.dtype()), " tensor of shape ",
                           tensor.shape().ToString(), " is beyond what a message can hold (2 GiB)");
  }
  auto* values = ValuesOf<T>(message);
  values->Reserve(static_cast<int>(count));
  for (int64_t i = 0; i < count; ++i) AddValue(data[i], values);
  return absl::OkStatus();
}

std::string Describe(DType type, const Shape& shape) {
  return StrCat("TensorProto of ", DTypeName(type), " ", shape.ToString());
}

template <class T>
Status ReadValues(const proto::TensorProto& message, Tensor* tensor) {
  const auto& values = *ValuesOf<T>(&message);
  const int64_t given = values.size() / (kIsComplex<T> ? 2 : 1);
  const int64_t count = tensor->num_elements();
  T* out = static_cast<T*>(tensor->raw_data());
  for (int64_t i = 0; i < given; ++i) {
    if (!ReadValue<T>(values, static_cast<int>(i), &out[i])) [[unlikely]] {
      return InvalidArgument(Describe(tensor->dtype(), tensor->shape()), ": value ", i,
                             " is outside the range of ", DTypeName(tensor->dtype()));
    }
  }
  if (given < count) std::fill(out + given, out + count, given > 0 ? T(out[given - 1]) : T());
  return absl::OkStatus();
}

// How many elements the typed values of a message give; negative for half a complex number.
int64_t ValuesGiven(const proto::TensorProto& message, DType type) {
  int64_t given = 0;
  DispatchStored(type, [&]<class T>() {
    given = ValuesOf<T>(&message)->size();
    if (kIsComplex<T>) given = given % 2 == 0 ? given / 2 : -1;
  });
  return given;
}

// Strings as bytes: all lengths (varints), then all contents.
Status ReadStringContent(std::string_view content, Tensor* tensor) {
  const auto strings = tensor->flat<std::string>();
  std::string_view lengths = content;
  uint64_t total = 0;
  for (size_t i = 0; i < strings.size(); ++i) {
    uint64_t length = 0;
    if (!TakeVarint(&lengths, &length) || length > content.size()) {
      return InvalidArgument(Describe(DType::kString, tensor->shape()),
                             ": tensor_content has no length ", i);
    }
    total += length;
  }
  if (total != lengths.size()) {
    return InvalidArgument(Describe(DType::kString, tensor->shape()), ": tensor_content has ",
                           lengths.size(), " bytes of strings; their lengths add up to ", total);
  }
  std::string_view rest = lengths;
  lengths = content;
  for (std::string& s : strings) {
    uint64_t length = 0;
    TakeVarint(&lengths, &length);
    s.assign(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  return absl::OkStatus();
}

// Is the message's payload of a size that fits `count` elements? So that memory is asked for only
// then.
Status CheckPayload(const proto::TensorProto& message, DType type, const Shape& shape,
                    const TensorFromProtoOptions& options) {
  const int64_t count = shape.num_elements();
  const int64_t content = static_cast<int64_t>(message.tensor_content().size());
  if (content > 0) {
    if (type == DType::kResource)
      return InvalidArgument(Describe(type, shape), " must not have tensor_content");
    if (type == DType::kString) {
      if (count <= content) return absl::OkStatus();  // one byte at least for each length
    } else if (content % static_cast<int64_t>(SizeOf(type)) == 0 &&
               content / static_cast<int64_t>(SizeOf(type)) == count) {
      return absl::OkStatus();
    }
    return InvalidArgument(Describe(type, shape), ": tensor_content has ", content, " bytes for ",
                           count, " elements");
  }
  const int64_t given = ValuesGiven(message, type);
  if (given < 0)
    return InvalidArgument(Describe(type, shape), ": a complex value lacks its imaginary part");
  if (given > count)
    return InvalidArgument(Describe(type, shape), ": ", given, " values for ", count, " elements");
  if (given < count && count > options.max_repeated_bytes / static_cast<int64_t>(SizeOf(type))) {
    return absl::ResourceExhaustedError(
        StrCat(Describe(type, shape), ": ", given, " values stand for ", count,
               " elements; more than the limit of ", HumanBytes(options.max_repeated_bytes)));
  }
  return absl::OkStatus();
}

bool PythonWritesBytes(DType type) {
  constexpr DTypeSet kBytes =
      (kIntTypes | kQuantizedTypes) | DTypeSet{DType::kFloat32, DType::kFloat64};
  return kBytes.Contains(type);
}

}  // namespace

Status TensorToProto(const Tensor& tensor, proto::TensorProto* message, TensorEncoding encoding) {
  message->Clear();
  if (!tensor.valid()) return InvalidArgument("there is no tensor to write");
  const DType type = tensor.dtype();
  if (type == DType::kVariant)
    return Unimplemented("variant tensors have no TensorProto form here");
  message->set_dtype(DTypeToProto(type));
  ShapeToProto(tensor.shape(), message->mutable_tensor_shape());
  const bool as_bytes =
      IsPlain(type) && tensor.num_elements() > 0 &&
      (encoding == TensorEncoding::kBytes ||
       (encoding == TensorEncoding::kAuto && tensor.num_elements() > 1 && PythonWritesBytes(type)));
  if (as_bytes) {
    if (tensor.size_bytes() > static_cast<size_t>(kMaxContentBytes)) {
      return InvalidArgument("a ", DTypeName(type), " tensor of shape ", tensor.shape().ToString(),
                             " is beyond what a message can hold (2 GiB)");
    }
    message->set_tensor_content(tensor.raw_data(), tensor.size_bytes());
    return absl::OkStatus();
  }
  Status status;
  DispatchStored(type, [&]<class T>() {
    status = WriteValues<T>(tensor, encoding == TensorEncoding::kValues, message);
  });
  return status;
}

StatusOr<Tensor> TensorFromProto(const proto::TensorProto& message,
                                 const TensorFromProtoOptions& options) {
  HR_ASSIGN_OR_RETURN(const DType type, DTypeFromProto(message.dtype()));
  if (type == DType::kInvalid || IsRef(type)) {
    return InvalidArgument("a TensorProto has dtype ", DTypeProtoName(type),
                           "; must be that of a value");
  }
  if (type == DType::kVariant)
    return Unimplemented("a TensorProto holds variants, which cannot be read here");
  HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromProto(message.tensor_shape()));
  HR_RETURN_IF_ERROR(CheckPayload(message, type, shape, options));
  Allocator& allocator = options.allocator != nullptr ? *options.allocator : HostAllocator();
  HR_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(allocator, type, shape, "TensorProto"));
  const std::string& content = message.tensor_content();
  if (content.empty()) {
    Status status;
    DispatchStored(type, [&]<class T>() { status = ReadValues<T>(message, &tensor); });
    HR_RETURN_IF_ERROR(status);
  } else if (type == DType::kString) {
    HR_RETURN_IF_ERROR(ReadStringContent(content, &tensor));
  } else {
    std::memcpy(tensor.raw_data(), content.data(), content.size());
    if (type == DType::kBool) {  // other bytes than 0 and 1 would be no bool
      for (auto& byte : std::span(static_cast<char*>(tensor.raw_data()), content.size()))
        byte = byte != 0 ? 1 : 0;
    }
  }
  return tensor;
}

}  // namespace headrace

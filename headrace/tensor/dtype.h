// Element types. Values are TensorFlow's, so that graph and checkpoint files move both ways.
//
//   DTypeName(DType::kFloat32)   // "float32"
//   SizeOf(DType::kFloat32)      // 4
//   kDTypeOf<int64_t>            // DType::kInt64
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/float16.h"

namespace headrace {

enum class DType : uint8_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,  // elements are std::string
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQInt8 = 11,
  kQUInt8 = 12,
  kQInt32 = 13,
  kBFloat16 = 14,
  kQInt16 = 15,
  kQUInt16 = 16,
  kUInt16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,  // elements are ResourceHandle
  kVariant = 21,
  kUInt32 = 22,
  kUInt64 = 23,
};

// The type of an edge that carries a variable itself and not its value is `kRefOffset` higher, as in
// TensorFlow. Only edges have such types, never tensors.
inline constexpr int kRefOffset = 100;
constexpr bool IsRef(DType type) { return static_cast<int>(type) > kRefOffset; }
constexpr DType MakeRef(DType type) {
  return IsRef(type) ? type : static_cast<DType>(static_cast<int>(type) + kRefOffset);
}
constexpr DType RemoveRef(DType type) {
  return IsRef(type) ? static_cast<DType>(static_cast<int>(type) - kRefOffset) : type;
}

// "float32", "int64", "string", "float32_ref". TensorFlow's Python names.
std::string DTypeName(DType type);
// From "float32", "float", "DT_FLOAT", "half"...; InvalidArgument lists the names.
StatusOr<DType> ParseDType(std::string_view name);
// "DT_FLOAT", as protocol-buffer text has it.
std::string DTypeProtoName(DType type);
bool IsValid(DType type);

// Bytes of an element: sizeof(std::string) for strings; 0 for kInvalid.
size_t SizeOf(DType type);
bool IsFloating(DType type);  // float16, bfloat16, float32, float64
bool IsComplex(DType type);
bool IsInteger(DType type);  // signed and unsigned, without bool and quantized
bool IsQuantized(DType type);
// True for types whose elements are plain bytes (all but string, resource, variant).
bool IsPlain(DType type);

// A set of dtypes, as op definitions and kernels state them.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  template <class... D>
  constexpr explicit(sizeof...(D) == 1) DTypeSet(DType first, D... more) : bits_(Bit(first)) {
    ((bits_ |= Bit(more)), ...);
  }
  constexpr bool Contains(DType type) const { return (bits_ & Bit(type)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr DTypeSet operator|(DTypeSet a, DTypeSet b) { return FromBits(a.bits_ | b.bits_); }
  friend constexpr DTypeSet operator&(DTypeSet a, DTypeSet b) { return FromBits(a.bits_ & b.bits_); }
  friend constexpr DTypeSet operator-(DTypeSet a, DTypeSet b) { return FromBits(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(DTypeSet, DTypeSet) = default;
  // "float16, float32, float64", in a fixed order.
  std::string ToString() const;

 private:
  // References and numbers that are no dtype are in no set.
  static constexpr uint32_t Bit(DType type) {
    return static_cast<int>(type) < 32 ? uint32_t{1} << static_cast<int>(type) : 0;
  }
  static constexpr DTypeSet FromBits(uint32_t bits) {
    DTypeSet set;
    set.bits_ = bits;
    return set;
  }

 public:
  uint32_t bits_ = 0;  // public so that a set may be a template argument; not for use
};

inline constexpr DTypeSet kFloatTypes{DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64};
inline constexpr DTypeSet kComplexTypes{DType::kComplex64, DType::kComplex128};
inline constexpr DTypeSet kIntTypes{DType::kInt8,   DType::kInt16,  DType::kInt32,  DType::kInt64,
                                    DType::kUInt8,  DType::kUInt16, DType::kUInt32, DType::kUInt64};
inline constexpr DTypeSet kRealTypes = kFloatTypes | kIntTypes;
inline constexpr DTypeSet kNumberTypes = kRealTypes | kComplexTypes;
inline constexpr DTypeSet kIndexTypes{DType::kInt32, DType::kInt64};
inline constexpr DTypeSet kQuantizedTypes{DType::kQInt8, DType::kQUInt8, DType::kQInt32, DType::kQInt16,
                                          DType::kQUInt16};
inline constexpr DTypeSet kPlainTypes = kNumberTypes | DTypeSet(DType::kBool) | kQuantizedTypes;
inline constexpr DTypeSet kAllTypes =
    kPlainTypes | DTypeSet{DType::kString, DType::kResource, DType::kVariant};
// What TensorFlow's CUDA kernels commonly take.
inline constexpr DTypeSet kGpuFloatTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

struct ResourceHandle;

namespace internal {
template <class T>
struct DTypeOfImpl;
#define HR_DTYPE_OF_(CPP, D)                        \
  template <>                                       \
  struct DTypeOfImpl<CPP> {                         \
    static constexpr DType value = DType::D;        \
  };
HR_DTYPE_OF_(float, kFloat32)
HR_DTYPE_OF_(double, kFloat64)
HR_DTYPE_OF_(int32_t, kInt32)
HR_DTYPE_OF_(uint8_t, kUInt8)
HR_DTYPE_OF_(int16_t, kInt16)
HR_DTYPE_OF_(int8_t, kInt8)
HR_DTYPE_OF_(std::string, kString)
HR_DTYPE_OF_(std::complex<float>, kComplex64)
HR_DTYPE_OF_(int64_t, kInt64)
HR_DTYPE_OF_(bool, kBool)
HR_DTYPE_OF_(BFloat16, kBFloat16)
HR_DTYPE_OF_(uint16_t, kUInt16)
HR_DTYPE_OF_(std::complex<double>, kComplex128)
HR_DTYPE_OF_(Half, kFloat16)
HR_DTYPE_OF_(ResourceHandle, kResource)
HR_DTYPE_OF_(uint32_t, kUInt32)
HR_DTYPE_OF_(uint64_t, kUInt64)
#undef HR_DTYPE_OF_
}  // namespace internal

template <class T>
inline constexpr DType kDTypeOf = internal::DTypeOfImpl<T>::value;

}  // namespace headrace

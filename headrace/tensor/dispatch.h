// From a dtype at run time to a C++ type at compile time.
//
//   DispatchDType<kFloatTypes>(x.dtype(), [&]<class T>() { Scale(x.flat<T>()); });
//
// Instantiates the body only for the types of the set. Returns false (and calls nothing) for a dtype
// outside it; quantized types, resources and variants have no C++ type of their own here.
#pragma once

#include "headrace/tensor/dtype.h"

namespace headrace {
namespace internal {

template <DType kType>
struct CppTypeOf {
  using type = void;
};
#define HR_CPP_TYPE_(D, CPP)       \
  template <>                      \
  struct CppTypeOf<DType::D> {     \
    using type = CPP;              \
  };
HR_CPP_TYPE_(kFloat32, float)
HR_CPP_TYPE_(kFloat64, double)
HR_CPP_TYPE_(kInt32, int32_t)
HR_CPP_TYPE_(kUInt8, uint8_t)
HR_CPP_TYPE_(kInt16, int16_t)
HR_CPP_TYPE_(kInt8, int8_t)
HR_CPP_TYPE_(kString, std::string)
HR_CPP_TYPE_(kComplex64, std::complex<float>)
HR_CPP_TYPE_(kInt64, int64_t)
HR_CPP_TYPE_(kBool, bool)
HR_CPP_TYPE_(kBFloat16, BFloat16)
HR_CPP_TYPE_(kUInt16, uint16_t)
HR_CPP_TYPE_(kComplex128, std::complex<double>)
HR_CPP_TYPE_(kFloat16, Half)
HR_CPP_TYPE_(kUInt32, uint32_t)
HR_CPP_TYPE_(kUInt64, uint64_t)
#undef HR_CPP_TYPE_

}  // namespace internal

template <DTypeSet kTypes, class F>
bool DispatchDType(DType type, F&& body) {
  switch (type) {
#define HR_CASE_(D)                                                        \
  case DType::D:                                                           \
    if constexpr (kTypes.Contains(DType::D)) {                             \
      body.template operator()<typename internal::CppTypeOf<DType::D>::type>(); \
      return true;                                                         \
    }                                                                      \
    return false;
    HR_CASE_(kFloat32)
    HR_CASE_(kFloat64)
    HR_CASE_(kInt32)
    HR_CASE_(kUInt8)
    HR_CASE_(kInt16)
    HR_CASE_(kInt8)
    HR_CASE_(kString)
    HR_CASE_(kComplex64)
    HR_CASE_(kInt64)
    HR_CASE_(kBool)
    HR_CASE_(kBFloat16)
    HR_CASE_(kUInt16)
    HR_CASE_(kComplex128)
    HR_CASE_(kFloat16)
    HR_CASE_(kUInt32)
    HR_CASE_(kUInt64)
#undef HR_CASE_
    default:
      return false;
  }
}

}  // namespace headrace

#include "headrace/tensor/dtype.h"

#include <array>

#include "headrace/base/strings.h"
#include "headrace/tensor/resource_handle.h"
#include "headrace/tensor/variant.h"

namespace headrace {
namespace {

struct Info {
  DType type;
  const char* name;
  const char* proto;  // without "DT_"
  size_t size_bytes;
};

constexpr std::array<Info, 23> kInfo{{
    {DType::kFloat32, "float32", "FLOAT", 4},
    {DType::kFloat64, "float64", "DOUBLE", 8},
    {DType::kInt32, "int32", "INT32", 4},
    {DType::kUInt8, "uint8", "UINT8", 1},
    {DType::kInt16, "int16", "INT16", 2},
    {DType::kInt8, "int8", "INT8", 1},
    {DType::kString, "string", "STRING", sizeof(std::string)},
    {DType::kComplex64, "complex64", "COMPLEX64", 8},
    {DType::kInt64, "int64", "INT64", 8},
    {DType::kBool, "bool", "BOOL", 1},
    {DType::kQInt8, "qint8", "QINT8", 1},
    {DType::kQUInt8, "quint8", "QUINT8", 1},
    {DType::kQInt32, "qint32", "QINT32", 4},
    {DType::kBFloat16, "bfloat16", "BFLOAT16", 2},
    {DType::kQInt16, "qint16", "QINT16", 2},
    {DType::kQUInt16, "quint16", "QUINT16", 2},
    {DType::kUInt16, "uint16", "UINT16", 2},
    {DType::kComplex128, "complex128", "COMPLEX128", 16},
    {DType::kFloat16, "float16", "HALF", 2},
    {DType::kResource, "resource", "RESOURCE", sizeof(ResourceHandle)},
    {DType::kVariant, "variant", "VARIANT", sizeof(Variant)},
    {DType::kUInt32, "uint32", "UINT32", 4},
    {DType::kUInt64, "uint64", "UINT64", 8},
}};

const Info* Find(DType type) {
  const int index = static_cast<int>(RemoveRef(type)) - 1;
  return index >= 0 && index < static_cast<int>(kInfo.size()) ? &kInfo[index] : nullptr;
}

// Names are listed floats first, then integers by size.
constexpr DType kListingOrder[] = {
    DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64,   DType::kInt8,      DType::kInt16,
    DType::kInt32,   DType::kInt64,    DType::kUInt8,   DType::kUInt16,    DType::kUInt32,    DType::kUInt64,
    DType::kBool,    DType::kComplex64, DType::kComplex128, DType::kString, DType::kQInt8,    DType::kQUInt8,
    DType::kQInt16,  DType::kQUInt16,  DType::kQInt32,  DType::kResource,  DType::kVariant};

}  // namespace

std::string DTypeName(DType type) {
  const Info* info = Find(type);
  if (info == nullptr) return "invalid";
  return StrCat(info->name, IsRef(type) ? "_ref" : "");
}

std::string DTypeProtoName(DType type) {
  const Info* info = Find(type);
  if (info == nullptr) return "DT_INVALID";
  return StrCat("DT_", info->proto, IsRef(type) ? "_REF" : "");
}

bool IsValid(DType type) { return Find(type) != nullptr; }

StatusOr<DType> ParseDType(std::string_view name) {
  std::string upper = ToUpper(name);
  bool ref = false;
  if (upper.ends_with("_REF")) {
    upper.resize(upper.size() - 4);
    ref = true;
  }
  std::string_view bare = upper;
  if (bare.starts_with("DT_")) bare.remove_prefix(3);
  for (const Info& info : kInfo) {
    if (bare == info.proto || bare == ToUpper(info.name)) {
      return ref ? MakeRef(info.type) : info.type;
    }
  }
  return InvalidArgument("unknown dtype '", name, "'; one of: ", kAllTypes.ToString());
}

size_t SizeOf(DType type) {
  const Info* info = Find(type);
  return info == nullptr ? 0 : info->size_bytes;
}

bool IsFloating(DType type) { return kFloatTypes.Contains(RemoveRef(type)); }
bool IsComplex(DType type) { return kComplexTypes.Contains(RemoveRef(type)); }
bool IsInteger(DType type) { return kIntTypes.Contains(RemoveRef(type)); }
bool IsQuantized(DType type) { return kQuantizedTypes.Contains(RemoveRef(type)); }
bool IsPlain(DType type) { return kPlainTypes.Contains(RemoveRef(type)); }

std::string DTypeSet::ToString() const {
  std::string text;
  for (DType type : kListingOrder) {
    if (Contains(type)) StrAppend(&text, text.empty() ? "" : ", ", DTypeName(type));
  }
  return text;
}

}  // namespace headrace

// Attributes of nodes: the compile-time parameters of an op.
//
//   AttrMap attrs{{"transpose_a", true}, {"T", DType::kFloat32}};
//   attrs.Get<bool>("transpose_a")   // true; REQUIRES that it is there with that type
//   attrs.Find("strides")            // nullptr if absent
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "headrace/tensor/dtype.h"
#include "headrace/tensor/shape.h"
#include "headrace/tensor/tensor.h"

namespace headrace {

class AttrMap;

// The name of a function with its attributes (control flow by functions, datasets).
struct FunctionRef {
  std::string name;
  std::shared_ptr<const AttrMap> attrs;  // null = none
};

enum class AttrKind : uint8_t {
  kNone,
  kString, kInt, kFloat, kBool, kType, kShape, kTensor, kFunction,
  kStringList, kIntList, kFloatList, kBoolList, kTypeList, kShapeList, kTensorList, kFunctionList,
};
std::string_view AttrKindName(AttrKind kind);  // "string", "int", "list(int)"

class AttrValue {
 public:
  using Strings = std::vector<std::string>;
  using Ints = std::vector<int64_t>;
  using Floats = std::vector<float>;
  using Bools = std::vector<bool>;
  using Types = std::vector<DType>;
  using Shapes = std::vector<PartialShape>;
  using Tensors = std::vector<Tensor>;
  using Functions = std::vector<FunctionRef>;
  // In the order of AttrKind.
  using Storage = std::variant<std::monostate, std::string, int64_t, float, bool, DType, PartialShape, Tensor,
                               FunctionRef, Strings, Ints, Floats, Bools, Types, Shapes, Tensors, Functions>;

  AttrValue() = default;
  AttrValue(const char* value) : storage_(std::string(value)) {}            // NOLINT: reads as a value
  AttrValue(std::string_view value) : storage_(std::string(value)) {}       // NOLINT
  AttrValue(std::string value) : storage_(std::move(value)) {}              // NOLINT
  AttrValue(bool value) : storage_(value) {}                                // NOLINT
  AttrValue(int value) : storage_(int64_t{value}) {}                        // NOLINT
  AttrValue(int64_t value) : storage_(value) {}                             // NOLINT
  AttrValue(float value) : storage_(value) {}                               // NOLINT
  AttrValue(double value) : storage_(static_cast<float>(value)) {}          // NOLINT
  AttrValue(DType value) : storage_(value) {}                               // NOLINT
  AttrValue(PartialShape value) : storage_(value) {}                        // NOLINT
  AttrValue(Shape value) : storage_(PartialShape(value)) {}                 // NOLINT
  AttrValue(Tensor value) : storage_(std::move(value)) {}                   // NOLINT
  AttrValue(FunctionRef value) : storage_(std::move(value)) {}              // NOLINT
  AttrValue(Strings value) : storage_(std::move(value)) {}                  // NOLINT
  AttrValue(Ints value) : storage_(std::move(value)) {}                     // NOLINT
  AttrValue(Floats value) : storage_(std::move(value)) {}                   // NOLINT
  AttrValue(Bools value) : storage_(std::move(value)) {}                    // NOLINT
  AttrValue(Types value) : storage_(std::move(value)) {}                    // NOLINT
  AttrValue(Shapes value) : storage_(std::move(value)) {}                   // NOLINT
  AttrValue(Tensors value) : storage_(std::move(value)) {}                  // NOLINT
  AttrValue(Functions value) : storage_(std::move(value)) {}                // NOLINT

  AttrKind kind() const { return static_cast<AttrKind>(storage_.index()); }
  template <class T>
  const T* As() const {
    return std::get_if<T>(&storage_);
  }
  const Storage& storage() const { return storage_; }
  // "true", "[1,2,2,1]", "DT_FLOAT", "\"SAME\"": for listings and errors.
  std::string ToString() const;

 private:
  Storage storage_;
};

// Equality of two attributes: tensors by dtype, shape and bytes.
bool operator==(const AttrValue& a, const AttrValue& b);

class AttrMap {
 public:
  using Map = std::map<std::string, AttrValue, std::less<>>;
  AttrMap() = default;
  AttrMap(std::initializer_list<Map::value_type> attrs) : map_(attrs) {}

  const AttrValue* Find(std::string_view name) const {
    auto it = map_.find(name);
    return it == map_.end() ? nullptr : &it->second;
  }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // REQUIRES: the attribute exists with this type (the graph checks nodes against their op definition, so
  // shape functions, gradients and kernels may rely on the attributes that the definition names).
  template <class T>
  const T& Get(std::string_view name) const {
    const AttrValue* value = Find(name);
    assert(value != nullptr && value->As<T>() != nullptr);
    return *value->As<T>();
  }
  template <class T>
  T GetOr(std::string_view name, T otherwise) const {
    const AttrValue* value = Find(name);
    const T* typed = value == nullptr ? nullptr : value->As<T>();
    return typed == nullptr ? otherwise : *typed;
  }
  void Set(std::string_view name, AttrValue value) { map_.insert_or_assign(std::string(name), std::move(value)); }
  void Erase(std::string_view name) {
    if (auto it = map_.find(name); it != map_.end()) map_.erase(it);
  }
  const Map& map() const { return map_; }
  auto begin() const { return map_.begin(); }
  auto end() const { return map_.end(); }
  size_t size() const { return map_.size(); }

 private:
  Map map_;
};

}  // namespace headrace

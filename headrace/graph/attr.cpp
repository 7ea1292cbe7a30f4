#include "headrace/graph/attr.h"

#include <cstring>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

std::string Text(std::monostate) {
  return "(nothing)";
}
std::string Text(const std::string& value) {
  return StrCat("\"", EscapeC(value), "\"");
}
std::string Text(int64_t value) {
  return StrCat(value);
}
std::string Text(float value) {
  return StrCat(value);
}
std::string Text(bool value) {
  return value ? "true" : "false";
}
std::string Text(DType value) {
  return DTypeProtoName(value);
}
std::string Text(const PartialShape& value) {
  return value.ToString();
}
std::string Text(const Tensor& value) {
  return value.ToString();
}
std::string Text(const FunctionRef& value) {
  if (value.attrs == nullptr || value.attrs->size() == 0) return value.name;
  return StrCat(
      value.name, "[",
      StrJoin(*value.attrs, ", ",
              [](const auto& attr) { return StrCat(attr.first, "=", attr.second.ToString()); }),
      "]");
}
template <class T>
std::string Text(const std::vector<T>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    StrAppend(&text, i == 0 ? "" : ",", Text(T(values[i])));
  return text + "]";
}

bool Equal(std::monostate, std::monostate) {
  return true;
}
template <class T>
bool Equal(const T& a, const T& b) {
  return a == b;
}
bool Equal(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) return false;
  if (!a.valid()) return true;
  if (!(a.shape() == b.shape())) return false;
  if (a.SharesMemoryWith(b)) return true;
  if (a.dtype() == DType::kString) {
    return std::equal(a.data<std::string>(), a.data<std::string>() + a.num_elements(),
                      b.data<std::string>());
  }
  if (!IsPlain(a.dtype())) return false;
  return a.num_elements() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()) == 0;
}
bool Equal(const AttrMap& a, const AttrMap& b) {
  return a.map() == b.map();
}
bool Equal(const FunctionRef& a, const FunctionRef& b) {
  static const AttrMap kNone;
  const AttrMap& attrs_a = a.attrs == nullptr ? kNone : *a.attrs;
  const AttrMap& attrs_b = b.attrs == nullptr ? kNone : *b.attrs;
  return a.name == b.name && Equal(attrs_a, attrs_b);
}
template <class T>
bool EqualLists(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!Equal(a[i], b[i])) return false;
  }
  return true;
}
bool Equal(const AttrValue::Tensors& a, const AttrValue::Tensors& b) {
  return EqualLists(a, b);
}
bool Equal(const AttrValue::Functions& a, const AttrValue::Functions& b) {
  return EqualLists(a, b);
}

}  // namespace

std::string_view AttrKindName(AttrKind kind) {
  static constexpr std::string_view kNames[] = {
      "none",       "string",     "int",         "float",        "bool",      "type",
      "shape",      "tensor",     "func",        "list(string)", "list(int)", "list(float)",
      "list(bool)", "list(type)", "list(shape)", "list(tensor)", "list(func)"};
  return kNames[static_cast<size_t>(kind)];
}

std::string AttrValue::ToString() const {
  return std::visit([](const auto& value) { return Text(value); }, storage_);
}

bool operator==(const AttrValue& a, const AttrValue& b) {
  if (a.kind() != b.kind()) return false;
  return std::visit(
      [&](const auto& value) { return Equal(value, *b.As<std::decay_t<decltype(value)>>()); },
      a.storage());
}

}  // namespace headrace

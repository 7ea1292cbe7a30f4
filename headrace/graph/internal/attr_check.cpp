#include "headrace/graph/internal/attr_check.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace::internal {

int64_t ListLength(const AttrValue& value) {
  return std::visit(
      []<class T>(const T& list) -> int64_t {
        if constexpr (requires { list.size(); } && !std::is_same_v<T, std::string>) {
          return static_cast<int64_t>(list.size());
        } else {
          return -1;
        }
      },
      value.storage());
}

namespace {

bool IsList(AttrKind kind) {
  return kind >= AttrKind::kStringList;
}

AttrValue EmptyList(AttrKind kind) {
  switch (kind) {
    case AttrKind::kStringList:
      return AttrValue::Strings();
    case AttrKind::kIntList:
      return AttrValue::Ints();
    case AttrKind::kFloatList:
      return AttrValue::Floats();
    case AttrKind::kBoolList:
      return AttrValue::Bools();
    case AttrKind::kTypeList:
      return AttrValue::Types();
    case AttrKind::kShapeList:
      return AttrValue::Shapes();
    case AttrKind::kTensorList:
      return AttrValue::Tensors();
    default:
      return AttrValue::Functions();
  }
}

// What a program may write for a kind: 1 for a float, and any empty list (a file does not say of
// what).
Status Coerce(const AttrDef& def, AttrValue& value) {
  if (value.kind() == def.kind) return absl::OkStatus();
  if (def.kind == AttrKind::kFloat && value.kind() == AttrKind::kInt) {
    value = static_cast<float>(*value.As<int64_t>());
    return absl::OkStatus();
  }
  if (IsList(def.kind) && IsList(value.kind()) && ListLength(value) == 0) {
    value = EmptyList(def.kind);
    return absl::OkStatus();
  }
  if (def.kind == AttrKind::kFloatList && value.kind() == AttrKind::kIntList) {
    const auto& ints = *value.As<AttrValue::Ints>();
    value = AttrValue::Floats(ints.begin(), ints.end());
    return absl::OkStatus();
  }
  return InvalidArgument("attribute '", def.name, "' must be of kind ", AttrKindName(def.kind),
                         ", got ", value.ToString(), " of kind ", AttrKindName(value.kind()));
}

Status CheckType(const AttrDef& def, DType type) {
  if (def.types.Contains(type)) return absl::OkStatus();
  return InvalidArgument("attribute '", def.name, "' is ", DTypeName(type),
                         ", which is not in the list of allowed values: ", def.types.ToString());
}

}  // namespace

Status CheckAttr(const AttrDef& def, const AttrValue& value) {
  if (const DType* type = value.As<DType>()) {
    if (IsRef(*type))
      return InvalidArgument("attribute '", def.name, "' may not be the reference ",
                             DTypeName(*type));
    HR_RETURN_IF_ERROR(CheckType(def, *type));
  } else if (const auto* types = value.As<AttrValue::Types>()) {
    for (DType type : *types) HR_RETURN_IF_ERROR(CheckType(def, RemoveRef(type)));
  }
  if (!def.strings.empty()) {
    auto allowed = [&](const std::string& text) -> Status {
      if (std::ranges::count(def.strings, text) > 0) return absl::OkStatus();
      return InvalidArgument("attribute '", def.name, "' is \"", EscapeC(text),
                             "\"; must be one of: \"", StrJoin(def.strings, "\", \""), "\"");
    };
    if (const auto* text = value.As<std::string>()) HR_RETURN_IF_ERROR(allowed(*text));
    if (const auto* texts = value.As<AttrValue::Strings>()) {
      for (const std::string& text : *texts) HR_RETURN_IF_ERROR(allowed(text));
    }
  }
  if (def.minimum) {
    const int64_t* number = value.As<int64_t>();
    const int64_t size = number != nullptr ? *number : ListLength(value);
    if (size < *def.minimum) {
      return InvalidArgument("attribute '", def.name, "' ",
                             number != nullptr ? "is " : "has length ", size,
                             "; must be >= ", *def.minimum);
    }
  }
  return absl::OkStatus();
}

Status CheckGivenAttrs(const OpDef& op, AttrMap& attrs) {
  std::vector<std::pair<std::string, AttrValue>> changed;
  for (const auto& [name, value] : attrs) {
    const AttrDef* def = op.FindAttr(name);
    if (def == nullptr) {
      if (name.starts_with('_')) continue;
      return InvalidArgument(
          "the op has no attribute '", name, "'; it has: ",
          op.attrs().empty() ? std::string("none")
                             : StrJoin(op.attrs(), ", ", [](const AttrDef& a) { return a.name; }));
    }
    if (value.kind() == def->kind) continue;
    AttrValue coerced = value;
    HR_RETURN_IF_ERROR(Coerce(*def, coerced));
    changed.emplace_back(name, std::move(coerced));
  }
  for (auto& [name, value] : changed) attrs.Set(name, std::move(value));
  return absl::OkStatus();
}

}  // namespace headrace::internal

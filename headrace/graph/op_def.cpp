#include "headrace/graph/op_def.h"

#include <algorithm>
#include <cassert>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

// "T" or "float32": an attribute of the op if it has one of that name, else a dtype. An attribute
// may also be defined after the argument: then the name is taken as a type attribute until Attr()
// sees it.
ArgDef MakeArg(const OpDef& op, std::string_view name, std::string_view type) {
  ArgDef arg;
  arg.name = std::string(name);
  if (const AttrDef* attr = op.FindAttr(type)) {
    (attr->kind == AttrKind::kTypeList ? arg.type_list_attr : arg.type_attr) = std::string(type);
  } else if (StatusOr<DType> dtype = ParseDType(type); dtype.ok()) {
    arg.dtype = *dtype;
  } else {
    arg.type_attr = std::string(type);
  }
  return arg;
}

ArgDef MakeList(const OpDef& op, std::string_view name, std::string_view type,
                std::string_view number_attr) {
  const bool is_ref = type.ends_with('&');  // "T&": a list of variables
  if (is_ref) type.remove_suffix(1);
  ArgDef arg = MakeArg(op, name, type);
  arg.number_attr = std::string(number_attr);
  arg.is_ref = is_ref;
  return arg;
}

int ArgLength(const ArgDef& arg, const AttrMap& attrs) {
  if (!arg.type_list_attr.empty())
    return static_cast<int>(attrs.Get<AttrValue::Types>(arg.type_list_attr).size());
  if (!arg.number_attr.empty()) return static_cast<int>(attrs.Get<int64_t>(arg.number_attr));
  return 1;
}

const ArgDef& ArgAt(const std::vector<ArgDef>& args, const AttrMap& attrs, int index) {
  for (const ArgDef& arg : args) {
    const int length = ArgLength(arg, attrs);
    if (index < length) return arg;
    index -= length;
  }
  assert(false && "position beyond the arguments of the op");
  return args.back();
}

}  // namespace

OpDef& OpDef::TypeAttr(std::string_view name, DTypeSet allowed, DType default_type) {
  AttrDef attr{.name = std::string(name), .kind = AttrKind::kType, .types = allowed};
  if (default_type != DType::kInvalid) attr.default_value = default_type;
  return Attr(std::move(attr));
}

OpDef& OpDef::Attr(std::string_view name, AttrKind kind) {
  return Attr(AttrDef{.name = std::string(name), .kind = kind});
}

OpDef& OpDef::Attr(std::string_view name, AttrValue default_value) {
  AttrDef attr{.name = std::string(name), .kind = default_value.kind()};
  attr.default_value = std::move(default_value);
  return Attr(std::move(attr));
}

OpDef& OpDef::Attr(AttrDef attr) {
  assert(FindAttr(attr.name) == nullptr && "attribute defined twice");
  if (attr.kind == AttrKind::kTypeList) {
    for (std::vector<ArgDef>* args : {&inputs_, &outputs_}) {
      for (ArgDef& arg : *args) {
        if (arg.type_attr == attr.name) arg.type_list_attr.swap(arg.type_attr);
      }
    }
  }
  attrs_.push_back(std::move(attr));
  return *this;
}

OpDef& OpDef::StringAttr(std::string_view name, std::vector<std::string> allowed,
                         std::string default_value) {
  AttrDef attr{.name = std::string(name), .kind = AttrKind::kString};
  // Without a default, "" stands for one only where anything is allowed or "" itself is.
  const bool has_default =
      !default_value.empty() || allowed.empty() || std::ranges::count(allowed, "") > 0;
  if (has_default) attr.default_value = std::move(default_value);
  attr.strings = std::move(allowed);
  return Attr(std::move(attr));
}

OpDef& OpDef::Input(std::string_view name, std::string_view type) {
  inputs_.push_back(MakeArg(*this, name, type));
  return *this;
}
OpDef& OpDef::InputList(std::string_view name, std::string_view type,
                        std::string_view number_attr) {
  inputs_.push_back(MakeList(*this, name, type, number_attr));
  return *this;
}
OpDef& OpDef::RefInput(std::string_view name, std::string_view type) {
  Input(name, type);
  inputs_.back().is_ref = true;
  return *this;
}
OpDef& OpDef::Output(std::string_view name, std::string_view type) {
  outputs_.push_back(MakeArg(*this, name, type));
  return *this;
}
OpDef& OpDef::OutputList(std::string_view name, std::string_view type,
                         std::string_view number_attr) {
  outputs_.push_back(MakeList(*this, name, type, number_attr));
  return *this;
}
OpDef& OpDef::RefOutput(std::string_view name, std::string_view type) {
  Output(name, type);
  outputs_.back().is_ref = true;
  return *this;
}

OpDef& OpDef::Shape(ShapeFn fn) {
  shape_fn_ = fn;
  return *this;
}
OpDef& OpDef::Gradient(GradientFn fn) {
  gradient_ = fn;
  return *this;
}
OpDef& OpDef::NoGradient() {
  no_gradient_ = true;
  return *this;
}
OpDef& OpDef::Stateful() {
  stateful_ = true;
  return *this;
}
OpDef& OpDef::Commutative() {
  commutative_ = true;
  return *this;
}
OpDef& OpDef::AllowsUninitialized() {
  allows_uninitialized_ = true;
  return *this;
}
OpDef& OpDef::Blocking() {
  blocking_ = true;
  return *this;
}
OpDef& OpDef::InPlace(int out, int in) {
  in_place_.emplace_back(out, in);
  return *this;
}
OpDef& OpDef::Forwards(int out, int in) {
  forwards_.emplace_back(out, in);
  return *this;
}
OpDef& OpDef::WritesVariable(int in) {
  written_variables_.push_back(in);
  return *this;
}
OpDef& OpDef::Cpu(DeviceSupport support) {
  cpu_.push_back(std::move(support));
  return *this;
}
OpDef& OpDef::Gpu(DeviceSupport support) {
  gpu_.push_back(std::move(support));
  return *this;
}
OpDef& OpDef::Doc(std::string_view summary) {
  doc_ = std::string(summary);
  return *this;
}

const AttrDef* OpDef::FindAttr(std::string_view name) const {
  for (const AttrDef& attr : attrs_) {
    if (attr.name == name) return &attr;
  }
  return nullptr;
}

const std::vector<DeviceSupport>& OpDef::support(std::string_view device_type) const {
  static const std::vector<DeviceSupport> kNone;
  if (device_type == "CPU") return cpu_;
  if (device_type == "GPU") return gpu_;
  return kNone;
}

DTypeSet OpDef::SupportedTypes(std::string_view device_type, std::string_view type_attr) const {
  DTypeSet types;
  const AttrDef* attr = FindAttr(type_attr);
  const DTypeSet allowed = attr == nullptr ? kAllTypes : attr->types;
  for (const DeviceSupport& entry : support(device_type)) {
    auto it = std::ranges::find(entry.types, type_attr,
                                [](const auto& limit) { return std::string_view(limit.first); });
    types = types | (it == entry.types.end() ? allowed : it->second & allowed);
  }
  return types;
}

const ArgDef& OpDef::InputArg(const AttrMap& attrs, int index) const {
  return ArgAt(inputs_, attrs, index);
}
const ArgDef& OpDef::OutputArg(const AttrMap& attrs, int index) const {
  return ArgAt(outputs_, attrs, index);
}

}  // namespace headrace

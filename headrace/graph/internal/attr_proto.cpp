#include "headrace/graph/internal/attr_proto.h"

#include <algorithm>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/io/proto_convert.h"

namespace headrace::internal {
namespace {

using ProtoList = proto::AttrValue::ListValue;

Status FunctionToProto(const FunctionRef& function, proto::NameAttrList* message) {
  message->set_name(function.name);
  if (function.attrs == nullptr) return absl::OkStatus();
  for (const auto& [name, value] : *function.attrs) {
    HR_RETURN_IF_ERROR(AttrToProto(value, &(*message->mutable_attr())[name]));
  }
  return absl::OkStatus();
}

StatusOr<Tensor> BoundedTensor(const proto::TensorProto& message, int64_t* room_bytes) {
  if (room_bytes == nullptr) return TensorFromProto(message);
  HR_ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(message, {.max_repeated_bytes = *room_bytes}));
  const int64_t grown =
      static_cast<int64_t>(tensor.size_bytes()) - static_cast<int64_t>(message.ByteSizeLong());
  *room_bytes -= std::clamp<int64_t>(grown, 0, *room_bytes);
  return tensor;
}

StatusOr<FunctionRef> FunctionFromProto(const proto::NameAttrList& message, int64_t* room_bytes) {
  FunctionRef function{message.name(), nullptr};
  if (message.attr().empty()) return function;
  auto attrs = std::make_shared<AttrMap>();
  for (const auto& [name, value] : message.attr()) {
    StatusOr<AttrValue> attr = AttrFromProto(value, room_bytes);
    if (!attr.ok())
      return Annotate(attr.status(),
                      StrCat("function '", message.name(), "', attribute '", name, "': "));
    attrs->Set(name, *std::move(attr));
  }
  function.attrs = std::move(attrs);
  return function;
}

// A tensor filled with one value is written once, as TensorFlow's constant(0.1, shape=...) does;
// not a vector of integers, which mostly is a shape or a list that happens to be [1, 1]: those it
// writes as bytes.
TensorEncoding EncodingOf(const Tensor& tensor) {
  if (tensor.num_elements() < 2 || !IsPlain(tensor.dtype())) return TensorEncoding::kAuto;
  if (IsInteger(tensor.dtype()) && tensor.rank() == 1) return TensorEncoding::kAuto;
  const char* bytes = static_cast<const char*>(tensor.raw_data());
  const size_t element = SizeOf(tensor.dtype());
  const bool filled = std::memcmp(bytes, bytes + element, tensor.size_bytes() - element) == 0;
  return filled ? TensorEncoding::kValues : TensorEncoding::kAuto;
}

// One value, or one element of a list, to the message's field of its kind.
struct Writer {
  proto::AttrValue* m;
  Status operator()(std::monostate) { return InvalidArgument("the attribute has no value"); }
  Status operator()(const std::string& v) { return m->set_s(v), absl::OkStatus(); }
  Status operator()(int64_t v) { return m->set_i(v), absl::OkStatus(); }
  Status operator()(float v) { return m->set_f(v), absl::OkStatus(); }
  Status operator()(bool v) { return m->set_b(v), absl::OkStatus(); }
  Status operator()(DType v) { return m->set_type(DTypeToProto(v)), absl::OkStatus(); }
  Status operator()(const PartialShape& v) {
    return ShapeToProto(v, m->mutable_shape()), absl::OkStatus();
  }
  Status operator()(const Tensor& v) {
    return TensorToProto(v, m->mutable_tensor(), EncodingOf(v));
  }
  Status operator()(const FunctionRef& v) { return FunctionToProto(v, m->mutable_func()); }
  template <class T>
  Status operator()(const std::vector<T>& values) {
    ProtoList* list = m->mutable_list();
    for (size_t i = 0; i < values.size(); ++i) HR_RETURN_IF_ERROR(Add(list, T(values[i])));
    return absl::OkStatus();
  }
  static Status Add(ProtoList* list, const std::string& v) {
    return list->add_s(v), absl::OkStatus();
  }
  static Status Add(ProtoList* list, int64_t v) { return list->add_i(v), absl::OkStatus(); }
  static Status Add(ProtoList* list, float v) { return list->add_f(v), absl::OkStatus(); }
  static Status Add(ProtoList* list, bool v) { return list->add_b(v), absl::OkStatus(); }
  static Status Add(ProtoList* list, DType v) {
    return list->add_type(DTypeToProto(v)), absl::OkStatus();
  }
  static Status Add(ProtoList* list, const PartialShape& v) {
    return ShapeToProto(v, list->add_shape()), absl::OkStatus();
  }
  static Status Add(ProtoList* list, const Tensor& v) {
    return TensorToProto(v, list->add_tensor(), EncodingOf(v));
  }
  static Status Add(ProtoList* list, const FunctionRef& v) {
    return FunctionToProto(v, list->add_func());
  }
};

template <class T, class Messages, class Convert>
StatusOr<AttrValue> ReadAll(const Messages& messages, Convert convert) {
  std::vector<T> values;
  values.reserve(static_cast<size_t>(messages.size()));
  for (const auto& message : messages) {
    HR_ASSIGN_OR_RETURN(T value, convert(message));
    values.push_back(std::move(value));
  }
  return AttrValue(std::move(values));
}

StatusOr<AttrValue> ListFromProto(const ProtoList& list, int64_t* room_bytes) {
  const int kinds = !list.s().empty() + !list.i().empty() + !list.f().empty() + !list.b().empty() +
                    !list.type().empty() + !list.shape().empty() + !list.tensor().empty() +
                    !list.func().empty();
  if (kinds > 1) return InvalidArgument("a list of values of several kinds");
  if (!list.s().empty()) return AttrValue(AttrValue::Strings(list.s().begin(), list.s().end()));
  if (!list.f().empty()) return AttrValue(AttrValue::Floats(list.f().begin(), list.f().end()));
  if (!list.b().empty()) return AttrValue(AttrValue::Bools(list.b().begin(), list.b().end()));
  if (!list.type().empty()) {
    return ReadAll<DType>(
        list.type(), [](int type) { return DTypeFromProto(static_cast<proto::DataType>(type)); });
  }
  if (!list.shape().empty()) return ReadAll<PartialShape>(list.shape(), PartialShapeFromProto);
  if (!list.tensor().empty()) {
    return ReadAll<Tensor>(list.tensor(), [&](const proto::TensorProto& tensor) {
      return BoundedTensor(tensor, room_bytes);
    });
  }
  if (!list.func().empty()) {
    return ReadAll<FunctionRef>(list.func(), [&](const proto::NameAttrList& function) {
      return FunctionFromProto(function, room_bytes);
    });
  }
  return AttrValue(
      AttrValue::Ints(list.i().begin(), list.i().end()));  // an empty list fits every kind
}

void ArgToProto(const ArgDef& arg, proto::OpDef::ArgDef* message) {
  message->set_name(arg.name);
  if (arg.dtype != DType::kInvalid) message->set_type(DTypeToProto(arg.dtype));
  message->set_type_attr(arg.type_attr);
  message->set_number_attr(arg.number_attr);
  message->set_type_list_attr(arg.type_list_attr);
  message->set_is_ref(arg.is_ref);
}

Status AttrDefToProto(const AttrDef& attr, proto::OpDef::AttrDef* message) {
  message->set_name(attr.name);
  message->set_type(std::string(AttrKindName(attr.kind)));
  if (attr.default_value)
    HR_RETURN_IF_ERROR(AttrToProto(*attr.default_value, message->mutable_default_value()));
  if (attr.minimum) {
    message->set_has_minimum(true);
    message->set_minimum(*attr.minimum);
  }
  const bool is_type = attr.kind == AttrKind::kType || attr.kind == AttrKind::kTypeList;
  if (is_type && !(attr.types == kAllTypes)) {
    for (int type = 1; type < kRefOffset; ++type) {
      if (IsValid(static_cast<DType>(type)) && attr.types.Contains(static_cast<DType>(type))) {
        message->mutable_allowed_values()->mutable_list()->add_type(
            static_cast<proto::DataType>(type));
      }
    }
  }
  for (const std::string& text : attr.strings)
    message->mutable_allowed_values()->mutable_list()->add_s(text);
  return absl::OkStatus();
}

}  // namespace

Status AttrToProto(const AttrValue& value, proto::AttrValue* message) {
  return std::visit(Writer{message}, value.storage());
}

StatusOr<AttrValue> AttrFromProto(const proto::AttrValue& message, int64_t* room_bytes) {
  switch (message.value_case()) {
    case proto::AttrValue::kS:
      return AttrValue(message.s());
    case proto::AttrValue::kI:
      return AttrValue(static_cast<int64_t>(message.i()));
    case proto::AttrValue::kF:
      return AttrValue(message.f());
    case proto::AttrValue::kB:
      return AttrValue(message.b());
    case proto::AttrValue::kList:
      return ListFromProto(message.list(), room_bytes);
    case proto::AttrValue::kType: {
      HR_ASSIGN_OR_RETURN(const DType type, DTypeFromProto(message.type()));
      return AttrValue(type);
    }
    case proto::AttrValue::kShape: {
      HR_ASSIGN_OR_RETURN(const PartialShape shape, PartialShapeFromProto(message.shape()));
      return AttrValue(shape);
    }
    case proto::AttrValue::kTensor: {
      HR_ASSIGN_OR_RETURN(Tensor tensor, BoundedTensor(message.tensor(), room_bytes));
      return AttrValue(std::move(tensor));
    }
    case proto::AttrValue::kFunc: {
      HR_ASSIGN_OR_RETURN(FunctionRef function, FunctionFromProto(message.func(), room_bytes));
      return AttrValue(std::move(function));
    }
    case proto::AttrValue::kPlaceholder:
      return InvalidArgument("a placeholder ('", EscapeC(message.placeholder()),
                             "') stands for the value: only functions have such");
    case proto::AttrValue::VALUE_NOT_SET:
      break;
  }
  return InvalidArgument("the attribute has no value");
}

Status OpDefToProto(const OpDef& op, proto::OpDef* message) {
  message->set_name(op.name());
  for (const ArgDef& arg : op.inputs()) ArgToProto(arg, message->add_input_arg());
  for (const ArgDef& arg : op.outputs()) ArgToProto(arg, message->add_output_arg());
  for (const AttrDef& attr : op.attrs())
    HR_RETURN_IF_ERROR(AttrDefToProto(attr, message->add_attr()));
  message->set_summary(op.doc());
  message->set_is_stateful(op.stateful());
  message->set_is_commutative(op.commutative());
  message->set_allows_uninitialized_input(op.allows_uninitialized());
  return absl::OkStatus();
}

}  // namespace headrace::internal

#include "headrace/graph/internal/signature.h"

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/graph/internal/attr_check.h"

namespace headrace::internal {
namespace {

// Names of the arguments as an error lists them: "a, b, values[N]".
std::string ArgList(const std::vector<ArgDef>& args) {
  if (args.empty()) return "none";
  return StrJoin(args, ", ", [](const ArgDef& arg) {
    const std::string& length = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    return length.empty() ? arg.name : StrCat(arg.name, "[", length, "]");
  });
}

class Resolver {
 public:
  Resolver(const OpDef& op, std::span<const DType> inputs, AttrMap& attrs)
      : op_(op), inputs_(inputs), attrs_(attrs) {}

  StatusOr<Signature> Run() {
    HR_RETURN_IF_ERROR(CheckGivenAttrs(op_, attrs_));
    HR_RETURN_IF_ERROR(FindLengths());
    HR_RETURN_IF_ERROR(MatchInputs());
    HR_RETURN_IF_ERROR(CompleteAttrs());
    HR_RETURN_IF_ERROR(MakeOutputs());
    return std::move(signature_);
  }

 private:
  // The attribute that gives the length of a list argument, or null for a single tensor.
  static const std::string* LengthAttr(const ArgDef& arg) {
    if (!arg.type_list_attr.empty()) return &arg.type_list_attr;
    return arg.number_attr.empty() ? nullptr : &arg.number_attr;
  }

  Status CheckNumber(const ArgDef& arg) const {
    const int64_t number = arg.number_attr.empty() ? 0 : attrs_.GetOr<int64_t>(arg.number_attr, 0);
    if (number >= 0 && number <= kMaxListLength) return absl::OkStatus();
    return InvalidArgument("attribute '", arg.number_attr, "' is ", number,
                           "; a number of tensors must be >= 0 and at most ", kMaxListLength);
  }

  int64_t KnownLength(const ArgDef& arg) const {
    const std::string* name = LengthAttr(arg);
    if (name == nullptr) return 1;
    const AttrValue* value = attrs_.Find(*name);
    if (value == nullptr) return -1;
    if (const int64_t* number = value->As<int64_t>()) return *number;
    return ListLength(*value);
  }

  // Lists whose length no attribute gives share what is left: possible when one attribute governs
  // them all.
  Status FindLengths() {
    int64_t known = 0, open = 0;
    const std::string* open_attr = nullptr;
    for (const ArgDef& arg : op_.inputs()) {
      HR_RETURN_IF_ERROR(CheckNumber(arg));
      const int64_t length = KnownLength(arg);
      if (length >= 0) {
        if (length > static_cast<int64_t>(inputs_.size())) return WrongCount();
        known += length;
        continue;
      }
      ++open;
      const std::string* name = LengthAttr(arg);
      if (open_attr != nullptr && (*open_attr != *name || !arg.type_list_attr.empty())) {
        return InvalidArgument("attributes '", *open_attr, "' and '", *name,
                               "' must be given: the inputs do not tell one list from the other");
      }
      open_attr = name;
    }
    const int64_t rest = static_cast<int64_t>(inputs_.size()) - known;
    if (rest < 0 || (open == 0 ? rest != 0 : rest % open != 0)) return WrongCount();
    open_length_ = open == 0 ? 0 : rest / open;
    return absl::OkStatus();
  }

  Status WrongCount() const {
    return InvalidArgument("got ", inputs_.size(),
                           " inputs; the op takes: ", ArgList(op_.inputs()));
  }

  Status MatchInputs() {
    signature_.input_types.reserve(inputs_.size());
    size_t at = 0;
    for (const ArgDef& arg : op_.inputs()) {
      const int64_t known = KnownLength(arg);
      const int64_t length = known >= 0 ? known : open_length_;
      if (!arg.number_attr.empty() && known < 0) attrs_.Set(arg.number_attr, length);
      if (at + static_cast<size_t>(length) > inputs_.size()) return WrongCount();
      const std::span<const DType> mine = inputs_.subspan(at, static_cast<size_t>(length));
      HR_RETURN_IF_ERROR(MatchArg(arg, mine, static_cast<int>(at)));
      at += mine.size();
    }
    return absl::OkStatus();
  }

  std::string ArgName(const ArgDef& arg, int index, int first) const {
    if (LengthAttr(arg) == nullptr) return StrCat("input ", index, " ('", arg.name, "')");
    return StrCat("input ", index, " ('", arg.name, "[", index - first, "]')");
  }

  Status MatchArg(const ArgDef& arg, std::span<const DType> types, int first) {
    const AttrValue::Types* wanted_list = nullptr;
    if (!arg.type_list_attr.empty()) {
      if (!attrs_.Has(arg.type_list_attr)) {
        AttrValue::Types list;
        for (DType type : types) list.push_back(RemoveRef(type));
        attrs_.Set(arg.type_list_attr, std::move(list));
      }
      wanted_list = &attrs_.Get<AttrValue::Types>(arg.type_list_attr);
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const DType given = types[i];
      DType wanted = wanted_list != nullptr ? RemoveRef((*wanted_list)[i]) : arg.dtype;
      if (!arg.type_attr.empty()) {
        HR_ASSIGN_OR_RETURN(wanted, TypeFromAttr(arg, given, first + static_cast<int>(i), first));
      }
      if (RemoveRef(given) != wanted) {
        return InvalidArgument(ArgName(arg, first + static_cast<int>(i), first), " has dtype ",
                               DTypeName(RemoveRef(given)), ", must be ", DTypeName(wanted),
                               MismatchReason(arg));
      }
      const bool ref = arg.is_ref || (wanted_list != nullptr && IsRef((*wanted_list)[i]));
      if (ref && !IsRef(given)) {
        return InvalidArgument(ArgName(arg, first + static_cast<int>(i), first),
                               " must be a variable (dtype ", DTypeName(MakeRef(wanted)),
                               "), got a value of dtype ", DTypeName(given));
      }
      signature_.input_types.push_back(ref ? MakeRef(wanted) : wanted);
    }
    return absl::OkStatus();
  }

  // The dtype of the argument's type attribute: set by the first input that has it.
  StatusOr<DType> TypeFromAttr(const ArgDef& arg, DType given, int index, int first) {
    if (const AttrValue* value = attrs_.Find(arg.type_attr)) return *value->As<DType>();
    const AttrDef* def = op_.FindAttr(arg.type_attr);
    if (def != nullptr && !def->types.Contains(RemoveRef(given))) {
      return InvalidArgument(
          ArgName(arg, index, first), " has dtype ", DTypeName(RemoveRef(given)),
          ", which is not in the list of allowed values: ", def->types.ToString());
    }
    attrs_.Set(arg.type_attr, RemoveRef(given));
    first_input_.emplace_back(&arg.type_attr, index);
    first_arg_.push_back(&arg);
    return RemoveRef(given);
  }

  std::string MismatchReason(const ArgDef& arg) const {
    if (arg.type_attr.empty()) return "";
    for (size_t i = 0; i < first_input_.size(); ++i) {
      if (*first_input_[i].first == arg.type_attr) {
        return StrCat(" like input ", first_input_[i].second, " ('", first_arg_[i]->name, "')");
      }
    }
    return StrCat(", which attribute '", arg.type_attr, "' states");
  }

  Status CompleteAttrs() {
    for (const AttrDef& def : op_.attrs()) {
      const AttrValue* value = attrs_.Find(def.name);
      if (value == nullptr) {
        if (!def.default_value) {
          return InvalidArgument("attribute '", def.name, "' (", AttrKindName(def.kind),
                                 ") is missing");
        }
        attrs_.Set(def.name, *def.default_value);
        continue;
      }
      HR_RETURN_IF_ERROR(CheckAttr(def, *value));
    }
    return absl::OkStatus();
  }

  Status MakeOutputs() {
    for (const ArgDef& arg : op_.outputs()) {
      if (!arg.type_list_attr.empty()) {
        for (DType type : attrs_.Get<AttrValue::Types>(arg.type_list_attr))
          signature_.output_types.push_back(type);
        continue;
      }
      HR_RETURN_IF_ERROR(CheckNumber(arg));
      const DType type = arg.type_attr.empty() ? arg.dtype : attrs_.Get<DType>(arg.type_attr);
      const int64_t count = arg.number_attr.empty() ? 1 : attrs_.Get<int64_t>(arg.number_attr);
      for (int64_t i = 0; i < count; ++i)
        signature_.output_types.push_back(arg.is_ref ? MakeRef(type) : type);
    }
    return absl::OkStatus();
  }

  // A number from a hostile file must not eat all memory.
  static constexpr int64_t kMaxListLength = 1 << 20;

  const OpDef& op_;
  std::span<const DType> inputs_;
  AttrMap& attrs_;
  Signature signature_;
  int64_t open_length_ = 0;
  std::vector<std::pair<const std::string*, int>> first_input_;  // which input set a type attribute
  std::vector<const ArgDef*> first_arg_;
};

}  // namespace

StatusOr<Signature> ResolveSignature(const OpDef& op, std::span<const DType> inputs,
                                     AttrMap& attrs) {
  return Resolver(op, inputs, attrs).Run();
}

}  // namespace headrace::internal

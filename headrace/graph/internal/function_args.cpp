#include "headrace/graph/internal/function_args.h"

#include "headrace/base/strings.h"

namespace headrace::internal {

int64_t ArgLength(const ArgDef& arg, const AttrMap& attrs) {
  if (!arg.number_attr.empty()) return attrs.GetOr<int64_t>(arg.number_attr, 0);
  if (arg.type_list_attr.empty()) return 1;
  const AttrValue* value = attrs.Find(arg.type_list_attr);
  const auto* types = value == nullptr ? nullptr : value->As<AttrValue::Types>();
  return types == nullptr ? 0 : static_cast<int64_t>(types->size());
}

std::string OutputArgName(const OpDef& op, const AttrMap& attrs, int output) {
  int64_t left = output;
  for (const ArgDef& arg : op.outputs()) {
    const int64_t length = ArgLength(arg, attrs);
    if (left < length) return StrCat(arg.name, ":", left);
    left -= length;
  }
  return StrCat(":", output);  // no output of the op
}

StatusOr<int64_t> OutputOfArg(const OpDef& op, const AttrMap& attrs, std::string_view name,
                              int64_t element) {
  int64_t first = 0;
  for (const ArgDef& arg : op.outputs()) {
    const int64_t length = ArgLength(arg, attrs);
    if (arg.name != name) {
      first += length;
      continue;
    }
    if (element < length) return first + element;
    return InvalidArgument("output '", name, "' of op '", op.name(), "' has ", length,
                           " elements, element ", element, " is wanted");
  }
  return InvalidArgument("op '", op.name(), "' has no output '", name, "'");
}

}  // namespace headrace::internal

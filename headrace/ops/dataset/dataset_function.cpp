#include "headrace/ops/dataset/dataset_function.h"

#include "headrace/ops/data/kept_value.h"

namespace headrace {
namespace {

int ArgLength(const ArgDef& arg, const AttrMap& attrs) {
  if (!arg.number_attr.empty()) return static_cast<int>(attrs.Get<int64_t>(arg.number_attr));
  if (arg.type_list_attr.empty()) return 1;
  return static_cast<int>(attrs.Get<AttrValue::Types>(arg.type_list_attr).size());
}

}  // namespace

Status DatasetFunction::CheckArguments(const std::vector<DType>& types) const {
  std::vector<DType> given = types;
  for (const Tensor& value : captured_) given.push_back(value.dtype());
  return Annotate(CheckTypes(function_->argument_types(), given),
                  StrCat("arguments of function '", name(), "': "));
}

Status DatasetFunction::CheckResults(const std::vector<DType>& types) const {
  return Annotate(CheckTypes(types, function_->result_types()),
                  StrCat("results of function '", name(), "': "));
}

FunctionCall DatasetFunction::Open(const IterationContext& ctx) const {
  return FunctionCall(ctx.memory->FindOrMake<FunctionInstance>(
                          StrCat("function ", name()), [&] { return function_->MakeInstance(); }),
                      captured_);
}

InputRange InputsOf(const Node& node, std::string_view argument) {
  InputRange range;
  for (const ArgDef& arg : node.op().inputs()) {
    range.count = ArgLength(arg, node.attrs());
    if (arg.name == argument) break;
    range.begin += range.count;
  }
  return range;
}

Element KeptInputs(KernelContext& ctx, std::string_view argument) {
  const InputRange range = InputsOf(ctx.node(), argument);
  Element values;
  for (int i = range.begin; i < range.begin + range.count; ++i)
    values.push_back(KeptValue(ctx.input(i)));
  return values;
}

StatusOr<BoundAttrs> BoundAttrs::Bind(const KernelInit& init,
                                      std::initializer_list<FunctionAttr> attrs) {
  BoundAttrs bound;
  for (const FunctionAttr& attr : attrs) {
    HR_ASSIGN_OR_RETURN(std::shared_ptr<const BoundFunction> function,
                        BindFunction(init, attr.attr));
    bound.attrs_.push_back(attr);
    bound.functions_.push_back(std::move(function));
  }
  return bound;
}

std::vector<DatasetFunction> BoundAttrs::In(KernelContext& ctx) const {
  std::vector<DatasetFunction> functions;
  for (size_t i = 0; i < attrs_.size(); ++i)
    functions.emplace_back(functions_[i], KeptInputs(ctx, attrs_[i].captured));
  return functions;
}

std::vector<DType> Joined(std::vector<DType> types, const std::vector<DType>& more) {
  types.insert(types.end(), more.begin(), more.end());
  return types;
}

StatusOr<bool> PredicateResult(const Element& results) {
  if (results.size() != 1 || results[0].dtype() != DType::kBool || results[0].num_elements() != 1)
    return InvalidArgument("Function must return a scalar bool.");
  return *results[0].data<bool>();
}

StatusOr<int64_t> NumberResult(const Element& results, std::string_view what) {
  if (results.size() != 1 || results[0].dtype() != DType::kInt64 || results[0].num_elements() != 1)
    return InvalidArgument("`", what, "` must return a scalar int64.");
  return *results[0].data<int64_t>();
}

StatusOr<DatasetPtr> DatasetResult(const Element& results, std::string_view what) {
  if (results.size() != 1 || results[0].dtype() != DType::kVariant || results[0].rank() != 0)
    return InvalidArgument("`", what, "` must return a single dataset.");
  return DatasetFromTensor(results[0]);
}

}  // namespace headrace

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/data/parse_example_kernels.h"
#include "headrace/ops/data/sequence_parser.h"

namespace headrace {
namespace {

// What the attributes say of the features, without keys and defaults.
StatusOr<SequenceSpec> SpecOf(const KernelInit& init) {
  SequenceSpec spec;
  for (const DType type : init.Attr<AttrValue::Types>("context_sparse_types"))
    spec.context_sparse.push_back({.type = type});
  for (const DType type : init.Attr<AttrValue::Types>("feature_list_sparse_types"))
    spec.list_sparse.push_back({.type = type});
  const auto& context_types = init.Attr<AttrValue::Types>("Tcontext_dense");
  const auto& context_shapes = init.Attr<AttrValue::Shapes>("context_dense_shapes");
  const auto& list_types = init.Attr<AttrValue::Types>("feature_list_dense_types");
  const auto& list_shapes = init.Attr<AttrValue::Shapes>("feature_list_dense_shapes");
  if (context_types.size() != context_shapes.size() || list_types.size() != list_shapes.size())
    return InvalidArgument("each dense feature needs a shape: ", context_types.size(), " and ",
                           list_types.size(), " features, ", context_shapes.size(), " and ",
                           list_shapes.size(), " shapes");
  for (size_t i = 0; i < context_types.size(); ++i)
    spec.context_dense.push_back({.type = context_types[i], .shape = context_shapes[i]});
  for (size_t i = 0; i < list_types.size(); ++i) {
    if (!list_shapes[i].is_fully_known())
      return InvalidArgument("feature_list_dense_shapes[", i, "] must be fully known, got ",
                             list_shapes[i].ToString());
    spec.list_dense.push_back({.type = list_types[i], .shape = list_shapes[i].ToShape()});
  }
  return spec;
}

// Keys in the order of the spec's lists.
Status SetKeys(SequenceSpec& spec, std::span<const std::string> context_sparse,
               std::span<const std::string> context_dense, std::span<const std::string> list_sparse,
               std::span<const std::string> list_dense,
               std::span<const std::string> may_be_missing) {
  const auto set = [](auto& features, std::span<const std::string> keys) -> Status {
    if (features.size() != keys.size())
      return InvalidArgument("expected ", features.size(), " keys, got ", keys.size());
    for (size_t i = 0; i < keys.size(); ++i) features[i].key = keys[i];
    return absl::OkStatus();
  };
  HR_RETURN_IF_ERROR(set(spec.context_sparse, context_sparse));
  HR_RETURN_IF_ERROR(set(spec.context_dense, context_dense));
  HR_RETURN_IF_ERROR(set(spec.list_sparse, list_sparse));
  HR_RETURN_IF_ERROR(set(spec.list_dense, list_dense));
  for (const std::string& key : may_be_missing) {
    const auto it = std::ranges::find(spec.list_dense, key, &DenseListSpec::key);
    if (it != spec.list_dense.end()) it->may_be_missing = true;
  }
  return absl::OkStatus();
}

void Give(KernelContext& ctx, ParsedSequences parsed) {
  int at = 0;
  for (std::vector<Tensor>* list :
       {&parsed.context.indices, &parsed.context.values, &parsed.context.shapes,
        &parsed.context.dense, &parsed.lists.indices, &parsed.lists.values, &parsed.lists.shapes,
        &parsed.lists.dense, &parsed.lengths}) {
    for (Tensor& tensor : *list) ctx.SetOutput(at++, std::move(tensor));
  }
}

class ParseSingleSequenceExampleKernel final : public Kernel {
 public:
  explicit ParseSingleSequenceExampleKernel(SequenceSpec spec) : spec_(std::move(spec)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &serialized = ctx.input(0), &name = ctx.input(ctx.num_inputs() - 1);
    if (serialized.rank() != 0)
      return InvalidArgument("Expected serialized to be a scalar, got shape: ",
                             serialized.shape().ToString());
    if (name.num_elements() > 1)
      return InvalidArgument("Expected debug_name to be a scalar, got shape: ",
                             name.shape().ToString());
    HR_ASSIGN_OR_RETURN(const SequenceParser parser, ParserOf(ctx));
    HR_ASSIGN_OR_RETURN(
        ParsedSequences parsed,
        parser.ParseOne(serialized.scalar<std::string>(),
                        name.num_elements() == 1 ? *name.data<std::string>() : std::string(),
                        ctx.workers(), ctx.allocator()));
    Give(ctx, std::move(parsed));
    return absl::OkStatus();
  }

 private:
  StatusOr<SequenceParser> ParserOf(KernelContext& ctx) const {
    SequenceSpec spec = spec_;
    int at = 2;
    Status status;
    const auto take = [&](size_t count) {
      std::vector<std::string> keys;
      for (size_t i = 0; i < count; ++i) {
        const Tensor& key = ctx.input(at++);
        if (key.num_elements() == 1) {
          keys.push_back(*key.data<std::string>());
        } else {
          status = InvalidArgument("Expected each key to be a scalar, got shape: ",
                                   key.shape().ToString());
        }
      }
      return keys;
    };
    const auto context_sparse = take(spec.context_sparse.size());
    const auto context_dense = take(spec.context_dense.size());
    const auto list_sparse = take(spec.list_sparse.size());
    const auto list_dense = take(spec.list_dense.size());
    HR_RETURN_IF_ERROR(status);
    HR_RETURN_IF_ERROR(SetKeys(spec, context_sparse, context_dense, list_sparse, list_dense,
                               ctx.input(1).flat<std::string>()));
    for (DenseFeatureSpec& feature : spec.context_dense) feature.default_value = ctx.input(at++);
    return SequenceParser::Make(std::move(spec));
  }

  const SequenceSpec spec_;
};

class ParseSequenceExampleKernel final : public Kernel {
 public:
  explicit ParseSequenceExampleKernel(SequenceSpec spec) : spec_(std::move(spec)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &serialized = ctx.input(0), &names = ctx.input(1);
    if (serialized.rank() != 1)
      return InvalidArgument("Expected serialized to be a vector, got shape: ",
                             serialized.shape().ToString());
    if (names.rank() != 1)
      return InvalidArgument("Expected debug_name to be a vector, got shape: ",
                             names.shape().ToString());
    if (names.num_elements() != 0 && names.num_elements() != serialized.num_elements())
      return InvalidArgument("Expected len(names) == len(serialized), but got: ",
                             names.num_elements(), " vs. ", serialized.num_elements());
    SequenceSpec spec = spec_;
    for (size_t i = 0; i < spec.context_dense.size(); ++i)
      spec.context_dense[i].default_value = ctx.input(static_cast<int>(i) + 2);
    HR_ASSIGN_OR_RETURN(const SequenceParser parser, SequenceParser::Make(std::move(spec)));
    HR_ASSIGN_OR_RETURN(ParsedSequences parsed,
                        parser.Parse(serialized.flat<std::string>(), names.flat<std::string>(),
                                     ctx.workers(), ctx.allocator()));
    Give(ctx, std::move(parsed));
    return absl::OkStatus();
  }

 private:
  const SequenceSpec spec_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeParseSingleSequenceExampleCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(SequenceSpec spec, SpecOf(init));
  return std::make_unique<ParseSingleSequenceExampleKernel>(std::move(spec));
}

StatusOr<std::unique_ptr<Kernel>> MakeParseSequenceExampleCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(SequenceSpec spec, SpecOf(init));
  const auto keys = [&](std::string_view attr) -> const AttrValue::Strings& {
    return init.Attr<AttrValue::Strings>(attr);
  };
  HR_RETURN_IF_ERROR(SetKeys(spec, keys("context_sparse_keys"), keys("context_dense_keys"),
                             keys("feature_list_sparse_keys"), keys("feature_list_dense_keys"),
                             keys("feature_list_dense_missing_assumed_empty")));
  return std::make_unique<ParseSequenceExampleKernel>(std::move(spec));
}

}  // namespace headrace

#include "headrace/base/strings.h"
#include "headrace/io/example_json.h"
#include "headrace/ops/data/example_parser.h"
#include "headrace/ops/data/parse_example_kernels.h"
#include "headrace/ops/strings/map_strings.h"

namespace headrace {
namespace {

// What the attributes say of the features, without keys and defaults.
ExampleSpec SpecOf(const KernelInit& init) {
  ExampleSpec spec;
  for (const DType type : init.Attr<AttrValue::Types>("sparse_types"))
    spec.sparse.push_back({.type = type});
  const auto& types = init.Attr<AttrValue::Types>("Tdense");
  const auto& shapes = init.Attr<AttrValue::Shapes>("dense_shapes");
  for (size_t i = 0; i < types.size(); ++i)
    spec.dense.push_back({.type = types[i], .shape = shapes[i]});
  return spec;
}

Status CheckCounts(const KernelInit& init) {
  const size_t types = init.Attr<AttrValue::Types>("Tdense").size(),
               shapes = init.Attr<AttrValue::Shapes>("dense_shapes").size();
  if (types == shapes) return absl::OkStatus();
  return InvalidArgument("len(dense_shapes) must be the number of dense features, ", types,
                         ", got ", shapes);
}

void Give(KernelContext& ctx, ParsedExamples parsed) {
  int at = 0;
  for (std::vector<Tensor>* list :
       {&parsed.indices, &parsed.values, &parsed.shapes, &parsed.dense}) {
    for (Tensor& tensor : *list) ctx.SetOutput(at++, std::move(tensor));
  }
}

class ParseExampleKernel final : public Kernel {
 public:
  explicit ParseExampleKernel(ExampleSpec spec) : spec_(std::move(spec)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &serialized = ctx.input(0), &names = ctx.input(1);
    if (serialized.rank() != 1)
      return InvalidArgument("Expected serialized to be a vector, got shape: ",
                             serialized.shape().ToString());
    if (names.rank() != 1)
      return InvalidArgument("Expected names to be a vector, got shape: ",
                             names.shape().ToString());
    if (names.num_elements() != 0 && names.num_elements() != serialized.num_elements())
      return InvalidArgument("Expected len(names) == len(serialized), but got: ",
                             names.num_elements(), " vs. ", serialized.num_elements());
    HR_ASSIGN_OR_RETURN(const ExampleParser parser, ParserOf(ctx));
    HR_ASSIGN_OR_RETURN(ParsedExamples parsed,
                        parser.Parse(serialized.flat<std::string>(), names.flat<std::string>(),
                                     ctx.workers(), ctx.allocator()));
    Give(ctx, std::move(parsed));
    return absl::OkStatus();
  }

 private:
  StatusOr<ExampleParser> ParserOf(KernelContext& ctx) const {
    ExampleSpec spec = spec_;
    int at = 2;
    const auto take_key = [&](std::string_view what, size_t i, std::string& key) -> Status {
      const Tensor& given = ctx.input(at++);
      if (given.num_elements() != 1)
        return InvalidArgument("Expected ", what, "[", i,
                               "] to be a scalar, got shape: ", given.shape().ToString());
      key = *given.data<std::string>();
      return absl::OkStatus();
    };
    for (size_t i = 0; i < spec.sparse.size(); ++i)
      HR_RETURN_IF_ERROR(take_key("sparse_keys", i, spec.sparse[i].key));
    for (size_t i = 0; i < spec.dense.size(); ++i)
      HR_RETURN_IF_ERROR(take_key("dense_keys", i, spec.dense[i].key));
    for (DenseFeatureSpec& feature : spec.dense) feature.default_value = ctx.input(at++);
    return ExampleParser::Make(std::move(spec));
  }

  const ExampleSpec spec_;
};

class ParseSingleExampleKernel final : public Kernel {
 public:
  explicit ParseSingleExampleKernel(ExampleSpec spec) : spec_(std::move(spec)) {}

  Status Compute(KernelContext& ctx) override {
    if (ctx.input(0).rank() != 0)
      return InvalidArgument("Expected serialized to be a scalar, got shape: ",
                             ctx.input(0).shape().ToString());
    ExampleSpec spec = spec_;
    for (size_t i = 0; i < spec.dense.size(); ++i)
      spec.dense[i].default_value = ctx.input(static_cast<int>(i) + 1);
    HR_ASSIGN_OR_RETURN(const ExampleParser parser, ExampleParser::Make(std::move(spec)));
    HR_ASSIGN_OR_RETURN(ParsedExamples parsed, parser.ParseOne(ctx.input(0).scalar<std::string>(),
                                                               ctx.workers(), ctx.allocator()));
    Give(ctx, std::move(parsed));
    return absl::OkStatus();
  }

 private:
  const ExampleSpec spec_;
};

Status DecodeJson(KernelContext& ctx) {
  return TryMapStrings<std::string>(ctx, [](const std::string& json, std::string& bytes) -> Status {
    HR_ASSIGN_OR_RETURN(bytes, ExampleFromJson(json));
    return absl::OkStatus();
  });
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDecodeJSONExampleCpu(const KernelInit& init) {
  return MakeFunctionKernel<DecodeJson>(init);
}

StatusOr<std::unique_ptr<Kernel>> MakeParseExampleCpu(const KernelInit& init) {
  HR_RETURN_IF_ERROR(CheckCounts(init));
  return std::make_unique<ParseExampleKernel>(SpecOf(init));
}

StatusOr<std::unique_ptr<Kernel>> MakeParseSingleExampleCpu(const KernelInit& init) {
  HR_RETURN_IF_ERROR(CheckCounts(init));
  ExampleSpec spec = SpecOf(init);
  const auto& sparse = init.Attr<AttrValue::Strings>("sparse_keys");
  const auto& dense = init.Attr<AttrValue::Strings>("dense_keys");
  if (sparse.size() != spec.sparse.size() || dense.size() != spec.dense.size())
    return InvalidArgument("sparse_keys and dense_keys must name ", spec.sparse.size(), " and ",
                           spec.dense.size(), " features, got ", sparse.size(), " and ",
                           dense.size());
  for (size_t i = 0; i < sparse.size(); ++i) spec.sparse[i].key = sparse[i];
  for (size_t i = 0; i < dense.size(); ++i) spec.dense[i].key = dense[i];
  return std::make_unique<ParseSingleExampleKernel>(std::move(spec));
}

}  // namespace headrace

#include "headrace/ops/data/parse_example.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/data/parse_example_kernels.h"

namespace headrace {
namespace {

constexpr DTypeSet kFeatureTypes{DType::kFloat32, DType::kInt64, DType::kString};
constexpr int64_t kUnknown = PartialShape::kUnknown;

// ---------------------------------------------------------------- shapes

// Sets the shapes of outputs one after the other.
class OutputShapes {
 public:
  explicit OutputShapes(ShapeContext& c) : c_(c) {}
  // `count` sparse tensors of that rank.
  Status Sparse(int64_t count, int64_t rank) {
    for (const PartialShape& shape :
         {PartialShape{kUnknown, rank}, PartialShape{kUnknown}, PartialShape{rank}}) {
      for (int64_t i = 0; i < count; ++i) HR_RETURN_IF_ERROR(c_.SetOutput(at_++, shape));
    }
    return absl::OkStatus();
  }
  // Dense tensors behind the dimensions `first`.
  Status Dense(std::span<const PartialShape> shapes, std::vector<int64_t> first) {
    for (const PartialShape& shape : shapes) {
      std::vector<int64_t> dims = first;
      dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
      if (!shape.has_rank()) {
        HR_RETURN_IF_ERROR(c_.SetOutput(at_++, PartialShape()));
        continue;
      }
      HR_ASSIGN_OR_RETURN(const PartialShape whole, PartialShape::Make(dims));
      HR_RETURN_IF_ERROR(c_.SetOutput(at_++, whole));
    }
    return absl::OkStatus();
  }

 private:
  ShapeContext& c_;
  int at_ = 0;
};

int64_t CountOf(ShapeContext& c, std::string_view types) {
  return static_cast<int64_t>(c.attrs().Get<AttrValue::Types>(types).size());
}

Status ParseExampleShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape serialized, c.WithRank(0, 1));
  OutputShapes outputs(c);
  HR_RETURN_IF_ERROR(outputs.Sparse(CountOf(c, "sparse_types"), 2));
  return outputs.Dense(c.attrs().Get<AttrValue::Shapes>("dense_shapes"), {serialized[0]});
}

Status ParseSingleExampleShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  OutputShapes outputs(c);
  HR_RETURN_IF_ERROR(outputs.Sparse(CountOf(c, "sparse_types"), 1));
  return outputs.Dense(c.attrs().Get<AttrValue::Shapes>("dense_shapes"), {});
}

// `batch`: the dimension of the batch, if there is one.
Status SequenceShapes(ShapeContext& c, const std::vector<int64_t>& batch) {
  OutputShapes outputs(c);
  const auto extra = static_cast<int64_t>(batch.size());
  HR_RETURN_IF_ERROR(outputs.Sparse(CountOf(c, "context_sparse_types"), 1 + extra));
  HR_RETURN_IF_ERROR(
      outputs.Dense(c.attrs().Get<AttrValue::Shapes>("context_dense_shapes"), batch));
  HR_RETURN_IF_ERROR(outputs.Sparse(CountOf(c, "feature_list_sparse_types"), 2 + extra));
  std::vector<int64_t> steps = batch;
  steps.push_back(kUnknown);
  const auto& lists = c.attrs().Get<AttrValue::Shapes>("feature_list_dense_shapes");
  HR_RETURN_IF_ERROR(outputs.Dense(lists, steps));
  if (batch.empty()) return absl::OkStatus();
  return outputs.Dense(std::vector<PartialShape>(lists.size(), Shape()), batch);
}

Status ParseSingleSequenceExampleShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  return SequenceShapes(c, {});
}

Status ParseSequenceExampleShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape serialized, c.WithRank(0, 1));
  return SequenceShapes(c, {serialized[0]});
}

// ---------------------------------------------------------------- builders

template <class Features>
std::vector<std::string> KeysOf(const Features& features) {
  std::vector<std::string> keys;
  for (const auto& feature : features) keys.push_back(feature.key);
  return keys;
}
template <class Features>
AttrValue::Types TypesOf(const Features& features) {
  AttrValue::Types types;
  for (const auto& feature : features) types.push_back(feature.type);
  return types;
}
template <class Features>
AttrValue::Shapes ShapesOf(const Features& features) {
  AttrValue::Shapes shapes;
  for (const auto& feature : features) shapes.emplace_back(feature.shape);
  return shapes;
}

std::vector<Output> DefaultsOf(Graph& g, const std::vector<DenseFeature>& features) {
  std::vector<Output> defaults;
  for (const DenseFeature& feature : features) {
    defaults.push_back(feature.default_value.valid() ? feature.default_value
                                                     : Const(g, Tensor(feature.type, {0})));
  }
  return defaults;
}

std::vector<Output> KeyInputs(Graph& g, const std::vector<std::string>& keys) {
  std::vector<Output> inputs;
  for (const std::string& key : keys) inputs.push_back(Const(g, key));
  return inputs;
}

// Outputs of a node, taken one after the other.
class NodeOutputs {
 public:
  explicit NodeOutputs(Node* node) : node_(node) {}
  std::vector<Output> Take(size_t count) {
    std::vector<Output> outputs(count);
    for (Output& output : outputs) output = node_ != nullptr ? node_->output(at_++) : Output();
    return outputs;
  }
  ExampleTensors TakeExample(size_t sparse, size_t dense) {
    const auto indices = Take(sparse), values = Take(sparse), shapes = Take(sparse);
    ExampleTensors tensors;
    for (size_t i = 0; i < sparse; ++i)
      tensors.sparse.push_back({indices[i], values[i], shapes[i]});
    tensors.dense = Take(dense);
    return tensors;
  }

 private:
  Node* node_;
  int at_ = 0;
};

void SetExampleAttrs(NodeBuilder& builder, const ExampleFeatures& features) {
  builder.Attr("sparse_types", TypesOf(features.sparse))
      .Attr("Tdense", TypesOf(features.dense))
      .Attr("dense_shapes", ShapesOf(features.dense));
}

void SetSequenceAttrs(NodeBuilder& builder, const SequenceFeatures& features) {
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  builder.Attr("Ncontext_sparse", count(features.context.sparse))
      .Attr("Ncontext_dense", count(features.context.dense))
      .Attr("Nfeature_list_sparse", count(features.sparse_lists))
      .Attr("Nfeature_list_dense", count(features.dense_lists))
      .Attr("context_sparse_types", TypesOf(features.context.sparse))
      .Attr("Tcontext_dense", TypesOf(features.context.dense))
      .Attr("context_dense_shapes", ShapesOf(features.context.dense))
      .Attr("feature_list_sparse_types", TypesOf(features.sparse_lists))
      .Attr("feature_list_dense_types", TypesOf(features.dense_lists))
      .Attr("feature_list_dense_shapes", ShapesOf(features.dense_lists));
}

std::vector<std::string> MayBeMissing(const SequenceFeatures& features) {
  std::vector<std::string> keys;
  for (const auto& list : features.dense_lists) {
    if (list.may_be_missing) keys.push_back(list.key);
  }
  return keys;
}

SequenceTensors TakeSequence(Node* node, const SequenceFeatures& features, bool batch) {
  NodeOutputs outputs(node);
  SequenceTensors tensors;
  tensors.context =
      outputs.TakeExample(features.context.sparse.size(), features.context.dense.size());
  tensors.lists = outputs.TakeExample(features.sparse_lists.size(), features.dense_lists.size());
  if (batch) tensors.lengths = outputs.Take(features.dense_lists.size());
  return tensors;
}

}  // namespace

ExampleTensors ParseExample(Output serialized, const ExampleFeatures& features, Location where) {
  if (!serialized.valid())
    return NodeOutputs(nullptr).TakeExample(features.sparse.size(), features.dense.size());
  Graph& g = *serialized.graph();
  NodeBuilder builder("ParseExample", features.name, where);
  builder.Input(serialized)
      .Input(Const(g, Tensor(DType::kString, {0})))
      .Inputs(KeyInputs(g, KeysOf(features.sparse)))
      .Inputs(KeyInputs(g, KeysOf(features.dense)))
      .Inputs(DefaultsOf(g, features.dense))
      .Attr("Nsparse", static_cast<int64_t>(features.sparse.size()))
      .Attr("Ndense", static_cast<int64_t>(features.dense.size()));
  SetExampleAttrs(builder, features);
  return NodeOutputs(builder.BuildNode())
      .TakeExample(features.sparse.size(), features.dense.size());
}

ExampleTensors ParseSingleExample(Output serialized, const ExampleFeatures& features,
                                  Location where) {
  if (!serialized.valid())
    return NodeOutputs(nullptr).TakeExample(features.sparse.size(), features.dense.size());
  NodeBuilder builder("ParseSingleExample", features.name, where);
  builder.Input(serialized)
      .Inputs(DefaultsOf(*serialized.graph(), features.dense))
      .Attr("num_sparse", static_cast<int64_t>(features.sparse.size()))
      .Attr("sparse_keys", KeysOf(features.sparse))
      .Attr("dense_keys", KeysOf(features.dense));
  SetExampleAttrs(builder, features);
  return NodeOutputs(builder.BuildNode())
      .TakeExample(features.sparse.size(), features.dense.size());
}

SequenceTensors ParseSingleSequenceExample(Output serialized, const SequenceFeatures& features,
                                           Location where) {
  if (!serialized.valid()) return TakeSequence(nullptr, features, /*batch=*/false);
  Graph& g = *serialized.graph();
  const std::vector<std::string> missing = MayBeMissing(features);
  NodeBuilder builder("ParseSingleSequenceExample", features.name, where);
  builder.Input(serialized)
      .Input(Const(g, Tensor::Of<std::string>(missing, {static_cast<int64_t>(missing.size())})))
      .Inputs(KeyInputs(g, KeysOf(features.context.sparse)))
      .Inputs(KeyInputs(g, KeysOf(features.context.dense)))
      .Inputs(KeyInputs(g, KeysOf(features.sparse_lists)))
      .Inputs(KeyInputs(g, KeysOf(features.dense_lists)))
      .Inputs(DefaultsOf(g, features.context.dense))
      .Input(Const(g, std::string()));
  SetSequenceAttrs(builder, features);
  return TakeSequence(builder.BuildNode(), features, /*batch=*/false);
}

SequenceTensors ParseSequenceExample(Output serialized, const SequenceFeatures& features,
                                     Location where) {
  if (!serialized.valid()) return TakeSequence(nullptr, features, /*batch=*/true);
  Graph& g = *serialized.graph();
  NodeBuilder builder("ParseSequenceExample", features.name, where);
  builder.Input(serialized)
      .Input(Const(g, Tensor(DType::kString, {0})))
      .Inputs(DefaultsOf(g, features.context.dense))
      .Attr("feature_list_dense_missing_assumed_empty", MayBeMissing(features))
      .Attr("context_sparse_keys", KeysOf(features.context.sparse))
      .Attr("context_dense_keys", KeysOf(features.context.dense))
      .Attr("feature_list_sparse_keys", KeysOf(features.sparse_lists))
      .Attr("feature_list_dense_keys", KeysOf(features.dense_lists));
  SetSequenceAttrs(builder, features);
  return TakeSequence(builder.BuildNode(), features, /*batch=*/true);
}

Output DecodeJSONExample(Output json, OpOptions o, Location where) {
  return NodeBuilder("DecodeJSONExample", o.name, where).Input(json).Build();
}

// ---------------------------------------------------------------- definitions

namespace {

void DefineExamples(OpRegistry& ops) {
  const auto types = [](const char* name) {
    return AttrDef{.name = name, .kind = AttrKind::kTypeList, .types = kFeatureTypes, .minimum = 0};
  };
  const auto count = [](const char* name) {
    return AttrDef{.name = name, .kind = AttrKind::kInt, .minimum = 0};
  };
  const AttrDef shapes{.name = "dense_shapes", .kind = AttrKind::kShapeList, .minimum = 0};
  ops.Define("ParseExample")
      .Attr(count("Nsparse"))
      .Attr(count("Ndense"))
      .Attr(types("sparse_types"))
      .Attr(types("Tdense"))
      .Attr(shapes)
      .Input("serialized", "string")
      .Input("names", "string")
      .InputList("sparse_keys", "string", "Nsparse")
      .InputList("dense_keys", "string", "Ndense")
      .Input("dense_defaults", "Tdense")
      .OutputList("sparse_indices", "int64", "Nsparse")
      .Output("sparse_values", "sparse_types")
      .OutputList("sparse_shapes", "int64", "Nsparse")
      .Output("dense_values", "Tdense")
      .Shape(ParseExampleShape)
      .NoGradient()
      .Cpu({.make = MakeParseExampleCpu})
      .Doc("Features of a batch of serialized Examples.");
  ops.Define("ParseSingleExample")
      .Attr(count("num_sparse"))
      .Attr(AttrDef{.name = "sparse_keys", .kind = AttrKind::kStringList, .minimum = 0})
      .Attr(AttrDef{.name = "dense_keys", .kind = AttrKind::kStringList, .minimum = 0})
      .Attr(types("sparse_types"))
      .Attr(types("Tdense"))
      .Attr(shapes)
      .Input("serialized", "string")
      .Input("dense_defaults", "Tdense")
      .OutputList("sparse_indices", "int64", "num_sparse")
      .Output("sparse_values", "sparse_types")
      .OutputList("sparse_shapes", "int64", "num_sparse")
      .Output("dense_values", "Tdense")
      .Shape(ParseSingleExampleShape)
      .NoGradient()
      .Cpu({.make = MakeParseSingleExampleCpu})
      .Doc("Features of a serialized Example.");
}

void AddSequenceAttrs(OpDef& def) {
  for (const char* name :
       {"Ncontext_sparse", "Ncontext_dense", "Nfeature_list_sparse", "Nfeature_list_dense"}) {
    def.Attr({.name = name, .kind = AttrKind::kInt, .default_value = AttrValue(0), .minimum = 0});
  }
  for (const char* name : {"context_sparse_types", "Tcontext_dense", "feature_list_dense_types",
                           "feature_list_sparse_types"}) {
    def.Attr({.name = name,
              .kind = AttrKind::kTypeList,
              .default_value = AttrValue(AttrValue::Types{}),
              .types = kFeatureTypes,
              .minimum = 0});
  }
  for (const char* name : {"context_dense_shapes", "feature_list_dense_shapes"}) {
    def.Attr({.name = name,
              .kind = AttrKind::kShapeList,
              .default_value = AttrValue(AttrValue::Shapes{}),
              .minimum = 0});
  }
}

void AddSequenceOutputs(OpDef& def) {
  def.OutputList("context_sparse_indices", "int64", "Ncontext_sparse")
      .Output("context_sparse_values", "context_sparse_types")
      .OutputList("context_sparse_shapes", "int64", "Ncontext_sparse")
      .Output("context_dense_values", "Tcontext_dense")
      .OutputList("feature_list_sparse_indices", "int64", "Nfeature_list_sparse")
      .Output("feature_list_sparse_values", "feature_list_sparse_types")
      .OutputList("feature_list_sparse_shapes", "int64", "Nfeature_list_sparse")
      .Output("feature_list_dense_values", "feature_list_dense_types");
}

void DefineSequences(OpRegistry& ops) {
  OpDef& single = ops.Define("ParseSingleSequenceExample");
  AddSequenceAttrs(single);
  single.Input("serialized", "string")
      .Input("feature_list_dense_missing_assumed_empty", "string")
      .InputList("context_sparse_keys", "string", "Ncontext_sparse")
      .InputList("context_dense_keys", "string", "Ncontext_dense")
      .InputList("feature_list_sparse_keys", "string", "Nfeature_list_sparse")
      .InputList("feature_list_dense_keys", "string", "Nfeature_list_dense")
      .Input("context_dense_defaults", "Tcontext_dense")
      .Input("debug_name", "string");
  AddSequenceOutputs(single);
  single.Shape(ParseSingleSequenceExampleShape)
      .NoGradient()
      .Cpu({.make = MakeParseSingleSequenceExampleCpu})
      .Doc("Features of a serialized SequenceExample.");

  OpDef& batch = ops.Define("ParseSequenceExample");
  for (const char* name :
       {"feature_list_dense_missing_assumed_empty", "context_sparse_keys", "context_dense_keys",
        "feature_list_sparse_keys", "feature_list_dense_keys"}) {
    batch.Attr({.name = name, .kind = AttrKind::kStringList, .minimum = 0});
  }
  AddSequenceAttrs(batch);
  batch.Input("serialized", "string")
      .Input("debug_name", "string")
      .Input("context_dense_defaults", "Tcontext_dense");
  AddSequenceOutputs(batch);
  batch.OutputList("feature_list_dense_lengths", "int64", "Nfeature_list_dense")
      .Shape(ParseSequenceExampleShape)
      .NoGradient()
      .Cpu({.make = MakeParseSequenceExampleCpu})
      .Doc("Features of a batch of serialized SequenceExamples.");
}

}  // namespace

void DefineParseExample(OpRegistry& ops) {
  DefineExamples(ops);
  DefineSequences(ops);
  ops.Define("DecodeJSONExample")
      .Input("json_examples", "string")
      .Output("binary_examples", "string")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Cpu({.make = MakeDecodeJSONExampleCpu})
      .Doc("Serialized Examples of their JSON form.");
}

}  // namespace headrace

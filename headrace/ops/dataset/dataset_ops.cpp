// The dataset ops that call no functions.
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/dataset/dataset_kernels.h"

namespace headrace {
namespace {

AttrDef TypesAttr(const char* name) {
  return {.name = name, .kind = AttrKind::kTypeList, .minimum = 1};
}
AttrDef ShapesAttr() {
  return {.name = "output_shapes", .kind = AttrKind::kShapeList, .minimum = 1};
}

OpDef& DefineBare(OpRegistry& ops, const char* name, KernelFactory make, const char* doc) {
  return ops.Define(name).NoGradient().Shape(ScalarShape).Cpu({.make = make}).Doc(doc);
}
OpDef& DefineSource(OpRegistry& ops, const char* name, KernelFactory make, const char* doc) {
  return DefineBare(ops, name, make, doc).Attr(TypesAttr("output_types")).Attr(ShapesAttr());
}
OpDef& DefineUnary(OpRegistry& ops, const char* name, KernelFactory make, const char* doc) {
  return DefineSource(ops, name, make, doc).Input("input_dataset", "variant");
}

void DefineSources(OpRegistry& ops) {
  DefineBare(ops, "TensorDataset", MakeTensorDatasetCpu, "A dataset of one element.")
      .Attr(TypesAttr("Toutput_types"))
      .Attr(ShapesAttr())
      .Input("components", "Toutput_types")
      .Output("handle", "variant")
      .Stateful();
  DefineBare(ops, "TensorSliceDataset", MakeTensorSliceDatasetCpu,
             "A dataset of the rows of tensors.")
      .Attr(TypesAttr("Toutput_types"))
      .Attr(ShapesAttr())
      .Input("components", "Toutput_types")
      .Output("handle", "variant")
      .Stateful();
  DefineBare(ops, "SparseTensorSliceDataset", MakeSparseTensorSliceDatasetCpu,
             "A dataset of the rows of a sparse tensor.")
      .TypeAttr("Tvalues", kAllTypes)
      .Input("indices", "int64")
      .Input("values", "Tvalues")
      .Input("dense_shape", "int64")
      .Output("handle", "variant")
      .Stateful();
  DefineSource(ops, "RangeDataset", MakeRangeDatasetCpu, "A dataset of numbers of equal distance.")
      .Input("start", "int64")
      .Input("stop", "int64")
      .Input("step", "int64")
      .Output("handle", "variant")
      .Stateful();
  for (const char* name : {"RandomDataset", "ExperimentalRandomDataset"}) {
    DefineSource(ops, name, MakeRandomDatasetCpu, "A dataset of random numbers without end.")
        .Input("seed", "int64")
        .Input("seed2", "int64")
        .Output("handle", "variant")
        .Stateful();
  }
}

void DefineCombinations(OpRegistry& ops) {
  const AttrDef n{.name = "N", .kind = AttrKind::kInt, .minimum = 1};
  DefineSource(ops, "ZipDataset", MakeZipDatasetCpu, "Elements of several datasets side by side.")
      .Attr(n)
      .InputList("input_datasets", "variant", "N")
      .Output("handle", "variant");
  DefineUnary(ops, "ConcatenateDataset", MakeConcatenateDatasetCpu, "One dataset after another.")
      .Input("another_dataset", "variant")
      .Output("handle", "variant");
  for (const char* name : {"DirectedInterleaveDataset", "ExperimentalDirectedInterleaveDataset"}) {
    DefineSource(ops, name, MakeDirectedInterleaveDatasetCpu,
                 "Elements of datasets that another dataset chooses.")
        .Attr(n)
        .Input("selector_input_dataset", "variant")
        .InputList("data_input_datasets", "variant", "N")
        .Output("handle", "variant");
  }
}

void DefineBounds(OpRegistry& ops) {
  DefineUnary(ops, "TakeDataset", MakeTakeDatasetCpu, "The first elements of a dataset.")
      .Input("count", "int64")
      .Output("handle", "variant");
  DefineUnary(ops, "SkipDataset", MakeSkipDatasetCpu, "A dataset without its first elements.")
      .Input("count", "int64")
      .Output("handle", "variant");
  DefineUnary(ops, "RepeatDataset", MakeRepeatDatasetCpu, "A dataset several times.")
      .Input("count", "int64")
      .Output("handle", "variant");
  DefineUnary(ops, "ShardDataset", MakeShardDatasetCpu, "One of several equal parts of a dataset.")
      .Attr("require_non_empty", false)
      .Input("num_shards", "int64")
      .Input("index", "int64")
      .Output("handle", "variant");
}

void DefineOrders(OpRegistry& ops) {
  DefineUnary(ops, "ShuffleDataset", MakeShuffleDatasetCpu,
              "A dataset in random order, drawn from a buffer.")
      .Attr("reshuffle_each_iteration", true)
      .Input("buffer_size", "int64")
      .Input("seed", "int64")
      .Input("seed2", "int64")
      .Output("handle", "variant");
  DefineUnary(ops, "ShuffleAndRepeatDataset", MakeShuffleAndRepeatDatasetCpu,
              "A dataset several times in random order, drawn from a buffer that epochs share.")
      .Input("buffer_size", "int64")
      .Input("seed", "int64")
      .Input("seed2", "int64")
      .Input("count", "int64")
      .Output("handle", "variant");
  DefineUnary(ops, "SamplingDataset", MakeSamplingDatasetCpu, "A random part of a dataset.")
      .Input("rate", "float32")
      .Input("seed", "int64")
      .Input("seed2", "int64")
      .Output("handle", "variant");
}

void DefineBatches(OpRegistry& ops) {
  DefineUnary(ops, "BatchDataset", MakeBatchDatasetCpu, "Several elements of a dataset together.")
      .Input("batch_size", "int64")
      .Output("handle", "variant");
  DefineUnary(ops, "BatchDatasetV2", MakeBatchDatasetCpu, "Several elements of a dataset together.")
      .Attr("parallel_copy", false)
      .Input("batch_size", "int64")
      .Input("drop_remainder", "bool")
      .Output("handle", "variant");
  for (const bool v2 : {false, true}) {
    OpDef& op = DefineBare(ops, v2 ? "PaddedBatchDatasetV2" : "PaddedBatchDataset",
                           MakePaddedBatchDatasetCpu,
                           "Several elements of a dataset together, padded to one shape.");
    op.Attr(TypesAttr("Toutput_types")).Attr(ShapesAttr());
    op.Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1});
    if (v2) op.Attr("parallel_copy", false);
    op.Input("input_dataset", "variant")
        .Input("batch_size", "int64")
        .InputList("padded_shapes", "int64", "N")
        .Input("padding_values", "Toutput_types");
    if (v2) op.Input("drop_remainder", "bool");
    op.Output("handle", "variant");
  }
  DefineUnary(ops, "WindowDataset", MakeWindowDatasetCpu,
              "Datasets of neighbouring elements of a dataset.")
      .Input("size", "int64")
      .Input("shift", "int64")
      .Input("stride", "int64")
      .Input("drop_remainder", "bool")
      .Output("handle", "variant");
  for (const char* name : {"UnbatchDataset", "ExperimentalUnbatchDataset"}) {
    DefineUnary(ops, name, MakeUnbatchDatasetCpu, "The rows of the elements of a dataset.")
        .Output("handle", "variant");
  }
}

void DefineBuffers(OpRegistry& ops) {
  DefineUnary(ops, "CacheDataset", MakeCacheDatasetCpu,
              "A dataset that keeps what its first pass gave.")
      .Input("filename", "string")
      .Output("handle", "variant");
  DefineUnary(ops, "PrefetchDataset", MakePrefetchDatasetCpu,
              "A dataset that a thread of its own reads ahead.")
      .Attr("slack_period", int64_t{0})
      .Attr("legacy_autotune", true)
      .Input("buffer_size", "int64")
      .Output("handle", "variant");
  DefineUnary(ops, "OptimizeDataset", MakeOptimizeDatasetCpu, "A dataset that may fuse its steps.")
      .Attr(AttrDef{.name = "optimization_configs",
                    .kind = AttrKind::kStringList,
                    .default_value = AttrValue(AttrValue::Strings())})
      .Input("optimizations", "string")
      .Output("handle", "variant");
  DefineUnary(ops, "ModelDataset", MakeForwardedDatasetCpu, "A dataset that may tune its buffers.")
      .Attr("algorithm", int64_t{0})
      .Attr("cpu_budget", int64_t{0})
      .Output("handle", "variant");
  for (const char* name : {"DatasetCardinality", "ExperimentalDatasetCardinality"}) {
    DefineBare(ops, name, MakeDatasetCardinalityCpu,
               "How many elements a dataset has, -1 for no end, -2 if unknown.")
        .Input("input_dataset", "variant")
        .Output("cardinality", "int64");
  }
}

void DefineFiles(OpRegistry& ops) {
  for (const auto& [name, make, doc] :
       {std::tuple{"TFRecordDataset", &MakeTFRecordDatasetCpu, "The records of TFRecord files."},
        std::tuple{"TextLineDataset", &MakeTextLineDatasetCpu, "The lines of text files."}}) {
    DefineBare(ops, name, make, doc)
        .Input("filenames", "string")
        .Input("compression_type", "string")
        .Input("buffer_size", "int64")
        .Output("handle", "variant")
        .Stateful();
  }
  for (const bool v2 : {false, true}) {
    OpDef& op = DefineBare(ops, v2 ? "FixedLengthRecordDatasetV2" : "FixedLengthRecordDataset",
                           MakeFixedLengthRecordDatasetCpu,
                           "The records of files whose records have one length.");
    op.Input("filenames", "string")
        .Input("header_bytes", "int64")
        .Input("record_bytes", "int64")
        .Input("footer_bytes", "int64")
        .Input("buffer_size", "int64");
    if (v2) op.Input("compression_type", "string");
    op.Output("handle", "variant").Stateful();
  }
}

}  // namespace

void DefineDataset(OpRegistry& ops) {
  DefineSources(ops);
  DefineCombinations(ops);
  DefineBounds(ops);
  DefineOrders(ops);
  DefineBatches(ops);
  DefineBuffers(ops);
  DefineFiles(ops);
}

}  // namespace headrace

// The dataset ops that call functions.
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/dataset/function_dataset_kernels.h"

namespace headrace {
namespace {

AttrDef TypesAttr(const char* name, int64_t minimum) {
  return {.name = name, .kind = AttrKind::kTypeList, .minimum = minimum};
}

// What all of them state of their elements.
OpDef& Elements(OpDef& op) {
  return op.Attr(TypesAttr("output_types", 1))
      .Attr({.name = "output_shapes", .kind = AttrKind::kShapeList, .minimum = 1});
}

OpDef& DefineBare(OpRegistry& ops, const char* name, KernelFactory make, const char* doc) {
  return ops.Define(name).NoGradient().Shape(ScalarShape).Cpu({.make = make}).Doc(doc);
}

// A dataset over an input, with the function `attr` and what it captured.
OpDef& DefineMapped(OpRegistry& ops, const char* name, const char* attr, KernelFactory make,
                    const char* doc) {
  OpDef& op = DefineBare(ops, name, make, doc)
                  .Attr(attr, AttrKind::kFunction)
                  .Attr(TypesAttr("Targuments", 0))
                  .Input("input_dataset", "variant")
                  .Input("other_arguments", "Targuments")
                  .Output("handle", "variant");
  return Elements(op);
}

// Each under its own name, and as it was called while it was an experiment.
template <class DefineOne>
void Twice(DefineOne define, std::string_view name) {
  define(std::string(name).c_str());
  define(("Experimental" + std::string(name)).c_str());
}

void DefineMaps(OpRegistry& ops) {
  DefineMapped(ops, "MapDataset", "f", MakeMapDatasetCpu, "What a function makes of each element.")
      .Attr("use_inter_op_parallelism", true)
      .Attr("preserve_cardinality", false);
  DefineMapped(ops, "ParallelMapDataset", "f", MakeParallelMapDatasetCpu,
               "What a function makes of each element, several at a time.")
      .Attr("use_inter_op_parallelism", true)
      .Attr("sloppy", false)
      .Attr("preserve_cardinality", false)
      .Input("num_parallel_calls", "int32");
  Twice(
      [&](const char* name) {
        DefineMapped(ops, name, "f", MakeMapAndBatchDatasetCpu,
                     "Batches of what a function makes of each element, several at a time.")
            .Attr("preserve_cardinality", false)
            .Input("batch_size", "int64")
            .Input("num_parallel_calls", "int64")
            .Input("drop_remainder", "bool");
      },
      "MapAndBatchDataset");
  DefineMapped(ops, "FilterDataset", "predicate", MakeFilterDatasetCpu,
               "The elements for which a function gives true.");
  Twice(
      [&](const char* name) {
        DefineMapped(ops, name, "predicate", MakeTakeWhileDatasetCpu,
                     "The elements before the first for which a function gives false.");
      },
      "TakeWhileDataset");
}

void DefineInterleaves(OpRegistry& ops) {
  DefineMapped(ops, "FlatMapDataset", "f", MakeFlatMapDatasetCpu,
               "The elements of the datasets that a function makes of each element.");
  DefineMapped(ops, "InterleaveDataset", "f", MakeInterleaveDatasetCpu,
               "Elements of several datasets in turn, which a function makes of elements.")
      .Input("cycle_length", "int64")
      .Input("block_length", "int64");
  DefineMapped(ops, "ParallelInterleaveDatasetV2", "f", MakeParallelInterleaveDatasetCpu,
               "InterleaveDataset that reads ahead in the datasets of its cycle.")
      .Attr("sloppy", false)
      .Input("cycle_length", "int64")
      .Input("block_length", "int64")
      .Input("num_parallel_calls", "int64");
  Twice(
      [&](const char* name) {
        DefineMapped(ops, name, "f", MakeParallelInterleaveDatasetCpu,
                     "InterleaveDataset that reads ahead in the datasets of its cycle.")
            .Input("cycle_length", "int64")
            .Input("block_length", "int64")
            .Input("sloppy", "bool")
            .Input("buffer_output_elements", "int64")
            .Input("prefetch_input_elements", "int64");
      },
      "ParallelInterleaveDataset");
}

void DefineScans(OpRegistry& ops) {
  const auto states = [&](const char* name, KernelFactory make, const char* doc) -> OpDef& {
    OpDef& op = DefineBare(ops, name, make, doc)
                    .Attr("f", AttrKind::kFunction)
                    .Attr(TypesAttr("Tstate", 1))
                    .Attr(TypesAttr("Targuments", 0))
                    .Input("input_dataset", "variant")
                    .Input("initial_state", "Tstate")
                    .Input("other_arguments", "Targuments");
    return Elements(op);
  };
  Twice(
      [&](const char* name) {
        states(name, MakeScanDatasetCpu, "What a function makes of a state and each element.")
            .Attr("preserve_cardinality", false)
            .Output("handle", "variant");
      },
      "ScanDataset");
  states("ReduceDataset", MakeReduceDatasetCpu,
         "The state to which a function reduces all elements.")
      .Attr("use_inter_op_parallelism", true)
      .Output("components", "output_types")
      .Shape([](ShapeContext& c) -> Status {
        const auto& shapes = c.attrs().Get<AttrValue::Shapes>("output_shapes");
        if (static_cast<int>(shapes.size()) != c.num_outputs()) {
          return InvalidArgument(
              "attribute 'output_shapes' must have as many shapes as there are components, ",
              c.num_outputs(), ", got ", shapes.size());
        }
        for (int i = 0; i < c.num_outputs(); ++i)
          HR_RETURN_IF_ERROR(c.SetOutput(i, shapes[static_cast<size_t>(i)]));
        return absl::OkStatus();
      })
      .Stateful();
}

// An op with several functions: "key_func", what it captured in "key_func_other_arguments" of
// "Tkey_func_other_arguments".
OpDef& DefineSeveral(OpDef& op, std::initializer_list<const char*> functions,
                     const std::string& ending, const std::string& type_ending) {
  for (const char* f : functions) {
    const std::string types = "T" + std::string(f) + type_ending;
    op.Attr(f, AttrKind::kFunction).Attr(TypesAttr(types.c_str(), 0)).Input(f + ending, types);
  }
  return Elements(op).Output("handle", "variant");
}

void DefineGroups(OpRegistry& ops) {
  Twice(
      [&](const char* name) {
        DefineSeveral(DefineBare(ops, name, MakeGroupByWindowDatasetCpu,
                                 "What a function makes of windows of elements with equal keys.")
                          .Input("input_dataset", "variant"),
                      {"key_func", "reduce_func", "window_size_func"}, "_other_arguments",
                      "_other_arguments");
      },
      "GroupByWindowDataset");
  Twice(
      [&](const char* name) {
        DefineSeveral(DefineBare(ops, name, MakeGroupByReducerDatasetCpu,
                                 "What functions reduce all elements with equal keys to.")
                          .Input("input_dataset", "variant"),
                      {"key_func", "init_func", "reduce_func", "finalize_func"}, "_other_arguments",
                      "_other_arguments")
            .Stateful();
      },
      "GroupByReducerDataset");
}

}  // namespace

void DefineFunctionDatasets(OpRegistry& ops) {
  DefineMaps(ops);
  DefineInterleaves(ops);
  DefineScans(ops);
  DefineGroups(ops);
  DefineSeveral(DefineBare(ops, "GeneratorDataset", MakeGeneratorDatasetCpu,
                           "Elements that a function gives."),
                {"init_func", "next_func", "finalize_func"}, "_other_args", "_args")
      .Stateful();
  Elements(DefineBare(ops, "OneShotIterator", MakeOneShotIteratorCpu,
                      "An iterator over the dataset that a function makes, once.")
               .Attr("dataset_factory", AttrKind::kFunction))
      .Attr("container", "")
      .Attr("shared_name", "")
      .Output("handle", "resource")
      .Stateful();
}

}  // namespace headrace

#include "headrace/ops/data/lookup.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/data/lookup_kernels.h"
#include "headrace/ops/data/named_resource.h"

namespace headrace {
namespace {

constexpr DTypeSet kKeyTypes{DType::kInt32, DType::kInt64, DType::kString};
constexpr DTypeSet kValueTypes = kNumberTypes | DTypeSet{DType::kBool, DType::kString};

// ---------------------------------------------------------------- shapes

Status HandleShape(ShapeContext& c) {
  return c.SetOutput(0, {2});
}

// What the node that made the table says of its values.
PartialShape ValueShapeOf(const Node& node) {
  const Node* table = HandleMaker(node, 0);
  if (table == nullptr || table->op_name().starts_with("MutableDense")) return PartialShape();
  return table->attrs().GetOr<PartialShape>("value_shape", PartialShape(Shape()));
}

// As far as keys are single ones: a dense table may have vectors.
Status FindShape(ShapeContext& c) {
  const PartialShape value = ValueShapeOf(c.node()), &keys = c.input(1);
  if (!value.has_rank() || !keys.has_rank()) return c.SetOutput(0, PartialShape());
  std::vector<int64_t> dims(keys.dims().begin(), keys.dims().end());
  dims.insert(dims.end(), value.dims().begin(), value.dims().end());
  HR_ASSIGN_OR_RETURN(const PartialShape shape, PartialShape::Make(dims));
  return c.SetOutput(0, shape);
}

Status ExportShape(ShapeContext& c) {
  const PartialShape value = ValueShapeOf(c.node());
  if (!value.has_rank()) return absl::OkStatus();
  std::vector<int64_t> dims{PartialShape::kUnknown};
  dims.insert(dims.end(), value.dims().begin(), value.dims().end());
  HR_ASSIGN_OR_RETURN(const PartialShape shape, PartialShape::Make(dims));
  HR_RETURN_IF_ERROR(c.SetOutput(0, {PartialShape::kUnknown}));
  return c.SetOutput(1, shape);
}

// ---------------------------------------------------------------- builders

template <class Options>
NodeBuilder& SetTableAttrs(NodeBuilder& builder, const Options& o) {
  return builder.Attr("container", o.container)
      .Attr("shared_name", o.shared_name)
      .Attr("use_node_name_sharing", o.use_node_name_sharing);
}

NodeBuilder TableNode(Graph& g, std::string_view op, DType key_type, DType value_type,
                      const TableOptions& o, Location where) {
  NodeBuilder builder(g, StrCat(op, "V2"), o.name.empty() ? op : o.name, where);
  SetTableAttrs(builder, o).Attr("key_dtype", key_type).Attr("value_dtype", value_type);
  return builder;
}

// A node of the op's form that goes with the handle.
NodeBuilder UseNode(std::string_view op, Output table, std::string_view name, Location where) {
  const bool first = table.valid() && IsRef(table.dtype()) && op != "LookupTableRemove";
  NodeBuilder builder(first ? std::string(op) : StrCat(op, "V2"), name.empty() ? op : name, where);
  builder.Input(table);
  return builder;
}

}  // namespace

Output HashTable(Graph& g, DType key_type, DType value_type, TableOptions o, Location where) {
  return TableNode(g, "HashTable", key_type, value_type, o, where).Build();
}
Output MutableHashTable(Graph& g, DType key_type, DType value_type, TableOptions o,
                        Location where) {
  return TableNode(g, "MutableHashTable", key_type, value_type, o, where).Build();
}
Output MutableHashTableOfTensors(Graph& g, DType key_type, DType value_type,
                                 const Shape& value_shape, TableOptions o, Location where) {
  return TableNode(g, "MutableHashTableOfTensors", key_type, value_type, o, where)
      .Attr("value_shape", PartialShape(value_shape))
      .Build();
}
Output MutableDenseHashTable(Output empty_key, Output deleted_key, DType value_type,
                             DenseHashTableOptions o, Location where) {
  NodeBuilder builder("MutableDenseHashTableV2", o.name.empty() ? "MutableDenseHashTable" : o.name,
                      where);
  builder.Input(empty_key).Input(deleted_key);
  return SetTableAttrs(builder, o)
      .Attr("value_dtype", value_type)
      .Attr("value_shape", PartialShape(o.value_shape))
      .Attr("initial_num_buckets", o.initial_num_buckets)
      .Attr("max_load_factor", o.max_load_factor)
      .Build();
}

Node* InitializeTable(Output table, Output keys, Output values, OpOptions o, Location where) {
  return UseNode("InitializeTable", table, o.name, where).Input(keys).Input(values).BuildNode();
}
Node* InitializeTableFromTextFile(Output table, Output filename, TextFileOptions o,
                                  Location where) {
  return UseNode("InitializeTableFromTextFile", table, o.name, where)
      .Input(filename)
      .Attr("key_index", o.key_index)
      .Attr("value_index", o.value_index)
      .Attr("vocab_size", o.vocab_size)
      .Attr("delimiter", o.delimiter)
      .BuildNode();
}
Output LookupTableFind(Output table, Output keys, Output default_value, OpOptions o,
                       Location where) {
  return UseNode("LookupTableFind", table, o.name, where).Input(keys).Input(default_value).Build();
}
Node* LookupTableInsert(Output table, Output keys, Output values, OpOptions o, Location where) {
  return UseNode("LookupTableInsert", table, o.name, where).Input(keys).Input(values).BuildNode();
}
Node* LookupTableImport(Output table, Output keys, Output values, OpOptions o, Location where) {
  return UseNode("LookupTableImport", table, o.name, where).Input(keys).Input(values).BuildNode();
}
Node* LookupTableRemove(Output table, Output keys, OpOptions o, Location where) {
  return UseNode("LookupTableRemove", table, o.name, where).Input(keys).BuildNode();
}
Output LookupTableSize(Output table, OpOptions o, Location where) {
  return UseNode("LookupTableSize", table, o.name, where).Build();
}
TableEntries LookupTableExport(Output table, DType key_type, DType value_type, OpOptions o,
                               Location where) {
  Node* node = UseNode("LookupTableExport", table, o.name, where)
                   .Attr("Tkeys", key_type)
                   .Attr("Tvalues", value_type)
                   .BuildNode();
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

// ---------------------------------------------------------------- definitions

namespace {

void DefineTables(OpRegistry& ops) {
  const auto define = [&ops](std::string_view name, KernelFactory make, const char* doc,
                             auto fill) {
    for (const bool v2 : {false, true}) {
      OpDef& def = ops.Define(v2 ? StrCat(name, "V2") : std::string(name));
      fill(def, v2);
      def.Attr("container", "")
          .Attr("shared_name", "")
          .Attr("use_node_name_sharing", false)
          .TypeAttr("key_dtype", kAllTypes)
          .TypeAttr("value_dtype", kAllTypes);
      v2 ? def.Output("table_handle", "resource") : def.RefOutput("table_handle", "string");
      def.Shape(v2 ? ScalarShape : HandleShape).NoGradient().Stateful().Doc(doc);
      def.Cpu({.types = {{"key_dtype", kKeyTypes}, {"value_dtype", kValueTypes}}, .make = make});
    }
  };
  const AttrValue scalar{PartialShape(Shape())};
  define("HashTable", MakeHashTableCpu, "A table that is filled once.", [](OpDef&, bool) {});
  define("MutableHashTable", MakeMutableHashTableCpu, "A table of single values.",
         [](OpDef&, bool) {});
  define("MutableHashTableOfTensors", MakeMutableHashTableCpu, "A table of tensors.",
         [&](OpDef& def, bool) { def.Attr("value_shape", scalar); });
  define("MutableDenseHashTable", MakeDenseHashTableCpu,
         "A table in which two keys mark buckets without an entry.", [&](OpDef& def, bool v2) {
           def.Input("empty_key", "key_dtype");
           if (v2) def.Input("deleted_key", "key_dtype");
           def.Attr("value_shape", scalar)
               .Attr("initial_num_buckets", 131072)
               .Attr("max_load_factor", 0.8f);
         });
}

}  // namespace

void DefineLookup(OpRegistry& ops) {
  DefineTables(ops);
  // Every op that takes a table, in both forms.
  const auto define = [&ops](std::string_view name, KernelFactory make, const char* doc, auto fill,
                             bool only_v2 = false) {
    for (const bool v2 : {false, true}) {
      if (only_v2 && !v2) continue;
      OpDef& def = ops.Define(v2 ? StrCat(name, "V2") : std::string(name));
      v2 ? def.Input("table_handle", "resource") : def.RefInput("table_handle", "string");
      def.Shape(NoShape);
      fill(def);
      def.NoGradient().Cpu({.make = make}).Doc(doc);
      if (v2) def.Stateful();  // a ref input says so already
    }
  };
  const auto entries = [](const char* key, const char* value) {
    return [key, value](OpDef& def) {
      def.TypeAttr(key, kAllTypes).TypeAttr(value, kAllTypes);
      def.Input("keys", key).Input("values", value);
    };
  };
  define("InitializeTable", MakeLookupTableImportCpu, "Fills a table.", entries("Tkey", "Tval"));
  define("InitializeTableFromTextFile", MakeInitializeTableFromTextFileCpu,
         "Fills a table with lines of a file.", [](OpDef& def) {
           def.Input("filename", "string")
               .Attr({.name = "key_index", .kind = AttrKind::kInt, .minimum = -2})
               .Attr({.name = "value_index", .kind = AttrKind::kInt, .minimum = -2})
               .Attr({.name = "vocab_size",
                      .kind = AttrKind::kInt,
                      .default_value = AttrValue(-1),
                      .minimum = -1})
               .Attr("delimiter", "\t");
         });
  define("LookupTableFind", MakeLookupTableFindCpu, "Values of keys.", [](OpDef& def) {
    def.TypeAttr("Tin", kAllTypes).TypeAttr("Tout", kAllTypes);
    def.Input("keys", "Tin").Input("default_value", "Tout").Output("values", "Tout");
    def.Shape(FindShape);
  });
  define("LookupTableInsert", MakeLookupTableInsertCpu, "Sets values of keys.",
         entries("Tin", "Tout"));
  define("LookupTableImport", MakeLookupTableImportCpu, "Sets all that a table holds.",
         entries("Tin", "Tout"));
  define(
      "LookupTableRemove", MakeLookupTableRemoveCpu, "Takes keys out of a table.",
      [](OpDef& def) { def.TypeAttr("Tin", kAllTypes).Input("keys", "Tin"); },
      /*only_v2=*/true);
  define("LookupTableSize", MakeLookupTableSizeCpu, "How many entries a table has.",
         [](OpDef& def) { def.Output("size", "int64").Shape(ScalarShape); });
  define("LookupTableExport", MakeLookupTableExportCpu, "All that a table holds.", [](OpDef& def) {
    def.TypeAttr("Tkeys", kAllTypes).TypeAttr("Tvalues", kAllTypes);
    def.Output("keys", "Tkeys").Output("values", "Tvalues").Shape(ExportShape);
  });
}

}  // namespace headrace

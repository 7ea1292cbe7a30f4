#include "headrace/ops/data/reader.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/data/reader_kernels.h"

namespace headrace {
namespace {

Status ReadUpToShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(2));
  HR_RETURN_IF_ERROR(c.SetOutput(0, {PartialShape::kUnknown}));
  return c.SetOutput(1, {PartialShape::kUnknown});
}

Status RestoreStateShape(ShapeContext& c) {
  return c.CheckScalar(1);
}

Status HandleShape(ShapeContext& c) {
  return c.SetOutput(0, {2});
}

template <class Options>
NodeBuilder ReaderNode(Graph& g, std::string_view op, const Options& o, Location where) {
  NodeBuilder builder(g, StrCat(op, "V2"), o.name.empty() ? op : o.name, where);
  builder.Attr("container", o.container).Attr("shared_name", o.shared_name);
  return builder;
}

// A node of the op's form that goes with the handle.
NodeBuilder UseNode(std::string_view op, Output reader, const OpOptions& o, Location where) {
  const bool first = reader.valid() && IsRef(reader.dtype());
  NodeBuilder builder(first ? std::string(op) : StrCat(op, "V2"), o.name.empty() ? op : o.name,
                      where);
  builder.Input(reader);
  return builder;
}

ReadRecord Outputs(Node* node) {
  if (node == nullptr) return {};
  return {node->output(0), node->output(1)};
}

void DefineReaders(OpRegistry& ops) {
  const auto define = [&ops](std::string_view name, const char* doc, auto attrs) {
    for (const bool v2 : {false, true}) {
      OpDef& def = ops.Define(v2 ? StrCat(name, "V2") : std::string(name));
      def.Attr("container", "").Attr("shared_name", "");
      attrs(def, v2);
      v2 ? def.Output("reader_handle", "resource") : def.RefOutput("reader_handle", "string");
      def.Shape(v2 ? ScalarShape : HandleShape)
          .NoGradient()
          .Stateful()
          .Cpu({.make = MakeReaderCpu});
      def.Doc(doc);
    }
  };
  define("TFRecordReader", "Reads records of TFRecord files.",
         [](OpDef& def, bool) { def.Attr("compression_type", ""); });
  define("TextLineReader", "Reads lines of text files.",
         [](OpDef& def, bool) { def.Attr("skip_header_lines", 0); });
  define("FixedLengthRecordReader", "Reads records of one length.", [](OpDef& def, bool v2) {
    def.Attr("header_bytes", 0)
        .Attr("record_bytes", AttrKind::kInt)
        .Attr("footer_bytes", 0)
        .Attr("hop_bytes", 0);
    if (v2) def.Attr("encoding", "");
  });
  define("WholeFileReader", "Reads whole files.", [](OpDef&, bool) {});
  define("IdentityReader", "Gives names of files as they come.", [](OpDef&, bool) {});
}

}  // namespace

Output TFRecordReader(Graph& g, TFRecordReaderOptions o, Location where) {
  return ReaderNode(g, "TFRecordReader", o, where)
      .Attr("compression_type", o.compression_type)
      .Build();
}
Output TextLineReader(Graph& g, TextLineReaderOptions o, Location where) {
  return ReaderNode(g, "TextLineReader", o, where)
      .Attr("skip_header_lines", o.skip_header_lines)
      .Build();
}
Output FixedLengthRecordReader(Graph& g, FixedLengthRecordReaderOptions o, Location where) {
  return ReaderNode(g, "FixedLengthRecordReader", o, where)
      .Attr("header_bytes", o.header_bytes)
      .Attr("record_bytes", o.record_bytes)
      .Attr("footer_bytes", o.footer_bytes)
      .Attr("hop_bytes", o.hop_bytes)
      .Attr("encoding", o.encoding)
      .Build();
}
Output WholeFileReader(Graph& g, ReaderOptions o, Location where) {
  return ReaderNode(g, "WholeFileReader", o, where).Build();
}
Output IdentityReader(Graph& g, ReaderOptions o, Location where) {
  return ReaderNode(g, "IdentityReader", o, where).Build();
}

ReadRecord ReaderRead(Output reader, Output queue, OpOptions o, Location where) {
  return Outputs(UseNode("ReaderRead", reader, o, where).Input(queue).BuildNode());
}
ReadRecord ReaderReadUpTo(Output reader, Output queue, Output num_records, OpOptions o,
                          Location where) {
  return Outputs(
      UseNode("ReaderReadUpTo", reader, o, where).Input(queue).Input(num_records).BuildNode());
}
Output ReaderNumRecordsProduced(Output reader, OpOptions o, Location where) {
  return UseNode("ReaderNumRecordsProduced", reader, o, where).Build();
}
Output ReaderNumWorkUnitsCompleted(Output reader, OpOptions o, Location where) {
  return UseNode("ReaderNumWorkUnitsCompleted", reader, o, where).Build();
}
Output ReaderSerializeState(Output reader, OpOptions o, Location where) {
  return UseNode("ReaderSerializeState", reader, o, where).Build();
}
Node* ReaderRestoreState(Output reader, Output state, OpOptions o, Location where) {
  return UseNode("ReaderRestoreState", reader, o, where).Input(state).BuildNode();
}
Node* ReaderReset(Output reader, OpOptions o, Location where) {
  return UseNode("ReaderReset", reader, o, where).BuildNode();
}

void DefineReader(OpRegistry& ops) {
  DefineReaders(ops);
  // Every op that takes a reader, in both forms.
  const auto define = [&ops](std::string_view name, KernelFactory make, const char* doc,
                             auto fill) {
    for (const bool v2 : {false, true}) {
      OpDef& def = ops.Define(v2 ? StrCat(name, "V2") : std::string(name));
      const auto handle = [&](std::string_view input) {
        v2 ? def.Input(input, "resource") : def.RefInput(input, "string");
      };
      handle("reader_handle");
      fill(def, handle);
      def.NoGradient().Cpu({.make = make}).Doc(doc);
      if (v2) def.Stateful();  // a ref input says so already
    }
  };
  define("ReaderRead", MakeReaderReadCpu, "The next record.", [](OpDef& def, auto handle) {
    handle("queue_handle");
    def.Output("key", "string").Output("value", "string").Shape(ScalarShape).Blocking();
  });
  define("ReaderReadUpTo", MakeReaderReadUpToCpu, "The next records, up to the end of a file.",
         [](OpDef& def, auto handle) {
           handle("queue_handle");
           def.Input("num_records", "int64").Output("keys", "string").Output("values", "string");
           def.Shape(ReadUpToShape).Blocking();
         });
  define("ReaderNumRecordsProduced", MakeReaderNumRecordsProducedCpu,
         "How many records a reader has given.",
         [](OpDef& def, auto) { def.Output("records_produced", "int64").Shape(ScalarShape); });
  define("ReaderNumWorkUnitsCompleted", MakeReaderNumWorkUnitsCompletedCpu,
         "How many files a reader has read to their end.",
         [](OpDef& def, auto) { def.Output("units_completed", "int64").Shape(ScalarShape); });
  define("ReaderSerializeState", MakeReaderSerializeStateCpu, "Where a reader stands, as bytes.",
         [](OpDef& def, auto) { def.Output("state", "string").Shape(ScalarShape).Blocking(); });
  define(
      "ReaderRestoreState", MakeReaderRestoreStateCpu, "Sets where a reader stands.",
      [](OpDef& def, auto) { def.Input("state", "string").Shape(RestoreStateShape).Blocking(); });
  define("ReaderReset", MakeReaderResetCpu, "Sets a reader to its first state.",
         [](OpDef& def, auto) { def.Shape(NoShape).Blocking(); });
}

}  // namespace headrace

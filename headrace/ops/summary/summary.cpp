#include "headrace/ops/summary/summary.h"

#include <cctype>

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/summary/summary_kernels.h"

namespace headrace {
namespace {

// Shapes of what is summarised are checked when a summary is made: programs define summaries that
// would not fit and never run them.
Status TaggedShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(c.CheckScalar(0));
  return ScalarShape(c);
}

Status AudioSummaryShape(ShapeContext& c) {
  const PartialShape& audio = c.input(1);
  if (audio.has_rank() && audio.rank() != 2 && audio.rank() != 3) {
    return InvalidArgument("input 1 ('tensor') must be [N, frames] or [N, frames, channels], got ",
                           audio.ToString());
  }
  if (c.num_inputs() == 3) HR_RETURN_IF_ERROR(c.CheckScalar(2));
  return TaggedShape(c);
}

// Letters, digits and "_-/." stay.
std::string CleanName(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  std::string clean(name);
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 128 ||
        (std::isalnum(byte) == 0 && std::string_view("_-/.").find(c) == std::string_view::npos))
      c = '_';
  }
  return clean;
}

// The scope of one summary op, which also gives its tag.
class SummaryScope {
 public:
  SummaryScope(Graph& graph, std::string_view name, const std::string& family)
      : graph_(graph),
        scope_(graph,
               family.empty() ? CleanName(name) : StrCat(CleanName(family), "/", CleanName(name))) {
    tag_ = family.empty() ? graph.name_scope() : StrCat(CleanName(family), "/", graph.name_scope());
  }
  Output Tag(std::string_view name, Location where) const {
    return Const(graph_, std::string_view(tag_), {.name = std::string(name)}, where);
  }
  std::string op_name() const { return graph_.name_scope() + "/"; }

 private:
  Graph& graph_;
  NameScope scope_;
  std::string tag_;
};

Output Collected(Output summary, const std::vector<std::string>& collections) {
  for (const std::string& collection : collections) {
    if (summary.valid()) summary.graph()->AddToCollection(collection, summary);
  }
  return summary;
}

}  // namespace

Output ScalarSummary(std::string_view name, Output value, SummaryOptions o, Location where) {
  if (!value.valid()) return {};
  SummaryScope scope(*value.graph(), name, o.family);
  Output tags = scope.Tag("tags", where);
  return Collected(
      NodeBuilder("ScalarSummary", scope.op_name(), where).Input(tags).Input(value).Build(),
      o.collections);
}

Output HistogramSummary(std::string_view name, Output values, SummaryOptions o, Location where) {
  if (!values.valid()) return {};
  SummaryScope scope(*values.graph(), name, o.family);
  Output tag = scope.Tag("tag", where);
  return Collected(
      NodeBuilder("HistogramSummary", scope.op_name(), where).Input(tag).Input(values).Build(),
      o.collections);
}

Output ImageSummary(std::string_view name, Output images, ImageSummaryOptions o, Location where) {
  if (!images.valid()) return {};
  SummaryScope scope(*images.graph(), name, o.family);
  Output tag = scope.Tag("tag", where);
  return Collected(NodeBuilder("ImageSummary", scope.op_name(), where)
                       .Input(tag)
                       .Input(images)
                       .Attr("max_images", o.max_images)
                       .Build(),
                   o.collections);
}

Output AudioSummary(std::string_view name, Output audio, float sample_rate, AudioSummaryOptions o,
                    Location where) {
  if (!audio.valid()) return {};
  Graph& graph = *audio.graph();
  SummaryScope scope(graph, name, o.family);
  Output rate = Const(graph, sample_rate, {.name = "sample_rate"}, where);
  Output tag = scope.Tag("tag", where);
  return Collected(NodeBuilder("AudioSummaryV2", scope.op_name(), where)
                       .Input(tag)
                       .Input(audio)
                       .Input(rate)
                       .Attr("max_outputs", o.max_outputs)
                       .Build(),
                   o.collections);
}

Output TextSummary(std::string_view name, Output text, SummaryOptions o, Location where) {
  if (!text.valid()) return {};
  Graph& graph = *text.graph();
  if (text.value_dtype() != DType::kString) {
    graph.ReportError(InvalidArgument("TextSummary '", name, "': Expected tensor ", text.name(),
                                      " to have dtype string, got ",
                                      DTypeName(text.value_dtype())));
    return {};
  }
  SummaryScope scope(graph, name, o.family);
  Output tag = scope.Tag("tag", where);
  proto::SummaryMetadata metadata;
  metadata.mutable_plugin_data()->set_plugin_name("text");
  Output plugin = Const(graph, std::string_view(metadata.SerializeAsString()),
                        {.name = "serialized_summary_metadata"}, where);
  return Collected(NodeBuilder("TensorSummaryV2", scope.op_name(), where)
                       .Input(tag)
                       .Input(text)
                       .Input(plugin)
                       .Build(),
                   o.collections);
}

Output MergeSummary(std::span<const Output> summaries, MergeSummaryOptions o, Location where) {
  if (summaries.empty() || !summaries.front().valid()) return {};
  NameScope scope(*summaries.front().graph(), o.name.empty() ? "Merge" : o.name);
  return Collected(NodeBuilder("MergeSummary", "", where).Inputs(summaries).Build(), o.collections);
}

Output MergeAllSummaries(Graph& g, std::string_view collection, Location where) {
  return MergeSummary(g.Collection(collection), {}, where);
}

void DefineSummary(OpRegistry& ops) {
  // The kernels work in host memory on every device: a summary under a GPU's scope is no reason to
  // fail.
  ops.Define("ScalarSummary")
      .TypeAttr("T", kRealTypes)
      .Input("tags", "string")
      .Input("values", "T")
      .Output("summary", "string")
      .Shape(ScalarShape)
      .NoGradient()
      .Cpu({.make = MakeScalarSummaryCpu})
      .Gpu({.host_args = {"tags", "values", "summary"}})
      .Doc("A summary of one number for each tag.");
  ops.Define("HistogramSummary")
      .TypeAttr("T", kRealTypes, DType::kFloat32)
      .Input("tag", "string")
      .Input("values", "T")
      .Output("summary", "string")
      .Shape(TaggedShape)
      .NoGradient()
      .Cpu({.make = MakeHistogramSummaryCpu})
      .Gpu({.host_args = {"tag", "values", "summary"}})
      .Doc("A summary of the distribution of a tensor's elements.");
  ops.Define("ImageSummary")
      .Attr(AttrDef{.name = "max_images",
                    .kind = AttrKind::kInt,
                    .default_value = AttrValue(3),
                    .minimum = 1})
      .TypeAttr("T", DTypeSet{DType::kUInt8, DType::kFloat32, DType::kFloat16, DType::kFloat64},
                DType::kFloat32)
      .Attr("bad_color", AttrValue(Tensor::Of<uint8_t>({255, 0, 0, 255})))
      .Input("tag", "string")
      .Input("tensor", "T")
      .Output("summary", "string")
      .Shape(TaggedShape)
      .NoGradient()
      .Cpu({.make = MakeImageSummaryCpu})
      .Gpu({.host_args = {"tag", "tensor", "summary"}})
      .Doc("A summary of the first images of a batch.");
  for (const char* name : {"AudioSummary", "AudioSummaryV2"}) {
    OpDef& op = ops.Define(name);
    if (op.name() == "AudioSummary")
      op.Attr(AttrDef{.name = "sample_rate", .kind = AttrKind::kFloat});
    op.Attr(AttrDef{.name = "max_outputs",
                    .kind = AttrKind::kInt,
                    .default_value = AttrValue(3),
                    .minimum = 1})
        .Input("tag", "string")
        .Input("tensor", "float32");
    if (op.name() == "AudioSummaryV2") op.Input("sample_rate", "float32");
    op.Output("summary", "string")
        .Shape(AudioSummaryShape)
        .NoGradient()
        .Cpu({.make = MakeAudioSummaryCpu})
        .Gpu({.host_args = op.name() == "AudioSummaryV2"
                               ? std::vector<std::string>{"tag", "tensor", "sample_rate", "summary"}
                               : std::vector<std::string>{"tag", "tensor", "summary"}})
        .Doc("A summary of the first clips of a batch of sounds.");
  }
  ops.Define("TensorSummaryV2")
      .TypeAttr("T", kAllTypes)
      .Input("tag", "string")
      .Input("tensor", "T")
      .Input("serialized_summary_metadata", "string")
      .Output("summary", "string")
      .Shape(TaggedShape)
      .NoGradient()
      .Cpu({.make = MakeTensorSummaryCpu})
      .Gpu({.host_args = {"tag", "tensor", "serialized_summary_metadata", "summary"}})
      .Doc("A summary that holds a tensor, for a plugin of TensorBoard.");
  ops.Define("MergeSummary")
      .Attr(AttrDef{.name = "N", .kind = AttrKind::kInt, .minimum = 1})
      .InputList("inputs", "string", "N")
      .Output("summary", "string")
      .Shape(ScalarShape)
      .NoGradient()
      .Cpu({.make = MakeMergeSummaryCpu})
      .Gpu({.host_args = {"inputs", "summary"}})
      .Doc("One summary of several.");
}

}  // namespace headrace

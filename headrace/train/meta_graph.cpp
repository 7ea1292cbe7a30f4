#include "headrace/train/meta_graph.h"

#include <set>

#include "headrace/base/file.h"
#include "headrace/base/log.h"
#include "headrace/base/strings.h"
#include "headrace/graph/graph_io.h"
#include "headrace/io/proto/meta_graph.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/train/collections.h"
#include "headrace/train/saver.h"

namespace headrace {
namespace {

// The collections that hold variables, as tf.GraphKeys has them.
constexpr const char* kOfVariables[] = {
    kVariables,       kTrainableVariables,     kLocalVariables, kModelVariables,
    kMetricVariables, kMovingAverageVariables, kGlobalStep,     kEvalStep};
// The others that programs fill.
constexpr const char* kOfNodes[] = {
    kTrainOp,   kInitOp, kLocalInitOp,          kReadyOp,    kUpdateOps, kSummaries,
    kSummaryOp, kLosses, kRegularizationLosses, kActivations};

void FillVariables(const Graph& g, const std::string& collection, proto::CollectionDef& message) {
  std::set<Output> trainable;
  for (const Output& ref : g.Collection(kTrainableVariables)) trainable.insert(ref);
  for (const Variable& variable : VariablesIn(g, collection)) {
    proto::VariableDef entry;
    entry.set_variable_name(variable.ref().name());
    if (variable.initializer() != nullptr)
      entry.set_initializer_name(variable.initializer()->name());
    if (variable.value().valid()) entry.set_snapshot_name(variable.value().name());
    if (variable.initial_value().valid())
      entry.set_initial_value_name(variable.initial_value().name());
    entry.set_trainable(trainable.contains(variable.ref()));
    entry.set_is_resource(variable.is_resource());
    message.mutable_bytes_list()->add_value(entry.SerializeAsString());
  }
}

void FillSaver(const Saver& saver, proto::SaverDef& message) {
  if (!saver.save_tensor().valid() || saver.restore_op() == nullptr) return;
  message.set_filename_tensor_name(saver.filename().name());
  message.set_save_tensor_name(saver.save_tensor().name());
  message.set_restore_op_name(saver.restore_op()->name());
  message.set_max_to_keep(saver.options().max_to_keep);
  message.set_keep_checkpoint_every_n_hours(
      static_cast<float>(saver.options().keep_checkpoint_every_n_hours));
  message.set_version(proto::SaverDef::V2);
}

// The definitions of the ops that occur, for readers that do not know all of them.
Status FillOps(const Graph& g, proto::OpList& list) {
  HR_ASSIGN_OR_RETURN(const std::string bytes, ExportOps(g.registry(), /*text=*/false));
  proto::OpList all;
  HR_RETURN_IF_ERROR(ParseBinary(bytes, "op definitions", &all));
  std::set<std::string> used;
  for (int i = 0; i < g.num_nodes(); ++i) used.insert(g.node(i)->op_name());
  for (proto::OpDef& op : *all.mutable_op()) {
    if (used.contains(op.name())) *list.add_op() = std::move(op);
  }
  return absl::OkStatus();
}

std::string Prefixed(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : StrCat(prefix, "/", name);
}

Status TakeVariables(Graph& g, const std::string& collection, const proto::CollectionDef& message,
                     const std::string& prefix) {
  for (const std::string& bytes : message.bytes_list().value()) {
    proto::VariableDef entry;
    HR_RETURN_IF_ERROR(ParseBinary(bytes, StrCat("collection '", collection, "'"), &entry));
    HR_ASSIGN_OR_RETURN(const Output ref, g.FindOutput(Prefixed(prefix, entry.variable_name())));
    g.AddToCollection(collection, ref);
  }
  return absl::OkStatus();
}

Status TakeNodes(Graph& g, const std::string& collection, const proto::CollectionDef& message,
                 const std::string& prefix) {
  for (const std::string& value : message.node_list().value()) {
    const std::string name = Prefixed(prefix, value);
    if (Node* node = g.FindNode(name)) {
      g.AddToCollection(collection, Output{node, 0});
      continue;
    }
    HR_ASSIGN_OR_RETURN(const Output output, g.FindOutput(name));
    g.AddToCollection(collection, output);
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::string> ExportMetaGraph(const Graph& g, const MetaGraphOptions& o) {
  proto::MetaGraphDef meta;
  HR_RETURN_IF_ERROR(FillOps(g, *meta.mutable_meta_info_def()->mutable_stripped_op_list()));
  HR_ASSIGN_OR_RETURN(const std::string graph_def,
                      ExportGraph(g, {.with_devices = o.with_devices, .with_shapes = true}));
  HR_RETURN_IF_ERROR(ParseBinary(graph_def, "graph", meta.mutable_graph_def()));
  if (o.saver != nullptr) FillSaver(*o.saver, *meta.mutable_saver_def());
  for (const char* collection : kOfVariables) {
    if (g.Collection(collection).empty()) continue;
    FillVariables(g, collection, (*meta.mutable_collection_def())[collection]);
  }
  for (const char* collection : kOfNodes) {
    for (const Output& output : g.Collection(collection)) {
      const bool is_op = output.node->num_outputs() == 0;
      auto& names = *(*meta.mutable_collection_def())[collection].mutable_node_list();
      names.add_value(is_op ? output.node->name() : output.name());
    }
  }
  return SerializeBinary(meta);
}

Status WriteMetaGraph(const Graph& g, const std::string& path, const MetaGraphOptions& o) {
  HR_ASSIGN_OR_RETURN(const std::string bytes, ExportMetaGraph(g, o));
  return WriteFileAtomically(path, bytes);
}

Status ImportMetaGraph(Graph& g, const std::string& path, const ImportMetaGraphOptions& o) {
  HR_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  proto::MetaGraphDef meta;
  HR_RETURN_IF_ERROR(ParseBinary(bytes, path, &meta));
  if (!meta.has_graph_def()) return DataLoss(path, ": these ", bytes.size(), " bytes hold no graph (cut short?)");
  const std::string graph_def = meta.graph_def().SerializeAsString();
  HR_RETURN_IF_ERROR(
      Annotate(ImportGraph(g, graph_def, {.prefix = o.prefix, .device_map = o.device_map}),
               StrCat("'", path, "': ")));
  const std::set<std::string> of_variables(std::begin(kOfVariables), std::end(kOfVariables));
  for (const auto& [name, collection] : meta.collection_def()) {
    Status status = absl::OkStatus();
    if (collection.has_bytes_list() && of_variables.contains(name)) {
      status = TakeVariables(g, name, collection, o.prefix);
    } else if (collection.has_node_list()) {
      status = TakeNodes(g, name, collection, o.prefix);
    } else {
      Log(LogLevel::kInfo, StrCat("'", path, "': collection '", name, "' is left out"));
    }
    HR_RETURN_IF_ERROR(Annotate(status, StrCat("'", path, "' collection '", name, "': ")));
  }
  return absl::OkStatus();
}

}  // namespace headrace

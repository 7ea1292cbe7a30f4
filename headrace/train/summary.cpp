#include "headrace/train/summary.h"

#include "headrace/base/strings.h"
#include "headrace/graph/graph_io.h"
#include "headrace/io/proto/graph.pb.h"
#include "headrace/io/proto_convert.h"

namespace headrace {

Status AddGraph(EventWriter& events, const Graph& g, int64_t step) {
  HR_ASSIGN_OR_RETURN(const std::string graph_def, ExportGraph(g, {.with_shapes = true}));
  return events.AddGraph(graph_def, step);
}

Status AddGraph(EventWriter& events, Session& session, int64_t step) {
  HR_ASSIGN_OR_RETURN(const PlacementReport placement, session.Placement());
  HR_ASSIGN_OR_RETURN(const std::string asked, ExportGraph(session.graph(), {.with_shapes = true}));
  proto::GraphDef graph_def;
  HR_RETURN_IF_ERROR(ParseBinary(asked, "graph", &graph_def));
  for (proto::NodeDef& message : *graph_def.mutable_node()) {
    const Node* node = session.graph().FindNode(message.name());
    if (node != nullptr) message.set_device(placement.DeviceOf(*node));
  }
  HR_ASSIGN_OR_RETURN(const std::string placed, SerializeBinary(graph_def));
  return events.AddGraph(placed, step);
}

Status AddSummary(EventWriter& events, const Tensor& summary, int64_t step) {
  if (summary.dtype() != DType::kString || summary.num_elements() != 1) {
    return InvalidArgument("a summary is one string, got ", summary.ToString());
  }
  return events.AddSummary(*summary.data<std::string>(), step);
}

Status AddRunMetadata(EventWriter& events, std::string_view tag, const RunMetadata& metadata,
                      int64_t step) {
  return events.AddRunMetadata(tag, metadata.trace.ToRunMetadata(), step);
}

}  // namespace headrace

// Event files for a training loop: what TensorBoard shows of a graph and its runs. Scalars,
// histograms and images are methods of EventWriter; summaries computed by the graph are in
// ops/summary/summary.h.
//
//   HR_ASSIGN_OR_RETURN(auto events, EventWriter::Open("logs"));
//   HR_RETURN_IF_ERROR(AddGraph(*events, *session));  // with the devices where nodes run
//   HR_RETURN_IF_ERROR(events->AddScalar("loss", loss, step));
//   HR_RETURN_IF_ERROR(AddSummary(*events, merged, step));  // merged: what MergeAllSummaries gave
//   HR_RETURN_IF_ERROR(AddRunMetadata(*events, "step 100", metadata, 100));
//
// Errors are those of EventWriter.
#pragma once

#include <string_view>

#include "headrace/io/event_log.h"
#include "headrace/ops/summary/summary.h"
#include "headrace/session/session.h"

namespace headrace {

// The graph with the devices that were asked for.
Status AddGraph(EventWriter& events, const Graph& g, int64_t step = 0);
// The graph with the devices where the session runs its nodes.
Status AddGraph(EventWriter& events, Session& session, int64_t step = 0);
// The result of a summary op. Errors: InvalidArgument for what is no string scalar; DataLoss for
// what is no summary.
Status AddSummary(EventWriter& events, const Tensor& summary, int64_t step);
// When each node of a traced run ran. Errors: InvalidArgument for a tag used before.
Status AddRunMetadata(EventWriter& events, std::string_view tag, const RunMetadata& metadata,
                      int64_t step);

}  // namespace headrace

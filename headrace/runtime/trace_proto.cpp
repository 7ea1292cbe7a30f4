// StepTrace as TensorFlow's messages, which TensorBoard and timeline tools read.
#include <map>

#include "headrace/base/strings.h"
#include "headrace/io/proto/config.pb.h"
#include "headrace/io/proto/step_stats.pb.h"
#include "headrace/runtime/trace.h"

namespace headrace {
namespace {

// "y = Add(x, one)": TensorFlow's timeline takes node, op and inputs apart again.
std::string TimelineLabel(const TraceEvent& event) {
  switch (event.kind) {
    case TraceEvent::Kind::kSend:
      return StrCat(event.node->name(), " = _Send(", event.node->name(), ")");
    case TraceEvent::Kind::kReceive:
      return StrCat(event.node->name(), " = _Recv()");
    default:
      break;
  }
  return StrCat(
      event.node->name(), " = ", event.node->op_name(), "(",
      StrJoin(event.node->inputs(), ", ", [](const Output& input) { return input.node->name(); }),
      ")");
}

void Fill(const TraceEvent& event, proto::NodeExecStats& stats) {
  stats.set_node_name(event.node->name());
  stats.set_timeline_label(TimelineLabel(event));
  stats.set_all_start_micros(event.start_ns / 1000);
  stats.set_all_start_nanos(event.start_ns);
  stats.set_scheduled_micros(event.start_ns / 1000);
  stats.set_scheduled_nanos(event.start_ns);
  const int64_t took_ns = event.end_ns - event.start_ns;
  stats.set_op_end_rel_nanos(took_ns);
  stats.set_all_end_rel_nanos(took_ns);
  stats.set_op_end_rel_micros((took_ns + 999) / 1000);
  stats.set_all_end_rel_micros((took_ns + 999) / 1000);
  stats.set_thread_id(static_cast<uint32_t>(event.lane));
  if (event.output_bytes > 0) {
    auto* allocation =
        stats.add_output()->mutable_tensor_description()->mutable_allocation_description();
    allocation->set_requested_bytes(event.output_bytes);
    allocation->set_allocated_bytes(event.output_bytes);
  }
}

proto::StepStats Stats(const StepTrace& trace) {
  proto::StepStats stats;
  std::map<int, proto::DeviceStepStats*> by_device;
  for (const TraceEvent& event : trace.events()) {
    proto::DeviceStepStats*& device = by_device[event.device];
    if (device == nullptr) {
      device = stats.add_dev_stats();
      device->set_device(trace.devices()[event.device]);
    }
    Fill(event, *device->add_node_stats());
  }
  return stats;
}

}  // namespace

std::string StepTrace::ToStepStats() const {
  return Stats(*this).SerializeAsString();
}

std::string StepTrace::ToRunMetadata() const {
  proto::RunMetadata metadata;
  *metadata.mutable_step_stats() = Stats(*this);
  return metadata.SerializeAsString();
}

}  // namespace headrace

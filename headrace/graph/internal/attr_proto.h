// Attributes and op definitions to and from TensorFlow's messages.
#pragma once

#include "headrace/graph/graph_io.h"
#include "headrace/graph/op_def.h"
#include "headrace/io/proto/graph.pb.h"

// What speaks of messages stays inside the library: see headrace_package.
#pragma GCC visibility push(hidden)
namespace headrace::internal {

// Errors: InvalidArgument (a tensor beyond 2 GiB), Unimplemented (variants).
Status AttrToProto(const AttrValue& value, proto::AttrValue* message);
// A few bytes can stand for a tensor of any size with equal elements: `room_bytes` is how much
// memory such may take, and is lowered by what they took. Errors: InvalidArgument for a message
// without value, a list of mixed kinds, or a bad shape, dtype or tensor.
StatusOr<AttrValue> AttrFromProto(const proto::AttrValue& message, int64_t* room_bytes = nullptr);

// The attributes of a node, those that the options leave out apart. Errors: as AttrToProto, with node and attribute.
Status NodeAttrsToProto(const Node& node, const ExportOptions& options, proto::NodeDef* message);

Status OpDefToProto(const OpDef& op, proto::OpDef* message);

}  // namespace headrace::internal

#pragma GCC visibility pop

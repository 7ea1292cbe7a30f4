// Attributes and op definitions to and from TensorFlow's messages.
#pragma once

#include "headrace/graph/op_def.h"
#include "headrace/io/proto/graph.pb.h"

namespace headrace::internal {

// Errors: InvalidArgument (a tensor beyond 2 GiB), Unimplemented (variants).
Status AttrToProto(const AttrValue& value, proto::AttrValue* message);
// Errors: InvalidArgument for a message without value, a list of mixed kinds, or a bad shape, dtype or tensor.
StatusOr<AttrValue> AttrFromProto(const proto::AttrValue& message);

Status OpDefToProto(const OpDef& op, proto::OpDef* message);

}  // namespace headrace::internal

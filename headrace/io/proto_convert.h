// Between our value types and the messages of graph files, and between messages and their bytes or
// text.
//
//   #include "headrace/io/proto/graph.pb.h"   // in the .cpp that uses it
//   proto::GraphDef graph;
//   HR_RETURN_IF_ERROR(ParseText(text, "model.pbtxt", &graph));
//   HR_ASSIGN_OR_RETURN(Tensor value, TensorFromProto(node.attr().at("value").tensor()));
//
// Input may come from anyone: what is wrong with it is an error, never a crash, and memory is
// bounded by the size of the message but for repeated values (see TensorFromProto). Stateless,
// thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/dtype.h"
#include "headrace/tensor/shape.h"
#include "headrace/tensor/tensor.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace headrace {
namespace proto {
class TensorProto;
class TensorShapeProto;
enum DataType : int;
}  // namespace proto

// What speaks of messages stays inside the library: see headrace_package.
#pragma GCC visibility push(hidden)

// References (DT_FLOAT_REF) included; DT_INVALID is DType::kInvalid both ways.
proto::DataType DTypeToProto(DType type);
// Errors: InvalidArgument for a number that is no dtype.
StatusOr<DType> DTypeFromProto(proto::DataType type);

void ShapeToProto(const Shape& shape, proto::TensorShapeProto* message);
void ShapeToProto(const PartialShape& shape, proto::TensorShapeProto* message);
// Errors: InvalidArgument for an unknown rank or dimension, or what Shape::Make refuses.
StatusOr<Shape> ShapeFromProto(const proto::TensorShapeProto& message);
StatusOr<PartialShape> PartialShapeFromProto(const proto::TensorShapeProto& message);

enum class TensorEncoding {
  kAuto,    // what TensorFlow's Python writes: raw bytes for two or more numbers, typed values else
  kValues,  // typed values (float_val...), the tail that repeats one value given once
  kBytes,   // raw bytes (strings, resources: typed values)
};
// Errors: InvalidArgument for no tensor, or one whose message would pass the format's limit of 2
// GiB; Unimplemented for variants.
Status TensorToProto(const Tensor& tensor, proto::TensorProto* message,
                     TensorEncoding encoding = TensorEncoding::kAuto);
struct TensorFromProtoOptions {
  Allocator* allocator = nullptr;  // null: HostAllocator()
  // A message of ten bytes may stand for a tensor of any size, all elements equal: the most that is
  // believed.
  int64_t max_repeated_bytes = int64_t{8} << 30;
};
// Typed values may be fewer than elements: the last one (or zero) fills the rest, as TensorFlow has
// it. Errors: InvalidArgument (too many values, wrong number of bytes, a value outside its dtype,
// unknown shape), ResourceExhausted (memory), Unimplemented (variants).
StatusOr<Tensor> TensorFromProto(const proto::TensorProto& message,
                                 const TensorFromProtoOptions& options = {});

// Text as TensorFlow's .pbtxt files have it.
std::string PrintText(const google::protobuf::Message& message);
// One line, for logs and error messages.
std::string PrintShortText(const google::protobuf::Message& message);
// Replaces `message`. Errors: InvalidArgument "model.pbtxt:12:7: ..." (line and column count from
// 1).
Status ParseText(std::string_view text, std::string_view file, google::protobuf::Message* message);
// The same bytes for the same contents (maps in key order). Errors: InvalidArgument beyond 2 GiB.
StatusOr<std::string> SerializeBinary(const google::protobuf::Message& message);
// Replaces `message`. Errors: DataLoss naming `file` when the bytes are no such message.
Status ParseBinary(std::string_view bytes, std::string_view file,
                   google::protobuf::Message* message);

#pragma GCC visibility pop

}  // namespace headrace

// Graphs and tensors of any bytes, binary or text: never a crash; a tensor that is read can be
// written and read again.
#include <cstdint>
#include <cstring>
#include <string>

#include "headrace/io/proto/graph.pb.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

void CheckTensor(const proto::TensorProto& message) {
  const auto tensor = TensorFromProto(message, {.max_repeated_bytes = 1 << 16});
  if (!tensor.ok()) return;
  for (const auto encoding :
       {TensorEncoding::kAuto, TensorEncoding::kValues, TensorEncoding::kBytes}) {
    proto::TensorProto written;
    if (!TensorToProto(*tensor, &written, encoding).ok()) __builtin_trap();
    const auto again = TensorFromProto(written);
    if (!again.ok() || again->shape() != tensor->shape()) __builtin_trap();
    if (IsPlain(tensor->dtype()) && tensor->num_elements() > 0 &&
        std::memcmp(again->raw_data(), tensor->raw_data(), tensor->size_bytes()) != 0) {
      __builtin_trap();
    }
  }
}

void CheckAttr(const proto::AttrValue& attr) {
  if (attr.has_tensor()) CheckTensor(attr.tensor());
  if (attr.has_shape()) PartialShapeFromProto(attr.shape()).status().IgnoreError();
  DTypeFromProto(attr.type()).status().IgnoreError();
  for (const auto& tensor : attr.list().tensor()) CheckTensor(tensor);
  for (const auto& shape : attr.list().shape()) PartialShapeFromProto(shape).status().IgnoreError();
}

}  // namespace
}  // namespace headrace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  headrace::proto::TensorProto tensor;
  headrace::proto::GraphDef graph;
  switch (data[0] % 4) {
    case 0:
      if (headrace::ParseBinary(bytes, "fuzz", &tensor).ok()) headrace::CheckTensor(tensor);
      return 0;
    case 1:
      if (headrace::ParseText(bytes, "fuzz", &tensor).ok()) headrace::CheckTensor(tensor);
      return 0;
    case 2:
      if (!headrace::ParseBinary(bytes, "fuzz", &graph).ok()) return 0;
      break;
    default:
      if (!headrace::ParseText(bytes, "fuzz", &graph).ok()) return 0;
  }
  for (const auto& node : graph.node()) {
    for (const auto& [name, attr] : node.attr()) headrace::CheckAttr(attr);
  }
  return 0;
}

#include "headrace/ops/state/variable_input.h"

#include <algorithm>
#include <cctype>

#include "headrace/base/strings.h"

namespace headrace {

HandleInfo HandleOf(Output handle) {
  constexpr int kMostSteps = 1000;  // a loop's back edge leads nowhere else
  for (int i = 0; handle.valid() && i < kMostSteps; ++i) {
    const Node& node = *handle.node;
    if (node.op_name() == "VarHandleOp") {
      return {node.attrs().Get<DType>("dtype"), node.attrs().Get<PartialShape>("shape")};
    }
    if (node.num_inputs() == 0 || node.input_type(0) != DType::kResource) break;
    handle = node.input(0);
  }
  return {};
}

PartialShape VariableShapeOf(const ShapeContext& c, int i) {
  if (c.node().input_type(i) != DType::kResource) return c.input(i);
  return HandleOf(c.node().input(i)).shape;
}

std::string CppTypeName(DType type) {
  std::string name = DTypeProtoName(type).substr(3);
  for (char& letter : name)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name;
}

Status CheckHandleType(const ShapeContext& c, int i, DType wanted) {
  const HandleInfo handle = HandleOf(c.node().input(i));
  if (handle.dtype == DType::kInvalid || handle.dtype == wanted) return absl::OkStatus();
  return InvalidArgument("Trying to read variable with wrong dtype. Expected ",
                         CppTypeName(handle.dtype), " got ", CppTypeName(wanted));
}

}  // namespace headrace

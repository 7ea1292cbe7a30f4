#include "headrace/io/proto_convert.h"

#include "headrace/base/strings.h"
#include "headrace/io/proto/graph.pb.h"

namespace headrace {

proto::DataType DTypeToProto(DType type) {
  return static_cast<proto::DataType>(type);
}

StatusOr<DType> DTypeFromProto(proto::DataType type) {
  const int number = static_cast<int>(type);
  if (number == 0) return DType::kInvalid;
  if (!proto::DataType_IsValid(number))
    return InvalidArgument("DataType ", number, " is not a dtype");
  return static_cast<DType>(number);
}

void ShapeToProto(const Shape& shape, proto::TensorShapeProto* message) {
  ShapeToProto(PartialShape(shape), message);
}

void ShapeToProto(const PartialShape& shape, proto::TensorShapeProto* message) {
  message->Clear();
  if (!shape.has_rank()) {
    message->set_unknown_rank(true);
    return;
  }
  for (int64_t size : shape.dims()) message->add_dim()->set_size(size);
}

StatusOr<Shape> ShapeFromProto(const proto::TensorShapeProto& message) {
  HR_ASSIGN_OR_RETURN(PartialShape shape, PartialShapeFromProto(message));
  if (!shape.is_fully_known()) {
    return InvalidArgument("shape ", shape.ToString(), " must be fully known here");
  }
  return shape.ToShape();
}

StatusOr<PartialShape> PartialShapeFromProto(const proto::TensorShapeProto& message) {
  if (message.unknown_rank()) {
    if (message.dim_size() > 0) {
      return InvalidArgument("a shape of unknown rank has ", message.dim_size(),
                             " dimensions; must have none");
    }
    return PartialShape();
  }
  if (message.dim_size() > kMaxRank) {
    return InvalidArgument("a shape has ", message.dim_size(), " dimensions; at most ", kMaxRank);
  }
  int64_t dims[kMaxRank];
  for (int i = 0; i < message.dim_size(); ++i) dims[i] = message.dim(i).size();
  return PartialShape::Make({dims, static_cast<size_t>(message.dim_size())});
}

}  // namespace headrace

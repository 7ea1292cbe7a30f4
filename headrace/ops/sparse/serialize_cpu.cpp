#include <vector>

#include "headrace/base/strings.h"
#include "headrace/io/proto/graph.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/ops/sparse/serialize_kernels.h"
#include "headrace/ops/sparse/stack_sparse.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

StatusOr<std::string> ToBytes(const Tensor& tensor) {
  proto::TensorProto message;
  HR_RETURN_IF_ERROR(TensorToProto(tensor, &message, TensorEncoding::kBytes));
  return SerializeBinary(message);
}

Status Serialize(KernelContext& ctx) {
  HR_RETURN_IF_ERROR(ReadSparse(ctx, 0).status());
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {3}));
  for (int i = 0; i < 3; ++i) {
    HR_ASSIGN_OR_RETURN(out->data<std::string>()[i], ToBytes(ctx.input(i)));
  }
  return absl::OkStatus();
}

Status SerializeMany(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const SparseInput in, ReadSparse(ctx, 0));
  HR_ASSIGN_OR_RETURN(const std::vector<SparseParts> rows, SplitRows(in));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {static_cast<int64_t>(rows.size()), 3}));
  std::string* text = out->data<std::string>();
  for (const SparseParts& row : rows) {
    for (const Tensor* part : {&row.indices, &row.values, &row.shape}) {
      HR_ASSIGN_OR_RETURN(*text++, ToBytes(*part));
    }
  }
  return absl::OkStatus();
}

class DeserializeKernel final : public Kernel {
 public:
  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    if (in.rank() == 0) return InvalidArgument("Serialized sparse should have non-zero rank []");
    if (in.dim(in.rank() - 1) != 3) {
      return InvalidArgument("Serialized sparse should have 3 as the last dimension ",
                             in.shape().ToString());
    }
    if (in.num_elements() == 0) {
      return InvalidArgument(
          "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension ",
          in.shape().ToString());
    }
    std::vector<SparseParts> parts(static_cast<size_t>(in.num_elements() / 3));
    for (size_t p = 0; p < parts.size(); ++p) {
      HR_ASSIGN_OR_RETURN(parts[p], Parse(ctx, in.data<std::string>() + 3 * p, p));
    }
    return StackSparse(ctx, in.shape().dims().first(static_cast<size_t>(in.rank() - 1)), parts);
  }

 private:
  static StatusOr<SparseParts> Parse(KernelContext& ctx, const std::string* text, size_t p) {
    Tensor tensors[3];
    for (int i = 0; i < 3; ++i) {
      proto::TensorProto message;
      if (!ParseBinary(text[i], "serialized sparse tensor", &message).ok())
        return InvalidArgument("Could not parse serialized proto");
      StatusOr<Tensor> tensor = TensorFromProto(message);
      if (!tensor.ok()) return Annotate(tensor.status(), "Could not construct Tensor from proto: ");
      tensors[i] = *std::move(tensor);
    }
    SparseParts parsed{tensors[0], tensors[1], tensors[2]};
    if (parsed.values.dtype() != ctx.output_type(1)) {
      return InvalidArgument("Requested SparseTensor of type ", CppTypeName(ctx.output_type(1)),
                             " but SparseTensor[", p,
                             "].values.dtype() == ", CppTypeName(parsed.values.dtype()));
    }
    const bool fits = parsed.indices.dtype() == DType::kInt64 &&
                      parsed.shape.dtype() == DType::kInt64 && parsed.indices.rank() == 2 &&
                      parsed.values.rank() == 1 && parsed.shape.rank() == 1 &&
                      parsed.indices.dim(0) == parsed.values.dim(0) &&
                      parsed.indices.dim(1) == parsed.shape.dim(0);
    if (fits) return parsed;
    return InvalidArgument("SparseTensor[", p, "] has indices ", parsed.indices.shape().ToString(),
                           ", values ", parsed.values.shape().ToString(), " and shape ",
                           parsed.shape.shape().ToString(), ", which do not fit together");
  }
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSerializeSparseCpu(const KernelInit& init) {
  return MakeFunctionKernel<Serialize>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeSerializeManySparseCpu(const KernelInit& init) {
  return MakeFunctionKernel<SerializeMany>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeDeserializeSparseCpu(const KernelInit&) {
  return std::make_unique<DeserializeKernel>();
}

}  // namespace headrace

#include <algorithm>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/io/proto/graph.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/sparse/serialize_kernels.h"
#include "headrace/ops/sparse/sparse_input.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/tensor/dispatch.h"

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
  if (in.rank <= 1) {
    return InvalidArgument("Rank of input SparseTensor should be > 1, but saw rank: ", in.rank);
  }
  HR_RETURN_IF_ERROR(CheckInBounds(in));
  const int64_t rows = in.dims[0];
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {rows, 3}));
  std::vector<std::vector<int64_t>> entries(static_cast<size_t>(rows));
  for (int64_t i = 0; i < in.count; ++i) entries[in.index(i)[0]].push_back(i);
  const auto rest = in.dims.subspan(1);
  HR_ASSIGN_OR_RETURN(const std::string shape,
                      ToBytes(Tensor::Of<int64_t>(rest, Shape{static_cast<int64_t>(rest.size())})));
  std::string* text = out->data<std::string>();
  for (int64_t row = 0; row < rows; ++row, text += 3) {
    const auto count = static_cast<int64_t>(entries[row].size());
    Tensor indices(DType::kInt64, {count, in.rank - 1}), values(in.values->dtype(), {count});
    int64_t* at = indices.data<int64_t>();
    for (int64_t i : entries[row]) at = std::ranges::copy(in.index(i).subspan(1), at).out;
    TakeValues(*in.values, entries[row], values);
    HR_ASSIGN_OR_RETURN(text[0], ToBytes(indices));
    HR_ASSIGN_OR_RETURN(text[1], ToBytes(values));
    text[2] = shape;
  }
  return absl::OkStatus();
}

struct Parsed {
  Tensor indices, values, shape;
};

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
    std::vector<Parsed> parts(static_cast<size_t>(in.num_elements() / 3));
    for (size_t p = 0; p < parts.size(); ++p) {
      HR_ASSIGN_OR_RETURN(parts[p], Parse(ctx, in.data<std::string>() + 3 * p, p));
      const int64_t rank = parts[p].shape.dim(0), before = parts[0].shape.dim(0);
      if (rank != before) {
        return InvalidArgument(
            "Inconsistent rank across SparseTensors: rank prior to SparseTensor[", p,
            "] was: ", before, " but rank of SparseTensor[", p, "] is: ", rank);
      }
    }
    return Stack(ctx, in.shape().dims().first(static_cast<size_t>(in.rank() - 1)), parts);
  }

 private:
  static StatusOr<Parsed> Parse(KernelContext& ctx, const std::string* text, size_t p) {
    Tensor tensors[3];
    for (int i = 0; i < 3; ++i) {
      proto::TensorProto message;
      if (!ParseBinary(text[i], "serialized sparse tensor", &message).ok())
        return InvalidArgument("Could not parse serialized proto");
      StatusOr<Tensor> tensor = TensorFromProto(message);
      if (!tensor.ok()) return Annotate(tensor.status(), "Could not construct Tensor from proto: ");
      tensors[i] = *std::move(tensor);
    }
    Parsed parsed{tensors[0], tensors[1], tensors[2]};
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

  static Status Stack(KernelContext& ctx, std::span<const int64_t> batch,
                      const std::vector<Parsed>& parts) {
    const auto inner = static_cast<size_t>(parts[0].shape.dim(0));
    std::vector<int64_t> dims(batch.begin(), batch.end());
    dims.resize(batch.size() + inner, 0);
    int64_t count = 0;
    for (const Parsed& part : parts) {
      count += part.values.dim(0);
      for (size_t d = 0; d < inner; ++d) {
        int64_t& dim = dims[batch.size() + d];
        dim = std::max(dim, part.shape.data<int64_t>()[d]);
      }
    }
    HR_ASSIGN_OR_RETURN(int64_t * index, MakeIndices(ctx, 0, count, static_cast<int>(dims.size())));
    HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {count}));
    int64_t done = 0;
    for (size_t p = 0; p < parts.size(); ++p) {
      const int64_t entries = parts[p].values.dim(0);
      const int64_t* from = parts[p].indices.data<int64_t>();
      for (int64_t i = 0; i < entries; ++i, index += dims.size(), from += inner) {
        for (size_t d = batch.size(), rest = p; d-- > 0;) {
          index[d] = static_cast<int64_t>(rest) % batch[d];
          rest /= static_cast<size_t>(batch[d]);
        }
        std::copy_n(from, inner, index + batch.size());
      }
      DispatchDType<kMovedTypes - kQuantizedTypes>(values->dtype(), [&]<class T>() {
        std::copy_n(parts[p].values.data<T>(), entries, values->data<T>() + done);
      });
      done += entries;
    }
    return SetShapeOutput(ctx, 2, dims);
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

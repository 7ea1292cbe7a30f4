// V1 checkpoints: one table, where the empty key lists the variables and each part of one is a
// message.
#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/io/internal/ordered_code.h"
#include "headrace/io/internal/stored_tensors.h"
#include "headrace/io/proto/checkpoint.pb.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

class StoredV1 final : public StoredTensors {
 public:
  explicit StoredV1(std::unique_ptr<TableReader> table) : table_(std::move(table)) {}

  Status AddVariable(const proto::SavedSliceMeta& meta);
  void Sort() {
    std::ranges::sort(variables_, {}, [](const StoredVariable& v) { return v.about.name; });
  }
  const TableReader& table() const { return *table_; }

  // The message is read either way, so that it is checked before memory is taken for its tensor.
  Status Check(const StoredVariable& variable, const StoredPiece& piece) const override {
    return LoadTensor(variable, piece).status();
  }
  Status Load(const StoredVariable& variable, const StoredPiece& piece,
              Tensor* out) const override {
    HR_ASSIGN_OR_RETURN(const Tensor value, LoadTensor(variable, piece));
    out->CopyElementsFrom(value);
    return absl::OkStatus();
  }

 private:
  StatusOr<Tensor> LoadTensor(const StoredVariable& variable, const StoredPiece& piece) const;
  std::unique_ptr<TableReader> table_;
};

Status StoredV1::AddVariable(const proto::SavedSliceMeta& meta) {
  const std::string what =
      StrCat("checkpoint '", table_->path(), "', variable '", EscapeC(meta.name()), "': ");
  auto dtype = DTypeFromProto(meta.type());
  if (!dtype.ok()) return Annotate(dtype.status(), what);
  auto shape = ShapeFromProto(meta.shape());
  if (!shape.ok()) return Annotate(shape.status(), what);
  StoredVariable variable{.about = {.name = meta.name(), .dtype = *dtype, .shape = *shape}};
  for (const auto& message : meta.slice()) {
    TensorSlice slice;
    for (const auto& extent : message.extent()) {
      const bool full = extent.has_length_case() != proto::TensorSliceProto::Extent::kLength;
      HR_RETURN_IF_ERROR(Annotate(
          slice.Append({extent.start(), full ? TensorSlice::kFull : extent.length()}), what));
    }
    auto part = slice.ShapeIn(*shape);
    if (!part.ok()) return Annotate(part.status(), what);
    variable.about.size_bytes += part->num_elements() * static_cast<int64_t>(SizeOf(*dtype));
    if (!slice.IsAllOf(*shape)) variable.about.slices.push_back(slice);
    variable.pieces.push_back(
        {.slice = slice.Explicit(*shape), .shape = *part, .key = SliceKey(meta.name(), slice)});
  }
  variables_.push_back(std::move(variable));
  return absl::OkStatus();
}

StatusOr<Tensor> StoredV1::LoadTensor(const StoredVariable& variable,
                                      const StoredPiece& piece) const {
  const std::string what =
      StrCat("checkpoint '", table_->path(), "', variable '", variable.about.name, "': ");
  auto bytes = table_->Find(piece.key);
  if (bytes.status().code() == absl::StatusCode::kNotFound) {
    return DataLoss(what, "part '", piece.slice.ToString(), "' is not in the file");
  }
  HR_RETURN_IF_ERROR(bytes.status());
  proto::SavedTensorSlices message;
  HR_RETURN_IF_ERROR(ParseBinary(*bytes, what, &message));
  // The values alone are stored: their dtype and shape are those of the list.
  proto::TensorProto& data = *message.mutable_data()->mutable_data();
  data.set_dtype(DTypeToProto(variable.about.dtype));
  ShapeToProto(piece.shape, data.mutable_tensor_shape());
  auto tensor = TensorFromProto(data, {.max_repeated_bytes = 0});
  if (!tensor.ok()) return DataLoss(what, Message(tensor.status()));
  return tensor;
}

}  // namespace

StatusOr<std::unique_ptr<StoredTensors>> OpenV1File(const std::string& path) {
  HR_ASSIGN_OR_RETURN(auto file, InputFile::Open(path));
  HR_ASSIGN_OR_RETURN(auto table, TableReader::Open(std::move(file)));
  auto stored = std::make_unique<StoredV1>(std::move(table));
  auto bytes = stored->table().Find("");
  if (bytes.status().code() == absl::StatusCode::kNotFound) {
    return InvalidArgument("'", path, "' is a table, but not a checkpoint");
  }
  HR_RETURN_IF_ERROR(bytes.status());
  proto::SavedTensorSlices message;
  HR_RETURN_IF_ERROR(ParseBinary(*bytes, path, &message));
  for (const auto& meta : message.meta().tensor()) HR_RETURN_IF_ERROR(stored->AddVariable(meta));
  stored->Sort();
  return stored;
}

}  // namespace headrace

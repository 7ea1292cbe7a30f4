#include "headrace/ops/dataset/batch_rows.h"

#include <algorithm>
#include <cstring>

namespace headrace {
namespace {

StatusOr<Tensor> RowsOf(DType type, const Shape& row, size_t count) {
  std::vector<int64_t> dims{static_cast<int64_t>(count)};
  dims.insert(dims.end(), row.dims().begin(), row.dims().end());
  HR_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  return Tensor::Allocate(HostAllocator(), type, shape, "a batch of a dataset");
}

// A batch moves texts out of elements that nobody else holds.
Status CopyRow(const Tensor& from, Tensor& out, size_t row) {
  if (IsPlain(out.dtype())) {
    std::memcpy(static_cast<char*>(out.raw_data()) + row * from.size_bytes(), from.raw_data(),
                from.size_bytes());
    return absl::OkStatus();
  }
  Tensor to = out.SliceDim0(static_cast<int64_t>(row), static_cast<int64_t>(row) + 1);
  to.CopyElementsFrom(from);
  return absl::OkStatus();
}

// Calls copy(offset in `from`, offset in the block of shape `to`, elements) for each run of the last dimension.
template <class CopyRun>
void ForRuns(const Shape& from, const Shape& to, CopyRun copy) {
  const int64_t count = from.num_elements();
  if (count == 0) return;
  const int64_t run = from.rank() == 0 ? 1 : from.dim(from.rank() - 1);
  for (int64_t at = 0; at < count; at += run) {
    int64_t rest = at, target = 0, stride = 1;
    for (int d = from.rank() - 1; d >= 0; --d) {
      target += rest % from.dim(d) * stride;
      rest /= from.dim(d);
      stride *= to.dim(d);
    }
    copy(at, target, run);
  }
}

void Fill(Tensor& out, const Tensor& padding) {
  if (out.dtype() == DType::kString) {
    const auto texts = out.flat<std::string>();
    std::fill(texts.begin(), texts.end(), padding.scalar<std::string>());
    return;
  }
  const size_t bytes = SizeOf(out.dtype());
  char* to = static_cast<char*>(out.raw_data());
  for (int64_t i = 0; i < out.num_elements(); ++i)
    std::memcpy(to + static_cast<size_t>(i) * bytes, padding.raw_data(), bytes);
}

}  // namespace

StatusOr<Tensor> BatchRows(const std::vector<Element>& rows, size_t c) {
  const Shape& shape = rows[0][c].shape();
  for (size_t i = 1; i < rows.size(); ++i) {
    if (rows[i][c].shape() == shape) continue;
    return InvalidArgument("Cannot batch tensors with different shapes in component ", c,
                           ". First element had shape ", shape.ToString(), " and element ", i,
                           " had shape ", rows[i][c].shape().ToString(), ".");
  }
  HR_ASSIGN_OR_RETURN(Tensor out, RowsOf(rows[0][c].dtype(), shape, rows.size()));
  if (shape.num_elements() == 0) return out;
  for (size_t i = 0; i < rows.size(); ++i) HR_RETURN_IF_ERROR(CopyRow(rows[i][c], out, i));
  return out;
}

StatusOr<Tensor> PaddedRows(const std::vector<Element>& rows, size_t c, const Shape& row_shape,
                            const Tensor& padding) {
  const DType type = rows[0][c].dtype();
  if (!IsPlain(type) && type != DType::kString) {
    return Unimplemented("components of type ", DTypeName(type), " cannot be padded");
  }
  HR_ASSIGN_OR_RETURN(Tensor out, RowsOf(type, row_shape, rows.size()));
  if (out.num_elements() == 0) return out;
  const bool full =
      std::ranges::all_of(rows, [&](const Element& row) { return row[c].shape() == row_shape; });
  if (!full) Fill(out, padding);
  const int64_t block = row_shape.num_elements();
  for (size_t i = 0; i < rows.size(); ++i) {
    const Tensor& from = rows[i][c];
    const int64_t begin = static_cast<int64_t>(i) * block;
    ForRuns(from.shape(), row_shape, [&](int64_t source, int64_t target, int64_t count) {
      if (type == DType::kString) {
        std::copy_n(from.data<std::string>() + source, count,
                    out.data<std::string>() + begin + target);
        return;
      }
      const size_t bytes = SizeOf(type);
      std::memcpy(static_cast<char*>(out.raw_data()) + static_cast<size_t>(begin + target) * bytes,
                  static_cast<const char*>(from.raw_data()) + static_cast<size_t>(source) * bytes,
                  static_cast<size_t>(count) * bytes);
    });
  }
  return out;
}

PartialShape BatchedShape(const PartialShape& element, int64_t count) {
  if (!element.has_rank()) return element;
  std::vector<int64_t> dims{count};
  dims.insert(dims.end(), element.dims().begin(), element.dims().end());
  StatusOr<PartialShape> shape = PartialShape::Make(dims);
  return shape.ok() ? *shape : PartialShape();
}

}  // namespace headrace

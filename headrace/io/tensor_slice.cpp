#include "headrace/io/tensor_slice.h"

#include <algorithm>

#include "headrace/base/strings.h"

namespace headrace {

TensorSlice TensorSlice::Full(int rank) {
  TensorSlice slice;
  slice.rank_ = rank;
  return slice;
}

Status TensorSlice::Append(Extent extent) {
  if (rank_ >= kMaxRank) return InvalidArgument("a slice has more than ", kMaxRank, " dimensions");
  if (extent.start < 0 || extent.length < kFull || (extent.length == kFull && extent.start != 0)) {
    return InvalidArgument("a slice has start ", extent.start, " and length ", extent.length,
                           "; must be >= 0");
  }
  extents_[static_cast<size_t>(rank_++)] = extent;
  return absl::OkStatus();
}

StatusOr<TensorSlice> TensorSlice::Parse(std::string_view text) {
  TensorSlice slice;
  if (text.empty()) return slice;
  for (const std::string_view piece : StrSplit(text, ':')) {
    Extent extent;
    if (piece != "-") {
      const auto numbers = StrSplit(piece, ',');
      const auto start = ParseInt(numbers[0]);
      const auto length = numbers.size() == 2 ? ParseInt(numbers[1]) : std::nullopt;
      if (!start || !length || *length < 0) {
        return InvalidArgument("slice '", text, "': expected 'start,length' or '-' instead of '",
                               piece, "'");
      }
      extent = {*start, *length};
    }
    HR_RETURN_IF_ERROR(Annotate(slice.Append(extent), StrCat("slice '", text, "': ")));
  }
  return slice;
}

std::string TensorSlice::ToString() const {
  std::string text;
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ':';
    if (extent(i).length == kFull) {
      text += '-';
    } else {
      StrAppend(&text, extent(i).start, ",", extent(i).length);
    }
  }
  return text;
}

StatusOr<Shape> TensorSlice::ShapeIn(const Shape& full) const {
  if (full.rank() != rank_) {
    return InvalidArgument("slice '", ToString(), "' does not have the rank of shape ",
                           full.ToString());
  }
  Shape shape;
  for (int i = 0; i < rank_; ++i) {
    const auto [start, length] = extent(i);
    if (length != kFull && (start > full[i] || length > full[i] - start)) {
      return InvalidArgument("slice '", ToString(), "' is not inside shape ", full.ToString());
    }
    shape.Append(length == kFull ? full[i] : length);
  }
  return shape;
}

TensorSlice TensorSlice::Explicit(const Shape& full) const {
  TensorSlice slice = *this;
  for (int i = 0; i < rank_; ++i) {
    if (extent(i).length == kFull) slice.extents_[static_cast<size_t>(i)] = {0, full[i]};
  }
  return slice;
}

bool TensorSlice::IsAllOf(const Shape& full) const {
  return Explicit(full) == Full(rank_).Explicit(full);
}

StatusOr<ShapeAndSlice> ParseShapeAndSlice(std::string_view text) {
  auto pieces = StrSplit(text, ' ');
  ShapeAndSlice result;
  HR_ASSIGN_OR_RETURN(result.slice, TensorSlice::Parse(pieces.back()));
  pieces.pop_back();
  std::vector<int64_t> dims;
  for (const std::string_view piece : pieces) {
    const auto size = ParseInt(piece);
    if (!size)
      return InvalidArgument("shape and slice '", text, "': '", piece, "' is not a dimension");
    dims.push_back(*size);
  }
  HR_ASSIGN_OR_RETURN(result.full_shape, Shape::Make(dims));
  auto shape = result.slice.ShapeIn(result.full_shape);
  if (!shape.ok()) return Annotate(shape.status(), StrCat("shape and slice '", text, "': "));
  return result;
}

int64_t OverlapElements(const TensorSlice& a, const TensorSlice& b) {
  int64_t count = 1;
  for (int i = 0; i < a.rank(); ++i) {
    const auto& x = a.extent(i);
    const auto& y = b.extent(i);
    const int64_t begin = std::max(x.start, y.start);
    const int64_t end = std::min(x.start + x.length, y.start + y.length);
    if (end <= begin) return 0;
    count *= end - begin;
  }
  return count;
}

namespace {

// Element numbers of a box inside a larger row-major array.
struct Box {
  std::array<int64_t, kMaxRank> offset{}, stride{};
};

Box MakeBox(const TensorSlice& part, const Shape& shape,
            const std::array<int64_t, kMaxRank>& begin) {
  Box box;
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const auto k = static_cast<size_t>(i);
    box.stride[k] = stride;
    box.offset[k] = (begin[k] - part.extent(i).start) * stride;
    stride *= shape[i];
  }
  return box;
}

}  // namespace

int64_t CopyOverlap(const TensorSlice& source_slice, const Tensor& source,
                    const TensorSlice& target_slice, Tensor* target) {
  const int64_t count = OverlapElements(source_slice, target_slice);
  if (count == 0) return 0;
  const int rank = source_slice.rank();
  std::array<int64_t, kMaxRank> begin{}, size{}, at{};
  for (int i = 0; i < rank; ++i) {
    const auto& x = source_slice.extent(i);
    const auto& y = target_slice.extent(i);
    begin[static_cast<size_t>(i)] = std::max(x.start, y.start);
    size[static_cast<size_t>(i)] =
        std::min(x.start + x.length, y.start + y.length) - begin[static_cast<size_t>(i)];
  }
  const Box from = MakeBox(source_slice, source.shape(), begin),
            to = MakeBox(target_slice, target->shape(), begin);
  const int64_t run = rank == 0 ? 1 : size[static_cast<size_t>(rank - 1)];
  const size_t width = SizeOf(source.dtype());
  for (int64_t done = 0; done < count; done += run) {
    int64_t source_at = 0, target_at = 0;
    for (size_t i = 0; i < static_cast<size_t>(rank); ++i) {
      source_at += from.offset[i] + at[i] * from.stride[i];
      target_at += to.offset[i] + at[i] * to.stride[i];
    }
    if (source.dtype() == DType::kString) {
      std::copy_n(source.data<std::string>() + source_at, run,
                  target->data<std::string>() + target_at);
    } else {
      std::memcpy(
          static_cast<char*>(target->raw_data()) + static_cast<size_t>(target_at) * width,
          static_cast<const char*>(source.raw_data()) + static_cast<size_t>(source_at) * width,
          static_cast<size_t>(run) * width);
    }
    for (int i = rank - 2; i >= 0; --i) {
      const auto k = static_cast<size_t>(i);
      if (++at[k] < size[k]) break;
      at[k] = 0;
    }
  }
  return count;
}

}  // namespace headrace

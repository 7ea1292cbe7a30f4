#include "headrace/io/idx_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/internal/inflate.h"

namespace headrace {
namespace {

constexpr int64_t kMaxDeflateRatio = 1032;

// Bytes of the file in order, decompressed on the way.
class Source {
 public:
  explicit Source(std::string_view bytes) : bytes_(bytes) {
    if (bytes.starts_with("\x1f\x8b"))
      inflater_ = std::make_unique<Inflater>(Inflater::Kind::kGzip);
  }
  // As many as there are, at most `size`.
  StatusOr<size_t> Read(void* out, size_t size) {
    if (inflater_ != nullptr) return inflater_->Read(&bytes_, static_cast<char*>(out), size);
    const size_t n = std::min(size, bytes_.size());
    if (n > 0) std::memcpy(out, bytes_.data(), n);
    bytes_.remove_prefix(n);
    return n;
  }
  // Once the expected data has been read: nothing may follow, and the checksum of gzip must be
  // there.
  Status CheckEnd() {
    char extra;
    HR_ASSIGN_OR_RETURN(const size_t n, Read(&extra, 1));
    if (n > 0 || !bytes_.empty()) return DataLoss("it has more data than its header promises");
    if (inflater_ != nullptr && !inflater_->finished())
      return DataLoss("it is cut short in its checksum");
    return absl::OkStatus();
  }
  // An upper bound of what Read can still give.
  int64_t most_left() const {
    const auto size = static_cast<int64_t>(bytes_.size());
    return inflater_ != nullptr ? (size + 1024) * kMaxDeflateRatio : size;
  }

 private:
  std::string_view bytes_;
  std::unique_ptr<Inflater> inflater_;
};

DType TypeOfCode(uint8_t code) {
  switch (code) {
    case 0x08:
      return DType::kUInt8;
    case 0x09:
      return DType::kInt8;
    case 0x0b:
      return DType::kInt16;
    case 0x0c:
      return DType::kInt32;
    case 0x0d:
      return DType::kFloat32;
    case 0x0e:
      return DType::kFloat64;
    default:
      return DType::kInvalid;
  }
}

Status ReadFully(Source& source, void* out, size_t size, std::string_view name,
                 std::string_view what) {
  auto n = source.Read(out, size);
  if (!n.ok()) return Annotate(n.status(), StrCat("IDX file '", name, "': "));
  if (*n == size) return absl::OkStatus();
  return DataLoss("IDX file '", name, "' is cut short: ", *n, " bytes of ", what, ", ", size,
                  " expected");
}

// IDX is big-endian.
void SwapBytes(Tensor& tensor) {
  const size_t width = SizeOf(tensor.dtype());
  auto* bytes = static_cast<uint8_t*>(tensor.raw_data());
  for (size_t i = 0; width > 1 && i < tensor.size_bytes(); i += width)
    std::reverse(bytes + i, bytes + i + width);
}

StatusOr<Shape> ReadShape(Source& source, int rank, std::string_view name) {
  std::array<uint8_t, 4 * kMaxRank> raw;
  HR_RETURN_IF_ERROR(
      ReadFully(source, raw.data(), static_cast<size_t>(rank) * 4, name, "dimensions"));
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const uint8_t* d = &raw[static_cast<size_t>(i) * 4];
    shape.Append(int64_t{d[0]} << 24 | d[1] << 16 | d[2] << 8 | d[3]);
  }
  auto checked = Shape::Make(shape.dims());
  if (!checked.ok()) return Annotate(checked.status(), StrCat("IDX file '", name, "': "));
  return checked;
}

}  // namespace

StatusOr<Tensor> ParseIdx(std::string_view bytes, std::string_view name) {
  Source source(bytes);
  std::array<uint8_t, 4> magic;
  HR_RETURN_IF_ERROR(ReadFully(source, magic.data(), magic.size(), name, "magic number"));
  const DType type = TypeOfCode(magic[2]);
  const int rank = magic[3];
  if (magic[0] != 0 || magic[1] != 0 || type == DType::kInvalid || rank < 1 || rank > kMaxRank) {
    return InvalidArgument(
        "'", name, "' is not an IDX file: it starts with bytes ", StrJoin(magic, " "),
        "; expected 0 0, a type code (8, 9, 11-14) and a rank from 1 to ", kMaxRank);
  }
  HR_ASSIGN_OR_RETURN(const Shape shape, ReadShape(source, rank, name));
  const auto width = static_cast<int64_t>(SizeOf(type));
  if (shape.num_elements() > source.most_left() / width) {
    return DataLoss("IDX file '", name, "' is cut short: its header promises ", DTypeName(type),
                    " ", shape.ToString(), ", more than a file of ", bytes.size(),
                    " bytes can hold");
  }
  HR_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(HostAllocator(), type, shape, name));
  HR_RETURN_IF_ERROR(ReadFully(source, tensor.raw_data(), tensor.size_bytes(), name,
                               StrCat(DTypeName(type), " ", shape.ToString())));
  if (const Status end = source.CheckEnd(); !end.ok()) {
    return Annotate(
        end, StrCat("IDX file '", name, "' of ", DTypeName(type), " ", shape.ToString(), ": "));
  }
  SwapBytes(tensor);
  return tensor;
}

StatusOr<Tensor> ReadIdxFile(const std::string& path) {
  const std::string other =
      path.ends_with(".gz") ? path.substr(0, path.size() - 3) : StrCat(path, ".gz");
  for (const std::string& name : {path, other}) {
    auto bytes = ReadFile(name);
    if (bytes.ok()) return ParseIdx(*bytes, name);
    if (bytes.status().code() != absl::StatusCode::kNotFound) return bytes.status();
  }
  return NotFound("no IDX file: neither '", path, "' nor '", other, "' exists");
}

}  // namespace headrace

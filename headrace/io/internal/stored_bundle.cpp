// V2 bundles.
#include <sys/mman.h>

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/io/crc32c.h"
#include "headrace/io/internal/bundle_index.h"
#include "headrace/io/internal/ordered_code.h"
#include "headrace/io/internal/stored_tensors.h"
#include "headrace/io/varint.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

constexpr size_t kPieceBytes = 256 << 10;

class StoredBundle final : public StoredTensors {
 public:
  StoredBundle(const std::string& prefix, int num_shards)
      : prefix_(prefix), num_shards_(num_shards) {}

  Status AddVariable(const std::string& name, const proto::BundleEntryProto& entry,
                     const BundleIndex& index);
  Status Check(const StoredVariable& variable, const StoredPiece& piece) const override;
  Status Load(const StoredVariable& variable, const StoredPiece& piece, Tensor* out) const override;

 private:
  StatusOr<const InputFile*> Shard(int shard) const;
  std::string Name(const StoredVariable& variable, const StoredPiece& piece) const {
    return StrCat(
        "checkpoint '", prefix_, "', variable '", variable.about.name, "'",
        variable.about.slices.empty() ? "" : StrCat(" part '", piece.slice.ToString(), "'"));
  }
  Status BadChecksum(const StoredVariable& variable, const StoredPiece& piece) const {
    return DataLoss(Name(variable, piece), ": its ", piece.size, " bytes at ", piece.offset,
                    " of '", DataFileName(prefix_, piece.shard, num_shards_),
                    "' do not have their checksum (damaged file)");
  }
  Status LoadPlain(const StoredVariable& variable, const StoredPiece& piece, const InputFile& file,
                   Tensor* out) const;
  Status LoadStrings(const StoredVariable& variable, const StoredPiece& piece,
                     const InputFile& file, Tensor* out) const;

  const std::string prefix_;
  const int num_shards_;
  mutable std::mutex mutex_;
  mutable std::map<int, std::unique_ptr<InputFile>> shards_;  // opened when first needed
};

StatusOr<TensorSlice> SliceFromProto(const proto::TensorSliceProto& message) {
  TensorSlice slice;
  for (const auto& extent : message.extent()) {
    HR_RETURN_IF_ERROR(
        slice.Append({.start = extent.start(),
                      .length = extent.has_length_case() == proto::TensorSliceProto::Extent::kLength
                                    ? extent.length()
                                    : TensorSlice::kFull}));
  }
  return slice;
}

void Locate(const proto::BundleEntryProto& entry, StoredPiece* piece) {
  piece->shard = entry.shard_id();
  piece->offset = entry.offset();
  piece->size = entry.size();
  piece->masked_crc = entry.crc32c();
}

Status StoredBundle::AddVariable(const std::string& name, const proto::BundleEntryProto& entry,
                                 const BundleIndex& index) {
  const std::string what = StrCat("checkpoint '", prefix_, "', variable '", EscapeC(name), "': ");
  auto dtype = DTypeFromProto(entry.dtype());
  if (!dtype.ok()) return Annotate(dtype.status(), what);
  auto shape = ShapeFromProto(entry.shape());
  if (!shape.ok()) return Annotate(shape.status(), what);
  StoredVariable variable{.about = {.name = name, .dtype = *dtype, .shape = *shape}};
  if (entry.slices().empty()) {
    StoredPiece whole{
        .slice = TensorSlice::Full(shape->rank()).Explicit(*shape), .shape = *shape, .key = name};
    Locate(entry, &whole);
    variable.about.size_bytes = whole.size;
    variable.pieces.push_back(std::move(whole));
  }
  for (const auto& message : entry.slices()) {
    auto slice = SliceFromProto(message);
    if (!slice.ok()) return Annotate(slice.status(), what);
    auto part = slice->ShapeIn(*shape);
    if (!part.ok()) return Annotate(part.status(), what);
    StoredPiece piece{
        .slice = slice->Explicit(*shape), .shape = *part, .key = SliceKey(name, *slice)};
    const auto found = index.entries.find(piece.key);
    if (found == index.entries.end())
      return DataLoss(what, "the index lacks part '", slice->ToString(), "'");
    Locate(found->second, &piece);
    variable.about.size_bytes += piece.size;
    variable.about.slices.push_back(*slice);
    variable.pieces.push_back(std::move(piece));
  }
  variables_.push_back(std::move(variable));
  return absl::OkStatus();
}

StatusOr<const InputFile*> StoredBundle::Shard(int shard) const {
  std::lock_guard lock(mutex_);
  auto& file = shards_[shard];
  if (file == nullptr) {
    HR_ASSIGN_OR_RETURN(file, InputFile::Open(DataFileName(prefix_, shard, num_shards_)));
  }
  return file.get();
}

Status StoredBundle::Check(const StoredVariable& variable, const StoredPiece& piece) const {
  const DType type = variable.about.dtype;
  if (!IsPlain(type) && type != DType::kString) {
    return Unimplemented(Name(variable, piece), ": values of dtype ", DTypeName(type),
                         " cannot be read");
  }
  if (piece.shard < 0 || piece.shard >= num_shards_ || piece.offset < 0 || piece.size < 0) {
    return DataLoss(Name(variable, piece), ": shard ", piece.shard, " offset ", piece.offset,
                    " size ", piece.size, " in the index make no sense");
  }
  const int64_t count = piece.shape.num_elements();
  const auto width = static_cast<int64_t>(SizeOf(type));
  const bool fits = type == DType::kString
                        ? piece.size - 4 >= count  // a length of one byte at least, a checksum
                        : piece.size % width == 0 && piece.size / width == count;
  if (!fits) {
    return DataLoss(Name(variable, piece), ": ", piece.size, " bytes in the index do not fit ",
                    DTypeName(type), " ", piece.shape.ToString());
  }
  auto file = Shard(piece.shard);
  if (!file.ok()) return Annotate(file.status(), StrCat(Name(variable, piece), ": "));
  if (piece.size > (*file)->size_bytes() || piece.offset > (*file)->size_bytes() - piece.size) {
    return DataLoss(Name(variable, piece), ": '", (*file)->path(), "' is cut short: it has ",
                    (*file)->size_bytes(), " bytes, and the variable's ", piece.size, " lie at ",
                    piece.offset);
  }
  return absl::OkStatus();
}

Status StoredBundle::Load(const StoredVariable& variable, const StoredPiece& piece,
                          Tensor* out) const {
  HR_ASSIGN_OR_RETURN(const InputFile* const file, Shard(piece.shard));
  return out->dtype() == DType::kString ? LoadStrings(variable, piece, *file, out)
                                        : LoadPlain(variable, piece, *file, out);
}

// Fresh memory is filled faster in large pages: most of the time of reading a big variable is page faults.
void PreferLargePages(char* bytes, size_t size) {
#if defined(MADV_HUGEPAGE)
  constexpr uintptr_t kPage = 4096;
  if (size < (size_t{4} << 20)) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(bytes) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(bytes) + size) / kPage * kPage;
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a wish: failure does no harm
#endif
}

Status StoredBundle::LoadPlain(const StoredVariable& variable, const StoredPiece& piece,
                               const InputFile& file, Tensor* out) const {
  auto* bytes = static_cast<char*>(out->raw_data());
  const auto size = static_cast<size_t>(piece.size);
  PreferLargePages(bytes, size);
  uint32_t crc = 0;
  for (size_t done = 0; done < size;) {  // in pieces, so that the checksum finds them in the cache
    const size_t wanted = std::min(kPieceBytes, size - done);
    HR_ASSIGN_OR_RETURN(const size_t n, file.ReadAt(piece.offset + static_cast<int64_t>(done),
                                                    bytes + done, wanted));
    if (n != wanted) return BadChecksum(variable, piece);
    crc = ExtendCrc32c(crc, bytes + done, n);
    done += n;
  }
  if (MaskCrc32c(crc) != piece.masked_crc) return BadChecksum(variable, piece);
  if (out->dtype() == DType::kBool) {  // other bytes than 0 and 1 would be no bool
    for (size_t i = 0; i < size; ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
  }
  return absl::OkStatus();
}

Status StoredBundle::LoadStrings(const StoredVariable& variable, const StoredPiece& piece,
                                 const InputFile& file, Tensor* out) const {
  std::string bytes(static_cast<size_t>(piece.size), '\0');
  HR_ASSIGN_OR_RETURN(const size_t n, file.ReadAt(piece.offset, bytes.data(), bytes.size()));
  if (n != bytes.size()) return BadChecksum(variable, piece);
  const auto strings = out->flat<std::string>();
  std::vector<uint64_t> lengths(strings.size());
  std::string_view rest = bytes;
  uint32_t crc = 0;
  for (uint64_t& length : lengths) {
    if (!TakeVarint(&rest, &length)) return BadChecksum(variable, piece);
    crc = ExtendCrc32c(crc, &length, length <= 0xffffffffu ? sizeof(uint32_t) : sizeof(uint64_t));
  }
  if (rest.size() < 4 || UnmaskCrc32c(LoadU32(rest.data())) != crc ||
      MaskCrc32c(ExtendCrc32c(crc, rest.data(), rest.size())) != piece.masked_crc) {
    return BadChecksum(variable, piece);
  }
  rest.remove_prefix(4);
  for (size_t i = 0; i < strings.size(); ++i) {
    if (lengths[i] > rest.size()) return BadChecksum(variable, piece);
    strings[i].assign(rest.substr(0, lengths[i]));
    rest.remove_prefix(lengths[i]);
  }
  return rest.empty() ? absl::OkStatus() : BadChecksum(variable, piece);
}

}  // namespace

StatusOr<std::unique_ptr<StoredTensors>> OpenBundle(const std::string& prefix) {
  HR_ASSIGN_OR_RETURN(const BundleIndex index, ReadBundleIndex(prefix));
  auto bundle = std::make_unique<StoredBundle>(prefix, index.num_shards);
  for (const auto& [key, entry] : index.entries) {
    if (!IsSliceKey(key)) HR_RETURN_IF_ERROR(bundle->AddVariable(key, entry, index));
  }
  return bundle;
}

}  // namespace headrace

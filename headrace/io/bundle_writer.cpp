#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/io/crc32c.h"
#include "headrace/io/internal/bundle_index.h"
#include "headrace/io/internal/file_access.h"
#include "headrace/io/internal/ordered_code.h"
#include "headrace/io/varint.h"
#include "headrace/io/proto_convert.h"

namespace headrace {
namespace {

// Fits a cache: the checksum and the copy read it once from memory.
constexpr size_t kPieceBytes = 256 << 10;

Status MakeFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? absl::OkStatus() : MakeFolders(folder);
}

Status AppendPlain(const Tensor& value, OutputFile& file, uint32_t* crc) {
  std::string_view rest(static_cast<const char*>(value.raw_data()), value.size_bytes());
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, kPieceBytes);
    *crc = ExtendCrc32c(*crc, piece.data(), piece.size());
    HR_RETURN_IF_ERROR(file.Append(piece));
    rest.remove_prefix(piece.size());
  }
  return absl::OkStatus();
}

// Lengths as varints, the masked checksum of the lengths as integers, then the bytes of all
// strings. The checksum of the entry goes over the lengths as integers, that checksum, and the
// bytes.
Status AppendStrings(const Tensor& value, OutputFile& file, uint32_t* crc) {
  std::string lengths;
  for (const std::string& s : value.flat<std::string>()) {
    AppendVarint(s.size(), &lengths);
    const uint64_t size = s.size();
    *crc = ExtendCrc32c(*crc, &size, size <= 0xffffffffu ? sizeof(uint32_t) : sizeof(uint64_t));
  }
  char checksum[4];
  StoreU32(MaskCrc32c(*crc), checksum);
  lengths.append(checksum, sizeof(checksum));
  *crc = ExtendCrc32c(*crc, checksum, sizeof(checksum));
  HR_RETURN_IF_ERROR(file.Append(lengths));
  for (const std::string& s : value.flat<std::string>()) {
    *crc = ExtendCrc32c(*crc, s.data(), s.size());
    HR_RETURN_IF_ERROR(file.Append(s));
  }
  return absl::OkStatus();
}

}  // namespace

struct BundleWriter::State {
  std::string prefix;
  Options options;
  std::string temporary;
  std::unique_ptr<OutputFile> file;
  BundleIndex index;
  Status status;  // the first error
  bool finished = false;

  Status AddEntry(const std::string& key, const Tensor& value);
  Status Publish();
};

Status BundleWriter::State::AddEntry(const std::string& key, const Tensor& value) {
  if (finished) return FailedPrecondition("checkpoint '", prefix, "' is finished");
  HR_RETURN_IF_ERROR(status);
  const DType type = value.dtype();
  if (!IsPlain(type) && type != DType::kString) {
    return InvalidArgument("'", EscapeC(key), "' of dtype ", DTypeName(type),
                           " cannot be saved in a checkpoint");
  }
  const auto [position, is_new] = index.entries.try_emplace(key);
  if (!is_new)
    return InvalidArgument("'", EscapeC(key), "' is already in checkpoint '", prefix, "'");
  proto::BundleEntryProto& entry = position->second;
  entry.set_dtype(DTypeToProto(type));
  ShapeToProto(value.shape(), entry.mutable_shape());
  entry.set_offset(file->size_bytes());
  uint32_t crc = 0;
  status =
      type == DType::kString ? AppendStrings(value, *file, &crc) : AppendPlain(value, *file, &crc);
  entry.set_size(file->size_bytes() - entry.offset());
  entry.set_crc32c(MaskCrc32c(crc));
  return status;
}

BundleWriter::BundleWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}

BundleWriter::~BundleWriter() {
  if (!state_->finished) ::unlink(state_->temporary.c_str());
}

StatusOr<std::unique_ptr<BundleWriter>> BundleWriter::Create(const std::string& prefix) {
  return Create(prefix, Options());
}

StatusOr<std::unique_ptr<BundleWriter>> BundleWriter::Create(const std::string& prefix,
                                                             const Options& options) {
  if (prefix.empty() || prefix.back() == '/') {
    return InvalidArgument("'", prefix,
                           "' is not a name for checkpoint files; expected 'folder/name'");
  }
  HR_RETURN_IF_ERROR(MakeFolderOf(prefix));
  auto state = std::make_unique<State>();
  state->prefix = prefix;
  state->options = options;
  state->temporary = TemporaryName(DataFileName(prefix, 0, 1));
  HR_ASSIGN_OR_RETURN(state->file, OutputFile::Create(state->temporary));
  return std::unique_ptr<BundleWriter>(new BundleWriter(std::move(state)));
}

Status BundleWriter::Add(std::string_view name, const Tensor& value) {
  if (name.empty() || IsSliceKey(name)) {
    return InvalidArgument("'", EscapeC(name),
                           "' is not a name of a variable; must start with a letter");
  }
  return state_->AddEntry(std::string(name), value);
}

Status BundleWriter::AddSlice(std::string_view name, const Shape& full_shape,
                              const TensorSlice& slice, const Tensor& value) {
  HR_ASSIGN_OR_RETURN(const Shape shape, slice.ShapeIn(full_shape));
  if (shape != value.shape()) {
    return InvalidArgument("part '", slice.ToString(), "' of '", name, "' has shape ",
                           value.shape().ToString(), "; expected ", shape.ToString());
  }
  if (slice.IsAllOf(full_shape)) return Add(name, value);
  if (name.empty() || IsSliceKey(name))
    return InvalidArgument("'", EscapeC(name), "' is not a name of a variable");
  proto::BundleEntryProto whole;
  whole.set_dtype(DTypeToProto(value.dtype()));
  ShapeToProto(full_shape, whole.mutable_shape());
  const auto existing = state_->index.entries.find(std::string(name));
  if (existing != state_->index.entries.end()) {
    const auto& before = existing->second;
    if (before.slices().empty() || before.dtype() != whole.dtype() ||
        before.shape().SerializeAsString() != whole.shape().SerializeAsString()) {
      return InvalidArgument("'", name, "' was added before, whole or with another shape or dtype");
    }
    whole = before;
  }
  HR_RETURN_IF_ERROR(state_->AddEntry(SliceKey(name, slice), value));
  auto* extents = whole.add_slices();
  for (int i = 0; i < slice.rank(); ++i) {
    auto* extent = extents->add_extent();
    if (slice.extent(i).length == TensorSlice::kFull) continue;
    extent->set_start(slice.extent(i).start);
    extent->set_length(slice.extent(i).length);
  }
  state_->index.entries[std::string(name)] = std::move(whole);
  return absl::OkStatus();
}

Status BundleWriter::State::Publish() {
  HR_RETURN_IF_ERROR(status);
  if (options.sync) HR_RETURN_IF_ERROR(file->Sync());
  HR_RETURN_IF_ERROR(file->Close());
  // The files of a checkpoint that this one replaces stay until the new index is there.
  std::vector<std::string> old_files;
  if (const auto old = ReadBundleIndex(prefix); old.ok()) {
    index.num_shards = old->num_shards == 1 ? 2 : 1;
    std::vector<int> shards;
    for (const auto& [key, entry] : old->entries) shards.push_back(entry.shard_id());
    std::ranges::sort(shards);
    shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
    for (int shard : shards) old_files.push_back(DataFileName(prefix, shard, old->num_shards));
  }
  const std::string data = DataFileName(prefix, 0, index.num_shards);
  HR_RETURN_IF_ERROR(RenameFile(temporary, data));
  temporary = data;
  if (options.sync) HR_RETURN_IF_ERROR(SyncFolderOf(data));
  HR_RETURN_IF_ERROR(WriteBundleIndex(prefix, index, options.sync));
  for (const std::string& path : old_files) {
    if (path != data) ::unlink(path.c_str());
  }
  return absl::OkStatus();
}

Status BundleWriter::Finish() {
  if (state_->finished) return FailedPrecondition("checkpoint '", state_->prefix, "' is finished");
  state_->finished = true;
  const Status status = state_->Publish();
  if (!status.ok()) ::unlink(state_->temporary.c_str());
  return status;
}

int64_t BundleWriter::bytes_written() const {
  return state_->file->size_bytes();
}

Status RemoveCheckpoint(const std::string& prefix, bool with_meta_graph) {
  const auto remove = [](const std::string& path) {
    const Status status = RemoveFile(path);
    return status.code() == absl::StatusCode::kNotFound ? absl::OkStatus() : status;
  };
  // The index first: without it the rest is no checkpoint.
  HR_RETURN_IF_ERROR(remove(IndexFileName(prefix)));
  const size_t slash = prefix.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : prefix.substr(0, slash + 1);
  const std::string stem =
      StrCat(slash == std::string::npos ? prefix : prefix.substr(slash + 1), ".data-");
  const auto names = ListFolder(folder);
  if (names.ok()) {
    for (const std::string& name : *names) {
      if (name.starts_with(stem)) HR_RETURN_IF_ERROR(remove(JoinPath(folder, name)));
    }
  }
  return with_meta_graph ? remove(StrCat(prefix, ".meta")) : absl::OkStatus();
}

}  // namespace headrace

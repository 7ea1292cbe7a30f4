#include <algorithm>
#include <filesystem>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/checkpoint_bundle.h"
#include "headrace/io/internal/bundle_index.h"
#include "headrace/io/internal/stored_tensors.h"

namespace headrace {

struct BundleReader::State {
  std::string prefix;
  std::unique_ptr<StoredTensors> stored;
  std::vector<CheckpointVariable> variables;

  const StoredVariable* Find(std::string_view name) const {
    const auto& all = stored->variables();
    const auto found = std::ranges::lower_bound(
        all, name, std::less<>(),
        [](const StoredVariable& v) { return std::string_view(v.about.name); });
    return found != all.end() && found->about.name == name ? &*found : nullptr;
  }
  StatusOr<const StoredVariable*> FindOrExplain(std::string_view name) const;
  StatusOr<std::vector<const StoredPiece*>> PiecesOf(const StoredVariable& variable,
                                                     const TensorSlice& wanted) const;
  Status Fill(const StoredVariable& variable, const StoredPiece& piece, const TensorSlice& wanted,
              Tensor* target) const;
  StatusOr<Tensor> Read(const StoredVariable& variable, const TensorSlice& wanted,
                        const Shape& shape, Allocator* allocator) const;
};

StatusOr<const StoredVariable*> BundleReader::State::FindOrExplain(std::string_view name) const {
  if (const StoredVariable* variable = Find(name)) return variable;
  std::vector<std::string> names;
  for (const CheckpointVariable& variable : variables) names.push_back(variable.name);
  const auto nearest = NearestNames(name, names);
  return NotFound("Key ", name, " not found in checkpoint '", prefix, "', which has ", names.size(),
                  " variables",
                  nearest.empty() ? "" : StrCat("; did you mean ", StrJoin(nearest, ", "), "?"));
}

// The pieces that touch `wanted`, once it is sure that they cover it and can be read.
StatusOr<std::vector<const StoredPiece*>> BundleReader::State::PiecesOf(
    const StoredVariable& variable, const TensorSlice& wanted) const {
  constexpr size_t kMaxPieces = 20000;
  const auto elements = static_cast<uint64_t>(OverlapElements(wanted, wanted));
  std::vector<const StoredPiece*> pieces;
  uint64_t covered = 0;
  for (const StoredPiece& piece : variable.pieces) {
    const auto overlap = static_cast<uint64_t>(OverlapElements(piece.slice, wanted));
    if (overlap == 0 && elements > 0) continue;
    pieces.push_back(&piece);
    covered += overlap;
    if (covered > elements || pieces.size() > kMaxPieces) break;
    if (elements == 0) break;
  }
  bool twice = covered > elements;
  for (size_t i = 0; i < pieces.size() && !twice; ++i) {
    for (size_t k = 0; k < i && !twice; ++k)
      twice = OverlapElements(pieces[i]->slice, pieces[k]->slice) > 0;
  }
  const auto what = [&] {
    return StrCat("checkpoint '", prefix, "', variable '", variable.about.name, "' ",
                  variable.about.shape.ToString(), ", slice '", wanted.ToString(), "': ");
  };
  if (twice || pieces.size() > kMaxPieces)
    return DataLoss(what(), "the parts in the checkpoint overlap");
  if (covered < elements || pieces.empty()) {
    return FailedPrecondition(what(), "the checkpoint has parts for ", covered, " of ", elements,
                              " elements");
  }
  for (const StoredPiece* piece : pieces) HR_RETURN_IF_ERROR(stored->Check(variable, *piece));
  return pieces;
}

Status BundleReader::State::Fill(const StoredVariable& variable, const StoredPiece& piece,
                                 const TensorSlice& wanted, Tensor* target) const {
  if (piece.slice == wanted) return stored->Load(variable, piece, target);
  // A block of rows of the target is read in place.
  bool rows = wanted.rank() > 0 && piece.slice.extent(0).start >= wanted.extent(0).start &&
              piece.slice.extent(0).start + piece.slice.extent(0).length <=
                  wanted.extent(0).start + wanted.extent(0).length;
  for (int i = 1; i < wanted.rank(); ++i) rows = rows && piece.slice.extent(i) == wanted.extent(i);
  if (rows) {
    const int64_t begin = piece.slice.extent(0).start - wanted.extent(0).start;
    Tensor part = target->SliceDim0(begin, begin + piece.slice.extent(0).length);
    return stored->Load(variable, piece, &part);
  }
  HR_ASSIGN_OR_RETURN(
      Tensor part, Tensor::Allocate(HostAllocator(), variable.about.dtype, piece.shape, "restore"));
  HR_RETURN_IF_ERROR(stored->Load(variable, piece, &part));
  CopyOverlap(piece.slice, part, wanted, target);
  return absl::OkStatus();
}

StatusOr<Tensor> BundleReader::State::Read(const StoredVariable& variable,
                                           const TensorSlice& wanted, const Shape& shape,
                                           Allocator* allocator) const {
  HR_ASSIGN_OR_RETURN(const auto pieces, PiecesOf(variable, wanted));
  HR_ASSIGN_OR_RETURN(Tensor target,
                      Tensor::Allocate(allocator != nullptr ? *allocator : HostAllocator(),
                                       variable.about.dtype, shape, variable.about.name));
  for (const StoredPiece* piece : pieces)
    HR_RETURN_IF_ERROR(Fill(variable, *piece, wanted, &target));
  return target;
}

BundleReader::BundleReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
BundleReader::~BundleReader() = default;

namespace {

// What a person gives in place of a checkpoint's path: the folder, or one of its files. OK if it is neither.
Status NoPartOfCheckpoint(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return InvalidArgument("'", path, "' is a folder; the path of a checkpoint in it looks like '",
                           JoinPath(path, "model.ckpt-100"), "'");
  }
  for (const std::string_view ending : {".index", ".meta", ".data-"}) {
    const size_t at = path.rfind(ending);
    if (at == std::string::npos) continue;
    const std::string whole = path.substr(0, at);
    if (path != whole + ".meta" && path != IndexFileName(whole) && ending != ".data-") continue;
    if (FileExists(IndexFileName(whole))) {
      return InvalidArgument("'", path, "' is one file of the checkpoint '", whole,
                             "'; give that path");
    }
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<BundleReader>> BundleReader::Open(const std::string& prefix) {
  auto state = std::make_unique<State>();
  state->prefix = prefix;
  auto stored = OpenBundle(prefix);
  if (stored.status().code() == absl::StatusCode::kNotFound) {
    if (!FileExists(prefix)) {
      return NotFound("no checkpoint '", prefix, "': neither '", IndexFileName(prefix), "' nor '",
                      prefix, "' exists");
    }
    HR_RETURN_IF_ERROR(NoPartOfCheckpoint(prefix));
    stored = OpenV1File(prefix);
  }
  HR_ASSIGN_OR_RETURN(state->stored, std::move(stored));
  for (const StoredVariable& variable : state->stored->variables())
    state->variables.push_back(variable.about);
  return std::unique_ptr<BundleReader>(new BundleReader(std::move(state)));
}

const std::string& BundleReader::prefix() const {
  return state_->prefix;
}

const std::vector<CheckpointVariable>& BundleReader::variables() const {
  return state_->variables;
}

const CheckpointVariable* BundleReader::Find(std::string_view name) const {
  const StoredVariable* variable = state_->Find(name);
  return variable == nullptr ? nullptr : &variable->about;
}

StatusOr<Tensor> BundleReader::Read(std::string_view name, Allocator* allocator) const {
  HR_ASSIGN_OR_RETURN(const StoredVariable* const variable, state_->FindOrExplain(name));
  const Shape& shape = variable->about.shape;
  return state_->Read(*variable, TensorSlice::Full(shape.rank()).Explicit(shape), shape, allocator);
}

StatusOr<Tensor> BundleReader::ReadSlice(std::string_view name, const TensorSlice& slice,
                                         Allocator* allocator) const {
  HR_ASSIGN_OR_RETURN(const StoredVariable* const variable, state_->FindOrExplain(name));
  auto shape = slice.ShapeIn(variable->about.shape);
  if (!shape.ok()) {
    return Annotate(shape.status(),
                    StrCat("checkpoint '", state_->prefix, "', variable '", name, "': "));
  }
  return state_->Read(*variable, slice.Explicit(variable->about.shape), *shape, allocator);
}

Status BundleReader::CheckFiles() const {
  for (const StoredVariable& variable : state_->stored->variables()) {
    for (const StoredPiece& piece : variable.pieces)
      HR_RETURN_IF_ERROR(state_->stored->Check(variable, piece));
  }
  return absl::OkStatus();
}

}  // namespace headrace

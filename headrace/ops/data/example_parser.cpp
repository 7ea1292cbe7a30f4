#include "headrace/ops/data/example_parser.h"

#include <mutex>

#include "headrace/base/strings.h"
#include "headrace/io/example_wire.h"
#include "headrace/ops/data/feature_values.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {

StatusOr<KeyIndex> KeyIndex::Make(std::vector<std::string> keys) {
  KeyIndex index;
  index.keys_ = std::move(keys);
  for (int i = 0; i < index.size(); ++i) {
    if (!index.numbers_.emplace(index.key(i), i).second)
      return InvalidArgument("the key '", index.key(i), "' is asked for twice");
  }
  return index;
}

namespace {

bool HasRows(const DenseFeatureSpec& feature) {
  return feature.shape.rank() > 0 && feature.shape[0] < 0;
}

// Elements of a row, or of the whole feature where it has no rows.
int64_t ElementsOf(const DenseFeatureSpec& feature) {
  int64_t count = 1;
  for (int d = HasRows(feature) ? 1 : 0; d < feature.shape.rank(); ++d) count *= feature.shape[d];
  return count;
}

Status CheckDense(const DenseFeatureSpec& feature, size_t i) {
  const PartialShape& shape = feature.shape;
  bool known = shape.has_rank() && shape.rank() < kMaxRank;
  for (int d = 1; known && d < shape.rank(); ++d) known = shape[d] >= 0;
  if (!known)
    return InvalidArgument("dense_shapes[", i,
                           "] has unknown rank or unknown inner dimensions: ", shape.ToString());
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
  if (HasRows(feature)) dims[0] = 1;
  HR_RETURN_IF_ERROR(Shape::Make(dims).status());
  const Tensor& value = feature.default_value;
  if (!value.valid() || value.num_elements() == 0) return absl::OkStatus();
  if (value.dtype() != feature.type)
    return InvalidArgument("dense_defaults[", i, "].dtype() == ", CppTypeName(value.dtype()),
                           " != dense_types_[", i, "] == ", CppTypeName(feature.type));
  if (HasRows(feature) && value.num_elements() != 1)
    return InvalidArgument("dense_shape[", i, "] is a variable length shape: ", shape.ToString(),
                           ", therefore def_value[", i,
                           "] must contain a single element (the padding element).  But its shape "
                           "is: ",
                           value.shape().ToString());
  if (!HasRows(feature) && !shape.IsCompatibleWith(PartialShape(value.shape())))
    return InvalidArgument("def_value[", i, "].shape() == ", value.shape().ToString(),
                           " is not compatible with dense_shapes_[", i, "] == ", shape.ToString());
  return absl::OkStatus();
}

}  // namespace

StatusOr<ExampleParser> ExampleParser::Make(ExampleSpec spec) {
  std::vector<std::string> keys;
  for (const SparseFeatureSpec& feature : spec.sparse) keys.push_back(feature.key);
  for (size_t i = 0; i < spec.dense.size(); ++i) {
    HR_RETURN_IF_ERROR(CheckDense(spec.dense[i], i));
    keys.push_back(spec.dense[i].key);
  }
  HR_ASSIGN_OR_RETURN(KeyIndex index, KeyIndex::Make(std::move(keys)));
  return ExampleParser(std::move(spec), std::move(index));
}

// One batch: a first pass over the examples writes what has a fixed size and finds the rest, whose
// values follow when it is known how many there are.
class BatchParse {
 public:
  BatchParse(const ExampleParser& parser, std::span<const std::string> serialized,
             std::span<const std::string> names, bool single, WorkerPool& workers,
             Allocator& allocator)
      : spec_(parser.spec_),
        keys_(parser.keys_),
        serialized_(serialized),
        names_(names),
        single_(single),
        workers_(workers),
        allocator_(allocator),
        count_(static_cast<int64_t>(serialized.size())) {}

  StatusOr<ParsedExamples> Run() {
    const size_t sparse = spec_.sparse.size();
    kept_.resize(sparse + spec_.dense.size());
    for (size_t i = 0; i < sparse; ++i) kept_[i].resize(serialized_.size());
    out_.dense.resize(spec_.dense.size());
    for (size_t i = 0; i < spec_.dense.size(); ++i) {
      if (HasRows(spec_.dense[i])) {
        kept_[sparse + i].resize(serialized_.size());
      } else {
        HR_ASSIGN_OR_RETURN(out_.dense[i],
                            AllocateDense(spec_.dense[i], spec_.dense[i].shape.dims()));
      }
    }
    workers_.ParallelFor(count_, 100.0 + 80.0 * keys_.size(),
                         [&](int64_t begin, int64_t end) { ParseSome(begin, end); });
    HR_RETURN_IF_ERROR(error_);
    for (size_t i = 0; i < sparse; ++i) HR_RETURN_IF_ERROR(MakeSparse(i));
    for (size_t i = 0; i < spec_.dense.size(); ++i) {
      if (HasRows(spec_.dense[i])) HR_RETURN_IF_ERROR(MakeRows(i));
    }
    return std::move(out_);
  }

 private:
  StatusOr<Tensor> AllocateDense(const DenseFeatureSpec& feature, std::span<const int64_t> dims) {
    std::vector<int64_t> all;
    if (!single_) all.push_back(count_);
    all.insert(all.end(), dims.begin(), dims.end());
    HR_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(all));
    return Tensor::Allocate(allocator_, feature.type, shape, "ParseExample");
  }

  void ParseSome(int64_t begin, int64_t end) {
    KeyIndex::Cursor cursor(keys_);
    std::vector<std::string_view> found(static_cast<size_t>(keys_.size()));
    for (int64_t i = begin; i < end; ++i) {
      if (Status parsed = ParseExample(i, cursor, found); !parsed.ok()) {
        std::lock_guard lock(mutex_);
        if (!error_.ok() && error_at_ < i) return;
        error_ = std::move(parsed);
        error_at_ = i;
        return;
      }
    }
  }

  Status ParseExample(int64_t i, KeyIndex::Cursor& cursor, std::vector<std::string_view>& found) {
    std::ranges::fill(found, std::string_view());
    cursor.Begin();
    const std::string& bytes = serialized_[static_cast<size_t>(i)];
    const bool whole = VisitFeatures(bytes, [&](std::string_view name, std::string_view feature) {
      if (const int key = cursor.Find(name); key >= 0) found[static_cast<size_t>(key)] = feature;
      return true;
    });
    if (!whole) return NoExample(bytes);
    for (size_t key = 0; key < found.size(); ++key) {
      FeatureValues values;
      if (!ReadFeature(found[key], &values)) return NoExample(bytes);
      HR_RETURN_IF_ERROR(key < spec_.sparse.size() ? KeepSparse(i, key, values)
                                                   : TakeDense(i, key, values));
    }
    return absl::OkStatus();
  }

  Status KeepSparse(int64_t i, size_t key, const FeatureValues& values) {
    const DType wanted = spec_.sparse[key].type, type = TypeOf(values.kind);
    if (type != DType::kInvalid && type != wanted)
      return Wrong(i, key, "Data types don't match. Expected type: ", CppTypeName(wanted),
                   ", Actual type: ", CppTypeName(type));
    return Keep(i, key, values);
  }

  Status Keep(int64_t i, size_t key, const FeatureValues& values) {
    const int64_t count = CountValues(values);
    if (count < 0) return Wrong(i, key, "Can't parse serialized Example.");
    kept_[key][static_cast<size_t>(i)] = {values.list, count};
    return absl::OkStatus();
  }

  Status TakeDense(int64_t i, size_t key, const FeatureValues& values) {
    const size_t at = key - spec_.sparse.size();
    const DenseFeatureSpec& feature = spec_.dense[at];
    const DType type = TypeOf(values.kind);
    const bool rows = HasRows(feature);
    if (type == DType::kInvalid) return rows ? absl::OkStatus() : TakeDefault(i, at);
    if (type != feature.type)
      return Wrong(i, key, "Data types don't match. Data type: ", CppTypeName(type),
                   " but expected type: ", CppTypeName(feature.type));
    const int64_t wanted = ElementsOf(feature);
    if (rows) {
      HR_RETURN_IF_ERROR(Keep(i, key, values));
      const int64_t count = kept_[key][static_cast<size_t>(i)].count;
      if (wanted > 0 ? count % wanted == 0 : count == 0) return absl::OkStatus();
      return WrongNumber(
          i, key,
          StrCat("Number of ", NounOf(type), " values is not a multiple of stride length. Saw ",
                 count, " values but output shape is: ", feature.shape.ToString()));
    }
    const int64_t count = ReadList(values.list, out_.dense[at], single_ ? 0 : i * wanted, wanted);
    if (count < 0) return Wrong(i, key, "Can't parse serialized Example.");
    if (count == wanted) return absl::OkStatus();
    return WrongNumber(i, key,
                       StrCat("Number of ", NounOf(type), " values != expected.  Values size: ",
                              count, " but output shape: ", feature.shape.ToString()));
  }

  Status TakeDefault(int64_t i, size_t at) {
    const DenseFeatureSpec& feature = spec_.dense[at];
    const int64_t wanted = ElementsOf(feature);
    const Tensor& value = feature.default_value;
    if (wanted > 0 && (!value.valid() || value.num_elements() == 0)) {
      return InvalidArgument(single_ ? "" : StrCat("Name: ", NameOf(i), ", "),
                             "Feature: ", feature.key, " (data type: ", CppTypeName(feature.type),
                             ") is required but could not be found.");
    }
    if (wanted > 0) CopyElements(value, out_.dense[at], single_ ? 0 : i * wanted);
    return absl::OkStatus();
  }

  // ---------------------------------------------------------------- values of any number

  Status MakeSparse(size_t key) {
    HR_ASSIGN_OR_RETURN(StackedLists stacked, StackLists(kept_[key], spec_.sparse[key].type,
                                                         /*scalar=*/single_, workers_, allocator_));
    out_.indices.push_back(std::move(stacked.indices));
    out_.values.push_back(std::move(stacked.values));
    out_.shapes.push_back(std::move(stacked.shape));
    return absl::OkStatus();
  }

  Status MakeRows(size_t at) {
    const DenseFeatureSpec& feature = spec_.dense[at];
    const std::vector<KeptList>& lists = kept_[spec_.sparse.size() + at];
    const int64_t row = ElementsOf(feature);
    int64_t longest = 0;
    for (const KeptList& list : lists) longest = std::max(longest, list.count);
    std::vector<int64_t> dims(feature.shape.dims().begin(), feature.shape.dims().end());
    dims[0] = row > 0 ? longest / row : 0;
    HR_ASSIGN_OR_RETURN(out_.dense[at], AllocateDense(feature, dims));
    workers_.ParallelFor(count_, 30.0, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const KeptList& list = lists[static_cast<size_t>(i)];
        ReadList(list.bytes, out_.dense[at], i * longest, list.count);
        FillElements(feature.default_value, out_.dense[at], i * longest + list.count,
                     (i + 1) * longest);
      }
    });
    return absl::OkStatus();
  }

  // ---------------------------------------------------------------- errors

  std::string_view NameOf(int64_t i) const {
    return names_.empty() ? std::string_view("<unknown>") : names_[static_cast<size_t>(i)];
  }
  template <class... Text>
  Status Wrong(int64_t i, size_t key, const Text&... text) const {
    const std::string& name = keys_.key(static_cast<int>(key));
    if (single_) return InvalidArgument("Key: ", name, ".  ", text...);
    return InvalidArgument("Name: ", NameOf(i), ", Key: ", name, ", Index: ", i, ".  ", text...);
  }
  // TensorFlow says less of a single example; that what it says comes first.
  Status WrongNumber(int64_t i, size_t key, const std::string& text) const {
    return single_ ? Wrong(i, key, "Can't parse serialized Example. ", text) : Wrong(i, key, text);
  }
  static Status NoExample(std::string_view bytes) {
    constexpr size_t kShown = 80;
    return InvalidArgument("Could not parse example input, value: '",
                           EscapeC(bytes.substr(0, kShown)), bytes.size() > kShown ? "..." : "",
                           "'");
  }

  const ExampleSpec& spec_;
  const KeyIndex& keys_;
  const std::span<const std::string> serialized_, names_;
  const bool single_;
  WorkerPool& workers_;
  Allocator& allocator_;
  const int64_t count_;
  std::vector<std::vector<KeptList>> kept_;  // by key, then example
  ParsedExamples out_;
  std::mutex mutex_;
  Status error_;
  int64_t error_at_ = 0;
};

StatusOr<ParsedExamples> ExampleParser::Parse(std::span<const std::string> serialized,
                                              std::span<const std::string> names,
                                              WorkerPool& workers, Allocator& allocator) const {
  return BatchParse(*this, serialized, names, /*single=*/false, workers, allocator).Run();
}

StatusOr<ParsedExamples> ExampleParser::ParseOne(const std::string& serialized, WorkerPool& workers,
                                                 Allocator& allocator) const {
  return BatchParse(*this, {&serialized, 1}, {}, /*single=*/true, workers, allocator).Run();
}

}  // namespace headrace

#include "headrace/ops/data/sequence_parser.h"

#include "headrace/base/strings.h"
#include "headrace/io/example_wire.h"
#include "headrace/ops/data/feature_values.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {

StatusOr<SequenceParser> SequenceParser::Make(SequenceSpec spec) {
  // The checks of features are those of examples.
  HR_RETURN_IF_ERROR(ExampleParser::Make({spec.context_sparse, spec.context_dense}).status());
  std::vector<std::string> context, lists;
  for (const SparseFeatureSpec& feature : spec.context_sparse) context.push_back(feature.key);
  for (const DenseFeatureSpec& feature : spec.context_dense) {
    if (!feature.shape.is_fully_known())
      return InvalidArgument("the shape of context feature '", feature.key,
                             "' must be fully known, got ", feature.shape.ToString());
    context.push_back(feature.key);
  }
  for (const SparseFeatureSpec& feature : spec.list_sparse) lists.push_back(feature.key);
  for (const DenseListSpec& list : spec.list_dense) lists.push_back(list.key);
  HR_ASSIGN_OR_RETURN(KeyIndex context_index, KeyIndex::Make(std::move(context)));
  HR_ASSIGN_OR_RETURN(KeyIndex list_index, KeyIndex::Make(std::move(lists)));
  return SequenceParser(std::move(spec), std::move(context_index), std::move(list_index));
}

class SequenceParse {
 public:
  SequenceParse(const SequenceParser& parser, std::span<const std::string> serialized,
                std::span<const std::string> names, bool single, WorkerPool& workers,
                Allocator& allocator)
      : spec_(parser.spec_),
        context_(parser.context_),
        lists_(parser.lists_),
        serialized_(serialized),
        names_(names),
        single_(single),
        workers_(workers),
        allocator_(allocator) {}

  StatusOr<ParsedSequences> Run() {
    HR_RETURN_IF_ERROR(FindAll());
    for (size_t i = 0; i < spec_.context_sparse.size(); ++i) HR_RETURN_IF_ERROR(ContextSparse(i));
    for (size_t i = 0; i < spec_.context_dense.size(); ++i) HR_RETURN_IF_ERROR(ContextDense(i));
    for (size_t i = 0; i < spec_.list_sparse.size(); ++i) HR_RETURN_IF_ERROR(ListSparse(i));
    for (size_t i = 0; i < spec_.list_dense.size(); ++i) HR_RETURN_IF_ERROR(ListDense(i));
    return std::move(out_);
  }

 private:
  // What was found of a key: a Feature or a FeatureList. Without bytes: nothing.
  using Found = std::vector<std::vector<std::string_view>>;  // by key, then sequence

  Status FindAll() {
    KeyIndex::Cursor context(context_), lists(lists_);
    found_context_.assign(static_cast<size_t>(context_.size()),
                          std::vector<std::string_view>(serialized_.size()));
    found_lists_.assign(static_cast<size_t>(lists_.size()),
                        std::vector<std::string_view>(serialized_.size()));
    const auto keep = [](KeyIndex::Cursor& cursor, Found& found, size_t i) {
      cursor.Begin();
      return [&cursor, &found, i](std::string_view name, std::string_view value) {
        if (const int key = cursor.Find(name); key >= 0) {
          // An empty message is there all the same.
          found[static_cast<size_t>(key)][i] = value.data() != nullptr ? value : name.substr(0, 0);
        }
        return true;
      };
    };
    for (size_t i = 0; i < serialized_.size(); ++i) {
      if (!VisitFeatures(serialized_[i], keep(context, found_context_, i)) ||
          !VisitFeatureLists(serialized_[i], keep(lists, found_lists_, i)))
        return NoSequence(i);
    }
    return absl::OkStatus();
  }

  StatusOr<FeatureValues> ContextFeature(size_t key, size_t i, DType wanted) const {
    FeatureValues values;
    if (!ReadFeature(found_context_[key][i], &values)) return NoSequence(i);
    const DType type = TypeOf(values.kind);
    if (type == DType::kInvalid || type == wanted) return values;
    const std::string& name = context_.key(static_cast<int>(key));
    if (!single_)
      return InvalidArgument("Error in context feature ", name, " in example ", NameOf(i),
                             Types(wanted, type));
    return InvalidArgument("Name: ", NameOf(i), ", Context feature: ", name, ".  ",
                           Types(wanted, type));
  }

  Status ContextSparse(size_t at) {
    const DType type = spec_.context_sparse[at].type;
    std::vector<KeptList> lists;
    for (size_t i = 0; i < serialized_.size(); ++i) {
      HR_ASSIGN_OR_RETURN(const FeatureValues values, ContextFeature(at, i, type));
      const int64_t count = CountValues(values);
      if (count < 0) return NoSequence(i);
      lists.push_back({values.list, count});
    }
    HR_ASSIGN_OR_RETURN(StackedLists stacked,
                        StackLists(lists, type, /*scalar=*/single_, workers_, allocator_));
    out_.context.indices.push_back(std::move(stacked.indices));
    out_.context.values.push_back(std::move(stacked.values));
    out_.context.shapes.push_back(std::move(stacked.shape));
    return absl::OkStatus();
  }

  Status ContextDense(size_t at) {
    const DenseFeatureSpec& feature = spec_.context_dense[at];
    const size_t key = spec_.context_sparse.size() + at;
    const int64_t wanted = feature.shape.num_elements();
    HR_ASSIGN_OR_RETURN(Tensor out, Allocate(feature.type, {}, feature.shape.dims()));
    for (size_t i = 0; i < serialized_.size(); ++i) {
      HR_ASSIGN_OR_RETURN(const FeatureValues values, ContextFeature(key, i, feature.type));
      const int64_t begin = static_cast<int64_t>(i) * wanted;
      if (values.kind == FeatureKind::kNone) {
        if (wanted > 0 && feature.default_value.num_elements() == 0)
          return InvalidArgument("Name: ", NameOf(i), ", Context feature '", feature.key,
                                 "' is required but could not be found.");
        if (wanted > 0) CopyElements(feature.default_value, out, begin);
        continue;
      }
      const int64_t count = ReadList(values.list, out, begin, wanted);
      if (count < 0) return NoSequence(i);
      if (count != wanted)
        return WrongNumber(feature.key, i, 0, feature.type, count, feature.shape);
    }
    out_.context.dense.push_back(std::move(out));
    return absl::OkStatus();
  }

  // visit(step, values) for each feature of a list.
  template <class Visit>
  Status VisitSteps(size_t key, size_t i, DType wanted, bool may_be_empty, Visit&& visit) const {
    const std::string& name = lists_.key(static_cast<int>(key));
    int64_t step = 0;
    Status status;
    const bool whole = VisitField(found_lists_[key][i], 1, [&](std::string_view feature) {
      FeatureValues values;
      if (!ReadFeature(feature, &values)) return false;
      const DType type = TypeOf(values.kind);
      if (type != wanted && (type != DType::kInvalid || !may_be_empty)) {
        status = single_
                     ? InvalidArgument("Name: ", NameOf(i),
                                       may_be_empty ? ", Feature List: " : ", Feature list: ", name,
                                       ", Index: ", step, ".  ", Types(wanted, type))
                     : InvalidArgument("Error in sequence feature ", name, " in example ",
                                       NameOf(i), Types(wanted, type));
      } else {
        status = visit(step++, values);
      }
      return status.ok();
    });
    HR_RETURN_IF_ERROR(status);
    return whole ? absl::OkStatus() : NoSequence(i);
  }

  Status ListSparse(size_t at) {
    const DType type = spec_.list_sparse[at].type;
    std::vector<std::vector<KeptList>> all(serialized_.size());
    int64_t total = 0, longest = 0, most_steps = 0;
    for (size_t i = 0; i < serialized_.size(); ++i) {
      HR_RETURN_IF_ERROR(
          VisitSteps(at, i, type, /*may_be_empty=*/true, [&](int64_t, const FeatureValues& values) {
            const int64_t count = CountValues(values);
            if (count < 0) return NoSequence(i);
            all[i].push_back({values.list, count});
            total += count;
            longest = std::max(longest, count);
            return absl::OkStatus();
          }));
      most_steps = std::max(most_steps, static_cast<int64_t>(all[i].size()));
    }
    HR_ASSIGN_OR_RETURN(Tensor indices, Tensor::Allocate(allocator_, DType::kInt64,
                                                         {total, single_ ? 2 : 3}, "indices"));
    HR_ASSIGN_OR_RETURN(Tensor values, Tensor::Allocate(allocator_, type, {total}, "values"));
    int64_t* index = indices.data<int64_t>();
    int64_t begin = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t step = 0; step < all[i].size(); ++step) {
        const KeptList& list = all[i][step];
        ReadList(list.bytes, values, begin, list.count);
        begin += list.count;
        for (int64_t k = 0; k < list.count; ++k) {
          if (!single_) *index++ = static_cast<int64_t>(i);
          *index++ = static_cast<int64_t>(step);
          *index++ = k;
        }
      }
    }
    out_.lists.indices.push_back(std::move(indices));
    out_.lists.values.push_back(std::move(values));
    out_.lists.shapes.push_back(
        single_ ? Tensor::Of<int64_t>({most_steps, longest})
                : Tensor::Of<int64_t>({static_cast<int64_t>(all.size()), most_steps, longest}));
    return absl::OkStatus();
  }

  Status ListDense(size_t at) {
    const DenseListSpec& list = spec_.list_dense[at];
    const size_t key = spec_.list_sparse.size() + at;
    const int64_t wanted = list.shape.num_elements();
    std::vector<std::vector<std::string_view>> all(serialized_.size());
    int64_t most_steps = 0;
    for (size_t i = 0; i < serialized_.size(); ++i) {
      if (found_lists_[key][i].data() == nullptr && !list.may_be_missing)
        return Missing(list.key, i);
      HR_RETURN_IF_ERROR(VisitSteps(key, i, list.type, /*may_be_empty=*/false,
                                    [&](int64_t, const FeatureValues& values) {
                                      all[i].push_back(values.list);
                                      return absl::OkStatus();
                                    }));
      most_steps = std::max(most_steps, static_cast<int64_t>(all[i].size()));
    }
    const int64_t steps_dim[] = {most_steps};
    HR_ASSIGN_OR_RETURN(Tensor out, Allocate(list.type, steps_dim, list.shape.dims()));
    Tensor lengths(DType::kInt64, {static_cast<int64_t>(all.size())});
    for (size_t i = 0; i < all.size(); ++i) {
      int64_t begin = static_cast<int64_t>(i) * most_steps * wanted;
      const int64_t end = begin + most_steps * wanted;
      for (size_t step = 0; step < all[i].size(); ++step, begin += wanted) {
        const int64_t count = ReadList(all[i][step], out, begin, wanted);
        if (count < 0) return NoSequence(i);
        if (count != wanted)
          return WrongNumber(list.key, i, static_cast<int64_t>(step), list.type, count, list.shape);
      }
      FillElements(Tensor(), out, begin, end);
      lengths.data<int64_t>()[i] = static_cast<int64_t>(all[i].size());
    }
    out_.lists.dense.push_back(std::move(out));
    if (!single_) out_.lengths.push_back(std::move(lengths));
    return absl::OkStatus();
  }

  StatusOr<Tensor> Allocate(DType type, std::span<const int64_t> first,
                            std::span<const int64_t> rest) const {
    std::vector<int64_t> dims;
    if (!single_) dims.push_back(static_cast<int64_t>(serialized_.size()));
    dims.insert(dims.end(), first.begin(), first.end());
    dims.insert(dims.end(), rest.begin(), rest.end());
    HR_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    return Tensor::Allocate(allocator_, type, shape, "ParseSequenceExample");
  }

  // ---------------------------------------------------------------- errors

  std::string_view NameOf(size_t i) const {
    return names_.empty() ? std::string_view("<unknown>") : names_[i];
  }
  std::string Types(DType wanted, DType type) const {
    return StrCat(single_ ? "" : ": ",
                  "Data types don't match. Expected type: ", CppTypeName(wanted),
                  type == DType::kInvalid ? std::string("  Feature is empty")
                                          : StrCat("  Feature is: ", CppTypeName(type)));
  }
  Status WrongNumber(std::string_view key, size_t i, int64_t step, DType type, int64_t count,
                     const PartialShape& shape) const {
    const std::string what =
        StrCat("Number of ", NounOf(type), " values != expected.  values size: ", count,
               " but output shape: ", shape.ToString());
    if (single_)
      return InvalidArgument("Name: ", NameOf(i), ", Key: ", key, ", Index: ", step, ".  ", what);
    return InvalidArgument("Unexpected number of elements in feature ", key, ", example ",
                           NameOf(i), ": ", what);
  }
  Status Missing(std::string_view key, size_t i) const {
    if (!single_) return InvalidArgument("Missing feature ", key, " in example ", NameOf(i));
    return InvalidArgument("Name: ", NameOf(i), ", Feature list '", key,
                           "' is required but could not be found.  Did you mean to include it in "
                           "feature_list_dense_missing_assumed_empty or "
                           "feature_list_dense_defaults?");
  }
  Status NoSequence(size_t i) const {
    constexpr size_t kShown = 80;
    const std::string_view bytes = serialized_[i];
    return InvalidArgument("Could not parse example input, value: '",
                           EscapeC(bytes.substr(0, kShown)), bytes.size() > kShown ? "..." : "",
                           "'");
  }

  const SequenceSpec& spec_;
  const KeyIndex &context_, &lists_;
  const std::span<const std::string> serialized_, names_;
  const bool single_;
  WorkerPool& workers_;
  Allocator& allocator_;
  Found found_context_, found_lists_;
  ParsedSequences out_;
};

StatusOr<ParsedSequences> SequenceParser::ParseOne(const std::string& serialized,
                                                   std::string_view name, WorkerPool& workers,
                                                   Allocator& allocator) const {
  const std::string names[] = {std::string(name)};
  return SequenceParse(*this, {&serialized, 1}, names, /*single=*/true, workers, allocator).Run();
}

StatusOr<ParsedSequences> SequenceParser::Parse(std::span<const std::string> serialized,
                                                std::span<const std::string> names,
                                                WorkerPool& workers, Allocator& allocator) const {
  return SequenceParse(*this, serialized, names, /*single=*/false, workers, allocator).Run();
}

}  // namespace headrace

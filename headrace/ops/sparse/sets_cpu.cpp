#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/sparse/sets_kernels.h"
#include "headrace/ops/sparse/sparse_input.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kSetTypes{DType::kInt8,  DType::kInt16,  DType::kInt32, DType::kInt64,
                             DType::kUInt8, DType::kUInt16, DType::kString};

// A set and its place among all sets, counted in row-major order.
template <class T>
struct Group {
  int64_t place = 0;
  std::vector<T> values;  // ascending, distinct

  void Tidy() {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  }
};

template <class T>
struct Sets {
  std::vector<int64_t> dims;     // of the sets
  std::vector<Group<T>> groups;  // by place; those of a sparse tensor without values are left out
};

StatusOr<std::vector<int64_t>> SetDims(std::span<const int64_t> shape) {
  if (shape.size() < 2) {
    return InvalidArgument("Shape [", IndexListText(shape), "] has rank ", shape.size(), " < 2");
  }
  return std::vector<int64_t>(shape.begin(), shape.end() - 1);
}

template <class T>
StatusOr<Sets<T>> DenseSets(const Tensor& x) {
  std::vector<int64_t> shape;
  for (int d = 0; d < x.rank(); ++d) shape.push_back(x.dim(d));
  Sets<T> sets;
  HR_ASSIGN_OR_RETURN(sets.dims, SetDims(shape));
  int64_t count = 1;
  for (int64_t dim : sets.dims) count *= dim;
  const int64_t size = shape.back();
  const T* from = x.data<T>();
  sets.groups.resize(static_cast<size_t>(count));
  for (int64_t place = 0; place < count; ++place) {
    Group<T>& group = sets.groups[place];
    group.place = place;
    group.values.assign(from + place * size, from + (place + 1) * size);
    group.Tidy();
  }
  return sets;
}

// Sets are read in the order of the indices, so that this one is needed whatever validate_indices
// says; TensorFlow refuses the same.
Status CheckOrder(const SparseInput& x) {
  HR_RETURN_IF_ERROR(CheckInBounds(x));
  for (int64_t i = 1; i < x.count; ++i) {
    const int order = CompareIndices(x.index(i - 1), x.index(i));
    if (order == 0)
      return InvalidArgument("indices[", i, "] = [", IndexListText(x.index(i)), "] is repeated");
    if (order > 0) {
      return InvalidArgument("indices[", i, "] = [", IndexListText(x.index(i)),
                             "] is out of order. Many sparse ops require sorted indices.");
    }
  }
  return absl::OkStatus();
}

template <class T>
StatusOr<Sets<T>> SparseSets(const KernelContext& ctx, int first) {
  HR_ASSIGN_OR_RETURN(const SparseInput x, ReadSparse(ctx, first));
  Sets<T> sets;
  HR_ASSIGN_OR_RETURN(sets.dims, SetDims(x.dims));
  HR_RETURN_IF_ERROR(CheckOrder(x));
  for (int64_t i = 0; i < x.count; ++i) {
    int64_t place = 0;
    for (size_t d = 0; d < sets.dims.size(); ++d) place = place * sets.dims[d] + x.index(i)[d];
    if (sets.groups.empty() || sets.groups.back().place != place)
      sets.groups.push_back({.place = place, .values = {}});
    sets.groups.back().values.push_back(x.template data<T>()[i]);
  }
  for (Group<T>& group : sets.groups) group.Tidy();
  return sets;
}

Status SetSizes(KernelContext& ctx) {
  Status status;
  DispatchDType<kSetTypes>(ctx.input(1).dtype(), [&]<class T>() {
    status = [&]() -> Status {
      if (ctx.input(2).num_elements() < 2)
        return InvalidArgument("Invalid rank ", ctx.input(2).num_elements(), ".");
      HR_ASSIGN_OR_RETURN(const Sets<T> sets, SparseSets<T>(ctx, 0));
      HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, Shape(std::span<const int64_t>(sets.dims))));
      std::fill_n(out->data<int32_t>(), out->num_elements(), 0);
      for (const Group<T>& group : sets.groups)
        out->data<int32_t>()[group.place] = static_cast<int32_t>(group.values.size());
      return absl::OkStatus();
    }();
  });
  return status;
}

enum class Operation { kAMinusB, kBMinusA, kIntersection, kUnion };

StatusOr<Operation> ParseOperation(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text == "a-b") return Operation::kAMinusB;
  if (text == "b-a") return Operation::kBMinusA;
  if (text == "intersection") return Operation::kIntersection;
  if (text == "union") return Operation::kUnion;
  return InvalidArgument("Invalid set_operation ", text, ": a-b, b-a, intersection or union");
}

template <class T>
void Apply(Operation operation, const std::vector<T>& a, const std::vector<T>& b,
           std::vector<T>& out) {
  const auto to = std::back_inserter(out);
  switch (operation) {
    case Operation::kAMinusB:
      std::set_difference(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
    case Operation::kBMinusA:
      std::set_difference(b.begin(), b.end(), a.begin(), a.end(), to);
      break;
    case Operation::kIntersection:
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
    case Operation::kUnion:
      std::set_union(a.begin(), a.end(), b.begin(), b.end(), to);
      break;
  }
}

// The sets of both, place by place; those without values are left out.
template <class T>
std::vector<Group<T>> Combine(Operation operation, const std::vector<Group<T>>& a,
                              const std::vector<Group<T>>& b) {
  static const std::vector<T>& none = *new std::vector<T>();
  std::vector<Group<T>> result;
  for (size_t i = 0, k = 0; i < a.size() || k < b.size();) {
    const bool take_a = k == b.size() || (i < a.size() && a[i].place <= b[k].place);
    const bool take_b = i == a.size() || (k < b.size() && b[k].place <= a[i].place);
    Group<T> group{.place = take_a ? a[i].place : b[k].place, .values = {}};
    Apply(operation, take_a ? a[i].values : none, take_b ? b[k].values : none, group.values);
    if (!group.values.empty()) result.push_back(std::move(group));
    i += take_a;
    k += take_b;
  }
  return result;
}

template <class T>
Status WriteSets(KernelContext& ctx, std::vector<int64_t> dims, std::vector<Group<T>> groups) {
  size_t count = 0, largest = 0;
  for (const Group<T>& group : groups) {
    count += group.values.size();
    largest = std::max(largest, group.values.size());
  }
  const int rank = static_cast<int>(dims.size()) + 1;
  HR_ASSIGN_OR_RETURN(int64_t * index, MakeIndices(ctx, 0, static_cast<int64_t>(count), rank));
  HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {static_cast<int64_t>(count)}));
  T* value = values->data<T>();
  for (Group<T>& group : groups) {
    for (size_t i = 0; i < group.values.size(); ++i, index += rank) {
      int64_t rest = group.place;
      for (int d = rank - 2; d >= 0; --d) {
        index[d] = rest % dims[d];
        rest /= dims[d];
      }
      index[rank - 1] = static_cast<int64_t>(i);
      *value++ = std::move(group.values[i]);
    }
  }
  dims.push_back(static_cast<int64_t>(largest));
  return SetShapeOutput(ctx, 2, dims);
}

class SetOperationKernel final : public Kernel {
 public:
  SetOperationKernel(Operation operation, bool dense1, bool dense2)
      : operation_(operation), dense1_(dense1), dense2_(dense2) {}

  Status Compute(KernelContext& ctx) override {
    Status status;
    DispatchDType<kSetTypes>(ctx.output_type(1), [&]<class T>() { status = Run<T>(ctx); });
    return status;
  }

 private:
  template <class T>
  Status Run(KernelContext& ctx) {
    HR_ASSIGN_OR_RETURN(const Sets<T> a, Read<T>(ctx, 0, dense1_));
    HR_ASSIGN_OR_RETURN(const Sets<T> b, Read<T>(ctx, dense1_ ? 1 : 3, dense2_));
    if (a.dims != b.dims) {
      return InvalidArgument("Mismatched shapes [", IndexListText(a.dims), "] vs [",
                             IndexListText(b.dims), "]");
    }
    return WriteSets<T>(ctx, a.dims, Combine(operation_, a.groups, b.groups));
  }

  template <class T>
  static StatusOr<Sets<T>> Read(const KernelContext& ctx, int first, bool dense) {
    return dense ? DenseSets<T>(ctx.input(first)) : SparseSets<T>(ctx, first);
  }

  const Operation operation_;
  const bool dense1_, dense2_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSetSizeCpu(const KernelInit& init) {
  return MakeFunctionKernel<SetSizes>(init);
}

StatusOr<std::unique_ptr<Kernel>> MakeSetOperationCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const Operation operation,
                      ParseOperation(init.Attr<std::string>("set_operation")));
  const std::string_view name = init.node().op_name();
  return std::make_unique<SetOperationKernel>(operation, name.starts_with("Dense"),
                                              name.starts_with("DenseToDense"));
}

}  // namespace headrace

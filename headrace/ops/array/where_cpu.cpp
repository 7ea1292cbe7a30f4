
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/array/where_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kWhereTypes = kNumberTypes | DTypeSet(DType::kBool);
constexpr DTypeSet kUniqueTypes = (kNumberTypes - DTypeSet{DType::kComplex64, DType::kComplex128}) |
                                  DTypeSet{DType::kBool, DType::kString};

Status WhereKernel(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  Status status;
  DispatchDType<kWhereTypes>(in.dtype(), [&]<class T>() {
    const auto is_set = [](const T& x) {
      if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
        return static_cast<float>(x) != 0;
      } else {
        return x != T();
      }
    };
    const T* x = in.data<T>();
    const int64_t count = in.num_elements();
    int64_t set = 0;
    for (int64_t i = 0; i < count; ++i) set += is_set(x[i]) ? 1 : 0;
    const int rank = in.rank();
    StatusOr<Tensor*> out = ctx.Output(0, {set, rank});
    status = out.status();
    if (!out.ok() || set == 0) return;
    int64_t* y = (*out)->data<int64_t>();
    if (rank == 0) return;
    // Row by row. The place of an element is written in any case, and stays if the element is set:
    // a branch would be mispredicted too often. The last set element ends it, so nothing is written
    // behind the result.
    int64_t* const end = y + set * rank;
    const int64_t row = in.dim(rank - 1);
    std::array<int64_t, kMaxRank> index{};
    for (;; x += row) {
      for (int64_t i = 0; i < row && y != end; ++i) {
        for (int d = 0; d < rank - 1; ++d) y[d] = index[d];
        y[rank - 1] = i;
        y += is_set(x[i]) ? rank : 0;
      }
      if (y == end) return;
      for (int d = rank - 2; d >= 0 && ++index[d] == in.dim(d); --d) index[d] = 0;
    }
  });
  return status;
}

// What hashing and comparing looks at: 16-bit floats by value.
template <class T>
auto Key(const T& value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

class UniqueKernel final : public Kernel {
 public:
  UniqueKernel(bool has_axis, bool counts) : has_axis_(has_axis), counts_(counts) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    int axis = 0;
    if (!has_axis_ && in.rank() != 1) return InvalidArgument("unique expects a 1D vector.");
    if (has_axis_) {
      const Tensor& stated = ctx.input(1);
      if (stated.num_elements() > 1)
        return InvalidArgument("axis does not support input tensors larger than 1 elements");
      if (stated.num_elements() == 0 && in.rank() != 1)
        return InvalidArgument("unique expects a 1D vector.");
      if (stated.num_elements() == 1) {
        HR_ASSIGN_OR_RETURN(axis, ResolveAxis(IntAt(stated, 0), in.rank()));
      }
    }
    const int64_t n = in.dim(axis), outer = in.shape().Product(0, axis),
                  inner = in.shape().Product(axis + 1, in.rank());
    HR_ASSIGN_OR_RETURN(Tensor * idx, ctx.Output(1, {n}));
    places_.assign(static_cast<size_t>(n), 0);
    first_.clear();
    DispatchDType<kUniqueTypes>(in.dtype(), [&]<class T>() {
      if (outer == 1 && inner == 1) {
        FindScalars(in.data<T>(), n);
      } else {
        FindSlices(in.data<T>(), n, outer, inner);
      }
    });
    StoreInts(places_, *idx);
    return GiveValues(ctx, in, axis, outer, inner);
  }

 private:
  template <class T>
  void FindScalars(const T* x, int64_t n) {
    absl::flat_hash_map<decltype(Key(*x)), int64_t> seen;
    for (int64_t i = 0; i < n; ++i) {
      const auto place = static_cast<int64_t>(first_.size());
      const auto key = Key(x[i]);
      if (!(key == key)) {  // a NaN equals nothing; a hash map must not hold it
        places_[static_cast<size_t>(i)] = place;
        first_.push_back(i);
        continue;
      }
      const auto [at, fresh] = seen.try_emplace(key, place);
      if (fresh) first_.push_back(i);
      places_[static_cast<size_t>(i)] = at->second;
    }
  }

  template <class T>
  void FindSlices(const T* x, int64_t n, int64_t outer, int64_t inner) {
    const auto element = [&](int64_t i, int64_t o, int64_t k) -> const T& {
      return x[(o * n + i) * inner + k];
    };
    const auto hash = [&](int64_t i) {
      size_t h = 0;
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t k = 0; k < inner; ++k) {
          const auto key = Key(element(i, o, k));
          h = h * 0x9e3779b97f4a7c15u + std::hash<std::decay_t<decltype(key)>>()(key);
        }
      }
      return h;
    };
    const auto equal = [&](int64_t a, int64_t b) {
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t k = 0; k < inner; ++k) {
          if (!(Key(element(a, o, k)) == Key(element(b, o, k)))) return false;
        }
      }
      return true;
    };
    absl::flat_hash_map<int64_t, int64_t, decltype(hash), decltype(equal)> seen(16, hash, equal);
    for (int64_t i = 0; i < n; ++i) {
      const auto place = static_cast<int64_t>(first_.size());
      if (!equal(i, i)) {  // holds a NaN: see FindScalars
        places_[static_cast<size_t>(i)] = place;
        first_.push_back(i);
        continue;
      }
      const auto [at, fresh] = seen.try_emplace(i, place);
      if (fresh) first_.push_back(i);
      places_[static_cast<size_t>(i)] = at->second;
    }
  }

  Status GiveValues(KernelContext& ctx, const Tensor& in, int axis, int64_t outer, int64_t inner) {
    const int64_t found = static_cast<int64_t>(first_.size());
    Shape shape = in.shape();
    shape.set_dim(axis, found);
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape));
    for (int64_t i = 0; i < found; ++i) {
      CopyRows(ctx.workers(), in.dtype(), outer, inner, ElementAt(*y, i * inner), found * inner,
               ElementAt(in, first_[static_cast<size_t>(i)] * inner), in.dim(axis) * inner);
    }
    if (!counts_) return absl::OkStatus();
    HR_ASSIGN_OR_RETURN(Tensor * count, ctx.Output(2, {found}));
    std::vector<int64_t> counts(first_.size(), 0);
    for (const int64_t place : places_) ++counts[static_cast<size_t>(place)];
    StoreInts(counts, *count);
    return absl::OkStatus();
  }

  const bool has_axis_, counts_;
  std::vector<int64_t> places_, first_;
};

Status ListDiffKernel(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& y = ctx.input(1);
  if (x.rank() != 1) return InvalidArgument("x should be a 1D vector.");
  if (y.rank() != 1) return InvalidArgument("y should be a 1D vector.");
  std::vector<int64_t> kept;
  DispatchDType<kUniqueTypes>(x.dtype(), [&]<class T>() {
    absl::flat_hash_set<decltype(Key(*x.data<T>()))> without;
    for (const T& value : y.flat<T>()) {
      if (const auto key = Key(value); key == key) without.insert(key);  // a NaN excludes nothing
    }
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      if (!without.contains(Key(x.data<T>()[i]))) kept.push_back(i);  // NaN is never in it
    }
  });
  const int64_t count = static_cast<int64_t>(kept.size());
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {count}));
  HR_ASSIGN_OR_RETURN(Tensor * idx, ctx.Output(1, {count}));
  for (int64_t i = 0; i < count; ++i) {
    CopyRows(ctx.workers(), x.dtype(), 1, 1, ElementAt(*out, i), 1,
             ElementAt(x, kept[static_cast<size_t>(i)]), 1);
  }
  StoreInts(kept, *idx);
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeWhereCpu(const KernelInit& init) {
  return MakeFunctionKernel<WhereKernel>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeUniqueCpu(const KernelInit& init) {
  const std::string& op = init.node().op_name();
  return std::make_unique<UniqueKernel>(op.ends_with("V2"), op.starts_with("UniqueWithCounts"));
}
StatusOr<std::unique_ptr<Kernel>> MakeListDiffCpu(const KernelInit& init) {
  return MakeFunctionKernel<ListDiffKernel>(init);
}

}  // namespace headrace

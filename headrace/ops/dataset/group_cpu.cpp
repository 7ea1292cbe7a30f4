// GroupByWindowDataset, GroupByReducerDataset.
#include <map>

#include "headrace/ops/dataset/dataset_function.h"
#include "headrace/ops/dataset/function_dataset_kernels.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

using Rows = std::vector<Element>;

// The elements of one window, as the dataset that a function reduces.
class RowsDataset final : public Dataset {
 public:
  RowsDataset(Rows rows, const Dataset& like)
      : Dataset(like.types(), like.shapes()), rows_(std::move(rows)) {}
  std::string_view name() const override { return "GroupWindow"; }
  int64_t Cardinality() const override { return static_cast<int64_t>(rows_.size()); }

 private:
  class Position final : public IteratorOf<RowsDataset> {
   public:
    using IteratorOf::IteratorOf;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (at_ == dataset().rows_.size()) return false;
      element = dataset().rows_[at_++];
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("GroupWindow");
      state.Int(static_cast<int64_t>(at_));
      return absl::OkStatus();
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("GroupWindow"));
      HR_ASSIGN_OR_RETURN(const int64_t at, state.IntIn(0, dataset().Cardinality()));
      at_ = static_cast<size_t>(at);
      return absl::OkStatus();
    }

   private:
    size_t at_ = 0;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return std::make_unique<Position>(
        std::static_pointer_cast<const RowsDataset>(shared_from_this()), std::move(place));
  }

  const Rows rows_;
};

// Windows of elements with equal keys, each handed to a function whose dataset stands in their place: full ones as
// they fill, the rest at the end by key.
class GroupByWindowDataset final : public UnaryDataset {
 public:
  GroupByWindowDataset(DatasetPtr input, DatasetFunction key, DatasetFunction reduce,
                       DatasetFunction size, std::vector<DType> types,
                       std::vector<PartialShape> shapes)
      : UnaryDataset(std::move(input), std::move(types), std::move(shapes)),
        key_(std::move(key)),
        reduce_(std::move(reduce)),
        size_(std::move(size)) {}
  std::string_view name() const override { return "GroupByWindow"; }

 private:
  class Position final : public UnaryIterator<GroupByWindowDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      Prepare(ctx);
      for (;;) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        if (window_ != nullptr) {
          HR_ASSIGN_OR_RETURN(const bool more, window_->Next(ctx, element));
          if (more) return true;
          window_.reset();
          rows_.clear();
        }
        HR_RETURN_IF_ERROR(Fill(ctx));
        if (window_ == nullptr && groups_.empty()) return false;
        if (window_ == nullptr) HR_RETURN_IF_ERROR(Open(ctx, groups_.begin()->first));
      }
    }
    Status Save(StateWriter& state) const override {
      state.Begin("GroupByWindow");
      state.Int(ended_);
      state.Int(static_cast<int64_t>(groups_.size()));
      for (const auto& [key, group] : groups_) SaveGroup(key, group.size, group.rows, state);
      HR_RETURN_IF_ERROR(input_->Save(state));
      state.Int(window_ != nullptr);
      if (window_ == nullptr) return absl::OkStatus();
      SaveGroup(window_key_, 0, rows_, state);
      return window_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      Prepare(ctx);
      HR_RETURN_IF_ERROR(state.Begin("GroupByWindow"));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      ended_ = ended != 0;
      HR_ASSIGN_OR_RETURN(const int64_t groups, state.IntIn(0, kMost));
      for (int64_t i = 0; i < groups; ++i) {
        HR_RETURN_IF_ERROR(RestoreGroup(state).status());
      }
      HR_RETURN_IF_ERROR(input_->Restore(ctx, state));
      HR_ASSIGN_OR_RETURN(const int64_t open, state.IntIn(0, 1));
      if (open == 0) return absl::OkStatus();
      HR_ASSIGN_OR_RETURN(const int64_t key, RestoreGroup(state));
      HR_RETURN_IF_ERROR(Open(ctx, key));
      return window_->Restore(ctx, state);
    }

   private:
    static constexpr int64_t kMost = int64_t{1} << 62;
    struct Group {
      int64_t size = 0;
      Rows rows;
    };

    void Prepare(const IterationContext& ctx) {
      if (opened_) return;
      key_ = dataset().key_.Open(ctx);
      reduce_ = dataset().reduce_.Open(ctx);
      size_ = dataset().size_.Open(ctx);
      opened_ = true;
    }

    // Reads until a window is full.
    Status Fill(const IterationContext& ctx) {
      while (!ended_) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        Element element;
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
        if (!more) {
          ended_ = true;
          break;
        }
        HR_ASSIGN_OR_RETURN(const Element keys, key_(ctx, element));
        HR_ASSIGN_OR_RETURN(const int64_t key, NumberResult(keys, "key_func"));
        Group& group = groups_[key];
        if (group.size == 0) {
          HR_ASSIGN_OR_RETURN(group.size, SizeOf(ctx, key));
        }
        group.rows.push_back(std::move(element));
        if (static_cast<int64_t>(group.rows.size()) == group.size) return Open(ctx, key);
      }
      return absl::OkStatus();
    }

    StatusOr<int64_t> SizeOf(const IterationContext& ctx, int64_t key) {
      HR_ASSIGN_OR_RETURN(const Element sizes, size_(ctx, {Tensor::Scalar(key)}));
      HR_ASSIGN_OR_RETURN(const int64_t size, NumberResult(sizes, "window_size_func"));
      if (size > 0) return size;
      groups_.erase(key);
      return InvalidArgument("Window size must be greater than zero, but got ", size, ".");
    }

    Status Open(const IterationContext& ctx, int64_t key) {
      rows_ = std::move(groups_[key].rows);
      groups_.erase(key);
      window_key_ = key;
      const DatasetPtr rows = std::make_shared<RowsDataset>(rows_, dataset().input());
      HR_ASSIGN_OR_RETURN(const Element results,
                          reduce_(ctx, {Tensor::Scalar(key), DatasetTensor(rows)}));
      HR_ASSIGN_OR_RETURN(const DatasetPtr reduced, DatasetResult(results, "reduce_func"));
      HR_RETURN_IF_ERROR(CheckTypes(dataset().types(), reduced->types()));
      HR_ASSIGN_OR_RETURN(window_, reduced->Iterate(ctx, place()));
      return absl::OkStatus();
    }

    static void SaveGroup(int64_t key, int64_t size, const Rows& rows, StateWriter& state) {
      state.Int(key);
      state.Int(size);
      state.Int(static_cast<int64_t>(rows.size()));
      for (const Element& row : rows) state.Values(row);
    }
    // Gives its key.
    StatusOr<int64_t> RestoreGroup(StateReader& state) {
      HR_ASSIGN_OR_RETURN(const int64_t key, state.Int());
      Group& group = groups_[key];
      HR_ASSIGN_OR_RETURN(group.size, state.IntIn(0, kMost));
      HR_ASSIGN_OR_RETURN(const int64_t count, state.IntIn(0, kMost));
      for (int64_t i = 0; i < count; ++i) {
        HR_ASSIGN_OR_RETURN(Element row, state.Values());
        group.rows.push_back(std::move(row));
      }
      return key;
    }

    FunctionCall key_, reduce_, size_;
    bool opened_ = false, ended_ = false;
    std::map<int64_t, Group> groups_;
    // The window that is being handed out.
    int64_t window_key_ = 0;
    Rows rows_;
    std::unique_ptr<Iterator> window_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, GroupByWindowDataset>(ctx, std::move(place));
  }

  const DatasetFunction key_, reduce_, size_;
};

// One element for each key, by key: what a function made of the state to which the key's elements were reduced.
class GroupByReducerDataset final : public UnaryDataset {
 public:
  struct Functions {
    DatasetFunction key, init, reduce, finalize;
  };
  GroupByReducerDataset(DatasetPtr input, Functions functions, std::vector<DType> types,
                        std::vector<PartialShape> shapes)
      : UnaryDataset(std::move(input), std::move(types), std::move(shapes)),
        functions_(std::move(functions)) {}
  std::string_view name() const override { return "GroupByReducer"; }

 private:
  class Position final : public UnaryIterator<GroupByReducerDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (!ended_) HR_RETURN_IF_ERROR(ReduceAll(ctx));
      if (states_.empty()) return false;
      HR_ASSIGN_OR_RETURN(element,
                          dataset().functions_.finalize.Open(ctx)(ctx, states_.begin()->second));
      states_.erase(states_.begin());
      return true;
    }
    Status Save(StateWriter& state) const override {
      state.Begin("GroupByReducer");
      state.Int(ended_);
      state.Int(static_cast<int64_t>(states_.size()));
      for (const auto& [key, values] : states_) {
        state.Int(key);
        state.Values(values);
      }
      return input_->Save(state);
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("GroupByReducer"));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      ended_ = ended != 0;
      HR_ASSIGN_OR_RETURN(const int64_t keys, state.IntIn(0, int64_t{1} << 62));
      for (int64_t i = 0; i < keys; ++i) {
        HR_ASSIGN_OR_RETURN(const int64_t key, state.Int());
        HR_ASSIGN_OR_RETURN(states_[key], state.Values());
      }
      return input_->Restore(ctx, state);
    }

   private:
    Status ReduceAll(const IterationContext& ctx) {
      const Functions& f = dataset().functions_;
      const FunctionCall key_of = f.key.Open(ctx), init = f.init.Open(ctx),
                         reduce = f.reduce.Open(ctx);
      for (Element element;;) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, element));
        if (!more) break;
        HR_ASSIGN_OR_RETURN(const Element keys, key_of(ctx, element));
        HR_ASSIGN_OR_RETURN(const int64_t key, NumberResult(keys, "key_func"));
        auto state = states_.find(key);
        if (state == states_.end()) {
          HR_ASSIGN_OR_RETURN(Element first, init(ctx, {Tensor::Scalar(key)}));
          state = states_.emplace(key, std::move(first)).first;
        }
        Element arguments = state->second;
        arguments.insert(arguments.end(), element.begin(), element.end());
        HR_ASSIGN_OR_RETURN(state->second, reduce(ctx, std::move(arguments)));
      }
      ended_ = true;
      return absl::OkStatus();
    }

    bool ended_ = false;
    std::map<int64_t, Element> states_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, GroupByReducerDataset>(ctx, std::move(place));
  }

  const Functions functions_;
};

StatusOr<DatasetPtr> MakeGroupByWindow(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_RETURN_IF_ERROR(f[0].CheckArguments(input->types()));
  HR_RETURN_IF_ERROR(f[0].CheckResults({DType::kInt64}));
  HR_RETURN_IF_ERROR(f[1].CheckArguments({DType::kInt64, DType::kVariant}));
  HR_RETURN_IF_ERROR(f[1].CheckResults({DType::kVariant}));
  HR_RETURN_IF_ERROR(f[2].CheckArguments({DType::kInt64}));
  HR_RETURN_IF_ERROR(f[2].CheckResults({DType::kInt64}));
  return std::make_shared<GroupByWindowDataset>(std::move(input), std::move(f[0]), std::move(f[1]),
                                                std::move(f[2]), StatedTypes(ctx),
                                                StatedShapes(ctx));
}

StatusOr<DatasetPtr> MakeGroupByReducer(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_RETURN_IF_ERROR(f[0].CheckArguments(input->types()));
  HR_RETURN_IF_ERROR(f[0].CheckResults({DType::kInt64}));
  HR_RETURN_IF_ERROR(f[1].CheckArguments({DType::kInt64}));
  const std::vector<DType>& state = f[1].result_types();
  HR_RETURN_IF_ERROR(f[2].CheckArguments(Joined(state, input->types())));
  HR_RETURN_IF_ERROR(f[2].CheckResults(state));
  HR_RETURN_IF_ERROR(f[3].CheckArguments(state));
  HR_RETURN_IF_ERROR(f[3].CheckResults(StatedTypes(ctx)));
  return std::make_shared<GroupByReducerDataset>(
      std::move(input),
      GroupByReducerDataset::Functions{std::move(f[0]), std::move(f[1]), std::move(f[2]),
                                       std::move(f[3])},
      StatedTypes(ctx), StatedShapes(ctx));
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeGroupByWindowDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeGroupByWindow>(
      init, {{"key_func", "key_func_other_arguments"},
             {"reduce_func", "reduce_func_other_arguments"},
             {"window_size_func", "window_size_func_other_arguments"}});
}
StatusOr<std::unique_ptr<Kernel>> MakeGroupByReducerDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeGroupByReducer>(
      init, {{"key_func", "key_func_other_arguments"},
             {"init_func", "init_func_other_arguments"},
             {"reduce_func", "reduce_func_other_arguments"},
             {"finalize_func", "finalize_func_other_arguments"}});
}

}  // namespace headrace

// FlatMapDataset, InterleaveDataset, ParallelInterleaveDataset and its V2.
#include <algorithm>
#include <thread>

#include "headrace/ops/dataset/dataset_function.h"
#include "headrace/ops/dataset/function_dataset_kernels.h"
#include "headrace/ops/dataset/prefetch_dataset.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

constexpr int64_t kAuto = -1;
// Iterators that are open at once: each may be a file, and ahead of the program a thread.
constexpr int64_t kMostOpen = 4096;
constexpr int64_t kMostCount = int64_t{1} << 62;

struct InterleaveOptions {
  int64_t cycle_length = 1;
  int64_t block_length = 1;
  int64_t ahead = 0;  // elements that a thread keeps ready for each open dataset; 0: none
  // ParallelInterleaveDataset opens the whole cycle at its begin, and the next dataset when one is
  // exhausted; where there is none, the block goes on in the next one of the cycle.
  bool opens_early = false;
};

// Takes turns between `cycle_length` datasets that a function makes of elements: a block of each. An exhausted one
// gives its place to the next when the turn comes round.
class InterleaveDataset final : public UnaryDataset {
 public:
  InterleaveDataset(std::string_view name, DatasetPtr input, DatasetFunction f,
                    std::vector<DType> types, std::vector<PartialShape> shapes,
                    InterleaveOptions options)
      : UnaryDataset(std::move(input), std::move(types), std::move(shapes)),
        name_(name),
        f_(std::move(f)),
        options_(options) {}
  std::string_view name() const override { return name_; }

 private:
  class Position final : public UnaryIterator<InterleaveDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      Prepare(ctx);
      if (dataset().options_.opens_early && !filled_) HR_RETURN_IF_ERROR(OpenCycle(ctx));
      while (!ended_ || open_ > 0) {
        HR_RETURN_IF_ERROR(ctx.CheckCancelled());
        Turn& turn = turns_[at_];
        if (turn.iterator != nullptr) {
          HR_ASSIGN_OR_RETURN(const bool more, turn.iterator->Next(ctx, element));
          if (more) {
            if (++in_block_ == dataset().options_.block_length) Advance();
            return true;
          }
          HR_RETURN_IF_ERROR(Close(ctx, turn));
        } else if (!ended_) {
          HR_RETURN_IF_ERROR(OpenNext(ctx, turn));
        } else {
          Skip();
        }
      }
      return false;
    }
    Status Save(StateWriter& state) const override {
      state.Begin(dataset().name_);
      for (const int64_t value : {int64_t{ended_}, static_cast<int64_t>(at_), in_block_, opened_})
        state.Int(value);
      HR_RETURN_IF_ERROR(input_->Save(state));
      state.Int(static_cast<int64_t>(turns_.size()));
      for (const Turn& turn : turns_) {
        state.Int(turn.iterator == nullptr ? -1 : turn.number);
        if (turn.iterator == nullptr) continue;
        state.Values(turn.arguments);
        HR_RETURN_IF_ERROR(turn.iterator->Save(state));
      }
      return absl::OkStatus();
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      Prepare(ctx);
      const InterleaveOptions& options = dataset().options_;
      HR_RETURN_IF_ERROR(state.Begin(dataset().name_));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      HR_ASSIGN_OR_RETURN(const int64_t at, state.IntIn(0, options.cycle_length - 1));
      HR_ASSIGN_OR_RETURN(in_block_, state.IntIn(0, options.block_length));
      HR_ASSIGN_OR_RETURN(const int64_t opened, state.IntIn(0, kMostCount));
      ended_ = ended != 0;
      at_ = static_cast<size_t>(at);
      HR_RETURN_IF_ERROR(input_->Restore(ctx, state));
      HR_ASSIGN_OR_RETURN(const int64_t turns, state.IntIn(0, options.cycle_length));
      for (int64_t i = 0; i < turns; ++i) {
        HR_ASSIGN_OR_RETURN(opened_, state.IntIn(-1, kMostCount));
        if (opened_ < 0) continue;
        Turn& turn = turns_[static_cast<size_t>(i)];
        HR_ASSIGN_OR_RETURN(turn.arguments, state.Values());
        HR_RETURN_IF_ERROR(Open(ctx, turn));
        HR_RETURN_IF_ERROR(turn.iterator->Restore(ctx, state));
      }
      opened_ = opened;
      filled_ = true;
      return absl::OkStatus();
    }

   private:
    struct Turn {
      Element arguments;  // what its dataset was made of
      std::unique_ptr<Iterator> iterator;
      int64_t number = 0;
    };

    void Prepare(const IterationContext& ctx) {
      if (!turns_.empty()) return;
      call_ = dataset().f_.Open(ctx);
      turns_.resize(static_cast<size_t>(dataset().options_.cycle_length));
    }

    Status OpenCycle(const IterationContext& ctx) {
      while (!ended_ && open_ < dataset().options_.cycle_length)
        HR_RETURN_IF_ERROR(OpenNext(ctx, turns_[static_cast<size_t>(open_)]));
      filled_ = true;
      return absl::OkStatus();
    }

    // For the next element of the input, if there is one.
    Status OpenNext(const IterationContext& ctx, Turn& turn) {
      HR_ASSIGN_OR_RETURN(const bool more, input_->Next(ctx, turn.arguments));
      ended_ = !more;
      return more ? Open(ctx, turn) : absl::OkStatus();
    }

    Status Close(const IterationContext& ctx, Turn& turn) {
      turn = {};
      --open_;
      const bool early = dataset().options_.opens_early;
      if (early && !ended_) HR_RETURN_IF_ERROR(OpenNext(ctx, turn));
      if (early && turn.iterator == nullptr) {
        Skip();
      } else {
        Advance();
      }
      return absl::OkStatus();
    }

    Status Open(const IterationContext& ctx, Turn& turn) {
      HR_ASSIGN_OR_RETURN(const Element results, call_(ctx, turn.arguments));
      HR_ASSIGN_OR_RETURN(DatasetPtr made, DatasetResult(results, "f"));
      HR_RETURN_IF_ERROR(CheckTypes(dataset().types(), made->types()));
      if (dataset().options_.ahead > 0)
        made = PrefetchedDataset(std::move(made), dataset().options_.ahead);
      turn.number = opened_++;
      HR_ASSIGN_OR_RETURN(turn.iterator,
                          made->Iterate(ctx, StrCat(place(), "[", turn.number, "]")));
      ++open_;
      return absl::OkStatus();
    }

    void Advance() {
      in_block_ = 0;
      at_ = (at_ + 1) % turns_.size();
    }
    void Skip() {
      if (!dataset().options_.opens_early) in_block_ = 0;
      at_ = (at_ + 1) % turns_.size();
    }

    FunctionCall call_;
    std::vector<Turn> turns_;
    bool ended_ = false;   // the input
    bool filled_ = false;  // the cycle was opened
    size_t at_ = 0;
    int64_t in_block_ = 0, open_ = 0, opened_ = 0;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, InterleaveDataset>(ctx, std::move(place));
  }

  const std::string_view name_;
  const DatasetFunction f_;
  const InterleaveOptions options_;
};

StatusOr<DatasetPtr> Make(KernelContext& ctx, DatasetFunction f, std::string_view name,
                          InterleaveOptions options) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_RETURN_IF_ERROR(f.CheckArguments(input->types()));
  HR_RETURN_IF_ERROR(f.CheckResults({DType::kVariant}));
  return std::make_shared<InterleaveDataset>(name, std::move(input), std::move(f), StatedTypes(ctx),
                                             StatedShapes(ctx), options);
}

StatusOr<InterleaveOptions> Lengths(KernelContext& ctx, int at) {
  InterleaveOptions options;
  HR_ASSIGN_OR_RETURN(options.cycle_length, ScalarInput<int64_t>(ctx, at, "cycle_length"));
  if (options.cycle_length == kAuto)
    options.cycle_length = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  if (options.cycle_length <= 0) return InvalidArgument("`cycle_length` must be > 0");
  if (options.cycle_length > kMostOpen)
    return InvalidArgument("`cycle_length` must be <= ", kMostOpen, ", got ", options.cycle_length);
  HR_ASSIGN_OR_RETURN(options.block_length, ScalarInput<int64_t>(ctx, at + 1, "block_length"));
  if (options.block_length <= 0) return InvalidArgument("`block_length` must be > 0");
  return options;
}

StatusOr<DatasetPtr> MakeFlatMap(KernelContext& ctx, std::vector<DatasetFunction> f) {
  return Make(ctx, std::move(f[0]), "FlatMap", {});
}

StatusOr<DatasetPtr> MakeInterleave(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_ASSIGN_OR_RETURN(const InterleaveOptions options, Lengths(ctx, ctx.num_inputs() - 2));
  return Make(ctx, std::move(f[0]), "Interleave", options);
}

// Both forms read ahead in every open dataset. The order is that of the form without `sloppy`, which
// is among those that it allows.
StatusOr<DatasetPtr> MakeParallelInterleave(KernelContext& ctx, std::vector<DatasetFunction> f) {
  const int lengths = InputsOf(ctx.node(), "cycle_length").begin;
  HR_ASSIGN_OR_RETURN(InterleaveOptions options, Lengths(ctx, lengths));
  if (ctx.node().op_name().ends_with("V2")) {
    HR_ASSIGN_OR_RETURN(const int64_t calls,
                        ScalarInput<int64_t>(ctx, lengths + 2, "num_parallel_calls"));
    if (calls <= 0 && calls != kAuto)
      return InvalidArgument("num_parallel_calls must be greater than zero.");
    options.ahead = std::max<int64_t>(2 * options.block_length, 2);
  } else {
    options.opens_early = true;
    HR_ASSIGN_OR_RETURN(options.ahead,
                        ScalarInput<int64_t>(ctx, lengths + 3, "buffer_output_elements"));
    if (options.ahead <= 0) return InvalidArgument("`buffer_output_elements` must be > 0");
    HR_ASSIGN_OR_RETURN(const int64_t inputs,
                        ScalarInput<int64_t>(ctx, lengths + 4, "prefetch_input_elements"));
    if (inputs < 0) return InvalidArgument("`prefetch_input_elements` must be >= 0");
  }
  return Make(ctx, std::move(f[0]), "ParallelInterleave", options);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeFlatMapDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeFlatMap>(init, {{"f", "other_arguments"}});
}
StatusOr<std::unique_ptr<Kernel>> MakeInterleaveDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeInterleave>(init, {{"f", "other_arguments"}});
}
StatusOr<std::unique_ptr<Kernel>> MakeParallelInterleaveDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeParallelInterleave>(init, {{"f", "other_arguments"}});
}

}  // namespace headrace

// ParallelMapDataset, MapAndBatchDataset.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "headrace/ops/dataset/background_thread.h"
#include "headrace/ops/dataset/batch_dataset.h"
#include "headrace/ops/dataset/dataset_function.h"
#include "headrace/ops/dataset/function_dataset_kernels.h"
#include "headrace/ops/dataset/map_results.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

constexpr int64_t kAuto = -1;
// More calls at once than this wait for each other rather than for anything else.
constexpr int64_t kMostCalls = 64;

class ParallelMapDataset final : public UnaryDataset {
 public:
  struct Options {
    int64_t calls = 1;
    bool keeps_order = true;
    bool keeps_count = false;
  };
  ParallelMapDataset(DatasetPtr input, DatasetFunction f, std::vector<DType> types,
                     std::vector<PartialShape> shapes, Options options)
      : UnaryDataset(std::move(input), std::move(types), std::move(shapes)),
        f_(std::move(f)),
        options_(options) {}
  std::string_view name() const override { return "ParallelMap"; }
  int64_t Cardinality() const override {
    return options_.keeps_count ? input().Cardinality() : kUnknownCount;
  }

 private:
  // Each thread takes the next element of the input, one at a time and in order, and then calls the function beside
  // the others. Calls stand in `calls_` in the order of the elements.
  class Position final : public UnaryIterator<ParallelMapDataset> {
   public:
    using UnaryIterator::UnaryIterator;
    ~Position() override {
      if (!threads_.empty() && !threads_[0]->runs_here()) {
        (void)input_.release();  // a forked child: locks may be held by nobody
      } else {
        {
          std::lock_guard lock(mutex_);
          ended_ = true;
        }
        changed_.notify_all();
      }
      threads_.clear();
    }

    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (threads_.empty()) {
        Start(ctx);
      } else if (!threads_[0]->runs_here()) {
        return absl::FailedPreconditionError(
            "an iterator that computes ahead does not work in a child of its process");
      }
      const auto wakes = ctx.cancellation->OnCancel([this] { WakeAll(); });
      StatusOr<bool> taken = Take(ctx, element);
      ctx.cancellation->Remove(wakes);
      return taken;
    }
    // No call starts while the state is written, and those that run are waited for.
    Status Save(StateWriter& state) const override {
      std::unique_lock lock(mutex_);
      paused_ = true;
      changed_.wait(lock, [this] {
        return !reading_ &&
               std::ranges::all_of(calls_, [](const auto& call) { return call->done; });
      });
      const Status saved = SaveLocked(state);
      paused_ = false;
      changed_.notify_all();
      return saved;
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("ParallelMap"));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      HR_ASSIGN_OR_RETURN(const int64_t count, state.IntIn(0, dataset().options_.calls));
      for (int64_t i = 0; i < count; ++i) {
        HR_ASSIGN_OR_RETURN(Element element, state.Values());
        calls_.push_back(std::make_shared<Call>(Call{.done = true, .results = std::move(element)}));
      }
      ended_ = ended != 0;
      return input_->Restore(ctx, state);
    }

   private:
    struct Call {
      bool done = false;
      StatusOr<Element> results;
    };

    void Start(const IterationContext& ctx) {
      call_ = dataset().f_.Open(ctx);
      for (int64_t i = 0; i < dataset().options_.calls; ++i) {
        threads_.push_back(std::make_unique<BackgroundThread>(
            [this, ctx](Cancellation& stop) { Work(ctx.With(stop), stop); }));
      }
    }

    void WakeAll() {
      std::lock_guard lock(mutex_);
      changed_.notify_all();
    }

    // The call whose results are next, or the end.
    std::deque<std::shared_ptr<Call>>::iterator Ready() {
      if (dataset().options_.keeps_order) {
        return !calls_.empty() && calls_.front()->done ? calls_.begin() : calls_.end();
      }
      return std::ranges::find_if(calls_, [](const auto& call) { return call->done; });
    }

    StatusOr<bool> Take(const IterationContext& ctx, Element& element) {
      std::unique_lock lock(mutex_);
      HR_RETURN_IF_ERROR(ctx.cancellation->Wait(lock, changed_, [this] {
        return Ready() != calls_.end() || (calls_.empty() && ended_ && !reading_);
      }));
      const auto ready = Ready();
      if (ready == calls_.end()) return false;
      const std::shared_ptr<Call> call = std::move(*ready);
      calls_.erase(ready);
      changed_.notify_all();
      lock.unlock();
      return TakeResults(std::move(call->results), dataset().options_.keeps_count, element);
    }

    // On each of the threads.
    void Work(const IterationContext& ctx, Cancellation& stop) {
      const auto wakes = stop.OnCancel([this] { WakeAll(); });
      std::unique_lock lock(mutex_);
      for (;;) {
        const Status turn = stop.Wait(lock, changed_, [this] {
          return ended_ || (!paused_ && !reading_ &&
                            calls_.size() < static_cast<size_t>(dataset().options_.calls));
        });
        if (!turn.ok() || ended_) break;
        CallNext(ctx, stop, lock);
      }
      lock.unlock();
      stop.Remove(wakes);
    }

    void CallNext(const IterationContext& ctx, Cancellation& stop,
                  std::unique_lock<std::mutex>& lock) {
      reading_ = true;
      lock.unlock();
      Element element;
      const StatusOr<bool> more = input_->Next(ctx, element);
      lock.lock();
      reading_ = false;
      const auto call = std::make_shared<Call>();
      if (more.ok() && !*more) {
        ended_ = true;
      } else if (!stop.cancelled()) {
        calls_.push_back(call);
        if (more.ok()) {
          changed_.notify_all();  // another may read
          lock.unlock();
          StatusOr<Element> results = call_(ctx, std::move(element));
          lock.lock();
          call->results = std::move(results);
        } else {
          call->results = more.status();
        }
        call->done = true;
      }
      changed_.notify_all();
    }

    Status SaveLocked(StateWriter& state) const {
      state.Begin("ParallelMap");
      state.Int(ended_);
      state.Int(static_cast<int64_t>(calls_.size()));
      for (const auto& call : calls_) {
        HR_RETURN_IF_ERROR(call->results.status());
        state.Values(*call->results);
      }
      return input_->Save(state);
    }

    FunctionCall call_;
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable bool paused_ = false;
    bool reading_ = false;  // a thread is in the input
    bool ended_ = false;
    std::deque<std::shared_ptr<Call>> calls_;
    std::vector<std::unique_ptr<BackgroundThread>> threads_;
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, ParallelMapDataset>(ctx, std::move(place));
  }

  const DatasetFunction f_;
  const Options options_;
};

StatusOr<int64_t> Calls(int64_t asked) {
  if (asked == kAuto)
    return std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, kMostCalls);
  if (asked <= 0) return InvalidArgument("num_parallel_calls must be greater than zero.");
  return std::min(asked, kMostCalls);
}

StatusOr<DatasetPtr> MakeParallelMap(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_RETURN_IF_ERROR(f[0].CheckArguments(input->types()));
  HR_RETURN_IF_ERROR(f[0].CheckResults(StatedTypes(ctx)));
  HR_ASSIGN_OR_RETURN(const int32_t asked,
                      ScalarInput<int32_t>(ctx, ctx.num_inputs() - 1, "num_parallel_calls"));
  HR_ASSIGN_OR_RETURN(const int64_t calls, Calls(asked));
  const AttrMap& attrs = ctx.node().attrs();
  return std::make_shared<ParallelMapDataset>(
      std::move(input), std::move(f[0]), StatedTypes(ctx), StatedShapes(ctx),
      ParallelMapDataset::Options{.calls = calls,
                                  .keeps_order = !attrs.Get<bool>("sloppy"),
                                  .keeps_count = attrs.Get<bool>("preserve_cardinality")});
}

// A map in parallel, and then a batch: what the op's stated shapes speak of.
StatusOr<DatasetPtr> MakeMapAndBatch(KernelContext& ctx, std::vector<DatasetFunction> f) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_RETURN_IF_ERROR(f[0].CheckArguments(input->types()));
  HR_RETURN_IF_ERROR(f[0].CheckResults(StatedTypes(ctx)));
  const int last = ctx.num_inputs() - 1;
  HR_ASSIGN_OR_RETURN(const int64_t size, ScalarInput<int64_t>(ctx, last - 2, "batch_size"));
  HR_ASSIGN_OR_RETURN(const int64_t asked,
                      ScalarInput<int64_t>(ctx, last - 1, "num_parallel_calls"));
  HR_ASSIGN_OR_RETURN(const bool drop_remainder, ScalarInput<bool>(ctx, last, "drop_remainder"));
  if (size <= 0) return InvalidArgument("batch_size must be greater than zero.");
  HR_ASSIGN_OR_RETURN(const int64_t calls, Calls(asked));
  std::vector<PartialShape> rows;
  for (const PartialShape& batch : StatedShapes(ctx)) {
    if (!batch.has_rank() || batch.rank() == 0) {
      rows.push_back(PartialShape());
      continue;
    }
    PartialShape row = PartialShape::OfRank(batch.rank() - 1);
    for (int d = 1; d < batch.rank(); ++d) row.set_dim(d - 1, batch.dim(d));
    rows.push_back(row);
  }
  return BatchedDataset(
      std::make_shared<ParallelMapDataset>(
          std::move(input), std::move(f[0]), StatedTypes(ctx), std::move(rows),
          ParallelMapDataset::Options{
              .calls = calls, .keeps_count = ctx.node().attrs().Get<bool>("preserve_cardinality")}),
      size, drop_remainder);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeParallelMapDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeParallelMap>(init, {{"f", "other_arguments"}});
}
StatusOr<std::unique_ptr<Kernel>> MakeMapAndBatchDatasetCpu(const KernelInit& init) {
  return MakeFunctionDatasetKernel<MakeMapAndBatch>(init, {{"f", "other_arguments"}});
}

}  // namespace headrace

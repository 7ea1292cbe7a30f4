// PrefetchDataset: a thread keeps up to buffer_size elements ready.
#include <condition_variable>
#include <deque>
#include <mutex>

#include "headrace/ops/dataset/background_thread.h"
#include "headrace/ops/dataset/dataset_kernels.h"
#include "headrace/ops/dataset/prefetch_dataset.h"
#include "headrace/ops/dataset/unary_dataset.h"

namespace headrace {
namespace {

constexpr int64_t kAuto = -1;
constexpr size_t kMostOfAuto = 8;  // elements that an automatic buffer grows to

class PrefetchDataset final : public UnaryDataset {
 public:
  PrefetchDataset(DatasetPtr input, int64_t buffer_size)
      : UnaryDataset(std::move(input)), buffer_size_(buffer_size) {}
  std::string_view name() const override { return "Prefetch"; }
  int64_t Cardinality() const override { return input().Cardinality(); }

 private:
  class Position final : public UnaryIterator<PrefetchDataset> {
   public:
    Position(std::shared_ptr<const PrefetchDataset> dataset, std::string place,
             std::unique_ptr<Iterator> input)
        : UnaryIterator(std::move(dataset), std::move(place), std::move(input)),
          limit_(this->dataset().buffer_size_ == kAuto
                     ? 1
                     : static_cast<size_t>(this->dataset().buffer_size_)) {}
    ~Position() override {
      if (thread_ != nullptr &&
          !thread_->runs_here()) {  // a forked child: locks may be held by nobody
        (void)input_.release();
      }
      thread_.reset();
    }

    StatusOr<bool> Next(const IterationContext& ctx, Element& element) override {
      if (limit_ == 0) return input_->Next(ctx, element);
      if (thread_ == nullptr) {
        thread_ = std::make_unique<BackgroundThread>(
            [this, ctx](Cancellation& stop) { Run(ctx.With(stop), stop); });
      } else if (!thread_->runs_here()) {
        return absl::FailedPreconditionError(
            "an iterator that reads ahead does not work in a child of its process");
      }
      const auto wakes = ctx.cancellation->OnCancel([this] { WakeAll(); });
      StatusOr<bool> taken = Take(ctx, element);
      ctx.cancellation->Remove(wakes);
      return taken;
    }
    // The thread stops between two elements while the state is written.
    Status Save(StateWriter& state) const override {
      std::unique_lock lock(mutex_);
      paused_ = true;
      changed_.wait(lock, [this] { return !in_input_; });
      const Status saved = SaveLocked(state);
      paused_ = false;
      changed_.notify_all();
      return saved;
    }
    Status Restore(const IterationContext& ctx, StateReader& state) override {
      HR_RETURN_IF_ERROR(state.Begin("Prefetch"));
      HR_ASSIGN_OR_RETURN(const int64_t ended, state.IntIn(0, 1));
      HR_ASSIGN_OR_RETURN(const int64_t count, state.IntIn(0, int64_t{1} << 62));
      for (int64_t i = 0; i < count; ++i) {
        HR_ASSIGN_OR_RETURN(Element element, state.Values());
        ready_.push_back({.element = std::move(element)});
      }
      ended_ = ended != 0;
      return input_->Restore(ctx, state);
    }

   private:
    struct Ready {
      Status status;
      Element element;
    };

    void WakeAll() {
      std::lock_guard lock(mutex_);
      changed_.notify_all();
    }

    StatusOr<bool> Take(const IterationContext& ctx, Element& element) {
      std::unique_lock lock(mutex_);
      if (ready_.empty() && !ended_ && this->dataset().buffer_size_ == kAuto) {
        limit_ = std::min(2 * limit_, kMostOfAuto);  // too few were ready
        changed_.notify_all();
      }
      HR_RETURN_IF_ERROR(
          ctx.cancellation->Wait(lock, changed_, [this] { return !ready_.empty() || ended_; }));
      if (ready_.empty()) return false;
      Ready first = std::move(ready_.front());
      ready_.pop_front();
      changed_.notify_all();
      HR_RETURN_IF_ERROR(first.status);
      element = std::move(first.element);
      return true;
    }

    // On the thread.
    void Run(const IterationContext& ctx, Cancellation& stop) {
      const auto wakes = stop.OnCancel([this] { WakeAll(); });
      std::unique_lock lock(mutex_);
      for (;;) {
        const Status room = stop.Wait(
            lock, changed_, [this] { return ended_ || (!paused_ && ready_.size() < limit_); });
        if (!room.ok() || ended_) break;
        in_input_ = true;
        lock.unlock();
        Ready next;
        const StatusOr<bool> more = input_->Next(ctx, next.element);
        lock.lock();
        in_input_ = false;
        next.status = more.status();
        if (more.ok() && !*more) {
          ended_ = true;
        } else if (more.ok() || !stop.cancelled()) {
          ready_.push_back(std::move(next));
        }
        changed_.notify_all();
      }
      lock.unlock();
      stop.Remove(wakes);
    }

    Status SaveLocked(StateWriter& state) const {
      state.Begin("Prefetch");
      state.Int(ended_);
      state.Int(static_cast<int64_t>(ready_.size()));
      for (const Ready& ready : ready_) {
        HR_RETURN_IF_ERROR(ready.status);
        state.Values(ready.element);
      }
      return input_->Save(state);
    }

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    mutable bool paused_ = false;
    bool in_input_ = false;
    bool ended_ = false;
    size_t limit_;
    std::deque<Ready> ready_;
    std::unique_ptr<BackgroundThread> thread_;  // the one user of input_ once it runs
  };
  StatusOr<std::unique_ptr<Iterator>> MakeIterator(const IterationContext& ctx,
                                                   std::string place) const override {
    return OverInput<Position, PrefetchDataset>(ctx, std::move(place));
  }

  const int64_t buffer_size_;
};

StatusOr<DatasetPtr> MakePrefetch(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(DatasetPtr input, DatasetInput(ctx, 0));
  HR_ASSIGN_OR_RETURN(const int64_t buffer_size, ScalarInput<int64_t>(ctx, 1, "buffer_size"));
  if (buffer_size < kAuto) {
    return InvalidArgument("buffer_size must be >= 0 or set buffer_size to be ", kAuto,
                           " for auto-tuning");
  }
  return std::make_shared<PrefetchDataset>(std::move(input), buffer_size);
}

}  // namespace

DatasetPtr PrefetchedDataset(DatasetPtr input, int64_t buffer_size) {
  return std::make_shared<PrefetchDataset>(std::move(input), buffer_size);
}

StatusOr<std::unique_ptr<Kernel>> MakePrefetchDatasetCpu(const KernelInit& init) {
  return MakeDatasetKernel<MakePrefetch>(init);
}

}  // namespace headrace

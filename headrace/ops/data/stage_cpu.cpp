#include <algorithm>
#include <deque>

#include "headrace/base/strings.h"
#include "headrace/ops/data/kept_value.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/data/stage_kernels.h"
#include "headrace/ops/data/waiting_calls.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

using Element = std::vector<Tensor>;

// Thread-safe; held by shared_ptr.
class StagingArea final : public Resource, public std::enable_shared_from_this<StagingArea> {
 public:
  StagingArea(std::string name, int64_t capacity, int64_t memory_limit)
      : name_(std::move(name)), capacity_(capacity), memory_limit_(memory_limit) {}

  std::string_view kind() const override { return "staging area"; }
  int64_t memory_bytes() const override {
    std::lock_guard lock(mutex_);
    return bytes_;
  }
  int64_t capacity() const { return capacity_; }
  int64_t memory_limit() const { return memory_limit_; }
  const std::string& name() const { return name_; }

  void Put(Element element, Cancellation& step, std::function<void(Status)> done) {
    if (memory_limit_ > 0 && BytesOf(element) > memory_limit_) {
      return done(absl::ResourceExhaustedError(
          StrCat("Attempted to insert tensors with combined size of '", BytesOf(element),
                 "' bytes into Staging Area with a memory limit of '", memory_limit_, "'.")));
    }
    auto call = std::make_shared<Call>(/*is_put=*/true);
    call->element = std::move(element);
    call->done = std::move(done);
    Start(std::move(call), step);
  }
  // The element at `index`, which stays if `peek`.
  void Take(int64_t index, bool peek, Cancellation& step,
            std::function<void(StatusOr<Element>)> done) {
    auto call = std::make_shared<Call>(/*is_put=*/false);
    call->index = index;
    call->peek = peek;
    // The call lives while it ends.
    call->done = [taken = call.get(), done = std::move(done)](Status status) {
      if (status.ok()) {
        done(std::move(taken->element));
      } else {
        done(std::move(status));
      }
    };
    Start(std::move(call), step);
  }
  int64_t size() const {
    std::lock_guard lock(mutex_);
    return static_cast<int64_t>(elements_.size());
  }
  void Clear() {
    std::deque<Element> cleared;  // destroyed without the lock
    EndedCalls ended;
    std::lock_guard lock(mutex_);
    cleared.swap(elements_);
    bytes_ = 0;
    Serve(ended);
  }

 private:
  struct Call final : WaitingCall {
    explicit Call(bool put) : is_put(put) {}
    const bool is_put;
    Element element;  // to put, or taken
    int64_t index = 0;
    bool peek = false;
  };

  static int64_t BytesOf(const Element& element) {
    int64_t bytes = 0;
    for (const Tensor& tensor : element) bytes += static_cast<int64_t>(tensor.size_bytes());
    return bytes;
  }

  void Start(std::shared_ptr<Call> call, Cancellation& step) {
    call->cancellation = &step;
    EndedCalls ended;
    std::lock_guard lock(mutex_);
    (call->is_put ? puts_ : takes_).push_back(call);
    if (step.cancelled()) return Cancel(call, ended);
    Serve(ended);
    if (call->ended) return;
    const auto registered = step.OnCancel([self = shared_from_this(), call] {
      EndedCalls cancelled;
      std::lock_guard relock(self->mutex_);
      if (!call->ended) self->Cancel(call, cancelled);
    });
    if (!registered) Cancel(call, ended);
  }

  // REQUIRES of all below: mutex_ is held.
  void Cancel(const std::shared_ptr<Call>& call, EndedCalls& ended) {
    std::erase(call->is_put ? puts_ : takes_, call);
    ended.Add(call,
              CancelledCall(*call->cancellation, call->is_put ? "Stage operation was cancelled"
                                                              : "Unstage operation was cancelled"));
    Serve(ended);
  }

  void Serve(EndedCalls& ended) {
    for (bool changed = true; changed;) {
      changed = false;
      while (!puts_.empty() && HasRoom(*puts_.front())) {
        bytes_ += BytesOf(puts_.front()->element);
        elements_.push_back(std::move(puts_.front()->element));
        ended.Add(std::move(puts_.front()), absl::OkStatus());
        puts_.pop_front();
        changed = true;
      }
      for (auto it = takes_.begin(); it != takes_.end();) {
        Call& call = **it;
        if (call.index >= static_cast<int64_t>(elements_.size())) {
          ++it;
          continue;
        }
        if (call.peek) {
          call.element = elements_[static_cast<size_t>(call.index)];
        } else {
          call.element = std::move(elements_.front());
          elements_.pop_front();
          bytes_ -= BytesOf(call.element);
        }
        ended.Add(std::move(*it), absl::OkStatus());
        it = takes_.erase(it);
        changed = true;
      }
    }
  }

  bool HasRoom(const Call& put) const {
    if (capacity_ > 0 && static_cast<int64_t>(elements_.size()) >= capacity_) return false;
    return memory_limit_ <= 0 || bytes_ + BytesOf(put.element) <= memory_limit_;
  }

  const std::string name_;
  const int64_t capacity_, memory_limit_;
  mutable std::mutex mutex_;
  std::deque<Element> elements_;
  int64_t bytes_ = 0;
  std::deque<std::shared_ptr<Call>> puts_, takes_;
};

StatusOr<std::shared_ptr<StagingArea>> AreaOf(const KernelInit& init) {
  const int64_t capacity = init.Attr<int64_t>("capacity"),
                limit = init.Attr<int64_t>("memory_limit");
  HR_ASSIGN_OR_RETURN(std::shared_ptr<StagingArea> area,
                      FindOrMake<StagingArea>(
                          init, [&](std::string name) -> StatusOr<std::shared_ptr<StagingArea>> {
                            return std::make_shared<StagingArea>(std::move(name), capacity, limit);
                          }));
  if (area->capacity() == capacity && area->memory_limit() == limit) return area;
  return InvalidArgument("staging area '", area->name(), "' exists with capacity ",
                         area->capacity(), " and memory_limit ", area->memory_limit(),
                         ", this node says ", capacity, " and ", limit);
}

class StageKernel final : public AsyncKernel {
 public:
  explicit StageKernel(std::shared_ptr<StagingArea> area) : area_(std::move(area)) {}
  void ComputeAsync(KernelContext& ctx, Done done) override {
    Element element;
    for (int i = 0; i < ctx.num_inputs(); ++i) element.push_back(KeptValue(ctx.input(i)));
    area_->Put(std::move(element), *ctx.step().cancellation, std::move(done));
  }

 private:
  const std::shared_ptr<StagingArea> area_;
};

class UnstageKernel final : public AsyncKernel {
 public:
  UnstageKernel(std::shared_ptr<StagingArea> area, bool peek)
      : area_(std::move(area)), peek_(peek) {}
  void ComputeAsync(KernelContext& ctx, Done done) override {
    int64_t index = 0;
    if (peek_) {
      if (ctx.input(0).num_elements() != 1) return done(InvalidArgument("index must be a scalar"));
      index = *ctx.input(0).data<int32_t>();
      if (index < 0) return done(InvalidArgument("index must be >= 0, got ", index));
    }
    area_->Take(index, peek_, *ctx.step().cancellation,
                [&ctx, done = std::move(done)](StatusOr<Element> taken) {
                  done(taken.ok() ? Give(ctx, *std::move(taken)) : taken.status());
                });
  }

 private:
  static Status Give(KernelContext& ctx, Element element) {
    const int wanted = ctx.node().num_outputs();
    if (static_cast<int>(element.size()) != wanted) {
      return InvalidArgument("Mismatch stage/unstage: ", element.size(), " vs. ", wanted);
    }
    for (int i = 0; i < wanted; ++i) {
      Tensor& tensor = element[static_cast<size_t>(i)];
      if (tensor.dtype() != ctx.output_type(i)) {
        return InvalidArgument("component ", i, " has type ", CppTypeName(tensor.dtype()),
                               ", this node gives ", CppTypeName(ctx.output_type(i)));
      }
      ctx.SetOutput(i, std::move(tensor));
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<StagingArea> area_;
  const bool peek_;
};

class SizeKernel final : public Kernel {
 public:
  explicit SizeKernel(std::shared_ptr<StagingArea> area) : area_(std::move(area)) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
    *out->data<int32_t>() = static_cast<int32_t>(area_->size());
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<StagingArea> area_;
};

class ClearKernel final : public AsyncKernel {
 public:
  explicit ClearKernel(std::shared_ptr<StagingArea> area) : area_(std::move(area)) {}
  void ComputeAsync(KernelContext&, Done done) override {
    area_->Clear();
    done(absl::OkStatus());
  }

 private:
  const std::shared_ptr<StagingArea> area_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeStageCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<StagingArea> area, AreaOf(init));
  return std::make_unique<StageKernel>(std::move(area));
}
StatusOr<std::unique_ptr<Kernel>> MakeUnstageCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<StagingArea> area, AreaOf(init));
  return std::make_unique<UnstageKernel>(std::move(area), init.node().op_name() == "StagePeek");
}
StatusOr<std::unique_ptr<Kernel>> MakeStageSizeCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<StagingArea> area, AreaOf(init));
  return std::make_unique<SizeKernel>(std::move(area));
}
StatusOr<std::unique_ptr<Kernel>> MakeStageClearCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<StagingArea> area, AreaOf(init));
  return std::make_unique<ClearKernel>(std::move(area));
}

}  // namespace headrace

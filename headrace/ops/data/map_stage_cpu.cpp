#include <algorithm>
#include <deque>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/ops/data/kept_value.h"
#include "headrace/ops/data/map_stage_kernels.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/data/waiting_calls.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

// Components; what is not there is no tensor.
using Element = std::vector<Tensor>;

int64_t BytesOf(const Element& element) {
  int64_t bytes = 0;
  for (const Tensor& tensor : element) {
    if (tensor.valid()) bytes += static_cast<int64_t>(tensor.size_bytes());
  }
  return bytes;
}

struct MapAreaOptions {
  int64_t capacity = 0, memory_limit = 0;
};

// Thread-safe; held by shared_ptr.
class MapStagingArea final : public Resource, public std::enable_shared_from_this<MapStagingArea> {
 public:
  MapStagingArea(std::string name, MapAreaOptions options)
      : name_(std::move(name)), options_(options) {}

  std::string_view kind() const override { return "staging map"; }
  int64_t memory_bytes() const override {
    std::lock_guard lock(mutex_);
    return bytes_;
  }
  const MapAreaOptions& options() const { return options_; }
  const std::string& name() const { return name_; }

  struct Call final : WaitingCall {
    enum class Kind : uint8_t { kPut, kTake, kPeek };
    explicit Call(Kind call_kind) : kind(call_kind) {}
    const Kind kind;
    bool any_key = false;
    int64_t key = 0;
    std::vector<int32_t> indices;
    size_t components = 0;  // kPut: of a whole element
    Element element;        // to put, or taken; one for each index
  };

  void Start(std::shared_ptr<Call> call, Cancellation& step) {
    call->cancellation = &step;
    EndedCalls ended;
    std::lock_guard lock(mutex_);
    ListOf(*call).push_back(call);
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
  int64_t size(bool whole) const {
    std::lock_guard lock(mutex_);
    return static_cast<int64_t>((whole ? whole_ : parts_).size());
  }
  void Clear() {
    std::map<int64_t, Element> whole, parts;  // destroyed without the lock
    EndedCalls ended;
    std::lock_guard lock(mutex_);
    whole.swap(whole_);
    parts.swap(parts_);
    bytes_ = 0;
    Serve(ended);
  }

 private:
  using Calls = std::deque<std::shared_ptr<Call>>;

  // REQUIRES of all below: mutex_ is held.
  Calls& ListOf(const Call& call) { return call.kind == Call::Kind::kPut ? puts_ : takes_; }

  void Cancel(const std::shared_ptr<Call>& call, EndedCalls& ended) {
    std::erase(ListOf(*call), call);
    const bool put = call->kind == Call::Kind::kPut;
    ended.Add(call, CancelledCall(*call->cancellation, put ? "Stage operation was cancelled"
                                                           : "Unstage operation was cancelled"));
    Serve(ended);
  }

  void Serve(EndedCalls& ended) {
    while (ServeSome(puts_, ended) || ServeSome(takes_, ended)) {
    }
  }

  // Ends what can end; false if that is nothing.
  bool ServeSome(Calls& calls, EndedCalls& ended) {
    bool changed = false;
    for (auto it = calls.begin(); it != calls.end();) {
      Call& call = **it;
      Status result;
      if (!(call.kind == Call::Kind::kPut ? Put(call, result) : Take(call, result))) {
        ++it;
        continue;
      }
      ended.Add(std::move(*it), std::move(result));
      it = calls.erase(it);
      changed = true;
    }
    return changed;
  }

  // Each returns false if the call has to wait.

  bool Put(Call& call, Status& result) {
    const int64_t bytes = BytesOf(call.element);
    if (options_.memory_limit > 0 && bytes_ + bytes > options_.memory_limit) return false;
    const auto there = parts_.find(call.key);
    const size_t more = there == parts_.end() ? 0 : Count(there->second);
    const bool completes = more + call.element.size() == call.components;
    if (completes && options_.capacity > 0 &&
        static_cast<int64_t>(whole_.size()) >= options_.capacity) {
      return false;
    }
    Element element = there == parts_.end() ? Element(call.components) : there->second;
    for (size_t i = 0; i < call.indices.size(); ++i) {
      Tensor& component = element[static_cast<size_t>(call.indices[i])];
      if (component.valid()) {
        result = InvalidArgument("The tensor for index '", call.indices[i], "' for key '", call.key,
                                 "' was already initialized '", element.size(), "'.");
        return true;
      }
      component = call.element[i];
    }
    if (completes) {
      if (whole_.contains(call.key)) {
        result =
            InvalidArgument("key '", call.key, "' is in the staging map '", name_, "' already");
        return true;
      }
      if (there != parts_.end()) parts_.erase(there);
      whole_.emplace(call.key, std::move(element));
    } else {
      parts_[call.key] = std::move(element);
    }
    bytes_ += bytes;
    return true;
  }

  static size_t Count(const Element& element) {
    return static_cast<size_t>(std::ranges::count_if(element, &Tensor::valid));
  }

  bool Take(Call& call, Status& result) {
    const auto it = call.any_key ? whole_.begin() : whole_.find(call.key);
    if (it == whole_.end()) return false;
    call.key = it->first;
    Element& element = it->second;
    for (const int32_t index : call.indices) {
      if (index < 0 || static_cast<size_t>(index) >= element.size()) {
        result = InvalidArgument("Index '", index, "' for key '", call.key, "' was out of bounds '",
                                 element.size(), "'.");
        return true;
      }
      if (!element[static_cast<size_t>(index)].valid()) {
        result = InvalidArgument("Tensor at index '", index, "' for key '", call.key,
                                 "' has already been removed.");
        return true;
      }
    }
    for (const int32_t index : call.indices)
      call.element.push_back(element[static_cast<size_t>(index)]);
    if (call.kind == Call::Kind::kPeek) return true;
    bytes_ -= BytesOf(call.element);
    for (const int32_t index : call.indices) element[static_cast<size_t>(index)] = Tensor();
    if (Count(element) == 0) whole_.erase(it);
    return true;
  }

  const std::string name_;
  const MapAreaOptions options_;
  mutable std::mutex mutex_;
  std::map<int64_t, Element> whole_, parts_;
  int64_t bytes_ = 0;
  Calls puts_, takes_;
};

using Call = MapStagingArea::Call;

StatusOr<std::shared_ptr<MapStagingArea>> AreaOf(const KernelInit& init) {
  const MapAreaOptions asked{init.Attr<int64_t>("capacity"), init.Attr<int64_t>("memory_limit")};
  HR_ASSIGN_OR_RETURN(std::shared_ptr<MapStagingArea> area,
                      FindOrMake<MapStagingArea>(
                          init, [&](std::string name) -> StatusOr<std::shared_ptr<MapStagingArea>> {
                            return std::make_shared<MapStagingArea>(std::move(name), asked);
                          }));
  const MapAreaOptions& there = area->options();
  if (there.capacity == asked.capacity && there.memory_limit == asked.memory_limit) return area;
  return InvalidArgument("staging map '", area->name(), "' exists with capacity ", there.capacity,
                         " and memory_limit ", there.memory_limit, ", this node says ",
                         asked.capacity, " and ", asked.memory_limit);
}

Status SetIndices(const Tensor& indices, Call& call) {
  if (indices.rank() > 1) return InvalidArgument("indices must be a vector");
  const auto all = indices.flat<int32_t>();
  call.indices.assign(all.begin(), all.end());
  if (std::ranges::adjacent_find(call.indices, std::ranges::greater_equal()) == call.indices.end())
    return absl::OkStatus();
  return InvalidArgument("Indices are not strictly ordered");
}

Status SetKey(const Tensor& key, Call& call) {
  if (key.num_elements() != 1) return InvalidArgument("key must be a scalar");
  call.key = *key.data<int64_t>();
  return absl::OkStatus();
}

class StageKernel final : public AsyncKernel {
 public:
  StageKernel(std::shared_ptr<MapStagingArea> area, AttrValue::Types types)
      : area_(std::move(area)), types_(std::move(types)) {}

  void ComputeAsync(KernelContext& ctx, Done done) override {
    auto call = std::make_shared<Call>(Call::Kind::kPut);
    if (Status set = Set(ctx, *call); !set.ok()) return done(std::move(set));
    call->done = std::move(done);
    area_->Start(std::move(call), *ctx.step().cancellation);
  }

 private:
  Status Set(KernelContext& ctx, Call& call) const {
    HR_RETURN_IF_ERROR(SetKey(ctx.input(0), call));
    HR_RETURN_IF_ERROR(SetIndices(ctx.input(1), call));
    call.components = types_.size();
    if (static_cast<int>(call.indices.size()) + 2 != ctx.num_inputs())
      return InvalidArgument("Number of indices ", call.indices.size(),
                             " doesn't match number of values ", ctx.num_inputs() - 2);
    for (size_t i = 0; i < call.indices.size(); ++i) {
      const auto index = static_cast<size_t>(call.indices[i]);
      const Tensor& value = ctx.input(static_cast<int>(i) + 2);
      if (index >= types_.size())
        return InvalidArgument("Index '", call.indices[i], "' for key '", call.key,
                               "' was out of bounds '", types_.size(), "'.");
      if (value.dtype() != types_[index])
        return InvalidArgument("component ", index, " has type ", CppTypeName(value.dtype()),
                               ", the area holds ", CppTypeName(types_[index]));
      call.element.push_back(KeptValue(value));
    }
    const int64_t limit = area_->options().memory_limit, bytes = BytesOf(call.element);
    if (limit > 0 && bytes > limit)
      return absl::ResourceExhaustedError(
          StrCat("Attempted to insert tensors with combined size of '", bytes,
                 "' bytes into Staging Area with a memory limit of '", limit, "'."));
    return absl::OkStatus();
  }

  const std::shared_ptr<MapStagingArea> area_;
  const AttrValue::Types types_;
};

class UnstageKernel final : public AsyncKernel {
 public:
  UnstageKernel(std::shared_ptr<MapStagingArea> area, bool any_key, bool peek)
      : area_(std::move(area)), any_key_(any_key), peek_(peek) {}

  void ComputeAsync(KernelContext& ctx, Done done) override {
    auto call = std::make_shared<Call>(peek_ ? Call::Kind::kPeek : Call::Kind::kTake);
    call->any_key = any_key_;
    Status set = any_key_ ? absl::OkStatus() : SetKey(ctx.input(0), *call);
    if (set.ok()) set = SetIndices(ctx.input(any_key_ ? 0 : 1), *call);
    if (!set.ok()) return done(std::move(set));
    // The call lives while it ends.
    call->done = [this, &ctx, taken = call.get(), done = std::move(done)](Status status) {
      done(status.ok() ? Give(ctx, *taken) : std::move(status));
    };
    area_->Start(std::move(call), *ctx.step().cancellation);
  }

 private:
  Status Give(KernelContext& ctx, Call& taken) const {
    int at = 0;
    if (any_key_) ctx.SetOutput(at++, Tensor::Scalar(taken.key));
    const int wanted = ctx.node().num_outputs() - at;
    if (static_cast<int>(taken.element.size()) != wanted)
      return InvalidArgument("output/indices size mismatch: ", wanted, " vs. ",
                             taken.element.size());
    for (Tensor& tensor : taken.element) {
      if (tensor.dtype() != ctx.output_type(at))
        return InvalidArgument("output ", at, " has type ", CppTypeName(tensor.dtype()),
                               ", this node gives ", CppTypeName(ctx.output_type(at)));
      ctx.SetOutput(at++, std::move(tensor));
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<MapStagingArea> area_;
  const bool any_key_, peek_;
};

class SizeKernel final : public Kernel {
 public:
  SizeKernel(std::shared_ptr<MapStagingArea> area, bool whole)
      : area_(std::move(area)), whole_(whole) {}
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
    *out->data<int32_t>() = static_cast<int32_t>(area_->size(whole_));
    return absl::OkStatus();
  }

 private:
  const std::shared_ptr<MapStagingArea> area_;
  const bool whole_;
};

class ClearKernel final : public AsyncKernel {
 public:
  explicit ClearKernel(std::shared_ptr<MapStagingArea> area) : area_(std::move(area)) {}
  void ComputeAsync(KernelContext&, Done done) override {
    area_->Clear();
    done(absl::OkStatus());
  }

 private:
  const std::shared_ptr<MapStagingArea> area_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMapStageCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(auto area, AreaOf(init));
  return std::make_unique<StageKernel>(std::move(area), init.Attr<AttrValue::Types>("dtypes"));
}
StatusOr<std::unique_ptr<Kernel>> MakeMapUnstageCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(auto area, AreaOf(init));
  const std::string_view op = init.node().op_name();
  return std::make_unique<UnstageKernel>(std::move(area), op.ends_with("NoKey"),
                                         op.ends_with("Peek"));
}
StatusOr<std::unique_ptr<Kernel>> MakeMapSizeCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(auto area, AreaOf(init));
  return std::make_unique<SizeKernel>(std::move(area), /*whole=*/true);
}
StatusOr<std::unique_ptr<Kernel>> MakeMapIncompleteSizeCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(auto area, AreaOf(init));
  return std::make_unique<SizeKernel>(std::move(area), /*whole=*/false);
}
StatusOr<std::unique_ptr<Kernel>> MakeMapClearCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(auto area, AreaOf(init));
  return std::make_unique<ClearKernel>(std::move(area));
}

}  // namespace headrace

#include <limits>
#include <map>

#include "headrace/base/strings.h"
#include "headrace/ops/data/barrier_kernels.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/data/queue_resource.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

// Elements that lack components, by key; whole ones are in a queue, sorted by when their key came.
// Thread-safe.
class BarrierResource final : public Resource {
 public:
  BarrierResource(std::string name, std::vector<DType> types, std::vector<PartialShape> shapes)
      : name_(std::move(name)),
        types_(std::move(types)),
        shapes_(std::move(shapes)),
        ready_(std::make_shared<Queue>(ReadyOptions(), MakePriorityOrder())) {}

  std::string_view kind() const override { return "barrier"; }
  const std::string& name() const { return name_; }
  const std::vector<DType>& types() const { return types_; }
  const std::vector<PartialShape>& shapes() const { return shapes_; }
  Queue& ready() const { return *ready_; }
  int64_t incomplete_size() const {
    std::lock_guard lock(mutex_);
    return static_cast<int64_t>(parts_.size());
  }

  // Row i of `values` is component `component` of the element of key i; all of them or none.
  Status Insert(size_t component, const Tensor& keys, const Tensor& values, Cancellation& step) {
    std::vector<QueueElement> whole;
    bool ends = false;
    {
      std::lock_guard lock(mutex_);
      HR_RETURN_IF_ERROR(CheckInsert(component, keys));
      bool new_keys = false;
      for (int64_t i = 0; i < keys.num_elements(); ++i) {
        const std::string& key = keys.data<std::string>()[i];
        auto [it, is_new] = parts_.try_emplace(key);
        if (is_new) it->second = {.index = next_index_, .components = QueueElement(types_.size())};
        new_keys |= is_new;
        Part& part = it->second;
        const Tensor row = values.SliceDim0(i, i + 1);
        part.components[component] = row.Reshaped(Shape(values.shape().dims().subspan(1))).Clone();
        if (++part.present == types_.size()) {
          QueueElement element{Tensor::Scalar(part.index), Tensor::Scalar(key)};
          std::ranges::move(part.components, std::back_inserter(element));
          whole.push_back(std::move(element));
          parts_.erase(it);
        }
      }
      if (new_keys) ++next_index_;
      ends = closed_ && parts_.empty();
    }
    if (!whole.empty()) ready_->Enqueue(std::move(whole), step, [](Status) {});
    if (ends) EndQueue(step);
    return absl::OkStatus();
  }

  Status Close(bool drop_incomplete, Cancellation& step) {
    std::map<std::string, Part> dropped;  // destroyed without the lock
    bool ends = false;
    {
      std::lock_guard lock(mutex_);
      if (closed_ && (dropped_ || !drop_incomplete))
        return absl::CancelledError(StrCat("Barrier '", name_, "' is already closed."));
      closed_ = true;
      if (drop_incomplete) {
        dropped_ = true;
        dropped.swap(parts_);
      }
      ends = parts_.empty();
    }
    if (ends) EndQueue(step);
    return absl::OkStatus();
  }

 private:
  struct Part {
    int64_t index = 0;
    size_t present = 0;
    QueueElement components;
  };

  QueueOptions ReadyOptions() const {
    QueueOptions options{.op = "PriorityQueue", .name = name_};
    options.types = {DType::kInt64, DType::kString};
    options.types.insert(options.types.end(), types_.begin(), types_.end());
    return options;
  }

  // Nothing more can become whole. A second time is no error here.
  void EndQueue(Cancellation& step) {
    ready_->Close(/*cancel_pending=*/false, step, [](Status) {});
  }

  // REQUIRES: mutex_ is held.
  Status CheckInsert(size_t component, const Tensor& keys) const {
    for (const std::string& key : keys.flat<std::string>()) {
      const auto it = parts_.find(key);
      if (it == parts_.end() && closed_)
        return absl::CancelledError(
            StrCat("Barrier ", name_, " is closed, but attempted to insert a brand new key: ", key,
                   ".  Pending enqueues cancelled: ", dropped_ ? 1 : 0,
                   ".  Number of incomplete keys: ", parts_.size(), "."));
      if (it != parts_.end() && it->second.components[component].valid())
        return InvalidArgument("Key ", key, " already has a value for component ", component,
                               " in barrier ", name_);
    }
    std::vector<std::string> sorted(keys.flat<std::string>().begin(),
                                    keys.flat<std::string>().end());
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice == sorted.end()) return absl::OkStatus();
    return InvalidArgument("Key ", *twice, " already has a value for component ", component,
                           " in barrier ", name_);
  }

  const std::string name_;
  const std::vector<DType> types_;
  const std::vector<PartialShape> shapes_;
  const std::shared_ptr<Queue> ready_;
  mutable std::mutex mutex_;
  std::map<std::string, Part> parts_;
  int64_t next_index_ = std::numeric_limits<int64_t>::min();
  bool closed_ = false, dropped_ = false;
};

StatusOr<std::shared_ptr<BarrierResource>> BarrierInput(KernelContext& ctx) {
  return ResourceInput<BarrierResource>(ctx, 0, "a barrier");
}

class InsertKernel final : public AsyncKernel {
 public:
  explicit InsertKernel(int64_t component) : component_(component) {}
  void ComputeAsync(KernelContext& ctx, Done done) override { done(Insert(ctx)); }

 private:
  Status Insert(KernelContext& ctx) const {
    HR_ASSIGN_OR_RETURN(const auto barrier, BarrierInput(ctx));
    const auto components = static_cast<int64_t>(barrier->types().size());
    if (component_ < 0 || component_ >= components)
      return InvalidArgument("The component ID is out of range ", component_,
                             " > num_components (= ", components, ")");
    const auto component = static_cast<size_t>(component_);
    const Tensor &keys = ctx.input(1), &values = ctx.input(2);
    const DType type = barrier->types()[component];
    if (values.dtype() != type)
      return InvalidArgument("Signature mismatch, have: string_ref, string, ",
                             CppTypeName(values.dtype()), "-> expected: string_ref, string, ",
                             CppTypeName(type), "->");
    if (keys.rank() != 1 || values.rank() == 0 || values.dim(0) != keys.dim(0))
      return InvalidArgument("values must have one row for each key: keys have shape ",
                             keys.shape().ToString(), ", values ", values.shape().ToString());
    const PartialShape row(values.shape().dims().subspan(1)),
        &wanted = barrier->shapes()[component];
    if (!wanted.IsCompatibleWith(row))
      return InvalidArgument("Shape mismatch in tuple component ", component, ". Expected ",
                             wanted.ToString(), ", got ", row.ToString());
    return barrier->Insert(component, keys, values, *ctx.step().cancellation);
  }

  const int64_t component_;
};

class TakeKernel final : public AsyncKernel {
 public:
  explicit TakeKernel(bool allow_small) : allow_small_(allow_small) {}

  void ComputeAsync(KernelContext& ctx, Done done) override {
    auto barrier = BarrierInput(ctx);
    if (!barrier.ok()) return done(barrier.status());
    const Tensor& n = ctx.input(1);
    if (n.num_elements() != 1) return done(InvalidArgument("num_elements must be a scalar"));
    const int64_t count = *n.data<int32_t>();
    if (count < 0) return done(InvalidArgument("num_elements must be >= 0, got ", count));
    const auto rest = allow_small_ ? Queue::Rest::kIsEnough : Queue::Rest::kIsError;
    (*barrier)->ready().Dequeue(
        count, rest, *ctx.step().cancellation,
        [this, &ctx, count, barrier = *barrier,
         done = std::move(done)](StatusOr<std::vector<QueueElement>> taken) {
          if (absl::IsOutOfRange(taken.status()))
            return done(OutOfRange("Barrier '", barrier->name(),
                                   "' is closed and has insufficient elements (requested ",
                                   allow_small_ ? 0 : count, ", total size ",
                                   barrier->ready().size(), ")"));
          done(taken.ok() ? Give(ctx, *barrier, *taken) : taken.status());
        });
  }

 private:
  static Status Give(KernelContext& ctx, const BarrierResource& barrier,
                     const std::vector<QueueElement>& elements) {
    const auto count = static_cast<int64_t>(elements.size());
    for (int i = 0; i < ctx.node().num_outputs(); ++i) {
      std::vector<int64_t> dims{count};
      if (i >= 2) {
        const auto component = static_cast<size_t>(i - 2);
        if (barrier.types()[component] != ctx.output_type(i))
          return InvalidArgument("component ", component, " has type ",
                                 CppTypeName(barrier.types()[component]), ", this node gives ",
                                 CppTypeName(ctx.output_type(i)));
        const auto shape = barrier.shapes()[component].dims();
        dims.insert(dims.end(), shape.begin(), shape.end());
      }
      HR_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
      HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(i, shape));
      for (int64_t k = 0; k < count; ++k)
        out->SliceDim0(k, k + 1).CopyElementsFrom(
            elements[static_cast<size_t>(k)][static_cast<size_t>(i)]);
    }
    return absl::OkStatus();
  }

  const bool allow_small_;
};

class CloseKernel final : public AsyncKernel {
 public:
  explicit CloseKernel(bool drop_incomplete) : drop_incomplete_(drop_incomplete) {}
  void ComputeAsync(KernelContext& ctx, Done done) override {
    const auto barrier = BarrierInput(ctx);
    done(barrier.ok() ? (*barrier)->Close(drop_incomplete_, *ctx.step().cancellation)
                      : barrier.status());
  }

 private:
  const bool drop_incomplete_;
};

Status ReadySize(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto barrier, BarrierInput(ctx));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<int32_t>() = static_cast<int32_t>(barrier->ready().size());
  return absl::OkStatus();
}

Status IncompleteSize(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const auto barrier, BarrierInput(ctx));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<int32_t>() = static_cast<int32_t>(barrier->incomplete_size());
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeBarrierCpu(const KernelInit& init) {
  const auto& types = init.Attr<AttrValue::Types>("component_types");
  const auto& shapes = init.Attr<AttrValue::Shapes>("shapes");
  if (init.Attr<int64_t>("capacity") != -1)
    return InvalidArgument(
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier "
        "through a queue to enforce a limited capacity.");
  if (shapes.size() != types.size())
    return InvalidArgument("Barrier needs the shape of each component: it has ", types.size(),
                           " components, ", shapes.size(), " shapes");
  for (const PartialShape& shape : shapes) {
    if (!shape.is_fully_known() || shape.rank() == kMaxRank)
      return InvalidArgument("the shape of a component must be fully known, got ",
                             shape.ToString());
  }
  HR_ASSIGN_OR_RETURN(
      std::shared_ptr<BarrierResource> barrier,
      FindOrMake<BarrierResource>(
          init, [&](std::string name) -> StatusOr<std::shared_ptr<BarrierResource>> {
            return std::make_shared<BarrierResource>(std::move(name), types, shapes);
          }));
  if (barrier->types() != types || barrier->shapes() != shapes)
    return InvalidArgument("the shared barrier '", barrier->name(),
                           "' has other component types or shapes than this node says");
  return MakeHandleKernel(init, std::move(barrier));
}
StatusOr<std::unique_ptr<Kernel>> MakeBarrierInsertManyCpu(const KernelInit& init) {
  return std::make_unique<InsertKernel>(init.Attr<int64_t>("component_index"));
}
StatusOr<std::unique_ptr<Kernel>> MakeBarrierTakeManyCpu(const KernelInit& init) {
  if (init.Attr<int64_t>("timeout_ms") != -1)
    return InvalidArgument(
        "Timeout not supported yet: timeout_ms must be -1; give the run a "
        "timeout instead");
  return std::make_unique<TakeKernel>(init.Attr<bool>("allow_small_batch"));
}
StatusOr<std::unique_ptr<Kernel>> MakeBarrierCloseCpu(const KernelInit& init) {
  return std::make_unique<CloseKernel>(init.Attr<bool>("cancel_pending_enqueues"));
}
StatusOr<std::unique_ptr<Kernel>> MakeBarrierReadySizeCpu(const KernelInit& init) {
  return MakeFunctionKernel<ReadySize>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeBarrierIncompleteSizeCpu(const KernelInit& init) {
  return MakeFunctionKernel<IncompleteSize>(init);
}

}  // namespace headrace

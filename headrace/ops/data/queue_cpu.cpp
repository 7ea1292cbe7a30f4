#include <algorithm>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/ops/data/kept_value.h"
#include "headrace/ops/data/named_resource.h"
#include "headrace/ops/data/queue_kernels.h"
#include "headrace/ops/data/queue_resource.h"
#include "headrace/ops/state/variable_input.h"

namespace headrace {
namespace {

// ---------------------------------------------------------------- the queue itself

std::string TypesText(const std::vector<DType>& types) {
  return StrJoin(types, ", ", CppTypeName);
}

std::string ShapesText(const std::vector<PartialShape>& shapes) {
  return StrCat(
      "[", StrJoin(shapes, ", ", [](const PartialShape& shape) { return shape.ToString(); }), "]");
}

StatusOr<QueueOptions> OptionsOf(const KernelInit& init) {
  QueueOptions o;
  o.op = init.node().op_name();
  if (o.op.ends_with("V2")) o.op.resize(o.op.size() - 2);
  const auto& types = init.Attr<AttrValue::Types>("component_types");
  const auto& shapes = init.Attr<AttrValue::Shapes>("shapes");
  o.types.assign(types.begin(), types.end());
  o.shapes.assign(shapes.begin(), shapes.end());
  o.capacity = init.Attr<int64_t>("capacity");
  o.pads = o.op == "PaddingFIFOQueue";
  if (!o.shapes.empty() && o.shapes.size() != o.types.size()) {
    return InvalidArgument("Different number of component types.  Types: ", TypesText(o.types),
                           ", Shapes: ", ShapesText(o.shapes));
  }
  if (o.pads && o.shapes.empty()) {
    return InvalidArgument(
        "shapes of the components must be given: what is to be padded shows there");
  }
  for (const PartialShape& shape : o.shapes) {
    if (shape.is_fully_known() || (o.pads && shape.has_rank())) continue;
    return InvalidArgument(o.op, ": the shape of a component must be ",
                           o.pads ? "of known rank" : "fully known", ", got ", shape.ToString());
  }
  if (o.op == "PriorityQueue") {
    o.types.insert(o.types.begin(), DType::kInt64);
    if (!o.shapes.empty() || types.empty())
      o.shapes.insert(o.shapes.begin(), PartialShape(Shape()));
  }
  if (o.op == "RandomShuffleQueue") {
    o.min_after_dequeue = init.Attr<int64_t>("min_after_dequeue");
    o.seed = init.Attr<int64_t>("seed");
    o.seed2 = init.Attr<int64_t>("seed2");
    if (o.min_after_dequeue < 0) {
      return InvalidArgument("min_after_dequeue ", o.min_after_dequeue, " must be >= 0");
    }
    if (o.capacity >= 0 && o.min_after_dequeue >= o.capacity) {
      return InvalidArgument("min_after_dequeue ", o.min_after_dequeue, " must be < capacity ",
                             o.capacity);
    }
  }
  return o;
}

std::unique_ptr<QueueOrder> OrderOf(const QueueOptions& o) {
  if (o.op == "RandomShuffleQueue") return MakeShuffledOrder(o.seed, o.seed2);
  return o.op == "PriorityQueue" ? MakePriorityOrder() : MakeFifoOrder();
}

// A node that shares a queue must describe the one that is there.
Status CheckSame(const QueueOptions& there, const QueueOptions& asked) {
  if (there.op != asked.op)
    return InvalidArgument("Shared queue '", there.name, "' is a ", there.op, ", this node says ",
                           asked.op);
  const std::string queue = StrCat("Shared queue '", there.name, "' has ");
  if (asked.capacity >= 0 ? there.capacity != asked.capacity : there.capacity != kNoBound) {
    return InvalidArgument(queue, "capacity ", there.capacity, " but requested capacity was ",
                           asked.capacity);
  }
  if (there.types != asked.types) {
    return InvalidArgument(queue, "component types ", TypesText(there.types),
                           " but requested component types were ", TypesText(asked.types));
  }
  if (there.shapes != asked.shapes) {
    return InvalidArgument(queue, "component shapes ", ShapesText(there.shapes),
                           " but requested component shapes were ", ShapesText(asked.shapes));
  }
  if (there.min_after_dequeue != asked.min_after_dequeue) {
    return InvalidArgument(queue, "min_after_dequeue ", there.min_after_dequeue,
                           " but requested min_after_dequeue was ", asked.min_after_dequeue, ".");
  }
  if ((asked.seed != 0 || asked.seed2 != 0) &&
      (there.seed != asked.seed || there.seed2 != asked.seed2)) {
    return InvalidArgument(queue, "random seeds (", there.seed, ", ", there.seed2,
                           ") but requested seeds are (", asked.seed, ", ", asked.seed2, ").");
  }
  return absl::OkStatus();
}

// ---------------------------------------------------------------- what goes in

// Row `i` of dimension 0 without that dimension.
Tensor Row(const Tensor& batch, int64_t i) {
  return batch.SliceDim0(i, i + 1).Reshaped(Shape(batch.shape().dims().subspan(1)));
}

class EnqueueKernel final : public AsyncKernel {
 public:
  explicit EnqueueKernel(bool many) : many_(many) {}

  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<std::shared_ptr<Queue>> queue = ResourceInput<Queue>(ctx, 0, "a queue");
    if (!queue.ok()) return done(queue.status());
    std::vector<const Tensor*> components;
    for (int i = 1; i < ctx.num_inputs(); ++i) components.push_back(&ctx.input(i));
    if (Status checked = (*queue)->Check(components, many_); !checked.ok())
      return done(std::move(checked));
    (*queue)->Enqueue(many_ ? Rows(components, **queue) : One(components), *ctx.step().cancellation,
                      std::move(done));
  }

 private:
  static std::vector<QueueElement> One(const std::vector<const Tensor*>& components) {
    QueueElement element;
    for (const Tensor* component : components) element.push_back(KeptValue(*component));
    return {std::move(element)};
  }

  static std::vector<QueueElement> Rows(const std::vector<const Tensor*>& components,
                                        const Queue& queue) {
    std::vector<QueueElement> rows(static_cast<size_t>(components[0]->dim(0)));
    for (const Tensor* component : components) {
      const Tensor batch = queue.keeps_order() ? KeptValue(*component) : *component;
      for (size_t i = 0; i < rows.size(); ++i) {
        const Tensor row = Row(batch, static_cast<int64_t>(i));
        rows[i].push_back(queue.keeps_order() ? row : row.Clone());
      }
    }
    return rows;
  }

  const bool many_;
};

// ---------------------------------------------------------------- what comes out

// Finds the queue and checks that it holds what the node gives.
StatusOr<std::shared_ptr<Queue>> QueueToTake(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(std::shared_ptr<Queue> queue, ResourceInput<Queue>(ctx, 0, "a queue"));
  std::vector<DType> wanted;
  for (int i = 0; i < ctx.node().num_outputs(); ++i) wanted.push_back(ctx.output_type(i));
  if (wanted != queue->options().types) {
    return InvalidArgument("the queue '", queue->options().name, "' holds components of types ",
                           TypesText(queue->options().types), ", this node gives ",
                           TypesText(wanted));
  }
  return queue;
}

class DequeueKernel final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<std::shared_ptr<Queue>> queue = QueueToTake(ctx);
    if (!queue.ok()) return done(queue.status());
    (*queue)->Dequeue(1, Queue::Rest::kIsError, *ctx.step().cancellation,
                      [&ctx, done = std::move(done)](StatusOr<std::vector<QueueElement>> taken) {
                        if (!taken.ok()) return done(taken.status());
                        for (size_t i = 0; i < (*taken)[0].size(); ++i) {
                          ctx.SetOutput(static_cast<int>(i), std::move((*taken)[0][i]));
                        }
                        done(absl::OkStatus());
                      });
  }
};

// Copies `from` into the corner of the block of shape `to` that begins at `target`.
void CopyIntoCorner(const Tensor& from, int dim, const char* source, std::span<const int64_t> to,
                    size_t element, char* target) {
  if (dim == from.rank()) {
    std::memcpy(target, source, element);
    return;
  }
  int64_t from_stride = static_cast<int64_t>(element), to_stride = from_stride;
  for (int d = dim + 1; d < from.rank(); ++d) {
    from_stride *= from.dim(d);
    to_stride *= to[static_cast<size_t>(d)];
  }
  if (dim + 1 == from.rank()) {
    std::memcpy(target, source, static_cast<size_t>(from.dim(dim)) * element);
    return;
  }
  for (int64_t i = 0; i < from.dim(dim); ++i) {
    CopyIntoCorner(from, dim + 1, source + i * from_stride, to, element, target + i * to_stride);
  }
}

// Elements along a new first dimension.
class Batch {
 public:
  Batch(KernelContext& ctx, const Queue& queue, const std::vector<QueueElement>& elements)
      : ctx_(ctx), options_(queue.options()), elements_(elements) {}

  Status Make() {
    for (size_t i = 0; i < options_.types.size(); ++i) HR_RETURN_IF_ERROR(Component(i));
    return absl::OkStatus();
  }

 private:
  Status Component(size_t i) {
    HR_ASSIGN_OR_RETURN(Shape shape, ElementShape(i));
    std::vector<int64_t> dims{static_cast<int64_t>(elements_.size())};
    dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
    HR_ASSIGN_OR_RETURN(shape, Shape::Make(dims));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx_.Output(static_cast<int>(i), shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (!IsPlain(out->dtype())) return Move(i, *out);
    const size_t row = out->size_bytes() / elements_.size();
    char* target = static_cast<char*>(out->raw_data());
    for (const QueueElement& element : elements_) {
      const Tensor& from = element[i];
      if (from.size_bytes() == row) {
        std::memcpy(target, from.raw_data(), row);
      } else {
        std::memset(target, 0, row);
        if (from.num_elements() > 0) {
          CopyIntoCorner(from, 0, static_cast<const char*>(from.raw_data()),
                         shape.dims().subspan(1), SizeOf(from.dtype()), target);
        }
      }
      target += row;
    }
    return absl::OkStatus();
  }

  // Strings, of which the padded ones are empty.
  Status Move(size_t i, Tensor& out) {
    for (size_t k = 0; k < elements_.size(); ++k) {
      const Tensor& from = elements_[k][i];
      Tensor row = out.SliceDim0(static_cast<int64_t>(k), static_cast<int64_t>(k) + 1);
      if (row.num_elements() == from.num_elements()) {
        row.CopyElementsFrom(from);
      } else if (out.dtype() == DType::kString) {
        MoveStrings(from, out.shape().dims().subspan(1), row.flat<std::string>());
      } else {
        return Unimplemented("components of type ", DTypeName(out.dtype()), " cannot be padded");
      }
    }
    return absl::OkStatus();
  }

  static void MoveStrings(const Tensor& from, std::span<const int64_t> to,
                          std::span<std::string> row) {
    for (int64_t at = 0; at < from.num_elements(); ++at) {
      int64_t rest = at, target = 0, stride = 1;
      for (int d = from.rank() - 1; d >= 0; --d) {
        target += rest % from.dim(d) * stride;
        rest /= from.dim(d);
        stride *= to[static_cast<size_t>(d)];
      }
      row[static_cast<size_t>(target)] = from.data<std::string>()[at];
    }
  }

  // The largest along each dimension that the queue leaves open.
  StatusOr<Shape> ElementShape(size_t i) const {
    PartialShape shape = options_.shapes[i];
    for (int d = 0; d < shape.rank(); ++d) {
      if (options_.shapes[i].dim(d) >= 0) continue;
      shape.set_dim(d, 0);
      for (const QueueElement& element : elements_)
        shape.set_dim(d, std::max(shape.dim(d), element[i].dim(d)));
    }
    return shape.ToShape();
  }

  KernelContext& ctx_;
  const QueueOptions& options_;
  const std::vector<QueueElement>& elements_;
};

class DequeueManyKernel final : public AsyncKernel {
 public:
  explicit DequeueManyKernel(bool up_to) : up_to_(up_to) {}

  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<std::shared_ptr<Queue>> queue = QueueToTake(ctx);
    if (!queue.ok()) return done(queue.status());
    const Tensor& n = ctx.input(1);
    if (n.num_elements() != 1)
      return done(InvalidArgument("n must be a scalar, got shape ", n.shape().ToString()));
    const int32_t count = *n.data<int32_t>();
    if (count < 0) {
      return done(InvalidArgument(up_to_ ? "DequeueUpToOp" : "DequeueManyOp", " requested ", count,
                                  " < 0 elements"));
    }
    const QueueOptions& o = (*queue)->options();
    if (o.shapes.empty()) {
      return done(InvalidArgument(
          o.op, "'s DequeueMany and DequeueUpTo require the components to have specified shapes."));
    }
    (*queue)->Dequeue(
        count, up_to_ ? Queue::Rest::kIsEnough : Queue::Rest::kIsError, *ctx.step().cancellation,
        [&ctx, queue = *queue, done = std::move(done)](StatusOr<std::vector<QueueElement>> taken) {
          done(taken.ok() ? Batch(ctx, *queue, *taken).Make() : taken.status());
        });
  }

 private:
  const bool up_to_;
};

// ---------------------------------------------------------------- the rest

class CloseKernel final : public AsyncKernel {
 public:
  explicit CloseKernel(bool cancel_pending) : cancel_pending_(cancel_pending) {}
  void ComputeAsync(KernelContext& ctx, Done done) override {
    StatusOr<std::shared_ptr<Queue>> queue = ResourceInput<Queue>(ctx, 0, "a queue");
    if (!queue.ok()) return done(queue.status());
    (*queue)->Close(cancel_pending_, *ctx.step().cancellation, std::move(done));
  }

 private:
  const bool cancel_pending_;
};

Status Size(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, ResourceInput<Queue>(ctx, 0, "a queue"));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<int32_t>() = static_cast<int32_t>(queue->size());
  return absl::OkStatus();
}

Status IsClosed(KernelContext& ctx) {
  HR_ASSIGN_OR_RETURN(const std::shared_ptr<Queue> queue, ResourceInput<Queue>(ctx, 0, "a queue"));
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {}));
  *out->data<bool>() = queue->closed();
  return absl::OkStatus();
}

Status CheckTimeout(const KernelInit& init) {
  if (init.Attr<int64_t>("timeout_ms") == -1) return absl::OkStatus();
  return InvalidArgument(
      "Timeout not supported yet: timeout_ms must be -1; give the run a timeout instead");
}

bool IsMany(const KernelInit& init, std::string_view op) {
  return init.node().op_name().starts_with(op);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeQueueCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const QueueOptions options, OptionsOf(init));
  HR_ASSIGN_OR_RETURN(
      std::shared_ptr<Queue> queue,
      FindOrMake<Queue>(init, [&](std::string name) -> StatusOr<std::shared_ptr<Queue>> {
        QueueOptions named = options;
        named.name = std::move(name);
        return std::make_shared<Queue>(named, OrderOf(named));
      }));
  HR_RETURN_IF_ERROR(CheckSame(queue->options(), options));
  return MakeHandleKernel(init, std::move(queue));
}

StatusOr<std::unique_ptr<Kernel>> MakeEnqueueCpu(const KernelInit& init) {
  HR_RETURN_IF_ERROR(CheckTimeout(init));
  return std::make_unique<EnqueueKernel>(IsMany(init, "QueueEnqueueMany"));
}
StatusOr<std::unique_ptr<Kernel>> MakeDequeueCpu(const KernelInit& init) {
  HR_RETURN_IF_ERROR(CheckTimeout(init));
  return std::make_unique<DequeueKernel>();
}
StatusOr<std::unique_ptr<Kernel>> MakeDequeueManyCpu(const KernelInit& init) {
  HR_RETURN_IF_ERROR(CheckTimeout(init));
  return std::make_unique<DequeueManyKernel>(IsMany(init, "QueueDequeueUpTo"));
}
StatusOr<std::unique_ptr<Kernel>> MakeQueueCloseCpu(const KernelInit& init) {
  return std::make_unique<CloseKernel>(init.Attr<bool>("cancel_pending_enqueues"));
}
StatusOr<std::unique_ptr<Kernel>> MakeQueueSizeCpu(const KernelInit& init) {
  return MakeFunctionKernel<Size>(init);
}
StatusOr<std::unique_ptr<Kernel>> MakeQueueIsClosedCpu(const KernelInit& init) {
  return MakeFunctionKernel<IsClosed>(init);
}

}  // namespace headrace

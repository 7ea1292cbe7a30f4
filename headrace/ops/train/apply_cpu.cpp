#include <algorithm>
#include <array>
#include <type_traits>

#include "headrace/ops/array/index_check.h"
#include "headrace/ops/state/variable_input.h"
#include "headrace/ops/train/apply_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr int kMaxRefs = 4;

// Runs `update` with exclusive access to all variables, taken in the order of their addresses so
// that two kernels never wait for each other.
template <class F>
Status UpdateAll(std::span<VariableResource* const> variables, F&& update) {
  std::array<int, kMaxRefs> order{};
  std::array<Tensor*, kMaxRefs> values{};
  const int n = static_cast<int>(variables.size());
  for (int i = 0; i < n; ++i) order[i] = i;
  std::sort(order.begin(), order.begin() + n,
            [&](int a, int b) { return variables[a] < variables[b]; });
  for (int i = 1; i < n; ++i) {
    if (variables[order[i]] == variables[order[i - 1]]) {
      return InvalidArgument("variable '", variables[order[i]]->name(),
                             "' is given twice: a slot needs a variable of its own");
    }
  }
  const auto take = [&](auto& self, int at) -> Status {
    if (at == n) return update(std::span<Tensor* const>(values.data(), static_cast<size_t>(n)));
    return variables[order[at]]->Update([&](Tensor& value) {
      values[order[at]] = &value;
      return self(self, at + 1);
    });
  };
  return take(take, 0);
}

// What some rules ask of their numbers, NaN never passing.
enum class Limit { kNone, kPositive, kNonNegative, kNonPositive };

struct NumberLimit {
  Limit limit = Limit::kNone;
  const char* what = "";  // as TensorFlow calls it
};

NumberLimit LimitOf(std::string_view op, std::string_view input) {
  if (op.find("Ftrl") == op.npos && op.find("ProximalAdagrad") == op.npos) return {};
  if (input == "lr") return {Limit::kPositive, "lr is not a positive"};
  if (input == "l1")
    return {Limit::kNonNegative, "l1 regularization strength is not a non-negative"};
  if (input == "l2")
    return {Limit::kNonNegative, "l2 regularization strength is not a non-negative"};
  if (input == "l2_shrinkage")
    return {Limit::kNonNegative, "l2 shrinkage regularization strength is not a non-negative"};
  if (input == "lr_power") return {Limit::kNonPositive, "lr_power is not a non-positive"};
  return {};
}

Status CheckLimit(const NumberLimit& limit, const Tensor& scalar) {
  if (limit.limit == Limit::kNone) return absl::OkStatus();
  double value = 0;
  DispatchDType<kFloatTypes>(scalar.dtype(), [&]<class T>() {
    using Plain = std::conditional_t<std::is_same_v<T, double>, double, float>;
    value = static_cast<Plain>(scalar.scalar<T>());
  });
  const bool fits = limit.limit == Limit::kPositive      ? value > 0
                    : limit.limit == Limit::kNonNegative ? value >= 0
                                                         : value <= 0;
  return fits ? absl::OkStatus() : InvalidArgument(limit.what, " scalar: ", value);
}

class ApplyKernel : public Kernel {
 public:
  ApplyKernel(const Node& node, const ApplyRule& rule) : rule_(rule) {
    const auto& inputs = node.op().inputs();
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int at = static_cast<int>(i);
      if (inputs[i].is_ref || inputs[i].dtype == DType::kResource) {
        ++refs_;
      } else if (inputs[i].name == "grad" || inputs[i].name == "delta") {
        gradient_ = at;
      } else if (inputs[i].name == "indices") {
        indices_ = at;
      } else {
        limits_[num_scalars_] = LimitOf(node.op_name(), inputs[i].name);
        scalars_[num_scalars_++] = at;
      }
    }
  }

  Status Compute(KernelContext& ctx) final {
    std::array<VariableResource*, kMaxRefs> variables{};
    for (int i = 0; i < refs_; ++i) {
      HR_ASSIGN_OR_RETURN(variables[i], VariableInput(ctx, i, ctx.input(gradient_).dtype()));
    }
    alignas(8) std::byte constants[ApplyRule::kMaxConstants * sizeof(double)];
    HR_RETURN_IF_ERROR(Prepare(ctx, constants));
    HR_RETURN_IF_ERROR(
        UpdateAll(std::span<VariableResource* const>(variables.data(), static_cast<size_t>(refs_)),
                  [&](std::span<Tensor* const> values) { return Apply(ctx, values, constants); }));
    PassVariable(ctx, *variables[0]);
    return absl::OkStatus();
  }

 protected:
  virtual Status Apply(KernelContext& ctx, std::span<Tensor* const> values,
                       const void* constants) = 0;

  static Status MustMatch(const KernelContext& ctx, int input, const Shape& var,
                          const Shape& other) {
    return InvalidArgument("var and ", ctx.node().op().inputs()[static_cast<size_t>(input)].name,
                           " do not have the same shape", var.ToString(), " ", other.ToString());
  }

  Status CheckSlots(const KernelContext& ctx, std::span<Tensor* const> values) const {
    for (int i = 1; i < refs_; ++i) {
      if (values[i]->shape() != values[0]->shape()) {
        return MustMatch(ctx, i, values[0]->shape(), values[i]->shape());
      }
    }
    return absl::OkStatus();
  }

  const ApplyRule& rule_;
  int refs_ = 0, gradient_ = -1, indices_ = -1;

 private:
  Status Prepare(KernelContext& ctx, void* constants) {
    std::array<const void*, ApplyRule::kMaxConstants + 1> pointers{};
    for (int i = 0; i < num_scalars_; ++i) {
      const Tensor& scalar = ctx.input(scalars_[i]);
      if (scalar.rank() != 0) {
        return InvalidArgument(ctx.node().op().inputs()[static_cast<size_t>(scalars_[i])].name,
                               " is not a scalar: ", scalar.shape().ToString());
      }
      HR_RETURN_IF_ERROR(CheckLimit(limits_[i], scalar));
      pointers[i] = scalar.raw_data();
      if (scalar.dtype() == DType::kInt64) {  // global_step, counted in the variable's dtype
        HR_RETURN_IF_ERROR(ctx.Scratch(step_, ctx.input(gradient_).dtype(), {}));
        const double step = static_cast<double>(scalar.scalar<int64_t>());
        switch (step_.dtype()) {
          case DType::kFloat32:
            *step_.data<float>() = static_cast<float>(step);
            break;
          case DType::kFloat64:
            *step_.data<double>() = step;
            break;
          case DType::kFloat16:
            *step_.data<Half>() = Half(step);
            break;
          default:
            *step_.data<BFloat16>() = BFloat16(step);
            break;
        }
        pointers[i] = step_.raw_data();
      }
    }
    rule_.prepare(pointers.data(), constants);
    return absl::OkStatus();
  }

  std::array<int, ApplyRule::kMaxConstants> scalars_{};
  std::array<NumberLimit, ApplyRule::kMaxConstants> limits_{};
  int num_scalars_ = 0;
  Tensor step_;
};

class DenseApplyKernel final : public ApplyKernel {
 public:
  using ApplyKernel::ApplyKernel;

 private:
  Status Apply(KernelContext& ctx, std::span<Tensor* const> values,
               const void* constants) override {
    const Tensor& gradient = ctx.input(gradient_);
    HR_RETURN_IF_ERROR(CheckSlots(ctx, values));
    if (gradient.shape() != values[0]->shape()) {
      return MustMatch(ctx, gradient_, values[0]->shape(), gradient.shape());
    }
    const int64_t size = static_cast<int64_t>(SizeOf(gradient.dtype()));
    const double ns = 0.04 * static_cast<double>(size * rule_.streams);
    ctx.workers().ParallelFor(gradient.num_elements(), ns, [&](int64_t begin, int64_t end) {
      void* refs[kMaxRefs];
      for (size_t k = 0; k < values.size(); ++k)
        refs[k] = static_cast<char*>(values[k]->raw_data()) + begin * size;
      rule_.update(refs, static_cast<const char*>(gradient.raw_data()) + begin * size, end - begin,
                   constants);
    });
    return absl::OkStatus();
  }
};

class SparseApplyKernel final : public ApplyKernel {
 public:
  using ApplyKernel::ApplyKernel;

 private:
  Status Apply(KernelContext& ctx, std::span<Tensor* const> values,
               const void* constants) override {
    const Tensor& gradient = ctx.input(gradient_);
    const Tensor& indices = ctx.input(indices_);
    const Shape& shape = values[0]->shape();
    HR_RETURN_IF_ERROR(CheckSlots(ctx, values));
    if (shape.rank() < 1) return InvalidArgument("var must be at least 1 dimensional");
    if (indices.rank() != 1) return InvalidArgument("indices must be one-dimensional");
    Shape rows = shape;
    rows.set_dim(0, indices.dim(0));
    if (gradient.rank() > 0 && gradient.dim(0) != indices.dim(0)) {
      return InvalidArgument("grad must be the same size as indices in the first dimension.");
    }
    if (gradient.shape() != rows) return MustMatch(ctx, gradient_, shape, gradient.shape());
    HR_RETURN_IF_ERROR(CheckIndices(indices, shape.dim(0)));
    if (indices.dtype() == DType::kInt32) {
      ApplyRows(ctx.workers(), values, gradient, indices.flat<int32_t>(), constants);
    } else {
      ApplyRows(ctx.workers(), values, gradient, indices.flat<int64_t>(), constants);
    }
    return absl::OkStatus();
  }

  // Rows are shared out by where they go, so that equal indices are applied by one worker, in
  // order.
  template <class I>
  void ApplyRows(WorkerPool& workers, std::span<Tensor* const> values, const Tensor& gradient,
                 std::span<const I> indices, const void* constants) {
    const Shape& shape = values[0]->shape();
    const int64_t rows = shape.dim(0), inner = shape.Product(1, shape.rank());
    const int64_t bytes = inner * static_cast<int64_t>(SizeOf(gradient.dtype()));
    const double ns = static_cast<double>(gradient.num_elements()) * 0.5 * rule_.streams;
    const int64_t shares = ns < 20'000 ? 1 : workers.size();
    workers.ParallelChunks(shares, 1, [&](int64_t begin, int64_t end) {
      const int64_t first = begin * rows / shares, last = end * rows / shares;
      for (size_t i = 0; i < indices.size(); ++i) {
        const int64_t row = static_cast<int64_t>(indices[i]);
        if (row < first || row >= last) continue;
        void* refs[kMaxRefs];
        for (size_t k = 0; k < values.size(); ++k)
          refs[k] = static_cast<char*>(values[k]->raw_data()) + row * bytes;
        rule_.update(
            refs, static_cast<const char*>(gradient.raw_data()) + static_cast<int64_t>(i) * bytes,
            inner, constants);
      }
    });
  }
};

StatusOr<const ApplyRule*> RuleOf(const KernelInit& init, bool sparse) {
  std::string_view op = init.node().op_name();
  if (op.starts_with("Resource")) op.remove_prefix(8);
  std::string rule(op.substr(sparse ? 11 : 5));  // "SparseApply", "Apply"
  if (init.attrs().GetOr("use_nesterov", false)) rule += "Nesterov";
  if (!init.attrs().GetOr("update_slots", true)) rule += "Fixed";
  const ApplyRule* found = FindApplyRule(rule, init.Attr<DType>("T"), sparse);
  if (found == nullptr) return Internal("there is no update rule '", rule, "'");
  return found;
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeApplyCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ApplyRule* rule, RuleOf(init, false));
  return std::make_unique<DenseApplyKernel>(init.node(), *rule);
}
StatusOr<std::unique_ptr<Kernel>> MakeSparseApplyCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ApplyRule* rule, RuleOf(init, true));
  return std::make_unique<SparseApplyKernel>(init.node(), *rule);
}

}  // namespace headrace

#include <algorithm>
#include <mutex>

#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/gemm.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/math/matmul_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

struct Sizes {
  bool transpose_a = false, transpose_b = false;
  int64_t m = 0, n = 0, k = 0;
};

// c = a * b for one dtype. Integers are multiplied as unsigned ones, so that overflow wraps.
using Product = Status (*)(WorkerPool& workers, const Sizes& s, const void* a, const void* b,
                           void* c);
template <class T>
Status Multiply(WorkerPool& workers, const Sizes& s, const void* a, const void* b, void* c) {
  using U = std::conditional_t<std::is_same_v<T, int32_t>, uint32_t,
                               std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>>;
  const U *from_a = static_cast<const U*>(a), *from_b = static_cast<const U*>(b);
  U* to = static_cast<U*>(c);
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return Gemm(workers, s.transpose_a, s.transpose_b, s.m, s.n, s.k, from_a, from_b, to);
  } else {
    GemmPlain(workers, s.transpose_a, s.transpose_b, s.m, s.n, s.k, from_a, from_b, to);
    return absl::OkStatus();
  }
}

// What MatMul's kernel is asked to do besides.
struct Fused {
  bool bias = false, relu = false, relu_gradient = false;
};
StatusOr<Fused> ParseFused(const AttrMap& attrs) {
  const auto& ops = attrs.Get<AttrValue::Strings>("fused_ops");
  const int64_t args = attrs.Get<int64_t>("num_args");
  Fused fused;
  for (const std::string& op : ops) {
    fused.bias |= op == "BiasAdd";
    fused.relu |= op == "Relu";
    fused.relu_gradient |= op == "ReluGrad";
  }
  using Strings = AttrValue::Strings;
  for (const Strings& known :
       {Strings{"BiasAdd"}, Strings{"BiasAdd", "Relu"}, Strings{"Relu"}, Strings{"ReluGrad"}}) {
    if (ops != known) continue;
    const int64_t wanted = fused.bias || fused.relu_gradient ? 1 : 0;
    if (args == wanted) return fused;
    return InvalidArgument("Fused ", StrJoin(ops, ","), " must have ", wanted,
                           " extra argument, got ", args);
  }
  return Unimplemented("Fusion is not implemented: [", StrJoin(ops, ","),
                       "]; there are [BiasAdd], [BiasAdd,Relu], [Relu] and [ReluGrad]");
}

StatusOr<Product> FindProduct(DType type) {
  Product product = nullptr;
  DispatchDType<kFloatsIndexComplex>(type, [&]<class T>() { product = Multiply<T>; });
  if (product == nullptr) return Unimplemented("there is no matrix product of ", DTypeName(type));
  return product;
}

Status Mismatch(const Tensor& a, const Tensor& b) {
  return InvalidArgument("Matrix size-incompatible: In[0]: ", a.shape().ToString(),
                         ", In[1]: ", b.shape().ToString());
}

// Sizes of a product of two matrices.
Status FindSizes(const KernelContext& ctx, int first, Sizes& s) {
  const Tensor& a = ctx.input(first);
  const Tensor& b = ctx.input(first + 1);
  for (int i : {0, 1}) {
    const Shape& shape = ctx.input(first + i).shape();
    if (shape.rank() != 2)
      return InvalidArgument("In[", i, "] is not a matrix, its shape is ", shape.ToString());
  }
  s.m = a.dim(s.transpose_a ? 1 : 0);
  s.k = a.dim(s.transpose_a ? 0 : 1);
  s.n = b.dim(s.transpose_b ? 0 : 1);
  return s.k == b.dim(s.transpose_b ? 1 : 0) ? absl::OkStatus() : Mismatch(a, b);
}

class MatMulKernel final : public Kernel {
 public:
  MatMulKernel(Product product, bool ta, bool tb)
      : product_(product), sizes_{.transpose_a = ta, .transpose_b = tb} {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(FindSizes(ctx, 0, sizes_));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, {sizes_.m, sizes_.n}));
    if (y->num_elements() == 0) return absl::OkStatus();
    return product_(ctx.workers(), sizes_, ctx.input(0).raw_data(), ctx.input(1).raw_data(),
                    y->raw_data());
  }

 private:
  const Product product_;
  Sizes sizes_;
};

// The epilogue of a product that Gemm cannot update in one pass.
void FinishInPasses(const GemmEpilogue<float>& e, const float* product, int64_t size, float* c) {
  for (int64_t i = 0; i < size; ++i) {
    float x = product[i];
    if (e.where != nullptr) x = x * (e.where[i] > 0 ? 1.0f : 0.0f);
    if (e.rate == nullptr) {
      c[i] = x;
      continue;
    }
    if (e.decay != nullptr) x = x + c[i] * *e.decay;
    c[i] = c[i] - x * *e.rate;
  }
}

class FusedMatMulKernel : public Kernel {
 public:
  FusedMatMulKernel(Fused fused, bool ta, bool tb)
      : fused_(fused), sizes_{.transpose_a = ta, .transpose_b = tb} {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(FindSizes(ctx, 0, sizes_));
    const Shape shape{sizes_.m, sizes_.n};
    if (fused_.bias && ctx.input(2).shape() != Shape{sizes_.n})
      return InvalidArgument("Bias must be a vector of ", sizes_.n, " numbers, got shape ",
                             ctx.input(2).shape().ToString());
    if (fused_.relu_gradient && ctx.input(2).shape() != shape)
      return InvalidArgument("Features must have the shape of the product, ", shape.ToString(),
                             ", got ", ctx.input(2).shape().ToString());
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, shape));
    GemmEpilogue<float> epilogue{.relu = fused_.relu};
    if (fused_.bias) epilogue.bias = ctx.input(2).data<float>();
    if (fused_.relu_gradient) epilogue.where = ctx.input(2).data<float>();
    return Multiply(ctx, 0, epilogue, y->data<float>());
  }

 protected:
  Status Multiply(KernelContext& ctx, int first, GemmEpilogue<float> epilogue, float* c) {
    const Sizes& s = sizes_;
    const float *a = ctx.input(first).data<float>(), *b = ctx.input(first + 1).data<float>();
    if ((epilogue.where == nullptr && epilogue.rate == nullptr) ||
        GemmUpdates(s.transpose_b, s.m, s.n, s.k))
      return Gemm(ctx.workers(), s.transpose_a, s.transpose_b, s.m, s.n, s.k, a, b, c, epilogue);
    HR_RETURN_IF_ERROR(ctx.Scratch(product_, DType::kFloat32, {s.m, s.n}));
    HR_RETURN_IF_ERROR(Gemm(ctx.workers(), s.transpose_a, s.transpose_b, s.m, s.n, s.k, a, b,
                            product_.data<float>()));
    FinishInPasses(epilogue, product_.data<float>(), s.m * s.n, c);
    return absl::OkStatus();
  }

  const Fused fused_;
  Sizes sizes_;

 private:
  Tensor product_;
};

// Inputs: var, alpha, a, b, and perhaps decay.
class DescentKernel final : public FusedMatMulKernel {
 public:
  DescentKernel(bool ta, bool tb) : FusedMatMulKernel({}, ta, tb) {}

  Status Compute(KernelContext& ctx) override {
    HR_RETURN_IF_ERROR(FindSizes(ctx, 2, sizes_));
    for (int i = 1; i < ctx.num_inputs(); i = i == 1 ? 4 : i + 1) {
      if (ctx.input(i).rank() == 0) continue;
      return InvalidArgument(i == 1 ? "alpha" : "decay",
                             " is not a scalar: ", ctx.input(i).shape().ToString());
    }
    const GemmEpilogue<float> epilogue{
        .decay = ctx.num_inputs() > 4 ? ctx.input(4).data<float>() : nullptr,
        .rate = ctx.input(1).data<float>()};
    HR_RETURN_IF_ERROR(ctx.variable(0).Update([&](Tensor& value) -> Status {
      const Shape shape{sizes_.m, sizes_.n};
      if (value.shape() != shape)
        return InvalidArgument("var and delta do not have the same shape", value.shape().ToString(),
                               " ", shape.ToString());
      return Multiply(ctx, 2, epilogue, value.data<float>());
    }));
    ctx.SetVariable(0, &ctx.variable(0));
    return absl::OkStatus();
  }
};

class BatchMatMulKernel final : public Kernel {
 public:
  BatchMatMulKernel(Product product, DType type, bool adj_x, bool adj_y, bool broadcasts)
      : product_(product),
        size_(static_cast<int64_t>(SizeOf(type))),
        conjugates_(IsComplex(type)),
        broadcasts_(broadcasts),
        sizes_{.transpose_a = adj_x, .transpose_b = adj_y} {}

  Status Compute(KernelContext& ctx) override {
    const Tensor* x = &ctx.input(0);
    const Tensor* y = &ctx.input(1);
    HR_RETURN_IF_ERROR(FindSizes(*x, *y));
    Shape shape = plan_.shape();
    shape.Append(sizes_.m);
    shape.Append(sizes_.n);
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    if (out->num_elements() == 0) return absl::OkStatus();
    if (conjugates_ && sizes_.transpose_a) {
      HR_ASSIGN_OR_RETURN(x, Conjugate(ctx, *x, conjugate_x_));
    }
    if (conjugates_ && sizes_.transpose_b) {
      HR_ASSIGN_OR_RETURN(y, Conjugate(ctx, *y, conjugate_y_));
    }
    return Multiply(ctx.workers(), static_cast<const std::byte*>(x->raw_data()),
                    static_cast<const std::byte*>(y->raw_data()),
                    static_cast<std::byte*>(out->raw_data()));
  }

 private:
  Status FindSizes(const Tensor& x, const Tensor& y) {
    if (x.rank() < 2 || y.rank() < 2) {
      return InvalidArgument("inputs must have rank >= 2, got shapes ", x.shape().ToString(),
                             " and ", y.shape().ToString());
    }
    const bool tx = sizes_.transpose_a, ty = sizes_.transpose_b;
    sizes_.m = x.dim(x.rank() - (tx ? 1 : 2));
    sizes_.k = x.dim(x.rank() - (tx ? 2 : 1));
    sizes_.n = y.dim(y.rank() - (ty ? 2 : 1));
    if (sizes_.k != y.dim(y.rank() - (ty ? 1 : 2))) return Mismatch(x, y);
    const Shape batch_x(x.shape().dims().first(x.rank() - 2)),
        batch_y(y.shape().dims().first(y.rank() - 2));
    if (!broadcasts_ && batch_x != batch_y) {
      return InvalidArgument("batch dimensions must be equal, got shapes ", x.shape().ToString(),
                             " and ", y.shape().ToString());
    }
    return plan_.Prepare({&batch_x, &batch_y});
  }

  StatusOr<const Tensor*> Conjugate(KernelContext& ctx, const Tensor& x, Tensor& scratch) {
    HR_RETURN_IF_ERROR(ctx.Scratch(scratch, x.dtype(), x.shape()));
    DispatchDType<kComplexTypes>(x.dtype(), [&]<class T>() {
      std::ranges::transform(x.flat<T>(), scratch.data<T>(),
                             [](const T& z) { return std::conj(z); });
    });
    return &scratch;
  }

  Status Multiply(WorkerPool& workers, const std::byte* x, const std::byte* y, std::byte* out) {
    const int64_t step_x = sizes_.m * sizes_.k * size_, step_y = sizes_.k * sizes_.n * size_;
    const int64_t step_out = sizes_.m * sizes_.n * size_;
    std::mutex mutex;
    Status first;
    const auto run = [&](int64_t begin, int64_t end) {
      plan_.ForEachRow(begin, end, [&](const std::array<int64_t, 2>& at, int64_t to, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          const Status status =
              product_(workers, sizes_, x + (at[0] + i * plan_.step(0)) * step_x,
                       y + (at[1] + i * plan_.step(1)) * step_y, out + (to + i) * step_out);
          if (status.ok()) continue;
          std::lock_guard lock(mutex);
          if (first.ok()) first = status;
        }
      });
    };
    // Small products share the threads by matrices, large ones each use all threads.
    const double flops = 2.0 * static_cast<double>(sizes_.m) * static_cast<double>(sizes_.n) *
                         static_cast<double>(sizes_.k);
    if (flops < kSmallFlops) {
      workers.ParallelFor(plan_.size(), flops / 20 + 100, run);
    } else {
      run(0, plan_.size());
    }
    return first;
  }

  static constexpr double kSmallFlops = 4e6;
  const Product product_;
  const int64_t size_;
  const bool conjugates_, broadcasts_;
  Sizes sizes_;
  BroadcastPlan<2> plan_;  // over the batch dimensions
  Tensor conjugate_x_, conjugate_y_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeMatMulCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const Product product, FindProduct(init.output_type(0)));
  return std::make_unique<MatMulKernel>(product, init.Attr<bool>("transpose_a"),
                                        init.Attr<bool>("transpose_b"));
}

StatusOr<std::unique_ptr<Kernel>> MakeFusedMatMulCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const Fused fused, ParseFused(init.attrs()));
  return std::make_unique<FusedMatMulKernel>(fused, init.Attr<bool>("transpose_a"),
                                             init.Attr<bool>("transpose_b"));
}

StatusOr<std::unique_ptr<Kernel>> MakeMatMulDescentCpu(const KernelInit& init) {
  return std::make_unique<DescentKernel>(init.Attr<bool>("transpose_a"),
                                         init.Attr<bool>("transpose_b"));
}

StatusOr<std::unique_ptr<Kernel>> MakeBatchMatMulCpu(const KernelInit& init) {
  const DType type = init.output_type(0);
  HR_ASSIGN_OR_RETURN(const Product product, FindProduct(type));
  return std::make_unique<BatchMatMulKernel>(product, type, init.Attr<bool>("adj_x"),
                                             init.Attr<bool>("adj_y"),
                                             init.node().op_name() == "BatchMatMulV2");
}

}  // namespace headrace

#include "headrace/base/strings.h"
#include "headrace/kernel/cpu/stream.h"
#include "headrace/ops/math/elementwise.h"
#include "headrace/ops/math/select_kernels.h"

namespace headrace {
namespace {

// Steps are 0 or 1. `out` may be t or e where those step.
using SelectRow = void (*)(const bool* c, int64_t c_step, const void* t, int64_t t_step,
                           const void* e, int64_t e_step, void* out, int64_t n);

template <class T>
void Loop(const bool* c, int64_t c_step, const void* t_data, int64_t t_step, const void* e_data,
          int64_t e_step, void* out, int64_t n) {
  const T* t = static_cast<const T*>(t_data);
  const T* e = static_cast<const T*>(e_data);
  T* y = static_cast<T*>(out);
  if (c_step == 0) {  // one side for all
    const T* from = *c ? t : e;
    const int64_t step = *c ? t_step : e_step;
    if (from == y && step == 1) return;
    for (int64_t i = 0; i < n; ++i) y[i] = from[i * step];
  } else if (t_step == 1 && e_step == 1) {
    if constexpr (std::is_trivially_copyable_v<T>) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) {
        const T a = t[i], b = e[i];
        y[i] = c[i] ? a : b;
      }
    } else {
      for (int64_t i = 0; i < n; ++i) y[i] = c[i] ? t[i] : e[i];
    }
  } else {
    for (int64_t i = 0; i < n; ++i) y[i] = c[i] ? t[i * t_step] : e[i * e_step];
  }
}

// Bytes are chosen, not numbers, so one loop serves all dtypes of a size.
struct alignas(8) TwoWords {
  uint64_t words[2];
};
SelectRow RowOf(DType type) {
  if (type == DType::kString) return Loop<std::string>;
  if (type == DType::kResource) return Loop<ResourceHandle>;
  switch (SizeOf(type)) {
    case 1:
      return Loop<uint8_t>;
    case 2:
      return Loop<uint16_t>;
    case 4:
      return Loop<uint32_t>;
    case 8:
      return Loop<uint64_t>;
    default:
      return Loop<TwoWords>;
  }
}

struct Choice {
  explicit Choice(DType type) : row(RowOf(type)), size(static_cast<int64_t>(SizeOf(type))) {}
  const void* At(const void* p, int64_t i) const {
    return static_cast<const std::byte*>(p) + i * size;
  }
  void* At(void* p, int64_t i) const { return static_cast<std::byte*>(p) + i * size; }

  SelectRow row;
  int64_t size;
};

constexpr double kNsPerItem = 0.3;

class SelectKernel final : public Kernel {
 public:
  explicit SelectKernel(DType type) : choice_(type) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& condition = ctx.input(0);
    const Tensor& t = ctx.input(1);
    const Tensor& e = ctx.input(2);
    if (t.shape() != e.shape()) {
      return InvalidArgument("t and e must have the same shape, got ", t.shape().ToString(),
                             " and ", e.shape().ToString());
    }
    const bool same = condition.shape() == t.shape();
    const bool rows = !same && condition.rank() == 1 && t.rank() > 1;
    if (!same && !condition.shape().is_scalar() && !(rows && condition.dim(0) == t.dim(0))) {
      return InvalidArgument("condition must be a scalar, of the shape of t and e ",
                             t.shape().ToString(), ", or a vector of their dimension 0, got ",
                             condition.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, t.shape()));
    const bool* c = condition.data<bool>();
    const void *from_t = t.raw_data(), *from_e = e.raw_data();
    void* out = y->raw_data();
    if (rows) {
      const int64_t row = t.shape().Product(1, t.rank());
      ctx.workers().ParallelFor(
          t.dim(0), kNsPerItem * static_cast<double>(row) + 3, [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; ++r) {
              choice_.row(c + r, 0, choice_.At(from_t, r * row), 1, choice_.At(from_e, r * row), 1,
                          choice_.At(out, r * row), row);
            }
          });
      return absl::OkStatus();
    }
    const int64_t size = choice_.size;
    const bool stream = same && IsPlain(t.dtype()) && out != from_t && out != from_e && out != c &&
                        WorthStreaming(t.num_elements() * size);
    ctx.workers().ParallelFor(t.num_elements(), kNsPerItem, [&](int64_t begin, int64_t end) {
      if (stream) {
        const auto body = [&](int64_t first, int64_t n, void* to) {
          choice_.row(c + first, 1, choice_.At(from_t, first), 1, choice_.At(from_e, first), 1, to,
                      n);
        };
        return StreamInBlocks(out, size, begin, end, {{c, 1}, {from_t, size}, {from_e, size}},
                              body);
      }
      choice_.row(same ? c + begin : c, same ? 1 : 0, choice_.At(from_t, begin), 1,
                  choice_.At(from_e, begin), 1, choice_.At(out, begin), end - begin);
    });
    return absl::OkStatus();
  }

 private:
  const Choice choice_;
};

class SelectV2Kernel final : public Kernel {
 public:
  explicit SelectV2Kernel(DType type) : choice_(type) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& condition = ctx.input(0);
    const Tensor& t = ctx.input(1);
    const Tensor& e = ctx.input(2);
    HR_RETURN_IF_ERROR(plan_.Prepare({&condition.shape(), &t.shape(), &e.shape()}));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, plan_.shape()));
    const double row_cost = 4.0 / static_cast<double>(std::max<int64_t>(1, plan_.row()));
    ctx.workers().ParallelFor(plan_.size(), kNsPerItem + row_cost, [&](int64_t begin, int64_t end) {
      plan_.ForEachRow(begin, end, [&](const std::array<int64_t, 3>& at, int64_t to, int64_t n) {
        choice_.row(condition.data<bool>() + at[0], plan_.step(0), choice_.At(t.raw_data(), at[1]),
                    plan_.step(1), choice_.At(e.raw_data(), at[2]), plan_.step(2),
                    choice_.At(y->raw_data(), to), n);
      });
    });
    return absl::OkStatus();
  }

 private:
  const Choice choice_;
  BroadcastPlan<3> plan_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSelectCpu(const KernelInit& init) {
  return std::make_unique<SelectKernel>(init.output_type(0));
}
StatusOr<std::unique_ptr<Kernel>> MakeSelectV2Cpu(const KernelInit& init) {
  return std::make_unique<SelectV2Kernel>(init.output_type(0));
}

}  // namespace headrace

#include <bit>
#include <type_traits>

#include "headrace/base/strings.h"
#include "headrace/ops/math/bitwise_kernels.h"
#include "headrace/ops/math/elementwise_kernels.h"
#include "headrace/ops/math/elementwise_rows_inl.h"

namespace headrace {
namespace {

struct And {
  template <class T>
  T operator()(T x, T y) const {
    return static_cast<T>(x & y);
  }
};
struct Or {
  template <class T>
  T operator()(T x, T y) const {
    return static_cast<T>(x | y);
  }
};
struct Xor {
  template <class T>
  T operator()(T x, T y) const {
    return static_cast<T>(x ^ y);
  }
};

// Places to shift by: what the type has.
template <class T>
int Places(T y) {
  constexpr int kMost = 8 * sizeof(T) - 1;
  return y < T(0) ? 0 : y > T(kMost) ? kMost : static_cast<int>(y);
}
struct Left {
  template <class T>
  T operator()(T x, T y) const {
    return static_cast<T>(static_cast<uint64_t>(x) << Places(y));
  }
};
struct Right {
  template <class T>
  T operator()(T x, T y) const {
    return static_cast<T>(x >> Places(y));
  }
};

struct Not {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(~x);
  }
};
struct CountOnes {
  template <class T>
  uint8_t operator()(T x) const {
    return static_cast<uint8_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(x)));
  }
};

constexpr double kNs = 0.25;

BinaryRow FindRow(std::string_view op, DType type) {
  if (op == "BitwiseAnd") return BinaryRowOf<And, kIntTypes>(type);
  if (op == "BitwiseOr") return BinaryRowOf<Or, kIntTypes>(type);
  if (op == "BitwiseXor") return BinaryRowOf<Xor, kIntTypes>(type);
  return op == "LeftShift" ? BinaryRowOf<Left, kIntTypes>(type)
                           : BinaryRowOf<Right, kIntTypes>(type);
}

Status Bitpack(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("Threshold must be a scalar, but saw shape: ",
                           ctx.input(1).shape().ToString());
  }
  const int last = x.rank() - 1;
  if (last < 0 || x.dim(last) % 8 != 0) {
    return InvalidArgument("Inner dimension of input should be divisible by 8, but saw shape: ",
                           x.shape().ToString());
  }
  Shape shape = x.shape();
  shape.set_dim(last, shape[last] / 8);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
  DispatchDType<kPackedTypes>(x.dtype(), [&]<class T>() {
    const T* from = x.data<T>();
    const T threshold = ctx.input(1).scalar<T>();
    uint8_t* to = out->data<uint8_t>();
    ctx.workers().ParallelFor(out->num_elements(), 3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        uint32_t byte = 0;
        for (int64_t k = 0; k < 8; ++k) {
          const T& value = from[i * 8 + k];
          byte = byte << 1 | (std::is_same_v<T, bool> ? value != T() : value > threshold);
        }
        to[i] = static_cast<uint8_t>(byte);
      }
    });
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeCompareAndBitpackCpu(const KernelInit& init) {
  return MakeFunctionKernel<Bitpack>(init);
}

StatusOr<std::unique_ptr<Kernel>> MakeBitwiseBinaryCpu(const KernelInit& init) {
  const DType type = init.input_type(0);
  return MakeBinaryKernel(BinaryFunction(FindRow(init.node().op_name(), type), type, type, kNs));
}

StatusOr<std::unique_ptr<Kernel>> MakeBitwiseUnaryCpu(const KernelInit& init) {
  const DType type = init.input_type(0);
  const UnaryRow row = init.node().op_name() == "Invert" ? UnaryRowOf<Not, kIntTypes>(type)
                                                         : UnaryRowOf<CountOnes, kIntTypes>(type);
  return MakeUnaryKernel(UnaryFunction(row, type, init.output_type(0), kNs));
}

}  // namespace headrace

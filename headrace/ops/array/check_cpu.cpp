#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "headrace/base/strings.h"
#include "headrace/ops/array/check_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// What the exponent of a float that is not finite looks like, and the bits of its mantissa.
template <class T>
struct FloatBits;
template <>
struct FloatBits<float> {
  using Int = uint32_t;
  static constexpr Int kExponent = 0x7f800000u, kMantissa = 0x007fffffu;
};
template <>
struct FloatBits<double> {
  using Int = uint64_t;
  static constexpr Int kExponent = 0x7ff0000000000000u, kMantissa = 0x000fffffffffffffu;
};
template <>
struct FloatBits<Half> {
  using Int = uint16_t;
  static constexpr Int kExponent = 0x7c00u, kMantissa = 0x03ffu;
};
template <>
struct FloatBits<BFloat16> {
  using Int = uint16_t;
  static constexpr Int kExponent = 0x7f80u, kMantissa = 0x007fu;
};

constexpr int kHasInf = 1, kHasNan = 2;

template <class T>
int Scan(const T* x, int64_t begin, int64_t end) {
  using Bits = FloatBits<T>;
  using Int = typename Bits::Int;
  Int inf = 0, nan = 0;
  for (int64_t i = begin; i < end; ++i) {
    const Int bits = std::bit_cast<Int>(x[i]);
    const bool special = (bits & Bits::kExponent) == Bits::kExponent,
               fraction = (bits & Bits::kMantissa) != 0;
    inf |= static_cast<Int>(special & !fraction);
    nan |= static_cast<Int>(special & fraction);
  }
  return (inf != 0 ? kHasInf : 0) | (nan != 0 ? kHasNan : 0);
}

class CheckNumericsKernel final : public Kernel {
 public:
  explicit CheckNumericsKernel(std::string message) : message_(std::move(message)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    std::atomic<int> found{0};
    DispatchDType<kFloatTypes>(in.dtype(), [&]<class T>() {
      ctx.workers().ParallelFor(in.num_elements(), 0.1 * sizeof(T),
                                [&](int64_t begin, int64_t end) {
                                  if (const int bad = Scan(in.data<T>(), begin, end); bad != 0)
                                    found.fetch_or(bad, std::memory_order_relaxed);
                                });
    });
    if (const int bad = found.load(); bad != 0) {
      return InvalidArgument(message_, " : Tensor had ",
                             bad == (kHasInf | kHasNan) ? "Inf and NaN"
                             : bad == kHasInf           ? "Inf"
                                                        : "NaN",
                             " values");
    }
    ctx.SetOutput(0, in);
    return absl::OkStatus();
  }

 private:
  const std::string message_;
};

std::string DoubleText(double value, int digits, int exact) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  const bool same = digits < 10 ? std::strtof(text, nullptr) == static_cast<float>(value)
                                : std::strtod(text, nullptr) == value;
  if (!same) std::snprintf(text, sizeof(text), "%.*g", exact, value);
  return text;
}

}  // namespace

std::string ElementText(const Tensor& t, int64_t i) {
  std::string text = "?";
  DispatchDType<kRealTypes | DTypeSet{DType::kBool, DType::kString}>(t.dtype(), [&]<class T>() {
    const T& x = t.data<T>()[i];
    if constexpr (std::is_same_v<T, std::string>) {
      text = EscapeC(x);
    } else if constexpr (std::is_same_v<T, double>) {
      text = x != x ? "nan" : DoubleText(x, 15, 17);
    } else if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_same_v<T, uint64_t>) {
        text = StrCat(x);
      } else {
        text = StrCat(static_cast<int64_t>(x));
      }
    } else {
      const float f = static_cast<float>(x);
      text = f != f ? "nan" : DoubleText(f, 6, 9);
    }
  });
  return text;
}

namespace {

class Summarizer {
 public:
  Summarizer(const Tensor& tensor, int64_t most) : tensor_(tensor), most_(most) {}

  std::string Run() {
    if (tensor_.rank() == 0) return ElementText(tensor_, 0);
    if (tensor_.num_elements() == 0) return {};
    Dim(0);
    if (tensor_.num_elements() > most_) text_ += "...";
    return std::move(text_);
  }

 private:
  void Dim(int d) {
    if (at_ >= most_) return;
    const int64_t count = tensor_.dim(d);
    if (d == tensor_.rank() - 1) {
      for (int64_t i = 0; i < count; ++i) {
        if (at_ >= most_) {
          if (d != 0) text_ += "...";
          return;
        }
        if (i > 0) text_ += ' ';
        text_ += ElementText(tensor_, at_++);
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      const bool open = at_ < most_;
      if (open) text_ += '[';
      Dim(d + 1);
      if (open) text_ += ']';
    }
  }

  const Tensor& tensor_;
  const int64_t most_;
  int64_t at_ = 0;
  std::string text_;
};

class AssertKernel final : public Kernel {
 public:
  explicit AssertKernel(int64_t summarize) : summarize_(summarize) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& condition = ctx.input(0);
    if (condition.rank() != 0) {
      return InvalidArgument("In[0] should be a scalar: ", condition.shape().ToString());
    }
    if (condition.scalar<bool>()) return absl::OkStatus();
    std::string message = "assertion failed:";
    for (int i = 1; i < ctx.num_inputs(); ++i)
      StrAppend(&message, " [", Summary(ctx.input(i), summarize_), "]");
    return InvalidArgument(message);
  }

 private:
  const int64_t summarize_;
};

class PrintKernel final : public Kernel {
 public:
  PrintKernel(std::string message, int64_t first_n, int64_t summarize)
      : message_(std::move(message)), first_n_(first_n), summarize_(summarize) {}

  Status Compute(KernelContext& ctx) override {
    ctx.SetOutput(0, ctx.input(0));
    if (first_n_ >= 0 && printed_ >= first_n_) return absl::OkStatus();
    ++printed_;
    std::string line = message_;
    for (int i = 1; i < ctx.num_inputs(); ++i)
      StrAppend(&line, "[", Summary(ctx.input(i), summarize_), "]");
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stderr);
    return absl::OkStatus();
  }

 private:
  const std::string message_;
  const int64_t first_n_, summarize_;
  int64_t printed_ = 0;
};

class PrintV2Kernel final : public Kernel {
 public:
  PrintV2Kernel(std::string stream, std::string end)
      : stream_(std::move(stream)), end_(std::move(end)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& text = ctx.input(0);
    if (text.rank() != 0)
      return InvalidArgument("input must be a scalar, got shape ", text.shape().ToString());
    const std::string line = text.scalar<std::string>() + end_;
    if (stream_.starts_with("file://")) {
      std::FILE* file = std::fopen(stream_.c_str() + 7, "a");
      const bool written =
          file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
      const bool closed = file != nullptr && std::fclose(file) == 0;
      if (!written || !closed) return NotFound("cannot write to ", stream_.substr(7));
      return absl::OkStatus();
    }
    std::FILE* to = stream_ == "stdout" ? stdout : stderr;
    std::fwrite(line.data(), 1, line.size(), to);
    std::fflush(to);
    return absl::OkStatus();
  }

 private:
  const std::string stream_, end_;
};

}  // namespace

std::string Summary(const Tensor& tensor, int64_t most) {
  return Summarizer(tensor, most < 0 ? tensor.num_elements() : most).Run();
}

StatusOr<std::unique_ptr<Kernel>> MakeCheckNumericsCpu(const KernelInit& init) {
  return std::make_unique<CheckNumericsKernel>(init.Attr<std::string>("message"));
}
StatusOr<std::unique_ptr<Kernel>> MakeAssertCpu(const KernelInit& init) {
  return std::make_unique<AssertKernel>(init.Attr<int64_t>("summarize"));
}
StatusOr<std::unique_ptr<Kernel>> MakePrintCpu(const KernelInit& init) {
  return std::make_unique<PrintKernel>(init.Attr<std::string>("message"),
                                       init.Attr<int64_t>("first_n"),
                                       init.Attr<int64_t>("summarize"));
}
StatusOr<std::unique_ptr<Kernel>> MakePrintV2Cpu(const KernelInit& init) {
  return std::make_unique<PrintV2Kernel>(init.Attr<std::string>("output_stream"),
                                         init.Attr<std::string>("end"));
}

}  // namespace headrace

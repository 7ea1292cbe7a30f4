#include "headrace/ops/testing/tensors.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>

#include "headrace/base/strings.h"
#include "headrace/tensor/dispatch.h"

namespace headrace::testing {
namespace {

constexpr DTypeSet kValueTypes = kNumberTypes | DTypeSet(DType::kBool);

// A small generator of its own, so that test data never change with the library's.
struct Random {
  uint64_t state;
  double Uniform() {
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
};

template <class T>
T FromDouble(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // Through int64, so that what does not fit wraps instead of being undefined.
    return static_cast<T>(
        static_cast<int64_t>(std::clamp(std::isnan(value) ? 0 : value, -9.2e18, 9.2e18)));
  } else {
    return static_cast<T>(static_cast<float>(value));
  }
}
template <>
double FromDouble<double>(double value) {
  return value;
}
template <>
std::complex<double> FromDouble<std::complex<double>>(double value) {
  return value;
}

template <class T>
std::complex<double> ToComplex(const T& value) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return {static_cast<double>(value.real()), static_cast<double>(value.imag())};
  } else {
    return {static_cast<double>(value), 0};
  }
}

std::vector<std::complex<double>> ToComplexes(const Tensor& tensor) {
  std::vector<std::complex<double>> values;
  values.reserve(tensor.num_elements());
  DispatchDType<kValueTypes>(tensor.dtype(), [&]<class T>() {
    for (const T& value : tensor.flat<T>()) values.push_back(ToComplex(value));
  });
  return values;
}

bool Close(double actual, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(actual);
  if (std::isinf(expected)) return actual == expected;
  return std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

std::string Text(const std::complex<double>& value) {
  std::string text = StrCat(absl::SixDigits(value.real()));
  if (std::abs(value.real()) < 1e15) {
    char buffer[40];
    snprintf(buffer, sizeof(buffer), "%.17g", value.real());
    text = buffer;
  }
  return value.imag() == 0 ? text : StrCat(text, " + ", value.imag(), "i");
}

std::string StringDifference(const Tensor& actual, const Tensor& expected) {
  for (int64_t i = 0; i < expected.num_elements(); ++i) {
    const std::string& a = actual.data<std::string>()[i];
    const std::string& e = expected.data<std::string>()[i];
    if (a != e) return StrCat("element ", i, " is '", EscapeC(a), "', expected '", EscapeC(e), "'");
  }
  return "";
}

template <class F>
Reference Broadcasting(int arity, F f) {
  return [arity, f](const std::vector<Tensor>& inputs) -> std::vector<Tensor> {
    Shape shape;
    std::vector<std::vector<double>> values;
    for (int i = 0; i < arity; ++i) {
      const StatusOr<Shape> joined = BroadcastShapes(shape, inputs[i].shape());
      if (!joined.ok()) return {};
      shape = *joined;
      values.push_back(ToDoubles(inputs[i]));
    }
    std::vector<double> result(shape.num_elements());
    std::vector<double> arguments(arity);
    for (int64_t n = 0; n < shape.num_elements(); ++n) {
      for (int i = 0; i < arity; ++i) {
        int64_t rest = n, offset = 0, stride = 1;
        const Shape& in = inputs[i].shape();
        for (int d = shape.rank() - 1, k = in.rank() - 1; k >= 0; --d, --k) {
          offset += in[k] == 1 ? 0 : (rest % shape[d]) * stride;
          rest /= shape[d];
          stride *= in[k];
        }
        arguments[i] = values[i][offset];
      }
      result[n] = f(arguments);
    }
    return {FromDoubles(result, shape)};
  };
}

}  // namespace

Tensor RandomTensor(DType dtype, const Shape& shape, double low, double high, uint64_t seed) {
  Random random{seed * 0x2545f4914f6cdd1du};
  Tensor tensor(dtype, shape);
  if (dtype == DType::kString) {
    for (std::string& text : tensor.flat<std::string>()) {
      text = std::string(static_cast<size_t>(random.Uniform() * 6),
                         static_cast<char>('a' + random.Uniform() * 26));
    }
    return tensor;
  }
  DispatchDType<kValueTypes>(dtype, [&]<class T>() {
    for (T& value : tensor.flat<T>()) {
      const double u = random.Uniform();
      if constexpr (std::is_same_v<T, bool>) {
        value = u < 0.5;
      } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                           std::is_same_v<T, std::complex<double>>) {
        const double v = random.Uniform();
        value = T(static_cast<typename T::value_type>(low + u * (high - low)),
                  static_cast<typename T::value_type>(low + v * (high - low)));
      } else if constexpr (std::is_integral_v<T>) {
        value = FromDouble<T>(std::floor(low + u * (high - low)));
      } else {
        value = FromDouble<T>(low + u * (high - low));
      }
    }
  });
  return tensor;
}

std::vector<double> ToDoubles(const Tensor& tensor) {
  std::vector<double> values;
  values.reserve(tensor.num_elements());
  for (const std::complex<double>& value : ToComplexes(tensor)) values.push_back(value.real());
  return values;
}

Tensor FromDoubles(const std::vector<double>& values, const Shape& shape, DType dtype) {
  Tensor tensor(dtype, shape);
  DispatchDType<kValueTypes>(dtype, [&]<class T>() {
    std::transform(values.begin(), values.end(), tensor.data<T>(), FromDouble<T>);
  });
  return tensor;
}

Tensor Converted(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  Tensor result(dtype, tensor.shape());
  const std::vector<std::complex<double>> values = ToComplexes(tensor);
  DispatchDType<kValueTypes>(dtype, [&]<class T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_same_v<T, std::complex<float>>) {
        result.data<T>()[i] = std::complex<float>(values[i]);
      } else if constexpr (std::is_same_v<T, std::complex<double>>) {
        result.data<T>()[i] = values[i];
      } else {
        result.data<T>()[i] = FromDouble<T>(values[i].real());
      }
    }
  });
  return result;
}

std::string Difference(const Tensor& actual, const Tensor& expected, double tolerance) {
  if (!actual.valid()) return "there is no tensor";
  if (actual.shape() != expected.shape()) {
    return StrCat("shape is ", actual.shape().ToString(), ", expected ",
                  expected.shape().ToString());
  }
  if (expected.dtype() == DType::kString) {
    return actual.dtype() == DType::kString ? StringDifference(actual, expected)
                                            : "it is not of strings";
  }
  const std::vector<std::complex<double>> a = ToComplexes(actual), e = ToComplexes(expected);
  for (size_t i = 0; i < e.size(); ++i) {
    if (!Close(a[i].real(), e[i].real(), tolerance) ||
        !Close(a[i].imag(), e[i].imag(), tolerance)) {
      return StrCat("element ", i, " of ", DTypeName(actual.dtype()), " ",
                    actual.shape().ToString(), " is ", Text(a[i]), ", expected ", Text(e[i]),
                    " (tolerance ", tolerance, ")");
    }
  }
  return "";
}

std::string BitDifference(const Tensor& actual, const Tensor& expected) {
  if (!actual.valid()) return "there is no tensor";
  if (actual.dtype() != expected.dtype()) {
    return StrCat("dtype is ", DTypeName(actual.dtype()), ", expected ",
                  DTypeName(expected.dtype()));
  }
  if (actual.shape() == expected.shape() && IsPlain(expected.dtype()) &&
      IsQuantized(expected.dtype())) {
    return std::memcmp(actual.raw_data(), expected.raw_data(), expected.size_bytes()) == 0
               ? ""
               : "bytes differ";
  }
  std::string difference = Difference(actual, expected, 0);
  if (!difference.empty() || !IsPlain(expected.dtype())) return difference;
  // Equal by value: then only zeros of different sign can differ.
  const std::vector<std::complex<double>> a = ToComplexes(actual), e = ToComplexes(expected);
  for (size_t i = 0; i < e.size(); ++i) {
    if (!std::isnan(e[i].real()) && std::signbit(a[i].real()) != std::signbit(e[i].real())) {
      return StrCat("element ", i, " is a zero of the other sign");
    }
  }
  return "";
}

double DefaultTolerance(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return 1.5e-3;
    case DType::kBFloat16:
      return 1.2e-2;
    case DType::kFloat32:
    case DType::kComplex64:
      return 2e-6;
    case DType::kFloat64:
    case DType::kComplex128:
      return 1e-13;
    default:
      return 0;
  }
}

Reference Elementwise(double (*f)(double)) {
  return Broadcasting(1, [f](const std::vector<double>& x) { return f(x[0]); });
}
Reference Elementwise(double (*f)(double, double)) {
  return Broadcasting(2, [f](const std::vector<double>& x) { return f(x[0], x[1]); });
}
Reference Elementwise(double (*f)(double, double, double)) {
  return Broadcasting(3, [f](const std::vector<double>& x) { return f(x[0], x[1], x[2]); });
}

}  // namespace headrace::testing

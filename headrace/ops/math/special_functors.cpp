#include "headrace/ops/math/special_functors.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "headrace/ops/math/functors.h"

namespace headrace::fn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon() / 2;
constexpr double kTiny = 1e-290;
constexpr int kMostTerms = 20000;

// A number with its derivative with respect to the parameter a.
struct Dual {
  double value = 0, slope = 0;
  Dual() = default;
  Dual(double v) : value(v) {}  // NOLINT: a constant
  Dual(double v, double s) : value(v), slope(s) {}
};
Dual operator+(Dual x, Dual y) {
  return {x.value + y.value, x.slope + y.slope};
}
Dual operator*(Dual x, Dual y) {
  return {x.value * y.value, x.slope * y.value + x.value * y.slope};
}
Dual operator/(Dual x, Dual y) {
  const double q = x.value / y.value;
  return {q, (x.slope - q * y.slope) / y.value};
}

double Value(double x) {
  return x;
}
double Value(Dual x) {
  return x.value;
}
bool IsSmall(double change, double total) {
  return std::abs(change) <= kEpsilon * std::abs(total);
}
bool IsSmall(Dual change, Dual total) {
  return IsSmall(change.value, total.value) &&
         std::abs(change.slope) <= kEpsilon * std::abs(total.slope);
}

// P(a, x) = x^a e^-x / gamma(a + 1) times this. For x not much above a.
template <class N>
N LowerSeries(N a, double x) {
  N term(1.0), sum(1.0);
  for (int n = 1; n < kMostTerms; ++n) {
    term = term * (N(x) / (a + N(n)));
    sum = sum + term;
    if (IsSmall(term, sum)) break;
  }
  return sum;
}

// 1 - P(a, x) = x^a e^-x / gamma(a) times this. For x above a + 1.
template <class N>
N UpperFraction(N a, double x) {
  N b = N(x + 1) + N(-1.0) * a;
  N c(1 / kTiny), d = N(1.0) / b, h = d;
  for (int i = 1; i < kMostTerms; ++i) {
    const N factor = N(-i) * (N(i) + N(-1.0) * a);
    b = b + N(2.0);
    d = factor * d + b;
    if (std::abs(Value(d)) < kTiny) d = N(kTiny);
    c = b + factor / c;
    if (std::abs(Value(c)) < kTiny) c = N(kTiny);
    d = N(1.0) / d;
    const N step = d * c, before = h;
    h = h * step;
    if (IsSmall(h + N(-1.0) * before, h)) break;
  }
  return h;
}

bool UsesSeries(double a, double x) {
  return x < a + 1;
}

double LogGamma(double x) {
  return Lgamma{}(x);
}

double LowerBySeries(double a, double x) {
  return std::exp(a * std::log(x) - x - LogGamma(a + 1)) * LowerSeries(a, x);
}
double UpperByFraction(double a, double x) {
  return std::exp(a * std::log(x) - x - LogGamma(a)) * UpperFraction(a, x);
}

bool IsDefined(double a, double x) {
  return a > 0 && x >= 0;  // false for NaN
}

}  // namespace

double LowerGamma(double a, double x) {
  if (x == 0) return 0;  // for every a, as TensorFlow
  if (!IsDefined(a, x)) return kNan;
  if (std::isinf(x)) return std::isinf(a) ? kNan : 1;
  if (std::isinf(a)) return 0;
  return UsesSeries(a, x) ? LowerBySeries(a, x) : 1 - UpperByFraction(a, x);
}

double UpperGamma(double a, double x) {
  if (!IsDefined(a, x)) return kNan;
  if (x == 0) return 1;
  if (std::isinf(x)) return std::isinf(a) ? kNan : 0;
  if (std::isinf(a)) return 1;
  return UsesSeries(a, x) ? 1 - LowerBySeries(a, x) : UpperByFraction(a, x);
}

double LowerGammaDerivative(double a, double x) {
  if (!IsDefined(a, x)) return kNan;
  if (x == 0 || std::isinf(x)) return std::isinf(a) ? kNan : 0;
  if (std::isinf(a)) return 0;
  const double log_x = std::log(x);
  if (UsesSeries(a, x)) {
    const Dual sum = LowerSeries(Dual(a, 1), x);
    const double slope = sum.value * (log_x - Digamma{}(a + 1)) + sum.slope;
    return std::exp(a * log_x - x - LogGamma(a + 1)) * slope;
  }
  const Dual fraction = UpperFraction(Dual(a, 1), x);
  const double slope = fraction.value * (log_x - Digamma{}(a)) + fraction.slope;
  return -std::exp(a * log_x - x - LogGamma(a)) * slope;
}

// The density is x^(a-1) e^-x / gamma(a): what P's derivative shares with it never over- or
// underflows here, because it is left out.
double GammaSampleDerivative(double a, double x) {
  if (!IsDefined(a, x)) return kNan;
  if (x == 0) return 0;
  if (std::isinf(a) || std::isinf(x)) return kNan;
  const double log_x = std::log(x);
  if (UsesSeries(a, x)) {
    const Dual sum = LowerSeries(Dual(a, 1), x);
    return -(sum.value * (log_x - Digamma{}(a + 1)) + sum.slope) * x / a;
  }
  const Dual fraction = UpperFraction(Dual(a, 1), x);
  return (fraction.value * (log_x - Digamma{}(a)) + fraction.slope) * x;
}

namespace {

double BetaFraction(double a, double b, double x) {
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  if (std::abs(d) < kTiny) d = kTiny;
  d = 1 / d;
  double h = d;
  const auto step = [&](double factor) {
    d = 1 + factor * d;
    if (std::abs(d) < kTiny) d = kTiny;
    c = 1 + factor / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    h *= d * c;
    return d * c;
  };
  for (int m = 1; m < kMostTerms; ++m) {
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    const double change = step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(change - 1) <= 2 * kEpsilon) break;
  }
  return h;
}

}  // namespace

double IncompleteBeta(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0) || !(x <= 1)) return kNan;
  if (x == 0 || x == 1) return x;
  if (std::isinf(a) || std::isinf(b)) return std::isinf(a) && std::isinf(b) ? kNan : std::isinf(b);
  const double log_front =
      a * std::log(x) + b * std::log1p(-x) - (LogGamma(a) + LogGamma(b) - LogGamma(a + b));
  const double front = std::exp(log_front);
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x) / a;
  return 1 - front * BetaFraction(b, a, 1 - x) / b;
}

double ScaledBesselI(int order, double x) {
  const double z = std::abs(x);
  double result;
  if (std::isnan(z)) return z;
  if (std::isinf(z)) return 0 * (order == 1 && x < 0 ? -1.0 : 1.0);
  if (z < 30) {  // all terms are positive
    double term = order == 0 ? 1 : z / 2, sum = term;
    for (int k = 1; k < kMostTerms; ++k) {
      term *= z * z / 4 / (static_cast<double>(k) * (k + order));
      sum += term;
      if (term <= kEpsilon * sum) break;
    }
    result = std::exp(-z) * sum;
  } else {
    double term = 1, sum = 1;
    for (int k = 1; k < 60; ++k) {
      const double odd = 2 * k - 1;
      term *= (odd * odd - 4 * order) / (8 * z * k);
      sum += term;
      if (std::abs(term) <= kEpsilon * std::abs(sum)) break;
    }
    result = sum / std::sqrt(2 * std::numbers::pi * z);
  }
  return order == 1 && x < 0 ? -result : result;
}

}  // namespace headrace::fn

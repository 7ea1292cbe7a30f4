#include <algorithm>
#include <cmath>
#include <numbers>

#include "headrace/ops/linalg/fft_plan.h"

namespace headrace {
namespace {

constexpr int kMostRadix = 13;  // larger prime factors go by the chirp

// exp(-2 pi i k / n), exact at the quarters.
template <class T>
std::complex<T> Root(int64_t k, int64_t n) {
  k %= n;
  const bool lower = 2 * k > n;  // by symmetry, angles in [0, pi]
  if (lower) k = n - k;
  double c, s;
  if (8 * k <= n) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    c = std::cos(angle), s = std::sin(angle);
  } else if (8 * k <= 3 * n) {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(n - 4 * k) / static_cast<double>(4 * n);
    c = std::sin(angle), s = std::cos(angle);
  } else {
    const double angle =
        2 * std::numbers::pi * static_cast<double>(n - 2 * k) / static_cast<double>(2 * n);
    c = -std::cos(angle), s = std::sin(angle);
  }
  return {static_cast<T>(c), static_cast<T>(lower ? s : -s)};
}

// Without the special cases for infinities that operator* has.
template <class T>
std::complex<T> Times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
// a * -i, or a * i in the inverse.
template <class T, bool kInverse>
std::complex<T> Turned(std::complex<T> a) {
  if constexpr (kInverse) return {-a.imag(), a.real()};
  return {a.imag(), -a.real()};
}
template <class T, bool kInverse>
std::complex<T> Directed(std::complex<T> w) {
  if constexpr (kInverse) return std::conj(w);
  return w;
}

// The transform of `radix` numbers in place.
template <class T, bool kInverse>
inline void Butterfly(int radix, std::complex<T>* a, const std::complex<T>* roots) {
  using C = std::complex<T>;
  if (radix == 2) {
    const C b = a[1];
    a[1] = a[0] - b;
    a[0] += b;
  } else if (radix == 3) {
    constexpr T kHalfRoot = static_cast<T>(0.86602540378443864676);
    const C sum = a[1] + a[2], turned = Turned<T, kInverse>((a[1] - a[2]) * kHalfRoot);
    const C middle = a[0] - sum * T(0.5);
    a[0] += sum;
    a[1] = middle + turned;
    a[2] = middle - turned;
  } else if (radix == 4) {
    const C s02 = a[0] + a[2], d02 = a[0] - a[2];
    const C s13 = a[1] + a[3], d13 = Turned<T, kInverse>(a[1] - a[3]);
    a[0] = s02 + s13;
    a[1] = d02 + d13;
    a[2] = s02 - s13;
    a[3] = d02 - d13;
  } else {
    C out[kMostRadix];
    for (int k = 0; k < radix; ++k) {
      C sum = a[0];
      for (int j = 1; j < radix; ++j)
        sum += Times(a[j], Directed<T, kInverse>(roots[j * k % radix]));
      out[k] = sum;
    }
    std::copy_n(out, radix, a);
  }
}

// One step of Stockham's algorithm: `before` interleaved transforms become radix times as long. A
// radix known to the compiler makes it a straight line.
template <class T, bool kInverse, int kRadix>
void RunStep(int any_radix, int64_t before, int64_t after, const std::complex<T>* twiddles,
             const std::complex<T>* roots, const std::complex<T>* from, std::complex<T>* to) {
  using C = std::complex<T>;
  const int radix = kRadix > 0 ? kRadix : any_radix;
  C a[kRadix > 0 ? kRadix : kMostRadix];
  for (int64_t p = 0; p < after; ++p) {
    const C* w = twiddles + p * (radix - 1);
    for (int64_t q = 0; q < before; ++q) {
      for (int j = 0; j < radix; ++j) a[j] = from[q + before * (p + after * j)];
      Butterfly<T, kInverse>(radix, a, roots);
      C* out = to + q + before * radix * p;
      out[0] = a[0];
      for (int j = 1; j < radix; ++j)
        out[before * j] = Times(a[j], Directed<T, kInverse>(w[j - 1]));
    }
  }
}

// The step for a radix; 0: any.
template <class T, bool kInverse>
auto StepFor(int radix) {
  return radix == 2   ? RunStep<T, kInverse, 2>
         : radix == 3 ? RunStep<T, kInverse, 3>
         : radix == 4 ? RunStep<T, kInverse, 4>
                      : RunStep<T, kInverse, 0>;
}

// The prime factors of n, pairs of 2 as 4; the largest is the last.
std::vector<int64_t> Factors(int64_t n) {
  std::vector<int64_t> factors;
  for (; n % 4 == 0; n /= 4) factors.push_back(4);
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

}  // namespace

template <class T>
FftPlan<T>::FftPlan(int64_t n) : n_(n) {
  const std::vector<int64_t> factors = Factors(n);
  if (!factors.empty() && *std::max_element(factors.begin(), factors.end()) > kMostRadix) {
    int64_t padded = 1;
    while (padded < 2 * n - 1) padded *= 2;
    padded_ = std::make_unique<const FftPlan>(padded);
    scratch_size_ = padded + padded_->scratch_size();
    for (int64_t k = 0; k < n; ++k)
      chirp_.push_back(Root<T>(static_cast<int64_t>(static_cast<unsigned __int128>(k) *
                                                    static_cast<unsigned __int128>(k) %
                                                    static_cast<unsigned __int128>(2 * n)),
                               2 * n));
    filter_.resize(static_cast<size_t>(padded));
    for (int64_t k = 0; k < n; ++k) {
      filter_[static_cast<size_t>(k)] = std::conj(chirp_[static_cast<size_t>(k)]);
      if (k > 0) filter_[static_cast<size_t>(padded - k)] = filter_[static_cast<size_t>(k)];
    }
    std::vector<Complex> scratch(static_cast<size_t>(padded_->scratch_size()));
    padded_->Run(filter_.data(), false, scratch.data());
    for (Complex& f : filter_) f /= static_cast<T>(padded);
    return;
  }
  scratch_size_ = n;
  int64_t before = 1;
  for (int64_t factor : factors) {
    const int radix = static_cast<int>(factor);
    const int64_t length = n / before, after = length / radix;
    Step step{.radix = radix, .before = before};
    for (int64_t p = 0; p < after; ++p) {
      for (int64_t j = 1; j < radix; ++j) step.twiddles.push_back(Root<T>(p * j, length));
    }
    for (int64_t j = 0; radix > 4 && j < radix; ++j) step.roots.push_back(Root<T>(j, radix));
    steps_.push_back(std::move(step));
    before *= radix;
  }
}

template <class T>
void FftPlan<T>::Run(Complex* x, bool inverse, Complex* scratch) const {
  if (padded_ != nullptr) return RunChirp(x, inverse, scratch);
  RunSteps(x, inverse, scratch);
}

template <class T>
void FftPlan<T>::RunSteps(Complex* x, bool inverse, Complex* scratch) const {
  Complex *from = x, *to = scratch;
  for (const Step& step : steps_) {
    const int64_t after = n_ / (step.before * step.radix);
    (inverse ? StepFor<T, true>(step.radix) : StepFor<T, false>(step.radix))(
        step.radix, step.before, after, step.twiddles.data(), step.roots.data(), from, to);
    std::swap(from, to);
  }
  if (from != x) std::copy_n(from, n_, x);
}

template <class T>
void FftPlan<T>::RunChirp(Complex* x, bool inverse, Complex* scratch) const {
  // Of the conjugate, the inverse is the conjugate.
  const auto directed = [inverse](Complex z) { return inverse ? std::conj(z) : z; };
  const int64_t padded = padded_->size();
  Complex *y = scratch, *rest = scratch + padded;
  for (int64_t k = 0; k < n_; ++k) y[k] = Times(directed(x[k]), chirp_[static_cast<size_t>(k)]);
  std::fill(y + n_, y + padded, Complex());
  padded_->Run(y, false, rest);
  for (int64_t k = 0; k < padded; ++k) y[k] = Times(y[k], filter_[static_cast<size_t>(k)]);
  padded_->Run(y, true, rest);
  for (int64_t k = 0; k < n_; ++k) x[k] = directed(Times(y[k], chirp_[static_cast<size_t>(k)]));
}

template <class T>
RealFftPlan<T>::RealFftPlan(int64_t n) : n_(n), plan_(n % 2 == 0 ? n / 2 : n) {
  for (int64_t k = 0; n % 2 == 0 && k < n / 2; ++k) roots_.push_back(Root<T>(k, n));
}

template <class T>
void RealFftPlan<T>::Forward(const T* x, Complex* spectrum, Complex* scratch) const {
  Complex *z = scratch, *rest = scratch + plan_.size();
  if (n_ % 2 != 0) {
    std::copy_n(x, n_, z);
    plan_.Run(z, false, rest);
    std::copy_n(z, n_ / 2 + 1, spectrum);
    return;
  }
  const int64_t half = n_ / 2;
  for (int64_t j = 0; j < half; ++j) z[j] = Complex(x[2 * j], x[2 * j + 1]);
  plan_.Run(z, false, rest);
  spectrum[0] = Complex(z[0].real() + z[0].imag(), 0);
  spectrum[half] = Complex(z[0].real() - z[0].imag(), 0);
  for (int64_t k = 1; k < half; ++k) {
    const Complex a = z[k], b = std::conj(z[half - k]);
    const Complex even = a + b, odd = Turned<T, false>(a - b);
    spectrum[k] = (even + Times(odd, roots_[static_cast<size_t>(k)])) * T(0.5);
  }
}

template <class T>
void RealFftPlan<T>::Inverse(const Complex* spectrum, T* x, Complex* scratch) const {
  Complex *z = scratch, *rest = scratch + plan_.size();
  if (n_ % 2 != 0) {
    z[0] = spectrum[0].real();
    for (int64_t k = 1; k <= n_ / 2; ++k) {
      z[k] = spectrum[k];
      z[n_ - k] = std::conj(spectrum[k]);
    }
    plan_.Run(z, true, rest);
    for (int64_t j = 0; j < n_; ++j) x[j] = z[j].real();
    return;
  }
  const int64_t half = n_ / 2;
  const T first = spectrum[0].real(), last = spectrum[half].real();
  z[0] = Complex(first + last, first - last);
  for (int64_t k = 1; k < half; ++k) {
    const Complex a = spectrum[k], b = std::conj(spectrum[half - k]);
    const Complex odd = Times(a - b, std::conj(roots_[static_cast<size_t>(k)]));
    z[k] = a + b + Turned<T, true>(odd);
  }
  plan_.Run(z, true, rest);
  for (int64_t j = 0; j < half; ++j) {
    x[2 * j] = z[j].real();
    x[2 * j + 1] = z[j].imag();
  }
}

template class FftPlan<float>;
template class FftPlan<double>;
template class RealFftPlan<float>;
template class RealFftPlan<double>;

}  // namespace headrace

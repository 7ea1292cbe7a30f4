// Discrete Fourier transforms of one length, for the kernels.
//
//   FftPlan<float> plan(12);
//   std::vector<std::complex<float>> scratch(plan.scratch_size());
//   plan.Run(x, /*inverse=*/false, scratch.data());      // x[12], in place, not scaled
//
// Our own: Debian has FFTW (GPL), KissFFT (and Eigen's copy of it), which takes n^2 steps for
// primes, and pocketfft only inside Python packages. Lengths of small prime factors are done by
// mixed radix steps 4, 2, 3, 5 and so on (Stockham's, which needs no reordering); others by
// Bluestein's chirp, a convolution of a power of 2. Every length takes O(n log n). Twiddle factors
// are computed in float64. Source: Van Loan, Computational Frameworks for the Fast Fourier
// Transform, 1992.
//
// A plan does not change after it is made: several threads may run it, each with its own scratch.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace headrace {

template <class T>
class FftPlan {
 public:
  using Complex = std::complex<T>;

  explicit FftPlan(int64_t n);  // REQUIRES: n >= 1

  int64_t size() const { return n_; }
  int64_t scratch_size() const { return scratch_size_; }
  // x[k] = sum_j x[j] * exp(-2 pi i j k / n); inverse: with +. Not divided by n.
  void Run(Complex* x, bool inverse, Complex* scratch) const;

 private:
  struct Step {
    int radix;
    int64_t before;                 // product of the radices of earlier steps
    std::vector<Complex> twiddles;  // [n / (before * radix)][radix - 1]
    std::vector<Complex> roots;     // of radix itself, for radices above 5
  };

  void RunSteps(Complex* x, bool inverse, Complex* scratch) const;
  void RunChirp(Complex* x, bool inverse, Complex* scratch) const;

  int64_t n_ = 1, scratch_size_ = 0;
  std::vector<Step> steps_;
  // Bluestein's: exp(-pi i k^2 / n), and the transform of the filter, of the length of `padded_`.
  std::vector<Complex> chirp_, filter_;
  std::unique_ptr<const FftPlan> padded_;
};

// Of n real numbers, to and from the n / 2 + 1 that are not redundant. Even lengths are done by a
// complex transform of half the length.
template <class T>
class RealFftPlan {
 public:
  using Complex = std::complex<T>;

  explicit RealFftPlan(int64_t n);  // REQUIRES: n >= 1

  int64_t size() const { return n_; }
  int64_t scratch_size() const { return plan_.size() + plan_.scratch_size(); }
  void Forward(const T* x, Complex* spectrum, Complex* scratch) const;
  // Not divided by n. Imaginary parts that a real signal cannot have (at 0 and n / 2) do not count.
  void Inverse(const Complex* spectrum, T* x, Complex* scratch) const;

 private:
  int64_t n_;
  FftPlan<T> plan_;
  std::vector<Complex> roots_;  // exp(-2 pi i k / n) for even n
};

extern template class FftPlan<float>;
extern template class FftPlan<double>;
extern template class RealFftPlan<float>;
extern template class RealFftPlan<double>;

}  // namespace headrace

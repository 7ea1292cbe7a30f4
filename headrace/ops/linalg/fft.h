// Discrete Fourier transforms over the last one, two or three dimensions.
//
//   Output spectrum = RFFT(frames);  // [..., n] float32 -> [..., n / 2 + 1] complex64
//   Output frames = IRFFT(spectrum, {.fft_length = IntArg({512})});
#pragma once

#include <optional>

#include "headrace/ops/array/int_arg.h"
#include "headrace/ops/options.h"

namespace headrace {

// Of complex numbers; the inverse is divided by the number of elements. Any length takes O(n log
// n). Shapes: `[..., n] -> [..., n]` (2D: `[..., m, n]`, and so on). DTypes: complex64, complex128.
// Errors: InvalidArgument for a rank below that of the transform. Gradient: the opposite transform,
// differentiable again. Source: TensorFlow FFT, IFFT, FFT2D, IFFT2D, FFT3D, IFFT3D.
Output FFT(Output x, OpOptions o = {}, Location where = Location::Current());
Output IFFT(Output x, OpOptions o = {}, Location where = Location::Current());
Output FFT2D(Output x, OpOptions o = {}, Location where = Location::Current());
Output IFFT2D(Output x, OpOptions o = {}, Location where = Location::Current());
Output FFT3D(Output x, OpOptions o = {}, Location where = Location::Current());
Output IFFT3D(Output x, OpOptions o = {}, Location where = Location::Current());

struct RealFftOptions {
  // Lengths of the transformed dimensions, of the real side; else those of the input (its last one
  // 2
  // * (n - 1) for the inverse). A shorter input is padded with zeros, a longer one is cut.
  std::optional<IntArg> fft_length;
  std::string name;  // "" = "rfft", "irfft2d", ...
};
// Of real numbers: only the half of the last dimension that is not redundant. Shapes: `[..., n]
// float32 -> [..., fft_length / 2 + 1] complex64`, the inverse back to `[..., fft_length]`. Errors:
// InvalidArgument "fft_length must have shape [1]", or for a negative length. Gradient: of 1D and
// 2D the opposite transform and terms for the half that is left out, differentiable again; of 3D
// error, as in TensorFlow. Source: TensorFlow RFFT, IRFFT and so on; tf.signal.rfft for the
// padding.
Output RFFT(Output x, RealFftOptions o = {}, Location where = Location::Current());
Output IRFFT(Output x, RealFftOptions o = {}, Location where = Location::Current());
Output RFFT2D(Output x, RealFftOptions o = {}, Location where = Location::Current());
Output IRFFT2D(Output x, RealFftOptions o = {}, Location where = Location::Current());
Output RFFT3D(Output x, RealFftOptions o = {}, Location where = Location::Current());
Output IRFFT3D(Output x, RealFftOptions o = {}, Location where = Location::Current());

}  // namespace headrace

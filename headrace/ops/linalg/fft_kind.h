// What the name of a Fourier transform says.
#pragma once

#include <string_view>

namespace headrace {

struct FftKind {
  int rank = 1;
  bool inverse = false;
  bool real = false;  // one side is of real numbers

  static FftKind Of(std::string_view op);  // "FFT", "IRFFT2D", "BatchIFFT3D"
};

}  // namespace headrace

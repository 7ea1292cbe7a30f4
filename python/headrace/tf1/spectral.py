"""tf.spectral: the Fourier transforms of tf.signal under their older names."""
from headrace.tf1.signal import fft, fft2d, fft3d, ifft, ifft2d, ifft3d, irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d

// Incomplete gamma and beta functions and Bessel functions, of single numbers, in float64.
//
//   double p = fn::LowerGamma(2.5, 1.0);
//   double d = fn::GammaSampleDerivative(2.5, 1.0);    // of a sample with respect to the shape
#pragma once

namespace headrace::fn {

// P(a, x) and 1 - P(a, x). Source: Abramowitz and Stegun 6.5.29 (series), 6.5.31 (continued
// fraction, by Lentz's method).
double LowerGamma(double a, double x);
double UpperGamma(double a, double x);
// The derivative of P with respect to a: the same series and fraction, differentiated.
double LowerGammaDerivative(double a, double x);
// d sample / d alpha of a gamma distributed sample, by implicit differentiation. Source: Figurnov
// et al., Implicit Reparameterization Gradients, 2018.
double GammaSampleDerivative(double alpha, double sample);
// I_x(a, b). Source: Abramowitz and Stegun 26.5.8 (continued fraction), 26.5.2 (symmetry).
double IncompleteBeta(double a, double b, double x);
// exp(-|x|) I_order(x) of order 0 or 1. Source: Abramowitz and Stegun 9.6.10, 9.7.1.
double ScaledBesselI(int order, double x);

}  // namespace headrace::fn

#include "headrace/ops/linalg/fft.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/linalg/fft_gradients.h"
#include "headrace/ops/linalg/fft_kernels.h"
#include "headrace/ops/linalg/fft_kind.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

Status CheckRank(const ShapeContext& c, int rank) {
  const PartialShape& shape = c.input(0);
  if (!shape.has_rank() || shape.rank() >= rank) return absl::OkStatus();
  return InvalidArgument("Input must have rank of at least ", rank, " but got: ", shape.ToString());
}

Status FftShape(ShapeContext& c) {
  HR_RETURN_IF_ERROR(CheckRank(c, FftKind::Of(c.node().op_name()).rank));
  return c.SetOutput(0, c.input(0));
}

Status RealFftShape(ShapeContext& c) {
  const FftKind kind = FftKind::Of(c.node().op_name());
  HR_RETURN_IF_ERROR(CheckRank(c, kind.rank));
  const PartialShape& lengths = c.input(1);
  if (lengths.has_rank() && (lengths.rank() != 1 || (lengths[0] >= 0 && lengths[0] != kind.rank)))
    return InvalidArgument("fft_length must have shape [", kind.rank, "]");
  PartialShape out = c.input(0);
  if (!out.has_rank()) return c.SetOutput(0, out);
  const auto values = c.InputAsInts(1);
  for (int i = 0; i < kind.rank; ++i) {
    const int axis = out.rank() - kind.rank + i;
    if (!values.has_value()) {
      out.set_dim(axis, PartialShape::kUnknown);
      continue;
    }
    const int64_t length = (*values)[static_cast<size_t>(i)], given = out[axis];
    if (length < 0) return InvalidArgument("fft_length[", i, "] must be >= 0, but got: ", length);
    const bool innermost = i == kind.rank - 1;
    const int64_t half = length == 0 ? 0 : length / 2 + 1;
    const int64_t least = innermost && kind.inverse ? half : length;
    if (given > 0 && given < least) {
      return InvalidArgument("Input dimension ", axis, " must have length of at least ", least,
                             " but got: ", given);
    }
    out.set_dim(axis, innermost && !kind.inverse ? half : length);
  }
  return c.SetOutput(0, out);
}

Output Complex(std::string_view op, Output x, const OpOptions& o, Location where) {
  return NodeBuilder(op, o.name, where).Input(x).Build();
}

void DefineComplex(OpRegistry& ops, std::string_view name, GradientFn gradient) {
  ops.Define(name)
      .Input("input", "Tcomplex")
      .Output("output", "Tcomplex")
      .TypeAttr("Tcomplex", kComplexTypes, DType::kComplex64)
      .Shape(FftShape)
      .Gradient(gradient)
      .InPlace(0, 0)
      .Cpu({.make = MakeFftCpu})
      .Gpu({})
      .Doc(StrCat("Discrete Fourier transform ", name, "."));
}

void DefineOld(OpRegistry& ops, std::string_view name, GradientFn gradient) {
  ops.Define(StrCat("Batch", name))
      .Input("input", "complex64")
      .Output("output", "complex64")
      .Shape(FftShape)
      .Gradient(gradient)
      .InPlace(0, 0)
      .Cpu({.make = MakeFftCpu})
      .Gpu({})
      .Doc(StrCat(name, " by its old name."));
}

OpDef& DefineReal(OpRegistry& ops, std::string_view name, bool inverse) {
  return ops.Define(name)
      .Input("input", inverse ? "complex64" : "float32")
      .Input("fft_length", "int32")
      .Output("output", inverse ? "float32" : "complex64")
      .Shape(RealFftShape)
      .Cpu({.make = MakeRealFftCpu})
      .Gpu({.host_args = {"fft_length"}})
      .Doc(StrCat("Discrete Fourier transform ", name, " of real numbers."));
}

}  // namespace

FftKind FftKind::Of(std::string_view op) {
  if (op.starts_with("Batch")) op.remove_prefix(5);
  FftKind kind;
  kind.inverse = op.starts_with("I");
  if (kind.inverse) op.remove_prefix(1);
  kind.real = op.starts_with("R");
  kind.rank = op.ends_with("3D") ? 3 : op.ends_with("2D") ? 2 : 1;
  return kind;
}

Output FFT(Output x, OpOptions o, Location where) {
  return Complex("FFT", x, o, where);
}
Output IFFT(Output x, OpOptions o, Location where) {
  return Complex("IFFT", x, o, where);
}
Output FFT2D(Output x, OpOptions o, Location where) {
  return Complex("FFT2D", x, o, where);
}
Output IFFT2D(Output x, OpOptions o, Location where) {
  return Complex("IFFT2D", x, o, where);
}
Output FFT3D(Output x, OpOptions o, Location where) {
  return Complex("FFT3D", x, o, where);
}
Output IFFT3D(Output x, OpOptions o, Location where) {
  return Complex("IFFT3D", x, o, where);
}

void DefineFft(OpRegistry& ops) {
  for (const char* name : {"FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D"}) {
    DefineComplex(ops, name, FftGradient);
    DefineOld(ops, name, FftGradient);
  }
  DefineReal(ops, "RFFT", false).Gradient(RfftGradient);
  DefineReal(ops, "IRFFT", true).Gradient(IrfftGradient);
  DefineReal(ops, "RFFT2D", false).Gradient(RfftGradient);
  DefineReal(ops, "IRFFT2D", true).Gradient(IrfftGradient);
  DefineReal(ops, "RFFT3D", false);
  DefineReal(ops, "IRFFT3D", true);
}

}  // namespace headrace

#include "headrace/ops/linalg/diag.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/linalg/diag_band.h"
#include "headrace/ops/linalg/diag_gradients.h"
#include "headrace/ops/linalg/diag_kernels.h"
#include "headrace/ops/linalg/matrix_shapes.h"
#include "headrace/ops/linalg/types.h"

namespace headrace {
namespace {

bool IsVersion2(const ShapeContext& c) {
  return c.node().op_name().ends_with("V2");
}

Status CheckRank(int rank) {
  if (rank <= kMaxRank) return absl::OkStatus();
  return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ", rank);
}

Status DiagShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return c.SetOutput(0, PartialShape());
  if (in.rank() < 1 || 2 * in.rank() > kMaxRank) {
    return InvalidArgument("Input must be of rank 1 to ", kMaxRank / 2, ", got shape ",
                           in.ToString());
  }
  PartialShape out = in;
  for (int i = 0; i < in.rank(); ++i) out.Append(in[i]);
  return c.SetOutput(0, out);
}

Status DiagPartShape(ShapeContext& c) {
  const PartialShape& in = c.input(0);
  if (!in.has_rank()) return c.SetOutput(0, PartialShape());
  if (in.rank() == 0 || in.rank() % 2 != 0) {
    return InvalidArgument("Input must have even and non-zero rank, input rank is ", in.rank());
  }
  const int half = in.rank() / 2;
  const PartialShape first(in.dims().first(half)), second(in.dims().last(half));
  const StatusOr<PartialShape> out = first.MergedWith(second);
  if (!out.ok()) {
    return InvalidArgument("Invalid shape ", in.ToString(),
                           ": the halves of its dimensions must be equal");
  }
  return c.SetOutput(0, *out);
}

// The number of rows or columns that input `i` of MatrixDiagV2 asks for: -1 if it leaves it open,
// nothing while its value is not known.
StatusOr<std::optional<int64_t>> AskedSize(const ShapeContext& c, int i) {
  const Tensor* value = c.input_value(i);
  if (value == nullptr) return std::nullopt;
  HR_ASSIGN_OR_RETURN(const int64_t size, IntScalar(*value, i == 2 ? "num_rows" : "num_cols"));
  return size;
}

Status MatrixDiagV2Shape(ShapeContext& c) {
  const PartialShape& diagonal = c.input(0);
  HR_RETURN_IF_ERROR(c.CheckScalar(4));
  HR_ASSIGN_OR_RETURN(const std::optional<DiagBand> band, DiagBandOf(c, 1));
  HR_ASSIGN_OR_RETURN(const std::optional<int64_t> asked_rows, AskedSize(c, 2));
  HR_ASSIGN_OR_RETURN(const std::optional<int64_t> asked_cols, AskedSize(c, 3));
  HR_RETURN_IF_ERROR(c.WithRankAtLeast(0, band && band->count() > 1 ? 2 : 1).status());
  if (!diagonal.has_rank() || !band) return c.SetOutput(0, PartialShape());
  const int rank = diagonal.rank();
  HR_RETURN_IF_ERROR(CheckRank(band->count() > 1 ? rank : rank + 1));
  if (band->count() > 1 && diagonal[rank - 2] >= 0 && diagonal[rank - 2] != band->count()) {
    return InvalidArgument(
        "The number of diagonals provided in the input does not match the lower_diag_index and "
        "upper_diag_index range.");
  }
  PartialShape out(diagonal.dims().first(rank - (band->count() > 1 ? 2 : 1)));
  const int64_t longest = diagonal[rank - 1];
  if (longest < 0 || !asked_rows || !asked_cols) {
    out.Append(PartialShape::kUnknown);
    out.Append(PartialShape::kUnknown);
    return c.SetOutput(0, out);
  }
  const int64_t least_rows = longest - std::min<int64_t>(band->upper, 0);
  const int64_t least_cols = longest + std::max<int64_t>(band->lower, 0);
  int64_t rows = *asked_rows, cols = *asked_cols;
  if (rows != -1 && rows < least_rows)
    return InvalidArgument("The number of rows is too small: ", rows, ", must be >= ", least_rows);
  if (cols != -1 && cols < least_cols) {
    return InvalidArgument("The number of columns is too small: ", cols,
                           ", must be >= ", least_cols);
  }
  if (rows == -1 && cols == -1) {
    rows = cols = std::max(least_rows, least_cols);
  } else if (rows == -1) {
    rows = least_rows;
  } else if (cols == -1) {
    cols = least_cols;
  }
  if (rows != least_rows && cols != least_cols) {
    return InvalidArgument(
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and "
        "diagonal: of ",
        rows, " x ", cols, ", rows must be ", least_rows, " or columns ", least_cols);
  }
  out.Append(rows);
  out.Append(cols);
  return c.SetOutput(0, out);
}

Status MatrixDiagShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(PartialShape out, c.WithRankAtLeast(0, 1));
  HR_RETURN_IF_ERROR(CheckRank(out.rank() + 1));
  if (out.has_rank()) out.Append(out[out.rank() - 1]);
  return c.SetOutput(0, out);
}

// Dimensions of the diagonals that a batch of matrices has in a band.
StatusOr<PartialShape> DiagonalsOf(const MatrixBatch& m, const std::optional<DiagBand>& band) {
  if (!m.batch.has_rank() || !band) return PartialShape();
  PartialShape shape = m.batch;
  if (band->count() > 1) shape.Append(band->count());
  if (m.rows < 0 || m.cols < 0) {
    shape.Append(band->count() == 1 && band->lower == 0 ? KnownMin(m.rows, m.cols)
                                                        : PartialShape::kUnknown);
    return shape;
  }
  HR_RETURN_IF_ERROR(CheckBandFits(*band, m.rows, m.cols));
  shape.Append(band->LongestIn(m.rows, m.cols));
  return shape;
}

Status MatrixDiagPartShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch m, MatricesOf(c, 0));
  if (IsVersion2(c)) HR_RETURN_IF_ERROR(c.CheckScalar(2));
  HR_ASSIGN_OR_RETURN(const std::optional<DiagBand> band, DiagBandOf(c, IsVersion2(c) ? 1 : -1));
  HR_ASSIGN_OR_RETURN(const PartialShape out, DiagonalsOf(m, band));
  return c.SetOutput(0, out);
}

Status MatrixSetDiagShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(MatrixBatch m, MatricesOf(c, 0));
  HR_ASSIGN_OR_RETURN(const PartialShape diagonal, c.WithRankAtLeast(1, 1));
  HR_ASSIGN_OR_RETURN(const std::optional<DiagBand> band, DiagBandOf(c, IsVersion2(c) ? 2 : -1));
  HR_ASSIGN_OR_RETURN(const PartialShape wanted, DiagonalsOf(m, band));
  if (!wanted.IsCompatibleWith(diagonal)) {
    return InvalidArgument("diagonal of shape ", diagonal.ToString(),
                           " does not go with input of shape ", c.input(0).ToString(),
                           ": it must be ", wanted.ToString());
  }
  if (!m.batch.has_rank() || !diagonal.has_rank() || !band) return c.SetOutput(0, c.input(0));
  const PartialShape of_diagonal(diagonal.dims().first(m.batch.rank()));
  HR_ASSIGN_OR_RETURN(m.batch, CommonBatch(m.batch, of_diagonal));
  return c.SetOutput(0, m.With({m.rows, m.cols}));
}

Status MatrixBandPartShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const MatrixBatch m, MatricesOf(c, 0));
  const char* const names[] = {"num_lower", "num_upper"};
  const int64_t sizes[] = {m.rows, m.cols};
  for (int i = 0; i < 2; ++i) {
    HR_RETURN_IF_ERROR(c.CheckScalar(1 + i));
    const Tensor* value = c.input_value(1 + i);
    if (value == nullptr || sizes[i] < 0) continue;
    const int64_t number = IntAt(*value, 0);
    if (number > sizes[i]) {
      return InvalidArgument(names[i], " must be negative or less or equal to number of ",
                             i == 0 ? "rows" : "columns", " (", sizes[i], ") got: ", number);
    }
  }
  return c.SetOutput(0, c.input(0));
}

Output Scoped(std::string_view op, std::span<const Output> values, std::span<const IntArg> numbers,
              std::span<const std::string_view> names, const std::string& name, Location where) {
  for (const Output& value : values) {
    if (!value.valid()) return {};
  }
  for (const IntArg& number : numbers) {
    if (!number.valid()) return {};
  }
  Graph& g = *values[0].graph();
  const OpScope scope(g, name, op);
  NodeBuilder builder(g, op, scope.op_name(), where);
  // MatrixDiagV2 takes its numbers between two tensors, the others take them last but one or last.
  const size_t before = op == "MatrixSetDiagV2" ? 2 : 1;
  builder.Inputs(values.first(before));
  for (size_t i = 0; i < numbers.size(); ++i)
    builder.Input(numbers[i].In(g, names[i], DType::kInt32, where));
  builder.Inputs(values.subspan(before));
  return builder.Build();
}

constexpr DTypeSet kDiagTypes = (kFloat32And64 | kSignedIndex) | kComplexTypes;
constexpr DTypeSet kDiagAttrTypes = kDiagTypes | DTypeSet{DType::kFloat16, DType::kBFloat16};

DeviceSupport Moved(KernelFactory make) {
  return {.types = {{"T", kMatrixMovedTypes}}, .make = make};
}
DeviceSupport GpuMoved(std::vector<std::string> host_args = {}) {
  return {.types = {{"T", kGpuMatrixMovedTypes}}, .host_args = std::move(host_args)};
}

// Names from before the ops took batches.
void DefineOld(OpRegistry& ops) {
  ops.Define("BatchMatrixDiag")
      .Input("diagonal", "T")
      .Output("output", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixDiagShape)
      .Gradient(MatrixDiagGradient)
      .Cpu(Moved(MakeMatrixDiagCpu))
      .Gpu(GpuMoved())
      .Doc("MatrixDiag by its old name.");
  ops.Define("BatchMatrixDiagPart")
      .Input("input", "T")
      .Output("diagonal", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixDiagPartShape)
      .Gradient(MatrixDiagPartGradient)
      .Cpu(Moved(MakeMatrixDiagPartCpu))
      .Gpu(GpuMoved())
      .Doc("MatrixDiagPart by its old name.");
  ops.Define("BatchMatrixSetDiag")
      .Input("input", "T")
      .Input("diagonal", "T")
      .Output("output", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixSetDiagShape)
      .Gradient(MatrixSetDiagGradient)
      .InPlace(0, 0)
      .Cpu(Moved(MakeMatrixSetDiagCpu))
      .Gpu(GpuMoved())
      .Doc("MatrixSetDiag by its old name.");
  ops.Define("BatchMatrixBandPart")
      .Input("input", "T")
      .Input("num_lower", "int64")
      .Input("num_upper", "int64")
      .Output("band", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixBandPartShape)
      .Gradient(MatrixBandPartGradient)
      .InPlace(0, 0)
      .Cpu(Moved(MakeMatrixBandPartCpu))
      .Gpu(GpuMoved({"num_lower", "num_upper"}))
      .Doc("MatrixBandPart by its old name.");
}

void DefineVersions2(OpRegistry& ops) {
  ops.Define("MatrixDiagV2")
      .Input("diagonal", "T")
      .Input("k", "int32")
      .Input("num_rows", "int32")
      .Input("num_cols", "int32")
      .Input("padding_value", "T")
      .Output("output", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixDiagV2Shape)
      .Gradient(MatrixDiagV2Gradient)
      .Cpu(Moved(MakeMatrixDiagCpu))
      .Gpu(GpuMoved({"k", "num_rows", "num_cols", "padding_value"}))
      .Doc("Matrices with given diagonals.");
  ops.Define("MatrixDiagPartV2")
      .Input("input", "T")
      .Input("k", "int32")
      .Input("padding_value", "T")
      .Output("diagonal", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixDiagPartShape)
      .Gradient(MatrixDiagPartV2Gradient)
      .Cpu(Moved(MakeMatrixDiagPartCpu))
      .Gpu(GpuMoved({"k", "padding_value"}))
      .Doc("A band of diagonals of each matrix.");
  ops.Define("MatrixSetDiagV2")
      .Input("input", "T")
      .Input("diagonal", "T")
      .Input("k", "int32")
      .Output("output", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixSetDiagShape)
      .Gradient(MatrixSetDiagV2Gradient)
      .InPlace(0, 0)
      .Cpu(Moved(MakeMatrixSetDiagCpu))
      .Gpu(GpuMoved({"k"}))
      .Doc("Matrices with a band of diagonals replaced.");
}

}  // namespace

Output Diag(Output x, OpOptions o, Location where) {
  return NodeBuilder("Diag", o.name, where).Input(x).Build();
}
Output DiagPart(Output x, OpOptions o, Location where) {
  return NodeBuilder("DiagPart", o.name, where).Input(x).Build();
}
Output MatrixDiag(Output diagonal, OpOptions o, Location where) {
  return NodeBuilder("MatrixDiag", o.name, where).Input(diagonal).Build();
}
Output MatrixDiagPart(Output x, OpOptions o, Location where) {
  return NodeBuilder("MatrixDiagPart", o.name, where).Input(x).Build();
}
Output MatrixSetDiag(Output x, Output diagonal, OpOptions o, Location where) {
  return NodeBuilder("MatrixSetDiag", o.name, where).Input(x).Input(diagonal).Build();
}

Output MatrixDiagV2(Output diagonal, Output padding_value, MatrixDiagOptions o, Location where) {
  const Output values[] = {diagonal, padding_value};
  const IntArg numbers[] = {o.k, o.num_rows, o.num_cols};
  static constexpr std::string_view kNames[] = {"k", "num_rows", "num_cols"};
  return Scoped("MatrixDiagV2", values, numbers, kNames, o.name, where);
}
Output MatrixDiagPartV2(Output x, IntArg k, Output padding_value, OpOptions o, Location where) {
  const Output values[] = {x, padding_value};
  static constexpr std::string_view kNames[] = {"k"};
  return Scoped("MatrixDiagPartV2", values, std::span(&k, 1), kNames, o.name, where);
}
Output MatrixSetDiagV2(Output x, Output diagonal, IntArg k, OpOptions o, Location where) {
  const Output values[] = {x, diagonal};
  static constexpr std::string_view kNames[] = {"k"};
  return Scoped("MatrixSetDiagV2", values, std::span(&k, 1), kNames, o.name, where);
}

Output MatrixBandPart(Output x, IntArg num_lower, IntArg num_upper, OpOptions o, Location where) {
  if (!x.valid() || !num_lower.valid() || !num_upper.valid()) return {};
  Graph& g = *x.graph();
  const OpScope scope(g, o.name, "MatrixBandPart");
  const DType type = num_lower.is_output()   ? num_lower.output().value_dtype()
                     : num_upper.is_output() ? num_upper.output().value_dtype()
                                             : DType::kInt64;
  const Output lower = num_lower.In(g, "num_lower", type, where);
  const Output upper = num_upper.In(g, "num_upper", type, where);
  return NodeBuilder(g, "MatrixBandPart", scope.op_name(), where)
      .Input(x)
      .Input(lower)
      .Input(upper)
      .Build();
}

void DefineDiag(OpRegistry& ops) {
  ops.Define("Diag")
      .Input("diagonal", "T")
      .Output("output", "T")
      .TypeAttr("T", kDiagAttrTypes)
      .Shape(DiagShape)
      .Gradient(DiagGradient)
      .Cpu({.types = {{"T", kDiagTypes}}, .make = MakeDiagCpu})
      .Gpu({.types = {{"T", kDiagTypes}}})
      .Doc("A tensor with the given diagonal, zero elsewhere.");
  ops.Define("DiagPart")
      .Input("input", "T")
      .Output("diagonal", "T")
      .TypeAttr("T", kDiagAttrTypes)
      .Shape(DiagPartShape)
      .Gradient(DiagPartGradient)
      .Cpu({.types = {{"T", kDiagTypes}}, .make = MakeDiagPartCpu})
      .Gpu({.types = {{"T", kDiagTypes}}})
      .Doc("The diagonal of a tensor.");
  ops.Define("MatrixDiag")
      .Input("diagonal", "T")
      .Output("output", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixDiagShape)
      .Gradient(MatrixDiagGradient)
      .Cpu(Moved(MakeMatrixDiagCpu))
      .Gpu(GpuMoved())
      .Doc("Square matrices with given diagonals, zero elsewhere.");
  ops.Define("MatrixDiagPart")
      .Input("input", "T")
      .Output("diagonal", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixDiagPartShape)
      .Gradient(MatrixDiagPartGradient)
      .Cpu(Moved(MakeMatrixDiagPartCpu))
      .Gpu(GpuMoved())
      .Doc("The diagonal of each matrix.");
  ops.Define("MatrixSetDiag")
      .Input("input", "T")
      .Input("diagonal", "T")
      .Output("output", "T")
      .TypeAttr("T", kAllTypes)
      .Shape(MatrixSetDiagShape)
      .Gradient(MatrixSetDiagGradient)
      .InPlace(0, 0)
      .Cpu(Moved(MakeMatrixSetDiagCpu))
      .Gpu(GpuMoved())
      .Doc("Matrices with their diagonals replaced.");
  ops.Define("MatrixBandPart")
      .Input("input", "T")
      .Input("num_lower", "Tindex")
      .Input("num_upper", "Tindex")
      .Output("band", "T")
      .TypeAttr("T", kAllTypes)
      .TypeAttr("Tindex", kIndexTypes, DType::kInt64)
      .Shape(MatrixBandPartShape)
      .Gradient(MatrixBandPartGradient)
      .InPlace(0, 0)
      .Cpu(Moved(MakeMatrixBandPartCpu))
      .Gpu(GpuMoved({"num_lower", "num_upper"}))
      .Doc("Matrices with zeros outside a band around the diagonal.");
  DefineVersions2(ops);
  DefineOld(ops);
}

}  // namespace headrace

// Rules for element-wise ops, reductions, scans, products and neural networks; rules_array.cpp has
// the rest.
#include "tests/random_ops/rules.h"
#include "headrace/base/strings.h"

namespace headrace::random_ops {

DTypeSet TypesOf(const char* op, const char* attr) {
  const OpDef* def = OpRegistry::Global().Find(op);
  return def == nullptr
             ? DTypeSet()
             : def->SupportedTypes("CPU", attr) & (kNumberTypes | DTypeSet(DType::kBool));
}

void AppendNames(std::vector<Rule>& rules, std::initializer_list<const char*> names,
                 void (*make)(Generator&, const char*)) {
  for (const char* name : names) rules.push_back({name, make});
}

namespace {

void Unary(Generator& g, const char* op) {
  g.Try(op, {g.Any(TypesOf(op, "T"))});
}

void Logical(Generator& g, const char* op) {
  const Operand x = g.Any(DTypeSet(DType::kBool));
  if (std::string_view(op) == "LogicalNot") {
    g.Try(op, {x});
  } else {
    g.Try(op, {x, g.Partner(DType::kBool, g.ShapeOf(x))});
  }
}

void Binary(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"));
  const Operand y = g.Partner(g.TypeOf(x), g.ShapeOf(x));
  g.OneIn(2) ? g.Try(op, {x, y}) : g.Try(op, {y, x});
}

// Both operands of one shape.
void Pair(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"));
  g.Try(op, {x, g.Partner(g.TypeOf(x), g.ShapeOf(x), true)});
}

void ToComplex(Generator& g, const char* op) {
  const Operand x = g.Any(DTypeSet{DType::kFloat32, DType::kFloat64});
  const DType made = g.TypeOf(x) == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
  g.Try(op, {x, g.Partner(g.TypeOf(x), g.ShapeOf(x))}, {{"Tout", made}});
}

void OfComplex(Generator& g, const char* op) {
  const Operand x = g.Any(kComplexTypes);
  g.Try(op, {x}, {{"Tout", g.TypeOf(x) == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64}});
}

void AddMany(Generator& g, const char* op) {
  std::vector<Operand> inputs{g.Any(TypesOf(op, "T"))};
  for (int i = g.Below(4); i > 0; --i) {
    inputs.push_back(g.Partner(g.TypeOf(inputs[0]), g.ShapeOf(inputs[0]), true));
  }
  g.Try(op, inputs);
}

void Cast(Generator& g, const char* op) {
  // Casts of floats out of an integer's range are undefined in TensorFlow: bool and small numbers
  // only.
  const Operand x = g.Any(kIntTypes | DTypeSet(DType::kBool));
  g.Try(op, {x}, {{"DstT", g.RandomType(kNumberTypes | DTypeSet(DType::kBool))}});
}

void FloatCast(Generator& g, const char* op) {
  const Operand x = g.Any(kFloatTypes);
  g.Try(op, {x}, {{"DstT", g.RandomType(kFloatTypes)}});
}

void Clip(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"));
  g.Try(op, {x, g.Partner(g.TypeOf(x), Shape(), true), g.Partner(g.TypeOf(x), Shape(), true)});
}

void Reduce(Generator& g, const char* op) {
  const bool logical = std::string_view(op) == "All" || std::string_view(op) == "Any";
  const Operand x = g.Any(logical ? DTypeSet(DType::kBool) : TypesOf(op, "T"));
  const int rank = g.ShapeOf(x).rank();
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i) {
    if (g.OneIn(2)) axes.push_back(g.OneIn(2) ? i : i - rank);
  }
  g.Try(op, {x, g.Ints(axes, axes.size() == 1 && g.OneIn(2))}, {{"keep_dims", g.OneIn(2)}});
}

Operand Axis(Generator& g, Operand x) {
  const int rank = g.ShapeOf(x).rank();
  const int axis = g.Below(rank);
  return g.Ints({g.OneIn(2) ? axis : axis - rank}, true);
}

void ArgReduce(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 1);
  g.Try(op, {x, Axis(g, x)}, {{"output_type", g.OneIn(2) ? DType::kInt64 : DType::kInt32}});
}

void Scan(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 1);
  g.Try(op, {x, Axis(g, x)}, {{"exclusive", g.OneIn(2)}, {"reverse", g.OneIn(2)}});
}

void Product(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 2, 2);
  const bool a = g.OneIn(2), b = g.OneIn(2);
  const int64_t inner = g.ShapeOf(x).dim(a ? 0 : 1), other = g.Below(9);
  const Shape shape = b ? Shape{other, inner} : Shape{inner, other};
  g.Try(op, {x, g.Partner(g.TypeOf(x), shape, true)}, {{"transpose_a", a}, {"transpose_b", b}});
}

void BatchProduct(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 2, 4);
  const bool a = g.OneIn(2), b = g.OneIn(2);
  const bool broadcasts = std::string_view(op) == "BatchMatMulV2";
  Shape shape = g.ShapeOf(x);
  const int rank = shape.rank();
  const int64_t inner = shape.dim(a ? rank - 2 : rank - 1), other = g.Below(7);
  shape.set_dim(rank - 2, b ? other : inner);
  shape.set_dim(rank - 1, b ? inner : other);
  for (int i = 0; broadcasts && i < rank - 2; ++i) {
    if (g.OneIn(3)) shape.set_dim(i, 1);
  }
  g.Try(op, {x, g.Partner(g.TypeOf(x), shape, true)}, {{"adj_x", a}, {"adj_y", b}});
}

void LastAxis(Generator& g, const char* op) {
  g.Try(op, {g.Any(TypesOf(op, "T"), 1)});
}

void Logits(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 2, 2);
  g.Try(op, {x, g.Partner(g.TypeOf(x), g.ShapeOf(x), true)});
}

void SparseLogits(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 2, 2);
  const Shape& shape = g.ShapeOf(x);
  if (shape.dim(1) == 0) return;
  g.Try(op, {x, g.Indices({shape.dim(0)}, shape.dim(1), g.RandomType(kIndexTypes))});
}

void Bias(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 2, 4);
  const bool first = g.ShapeOf(x).rank() == 4 && g.OneIn(3);
  const int64_t channels = g.ShapeOf(x).dim(first ? 1 : g.ShapeOf(x).rank() - 1);
  g.Try(op, {x, g.Partner(g.TypeOf(x), {channels}, true)},
        {{"data_format", first ? "NCHW" : "NHWC"}});
}

// Window sizes, strides and padding that fit an image in NHWC.
struct Window {
  int64_t h, w;
  std::vector<int64_t> strides;
  std::string padding;
};

std::optional<Window> RandomWindow(Generator& g, const Shape& image) {
  for (int i = 0; i < 4; ++i) {
    if (image.dim(i) == 0 && i > 0) return std::nullopt;
  }
  Window window{1 + g.Below(3),
                1 + g.Below(3),
                {1, 1 + g.Below(3), 1 + g.Below(3), 1},
                g.OneIn(2) ? "SAME" : "VALID"};
  if (window.padding == "VALID" && (window.h > image.dim(1) || window.w > image.dim(2))) {
    window.padding = "SAME";
  }
  return window;
}

void Pool(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 4, 4);
  const auto window = RandomWindow(g, g.ShapeOf(x));
  if (!window) return;
  g.Try(op, {x},
        {{"ksize", AttrValue::Ints{1, window->h, window->w, 1}},
         {"strides", window->strides},
         {"padding", window->padding}});
}

void Conv(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T") & DTypeSet{DType::kFloat32, DType::kFloat64}, 4, 4);
  const auto window = RandomWindow(g, g.ShapeOf(x));
  if (!window) return;
  const bool depthwise = std::string_view(op) != "Conv2D";
  std::vector<int64_t> strides = window->strides;
  if (depthwise) strides[2] = strides[1];  // all that TensorFlow's kernel takes
  const Operand filter =
      g.Partner(g.TypeOf(x), {window->h, window->w, g.ShapeOf(x).dim(3), 1 + g.Below(3)}, true);
  g.Try(op, {x, filter}, {{"strides", strides}, {"padding", window->padding}});
}

void Patches(Generator& g, const char* op) {
  const Operand x = g.Any(TypesOf(op, "T"), 4, 4);
  const auto window = RandomWindow(g, g.ShapeOf(x));
  if (!window || g.ShapeOf(x).dim(0) == 0) return;
  g.Try(op, {x},
        {{"ksizes", AttrValue::Ints{1, window->h, window->w, 1}},
         {"strides", window->strides},
         {"rates", AttrValue::Ints{1, 1, 1, 1}},
         {"padding", window->padding}});
}

void Norm(Generator& g, const char* op) {
  const Operand x = g.Any(DTypeSet(DType::kFloat32), 4, 4);
  if (g.ShapeOf(x).num_elements() == 0) return;
  const Shape channels{g.ShapeOf(x).dim(3)};
  const bool training = g.OneIn(2);
  const Shape statistics = training ? Shape{0} : channels;
  g.Try(
      op,
      {x, g.Partner(DType::kFloat32, channels, true), g.Partner(DType::kFloat32, channels, true),
       g.Partner(DType::kFloat32, statistics, true), g.Partner(DType::kFloat32, statistics, true)},
      {{"is_training", training}});
}

void Normalize(Generator& g, const char* op) {
  g.Try(op, {g.Any(TypesOf(op, "T") & DTypeSet(DType::kFloat32), 4, 4)},
        {{"depth_radius", g.Below(4)}, {"bias", 1.0f}, {"alpha", 0.5f}, {"beta", 0.75f}});
}

}  // namespace

const std::vector<Rule>& Rules() {
  static const std::vector<Rule>& rules = *[] {
    auto* all = new std::vector<Rule>();
    AppendNames(*all, {"Abs",       "Neg",
                       "Sign",      "Square",
                       "Sqrt",      "Rsqrt",
                       "Inv",       "Reciprocal",
                       "Exp",       "Expm1",
                       "Log",       "Log1p",
                       "Sin",       "Cos",
                       "Tan",       "Asin",
                       "Acos",      "Atan",
                       "Sinh",      "Cosh",
                       "Tanh",      "Asinh",
                       "Acosh",     "Atanh",
                       "Sigmoid",   "Erf",
                       "Erfc",      "Lgamma",
                       "Digamma",   "Ceil",
                       "Floor",     "Round",
                       "Rint",      "IsNan",
                       "IsInf",     "IsFinite",
                       "Invert",    "PopulationCount",
                       "BesselI0e", "BesselI1e",
                       "Relu",      "Relu6",
                       "LeakyRelu", "Elu",
                       "Selu",      "Softplus",
                       "Softsign",  "L2Loss",
                       "Identity",  "StopGradient",
                       "Snapshot",  "ZerosLike",
                       "OnesLike",  "Shape",
                       "Size",      "Rank",
                       "Conj"},
                Unary);
    AppendNames(*all, {"LogicalAnd", "LogicalOr", "LogicalNot"}, Logical);
    AppendNames(*all,
                {"Add",
                 "AddV2",
                 "Sub",
                 "Mul",
                 "Div",
                 "RealDiv",
                 "FloorDiv",
                 "FloorMod",
                 "Mod",
                 "TruncateDiv",
                 "TruncateMod",
                 "DivNoNan",
                 "MulNoNan",
                 "Xdivy",
                 "Xlogy",
                 "Pow",
                 "Maximum",
                 "Minimum",
                 "SquaredDifference",
                 "Atan2",
                 "Equal",
                 "NotEqual",
                 "Less",
                 "LessEqual",
                 "Greater",
                 "GreaterEqual",
                 "BitwiseAnd",
                 "BitwiseOr",
                 "BitwiseXor",
                 "Igamma",
                 "Igammac",
                 "Zeta"},
                Binary);
    AppendNames(*all,
                {"ApproximateEqual", "ReluGrad", "TanhGrad", "SigmoidGrad", "SqrtGrad",
                 "SoftplusGrad", "EluGrad"},
                Pair);
    AppendNames(*all, {"Complex"}, ToComplex);
    AppendNames(*all, {"Real", "Imag", "Angle", "ComplexAbs"}, OfComplex);
    AppendNames(*all, {"AddN"}, AddMany);
    AppendNames(*all, {"Cast"}, Cast);
    AppendNames(*all, {"Cast"}, FloatCast);
    AppendNames(*all, {"ClipByValue"}, Clip);
    AppendNames(*all, {"Sum", "Mean", "Prod", "Max", "Min", "All", "Any", "EuclideanNorm"}, Reduce);
    AppendNames(*all, {"ArgMax", "ArgMin"}, ArgReduce);
    AppendNames(*all, {"Cumsum", "Cumprod"}, Scan);
    AppendNames(*all, {"MatMul"}, Product);
    AppendNames(*all, {"BatchMatMul", "BatchMatMulV2"}, BatchProduct);
    AppendNames(*all, {"Softmax", "LogSoftmax"}, LastAxis);
    AppendNames(*all, {"SoftmaxCrossEntropyWithLogits"}, Logits);
    AppendNames(*all, {"SparseSoftmaxCrossEntropyWithLogits"}, SparseLogits);
    AppendNames(*all, {"BiasAdd"}, Bias);
    AppendNames(*all, {"MaxPool", "AvgPool"}, Pool);
    AppendNames(*all, {"Conv2D", "DepthwiseConv2dNative"}, Conv);
    AppendNames(*all, {"ExtractImagePatches"}, Patches);
    AppendNames(*all, {"FusedBatchNorm"}, Norm);
    AppendNames(*all, {"LRN"}, Normalize);
    AppendArrayRules(*all);
    return all;
  }();
  return rules;
}

}  // namespace headrace::random_ops

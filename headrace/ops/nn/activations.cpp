#include "headrace/ops/nn/activations.h"

#include "headrace/graph/grad_context.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/concat.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/shape_ops.h"
#include "headrace/ops/math/binary.h"
#include "headrace/ops/math/select.h"
#include "headrace/ops/math/unary.h"
#include "headrace/ops/nn/activation_kernels.h"

namespace headrace {
namespace {

Output Unary(std::string_view op, Output x, const std::string& name, Location where) {
  return NodeBuilder(op, name, where).Input(x).Build();
}
Output Grad(std::string_view op, Output gradients, Output features, const std::string& name,
            Location where) {
  return NodeBuilder(op, name, where).Input(gradients).Input(features).Build();
}

// Gradient functions. Those of the functions themselves:

Status ReluGradient(GradContext& c) {
  c.Set(0, ReluGrad(c.grad(), c.output(0), {}, c.where()));
  return absl::OkStatus();
}
Status Relu6Gradient(GradContext& c) {
  c.Set(0, Relu6Grad(c.grad(), c.output(0), {}, c.where()));
  return absl::OkStatus();
}
Status LeakyReluGradient(GradContext& c) {
  c.Set(0,
        LeakyReluGrad(c.grad(), c.input(0), {.alpha = c.attrs().Get<float>("alpha")}, c.where()));
  return absl::OkStatus();
}
Status EluGradient(GradContext& c) {
  c.Set(0, EluGrad(c.grad(), c.output(0), {}, c.where()));
  return absl::OkStatus();
}
Status SeluGradient(GradContext& c) {
  c.Set(0, SeluGrad(c.grad(), c.output(0), {}, c.where()));
  return absl::OkStatus();
}
Status SoftplusGradient(GradContext& c) {
  const Output sigmoid = Sigmoid(c.input(0), {}, c.where());
  c.Set(0, Mul(c.grad(), sigmoid, {.name = "mul"}, c.where()));
  return absl::OkStatus();
}
Status SoftsignGradient(GradContext& c) {
  c.Set(0, SoftsignGrad(c.grad(), c.input(0), {}, c.where()));
  return absl::OkStatus();
}

// Those of the gradients: with respect to what flowed in, and to the features.

Output ZerosOf(GradContext& c, Output x) {
  return Zeros(c.graph(), ShapeOf(x, {}, c.where()), x.value_dtype(), {}, c.where());
}
Status ReluGradGradient(GradContext& c) {
  c.Set(0, ReluGrad(c.grad(), c.input(1), {}, c.where()));
  c.Set(1, ZerosOf(c, c.input(1)));
  return absl::OkStatus();
}
Status Relu6GradGradient(GradContext& c) {
  c.Set(0, Relu6Grad(c.grad(), c.input(1), {}, c.where()));
  c.Set(1, ZerosOf(c, c.input(1)));
  return absl::OkStatus();
}
Status LeakyReluGradGradient(GradContext& c) {
  c.Set(0,
        LeakyReluGrad(c.grad(), c.input(1), {.alpha = c.attrs().Get<float>("alpha")}, c.where()));
  c.Set(1, ZerosOf(c, c.input(1)));
  return absl::OkStatus();
}
// Below zero the gradient is dy * (y + constant): its derivative by y is dy.
Output WhereNegative(GradContext& c, Output y) {
  const Output negative = Less(y, 0.0f, {}, c.where());
  const Output product = Mul(c.grad(), c.input(0), {.name = "mul"}, c.where());
  return Select(negative, product, ZerosLike(y, {}, c.where()), {}, c.where());
}
Status EluGradGradient(GradContext& c) {
  c.Set(0, EluGrad(c.grad(), c.input(1), {}, c.where()));
  c.Set(1, WhereNegative(c, c.input(1)));
  return absl::OkStatus();
}
Status SeluGradGradient(GradContext& c) {
  c.Set(0, SeluGrad(c.grad(), c.input(1), {}, c.where()));
  c.Set(1, WhereNegative(c, c.input(1)));
  return absl::OkStatus();
}
Status SoftplusGradGradient(GradContext& c) {
  const Output grad = c.grad(), dy = c.input(0), x = c.input(1);
  const ControlDependencies after(c.graph(), {grad});
  c.Set(0, SoftplusGrad(grad, x, {}, c.where()));
  const Output product = Mul(grad, dy, {.name = "mul"}, c.where());
  const Output falling = Exp(Neg(x, {}, c.where()), {}, c.where());
  const Output sum = AddV2(falling, 2.0f, {.name = "add"}, c.where());
  const Output rising = Exp(x, {}, c.where());
  c.Set(1, RealDiv(product, AddV2(sum, rising, {.name = "add"}, c.where()), {.name = "truediv"},
                   c.where()));
  return absl::OkStatus();
}

}  // namespace

Output Relu(Output x, OpOptions o, Location where) {
  return Unary("Relu", x, o.name, where);
}
Output Relu6(Output x, OpOptions o, Location where) {
  return Unary("Relu6", x, o.name, where);
}
Output LeakyRelu(Output x, LeakyReluOptions o, Location where) {
  return NodeBuilder("LeakyRelu", o.name, where).Input(x).Attr("alpha", o.alpha).Build();
}
Output Elu(Output x, OpOptions o, Location where) {
  return Unary("Elu", x, o.name, where);
}
Output Selu(Output x, OpOptions o, Location where) {
  return Unary("Selu", x, o.name, where);
}
Output Softplus(Output x, OpOptions o, Location where) {
  return Unary("Softplus", x, o.name, where);
}
Output Softsign(Output x, OpOptions o, Location where) {
  return Unary("Softsign", x, o.name, where);
}

Output CRelu(Output x, CReluOptions o, Location where) {
  if (!x.valid()) return {};
  Graph& g = *x.graph();
  const OpScope scope(g, o.name, "CRelu");
  const Output negative = Neg(x, {}, where);
  const Output axis = Const(g, static_cast<int32_t>(o.axis), {.name = "axis"}, where);
  return Relu(Concat({x, negative}, axis, {.name = scope.op_name()}, where), {}, where);
}

Output ReluGrad(Output gradients, Output features, OpOptions o, Location where) {
  return Grad("ReluGrad", gradients, features, o.name, where);
}
Output Relu6Grad(Output gradients, Output features, OpOptions o, Location where) {
  return Grad("Relu6Grad", gradients, features, o.name, where);
}
Output LeakyReluGrad(Output gradients, Output features, LeakyReluOptions o, Location where) {
  return NodeBuilder("LeakyReluGrad", o.name, where)
      .Input(gradients)
      .Input(features)
      .Attr("alpha", o.alpha)
      .Build();
}
Output EluGrad(Output gradients, Output outputs, OpOptions o, Location where) {
  return Grad("EluGrad", gradients, outputs, o.name, where);
}
Output SeluGrad(Output gradients, Output outputs, OpOptions o, Location where) {
  return Grad("SeluGrad", gradients, outputs, o.name, where);
}
Output SoftplusGrad(Output gradients, Output features, OpOptions o, Location where) {
  return Grad("SoftplusGrad", gradients, features, o.name, where);
}
Output SoftsignGrad(Output gradients, Output features, OpOptions o, Location where) {
  return Grad("SoftsignGrad", gradients, features, o.name, where);
}

namespace {

// Of the CPU kernels.
constexpr DTypeSet kReluTypes = kRealTypes - DTypeSet{DType::kUInt32, DType::kUInt64};
constexpr DTypeSet kEluTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

struct Family {
  const char* name;
  const char* second_input;  // of the gradient op
  DTypeSet types;            // the op's
  DTypeSet cpu_types;
  KernelFactory make, make_grad;
  GradientFn gradient, grad_gradient;
  const char* doc;
};

template <ActivationOp kOp>
constexpr Family MakeFamily(const char* name, const char* second_input, DTypeSet types,
                            DTypeSet cpu_types, GradientFn gradient, GradientFn grad_gradient,
                            const char* doc) {
  return {name,      second_input,           types,
          cpu_types, MakeActivationCpu<kOp>, MakeActivationGradCpu<kOp>,
          gradient,  grad_gradient,          doc};
}

void DefineFamily(OpRegistry& ops, const Family& family) {
  const bool leaky = std::string_view(family.name) == "LeakyRelu";
  for (const bool is_gradient : {false, true}) {
    OpDef& op = ops.Define(is_gradient ? StrCat(family.name, "Grad") : std::string(family.name));
    if (leaky) {
      op.TypeAttr("T", family.types, DType::kFloat32).Attr("alpha", 0.2f);
    } else {
      // TensorFlow's Relu may be stated of qint8, which no kernel of ours takes.
      const bool may_be_quantized = std::string_view(family.name) == "Relu" && !is_gradient;
      op.TypeAttr("T", may_be_quantized ? family.types | DTypeSet(DType::kQInt8) : family.types);
    }
    if (is_gradient) {
      op.Input("gradients", "T").Input(family.second_input, "T").Output("backprops", "T");
      op.Shape(MergedInputShape).Doc(StrCat("Gradient of ", family.name, "."));
      if (family.grad_gradient != nullptr) op.Gradient(family.grad_gradient);
      op.InPlace(0, 0).InPlace(0, 1);
    } else {
      op.Input("features", "T").Output("activations", "T").Shape(SameShapeAsInput).Doc(family.doc);
      op.Gradient(family.gradient);
      op.InPlace(0, 0);
    }
    op.Cpu(
        {.types = {{"T", family.cpu_types}}, .make = is_gradient ? family.make_grad : family.make});
    op.Gpu({.types = {{"T", kGpuFloatTypes}}});
  }
}

}  // namespace

void DefineActivations(OpRegistry& ops) {
  using Op = ActivationOp;
  for (const Family& family : {
           MakeFamily<Op::kRelu>("Relu", "features", kRealTypes, kReluTypes, ReluGradient,
                                 ReluGradGradient, "max(x, 0)."),
           MakeFamily<Op::kRelu6>("Relu6", "features", kRealTypes, kReluTypes, Relu6Gradient,
                                  Relu6GradGradient, "min(max(x, 0), 6)."),
           MakeFamily<Op::kLeakyRelu>("LeakyRelu", "features", kFloatTypes, kFloatTypes,
                                      LeakyReluGradient, LeakyReluGradGradient,
                                      "x above 0, alpha * x below."),
           MakeFamily<Op::kElu>("Elu", "outputs", kFloatTypes, kEluTypes, EluGradient,
                                EluGradGradient, "x above 0, exp(x) - 1 below."),
           MakeFamily<Op::kSelu>("Selu", "outputs", kFloatTypes, kEluTypes, SeluGradient,
                                 SeluGradGradient,
                                 "Elu, scaled so that activations keep mean 0 and variance 1."),
           MakeFamily<Op::kSoftplus>("Softplus", "features", kFloatTypes, kFloatTypes,
                                     SoftplusGradient, SoftplusGradGradient, "log(1 + exp(x))."),
           MakeFamily<Op::kSoftsign>("Softsign", "features", kFloatTypes, kFloatTypes,
                                     SoftsignGradient, nullptr, "x / (1 + |x|)."),
       }) {
    DefineFamily(ops, family);
  }
}

}  // namespace headrace

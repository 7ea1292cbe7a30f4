// Small ops for tests of the runtime and the session, so that these do not depend on the library's:
// defined in the global registry on first use.
//
//   DefineTestOps();
//   Output y = TestAdd(x, x);
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "headrace/base/strings.h"
#include "headrace/graph/graph.h"
#include "headrace/graph/shape_context.h"
#include "headrace/kernel/kernel.h"

namespace headrace::testing {

inline constexpr DTypeSet kTestTypes{DType::kFloat32, DType::kInt32};

// How often kernels of the op "TestCount" ran, by node name.
inline std::atomic<int>& CountOf(const std::string& name) {
  static auto* mutex = new std::mutex;
  static auto* counts = new std::map<std::string, std::atomic<int>>;
  std::lock_guard lock(*mutex);
  return (*counts)[name];
}

// What "TestHook" kernels call, by node name: to look at a step from within.
inline std::function<Status(KernelContext&)>& HookOf(const std::string& name) {
  static auto* mutex = new std::mutex;
  static auto* hooks = new std::map<std::string, std::function<Status(KernelContext&)>>;
  std::lock_guard lock(*mutex);
  return (*hooks)[name];
}

template <class T>
const T& At(const Tensor& tensor, int64_t i) {
  return tensor.data<T>()[tensor.num_elements() == 1 ? 0 : i];
}

// Element-wise with scalars broadcast.
template <class Op>
Status ComputeBinary(KernelContext& ctx, Op op) {
  const Tensor &a = ctx.input(0), &b = ctx.input(1);
  if (!(a.shape() == b.shape()) && a.num_elements() != 1 && b.num_elements() != 1) {
    return InvalidArgument("Incompatible shapes: ", a.shape().ToString(), " vs. ",
                           b.shape().ToString());
  }
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, a.num_elements() == 1 ? b.shape() : a.shape()));
  if (a.dtype() == DType::kFloat32) {
    for (int64_t i = 0; i < y->num_elements(); ++i)
      y->data<float>()[i] = op(At<float>(a, i), At<float>(b, i));
  } else {
    for (int64_t i = 0; i < y->num_elements(); ++i)
      y->data<int32_t>()[i] = op(At<int32_t>(a, i), At<int32_t>(b, i));
  }
  return absl::OkStatus();
}
inline Status ComputeAdd(KernelContext& ctx) {
  return ComputeBinary(ctx, [](auto a, auto b) { return static_cast<decltype(a)>(a + b); });
}
inline Status ComputeMul(KernelContext& ctx) {
  return ComputeBinary(ctx, [](auto a, auto b) { return static_cast<decltype(a)>(a * b); });
}
inline Status BinaryShape(ShapeContext& c) {
  if (c.input(0).num_elements() == 1 && c.input(1).is_fully_known())
    return c.SetOutput(0, c.input(1));
  if (c.input(1).num_elements() == 1 && c.input(0).is_fully_known())
    return c.SetOutput(0, c.input(0));
  if (!c.input(0).is_fully_known() || !c.input(1).is_fully_known()) return absl::OkStatus();
  return c.SetOutput(0, c.input(0));
}

// Halves of a vector, and its sum: three outputs.
inline Status ComputeSplit(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const int64_t half = x.num_elements() / 2;
  float sum = 0;
  for (float v : x.flat<float>()) sum += v;
  HR_ASSIGN_OR_RETURN(Tensor * a, ctx.Output(0, Shape{half}));
  HR_ASSIGN_OR_RETURN(Tensor * b, ctx.Output(1, Shape{x.num_elements() - half}));
  HR_ASSIGN_OR_RETURN(Tensor * c, ctx.Output(2, Shape{}));
  std::copy_n(x.data<float>(), half, a->data<float>());
  std::copy(x.data<float>() + half, x.data<float>() + x.num_elements(), b->data<float>());
  *c->data<float>() = sum;
  return absl::OkStatus();
}
inline Status SplitShape(ShapeContext& c) {
  const int64_t n = c.input(0).num_elements();
  HR_RETURN_IF_ERROR(c.SetOutput(2, PartialShape(Shape{})));
  if (n < 0) return absl::OkStatus();
  HR_RETURN_IF_ERROR(c.SetOutput(0, {n / 2}));
  return c.SetOutput(1, {n - n / 2});
}

// The positive elements: a shape that only the values tell.
inline Status ComputePositive(KernelContext& ctx) {
  std::vector<float> kept;
  for (float v : ctx.input(0).flat<float>()) {
    if (v > 0) kept.push_back(v);
  }
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, Shape{static_cast<int64_t>(kept.size())}));
  std::copy(kept.begin(), kept.end(), y->data<float>());
  return absl::OkStatus();
}

inline Status ComputeSum(KernelContext& ctx) {
  float sum = 0;
  for (float v : ctx.input(0).flat<float>()) sum += v;
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, Shape{}));
  *y->data<float>() = sum;
  return absl::OkStatus();
}

inline Status ComputeFail(KernelContext& ctx) {
  return InvalidArgument("this op always fails");
}
inline Status ComputeCount(KernelContext& ctx) {
  CountOf(ctx.node().name()).fetch_add(1);
  ctx.SetOutput(0, ctx.input(0));
  return absl::OkStatus();
}
inline Status ComputeHook(KernelContext& ctx) {
  if (auto& hook = HookOf(ctx.node().name())) HR_RETURN_IF_ERROR(hook(ctx));
  HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, ctx.input(0).shape()));
  y->CopyElementsFrom(ctx.input(0));
  return absl::OkStatus();
}
// Says that it made its output by itself, outside the plan's memory.
inline Status ComputeOwn(KernelContext& ctx) {
  ctx.SetOutput(0, ctx.input(0).Clone());
  return absl::OkStatus();
}
inline Status ComputeLies(KernelContext& ctx) {
  return ctx.Output(0, Shape{7}).status();  // its shape function says "as the input"
}
inline Status ComputeUpdate(KernelContext& ctx) {
  const float delta = ctx.input(1).scalar<float>();
  ctx.SetVariable(0, &ctx.variable(0));
  return ctx.variable(0).Update([&](Tensor& value) {
    for (float& v : value.flat<float>()) v += delta;
    return absl::OkStatus();
  });
}
inline Status RefShape(ShapeContext& c) {
  return c.SetOutput(0, c.input(0));
}

// Waits until it is cancelled.
class WaitKernel final : public AsyncKernel {
 public:
  void ComputeAsync(KernelContext& ctx, Done done) override {
    ctx.SetOutput(0, ctx.input(0).Clone());
    Cancellation* cancellation = ctx.step().cancellation;
    auto shared = std::make_shared<Done>(std::move(done));
    const auto id =
        cancellation->OnCancel([shared, cancellation] { (*shared)(cancellation->status()); });
    if (!id) (*shared)(cancellation->status());
  }
};
inline StatusOr<std::unique_ptr<Kernel>> MakeWait(const KernelInit&) {
  return std::make_unique<WaitKernel>();
}

inline void DefineUnary(std::string_view name, ShapeFn shape, KernelFactory make, bool stateful,
                        bool in_place) {
  OpDef& op = OpRegistry::Global().Define(name);
  op.TypeAttr("T", kTestTypes).Input("x", "T").Output("y", "T").Shape(shape);
  op.Cpu({.types = {{"T", kTestTypes}}, .make = make})
      .Gpu({.types = {{"T", DTypeSet(DType::kFloat32)}}});
  if (stateful) op.Stateful();
  if (in_place) op.InPlace(0, 0);
}

inline void DefineTestOps() {
  static const bool defined = [] {
    OpRegistry& ops = OpRegistry::Global();
    for (const bool add : {true, false}) {
      OpDef& op = ops.Define(add ? "TestAdd" : "TestMul");
      op.TypeAttr("T", kTestTypes)
          .Input("x", "T")
          .Input("y", "T")
          .Output("z", "T")
          .Shape(BinaryShape);
      op.Commutative().InPlace(0, 0).InPlace(0, 1);
      op.Cpu({.types = {{"T", kTestTypes}},
              .make = add ? MakeFunctionKernel<ComputeAdd> : MakeFunctionKernel<ComputeMul>});
      op.Gpu({.types = {{"T", DTypeSet(DType::kFloat32)}}});
    }
    DefineUnary("TestHook", SameShapeAsInput, MakeFunctionKernel<ComputeHook>, true, true);
    DefineUnary("TestFail", SameShapeAsInput, MakeFunctionKernel<ComputeFail>, false, true);
    DefineUnary("TestLies", SameShapeAsInput, MakeFunctionKernel<ComputeLies>, true, false);
    DefineUnary("TestOwn", SameShapeAsInput, MakeFunctionKernel<ComputeOwn>, true, false);
    DefineUnary("TestPositive", NoShape, MakeFunctionKernel<ComputePositive>, false, false);
    DefineUnary("TestSum", ScalarShape, MakeFunctionKernel<ComputeSum>, false, false);
    ops.Define("TestCount")
        .TypeAttr("T", kTestTypes)
        .Input("x", "T")
        .Output("y", "T")
        .Shape(SameShapeAsInput)
        .Stateful()
        .Forwards(0, 0)
        .Cpu({.types = {{"T", kTestTypes}}, .make = MakeFunctionKernel<ComputeCount>})
        .Gpu({.types = {{"T", DTypeSet(DType::kFloat32)}}});
    ops.Define("TestSplit")
        .Input("x", "float32")
        .Output("a", "float32")
        .Output("b", "float32")
        .Output("sum", "float32")
        .Shape(SplitShape)
        .Cpu({.make = MakeFunctionKernel<ComputeSplit>})
        .Gpu({.host_args = {"sum"}});
    ops.Define("TestUpdate")
        .RefInput("ref", "float32")
        .Input("delta", "float32")
        .RefOutput("out", "float32")
        .Shape(RefShape)
        .WritesVariable(0)
        .Cpu({.make = MakeFunctionKernel<ComputeUpdate>})
        .Gpu({});
    ops.Define("TestWait")
        .TypeAttr("T", kTestTypes)
        .Input("x", "T")
        .Output("y", "T")
        .Shape(SameShapeAsInput)
        .Stateful()
        .Blocking()
        .Cpu({.types = {{"T", kTestTypes}}, .make = MakeWait});
    return true;
  }();
  (void)defined;
}

inline Output Unary(std::string_view op, Output x, std::string name = "",
                    Location where = Location::Current()) {
  DefineTestOps();
  return NodeBuilder(op, name, where).Input(x).Build();
}
inline Output TestAdd(Output x, Output y, std::string name = "",
                      Location where = Location::Current()) {
  DefineTestOps();
  return NodeBuilder("TestAdd", name, where).Input(x).Input(y).Build();
}
inline Output TestMul(Output x, Output y, std::string name = "",
                      Location where = Location::Current()) {
  DefineTestOps();
  return NodeBuilder("TestMul", name, where).Input(x).Input(y).Build();
}
inline Output TestUpdate(Output ref, Output delta, std::string name = "",
                         Location where = Location::Current()) {
  DefineTestOps();
  return NodeBuilder("TestUpdate", name, where).Input(ref).Input(delta).Build();
}

}  // namespace headrace::testing

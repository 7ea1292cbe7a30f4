// One op after another as a step of a session on one thread, for benchmarks/ops_vs_numpy.py: prints "NAME KB BYTES SECONDS",
// where KB is the size of the first input and BYTES what must be read and written.
//   ops_benchmark [WORD]      only cases with this word in their name
//   ops_benchmark WORD wait   waits for a line of input after each line of output, so that others may measure meanwhile
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/session/session.h"

namespace headrace {
namespace {

using Clock = std::chrono::steady_clock;

// Graph of one case: sources of n x n elements, made as they are asked for.
struct Case {
  Graph graph;
  int64_t n = 0;
  std::vector<Output> feeds;
  std::vector<Tensor> values;
  int64_t read = 0;

  // `value` of bool: all of them; else a mixture.
  Output X(DType type = DType::kFloat32, int64_t rows = -1, int64_t columns = -1, int value = -1) {
    const Shape shape{rows < 0 ? n : rows, columns < 0 ? n : columns};
    Tensor elements(type, shape);
    float next = 0.1f;
    for (int64_t i = 0; i < shape.num_elements(); ++i) {
      next = next < 0.9f ? next + 0.01f : 0.1f;
      if (type == DType::kFloat32) elements.data<float>()[i] = next;
      if (type == DType::kInt32) elements.data<int32_t>()[i] = 1 + static_cast<int32_t>(i % 97);
      if (type == DType::kBool) elements.data<bool>()[i] = value < 0 ? i % 3 != 0 : value != 0;
    }
    read += static_cast<int64_t>(elements.size_bytes());
    feeds.push_back(Node("Placeholder", {}, {{"dtype", type}, {"shape", shape}}));
    values.push_back(elements);
    return feeds.back();
  }
  Output Constant(Tensor value) {
    return Node("Const", {}, {{"dtype", value.dtype()}, {"value", value}});
  }
  Output Ints(std::vector<int32_t> values) {
    const Shape shape{static_cast<int64_t>(values.size())};
    return Constant(Tensor::Of<int32_t>(std::span<const int32_t>(values), shape));
  }
  Output Int(int32_t value) { return Constant(Tensor::Scalar(value)); }
  Output Node(const std::string& op, std::vector<Output> inputs, AttrMap attrs = {}) {
    NodeSpec spec{.op = op, .inputs = std::move(inputs), .attrs = std::move(attrs)};
    spec.location = Location::Current();
    StatusOr<headrace::Node*> node = graph.AddNode(std::move(spec));
    if (node.ok()) return (*node)->output(0);
    graph.ReportError(node.status());
    return {};
  }
};

using Build = std::function<Output(Case&)>;
std::vector<std::pair<std::string, Build>>& Cases() {
  static auto& cases = *new std::vector<std::pair<std::string, Build>>();
  return cases;
}
void Add(std::string name, Build build) { Cases().emplace_back(std::move(name), std::move(build)); }

void AddElementwise() {
  for (const char* op : {"Abs", "Neg", "Sign", "Square", "Sqrt", "Reciprocal", "Exp", "Expm1", "Log", "Log1p", "Sin",
                         "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Atanh", "Ceil",
                         "Floor", "Rint", "IsNan", "IsInf", "IsFinite", "Identity", "ZerosLike", "OnesLike"}) {
    if (std::string_view(op) == "Identity") continue;  // shares its input's bytes
    Add(op, [op](Case& c) { return c.Node(op, {c.X()}); });
  }
  for (const char* op : {"Add", "Sub", "Mul", "RealDiv", "FloorDiv", "FloorMod", "TruncateMod", "Pow", "Maximum", "Minimum",
                         "SquaredDifference", "Atan2", "Equal", "NotEqual", "Less", "LessEqual", "Greater",
                         "GreaterEqual"}) {
    Add(op, [op](Case& c) { return c.Node(op, {c.X(), c.X()}); });
  }
  for (const char* op : {"Add", "Mul", "FloorDiv", "FloorMod", "TruncateDiv", "BitwiseAnd", "BitwiseXor", "LeftShift", "Maximum",
                         "Less"}) {
    Add(StrCat(op, "_int32"), [op](Case& c) { return c.Node(op, {c.X(DType::kInt32), c.X(DType::kInt32)}); });
  }
  for (const char* op : {"Add", "Maximum", "Less"}) {
    Add(StrCat(op, "_row"), [op](Case& c) { return c.Node(op, {c.X(), c.X(DType::kFloat32, 1)}); });
    Add(StrCat(op, "_column"), [op](Case& c) { return c.Node(op, {c.X(), c.X(DType::kFloat32, -1, 1)}); });
    Add(StrCat(op, "_number"), [op](Case& c) { return c.Node(op, {c.X(), c.Constant(Tensor::Scalar(0.5f))}); });
  }
  for (const char* op : {"LogicalAnd", "LogicalOr"})
    Add(op, [op](Case& c) { return c.Node(op, {c.X(DType::kBool), c.X(DType::kBool)}); });
  Add("LogicalNot", [](Case& c) { return c.Node("LogicalNot", {c.X(DType::kBool)}); });
  Add("Select", [](Case& c) { return c.Node("Select", {c.X(DType::kBool), c.X(), c.X()}); });
  Add("ClipByValue", [](Case& c) {
    return c.Node("ClipByValue", {c.X(), c.Constant(Tensor::Scalar(0.3f)), c.Constant(Tensor::Scalar(0.6f))});
  });
  for (const DType type : {DType::kFloat64, DType::kInt32, DType::kFloat16, DType::kUInt8, DType::kBool})
    Add(StrCat("Cast_", DTypeName(type)), [type](Case& c) { return c.Node("Cast", {c.X()}, {{"DstT", type}}); });
  Add("Cast_from_int32", [](Case& c) { return c.Node("Cast", {c.X(DType::kInt32)}, {{"DstT", DType::kFloat32}}); });
}

void AddReductions() {
  const std::pair<const char*, std::vector<int32_t>> ways[] = {{"_all", {0, 1}}, {"_0", {0}}, {"_1", {1}}};
  for (const auto& [suffix, axes] : ways) {
    for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"})
      Add(StrCat(op, suffix), [op, axes = axes](Case& c) { return c.Node(op, {c.X(), c.Ints(axes)}); });
    // Values that leave no way out before the end.
    for (const char* op : {"All", "Any"})
      Add(StrCat(op, suffix), [op, axes = axes](Case& c) {
        return c.Node(op, {c.X(DType::kBool, -1, -1, std::string_view(op) == "All"), c.Ints(axes)});
      });
    Add(StrCat("Sum_int32", suffix), [axes = axes](Case& c) { return c.Node("Sum", {c.X(DType::kInt32), c.Ints(axes)}); });
  }
  for (const int axis : {0, 1}) {
    for (const char* op : {"ArgMax", "ArgMin", "Cumsum", "Cumprod"})
      Add(StrCat(op, "_", axis), [op, axis](Case& c) { return c.Node(op, {c.X(), c.Int(axis)}); });
  }
}

void AddArray() {
  Add("Transpose", [](Case& c) { return c.Node("Transpose", {c.X(), c.Ints({1, 0})}); });
  for (const int axis : {0, 1}) {
    Add(StrCat("Concat_", axis), [axis](Case& c) { return c.Node("ConcatV2", {c.X(), c.X(), c.Int(axis)}, {{"N", 2}}); });
    Add(StrCat("Pack_", axis), [axis](Case& c) { return c.Node("Pack", {c.X(), c.X()}, {{"axis", axis}}); });
    Add(StrCat("Reverse_", axis), [axis](Case& c) { return c.Node("ReverseV2", {c.X(), c.Ints({axis})}); });
    Add(StrCat("Roll_", axis), [axis](Case& c) { return c.Node("Roll", {c.X(), c.Int(3), c.Int(axis)}); });
    Add(StrCat("Gather_", axis), [axis](Case& c) {
      std::vector<int32_t> rows(static_cast<size_t>(c.n));
      for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int32_t>((i * 7919) % rows.size());
      return c.Node("GatherV2", {c.X(), c.Ints(rows), c.Int(axis)});
    });
  }
  Add("Slice", [](Case& c) {
    const int32_t n = static_cast<int32_t>(c.n);
    return c.Node("Slice", {c.X(), c.Ints({1, 1}), c.Ints({n - 2, n - 2})});
  });
  Add("StridedSlice", [](Case& c) {
    const int32_t n = static_cast<int32_t>(c.n);
    return c.Node("StridedSlice", {c.X(), c.Ints({0, 0}), c.Ints({n, n}), c.Ints({1, 2})});
  });
  Add("Tile", [](Case& c) { return c.Node("Tile", {c.X(), c.Ints({1, 2})}); });
  Add("Pad", [](Case& c) {
    return c.Node("Pad", {c.X(), c.Constant(Tensor::Of<int32_t>({1, 1, 2, 2}, {2, 2}))});
  });
  Add("MirrorPad", [](Case& c) {
    return c.Node("MirrorPad", {c.X(), c.Constant(Tensor::Of<int32_t>({1, 1, 2, 2}, {2, 2}))}, {{"mode", "REFLECT"}});
  });
  Add("BroadcastTo", [](Case& c) {
    const int32_t n = static_cast<int32_t>(c.n);
    return c.Node("BroadcastTo", {c.X(DType::kFloat32, 1), c.Ints({n, n})});
  });
  Add("Fill", [](Case& c) {
    const int32_t n = static_cast<int32_t>(c.n);
    return c.Node("Fill", {c.Ints({n, n}), c.Constant(Tensor::Scalar(0.5f))});
  });
  Add("MatrixBandPart", [](Case& c) {
    return c.Node("MatrixBandPart", {c.X(), c.Constant(Tensor::Scalar<int64_t>(-1)), c.Constant(Tensor::Scalar<int64_t>(0))});
  });
  Add("Where", [](Case& c) { return c.Node("Where", {c.X(DType::kBool)}); });
  Add("OneHot", [](Case& c) {
    std::vector<int32_t> classes(static_cast<size_t>(c.n));
    for (size_t i = 0; i < classes.size(); ++i) classes[i] = static_cast<int32_t>((i * 7919) % classes.size());
    return c.Node("OneHot", {c.Ints(classes), c.Int(static_cast<int32_t>(c.n)), c.Constant(Tensor::Scalar(1.0f)),
                             c.Constant(Tensor::Scalar(0.0f))});
  });
}

// The fastest of several runs, which last a twentieth of a second together.
StatusOr<double> Measure(Session& session, Case& c, headrace::Node* node) {
  HR_ASSIGN_OR_RETURN(const Callable step, session.MakeCallable(c.feeds, {}, {node}));
  HR_RETURN_IF_ERROR(step(c.values, nullptr));
  double best = 1e9;
  const auto end = Clock::now() + std::chrono::milliseconds(50);
  int runs = 1, rounds = 0;
  while (Clock::now() < end || rounds < 4) {
    const auto begin = Clock::now();
    for (int i = 0; i < runs; ++i) HR_RETURN_IF_ERROR(step(c.values, nullptr));
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::min(best, seconds / runs);
    if (seconds < 2e-4) runs *= 2;
    ++rounds;
  }
  return best;
}

Status RunCase(const std::string& name, const Build& build, int64_t n, const std::shared_ptr<DeviceSet>& devices) {
  Case c;
  c.n = n;
  const Output output = build(c);
  HR_RETURN_IF_ERROR(c.graph.status());
  // Nothing folded: the op is what runs.
  SessionOptions options{.optimize = false};
  options.device_set = devices;
  HR_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create(c.graph, options));
  const int64_t written = output.shape().is_fully_known()
                              ? output.shape().num_elements() * static_cast<int64_t>(SizeOf(output.dtype()))
                              : 0;
  HR_ASSIGN_OR_RETURN(const double seconds, Measure(*session, c, output.node));
  std::printf("%s %lld %lld %.9f\n", name.c_str(), static_cast<long long>(n * n * 4 / 1024),
              static_cast<long long>(c.read + written), seconds);
  std::fflush(stdout);
  return absl::OkStatus();
}

}  // namespace
}  // namespace headrace

int main(int argc, char** argv) {
  using namespace headrace;
  const bool waits = argc > 2 && std::string_view(argv[2]) == "wait";
  AddElementwise();
  AddReductions();
  AddArray();
  DeviceOptions options;
  options.threads = 1;
  options.simulated_gpus = 0;
  const std::shared_ptr<DeviceSet> devices = DeviceSet::Create(options).value();
  for (const auto& [name, build] : Cases()) {
    if (argc > 1 && name.find(argv[1]) == std::string::npos) continue;
    for (const int64_t n : {16, 512, 4096}) {
      if (const Status status = RunCase(name, build, n, devices); !status.ok()) {
        std::fprintf(stderr, "%s: %s\n", name.c_str(), status.ToString().c_str());
        return 1;
      }
      while (waits && std::getchar() != '\n' && !std::feof(stdin)) {
      }
    }
  }
}

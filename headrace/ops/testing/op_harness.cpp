#include "headrace/ops/testing/op_harness.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/graph/grad_context.h"

namespace headrace::testing {
namespace {

using Build = std::function<std::vector<Output>(Graph&, const std::vector<Output>&)>;

enum class Known { kShapes, kRanks, kNothing };  // what the graph knows of the input shapes

bool Contains(const std::vector<int>& list, int i) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

// Lists are never of variables in the ops we have, so the argument at the input's position is
// enough.
bool TakesVariable(const OpDef* op, size_t i) {
  return op != nullptr && i < op->inputs().size() &&
         (op->inputs()[i].is_ref || op->inputs()[i].dtype == DType::kResource);
}

// A graph with one node (or composite) under test and the sources that feed it.
struct Instance {
  std::unique_ptr<Graph> graph = std::make_unique<Graph>();
  std::vector<Output> sources, outputs;
  std::vector<bool> is_variable;
  Feeds feeds;
  std::vector<Tensor> values;
  Status status;
};

PartialShape ShapeFor(const Tensor& value, Known known) {
  if (known == Known::kShapes) return value.shape();
  return known == Known::kRanks ? PartialShape::OfRank(value.rank()) : PartialShape();
}

Instance MakeInstance(const std::string& op_name, const AttrMap& attrs, const Build& build,
                      const std::vector<Tensor>& inputs, const std::vector<int>& constants,
                      Known known) {
  Instance made;
  made.values = inputs;
  const OpDef* op = op_name.empty() ? nullptr : OpRegistry::Global().Find(op_name);
  if (!op_name.empty() && op == nullptr) {
    made.status = NotFound("op '", op_name, "' is not defined");
    return made;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = StrCat("input", i);
    const bool is_variable = TakesVariable(op, i);
    made.is_variable.push_back(is_variable);
    if (is_variable) {
      const DType type = inputs[i].dtype();
      const PartialShape shape = ShapeFor(inputs[i], known);
      made.sources.push_back(op->inputs()[i].is_ref ? FedVariable(*made.graph, type, shape, name)
                                                    : FedHandle(*made.graph, type, shape, name));
    } else if (Contains(constants, static_cast<int>(i))) {
      made.sources.push_back(NodeBuilder(*made.graph, "Const", name, Location::Current())
                                 .Attr("value", inputs[i])
                                 .Attr("dtype", inputs[i].dtype())
                                 .Build());
    } else {
      made.sources.push_back(
          FedTensor(*made.graph, inputs[i].dtype(), ShapeFor(inputs[i], known), name));
      made.feeds[made.sources.back()] = inputs[i];
    }
  }
  made.status = made.graph->status();
  if (!made.status.ok()) return made;
  if (op == nullptr) {
    made.outputs = build(*made.graph, made.sources);
    made.status = made.graph->status();
    return made;
  }
  StatusOr<Node*> node = made.graph->AddNode({.op = op_name,
                                              .name = "tested",
                                              .inputs = made.sources,
                                              .attrs = attrs,
                                              .location = Location::Current()});
  made.status = node.status();
  if (!node.ok()) return made;
  for (int i = 0; i < (*node)->num_outputs(); ++i) made.outputs.push_back((*node)->output(i));
  return made;
}

struct Results {
  std::vector<Tensor> outputs;
  std::map<int, Tensor> variables;
};

StatusOr<Results> RunInstance(const Instance& made, RunnerOptions options) {
  GraphRunner runner(std::move(options));
  for (size_t i = 0; i < made.sources.size(); ++i) {
    if (made.is_variable[i])
      HR_RETURN_IF_ERROR(InitFedVariable(made.sources[i], runner, made.values[i]));
  }
  Results results;
  if (made.outputs.empty()) {
    Node* last = made.graph->node(made.graph->num_nodes() - 1);
    HR_RETURN_IF_ERROR(runner.RunNode(last, made.feeds));
  } else {
    HR_ASSIGN_OR_RETURN(results.outputs, runner.Run(made.outputs, made.feeds));
  }
  for (size_t i = 0; i < made.sources.size(); ++i) {
    if (!made.is_variable[i]) continue;
    const StatusOr<Tensor> value = ReadFedVariable(made.sources[i], runner);
    if (value.ok()) results.variables[static_cast<int>(i)] = *value;
  }
  return results;
}

class Checker {
 public:
  Checker(const OpCase& c, Location where)
      : case_(c),
        trace_(where.file, where.line, c.op.empty() ? "composite" : StrCat("op ", c.op)) {}

  void CheckAll() {
    const std::optional<Results> results = CheckForward(case_.inputs, case_.expected, "");
    if (!results) return;
    CheckInferredShapes(*results);
    CheckThreads(*results);
    CheckSimulatedGpu(*results);
    CheckOtherDTypes();
    CheckOtherShapes();
    CheckGradient();
  }

 private:
  Instance Make(const std::vector<Tensor>& inputs, Known known = Known::kShapes) const {
    return MakeInstance(case_.op, case_.attrs, case_.build, inputs, case_.constant_inputs, known);
  }

  std::optional<Results> CheckForward(const std::vector<Tensor>& inputs,
                                      std::vector<Tensor> expected, const std::string& variant) {
    SCOPED_TRACE(variant);
    const Instance made = Make(inputs);
    if (!made.status.ok()) {
      ADD_FAILURE() << "cannot make the node: " << made.status;
      return std::nullopt;
    }
    StatusOr<Results> results = RunInstance(made, {.thorough = case_.deterministic});
    if (!results.ok()) {
      ADD_FAILURE() << "cannot run: " << results.status();
      return std::nullopt;
    }
    if (case_.reference != nullptr) {
      std::vector<Tensor> precise;
      for (const Tensor& input : inputs) {
        precise.push_back(IsFloating(input.dtype()) ? Converted(input, DType::kFloat64) : input);
      }
      expected = case_.reference(precise);
      EXPECT_FALSE(expected.empty()) << "the reference gave nothing";
    }
    EXPECT_LE(expected.size(), results->outputs.size()) << "more expected tensors than outputs";
    for (size_t i = 0; i < std::min(expected.size(), results->outputs.size()); ++i) {
      if (!expected[i].valid()) continue;
      const Tensor& actual = results->outputs[i];
      const double tolerance = case_.tolerance > 0
                                   ? std::max(case_.tolerance, DefaultTolerance(actual.dtype()))
                                   : DefaultTolerance(actual.dtype());
      const std::string difference = Difference(actual, expected[i], tolerance);
      EXPECT_EQ(difference, "") << "output " << i;
    }
    if (variant.empty()) {
      for (const auto& [i, value] : case_.expected_variables) {
        EXPECT_EQ(Difference(results->variables[i], value,
                             std::max(case_.tolerance, DefaultTolerance(value.dtype()))),
                  "")
            << "variable of input " << i;
      }
    }
    return *std::move(results);
  }

  void CheckInferredShapes(const Results& results) {
    for (Known known : {Known::kShapes, Known::kRanks, Known::kNothing}) {
      const char* what = known == Known::kShapes  ? "known shapes"
                         : known == Known::kRanks ? "known ranks"
                                                  : "unknown ranks";
      const Instance made = Make(case_.inputs, known);
      if (!made.status.ok()) {
        ADD_FAILURE() << "cannot make the node with " << what << ": " << made.status;
        continue;
      }
      for (size_t i = 0; i < made.outputs.size(); ++i) {
        const PartialShape inferred = made.outputs[i].shape();
        const Shape real = results.outputs[i].shape();
        EXPECT_TRUE(inferred.IsCompatibleWith(real))
            << "with " << what << ", output " << i << " is inferred as " << inferred.ToString()
            << ", really " << real.ToString();
        if (known == Known::kShapes && case_.static_shape) {
          EXPECT_TRUE(inferred.is_fully_known())
              << "with " << what << ", output " << i << " is only known as " << inferred.ToString();
        }
      }
      if (known == Known::kShapes) continue;
      // The kernel may not rely on what the graph happened to know.
      const StatusOr<Results> again = RunInstance(made, {});
      if (!again.ok()) {
        ADD_FAILURE() << "cannot run with " << what << ": " << again.status();
      } else if (case_.deterministic) {
        Compare(*again, results, what);
      }
    }
  }

  void Compare(const Results& actual, const Results& expected, const std::string& what) {
    for (size_t i = 0; i < expected.outputs.size(); ++i) {
      EXPECT_EQ(BitDifference(actual.outputs[i], expected.outputs[i]), "")
          << "output " << i << " with " << what;
    }
    for (const auto& [i, value] : expected.variables) {
      EXPECT_EQ(BitDifference(actual.variables.at(i), value), "")
          << "variable of input " << i << " with " << what;
    }
  }

  void CheckThreads(const Results& results) {
    if (!case_.deterministic) return;
    const StatusOr<Results> parallel = RunInstance(Make(case_.inputs), {.threads = 3});
    if (!parallel.ok()) {
      ADD_FAILURE() << "cannot run with 3 threads: " << parallel.status();
    } else {
      Compare(*parallel, results, "3 threads");
    }
  }

  void CheckSimulatedGpu(const Results& results) {
    const Instance made = Make(case_.inputs);
    if (!case_.op.empty() &&
        !FindSupport(*made.graph->node(made.graph->num_nodes() - 1), "GPU").ok())
      return;
    const StatusOr<Results> simulated =
        RunInstance(made, {.device_type = "GPU", .threads = 2, .thorough = false});
    if (!simulated.ok()) {
      ADD_FAILURE() << "cannot run on a simulated GPU: " << simulated.status();
    } else if (case_.deterministic) {
      Compare(*simulated, results, "a simulated GPU");
    }
  }

  void CheckOtherDTypes() {
    if (case_.inputs.empty()) return;
    const DType main = case_.inputs[0].dtype();
    for (int d = 1; d <= static_cast<int>(DType::kUInt64); ++d) {
      const DType dtype = static_cast<DType>(d);
      if (!case_.dtypes.Contains(dtype) || dtype == main) continue;
      const auto convert = [&](std::vector<Tensor> tensors) {
        for (Tensor& tensor : tensors) {
          if (tensor.dtype() == main) tensor = Converted(tensor, dtype);
        }
        return tensors;
      };
      CheckForward(convert(case_.inputs), convert(case_.expected), StrCat("as ", DTypeName(dtype)));
    }
  }

  void CheckOtherShapes() {
    if (!case_.shapes.empty() && case_.reference == nullptr)
      ADD_FAILURE() << "other shapes need a reference";
    for (const std::vector<Shape>& shapes : case_.shapes) {
      std::vector<Tensor> inputs = case_.inputs;
      for (size_t i = 0; i < std::min(shapes.size(), inputs.size()); ++i) {
        const std::vector<double> values = ToDoubles(inputs[i]);
        if (values.empty()) {
          ADD_FAILURE() << "input " << i << " gives no range for random values";
          return;
        }
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        const double above = IsInteger(inputs[i].dtype()) ? 1 : 0;
        inputs[i] = RandomTensor(inputs[i].dtype(), shapes[i], *low, *high + above, 11 + i);
      }
      CheckForward(inputs, {}, StrCat("with shapes ", StrJoin(shapes, ", ", [](const Shape& s) {
                                        return s.ToString();
                                      })));
    }
  }

  void CheckGradient() {
    const OpDef* op = case_.op.empty() ? nullptr : OpRegistry::Global().Find(case_.op);
    std::vector<int> wanted;
    if (case_.gradient_of.has_value()) {
      wanted = *case_.gradient_of;
    } else if (op == nullptr || op->gradient() != nullptr) {
      for (size_t i = 0; i < case_.inputs.size(); ++i) {
        const bool takes_value = !TakesVariable(op, i);
        if (IsFloating(case_.inputs[i].dtype()) && takes_value)
          wanted.push_back(static_cast<int>(i));
      }
    }
    if (wanted.empty()) return;
    SCOPED_TRACE("gradient");
    std::vector<Tensor> inputs = case_.inputs;
    for (Tensor& input : inputs) {
      if (IsFloating(input.dtype())) input = Converted(input, case_.gradient_dtype);
    }
    // With shapes known and with ranks known only: gradient functions take other paths.
    for (Known known : {Known::kShapes, Known::kRanks, Known::kNothing}) {
      const Instance made = Make(inputs, known);
      if (!made.status.ok()) {
        ADD_FAILURE() << "cannot make the node: " << made.status;
        return;
      }
      std::vector<Output> ys, xs;
      for (const Output& output : made.outputs) {
        if (IsFloating(output.value_dtype())) ys.push_back(output);
      }
      for (int i : wanted) xs.push_back(made.sources[i]);
      if (ys.empty()) return;
      GraphRunner runner;
      const int order = case_.second_order ? 2 : 1;
      EXPECT_EQ(
          GradientDifference(
              ys, xs, made.feeds, runner,
              {.order = order, .tolerance = case_.gradient_tolerance, .step = case_.gradient_step}),
          "")
          << (known == Known::kShapes  ? "with known shapes"
              : known == Known::kRanks ? "with known ranks"
                                       : "with unknown ranks");
    }
  }

  const OpCase& case_;
  ::testing::ScopedTrace trace_;
};

// OK if the status is the declared error.
std::string WrongError(const Status& status, const OpErrorCase& c) {
  if (status.ok()) return "there was no error";
  if (status.code() != c.code || Message(status).find(c.text) == std::string_view::npos) {
    return StrCat("the error is ", status.ToString(), ", expected ",
                  absl::StatusCodeToString(c.code), " with '", c.text, "'");
  }
  return "";
}

}  // namespace

void CheckOp(const OpCase& c, Location where) {
  Checker(c, where).CheckAll();
}

void CheckOpError(const OpErrorCase& c, Location where) {
  ::testing::ScopedTrace trace(where.file, where.line,
                               c.op.empty() ? "composite" : StrCat("op ", c.op));
  for (Known known : {Known::kShapes, Known::kNothing}) {
    const Instance made = MakeInstance(c.op, c.attrs, c.build, c.inputs, c.constant_inputs, known);
    const bool shapes_known = known == Known::kShapes;
    SCOPED_TRACE(shapes_known ? "shapes known" : "shapes unknown");
    if (!made.status.ok()) {
      EXPECT_EQ(WrongError(made.status, c), "") << "when it is made";
      if (!c.at_build) ADD_FAILURE() << "it should only fail in the step: " << made.status;
      continue;
    }
    if (shapes_known && c.at_build) {
      ADD_FAILURE() << "it should fail when it is made";
      continue;
    }
    if (!c.in_step) continue;
    const StatusOr<Results> results = RunInstance(made, {});
    EXPECT_EQ(WrongError(results.status(), c), "") << "in the step";
  }
}

}  // namespace headrace::testing

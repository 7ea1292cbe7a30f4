// Functions: graphs with typed arguments and results, kept by name in the function library of another graph, where
// attributes refer to them (FunctionRef): what a dataset maps its elements with.
//
//   FunctionBuilder f(g, "double_and_shift");
//   Output x = f.Argument(DType::kFloat32, {});
//   Output y = Add(Mul(x, Const(f.graph(), 2.0f)), f.Capture(shift));   // `shift` is a value of g
//   HR_ASSIGN_OR_RETURN(FunctionRef function, f.Finish({y}));
//   // a node that calls it takes f.captures() as inputs, which become its last arguments
//
// The library is TensorFlow's FunctionDefLibrary, so functions go with graph files both ways. Random ops of a body are
// seeded as TensorFlow seeds them: by the outer graph's seed, and op seeds count the nodes of the body.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/graph/graph.h"

namespace headrace {

// What makes a graph a function.
struct FunctionSignature {
  std::string name;
  std::vector<Output> arguments;  // placeholders of the body
  std::vector<Output> results;
  std::vector<Node*> effects;  // run in every call, whether or not a result needs them
};

struct Function {
  std::unique_ptr<Graph> graph;
  FunctionSignature signature;
};

// Adds the function with this body to the library of `graph`. Errors: the body's first error; InvalidArgument for
// values that are not the body's, arguments that are no placeholders, and a name that is taken.
Status AddFunction(Graph& graph, const Graph& body, const FunctionSignature& signature);

bool HasFunction(const Graph& graph, std::string_view name);

// A copy of a function of the library, with the library (its nodes may refer to other functions). Nodes keep names
// and locations. Errors: NotFound; InvalidArgument for a body that is not well formed; Unimplemented for functions
// whose dtypes are attributes.
StatusOr<Function> ImportFunction(const Graph& graph, std::string_view name);

// Nodes of a body that leave a trace (they print, assert, call the program, write), in order: what a traced function
// does in every call, as TensorFlow's do. Random ops are not among them.
std::vector<Node*> EffectsOf(const Graph& body);

// Builds the body of a function beside the graph that will call it.
class FunctionBuilder {
 public:
  // The name is made unique in the library.
  FunctionBuilder(Graph& outer, std::string_view name);
  FunctionBuilder(const FunctionBuilder&) = delete;
  FunctionBuilder& operator=(const FunctionBuilder&) = delete;

  Graph& graph() { return *body_; }
  Output Argument(DType type, const PartialShape& shape = PartialShape());
  // A value of the outer graph as an argument of its own; the same for the same value. A variable comes by its value
  // at the moment when the calling node takes it.
  Output Capture(Output outer);
  const std::vector<Output>& captures() const { return captures_; }

  // Adds the function to the outer graph's library. REQUIRES: called once.
  StatusOr<FunctionRef> Finish(std::span<const Output> results);
  StatusOr<FunctionRef> Finish(std::initializer_list<Output> results) {
    return Finish(std::span(results.begin(), results.size()));
  }

 private:
  Output AddPlaceholder(std::string_view name, DType type, const PartialShape& shape);

  Graph& outer_;
  std::unique_ptr<Graph> body_;
  std::string name_;
  std::vector<Output> arguments_;
  std::vector<Output> captures_, captured_;  // of the outer graph, and what stands for them
};

namespace internal {
// Attribute of nodes in a library: "model.py:41", where they came from. Not written to files.
inline constexpr std::string_view kLocationAttr = "_line";
}  // namespace internal

}  // namespace headrace

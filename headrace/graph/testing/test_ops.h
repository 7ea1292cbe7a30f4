// A few ops with which the tests of graph/ need no library: the shapes of definitions that occur
// (typed, listed, by reference, with defaults), none with a kernel.
#pragma once

#include "headrace/graph/graph.h"

namespace headrace::testing {

// Const, Placeholder, VariableV2, Identity, Shape, Pack, ConcatV2, StridedSlice, Reshape, Add, Mul,
// Relu, Floor, MatMul, Split, IdentityN, Assign, NoOp, Merge, NextIteration, and others.
void DefineTestOps(OpRegistry& ops);
OpRegistry& TestOps();

Output MakeConst(Graph& graph, Tensor value, std::string_view name = "");
Output MakePlaceholder(Graph& graph, DType type, PartialShape shape, std::string_view name = "");
// An op of the given inputs without attributes that need to be stated.
Output MakeOp(Graph& graph, std::string_view op, std::vector<Output> inputs,
              std::string_view name = "", AttrMap attrs = {});

}  // namespace headrace::testing

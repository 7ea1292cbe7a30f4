// What tests share: reading the goldens made with TensorFlow 1.15, and comparing tensors and nodes
// with them.
//
//   const nlohmann::json doc = LoadGolden("optimizers.json");
//   EXPECT_TRUE(Near(w, TensorOf(doc["init"]), 1e-6));
//   ExpectNodes(g, mark, doc["nodes"]);
#pragma once

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "headrace/graph/graph.h"
#include "headrace/session/session.h"
#include "nlohmann/json.hpp"

namespace headrace::testing {

// tests/golden/NAME; the test fails if it cannot be read.
nlohmann::json LoadGolden(const std::string& name);
std::string GoldenPath(const std::string& name);

// {"dtype": "float32", "shape": [2], "data": [1.0, "nan"]}.
Tensor TensorOf(const nlohmann::json& value);
// Numbers in a row as a tensor.
Tensor TensorOf(const nlohmann::json& data, DType dtype, const Shape& shape);

// Equal dtype and shape, and elements equal, both NaN, or |a - b| <= tolerance * max(|a|, |b|) +
// floor.
::testing::AssertionResult Near(const Tensor& actual, const Tensor& expected, double tolerance,
                                double floor = 0);

// "name", "name:1", "^name": the inputs of a node as graph files have them, control inputs sorted.
std::vector<std::string> InputsOf(const Node& node);
// Nodes from id `first` on are those of the golden, in its order: [name, op, inputs] or [name, op,
// inputs, attrs], the attributes compared too where there are any.
void ExpectNodes(const Graph& g, int first, const nlohmann::json& nodes);

// Value of an output; the test fails on an error.
Tensor Fetch(Session& session, Output output, const Session::Feeds& feeds = {});
void RunOp(Session& session, Node* target, const Session::Feeds& feeds = {});
std::unique_ptr<Session> MakeSession(const Graph& g);

}  // namespace headrace::testing

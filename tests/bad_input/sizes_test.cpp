// Sizes that no tensor has: more dimensions than a shape holds, and products and sums of sizes beyond int64. Said
// where the values are known while the graph is built, and else by the run.
#include <limits>

#include "tests/bad_input/expect.h"

namespace headrace::bad_input {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kHuge = int64_t{1} << 40;

struct SizeCase {
  const char* what;
  std::string op;
  AttrMap attrs;
  std::vector<Tensor> inputs;
  std::vector<std::string> parts;  // of both errors
};

Tensor Rank8() {
  return Tensor::Of<float>({1}, {1, 1, 1, 1, 1, 1, 1, 1});
}
Tensor Int64s(std::initializer_list<int64_t> values, Shape shape) {
  return Tensor::Of<int64_t>(values, shape);
}

std::vector<SizeCase> Cases() {
  const Tensor zero = Tensor::Scalar<int32_t>(0),
               text(DType::kString, Shape{1, 1, 1, 1, 1, 1, 1, 1});
  const Tensor image = Tensor::Of<float>({1, 2, 3, 4}, {1, 1, 1, 4});
  return {
      {"a diagonal of rank 8", "MatrixDiag", {}, {Rank8()}, {"at most 8 dimensions, got 9"}},
      {"parts of rank 9",
       "DynamicPartition",
       {{"num_partitions", 1}},
       {Rank8(), zero},
       {"at most 8 dimensions, got 9"}},
      {"rows of rank 8",
       "DynamicStitch",
       {{"N", 1}},
       {zero, Rank8()},
       {"at most 8 dimensions, got 9"}},
      {"joined texts of rank 9",
       "UnsortedSegmentJoin",
       {},
       {text, zero, Tensor::Scalar<int32_t>(1)},
       {"at most 8 dimensions, got 9"}},
      {"a cross product of scalars",
       "Cross",
       {},
       {Tensor::Scalar(1.0f), Tensor::Scalar(1.0f)},
       {"op 'Cross'", "rank"}},
      {"paddings whose sum is too large",
       "Pad",
       {},
       {Tensor::Of<float>({1, 2}), Int64s({kMost, kMost}, {1, 2})},
       {"dimension 0", "beyond int64"}},
      {"paddings that make too many elements",
       "Pad",
       {},
       {image, Int64s({kHuge, 0, kHuge, 0, 0, 0, 0, 0}, {4, 2})},
       {"op 'Pad'", "1099511627777"}},
      {"blocks whose product is too large",
       "SpaceToBatchND",
       {},
       {image, Int64s({kMost, kMost}, {2}), Int64s({0, 0, 0, 0}, {2, 2})},
       {"block_shape", "int64"}},
      {"blocks of blocks",
       "BatchToSpaceND",
       {},
       {Tensor::Of<float>({1, 2}, {1, 2}), Int64s({kMost}, {1}), Int64s({0, 0}, {1, 2})},
       {"op 'BatchToSpaceND'"}},
      {"a block size whose square is too large",
       "DepthToSpace",
       {{"block_size", int64_t{1} << 32}},
       {image},
       {"block_size must be at most", "4294967296"}},
      {"a largest segment id",
       "SegmentMax",
       {},
       {Tensor::Of<float>({1}), Int64s({kMost}, {1})},
       {"op 'SegmentMax'"}},
      {"a filled tensor of too many elements",
       "Fill",
       {},
       {Int64s({kHuge, kHuge}, {2}), Tensor::Scalar(1.0f)},
       {"op 'Fill'", "1099511627776"}},
  };
}

StatusOr<Output> Add(Graph& g, const SizeCase& c, const std::vector<Output>& inputs) {
  HR_ASSIGN_OR_RETURN(Node * node,
                      g.AddNode({.op = c.op, .name = "n", .inputs = inputs, .attrs = c.attrs}));
  return node->output(0);
}

TEST(BadInput, SizesThatNoTensorHas) {
  for (const SizeCase& c : Cases()) {
    SCOPED_TRACE(c.what);
    Graph g;
    std::vector<Output> known, fed;
    Session::Feeds feeds;
    for (const Tensor& input : c.inputs) {
      known.push_back(Const(g, input));
      fed.push_back(Placeholder(g, input.dtype()));
      feeds.push_back({fed.back(), input});
    }
    const StatusOr<Output> at_once = Add(g, c, known);
    // What only a kernel can tell, the run tells for constants too.
    if (!at_once.ok()) ExpectError(at_once.status(), kInvalid, c.parts);
    const StatusOr<Output> later = Add(g, c, fed);
    if (!later.ok()) {
      ExpectError(later.status(), kInvalid, c.parts);
      continue;
    }
    for (const bool plans : {true, false}) {
      const auto session = MakeSession(g, {.use_plans = plans});
      ExpectError(session->Run(feeds, {*later}).status(), kInvalid, c.parts);
      if (at_once.ok()) ExpectError(session->Run({}, {*at_once}).status(), kInvalid, c.parts);
    }
  }
}

// Handles are values like others to GatherNd, whose definition has no "dtype" for what they lead to.
TEST(BadInput, GatherNdOfHandles) {
  Graph g;
  const StatusOr<Node*> handle = g.AddNode(
      {.op = "VarHandleOp", .attrs = {{"dtype", DType::kFloat32}, {"shape", PartialShape{2}}}});
  ASSERT_TRUE(handle.ok()) << handle.status();
  const StatusOr<Node*> node =
      g.AddNode({.op = "GatherNd",
                 .name = "n",
                 .inputs = {(*handle)->output(0), Const(g, Tensor::Of<int32_t>({5}))}});
  if (!node.ok()) {
    ExpectError(node.status(), kInvalid, {"op 'GatherNd'"});
    return;
  }
  const auto session = MakeSession(g);
  ExpectError(session->Run({}, {(*node)->output(0)}).status(), kInvalid, {"node 'n'"});
}

}  // namespace
}  // namespace headrace::bad_input

// Errors of the ops on sparse tensors, and their gradients against finite differences; values are
// compared with TensorFlow's in tests/golden/ops/sparse.json.
#include <gtest/gtest.h>

#include "headrace/ops/array/constant.h"
#include "headrace/ops/sparse/serialize.h"
#include "headrace/ops/sparse/sparse_math.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::RandomTensor;

Tensor Indices(std::initializer_list<int64_t> values, int64_t rank = 2) {
  return Tensor::Of<int64_t>(values, Shape{static_cast<int64_t>(values.size()) / rank, rank});
}
Tensor Dims(std::initializer_list<int64_t> dims) {
  return Tensor::Of<int64_t>(dims);
}
Tensor Values(std::initializer_list<float> values) {
  return Tensor::Of<float>(values);
}

// Entries of a [3, 2] tensor.
const Tensor& At() {
  static const auto& indices = *new Tensor(Indices({0, 1, 2, 0, 2, 1}));
  return indices;
}
const Tensor& Three() {
  static const auto& values = *new Tensor(Values({1, -2, 3}));
  return values;
}

TEST(Sparse, GradientsMatchFiniteDifferences) {
  const Tensor shape = Dims({3, 2}), dense = RandomTensor(DType::kFloat32, {3, 2}, 1, 2);
  const std::vector<int> fixed = {0, 2};
  CheckOp({.op = "SparseSoftmax",
           .inputs = {At(), Three(), shape},
           .constant_inputs = fixed,
           .gradient_of = {{1}},
           .second_order = false});
  CheckOp({.op = "SparseTensorDenseMatMul",
           .inputs = {At(), Three(), shape, RandomTensor(DType::kFloat32, {2, 4})},
           .constant_inputs = fixed,
           .gradient_of = {{1, 3}}});
  CheckOp({.op = "SparseDenseCwiseMul",
           .inputs = {At(), Three(), shape, dense},
           .constant_inputs = fixed,
           .gradient_of = {{1, 3}}});
  CheckOp({.op = "SparseDenseCwiseDiv",
           .inputs = {At(), Three(), shape, RandomTensor(DType::kFloat32, {2}, 1, 2)},
           .constant_inputs = fixed,
           .gradient_of = {{1, 3}}});
  CheckOp({.op = "SparseTensorDenseAdd",
           .inputs = {At(), Three(), shape, dense},
           .constant_inputs = fixed,
           .gradient_of = {{1, 3}}});
  CheckOp({.op = "SparseReduceSum",
           .inputs = {At(), Three(), shape, Tensor::Of<int32_t>({1})},
           .constant_inputs = {0, 2, 3},
           .expected = {Values({1, 0, 1})},
           .gradient_of = {{1}}});
  CheckOp({.op = "SparseToDense",
           .inputs = {At(), shape, Three(), Tensor::Scalar(0.5f)},
           .constant_inputs = {0, 1},
           .gradient_of = {{2, 3}}});
}

TEST(SparseToDense, ChecksOrderAndBounds) {
  const auto fails = [](Tensor indices, Tensor shape, Tensor values, std::string text) {
    CheckOpError({.op = "SparseToDense",
                  .inputs = {indices, shape, values, Tensor::Scalar(0.0f)},
                  .text = text,
                  .at_build = false});
  };
  const Tensor two = Values({1, 2});
  fails(Indices({2, 0, 0, 1}), Dims({3, 2}), two,
        "indices[1] = [0,1] is out of order");
  fails(Indices({0, 1, 0, 1}), Dims({3, 2}), two, "indices[1] = [0,1] is repeated");
  fails(Indices({0, 1, 3, 0}), Dims({3, 2}), two,
        "indices[1] = [3,0] is out of bounds: need 0 <= index < [3,2]");
  fails(Indices({0, -1}), Dims({3, 2}), Values({1}), "indices[0] = [0,-1] is out of bounds");
  fails(Indices({0, 1}), Dims({3}), Values({1}),
        "output_shape has incorrect number of elements: 1 should be: 2");
  fails(Indices({0, 1}, 1), Dims({3}), Values({1, 2, 3}),
        "sparse_values has incorrect shape [3], should be [] or [2]");
}

TEST(SparseTensorDenseMatMul, SaysWhatIsWrong) {
  const auto fails = [](Tensor indices, Tensor b, std::string text) {
    CheckOpError({.op = "SparseTensorDenseMatMul",
                  .inputs = {indices, Values({1, 2}), Dims({3, 2}), b},
                  .text = text,
                  .at_build = false});
  };
  const Tensor b = RandomTensor(DType::kFloat32, {2, 2});
  fails(Indices({0, 1, 3, 0}), b, "m (3) from index[1,0] out of bounds (>=3)");
  fails(Indices({0, 1, 2, 5}), b, "k (5) from index[1,1] out of bounds (>=2)");
  fails(Indices({0, 1, 2, 0}), RandomTensor(DType::kFloat32, {1, 3}),
        "Cannot multiply A and B because inner dimension does not match: 2 vs. 1.");
}

TEST(SparseAdd, SaysWhatIsWrong) {
  const auto fails = [](Tensor other_shape, Tensor threshold, std::string text) {
    CheckOpError({.op = "SparseAdd",
                  .inputs = {Indices({0, 1}), Values({1}), Dims({3, 2}), Indices({0, 1}),
                             Values({3}), other_shape, threshold},
                  .text = text,
                  .at_build = false});
  };
  fails(Dims({3, 3}), Tensor::Scalar(0.0f),
        "Operands' shapes do not match: got 2 and 3 for dimension 1");
  fails(Dims({3, 2}), Values({0}), "The magnitude threshold must be a scalar: got shape [1]");
  fails(Dims({3, 2}), Tensor::Scalar(0.0), "the threshold of float32 values must be float32");
}

TEST(SparseReshape, SaysWhatIsWrong) {
  const auto fails = [](Tensor target, std::string text) {
    CheckOpError({.op = "SparseReshape",
                  .inputs = {Indices({0, 1}), Dims({3, 2}), target},
                  .text = text,
                  .at_build = false});
  };
  fails(Dims({-1, -1}), "only one output dimension may be -1, not both 0 and 1");
  fails(Dims({5}),
        "Input to reshape is a tensor with 6 dense values, but the requested shape has "
        "5. input_shape=[3,2] output_shape=[5]");
  fails(Dims({4, -1}),
        "Input to reshape is a SparseTensor with 6 dense values, but the requested "
        "shape requires a multiple of 4.");
  fails(Dims({-1, 0}), "reshape cannot infer the missing input size for an empty tensor");
}

TEST(SparseParts, SayWhatIsWrong) {
  const auto split = [](int64_t axis, int64_t parts, std::string text) {
    CheckOpError({.op = "SparseSplit",
                  .attrs = {{"num_split", parts}},
                  .inputs = {Tensor::Scalar(axis), At(), Three(), Dims({3, 2})},
                  .text = text,
                  .at_build = false});
  };
  split(2, 1, "Input split_dim should be between 0 and rank (2), got 2");
  split(0, 4, "Input num_split should be between 1 and the splitting dimension size (3), got 4");
  const auto join = [](int64_t axis, Tensor shape, std::string text) {
    CheckOpError({.build =
                      [axis](Graph&, const std::vector<Output>& in) {
                        const SparseTensor parts[] = {{in[0], in[1], in[2]}, {in[0], in[1], in[3]}};
                        return std::vector{SparseConcat(parts, axis).values};
                      },
                  .inputs = {At(), Three(), Dims({3, 2}), shape},
                  .text = text,
                  .at_build = false});
  };
  join(2, Dims({3, 2}), "Concat dimension must be in range [-2, 2), got 2");
  join(0, Dims({3, 3}),
       "Input shapes must match: expected 2 for dimension 1 but got 3 at position 1");
}

TEST(SparseRows, SayWhatIsWrong) {
  CheckOpError({.op = "SparseFillEmptyRows",
                .inputs = {Indices({5, 1}), Values({1}), Dims({4, 2}), Tensor::Scalar(9.0f)},
                .text = "indices(0, 0) is invalid: 5 >= 4",
                .at_build = false});
  CheckOpError({.op = "SparseFillEmptyRows",
                .inputs = {Indices({0, 1}), Values({1}), Dims({0, 2}), Tensor::Scalar(9.0f)},
                .text = "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = 1",
                .at_build = false});
  CheckOpError({.op = "SparseFillEmptyRowsGrad",
                .inputs = {Tensor::Of<int64_t>({0, 7}), Values({1, 2, 3, 4})},
                .text = "Elements in reverse index must be in [0, 4) but got 7",
                .at_build = false});
  CheckOpError(
      {.op = "SparseSliceGrad",
       .inputs = {Values({5}), Indices({0, 1, 2, 0}), Dims({1, 1}), Indices({1, 0})},
       .code = absl::StatusCode::kInternal,
       .text = "Elements of backprop_val_grad aren't all propagated. Num elements:1, used: 0",
       .at_build = false});
}

TEST(SparseCwise, SaysWhatIsWrong) {
  const auto fails = [](Tensor indices, Tensor dense, std::string text) {
    CheckOpError({.op = "SparseDenseCwiseDiv",
                  .inputs = {indices, Tensor::Of<int32_t>({1}), Dims({3, 2}), dense},
                  .text = text,
                  .at_build = false});
  };
  fails(Indices({0, 1}), Tensor::Of<int32_t>({1, 2, 3}, {1, 3}),
        "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: [3,2] "
        "vs. [1,3]");
  fails(Indices({7, 1}), Tensor::Of<int32_t>({1, 2}),
        "Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape");
  fails(Indices({0, 1}), Tensor::Of<int32_t>({0, 0}), "Integer division by zero");
  CheckOpError({.op = "SparseTensorDenseAdd",
                .inputs = {Indices({5, 0}), Values({1}), Dims({3, 2}),
                           RandomTensor(DType::kFloat32, {3, 2})},
                .text = "indices[0] = [5,0] is out of bounds",
                .at_build = false});
  CheckOpError({.op = "SparseReduceSum",
                .inputs = {At(), Three(), Dims({3, 2}), Tensor::Of<int32_t>({2})},
                .text = "Invalid reduction dimension 2, for input with 2 dimensions.",
                .at_build = false});
  CheckOpError({.op = "SparseSoftmax",
                .inputs = {Indices({0}, 1), Values({1}), Dims({3})},
                .text = "Input should have rank >= 2, but received shape: 3",
                .at_build = false});
}

TEST(SerializeSparse, SaysWhatIsWrong) {
  CheckOpError({.op = "SerializeManySparse",
                .inputs = {Indices({0}, 1), Values({1}), Dims({2})},
                .text = "Rank of input SparseTensor should be > 1, but saw rank: 1",
                .at_build = false});
  CheckOpError({.op = "SerializeManySparse",
                .inputs = {Indices({5, 1}), Values({1}), Dims({2, 2})},
                .text = "indices[0] = [5,1] is out of bounds: need 0 <= index < [2,2]",
                .at_build = false});
  const auto fails = [](Tensor serialized, std::string text) {
    CheckOpError({.op = "DeserializeSparse",
                  .attrs = {{"dtype", DType::kInt32}},
                  .inputs = {serialized},
                  .text = text,
                  .at_build = false});
  };
  fails(Tensor::Of<std::string>({"a", "b", "c"}), "Could not parse serialized proto");
  fails(Tensor(DType::kString, {0, 3}),
        "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension "
        "[0,3]");
  Graph g;
  const Output text =
      SerializeSparse({Const(g, Indices({0, 1})), Const(g, Values({1})), Const(g, Dims({2, 2}))});
  const Status status =
      testing::GraphRunner().Run({DeserializeSparse(text, DType::kInt32).values}).status();
  EXPECT_NE(status.ToString().find("Requested SparseTensor of type int32 but "
                                   "SparseTensor[0].values.dtype() == float"),
            std::string::npos)
      << status;
}

}  // namespace
}  // namespace headrace

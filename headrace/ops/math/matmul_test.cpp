#include "headrace/ops/math/matmul.h"

#include <gtest/gtest.h>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::FromDoubles;
using testing::RandomTensor;
using testing::Reference;
using testing::ToDoubles;

// Products of the last two dimensions; batches equal, or one matrix for all.
Reference Product(bool ta, bool tb) {
  return [=](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    const Shape &a = in[0].shape(), &b = in[1].shape();
    const int ra = a.rank(), rb = b.rank();
    const int64_t m = a[ra - (ta ? 1 : 2)], k = a[ra - (ta ? 2 : 1)], n = b[rb - (tb ? 2 : 1)];
    const int64_t batch_a = a.Product(0, ra - 2), batch_b = b.Product(0, rb - 2),
                  batch = std::max(batch_a, batch_b);
    const std::vector<double> x = ToDoubles(in[0]), y = ToDoubles(in[1]);
    std::vector<double> z(batch * m * n);
    for (int64_t s = 0; s < batch; ++s) {
      const double* xs = x.data() + (batch_a == 1 ? 0 : s) * m * k;
      const double* ys = y.data() + (batch_b == 1 ? 0 : s) * k * n;
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum += xs[ta ? p * m + i : i * k + p] * ys[tb ? j * k + p : p * n + j];
          z[(s * m + i) * n + j] = sum;
        }
      }
    }
    Shape shape = batch_a >= batch_b ? a : b;
    shape.set_dim(shape.rank() - 2, m);
    shape.set_dim(shape.rank() - 1, n);
    return {FromDoubles(z, shape)};
  };
}

const DTypeSet kTypes = kFloatTypes | DTypeSet{DType::kInt32, DType::kInt64};

TEST(MatMul, MatchesReferenceForEveryTransposition) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      const auto a = [&](int64_t m, int64_t k) { return ta ? Shape{k, m} : Shape{m, k}; };
      const auto b = [&](int64_t k, int64_t n) { return tb ? Shape{n, k} : Shape{k, n}; };
      CheckOp({.op = "MatMul",
               .attrs = {{"transpose_a", ta}, {"transpose_b", tb}},
               .inputs = {RandomTensor(DType::kFloat32, a(3, 4), -2, 2, 1),
                          RandomTensor(DType::kFloat32, b(4, 5), -2, 2, 2)},
               .reference = Product(ta, tb),
               .tolerance = 2e-5,
               .dtypes = kTypes,
               .shapes = {{a(1, 1), b(1, 1)},
                          {a(1, 7), b(7, 1)},
                          {a(0, 4), b(4, 5)},
                          {a(3, 0), b(0, 5)},
                          {a(3, 4), b(4, 0)},
                          {a(100, 300), b(300, 70)},
                          {a(1, 500), b(500, 33)},
                          {a(257, 3), b(3, 19)}}});
    }
  }
}

// The product in `in` from `first` on, and then `finish(sum, index, columns)`.
template <class F>
Reference Finished(bool ta, bool tb, int first, F finish) {
  return [=](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    const Tensor product = Product(ta, tb)({in[first], in[first + 1]})[0];
    std::vector<double> values = ToDoubles(product);
    for (size_t i = 0; i < values.size(); ++i) values[i] = finish(in, values[i], i, product.dim(1));
    return {FromDoubles(values, product.shape())};
  };
}

TEST(FusedMatMul, MatchesReference) {
  using Strings = AttrValue::Strings;
  const auto at = [](const Tensor& t, int64_t i) { return ToDoubles(t)[i]; };
  for (int form = 0; form < 4; ++form) {
    const bool ta = form & 1, tb = form & 2;
    const Tensor a = RandomTensor(DType::kFloat32, ta ? Shape{9, 20} : Shape{20, 9}, -1, 1, 1);
    const Tensor b = RandomTensor(DType::kFloat32, tb ? Shape{37, 9} : Shape{9, 37}, -1, 1, 2);
    const Tensor bias = RandomTensor(DType::kFloat32, {37}, -1, 1, 3),
                 features = RandomTensor(DType::kFloat32, {20, 37}, -1, 1, 4);
    const auto check = [&](Strings ops, std::vector<Tensor> inputs, Reference reference) {
      CheckOp({.op = "_FusedMatMul",
               .attrs = {{"transpose_a", ta},
                         {"transpose_b", tb},
                         {"fused_ops", ops},
                         {"num_args", static_cast<int64_t>(inputs.size()) - 2}},
               .inputs = std::move(inputs),
               .reference = std::move(reference),
               .tolerance = 1e-5});
    };
    check({"BiasAdd"}, {a, b, bias},
          Finished(ta, tb, 0,
                   [&](auto& in, double x, size_t i, int64_t n) { return x + at(in[2], i % n); }));
    check({"BiasAdd", "Relu"}, {a, b, bias},
          Finished(ta, tb, 0, [&](auto& in, double x, size_t i, int64_t n) {
            return std::max(0.0, x + at(in[2], i % n));
          }));
    check({"Relu"}, {a, b},
          Finished(ta, tb, 0, [&](auto&, double x, size_t, int64_t) { return std::max(0.0, x); }));
    check({"ReluGrad"}, {a, b, features},
          Finished(ta, tb, 0, [&](auto& in, double x, size_t i, int64_t) {
            return at(in[2], i) > 0 ? x : 0.0;
          }));
  }
}

TEST(FusedMatMul, RefusesWhatItDoesNotFuse) {
  using Strings = AttrValue::Strings;
  const Tensor a(DType::kFloat32, {2, 3}), b(DType::kFloat32, {3, 4});
  CheckOpError({.op = "_FusedMatMul",
                .attrs = {{"fused_ops", Strings{"Relu6"}}, {"num_args", int64_t{0}}},
                .inputs = {a, b},
                .code = absl::StatusCode::kUnimplemented,
                .text = "Fusion is not implemented: [Relu6]",
                .at_build = false});
  CheckOpError({.op = "_FusedMatMul",
                .attrs = {{"fused_ops", Strings{"BiasAdd"}}, {"num_args", int64_t{1}}},
                .inputs = {a, b, Tensor(DType::kFloat32, {3})},
                .text = "Bias must be a vector of 4 numbers, got shape [3]",
                .at_build = false});
}

TEST(MatMulApplyGradientDescent, UpdatesTheVariable) {
  for (int64_t depth : {1, 9, 500}) {  // the last is done in two passes
    for (bool decays : {false, true}) {
      const Tensor var = RandomTensor(DType::kFloat32, {20, 37}, -1, 1, 1),
                   alpha = Tensor::Scalar(0.5f), decay = Tensor::Scalar(0.1f);
      const Tensor a = RandomTensor(DType::kFloat32, {depth, 20}, -1, 1, 2),
                   b = RandomTensor(DType::kFloat32, {depth, 37}, -1, 1, 3);
      std::vector<double> expected = ToDoubles(var);
      const std::vector<double> gradient = ToDoubles(Product(true, false)({a, b})[0]);
      for (size_t i = 0; i < expected.size(); ++i)
        expected[i] -= 0.5 * (gradient[i] + (decays ? 0.1 * expected[i] : 0.0));
      std::vector<Tensor> inputs = {var, alpha, a, b};
      if (decays) inputs.push_back(decay);
      CheckOp({.op = "_MatMulApplyGradientDescent",
               .attrs = {{"transpose_a", true}, {"num_args", static_cast<int64_t>(decays)}},
               .inputs = inputs,
               .tolerance = 2e-5,
               .expected_variables = {{0, FromDoubles(expected, var.shape())}}});
    }
  }
}

TEST(MatMul, TakesComplexWithoutConjugation) {
  using C = std::complex<float>;
  CheckOp({.op = "MatMul",
           .attrs = {{"transpose_a", true}},
           .inputs = {Tensor::Of<C>({C(0, 1), C(2, 0)}, {2, 1}),
                      Tensor::Of<C>({C(0, 1), C(1, 1)}, {2, 1})},
           .expected = {Tensor::Of<C>({C(1, 2)}, {1, 1})},
           .dtypes = DTypeSet(DType::kComplex128)});
}

TEST(MatMul, RefusesWrongShapes) {
  const Tensor a(DType::kFloat32, {2, 3});
  CheckOpError({.op = "MatMul",
                .inputs = {a, Tensor(DType::kFloat32, {4, 5})},
                .text = "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]"});
  CheckOpError({.op = "MatMul",
                .inputs = {a, Tensor(DType::kFloat32, {3})},
                .text = "In[1] is not a matrix"});
}

TEST(BatchMatMul, MatchesReferenceForEveryAdjoint) {
  for (bool tx : {false, true}) {
    for (bool ty : {false, true}) {
      const auto x = [&](int64_t batch, int64_t m, int64_t k) {
        return tx ? Shape{batch, k, m} : Shape{batch, m, k};
      };
      const auto y = [&](int64_t batch, int64_t k, int64_t n) {
        return ty ? Shape{batch, n, k} : Shape{batch, k, n};
      };
      for (const char* op : {"BatchMatMul", "BatchMatMulV2"}) {
        CheckOp({.op = op,
                 .attrs = {{"adj_x", tx}, {"adj_y", ty}},
                 .inputs = {RandomTensor(DType::kFloat32, x(2, 3, 4), -1, 1, 1),
                            RandomTensor(DType::kFloat32, y(2, 4, 2), -1, 1, 2)},
                 .reference = Product(tx, ty),
                 .tolerance = 2e-5,
                 .dtypes = kTypes - DTypeSet(DType::kBFloat16),
                 .shapes = {{x(1, 1, 1), y(1, 1, 1)},
                            {x(0, 2, 3), y(0, 3, 4)},
                            {x(3, 2, 0), y(3, 0, 4)},
                            {x(17, 20, 30), y(17, 30, 25)}}});
      }
    }
  }
}

TEST(BatchMatMul, TakesRanksOfMoreThanThree) {
  CheckOp({.op = "BatchMatMul",
           .inputs = {RandomTensor(DType::kFloat32, {2, 3, 2, 4}, -1, 1, 1),
                      RandomTensor(DType::kFloat32, {2, 3, 4, 3}, -1, 1, 2)},
           .reference = Product(false, false),
           .tolerance = 1e-5});
}

TEST(BatchMatMul, ConjugatesAdjoints) {
  using C = std::complex<float>;
  CheckOp({.op = "BatchMatMul",
           .attrs = {{"adj_x", true}},
           .inputs = {Tensor::Of<C>({C(0, 1), C(2, 0)}, {1, 2, 1}),
                      Tensor::Of<C>({C(0, 1), C(1, 1)}, {1, 2, 1})},
           .expected = {Tensor::Of<C>({C(3, 2)}, {1, 1, 1})}});
}

TEST(BatchMatMulV2, Broadcasts) {
  CheckOp({.op = "BatchMatMulV2",
           .inputs = {RandomTensor(DType::kFloat32, {3, 2, 4}, -1, 1, 1),
                      RandomTensor(DType::kFloat32, {4, 2}, -1, 1, 2)},
           .reference = Product(false, false),
           .tolerance = 1e-5});
  CheckOp({.op = "BatchMatMulV2",
           .inputs = {RandomTensor(DType::kFloat32, {1, 2, 4}, -1, 1, 1),
                      RandomTensor(DType::kFloat32, {5, 4, 2}, -1, 1, 2)},
           .reference = Product(false, false),
           .tolerance = 1e-5});
}

TEST(BatchMatMul, RefusesWrongShapes) {
  CheckOpError({.op = "BatchMatMul",
                .inputs = {Tensor(DType::kFloat32, {2, 2, 3}), Tensor(DType::kFloat32, {2, 4, 5})},
                .text = "Matrix size-incompatible: In[0]: [2,2,3], In[1]: [2,4,5]"});
  CheckOpError({.op = "BatchMatMulV2",
                .inputs = {Tensor(DType::kFloat32, {2, 2, 3}), Tensor(DType::kFloat32, {3, 3, 5})},
                .text = "Incompatible shapes: [2] vs. [3]"});
}

}  // namespace
}  // namespace headrace

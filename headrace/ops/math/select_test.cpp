#include "headrace/ops/math/select.h"

#include <gtest/gtest.h>

#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::CheckOp;
using testing::CheckOpError;
using testing::Elementwise;
using testing::RandomTensor;

const testing::Reference kChoice =
    Elementwise([](double c, double t, double e) { return c != 0 ? t : e; });

TEST(Select, ChoosesElements) {
  CheckOp({.op = "Select",
           .inputs = {Tensor::Of<bool>({true, false, true, true}, {2, 2}),
                      RandomTensor(DType::kFloat32, {2, 2}, -1, 1, 1),
                      RandomTensor(DType::kFloat32, {2, 2}, -1, 1, 2)},
           .reference = kChoice,
           .shapes = {{{3}, {3}, {3}},
                      {Shape(), Shape(), Shape()},
                      {Shape(), {4}, {4}},
                      {{0}, {0}, {0}},
                      {{20000}, {20000}, {20000}}}});
}

TEST(Select, ChoosesRowsByAVector) {
  CheckOp(
      {.op = "Select",
       .inputs = {Tensor::Of<bool>({true, false}), Tensor::Of<float>({1, 2, 3, 4, 5, 6}, {2, 3}),
                  Tensor::Of<float>({-1, -2, -3, -4, -5, -6}, {2, 3})},
       .expected = {Tensor::Of<float>({1, 2, 3, -4, -5, -6}, {2, 3})}});
}

TEST(Select, TakesEveryType) {
  for (int d = 1; d <= static_cast<int>(DType::kFloat16); ++d) {
    const DType type = static_cast<DType>(d);
    if (IsQuantized(type) || !IsValid(type)) continue;
    const Tensor t = RandomTensor(type, {3}, 0, 9, 1), e = RandomTensor(type, {3}, 0, 9, 2);
    CheckOp({.op = "Select",
             .inputs = {Tensor::Of<bool>({true, true, true}), t, e},
             .expected = {t},
             .gradient_of = {{}}});
    CheckOp({.op = "SelectV2",
             .inputs = {Tensor::Scalar(false), t, e},
             .expected = {e},
             .gradient_of = {{}}});
  }
}

TEST(Select, RefusesWrongShapes) {
  const Tensor t(DType::kFloat32, {2, 3});
  CheckOpError({.op = "Select",
                .inputs = {Tensor(DType::kBool, {2}), t, Tensor(DType::kFloat32, {3, 2})},
                .text = "[2,3] and [3,2]"});
  CheckOpError({.op = "Select", .inputs = {Tensor(DType::kBool, {3}), t, t}, .text = "dimension"});
}

TEST(SelectV2, Broadcasts) {
  CheckOp({.op = "SelectV2",
           .inputs = {Tensor::Of<bool>({true, false}, {2, 1}),
                      RandomTensor(DType::kFloat32, {3}, -1, 1, 1),
                      RandomTensor(DType::kFloat32, {2, 3}, -1, 1, 2)},
           .reference = kChoice,
           .shapes = {{{2}, {2}, {2}},
                      {Shape(), {2, 1}, {1, 3}},
                      {{4, 1, 3}, Shape(), {2, 1}},
                      {{0, 1}, {1, 2}, Shape()}}});
  CheckOpError({.op = "SelectV2",
                .inputs = {Tensor(DType::kBool, {2}), Tensor(DType::kFloat32, {3}),
                           Tensor(DType::kFloat32, {3})},
                .text = "Incompatible shapes"});
}

}  // namespace
}  // namespace headrace

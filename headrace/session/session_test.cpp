#include "headrace/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/array/identity.h"
#include "headrace/ops/array/placeholder.h"
#include "headrace/ops/state/assign.h"
#include "headrace/ops/state/variable.h"
#include "headrace/runtime/testing/test_ops.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;
using testing::TestAdd;
using testing::TestMul;
using testing::TestUpdate;
using testing::Unary;

std::vector<float> Floats(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.num_elements()};
}
std::unique_ptr<Session> MakeSession(const Graph& g, SessionOptions options = {}) {
  auto session = Session::Create(g, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}
void ExpectError(const Status& status, absl::StatusCode code, std::string_view part) {
  EXPECT_EQ(status.code(), code) << status;
  EXPECT_THAT(std::string(Message(status)), HasSubstr(std::string(part)));
}

struct AffineGraph {
  Graph g;
  Output x = Placeholder(g, DType::kFloat32, {-1}, {.name = "x"});
  Output y = TestAdd(TestMul(x, Const(g, 2.0f)), Const(g, 1.0f), "y");
};

TEST(Session, RunsWithFeedsAndFetches) {
  AffineGraph a;
  auto session = MakeSession(a.g);
  for (int i = 0; i < 3; ++i) {
    auto out = session->Run({{a.x, Tensor::Of<float>({1, 2, 3})}}, {a.y, a.x});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{3, 5, 7}));
    EXPECT_EQ(Floats((*out)[1]), (std::vector<float>{1, 2, 3}));
  }
  auto other = session->Run({{a.x, Tensor::Of<float>({4})}}, {a.y});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(Floats((*other)[0]), (std::vector<float>{9}));
}

TEST(Session, RunsByName) {
  AffineGraph a;
  auto session = MakeSession(a.g);
  for (int i = 0; i < 2; ++i) {
    auto out = session->RunByName({{"x:0", Tensor::Of<float>({1, 2})}}, {"y"});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{3, 5}));
  }
}

TEST(Session, VariablesKeepTheirValueBetweenRuns) {
  Graph g;
  Variable w(g, {1.0f, 2.0f}, {.name = "w"});
  Output next = TestUpdate(w.ref(), Const(g, 10.0f));
  auto session = MakeSession(g);
  ASSERT_TRUE(session->Run({}, {}, {w.initializer()}).ok());
  for (int i = 1; i <= 3; ++i) {
    auto out = session->Run({}, {next});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Floats((*out)[0]), (std::vector<float>{1.0f + 10 * i, 2.0f + 10 * i}));
  }
}

}  // namespace
}  // namespace headrace

#include "headrace/ops/script/py_func.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/ops/testing/graph_runner.h"
#include "headrace/ops/testing/tensors.h"
#include "headrace/base/strings.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

Status Double(std::span<const Tensor> in, std::vector<Tensor>& out) {
  Tensor twice = in[0].Clone();
  for (float& x : twice.flat<float>()) x *= 2;
  out = {std::move(twice), Tensor::Scalar<int64_t>(in[0].num_elements())};
  return absl::OkStatus();
}

class PyFuncTest : public ::testing::Test {
 protected:
  ~PyFuncTest() override { HostFunctions::Global().Remove("f"); }
  StatusOr<std::vector<Tensor>> Run(std::vector<DType> types, bool stateful = true) {
    Graph g;
    testing::Feeds feeds;
    const Output x = testing::FedTensor(g, DType::kFloat32, Shape{2}, "x");
    feeds[x] = Tensor::Of<float>({1, 2});
    const std::vector<Output> y = PyFunc(g, std::span(&x, 1), types, "f", {.stateful = stateful});
    HR_RETURN_IF_ERROR(g.status());
    return testing::GraphRunner().Run(y, feeds);
  }
};

TEST_F(PyFuncTest, CallsTheRegisteredFunction) {
  HostFunctions::Global().Register("f", Double);
  for (bool stateful : {true, false}) {
    const auto out = Run({DType::kFloat32, DType::kInt64}, stateful);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_THAT((*out)[0].flat<float>(), ::testing::ElementsAre(2, 4));
    EXPECT_EQ((*out)[1].scalar<int64_t>(), 2);
  }
}

TEST_F(PyFuncTest, SaysWhatIsWrongWithTheFunction) {
  EXPECT_THAT(std::string(Run({DType::kFloat32}).status().message()), ::testing::HasSubstr("callback f is not found"));
  HostFunctions::Global().Register("f", Double);
  EXPECT_THAT(std::string(Run({DType::kFloat32}).status().message()),
              ::testing::HasSubstr("f returns 2 values, but expects to see 1 values."));
  EXPECT_THAT(std::string(Run({DType::kFloat32, DType::kInt32}).status().message()),
              ::testing::HasSubstr("1-th value returned by f is int64, but expects int32"));
  HostFunctions::Global().Register("f", [](auto, auto&) { return Internal("broken"); });
  EXPECT_EQ(Run({DType::kFloat32}).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace headrace

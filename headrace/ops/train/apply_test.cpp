// One step of each update rule against TensorFlow 1.15's own kernels, dense and for rows (of which
// one is repeated); then what all of them have in common. Trajectories of whole optimizers are in
// train/optimizer_test.cpp.
#include "headrace/ops/train/apply.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/ops/array/constant.h"
#include "headrace/ops/state/variable.h"
#include "headrace/ops/testing/op_harness.h"

namespace headrace {
namespace {

using testing::BitDifference;
using testing::CheckOp;
using testing::CheckOpError;
using testing::Converted;
using testing::OpCase;
using testing::RandomTensor;

struct Golden {
  std::string op;
  std::string refs;  // one letter for each variable, see Initial
  std::string args;
  float lr_power;
  std::string option;  // "use_nesterov" or "update_slots", the one that is not its default
  std::vector<std::vector<float>> after;
};

// Values of the variable and the slots afterwards.
const std::vector<Golden>& Goldens() {
  static const auto& goldens = *new std::vector<Golden>{
      {"ApplyGradientDescent",
       "v",
       "alpha delta",
       -0.5,
       "",
       {{0.46, -1.17, 1.995, -0.6, 0.010000005, 1.5, -2.2, 0.30200002}}},
      {"ApplyMomentum",
       "v b",
       "lr grad momentum",
       -0.5,
       "",
       {{0.433, -1.1159999, 1.977, -0.672, 0.019000001, 1.4955, -2.299, 0.38300002},
        {0.67, -1.34, 0.22999999, -0.78000003, 0.81, 0.044999998, 2.99, -0.8299999}}},
      {"SparseApplyMomentum",
       "v b",
       "lr grad momentum",
       -0.5,
       "",
       {{0.273, -1.194, 1.7998, -0.7348, 0.1, 1.5, -2.104, 0.531},
        {2.27, -0.56, 1.4219999, -0.072000034, -0.1, 0.05, 1.04, -2.31}}},
      {"ApplyMomentum",
       "v b",
       "lr grad momentum",
       -0.5,
       "use_nesterov",
       {{0.3997, -1.0494, 1.9743, -0.5298, -0.0629, 1.49595, -2.4691, 0.37669998},
        {0.67, -1.34, 0.22999999, -0.78000003, 0.81, 0.044999998, 2.99, -0.8299999}}},
      {"SparseApplyMomentum",
       "v b",
       "lr grad momentum",
       -0.5,
       "use_nesterov",
       {{0.095700026, -1.1976, 1.6898199, -0.65632004, 0.1, 1.5, -2.0986, 0.6579},
        {2.27, -0.56, 1.4219999, -0.072000034, -0.1, 0.05, 1.04, -2.31}}},
      {"ApplyAdagrad",
       "v a",
       "lr grad",
       -0.5,
       "",
       {{0.42155355, -1.1627128, 1.9929465, -0.66679496, 0.014575787, 1.5, -2.0903509, 0.3031607},
        {0.26000002, 0.84000003, 0.5025, 3.25, 1.1099999, 0.7, 4.9, 0.4004}}},
      {"SparseApplyAdagrad",
       "v a",
       "lr grad",
       -0.5,
       "",
       {{0.40122703, -1.2455323, 1.8765327, -0.6875305, 0.1, 1.5, -2.005263, 0.39214426},
        {4.1, 0.20040001, 1.47, 1.6400001, 0.3, 0.7, 0.9025, 2.65}}},
      {"ApplyAdagrad",
       "v a",
       "lr grad",
       -0.5,
       "update_slots",
       {{0.37350887, -1.0711145, 1.992929, -0.6, -0.06431676, 1.5, -2.2108185, 0.30316228},
        {0.1, 0.2, 0.5, 1.0, 0.3, 0.7, 0.9, 0.4}}},
      {"SparseApplyAdagrad",
       "v a",
       "lr grad",
       -0.5,
       "update_slots",
       {{-0.13245553, -1.2455279, 1.8161523, -0.67, 0.1, 1.5, -2.0052705, 0.5371708},
        {0.1, 0.2, 0.5, 1.0, 0.3, 0.7, 0.9, 0.4}}},
      {"ApplyAdagradV2",
       "v a",
       "lr epsilon grad",
       -0.5,
       "",
       {{0.4217071, -1.162808, 1.9929565, -0.6668411, 0.014656782, 1.5, -2.09031, 0.30315572},
        {0.26000002, 0.84000003, 0.5025, 3.25, 1.1099999, 0.7, 4.9, 0.4004}}},
      {"ApplyAdagradDA",
       "v b a",
       "grad lr l1 l2 global_step",
       -0.5,
       "",
       {{-0.10660941, 0.13549915, -0.013988512, 0.030407306, -0.0613459, -0.0, -0.13290715,
         0.12054386},
        {0.70000005, -1.4000001, 0.25, -0.7, 0.79999995, 0.05, 3.1, -0.91999996},
        {0.26000002, 0.84000003, 0.5025, 3.25, 1.1099999, 0.7, 4.9, 0.4004}}},
      {"SparseApplyAdagradDA",
       "v b a",
       "grad lr l1 l2 global_step",
       -0.5,
       "",
       {{-0.10586723, 0.10360169, -0.110797815, -0.0, 0.1, 1.5, -0.10460251, 0.13770884},
        {2.3, -0.62, 1.5, 0.0, -0.1, 0.05, 1.15, -2.4},
        {4.1, 0.20040001, 1.47, 1.6400001, 0.3, 0.7, 0.9025, 2.65}}},
      {"ApplyAdadelta",
       "v a bp",
       "lr rho epsilon grad",
       -0.5,
       "",
       {{0.43180567, -1.1236639, 1.996581, -0.6226988, 0.0494603, 1.5, -2.1915646, 0.30317697},
        {0.106, 0.24400002, 0.45025, 1.125, 0.351, 0.63, 1.21, 0.36003998},
        {0.32550466, 0.70860827, 0.1891169, 0.89105594, 0.124542624, 0.053999998, 1.3659695,
         0.8191009}}},
      {"SparseApplyAdadelta",
       "v a bp",
       "lr rho epsilon grad",
       -0.5,
       "",
       {{0.340827, -1.2463259, 1.9166666, -0.6766607, 0.1, 1.5, -2.0058513, 0.48702586},
        {0.4900001, 0.18003999, 0.5004, 0.86759996, 0.3, 0.7, 0.8102499, 0.58500004},
        {0.5323605, 0.549135, 0.20846811, 0.7045078, 0.11, 0.06, 0.9993424, 1.1687868}}},
      {"ApplyRMSProp",
       "v a c",
       "lr rho momentum epsilon grad",
       -0.5,
       "",
       {{0.19771644, -1.1783756, 2.2625568, -0.9686414, -0.59169495, 1.95, -2.406743, 0.43832856},
        {0.106000006, 0.24400002, 0.45025, 1.125, 0.351, 0.63, 1.21, 0.36004},
        {0.30228356, -0.07162442, -0.2625568, 0.21864142, 0.691695, -0.45, 0.4067431,
         -0.13832854}}},
      {"SparseApplyRMSProp",
       "v a c",
       "lr rho momentum epsilon grad",
       -0.5,
       "",
       {{0.034576833, -1.3352995, 2.2746856, -1.279268, 0.1, 1.5, -2.2305512, 0.6309488},
        {0.4900001, 0.18003999, 0.5004, 0.86759996, 0.3, 0.7, 0.8102499, 0.58500004},
        {0.46542317, 0.08529951, -0.0632188, 0.2507059, 0.6, -0.5, 0.23055127, -0.33094874}}},
      {"ApplyCenteredRMSProp",
       "v s a c",
       "lr rho momentum epsilon grad",
       -0.5,
       "",
       {{0.19604734, -1.1744615, 2.2625551, -0.96781856, -0.5932951, 1.95, -2.4116025, 0.4383369},
        {0.05350001, -0.10700002, 0.014, -0.11400003, 0.08550002, 0.00225, 0.24950007, -0.0425},
        {0.106000006, 0.24400002, 0.45025, 1.125, 0.351, 0.63, 1.21, 0.36004},
        {0.30395266, -0.07553855, -0.26255515, 0.21781854, 0.6932951, -0.45, 0.4116024,
         -0.1383369}}},
      {"SparseApplyCenteredRMSProp",
       "v s a c",
       "lr rho momentum epsilon grad",
       -0.5,
       "",
       {{0.020327985, -1.3352885, 2.2720563, -1.2791126, 0.1, 1.5, -2.2305615, 0.63731337},
        {0.21350005, -0.029, 0.13410002, -0.03960002, -0.005, 0.0025, 0.054500002, -0.19050004},
        {0.4900001, 0.18003999, 0.5004, 0.86759996, 0.3, 0.7, 0.8102499, 0.58500004},
        {0.479672, 0.085288554, -0.06074041, 0.2506323, 0.6, -0.5, 0.23056147, -0.33731335}}},
      {"ApplyAdam",
       "v b a",
       "beta1_power beta2_power lr beta1 beta2 epsilon grad",
       -0.5,
       "",
       {{0.4025694, -1.1131668, 1.9737432, -0.8065908, 0.099999994, 1.4946009, -2.1232033,
         0.4288298},
        {0.31, -0.62, 0.185, 0.56999993, 2.2351741790771484e-08, 0.044999998, 1.19, -0.812},
        {0.100600004, 0.2044, 0.495025, 1.0125, 0.3051, 0.693, 0.93099993, 0.39600402}}},
      {"ApplyAdam",
       "v b a",
       "beta1_power beta2_power lr beta1 beta2 epsilon grad",
       -0.5,
       "use_nesterov",
       {{0.3997408, -1.1091943, 1.9756593, -0.78603935, 0.08373569, 1.4951408, -2.1315894,
         0.41626412},
        {0.31, -0.62, 0.185, 0.56999993, 2.2351741790771484e-08, 0.044999998, 1.19, -0.812},
        {0.100600004, 0.2044, 0.495025, 1.0125, 0.3051, 0.693, 0.93099993, 0.39600402}}},
      {"ApplyAdaMax",
       "v b a",
       "beta1_power lr beta1 beta2 epsilon grad",
       -0.5,
       "",
       {{-0.27306718, -0.4759677, 1.6270162, -1.1297467, 0.09999998, 1.4351585, -2.5947027,
         2.3453395},
        {0.31, -0.62, 0.185, 0.56999993, 2.2351741790771484e-08, 0.044999998, 1.19, -0.812},
        {0.4, 0.8, 0.495, 1.5, 0.9, 0.693, 2.0, 0.396}}},
      {"ApplyAddSign",
       "v b",
       "lr alpha sign_decay beta grad",
       -0.5,
       "",
       {{0.468, -1.186, 1.996, -0.84, 0.027999997, 1.5, -2.16, 0.3016},
        {0.31000003, -0.62000006, 0.18499999, 0.56999993, 2.2351741790771484e-08, 0.044999998, 1.19,
         -0.8119999}}},
      {"ApplyPowerSign",
       "v b",
       "lr logbase sign_decay beta grad",
       -0.5,
       "",
       {{0.38569397, -1.0213879, 1.9857117, -0.69750935, -0.1571886, 1.5, -2.5715303, 0.30571532},
        {0.31000003, -0.62000006, 0.18499999, 0.56999993, 2.2351741790771484e-08, 0.044999998, 1.19,
         -0.8119999}}},
      {"ApplyFtrl",
       "v a b",
       "grad lr l1 l2 lr_power",
       -0.5,
       "",
       {{0.042492695, -0.47976047, -0.02310201, -0.29172504, -0.023086732, 0.0, -1.2783322,
         0.13677561},
        {0.26000002, 0.84000003, 0.5025, 3.25, 1.1099999, 0.7, 4.9, 0.4004},
        {-0.2683708, 4.466268, 0.21468782, 5.320817, 0.2941573, 0.05, 28.398224, -0.9209484}}},
      {"SparseApplyFtrl",
       "v a b",
       "grad lr l1 l2 lr_power",
       -0.5,
       "",
       {{0.30525184, 0.12496386, 0.10434933, -0.15994447, 0.1, 1.5, -0.11806442, 0.32700154},
        {4.1, 0.20040001, 1.47, 1.6400001, 0.3, 0.7, 0.9025, 2.65},
        {-6.2430887, -0.6144125, -1.3193424, 2.1046865, -0.1, 0.05, 1.1763345, -5.3862796}}},
      {"ApplyFtrl",
       "v a b",
       "grad lr l1 l2 lr_power",
       -0.4,
       "",
       {{0.030066181, -0.38879794, -0.022234302, -0.23454094, -0.031068683, 0.0, -1.1436689,
         0.12486434},
        {0.26000002, 0.84000003, 0.5025, 3.25, 1.1099999, 0.7, 4.9, 0.4004},
        {-0.22661799, 3.6916175, 0.21973038, 3.8175132, 0.37517336, 0.05, 21.692017, -0.92083144}}},
      {"SparseApplyFtrl",
       "v a b",
       "grad lr l1 l2 lr_power",
       -0.4,
       "",
       {{0.2525773, 0.10661187, 0.055953577, -0.1301185, 0.1, 1.5, -0.11634074, 0.31746212},
        {4.1, 0.20040001, 1.47, 1.6400001, 0.3, 0.7, 0.9025, 2.65},
        {-4.5013804, -0.6147503, -0.70500004, 1.6411078, -0.1, 0.05, 1.1712872, -4.7507277}}},
      {"ApplyFtrlV2",
       "v a b",
       "grad lr l1 l2 l2_shrinkage lr_power",
       -0.5,
       "",
       {{0.036655013, -0.47161287, -0.039935317, -0.2892344, -0.02365407, -0.010705874, -1.2729208,
         0.13394885},
        {0.26000002, 0.84000003, 0.5025, 3.25, 1.1099999, 0.7, 4.9, 0.4004},
        {-0.23837084, 4.3912683, 0.33468783, 5.275817, 0.30015728, 0.14, 28.278223, -0.9029484}}},
      {"SparseApplyFtrlV2",
       "v a b",
       "grad lr l1 l2 l2_shrinkage lr_power",
       -0.5,
       "",
       {{0.3037732, 0.14156924, 0.08884358, -0.15571082, 0.1, 1.5, -0.105485804, 0.32589853},
        {4.1, 0.20040001, 1.47, 1.6400001, 0.3, 0.7, 0.9025, 2.65},
        {-6.213089, -0.6894125, -1.1307249, 2.0503, -0.1, 0.05, 1.0563345, -5.36828}}},
      {"ApplyProximalGradientDescent",
       "v",
       "alpha l1 l2 delta",
       -0.5,
       "",
       {{0.45409185, -1.1626747, 1.986028, -0.5938124, 0.004990025, 1.492016, -2.1906188,
         0.29640722}}},
      {"SparseApplyProximalGradientDescent",
       "v",
       "alpha l1 l2 delta",
       -0.5,
       "",
       {{0.2944112, -1.240519, 1.852393, -0.657358, 0.1, 1.5, -1.996008, 0.44411182}}},
      {"ApplyProximalAdagrad",
       "v a",
       "lr l1 l2 grad",
       -0.5,
       "",
       {{0.41013905, -1.1547376, 1.9803059, -0.6632856, 0.009811372, 1.4904609, -2.0862072,
         0.29432866},
        {0.26000002, 0.84000003, 0.5025, 3.25, 1.1099999, 0.7, 4.9, 0.4004}}},
      {"SparseApplyProximalAdagrad",
       "v a",
       "lr l1 l2 grad",
       -0.5,
       "",
       {{0.39836422, -1.2288728, 1.858413, -0.67759764, 0.1, 1.5, -1.9957982, 0.38859537},
        {4.1, 0.20040001, 1.47, 1.6400001, 0.3, 0.7, 0.9025, 2.65}}},
  };
  return goldens;
}

std::vector<float> Initial(std::string_view which) {
  const std::vector<float> moments = {0.3f, -0.6f, 0.2f, 0.8f, -0.1f, 0.05f, 1.1f, -0.9f};
  std::vector<float> changed = moments;
  if (which == "v") return {0.5f, -1.25f, 2, -0.75f, 0.1f, 1.5f, -2, 0.3f};
  if (which == "a") return {0.1f, 0.2f, 0.5f, 1, 0.3f, 0.7f, 0.9f, 0.4f};
  if (which == "c") return {0.2f, 0.1f, -0.3f, 0.4f, 0.6f, -0.5f, 0.25f, -0.15f};
  for (float& x : changed) x = which == "bp" ? std::abs(x) + 0.01f : x * 0.05f;
  return which == "b" ? moments : changed;
}

const std::map<std::string_view, float>& Hyper() {
  static const auto& values = *new std::map<std::string_view, float>{
      {"alpha", 0.1f},      {"lr", 0.1f},          {"momentum", 0.9f},     {"rho", 0.9f},
      {"epsilon", 1e-3f},   {"beta1_power", 0.9f}, {"beta2_power", 0.99f}, {"beta1", 0.9f},
      {"beta2", 0.99f},     {"l1", 0.05f},         {"l2", 0.02f},          {"l2_shrinkage", 0.03f},
      {"sign_decay", 0.7f}, {"beta", 0.9f},        {"logbase", 1.5f}};
  return values;
}

OpCase CaseOf(const Golden& golden, DType type, double tolerance) {
  const bool sparse = golden.op.starts_with("Sparse");
  OpCase c{.op = golden.op, .tolerance = tolerance, .gradient_of = {{}}};
  if (!golden.option.empty()) c.attrs.Set(golden.option, golden.option == "use_nesterov");
  for (std::string_view ref : StrSplit(golden.refs, ' ')) {
    c.inputs.push_back(Converted(Tensor::Of<float>(Initial(ref), {4, 2}), type));
  }
  for (std::string_view arg : StrSplit(golden.args, ' ')) {
    if (arg == "grad" || arg == "delta") {
      c.inputs.push_back(Converted(
          Tensor::Of<float>({0.4f, -0.8f, 0.05f, -1.5f, 0.9f, 0, 2, -0.02f}, {4, 2}), type));
      if (sparse) c.inputs.push_back(Tensor::Of<int32_t>({1, 3, 1, 0}));
    } else if (arg == "global_step") {
      c.inputs.push_back(Tensor::Scalar<int64_t>(3));
    } else {
      const float value = arg == "lr_power" ? golden.lr_power : Hyper().at(arg);
      c.inputs.push_back(Converted(Tensor::Scalar(value), type));
    }
  }
  for (size_t i = 0; i < golden.after.size(); ++i) {
    c.expected_variables.emplace_back(static_cast<int>(i),
                                      Tensor::Of<float>(golden.after[i], {4, 2}));
  }
  return c;
}

class ApplyGolden : public ::testing::TestWithParam<size_t> {};

TEST_P(ApplyGolden, StepsAsTensorFlow) {
  CheckOp(CaseOf(Goldens()[GetParam()], DType::kFloat32, 2e-6));
}
TEST_P(ApplyGolden, StepsInFloat64) {
  CheckOp(CaseOf(Goldens()[GetParam()], DType::kFloat64, 1e-5));
}
TEST_P(ApplyGolden, StepsInFloat16) {
  CheckOp(CaseOf(Goldens()[GetParam()], DType::kFloat16, 2e-2));
}

INSTANTIATE_TEST_SUITE_P(Rules, ApplyGolden, ::testing::Range(size_t{0}, Goldens().size()),
                         [](const auto& info) {
                           return StrCat(Goldens()[info.param].op, "_", info.param);
                         });

TEST(Apply, EveryRuleIsCompared) {
  std::set<std::string> compared;
  for (const Golden& golden : Goldens()) compared.insert(golden.op);
  for (const ApplyOp& op : ApplyOps()) {
    if (op.on_handles_only) continue;  // tests/golden/ops/resources.json has them, and all others
    EXPECT_TRUE(compared.contains(StrCat("Apply", op.name))) << op.name;
    // That of AdagradV2 is compared in its Resource form, by the same kernel.
    EXPECT_EQ(compared.contains(StrCat("SparseApply", op.name)),
              op.sparse && op.name != "AdagradV2")
        << op.name;
  }
}

// Beyond one vector register and one worker's share: what a register computes, an element alone
// computes too.
TEST(Apply, LargeVariablesStepAsSmallOnes) {
  constexpr int64_t kSize = 70'001;
  const Tensor var = RandomTensor(DType::kFloat32, {kSize}, -1, 1, 1),
               accum = RandomTensor(DType::kFloat32, {kSize}, 0, 1, 2);
  const Tensor grad = RandomTensor(DType::kFloat32, {kSize}, -1, 1, 3);
  Tensor var_after(DType::kFloat32, {kSize}), accum_after(DType::kFloat32, {kSize});
  for (int64_t i = 0; i < kSize; ++i) {
    const float a = accum.data<float>()[i] * 0.9f + grad.data<float>()[i];
    accum_after.data<float>()[i] = a;
    var_after.data<float>()[i] = var.data<float>()[i] - a * 0.1f;
  }
  CheckOp({.op = "ApplyMomentum",
           .inputs = {var, accum, Tensor::Scalar(0.1f), grad, Tensor::Scalar(0.9f)},
           .expected_variables = {{0, var_after}, {1, accum_after}},
           .gradient_of = {{}}});
  // The very bits: no multiplication is fused with an addition.
  Graph g;
  testing::GraphRunner runner;
  const Output w = testing::FedVariable(g, runner, var, "w"),
               slot = testing::FedVariable(g, runner, accum, "slot");
  NodeBuilder step("ApplyMomentum", "", Location::Current());
  step.Input(w).Input(slot).Input(Const(g, 0.1f)).Input(Const(g, grad)).Input(Const(g, 0.9f));
  ASSERT_TRUE(runner.RunNode(step.BuildNode()).ok());
  EXPECT_EQ(BitDifference(*testing::ReadFedVariable(w, runner), var_after), "");
  EXPECT_EQ(BitDifference(*testing::ReadFedVariable(slot, runner), accum_after), "");
}

TEST(SparseApply, ManyRowsKeepTheOrderOfRepeatedOnes) {
  constexpr int64_t kRows = 500, kUpdates = 4000, kInner = 8;
  const Tensor var = RandomTensor(DType::kFloat32, {kRows, kInner}, -1, 1, 1);
  const Tensor accum = RandomTensor(DType::kFloat32, {kRows, kInner}, 0, 1, 2);
  const Tensor grad = RandomTensor(DType::kFloat32, {kUpdates, kInner}, -1, 1, 3);
  const Tensor indices = RandomTensor(DType::kInt64, {kUpdates}, 0, kRows - 1, 4);
  Tensor var_after = var.Clone(), accum_after = accum.Clone();
  for (int64_t i = 0; i < kUpdates; ++i) {
    for (int64_t k = 0; k < kInner; ++k) {
      const int64_t at = indices.data<int64_t>()[i] * kInner + k;
      float& a = accum_after.data<float>()[at];
      a = a * 0.9f + grad.data<float>()[i * kInner + k];
      var_after.data<float>()[at] -= a * 0.01f;
    }
  }
  CheckOp({.op = "SparseApplyMomentum",
           .inputs = {var, accum, Tensor::Scalar(0.01f), grad, indices, Tensor::Scalar(0.9f)},
           .expected_variables = {{0, var_after}, {1, accum_after}},
           .gradient_of = {{}}});
}

TEST(Apply, TakesEmptyVariables) {
  const Tensor empty(DType::kFloat32, {0, 3});
  CheckOp({.op = "ApplyGradientDescent",
           .inputs = {empty, Tensor::Scalar(0.1f), empty},
           .expected_variables = {{0, empty}},
           .gradient_of = {{}}});
}

TEST(Apply, RefusesWhatDoesNotFit) {
  const Tensor var = RandomTensor(DType::kFloat32, {2, 3}),
               row = RandomTensor(DType::kFloat32, {3});
  const Tensor rate = Tensor::Scalar(0.1f), rates = RandomTensor(DType::kFloat32, {2});
  CheckOpError({.op = "ApplyGradientDescent",
                .inputs = {var, rate, row},
                .text = "var and delta do not have the same shape[2,3] [3]"});
  CheckOpError({.op = "ApplyGradientDescent",
                .inputs = {var, rates, var},
                .text = "alpha is not a scalar: [2]"});
  CheckOpError({.op = "ApplyMomentum",
                .inputs = {var, row, rate, var, rate},
                .text = "var and accum do not have the same shape[2,3] [3]"});
  CheckOpError({.op = "SparseApplyMomentum",
                .inputs = {var, var, rate, RandomTensor(DType::kFloat32, {1, 3}),
                           Tensor::Of<int32_t>({2}), rate},
                .text = "indices[0] = 2 is not in [0, 2)",
                .at_build = false});
}

TEST(Apply, RefusesNumbersThatTheRuleCannotTake) {
  const Tensor var = RandomTensor(DType::kFloat32, {2, 3}, 0.1, 1);
  const auto number = [](float value) { return Tensor::Scalar(value); };
  const auto refused = [&](float lr, float l1, float l2, float power, const char* text) {
    CheckOpError({.op = "ApplyFtrl",
                  .inputs = {var, var, var, var, number(lr), number(l1), number(l2), number(power)},
                  .text = text,
                  .at_build = false});
  };
  refused(0, 0, 0, -0.5f, "lr is not a positive scalar: 0");
  refused(NAN, 0, 0, -0.5f, "lr is not a positive scalar");
  refused(0.1f, -1, 0, -0.5f, "l1 regularization strength is not a non-negative scalar: -1");
  refused(0.1f, 0, -1, -0.5f, "l2 regularization strength is not a non-negative scalar: -1");
  refused(0.1f, 0, 0, 0.5f, "lr_power is not a non-positive scalar: 0.5");
  CheckOpError({.op = "ApplyProximalAdagrad",
                .inputs = {var, var, number(-1), number(0), number(0), var},
                .text = "lr is not a positive scalar: -1",
                .at_build = false});
}

// TensorFlow: 'if (l1 > 0)' chooses the rule with the threshold.
TEST(Apply, TakesL1BelowZeroAsNone) {
  const Tensor var = RandomTensor(DType::kFloat32, {2, 3}),
               grad = RandomTensor(DType::kFloat32, {2, 3});
  const auto run = [&](float l1) {
    Graph g;
    testing::GraphRunner runner;
    const Output w = testing::FedVariable(g, runner, var);
    const Output y = NodeBuilder("ApplyProximalGradientDescent", "", Location::Current())
                         .Input(w)
                         .Input(Const(g, 0.1f))
                         .Input(Const(g, l1))
                         .Input(Const(g, 0.2f))
                         .Input(Const(g, grad))
                         .Build();
    const auto result = runner.Run({y});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->front() : Tensor();
  };
  EXPECT_EQ(testing::BitDifference(run(-0.3f), run(0)), "");
}

TEST(Apply, RefusesVariablesWithoutValue) {
  Graph g;
  testing::GraphRunner runner;
  const Output var = VariableV2(g, Shape{}, DType::kFloat32, {.name = "w"});
  const Output applied = NodeBuilder("ApplyGradientDescent", "", Location::Current())
                             .Input(var)
                             .Input(Const(g, 0.1f))
                             .Input(Const(g, 1.0f))
                             .Build();
  const Status status = runner.RunNode(applied.node);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_NE(Message(status).find("uninitialized value w"), std::string_view::npos) << status;
}

}  // namespace
}  // namespace headrace

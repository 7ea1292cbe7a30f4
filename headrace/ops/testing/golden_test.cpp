// Every op case of tests/golden/ops.json and tests/golden/ops/*.json: the graph that TensorFlow
// made for it is made again, run, and differentiated; values, gradients, and where the case lists
// them the gradient's nodes must be TensorFlow's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "headrace/base/strings.h"
#include "headrace/graph/gradients.h"
#include "headrace/ops/testing/op_harness.h"
#include "nlohmann/json.hpp"

namespace headrace {
namespace {

using nlohmann::json;
using testing::Difference;
using testing::Feeds;
using testing::GraphRunner;

DType TypeOf(const std::string& name) {
  return ParseDType(name).value_or(DType::kInvalid);
}

double Number(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_string()) return value.get<double>();
  const std::string text = value.get<std::string>();
  return text == "nan" ? NAN : text == "inf" ? INFINITY : -INFINITY;
}

std::string Base64(const std::string& text) {
  std::string bytes;
  uint32_t bits = 0;
  int have = 0;
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (char c : text) {
    const size_t at = kAlphabet.find(c);
    if (at == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(at);
    have += 6;
    if (have >= 8) bytes.push_back(static_cast<char>(bits >> (have -= 8)));
  }
  return bytes;
}

Tensor ToTensor(const json& j) {
  const DType dtype = TypeOf(j.at("dtype"));
  const Shape shape(std::span<const int64_t>(j.at("shape").get<std::vector<int64_t>>()));
  if (dtype == DType::kString) {
    Tensor tensor(dtype, shape);
    const bool encoded = j.contains("data_b64");
    const json& data = encoded ? j.at("data_b64") : j.at("data");
    for (size_t i = 0; i < data.size(); ++i) {
      const std::string text = data[i].get<std::string>();
      tensor.data<std::string>()[i] = encoded ? Base64(text) : text;
    }
    return tensor;
  }
  if (dtype == DType::kInt64) {  // beyond 2^53
    Tensor tensor(dtype, shape);
    for (size_t i = 0; i < j.at("data").size(); ++i)
      tensor.data<int64_t>()[i] = j.at("data")[i].get<int64_t>();
    return tensor;
  }
  if (IsComplex(dtype)) {  // pairs
    Tensor tensor(DType::kComplex128, shape);
    for (size_t i = 0; i < j.at("data").size(); ++i) {
      const json& pair = j.at("data")[i];
      tensor.data<std::complex<double>>()[i] = {Number(pair[0]), Number(pair[1])};
    }
    return testing::Converted(tensor, dtype);
  }
  std::vector<double> values;
  for (const json& value : j.at("data")) values.push_back(Number(value));
  return testing::FromDoubles(values, shape, dtype);
}

AttrValue ToAttr(const json& j, AttrKind kind) {
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_object()) {
    if (j.contains("tensor")) return ToTensor(j.at("tensor"));
    if (j.at("shape").is_null()) return PartialShape();  // unknown rank
    return PartialShape(std::span<const int64_t>(j.at("shape").get<std::vector<int64_t>>()));
  }
  if (j.is_string()) {
    const std::string text = j.get<std::string>();
    return text.starts_with("DT:") ? AttrValue(TypeOf(text.substr(3))) : AttrValue(text);
  }
  if (j.is_array()) {
    if (kind == AttrKind::kTypeList) {
      AttrValue::Types types;
      for (const json& item : j) types.push_back(TypeOf(item.get<std::string>().substr(3)));
      return types;
    }
    if (kind == AttrKind::kStringList || kind == AttrKind::kNone)
      return j.get<AttrValue::Strings>();
    if (kind == AttrKind::kFloatList) return j.get<AttrValue::Floats>();
    return j.get<AttrValue::Ints>();
  }
  if (kind == AttrKind::kFloat) return j.get<float>();
  return j.get<int64_t>();
}

const json& Cases() {
  static const json& cases = *new json([] {
    namespace fs = std::filesystem;
    const fs::path root = HEADRACE_SOURCE_DIR "/tests/golden";
    std::vector<fs::path> files = {root / "ops.json"};
    if (fs::exists(root / "ops")) {
      for (const auto& entry : fs::directory_iterator(root / "ops")) files.push_back(entry.path());
    }
    std::sort(files.begin() + 1, files.end());
    json all = json::array();
    for (const fs::path& file : files) {
      json family = json::parse(std::ifstream(file));  // must outlive the loop over its cases
      for (json& c : family.at("cases")) all.push_back(std::move(c));
    }
    return all;
  }());
  return cases;
}

// Newer versions of an op count as the older one.
std::string OpFamily(const std::string& op) {
  if (op == "AddV2") return "Add";
  if (op == "BatchMatMulV2") return "BatchMatMul";
  return op;
}

// Cases in which TensorFlow's own answer is not what we want, or the file does not say all.
const std::set<std::string> kSignOfZero = {"sqrt", "rsqrt",
                                           "sqrt:nan_positions"};  // its root of -0 is 0, ours -0
const std::set<std::string> kRefined = {
    "reduce_mean:dynamic"};  // its Python function narrowed the shape afterwards

Tensor WithoutSigns(const Tensor& tensor) {
  std::vector<double> values = testing::ToDoubles(tensor);
  for (double& value : values) value = std::abs(value);
  return testing::FromDoubles(values, tensor.shape(), tensor.dtype());
}

class GoldenCase {
 public:
  explicit GoldenCase(const json& c) : case_(c) {}

  void Check() {
    if (std::string missing; !AllOpsKnown(missing))
      GTEST_SKIP() << "op " << missing << " is not here yet";
    for (const json& node : case_.at("nodes")) {
      if (node[1] == "Switch") GTEST_SKIP() << "branches need an executor";
    }
    MakeInputs();
    const Status made = MakeNodes();
    ASSERT_TRUE(made.ok()) << made;
    std::vector<Output> fetches;
    for (const json& fetch : case_.at("fetches")) fetches.push_back(OutputOf(fetch));
    if (case_.contains("error")) return CheckError(fetches);
    Compare("output", fetches, case_.at("outputs"));
    if (::testing::Test::HasFatalFailure()) return;
    if (case_.contains("grad_of")) CheckGradients();
  }

 private:
  bool AllOpsKnown(std::string& missing) {
    for (const json& node : case_.at("nodes")) {
      missing = node[1].get<std::string>();
      if (OpRegistry::Global().Find(missing) == nullptr) return false;
    }
    return true;
  }

  void MakeInputs() {
    const bool static_shapes = case_.value("static_shapes", true);
    for (size_t i = 0; i < case_.at("inputs").size(); ++i) {
      const Tensor value = ToTensor(case_.at("inputs")[i]);
      const PartialShape shape = static_shapes ? PartialShape(value.shape()) : PartialShape();
      feeds_[testing::FedTensor(graph_, value.dtype(), shape, StrCat("x", i))] = value;
    }
  }

  Output OutputOf(const std::string& name) {
    const StatusOr<Output> output = graph_.FindOutput(name);
    EXPECT_TRUE(output.ok()) << output.status();
    return output.value_or(Output());
  }

  bool IsMade(const std::string& input) {
    const std::string source =
        input.starts_with("^") ? input.substr(1) : input.substr(0, input.find(':'));
    return graph_.FindNode(source) != nullptr;
  }

  // The list is in order of creation, in which a node may come before its inputs (those that a loop
  // or branch inserts).
  Status MakeNodes() {
    std::vector<const json*> waiting;
    for (const json& node : case_.at("nodes")) waiting.push_back(&node);
    while (!waiting.empty()) {
      std::vector<const json*> later;
      for (const json* node : waiting) {
        const json& inputs = (*node)[2];
        if (std::ranges::all_of(inputs, [&](const json& input) { return IsMade(input); })) {
          HR_RETURN_IF_ERROR(MakeNode(*node));
        } else {
          later.push_back(node);
        }
      }
      if (later.size() == waiting.size())
        return InvalidArgument("nodes with inputs that are not there");
      waiting = std::move(later);
    }
    return absl::OkStatus();
  }

  // Scopes of nodes count as used, so that a second "gradients" is "gradients_1".
  void UseScopes(const std::string& name) {
    for (size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1)) {
      if (scopes_.insert(name.substr(0, slash)).second) graph_.UniqueName(name.substr(0, slash));
    }
  }

  Status MakeNode(const json& node) {
    const std::string name = node[0], op = node[1];
    UseScopes(name);
    NodeSpec spec{.op = op, .name = name + "/"};
    const OpDef& def = *OpRegistry::Global().Find(op);
    for (const auto& [key, value] : node[3].items()) {
      const AttrDef* attr = def.FindAttr(key);
      if (attr == nullptr && !key.starts_with("_"))
        continue;  // of a newer version, with its default
      spec.attrs.Set(key, ToAttr(value, attr == nullptr ? AttrKind::kNone : attr->kind));
    }
    for (const json& input : node[2]) {
      const std::string source = input;
      if (source.starts_with("^")) {
        spec.control_inputs.push_back(graph_.FindNode(source.substr(1)));
      } else {
        spec.inputs.push_back(OutputOf(source));
      }
    }
    return graph_.AddNode(std::move(spec)).status();
  }

  void Compare(const std::string& what, const std::vector<Output>& outputs, const json& expected) {
    const StatusOr<std::vector<Tensor>> actual = runner_.Run(outputs, feeds_);
    ASSERT_TRUE(actual.ok()) << what << ": " << actual.status();
    const bool signs = !kSignOfZero.contains(case_.at("name"));
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Tensor wanted = ToTensor(expected[i]);
      EXPECT_EQ(Difference(signs ? (*actual)[i] : WithoutSigns((*actual)[i]),
                           signs ? wanted : WithoutSigns(wanted), 2e-5),
                "")
          << what << " " << i;
    }
  }

  // TensorFlow's text up to the node that it names.
  void CheckError(const std::vector<Output>& fetches) {
    const StatusOr<std::vector<Tensor>> actual = runner_.Run(fetches, feeds_);
    ASSERT_FALSE(actual.ok()) << "no error";
    const std::string wanted = case_.at("error")[1].get<std::string>();
    EXPECT_NE(std::string(Message(actual.status())).find(wanted.substr(0, wanted.find('\n'))),
              std::string::npos)
        << actual.status();
  }

  void CheckGradients() {
    std::vector<Output> ys, xs, grad_ys;
    for (size_t i = 0; i < case_.at("grad_of").size(); ++i) {
      ys.push_back(OutputOf(case_.at("grad_of")[i]));
      const Tensor value = ToTensor(case_.at("grad_ys")[i]);
      grad_ys.push_back(testing::FedTensor(graph_, value.dtype(), value.shape(), StrCat("gy", i)));
      feeds_[grad_ys.back()] = value;
    }
    for (const json& x : case_.at("wrt")) xs.push_back(OutputOf(x));
    const int first_node = graph_.num_nodes();
    const std::vector<Gradient> gradients = Gradients(ys, xs, {.grad_ys = grad_ys});
    if (case_.contains("grad_error")) {
      if (case_.at("grad_error")[0] == "LookupError") {
        EXPECT_FALSE(graph_.status().ok());
      }
      return;  // other errors are limits of TensorFlow's kernels
    }
    ASSERT_TRUE(graph_.status().ok()) << graph_.status();
    for (size_t i = 0; i < xs.size(); ++i) CheckGradient(i, gradients[i], case_.at("grads")[i]);
    if (case_.contains("grad_nodes") && !kRefined.contains(case_.at("name")))
      CheckNodes(first_node);
  }

  void CheckGradient(size_t i, const Gradient& gradient, const json& expected) {
    const std::string what = StrCat("gradient ", i);
    if (expected.is_null()) {
      EXPECT_FALSE(gradient.connected()) << what << " is connected";
      return;
    }
    ASSERT_TRUE(gradient.connected()) << what << " is not connected";
    if (!expected.contains("indexed_slices")) {
      ASSERT_TRUE(gradient.dense.valid()) << what << " is not dense";
      return Compare(what, {gradient.dense}, json::array({expected}));
    }
    ASSERT_TRUE(gradient.slices.has_value()) << what << " is not sparse";
    Compare(what, {gradient.slices->values, gradient.slices->indices},
            json::array({expected.at("values"), expected.at("indices")}));
  }

  using Nodes = std::map<std::string, std::pair<std::string, std::vector<std::string>>>;

  // TensorFlow makes nodes only to compute shapes while it builds; they stay in its graph without a
  // reader.
  static void DropUnread(Nodes& nodes, const Nodes& ours) {
    for (bool dropped = true; dropped;) {
      std::set<std::string> read;
      for (const auto& [name, node] : nodes) {
        for (const std::string& input : node.second) read.insert(input.substr(0, input.find(':')));
      }
      dropped = std::erase_if(nodes, [&](const auto& node) {
                  return !read.contains(node.first) && !ours.contains(node.first);
                }) > 0;
    }
  }

  void CheckNodes(int first_node) {
    Nodes theirs, ours;
    for (const json& node : case_.at("grad_nodes")) {
      std::vector<std::string> inputs;
      for (const std::string input : node[2]) {
        if (!input.starts_with("^")) inputs.push_back(input);
      }
      theirs[node[0]] = {OpFamily(node[1]), inputs};
    }
    for (int id = first_node; id < graph_.num_nodes(); ++id) {
      const Node& node = *graph_.node(id);
      std::vector<std::string> inputs;
      for (const Output& input : node.inputs()) {
        inputs.push_back(input.index == 0 ? input.node->name()
                                          : StrCat(input.node->name(), ":", input.index));
      }
      ours[node.name()] = {OpFamily(node.op_name()), inputs};
    }
    DropUnread(theirs, ours);
    for (const auto& [name, node] : theirs) {
      ASSERT_TRUE(ours.contains(name))
          << "there is no node '" << name << "' (" << node.first << ")";
      EXPECT_EQ(ours[name].first, node.first) << "op of '" << name << "'";
      EXPECT_EQ(ours[name].second, node.second) << "inputs of '" << name << "'";
    }
    for (const auto& [name, node] : ours) {
      EXPECT_TRUE(theirs.contains(name))
          << "TensorFlow has no node '" << name << "' (" << node.first << ")";
    }
  }

  const json& case_;
  std::set<std::string> scopes_;
  Graph graph_;
  Feeds feeds_;
  GraphRunner runner_;
};

class GoldenOps : public ::testing::TestWithParam<size_t> {};

TEST_P(GoldenOps, ValuesGradientsAndNodesAreTensorFlows) {
  GoldenCase(Cases()[GetParam()]).Check();
}

std::string CaseName(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = Cases()[info.param].at("name");
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return StrCat(name, "_", info.param);
}

// An empty list would pass without a word.
TEST(GoldenFiles, AreRead) {
  EXPECT_GT(Cases().size(), 1000u);
}

INSTANTIATE_TEST_SUITE_P(TensorFlow115, GoldenOps, ::testing::Range(size_t{0}, Cases().size()),
                         CaseName);

}  // namespace
}  // namespace headrace

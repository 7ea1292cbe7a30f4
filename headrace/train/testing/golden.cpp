#include "headrace/train/testing/golden.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "headrace/base/strings.h"
#include "headrace/tensor/dispatch.h"

namespace headrace::testing {
namespace {

using nlohmann::json;

double NumberOf(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_string()) return value.get<double>();
  const std::string text = value.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  return text == "inf" ? std::numeric_limits<double>::infinity()
                       : -std::numeric_limits<double>::infinity();
}

template <class T>
T ElementOf(const json& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return value.get<std::string>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return value.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    return value.get<T>();
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    using Part = typename T::value_type;
    return T(static_cast<Part>(NumberOf(value[0])), static_cast<Part>(NumberOf(value[1])));
  } else {
    return T(static_cast<float>(NumberOf(value)));
  }
}

template <>
float ElementOf<float>(const json& value) {
  return static_cast<float>(NumberOf(value));
}
template <>
double ElementOf<double>(const json& value) {
  return NumberOf(value);
}

Shape ShapeOf(const json& value) {
  const std::vector<int64_t> dims = value["shape"].get<std::vector<int64_t>>();
  return Shape(std::span<const int64_t>(dims));
}

std::string FromBase64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;  // padding
    bits = (bits << 6) | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>((bits >> count) & 0xff));
  }
  return bytes;
}

constexpr DTypeSet kComparable =
    kAllTypes - kQuantizedTypes - DTypeSet{DType::kResource, DType::kVariant};

::testing::AssertionResult AttrEquals(const AttrValue& actual, const json& expected) {
  auto fail = [&] {
    return ::testing::AssertionFailure()
           << "is " << actual.ToString() << ", expected " << expected.dump();
  };
  auto ok = [&](bool equal) { return equal ? ::testing::AssertionSuccess() : fail(); };
  if (const auto* v = actual.As<bool>())
    return ok(expected.is_boolean() && expected.get<bool>() == *v);
  if (const auto* v = actual.As<int64_t>())
    return ok(expected.is_number_integer() && expected.get<int64_t>() == *v);
  if (const auto* v = actual.As<float>())
    return ok(expected.is_number() && expected.get<float>() == *v);
  if (const auto* v = actual.As<std::string>())
    return ok(expected.is_string() && expected.get<std::string>() == *v);
  if (const auto* v = actual.As<DType>()) return ok(expected == "DT:" + DTypeName(*v));
  if (const auto* v = actual.As<PartialShape>()) {
    if (!expected.contains("shape")) return fail();
    if (expected["shape"].is_null()) return ok(!v->has_rank());
    return ok(expected["shape"].get<std::vector<int64_t>>() ==
              std::vector<int64_t>(v->dims().begin(), v->dims().end()));
  }
  if (const auto* v = actual.As<Tensor>()) {
    return expected.contains("tensor") ? Near(*v, TensorOf(expected["tensor"]), 0) : fail();
  }
  if (const auto* v = actual.As<AttrValue::Strings>())
    return ok(expected.get<std::vector<std::string>>() == *v);
  if (const auto* v = actual.As<AttrValue::Ints>())
    return ok(expected.get<std::vector<int64_t>>() == *v);
  return fail();
}

void ExpectAttrs(const Node& node, const json& expected) {
  for (const auto& [name, value] : expected.items()) {
    const AttrValue* actual = node.attrs().Find(name);
    if (actual == nullptr) {
      ADD_FAILURE() << node.name() << ": no attribute " << name;
      continue;
    }
    EXPECT_TRUE(AttrEquals(*actual, value)) << node.name() << " attribute " << name;
  }
  for (const auto& [name, value] : node.attrs()) {
    EXPECT_TRUE(expected.contains(name)) << node.name() << ": attribute " << name << " too many";
  }
}

}  // namespace

std::string GoldenPath(const std::string& name) {
  return StrCat(HEADRACE_SOURCE_DIR, "/tests/golden/", name);
}

json LoadGolden(const std::string& name) {
  const std::string path = GoldenPath(name);
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  return json::parse(file);
}

Tensor TensorOf(const json& data, DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  EXPECT_EQ(static_cast<int64_t>(data.size()), shape.num_elements());
  EXPECT_TRUE(DispatchDType<kComparable>(dtype, [&]<class T>() {
    for (size_t i = 0; i < data.size(); ++i) tensor.data<T>()[i] = ElementOf<T>(data[i]);
  })) << DTypeName(dtype);
  return tensor;
}

Tensor TensorOf(const json& value) {
  if (value.contains("data_b64")) {
    Tensor tensor(DType::kString, ShapeOf(value));
    for (size_t i = 0; i < value["data_b64"].size(); ++i) {
      tensor.data<std::string>()[i] = FromBase64(value["data_b64"][i].get<std::string>());
    }
    return tensor;
  }
  const StatusOr<DType> dtype = ParseDType(value["dtype"].get<std::string>());
  EXPECT_TRUE(dtype.ok());
  return TensorOf(value["data"], *dtype, ShapeOf(value));
}

::testing::AssertionResult Near(const Tensor& actual, const Tensor& expected, double tolerance,
                                double floor) {
  auto fail = [&](std::string_view why) {
    return ::testing::AssertionFailure()
           << why << ": " << actual.ToString(16) << ", expected " << expected.ToString(16);
  };
  if (actual.dtype() != expected.dtype()) return fail("other dtype");
  if (actual.shape() != expected.shape()) return fail("other shape");
  bool equal = true;
  DispatchDType<kComparable>(actual.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < actual.num_elements() && equal; ++i) {
      const T a = actual.data<T>()[i], e = expected.data<T>()[i];
      if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
        const double bound = tolerance * std::max(std::abs(double(a)), std::abs(double(e))) + floor;
        equal =
            a == e || (std::isnan(a) && std::isnan(e)) || std::abs(double(a) - double(e)) <= bound;
      } else if constexpr (std::is_same_v<T, std::string>) {
        equal = a == e;
      } else {
        equal = std::memcmp(&a, &e, sizeof(T)) == 0;
      }
    }
  });
  return equal ? ::testing::AssertionSuccess() : fail("different");
}

std::vector<std::string> InputsOf(const Node& node) {
  std::vector<std::string> inputs, controls;
  for (const Output& input : node.inputs()) {
    inputs.push_back(input.index == 0 ? input.node->name()
                                      : StrCat(input.node->name(), ":", input.index));
  }
  for (const Node* control : node.control_inputs()) controls.push_back("^" + control->name());
  std::ranges::sort(controls);
  inputs.insert(inputs.end(), controls.begin(), controls.end());
  return inputs;
}

void ExpectNodes(const Graph& g, int first, const json& nodes) {
  const size_t count =
      std::min(nodes.size(), static_cast<size_t>(std::max(0, g.num_nodes() - first)));
  for (size_t i = 0; i < count; ++i) {
    const Node& node = *g.node(first + static_cast<int>(i));
    const json& expected = nodes[i];
    ASSERT_EQ(node.name(), expected[0].get<std::string>()) << "node " << i;
    EXPECT_EQ(node.op_name(), expected[1].get<std::string>()) << node.name();
    std::vector<std::string> inputs = expected[2].get<std::vector<std::string>>();
    auto controls = std::ranges::find_if(
        inputs, [](const std::string& input) { return input.starts_with('^'); });
    std::sort(controls, inputs.end());
    EXPECT_EQ(InputsOf(node), inputs) << node.name();
    if (expected.size() > 3) ExpectAttrs(node, expected[3]);
  }
  EXPECT_EQ(static_cast<size_t>(g.num_nodes() - first), nodes.size()) << "number of nodes";
}

std::unique_ptr<Session> MakeSession(const Graph& g) {
  StatusOr<std::unique_ptr<Session>> session = Session::Create(g);
  EXPECT_TRUE(session.ok()) << session.status();
  return session.ok() ? *std::move(session) : nullptr;
}

Tensor Fetch(Session& session, Output output, const Session::Feeds& feeds) {
  StatusOr<std::vector<Tensor>> values = session.Run(feeds, {output});
  EXPECT_TRUE(values.ok()) << output.name() << ": " << values.status();
  // A copy: fetched tensors may share a variable's bytes, and those change.
  return values.ok() ? (*values)[0].Clone() : Tensor();
}

void RunOp(Session& session, Node* target, const Session::Feeds& feeds) {
  ASSERT_NE(target, nullptr) << session.graph().status();
  const Status status = session.Run(feeds, {}, {target}).status();
  EXPECT_TRUE(status.ok()) << target->name() << ": " << status;
}

}  // namespace headrace::testing

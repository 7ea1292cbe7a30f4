#include "headrace/io/proto_convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "headrace/base/file.h"
#include "headrace/base/strings.h"
#include "headrace/io/proto/graph.pb.h"
#include "headrace/io/proto/meta_graph.pb.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

std::string Golden(const std::string& name) {
  auto bytes = ReadFile(StrCat(HEADRACE_SOURCE_DIR "/tests/golden/", name));
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

std::vector<std::string> GoldenGraphs() {
  std::vector<std::string> stems;
  auto names = ListFolder(HEADRACE_SOURCE_DIR "/tests/golden/graphs");
  if (!names.ok()) return stems;
  for (const std::string& name : *names) {
    if (name.ends_with(".pb")) stems.push_back(StrCat("graphs/", name.substr(0, name.size() - 3)));
  }
  return stems;
}

TEST(ProtoText, ReadsAndWritesTensorFlowGraphs) {
  const auto stems = GoldenGraphs();
  ASSERT_GE(stems.size(), 10u);
  for (const std::string& stem : stems) {
    const std::string text = Golden(stem + ".pbtxt");
    proto::GraphDef from_text, from_binary;
    ASSERT_TRUE(ParseText(text, stem, &from_text).ok()) << stem;
    ASSERT_TRUE(ParseBinary(Golden(stem + ".pb"), stem, &from_binary).ok()) << stem;
    EXPECT_EQ(PrintText(from_binary), text) << stem;
    EXPECT_EQ(*SerializeBinary(from_binary), *SerializeBinary(from_text)) << stem;
  }
}

TEST(ProtoText, EveryConstantOfTensorFlowGraphsConvertsAndBack) {
  int constants = 0;
  for (const std::string& stem : GoldenGraphs()) {
    proto::GraphDef graph;
    ASSERT_TRUE(ParseBinary(Golden(stem + ".pb"), stem, &graph).ok());
    for (const auto& node : graph.node()) {
      if (node.op() != "Const") continue;
      const proto::TensorProto& value = node.attr().at("value").tensor();
      auto tensor = TensorFromProto(value);
      ASSERT_TRUE(tensor.ok()) << stem << " " << node.name() << " " << tensor.status();
      proto::TensorProto again;
      // A constant given as one value for many elements keeps that form.
      const bool repeated = value.tensor_content().empty() && value.string_val().empty() &&
                            tensor->num_elements() > 1;
      ASSERT_TRUE(
          TensorToProto(*tensor, &again, repeated ? TensorEncoding::kValues : TensorEncoding::kAuto)
              .ok());
      EXPECT_EQ(PrintText(again), PrintText(value)) << stem << " " << node.name();
      ++constants;
    }
  }
  EXPECT_GT(constants, 50);
}

TEST(ProtoText, ReadsTensorFlowMetaGraph) {
  proto::MetaGraphDef meta;
  ASSERT_TRUE(ParseBinary(Golden("checkpoint/v2/model.ckpt-3.meta"), "meta", &meta).ok());
  EXPECT_EQ(meta.meta_info_def().tensorflow_version(), "1.15.5");
  EXPECT_EQ(meta.saver_def().version(), proto::SaverDef::V2);
  EXPECT_GT(meta.collection_def_size(), 0);
  EXPECT_GT(meta.meta_info_def().stripped_op_list().op_size(), 0);
  // No field of the file is unknown to us: the text is complete, so it gives the message back.
  proto::MetaGraphDef again;
  ASSERT_TRUE(ParseText(PrintText(meta), "text", &again).ok());
  EXPECT_EQ(*SerializeBinary(again), *SerializeBinary(meta));
}

TEST(ProtoText, PrintsNumbersAsPythonDoes) {
  proto::TensorProto message;
  const float inf = std::numeric_limits<float>::infinity();
  for (const float x : {1.0f, 0.1f, 1e-4f, 1e-5f, 1e15f, 1e16f, -0.0f, inf, -inf, std::nanf(""),
                        16777217.0f, 3.4028235e38f, 1e-45f, -123.456f, 1234567.0f, 1 / 3.0f}) {
    message.add_float_val(x);
  }
  for (const double x : {1.0, 0.1, 1e-5, 1e16, 123456789012345680.0, 5e-324, -2.5e300, 1 / 3.0}) {
    message.add_double_val(x);
  }
  const std::string text = PrintShortText(message);
  // What Python prints for the same message.
  EXPECT_EQ(
      text,
      "float_val: 1.0 float_val: 0.1 float_val: 0.0001 float_val: 1e-05 float_val: "
      "1000000000000000.0 "
      "float_val: 1e+16 float_val: -0.0 float_val: inf float_val: -inf float_val: nan float_val: "
      "16777216.0 "
      "float_val: 3.4028235e+38 float_val: 1.4013e-45 float_val: -123.456 float_val: 1234567.0 "
      "float_val: 0.33333334 double_val: 1.0 double_val: 0.1 double_val: 1e-05 double_val: 1e+16 "
      "double_val: 1.2345678901234568e+17 double_val: 5e-324 double_val: -2.5e+300 "
      "double_val: 0.3333333333333333");
  proto::TensorProto again;
  ASSERT_TRUE(ParseText(text, "text", &again).ok());
  EXPECT_EQ(*SerializeBinary(again), *SerializeBinary(message));
}

TEST(ProtoText, ErrorNamesFileLineAndColumn) {
  proto::GraphDef graph;
  const Status status = ParseText("node {\n  name: \"a\"\n  colour: 3\n}\n", "model.pbtxt", &graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("model.pbtxt:3:9: "));
  EXPECT_THAT(std::string(Message(status)), HasSubstr("colour"));
}

TEST(ProtoText, DeepNestingIsAnError) {
  std::string text = "attr { key: \"f\" value { func { ";
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += text;
  proto::NodeDef node;
  EXPECT_FALSE(ParseText(deep, "deep", &node).ok());
}

TEST(ProtoBinary, ErrorNamesFileAndMessage) {
  proto::GraphDef graph;
  const Status status = ParseBinary("\x0a\x7f garbage", "graph.pb", &graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(Message(status)), HasSubstr("graph.pb"));
  EXPECT_THAT(std::string(Message(status)), HasSubstr("GraphDef"));
}

TEST(DTypeProto, NumbersAndNamesAgree) {
  for (int i = 1; i <= 23; ++i) {
    for (const int number : {i, i + kRefOffset}) {
      const DType type = static_cast<DType>(number);
      EXPECT_EQ(proto::DataType_Name(DTypeToProto(type)), DTypeProtoName(type));
      EXPECT_EQ(*DTypeFromProto(static_cast<proto::DataType>(number)), type);
    }
  }
  EXPECT_EQ(*DTypeFromProto(proto::DT_INVALID), DType::kInvalid);
  for (const int number : {24, 100, 124, -1, 1 << 30}) {
    EXPECT_FALSE(DTypeFromProto(static_cast<proto::DataType>(number)).ok()) << number;
  }
}

TEST(ShapeProto, RoundTrips) {
  for (const PartialShape& shape :
       {PartialShape(), PartialShape::OfRank(0), PartialShape{2, -1, 0}, PartialShape::OfRank(8)}) {
    proto::TensorShapeProto message;
    ShapeToProto(shape, &message);
    EXPECT_EQ(*PartialShapeFromProto(message), shape);
  }
}

TEST(ShapeProto, RefusesNonsense) {
  const auto parse = [](const char* text) {
    proto::TensorShapeProto message;
    EXPECT_TRUE(ParseText(text, "shape", &message).ok());
    return message;
  };
  EXPECT_FALSE(PartialShapeFromProto(parse("dim { size: -2 }")).ok());
  EXPECT_FALSE(PartialShapeFromProto(parse("unknown_rank: true dim { size: 2 }")).ok());
  EXPECT_FALSE(ShapeFromProto(parse("unknown_rank: true")).ok());
  EXPECT_FALSE(ShapeFromProto(parse("dim { size: -1 }")).ok());
  EXPECT_FALSE(ShapeFromProto(parse("dim { size: 9223372036854775807 } dim { size: 3 }")).ok());
  proto::TensorShapeProto rank9;
  for (int i = 0; i < 9; ++i) rank9.add_dim()->set_size(1);
  EXPECT_FALSE(PartialShapeFromProto(rank9).ok());
}

// A tensor of the type with some bit pattern in each element.
Tensor Sample(DType type, const Shape& shape) {
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (type == DType::kString) {
      tensor.data<std::string>()[i] =
          StrCat("s", i, std::string(static_cast<size_t>(i) * 50, '\0'));
    } else if (type == DType::kResource) {
      tensor.data<ResourceHandle>()[i] = {StrCat("c", i), StrCat("n", i), nullptr};
    } else if (type == DType::kBool) {
      tensor.data<bool>()[i] = i % 2 == 0;
    } else {
      auto* bytes =
          static_cast<uint8_t*>(tensor.raw_data()) + i * static_cast<int64_t>(SizeOf(type));
      for (size_t k = 0; k < SizeOf(type); ++k)
        bytes[k] = static_cast<uint8_t>(i * 37 + k * 11 + 3);
    }
  }
  return tensor;
}

void ExpectSame(const Tensor& a, const Tensor& b) {
  ASSERT_EQ(a.dtype(), b.dtype());
  ASSERT_EQ(a.shape(), b.shape());
  if (a.dtype() == DType::kString) {
    EXPECT_TRUE(std::ranges::equal(a.flat<std::string>(), b.flat<std::string>()));
  } else if (a.dtype() == DType::kResource) {
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      EXPECT_EQ(a.data<ResourceHandle>()[i].name, b.data<ResourceHandle>()[i].name);
      EXPECT_EQ(a.data<ResourceHandle>()[i].container, b.data<ResourceHandle>()[i].container);
    }
  } else if (a.num_elements() > 0) {
    EXPECT_EQ(std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()), 0) << a.ToString();
  }
}

TEST(TensorProto, RoundTripsEveryDTypeShapeAndEncoding) {
  for (int i = 1; i <= 23; ++i) {
    const DType type = static_cast<DType>(i);
    if (type == DType::kVariant) continue;
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{2, 3}, Shape{0, 4}}) {
      for (const auto encoding :
           {TensorEncoding::kAuto, TensorEncoding::kValues, TensorEncoding::kBytes}) {
        const Tensor tensor = Sample(type, shape);
        proto::TensorProto message, parsed;
        ASSERT_TRUE(TensorToProto(tensor, &message, encoding).ok()) << DTypeName(type);
        ASSERT_TRUE(ParseBinary(*SerializeBinary(message), "t", &parsed).ok());
        auto back = TensorFromProto(parsed);
        ASSERT_TRUE(back.ok()) << DTypeName(type) << back.status();
        ExpectSame(*back, tensor);
      }
    }
  }
}

StatusOr<Tensor> FromText(const std::string& text, const TensorFromProtoOptions& options = {}) {
  proto::TensorProto message;
  HR_RETURN_IF_ERROR(ParseText(text, "tensor", &message));
  return TensorFromProto(message, options);
}

TEST(TensorProto, LastValueFillsTheRest) {
  auto t = FromText("dtype: DT_INT32 tensor_shape { dim { size: 5 } } int_val: 7 int_val: 9");
  ASSERT_TRUE(t.ok()) << t.status();
  ExpectSame(*t, Tensor::Of<int32_t>({7, 9, 9, 9, 9}));
  t = FromText("dtype: DT_FLOAT tensor_shape { dim { size: 2 } }");
  ASSERT_TRUE(t.ok());
  ExpectSame(*t, Tensor::Of<float>({0, 0}));
  t = FromText("dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: 'x'");
  ASSERT_TRUE(t.ok());
  ExpectSame(*t, Tensor::Of<std::string>({"x", "x"}));
  t = FromText(
      "dtype: DT_COMPLEX64 tensor_shape { dim { size: 2 } } scomplex_val: 1 scomplex_val: -2");
  ASSERT_TRUE(t.ok());
  ExpectSame(*t, Tensor::Of<std::complex<float>>({{1, -2}, {1, -2}}));
}

TEST(TensorProto, ValuesEncodingDropsRepeatsBitExactly) {
  proto::TensorProto message;
  ASSERT_TRUE(
      TensorToProto(Tensor::Of<float>({1, -0.0f, 0.0f, 0.0f}), &message, TensorEncoding::kValues)
          .ok());
  EXPECT_EQ(message.float_val_size(), 3);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ASSERT_TRUE(
      TensorToProto(Tensor::Of<float>({nan, nan, nan}), &message, TensorEncoding::kValues).ok());
  EXPECT_EQ(message.float_val_size(), 1);
}

TEST(TensorProto, HalfAndBFloat16AreBitsInHalfVal) {
  proto::TensorProto message;
  ASSERT_TRUE(TensorToProto(Tensor::Scalar(Half(1.5f)), &message).ok());
  EXPECT_EQ(message.half_val(0), 0x3e00);
  ASSERT_TRUE(TensorToProto(Tensor::Scalar(BFloat16(1.5f)), &message).ok());
  EXPECT_EQ(message.half_val(0), 0x3fc0);
}

TEST(TensorProto, StringContentIsLengthsThenBytes) {
  proto::TensorProto message;
  ASSERT_TRUE(ParseText("dtype: DT_STRING tensor_shape { dim { size: 2 } }", "t", &message).ok());
  message.set_tensor_content(
      std::string("\x01\x02"
                  "abc"));
  auto t = TensorFromProto(message);
  ASSERT_TRUE(t.ok()) << t.status();
  ExpectSame(*t, Tensor::Of<std::string>({"a", "bc"}));
  for (const char* bad : {"\x01\x03"
                          "abc",
                          "\x01\x01"
                          "abc",
                          "\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01z"}) {
    message.set_tensor_content(bad);
    EXPECT_FALSE(TensorFromProto(message).ok());
  }
}

TEST(TensorProto, RefusesWhatDoesNotFit) {
  for (const char* text : {
           "dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 7 int_val: 9",
           "dtype: DT_INT32 tensor_shape { dim { size: 2 } } tensor_content: '1234567'",
           "dtype: DT_INT32 tensor_shape { dim { size: 4611686018427387905 } } tensor_content: "
           "'1234'",
           "dtype: DT_INT32 tensor_shape { dim { size: -1 } } int_val: 7",
           "dtype: DT_INT8 tensor_shape { } int_val: 128",
           "dtype: DT_UINT8 tensor_shape { } int_val: -1",
           "dtype: DT_HALF tensor_shape { } half_val: 65536",
           "dtype: DT_COMPLEX64 tensor_shape { } scomplex_val: 1",
           "dtype: DT_FLOAT_REF tensor_shape { } float_val: 1",
           "dtype: DT_RESOURCE tensor_shape { dim { size: 1 } } tensor_content: 'x'",
           "dtype: DT_VARIANT tensor_shape { }",
           "tensor_shape { }",
       }) {
    EXPECT_FALSE(FromText(text).ok()) << text;
  }
}

TEST(TensorProto, HugeRepeatsAreBounded) {
  const char* text =
      "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } dim { size: 1024 } } float_val: "
      "1";
  EXPECT_EQ(FromText(text).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(
      FromText("dtype: DT_STRING tensor_shape { dim { size: 100 } }", {.max_repeated_bytes = 1000})
          .ok());
}

}  // namespace
}  // namespace headrace

#include "headrace/tensor/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "headrace/base/strings.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

using ::testing::HasSubstr;

TEST(DType, NamesComeBack) {
  int count = 0;
  for (int i = 1; i < kRefOffset; ++i) {
    const DType type = static_cast<DType>(i);
    if (!IsValid(type)) continue;
    ++count;
    EXPECT_EQ(*ParseDType(DTypeName(type)), type);
    EXPECT_EQ(*ParseDType(DTypeProtoName(type)), type);
    EXPECT_EQ(*ParseDType(DTypeName(MakeRef(type))), MakeRef(type));
    EXPECT_EQ(*ParseDType(DTypeProtoName(MakeRef(type))), MakeRef(type));
    EXPECT_TRUE(kAllTypes.Contains(type));
  }
  EXPECT_EQ(count, 23);
}

TEST(DType, TensorFlowsNames) {
  EXPECT_EQ(DTypeName(DType::kFloat32), "float32");
  EXPECT_EQ(DTypeProtoName(DType::kFloat32), "DT_FLOAT");
  EXPECT_EQ(DTypeProtoName(MakeRef(DType::kFloat16)), "DT_HALF_REF");
  EXPECT_EQ(DTypeName(DType::kInvalid), "invalid");
  EXPECT_EQ(DTypeName(static_cast<DType>(24)), "invalid");
  EXPECT_EQ(*ParseDType("float"), DType::kFloat32);
  EXPECT_EQ(*ParseDType("half"), DType::kFloat16);
  EXPECT_EQ(*ParseDType("double"), DType::kFloat64);
  EXPECT_EQ(static_cast<int>(DType::kUInt64), 23);
  EXPECT_THAT(std::string(Message(ParseDType("float33").status())),
              HasSubstr("unknown dtype 'float33'; one of: float16, "));
}

TEST(DType, References) {
  EXPECT_TRUE(IsRef(MakeRef(DType::kInt32)));
  EXPECT_FALSE(IsRef(DType::kInt32));
  EXPECT_EQ(MakeRef(MakeRef(DType::kInt32)), MakeRef(DType::kInt32));
  EXPECT_EQ(RemoveRef(MakeRef(DType::kInt32)), DType::kInt32);
  EXPECT_EQ(static_cast<int>(MakeRef(DType::kFloat32)), 101);
}

TEST(DType, KindsAndSizes) {
  EXPECT_EQ(SizeOf(DType::kFloat64), 8u);
  EXPECT_EQ(SizeOf(DType::kComplex128), 16u);
  EXPECT_EQ(SizeOf(DType::kString), sizeof(std::string));
  EXPECT_EQ(SizeOf(DType::kInvalid), 0u);
  EXPECT_TRUE(IsFloating(MakeRef(DType::kBFloat16)));
  EXPECT_FALSE(IsFloating(DType::kComplex64));
  EXPECT_TRUE(IsComplex(DType::kComplex64));
  EXPECT_TRUE(IsInteger(DType::kUInt64));
  EXPECT_FALSE(IsInteger(DType::kBool));
  EXPECT_TRUE(IsQuantized(DType::kQInt32));
  EXPECT_TRUE(IsPlain(DType::kBool));
  EXPECT_FALSE(IsPlain(DType::kString));
  EXPECT_FALSE(IsPlain(DType::kResource));
}

TEST(DTypeSet, Algebra) {
  constexpr DTypeSet some(DType::kFloat32, DType::kInt32);
  EXPECT_TRUE(some.Contains(DType::kInt32));
  EXPECT_FALSE(some.Contains(DType::kInt64));
  EXPECT_EQ((some | DTypeSet(DType::kFloat16)).ToString(), "float16, float32, int32");
  EXPECT_EQ((some & kFloatTypes).ToString(), "float32");
  EXPECT_EQ((some - kFloatTypes).ToString(), "int32");
  EXPECT_TRUE(DTypeSet().empty());
  EXPECT_EQ(DTypeSet().ToString(), "");
}

TEST(Dispatch, CallsWithTheCppType) {
  for (int i = 1; i < kRefOffset; ++i) {
    const DType type = static_cast<DType>(i);
    DType seen = DType::kInvalid;
    size_t size = 0;
    const bool called = DispatchDType<kNumberTypes>(type, [&]<class T>() {
      seen = kDTypeOf<T>;
      size = sizeof(T);
    });
    EXPECT_EQ(called, kNumberTypes.Contains(type)) << i;
    if (called) {
      EXPECT_EQ(seen, type);
      EXPECT_EQ(size, SizeOf(type));
    }
  }
}

}  // namespace
}  // namespace headrace

#include "headrace/ops/strings/hash.h"

#include "headrace/base/strings.h"
#include "headrace/graph/op_def.h"
#include "headrace/graph/shape_context.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/strings/hash_kernels.h"

namespace headrace {
namespace {

Status FingerprintShape(ShapeContext& c) {
  HR_ASSIGN_OR_RETURN(const PartialShape data, c.WithRankAtLeast(0, 1));
  HR_RETURN_IF_ERROR(c.CheckScalar(1));
  if (const Tensor* method = c.input_value(1)) HR_RETURN_IF_ERROR(CheckMethod(*method));
  return c.SetOutput(0, {data.has_rank() ? data[0] : PartialShape::kUnknown, 8});
}

Output Bucket(std::string_view op, Output text, int64_t num_buckets, const OpOptions& o,
              Location where) {
  return NodeBuilder(op, o.name, where).Input(text).Attr("num_buckets", num_buckets).Build();
}

OpDef& DefineBuckets(OpRegistry& ops, const char* name, const char* input) {
  return ops.Define(name)
      .Attr({.name = "num_buckets", .kind = AttrKind::kInt, .minimum = 1})
      .Input(input, "string")
      .Output("output", "int64")
      .Shape(SameShapeAsInput)
      .NoGradient()
      .Doc("Numbers of buckets by the hash of strings.");
}

}  // namespace

Status CheckMethod(const Tensor& method) {
  if (method.rank() != 0)
    return InvalidArgument("method must be a scalar, got shape ", method.shape().ToString());
  if (method.scalar<std::string>() == "farmhash64") return absl::OkStatus();
  return InvalidArgument("Unsupported method: ", method.scalar<std::string>());
}

Output StringToHashBucketFast(Output text, int64_t num_buckets, OpOptions o, Location where) {
  return Bucket("StringToHashBucketFast", text, num_buckets, o, where);
}
Output StringToHashBucket(Output text, int64_t num_buckets, OpOptions o, Location where) {
  return Bucket("StringToHashBucket", text, num_buckets, o, where);
}
Output StringToHashBucketStrong(Output text, int64_t num_buckets, std::array<int64_t, 2> key,
                                OpOptions o, Location where) {
  return NodeBuilder("StringToHashBucketStrong", o.name, where)
      .Input(text)
      .Attr("num_buckets", num_buckets)
      .Attr("key", AttrValue::Ints(key.begin(), key.end()))
      .Build();
}
Output Fingerprint(Output data, Output method, OpOptions o, Location where) {
  return NodeBuilder("Fingerprint", o.name, where).Input(data).Input(method).Build();
}

void DefineHash(OpRegistry& ops) {
  DefineBuckets(ops, "StringToHashBucketFast", "input").Cpu({.make = MakeHashBucketFastCpu});
  DefineBuckets(ops, "StringToHashBucket", "string_tensor").Cpu({.make = MakeHashBucketCpu});
  DefineBuckets(ops, "StringToHashBucketStrong", "input")
      .Attr("key", AttrKind::kIntList)
      .Cpu({.make = MakeHashBucketStrongCpu});
  ops.Define("Fingerprint")
      .TypeAttr("T", kAllTypes)
      .Input("data", "T")
      .Input("method", "string")
      .Output("fingerprint", "uint8")
      .Shape(FingerprintShape)
      .Cpu({.types = {{"T", kPlainTypes | kStringOnly}}, .make = MakeFingerprintCpu})
      .Doc("Fingerprints of rows.");
}

}  // namespace headrace

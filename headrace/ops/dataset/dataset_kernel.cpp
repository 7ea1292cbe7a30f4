#include "headrace/ops/dataset/dataset_kernel.h"

namespace headrace {

StatusOr<DatasetPtr> DatasetInput(KernelContext& ctx, int i) {
  return DatasetFromTensor(ctx.input(i));
}

StatusOr<std::vector<std::string>> StringsInput(KernelContext& ctx, int i, std::string_view name) {
  const Tensor& input = ctx.input(i);
  if (input.rank() > 1) return InvalidArgument("`", name, "` must be a scalar or a vector.");
  const auto values = input.flat<std::string>();
  return std::vector<std::string>(values.begin(), values.end());
}

std::vector<DType> StatedTypes(KernelContext& ctx) {
  const AttrMap& attrs = ctx.node().attrs();
  if (const AttrValue* types = attrs.Find("output_types")) return *types->As<AttrValue::Types>();
  return attrs.GetOr<AttrValue::Types>("Toutput_types", {});
}

std::vector<PartialShape> StatedShapes(KernelContext& ctx) {
  return ctx.node().attrs().GetOr<AttrValue::Shapes>("output_shapes", {});
}

Status CheckTypes(const std::vector<DType>& expected, const std::vector<DType>& received) {
  if (expected.size() != received.size()) {
    return InvalidArgument("Number of components does not match: expected ", expected.size(),
                           " types but got ", received.size(), ".");
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] == received[i]) continue;
    return InvalidArgument("Data type mismatch at component ", i, ": expected ",
                           DTypeName(expected[i]), " but got ", DTypeName(received[i]), ".");
  }
  return absl::OkStatus();
}

Status CheckShapes(const std::vector<PartialShape>& expected,
                   const std::vector<PartialShape>& received) {
  if (expected.size() != received.size()) {
    return InvalidArgument("Number of components does not match: expected ", expected.size(),
                           " shapes but got ", received.size(), ".");
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i].IsCompatibleWith(received[i])) continue;
    return InvalidArgument("Incompatible shapes at component ", i, ": expected ",
                           expected[i].ToString(), " but got ", received[i].ToString(), ".");
  }
  return absl::OkStatus();
}

}  // namespace headrace

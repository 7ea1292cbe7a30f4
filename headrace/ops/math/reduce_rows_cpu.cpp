// Reductions of the dtypes that FindSimdReduceRows has not.
#include "headrace/ops/math/reduce_rows.h"
#include "headrace/ops/math/reduce_rows_inl.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {

ReduceRows FindReduceRows(std::string_view op, DType type) {
  namespace rows = HWY_NAMESPACE;
  if (kFloat32And64.Contains(type)) return FindSimdReduceRows(op, type);
  constexpr DTypeSet kNumbers = kCpuNumberTypes - kFloat32And64,
                     kReal = kCpuRealTypes - kFloat32And64;
  if (op == "Sum") return rows::FindLoops<rows::Sum, kNumbers>(type);
  if (op == "Mean") return rows::FindMeanLoops<kNumbers>(type);
  if (op == "EuclideanNorm") return rows::FindNormLoops<kNumbers>(type);
  if (op == "Prod") return rows::FindLoops<rows::Prod, kNumbers>(type);
  if (op == "Max") return rows::FindLoops<rows::Max, kReal>(type);
  if (op == "Min") return rows::FindLoops<rows::Min, kReal>(type);
  if (op == "All") return rows::FindLoops<rows::All, kOnlyBool>(type);
  if (op == "Any") return rows::FindLoops<rows::Any, kOnlyBool>(type);
  return {};
}

}  // namespace headrace

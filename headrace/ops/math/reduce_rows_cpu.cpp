// Reductions of the dtypes that FindSimdReduceRows has not.
#include "headrace/ops/math/reduce_rows.h"
#include "headrace/ops/math/reduce_rows_inl.h"
#include "headrace/ops/math/type_sets.h"

namespace headrace {

ReduceRows FindReduceRows(std::string_view op, DType type) {
  namespace rows = HWY_NAMESPACE;
  if (const ReduceRows simd = FindSimdReduceRows(op, type); simd.valid()) return simd;
  if (op == "Sum") return rows::FindLoops<rows::Sum, kComplexTypes>(type);
  if (op == "Mean") return rows::FindMeanLoops<kComplexTypes>(type);
  if (op == "EuclideanNorm") return rows::FindNormLoops<kComplexTypes>(type);
  if (op == "Prod") return rows::FindLoops<rows::Prod, kComplexTypes>(type);
  return {};
}

}  // namespace headrace

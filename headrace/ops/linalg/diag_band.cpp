#include "headrace/ops/linalg/diag_band.h"

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"

namespace headrace {

StatusOr<DiagBand> DiagBandOf(const Tensor& k) {
  if (k.rank() > 1) {
    return InvalidArgument("diag_index must be a scalar or vector, received shape: ",
                           k.shape().ToString());
  }
  const int64_t n = k.num_elements();
  if (n != 1 && n != 2) {
    return InvalidArgument("diag_index must have only one or two elements, received ", n,
                           " elements.");
  }
  const DiagBand band{.lower = IntAt(k, 0), .upper = IntAt(k, n - 1)};
  if (band.lower > band.upper) {
    return InvalidArgument("lower_diag_index must not be larger than upper_diag_index: ",
                           band.lower, " > ", band.upper);
  }
  return band;
}

StatusOr<std::optional<DiagBand>> DiagBandOf(const ShapeContext& c, int k) {
  if (k < 0) return DiagBand();
  const Tensor* value = c.input_value(k);
  if (value == nullptr) return std::nullopt;
  HR_ASSIGN_OR_RETURN(const DiagBand band, DiagBandOf(*value));
  return band;
}

Status CheckBandFits(const DiagBand& band, int64_t rows, int64_t cols) {
  const auto check = [&](int64_t index, const char* what) -> Status {
    if (index == 0 || (index > -rows && index < cols)) return absl::OkStatus();
    return InvalidArgument(what, " is out of bound: ", index, ". It must be between ", -rows,
                           " and ", cols);
  };
  HR_RETURN_IF_ERROR(check(band.lower, "lower_diag_index"));
  return check(band.upper, "upper_diag_index");
}

}  // namespace headrace

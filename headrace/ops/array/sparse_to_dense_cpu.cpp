#include <algorithm>

#include "headrace/base/strings.h"
#include "headrace/ops/array/device_types.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/sparse_to_dense_kernels.h"
#include "headrace/ops/math/type_sets.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

// The rows of an index matrix; a vector has rows of one number, a scalar is one row.
struct Rows {
  const Tensor& indices;
  int64_t count, width;

  std::string Text(int64_t row) const {
    std::vector<int64_t> values;
    for (int64_t d = 0; d < width; ++d) values.push_back(IntAt(indices, row * width + d));
    return StrCat("[", StrJoin(values, ","), "]");
  }
};

class DenseKernel final : public Kernel {
 public:
  explicit DenseKernel(bool validate) : validate_(validate) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor &indices = ctx.input(0), &values = ctx.input(2), &other = ctx.input(3);
    if (indices.rank() > 2) {
      return InvalidArgument("sparse_indices should be a scalar, vector, or matrix, got shape ",
                             indices.shape().ToString());
    }
    HR_ASSIGN_OR_RETURN(const Shape shape, ShapeFromTensor(ctx.input(1), "output_shape"));
    const Rows rows{indices, indices.rank() > 0 ? indices.dim(0) : 1,
                    indices.rank() == 2 ? indices.dim(1) : 1};
    if (rows.width != shape.rank()) {
      return InvalidArgument("output_shape has incorrect number of elements: ", shape.rank(),
                             " should be: ", rows.width);
    }
    if (other.rank() != 0)
      return InvalidArgument("default_value should be a scalar, got shape ",
                             other.shape().ToString());
    if (values.rank() > 1 || (values.rank() == 1 && values.dim(0) != rows.count)) {
      return InvalidArgument("sparse_values has incorrect shape ", values.shape().ToString(),
                             ", should be [] or [", rows.count, "]");
    }
    HR_RETURN_IF_ERROR(FindPlaces(rows, shape));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    DispatchDType<kCpuNumberTypes | kBoolOnly | kStringOnly>(out->dtype(), [&]<class T>() {
      T* y = out->data<T>();
      std::fill_n(y, out->num_elements(), *other.data<T>());
      for (int64_t i = 0; i < rows.count; ++i)
        y[places_[static_cast<size_t>(i)]] = values.data<T>()[values.rank() == 0 ? 0 : i];
    });
    return absl::OkStatus();
  }

 private:
  Status FindPlaces(const Rows& rows, const Shape& shape) {
    places_.resize(static_cast<size_t>(rows.count));
    for (int64_t i = 0; i < rows.count; ++i) {
      int64_t at = 0;
      for (int d = 0; d < shape.rank(); ++d) {
        const int64_t index = IntAt(rows.indices, i * rows.width + d);
        if (index < 0 || index >= shape[d]) {
          return InvalidArgument("indices[", i, "] = ", rows.Text(i),
                                 " is out of bounds: need 0 <= index < ", shape.ToString());
        }
        at = at * shape[d] + index;
      }
      if (validate_ && i > 0 && at <= places_[static_cast<size_t>(i - 1)]) {
        const bool repeated = at == places_[static_cast<size_t>(i - 1)];
        return InvalidArgument("indices[", i, "] = ", rows.Text(i), " is ",
                               repeated ? "repeated" : "out of order");
      }
      places_[static_cast<size_t>(i)] = at;
    }
    return absl::OkStatus();
  }

  const bool validate_;
  std::vector<int64_t> places_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeSparseToDenseCpu(const KernelInit& init) {
  return std::make_unique<DenseKernel>(init.Attr<bool>("validate_indices"));
}

}  // namespace headrace

#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/data_format_kernels.h"

namespace headrace {
namespace {

// Where in the destination format each dimension of the source format is.
StatusOr<std::vector<int>> PlacesOf(const KernelInit& init) {
  const std::string& src = init.Attr<std::string>("src_format");
  const std::string& dst = init.Attr<std::string>("dst_format");
  for (const auto& [name, format] : {std::pair("Source", &src), {"Destination", &dst}}) {
    if (format->size() == 4 || format->size() == 5) continue;
    return InvalidArgument(name, " format must be of length 4 or 5, received '", *format, "'");
  }
  std::vector<int> places;
  std::vector<bool> taken(dst.size());
  for (const char letter : src) {
    const size_t at = dst.find(letter);
    if (at == std::string::npos || src.size() != dst.size() || taken[at]) {
      return InvalidArgument("Destination and source format must determine a permutation, got ",
                             src, " and ", dst);
    }
    taken[at] = true;
    places.push_back(static_cast<int>(at));
  }
  return places;
}

template <class T>
Status MapDims(const std::vector<int>& places, const Tensor& x, Tensor& y) {
  const T rank = static_cast<T>(places.size());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const T dim = x.data<T>()[i];
    y.data<T>()[i] = static_cast<T>(places[static_cast<size_t>((dim % rank + rank) % rank)]);
  }
  return absl::OkStatus();
}

template <class T>
Status Permute(const std::vector<int>& places, const Tensor& x, Tensor& y) {
  const int64_t width = x.rank() == 2 ? 2 : 1;
  for (size_t i = 0; i < places.size(); ++i) {
    for (int64_t j = 0; j < width; ++j)
      y.data<T>()[places[i] * width + j] = x.data<T>()[static_cast<int64_t>(i) * width + j];
  }
  return absl::OkStatus();
}

class FormatKernel final : public Kernel {
 public:
  FormatKernel(std::vector<int> places, bool permute)
      : places_(std::move(places)), permute_(permute) {}
  Status Compute(KernelContext& ctx) override {
    const Tensor& x = ctx.input(0);
    if (permute_) HR_RETURN_IF_ERROR(CheckVector(x.shape()));
    HR_ASSIGN_OR_RETURN(Tensor * y, ctx.Output(0, x.shape()));
    if (x.dtype() == DType::kInt32)
      return permute_ ? Permute<int32_t>(places_, x, *y) : MapDims<int32_t>(places_, x, *y);
    return permute_ ? Permute<int64_t>(places_, x, *y) : MapDims<int64_t>(places_, x, *y);
  }

 private:
  Status CheckVector(const Shape& shape) const {
    const int64_t size = static_cast<int64_t>(places_.size());
    if (shape.rank() != 1 && shape.rank() != 2) {
      return InvalidArgument("input must be a vector or 2D tensor, but got shape ",
                             shape.ToString());
    }
    if (shape[0] != size) {
      return InvalidArgument(shape.rank(), "D input must be of size ", size, ", but got shape ",
                             shape.ToString());
    }
    if (shape.rank() == 2 && shape[1] != 2) {
      return InvalidArgument("Second dimension of 2D input must be of size 2, but got shape ",
                             shape.ToString());
    }
    return absl::OkStatus();
  }

  const std::vector<int> places_;
  const bool permute_;
};

StatusOr<std::unique_ptr<Kernel>> Make(const KernelInit& init, bool permute) {
  HR_ASSIGN_OR_RETURN(std::vector<int> places, PlacesOf(init));
  return std::make_unique<FormatKernel>(std::move(places), permute);
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeDataFormatDimMapCpu(const KernelInit& init) {
  return Make(init, false);
}
StatusOr<std::unique_ptr<Kernel>> MakeDataFormatVecPermuteCpu(const KernelInit& init) {
  return Make(init, true);
}

}  // namespace headrace

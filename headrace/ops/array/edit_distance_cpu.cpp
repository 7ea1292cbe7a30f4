#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/edit_distance_kernels.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

constexpr DTypeSet kTypes = kNumberTypes | DTypeSet{DType::kBool, DType::kString};

// The values of one sequence: neighbours in the sparse tensor.
struct Sequence {
  int64_t place;  // in the result
  int64_t begin, end;
};

StatusOr<std::vector<Sequence>> FindSequences(KernelContext& ctx, int first, const Shape& out,
                                              std::string_view what) {
  const Tensor& indices = ctx.input(first);
  const int64_t n = indices.dim(0), rank = indices.dim(1);
  const int64_t* index = indices.data<int64_t>();
  std::vector<Sequence> sequences;
  for (int64_t i = 0; i < n; ++i, index += rank) {
    int64_t place = 0;
    for (int d = 0; d < rank - 1; ++d) {
      if (index[d] < 0 || index[d] >= out[d]) {
        return InvalidArgument(what, "_indices[", i, ",", d, "] = ", index[d], " is not in [0, ",
                               out[d], ")");
      }
      place = place * out[d] + index[d];
    }
    if (sequences.empty() || sequences.back().place != place) {
      if (!sequences.empty() && place < sequences.back().place)
        return InvalidArgument(what, "_indices are not in order at row ", i);
      sequences.push_back({place, i, i});
    }
    sequences.back().end = i + 1;
  }
  return sequences;
}

// Source: Wagner and Fischer, The String-to-String Correction Problem, 1974, with one row of the
// table.
template <class T>
int64_t Distance(std::span<const T> a, std::span<const T> b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

class EditDistanceKernel final : public Kernel {
 public:
  explicit EditDistanceKernel(bool normalize) : normalize_(normalize) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const Shape shape, OutputShape(ctx));
    HR_ASSIGN_OR_RETURN(const auto hypotheses, FindSequences(ctx, 0, shape, "hypothesis"));
    HR_ASSIGN_OR_RETURN(const auto truths, FindSequences(ctx, 3, shape, "truth"));
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    float* y = out->data<float>();
    std::fill_n(y, out->num_elements(), 0.0f);  // of two empty sequences
    DispatchDType<kTypes>(ctx.input(1).dtype(), [&]<class T>() {
      const T *a = ctx.input(1).data<T>(), *b = ctx.input(4).data<T>();
      auto h = hypotheses.begin();
      auto t = truths.begin();
      while (h != hypotheses.end() || t != truths.end()) {
        constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
        const int64_t place = std::min(h == hypotheses.end() ? kNone : h->place,
                                       t == truths.end() ? kNone : t->place);
        std::span<const T> left, right;
        if (h != hypotheses.end() && h->place == place) {
          left = {a + h->begin, a + h->end};
          ++h;
        }
        if (t != truths.end() && t->place == place) {
          right = {b + t->begin, b + t->end};
          ++t;
        }
        // Without a truth: infinite when divided by its length.
        const float distance = static_cast<float>(Distance(left, right));
        y[place] = normalize_ ? distance / static_cast<float>(right.size()) : distance;
      }
    });
    return absl::OkStatus();
  }

 private:
  static StatusOr<Shape> OutputShape(KernelContext& ctx) {
    for (int first : {0, 3}) {
      const Tensor &indices = ctx.input(first), &values = ctx.input(first + 1),
                   &shape = ctx.input(first + 2);
      if (indices.rank() != 2 || values.rank() != 1 || shape.rank() != 1 ||
          indices.dim(0) != values.dim(0) || indices.dim(1) != shape.dim(0)) {
        return InvalidArgument(first == 0 ? "hypothesis" : "truth",
                               ": indices must be [n, rank], values [n], shape [rank], got ",
                               indices.shape().ToString(), ", ", values.shape().ToString(), ", ",
                               shape.shape().ToString());
      }
    }
    const auto a = ctx.input(2).flat<int64_t>(), b = ctx.input(5).flat<int64_t>();
    if (a.size() != b.size() || a.empty()) {
      return InvalidArgument("hypothesis and truth must have the same rank, at least 1, got ",
                             a.size(), " and ", b.size());
    }
    std::vector<int64_t> dims;
    for (size_t d = 0; d + 1 < a.size(); ++d) dims.push_back(std::max(a[d], b[d]));
    return Shape::Make(dims);
  }

  const bool normalize_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeEditDistanceCpu(const KernelInit& init) {
  return std::make_unique<EditDistanceKernel>(init.Attr<bool>("normalize"));
}

}  // namespace headrace

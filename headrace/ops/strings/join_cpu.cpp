#include <algorithm>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/array/strided_copy.h"
#include "headrace/ops/strings/join_kernels.h"

namespace headrace {
namespace {

class StringJoinKernel final : public Kernel {
 public:
  explicit StringJoinKernel(std::string separator) : separator_(std::move(separator)) {}

  Status Compute(KernelContext& ctx) override {
    Shape shape;
    bool scalars = true;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Shape& input = ctx.input(i).shape();
      if (input.rank() == 0) continue;
      if (!scalars && input != shape) {
        return InvalidArgument("Input shapes do not match: ", shape.ToString(), " vs. ",
                               input.ToString());
      }
      shape = input;
      scalars = false;
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    std::string* result = out->data<std::string>();
    ctx.workers().ParallelFor(out->num_elements(), 60.0, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; ++at) {
        std::string& joined = result[at];
        joined.clear();
        for (int i = 0; i < ctx.num_inputs(); ++i) {
          if (i > 0) joined += separator_;
          joined += ctx.input(i).data<std::string>()[ctx.input(i).rank() == 0 ? 0 : at];
        }
      }
    });
    return absl::OkStatus();
  }

 private:
  const std::string separator_;
};

class ReduceJoinKernel final : public Kernel {
 public:
  ReduceJoinKernel(bool keep_dims, std::string separator)
      : keep_dims_(keep_dims), separator_(std::move(separator)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    const int rank = in.rank();
    std::vector<int> axes;
    HR_ASSIGN_OR_RETURN(std::vector<bool> joined, Joined(ctx.input(1), rank, axes));
    Shape shape;
    std::vector<int> kept;
    for (int i = 0; i < rank; ++i) {
      if (!joined[i]) kept.push_back(i);
      if (!joined[i] || keep_dims_) shape.Append(joined[i] ? 1 : in.dim(i));
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    std::reverse(axes.begin(), axes.end());  // the first one that is named changes fastest
    const auto strides = RowMajorStrides(in.shape());
    int64_t count = 1;
    for (int axis : axes) count *= in.dim(axis);
    std::string* result = out->data<std::string>();
    ctx.workers().ParallelFor(
        out->num_elements(), 60.0 * static_cast<double>(count + 1),
        [&](int64_t begin, int64_t end) {
          for (int64_t at = begin; at < end; ++at) {
            const int64_t start = Offset(at, kept, in.shape(), strides);
            std::string& text = result[at];
            text.clear();
            for (int64_t i = 0; i < count; ++i) {
              if (i > 0) text += separator_;
              text += in.data<std::string>()[start + Offset(i, axes, in.shape(), strides)];
            }
          }
        });
    return absl::OkStatus();
  }

 private:
  static StatusOr<std::vector<bool>> Joined(const Tensor& stated, int rank,
                                            std::vector<int>& axes) {
    std::vector<bool> joined(static_cast<size_t>(rank), false);
    for (int64_t i = 0; i < stated.num_elements(); ++i) {
      const int64_t axis = IntAt(stated, i);
      if (axis < -rank || axis >= rank) {
        return OutOfRange("Invalid reduction dimension ", axis, " for input with ", rank,
                          " dimension(s)");
      }
      const int at = static_cast<int>(axis < 0 ? axis + rank : axis);
      if (joined[at]) return InvalidArgument("Duplicate reduction dimension ", axis);
      joined[at] = true;
      axes.push_back(at);
    }
    return joined;
  }

  // Element number `at` counted over these dimensions, the last changing fastest.
  static int64_t Offset(int64_t at, const std::vector<int>& dims, const Shape& shape,
                        const std::array<int64_t, kMaxRank>& strides) {
    int64_t offset = 0;
    for (size_t i = dims.size(); i-- > 0;) {
      offset += at % shape.dim(dims[i]) * strides[dims[i]];
      at /= shape.dim(dims[i]);
    }
    return offset;
  }

  const bool keep_dims_;
  const std::string separator_;
};

class UnsortedSegmentJoinKernel final : public Kernel {
 public:
  explicit UnsortedSegmentJoinKernel(std::string separator) : separator_(std::move(separator)) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &in = ctx.input(0), &ids = ctx.input(1);
    if (ctx.input(2).rank() != 0) return InvalidArgument("Number of segments should be a scalar");
    const int64_t segments = IntAt(ctx.input(2), 0);
    if (segments < 0) return InvalidArgument("Number of segments must be positive");
    if (ids.rank() > in.rank()) {
      return InvalidArgument("Dimension of segment_ids (", ids.rank(),
                             ") exceeds that of the input (", in.rank(), ")");
    }
    if (const int rank = 1 + in.rank() - ids.rank(); rank > kMaxRank)
      return InvalidArgument("a tensor may have at most ", kMaxRank, " dimensions, got ", rank);
    Shape shape{segments};
    for (int i = 0; i < in.rank(); ++i) {
      if (i >= ids.rank()) {
        shape.Append(in.dim(i));
      } else if (ids.dim(i) != in.dim(i)) {
        return InvalidArgument("Segment dimension is ", ids.dim(i), " while input dimension is ",
                               in.dim(i), " in rank ", i);
      }
    }
    for (int64_t i = 0; i < ids.num_elements(); ++i) {
      if (IntAt(ids, i) < 0 || IntAt(ids, i) >= segments) {
        return InvalidArgument(
            "segment_ids are not allowed to exceed num_segments or to have negative values.");
      }
    }
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, shape));
    std::string* text = out->data<std::string>();
    for (int64_t i = 0; i < out->num_elements(); ++i) text[i].clear();
    const int64_t inner = in.shape().Product(ids.rank(), in.rank());
    std::vector<bool> begun(static_cast<size_t>(segments), false);
    for (int64_t i = 0; i < ids.num_elements(); ++i) {
      const int64_t segment = IntAt(ids, i);
      for (int64_t k = 0; k < inner; ++k) {
        std::string& joined = text[segment * inner + k];
        if (begun[segment]) joined += separator_;
        joined += in.data<std::string>()[i * inner + k];
      }
      begun[segment] = true;
    }
    return absl::OkStatus();
  }

 private:
  const std::string separator_;
};

using PieceList = std::vector<std::string_view>;

bool IsSpace(char c) {
  return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos;
}

void SplitAtAny(std::string_view text, std::string_view delimiters, bool skip_empty,
                PieceList& pieces) {
  if (delimiters.empty()) {
    for (size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
    return;
  }
  if (text.empty()) return;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (end > begin || !skip_empty) pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

void SplitAtSpace(std::string_view text, int64_t most, PieceList& pieces) {
  const auto skip = [&](bool space) {
    size_t n = 0;
    while (n < text.size() && IsSpace(text[n]) == space) ++n;
    const std::string_view skipped = text.substr(0, n);
    text.remove_prefix(n);
    return skipped;
  };
  skip(true);
  for (int64_t splits = 0; !text.empty();) {
    pieces.push_back(skip(false));
    skip(true);
    if (++splits == most) return pieces.push_back(text);
  }
}

void SplitAt(std::string_view text, std::string_view separator, int64_t most, PieceList& pieces) {
  int64_t splits = 0;
  for (size_t at;
       (most <= 0 || splits < most) && (at = text.find(separator)) != std::string_view::npos;
       ++splits) {
    pieces.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  pieces.push_back(text);
}

class SplitKernel final : public Kernel {
 public:
  SplitKernel(bool v2, bool skip_empty, int64_t most)
      : v2_(v2), skip_empty_(skip_empty), most_(most) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &in = ctx.input(0), &separator = ctx.input(1);
    if (in.rank() != 1)
      return InvalidArgument("input must be a vector, got shape: ", in.shape().ToString());
    if (separator.rank() != 0) {
      return InvalidArgument(v2_ ? "sep" : "delimiter",
                             " must be a scalar, got shape: ", separator.shape().ToString());
    }
    PieceList pieces;
    std::vector<int64_t> ends;
    int64_t longest = 0;
    for (const std::string& text : in.flat<std::string>()) {
      const auto before = static_cast<int64_t>(pieces.size());
      Split(text, separator.scalar<std::string>(), pieces);
      ends.push_back(static_cast<int64_t>(pieces.size()));
      longest = std::max(longest, ends.back() - before);
    }
    const auto count = static_cast<int64_t>(pieces.size());
    HR_ASSIGN_OR_RETURN(Tensor * indices, ctx.Output(0, {count, 2}));
    HR_ASSIGN_OR_RETURN(Tensor * values, ctx.Output(1, {count}));
    HR_ASSIGN_OR_RETURN(Tensor * shape, ctx.Output(2, {2}));
    int64_t row = 0, start = 0;
    for (int64_t i = 0; i < count; ++i) {
      while (i == ends[row]) start = ends[row++];
      indices->data<int64_t>()[2 * i] = row;
      indices->data<int64_t>()[2 * i + 1] = i - start;
      values->data<std::string>()[i] = pieces[i];
    }
    shape->data<int64_t>()[0] = in.dim(0);
    shape->data<int64_t>()[1] = longest;
    return absl::OkStatus();
  }

 private:
  void Split(std::string_view text, std::string_view separator, PieceList& pieces) const {
    if (!v2_) {
      SplitAtAny(text, separator, skip_empty_, pieces);
    } else if (most_ == 0) {
      pieces.push_back(text);
    } else if (separator.empty()) {
      SplitAtSpace(text, most_, pieces);
    } else {
      SplitAt(text, separator, most_, pieces);
    }
  }

  const bool v2_, skip_empty_;
  const int64_t most_;
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeStringJoinCpu(const KernelInit& init) {
  return std::make_unique<StringJoinKernel>(init.Attr<std::string>("separator"));
}
StatusOr<std::unique_ptr<Kernel>> MakeReduceJoinCpu(const KernelInit& init) {
  return std::make_unique<ReduceJoinKernel>(init.Attr<bool>("keep_dims"),
                                            init.Attr<std::string>("separator"));
}
StatusOr<std::unique_ptr<Kernel>> MakeUnsortedSegmentJoinCpu(const KernelInit& init) {
  return std::make_unique<UnsortedSegmentJoinKernel>(init.Attr<std::string>("separator"));
}
StatusOr<std::unique_ptr<Kernel>> MakeStringSplitCpu(const KernelInit& init) {
  return std::make_unique<SplitKernel>(false, init.Attr<bool>("skip_empty"), 0);
}
StatusOr<std::unique_ptr<Kernel>> MakeStringSplitV2Cpu(const KernelInit& init) {
  return std::make_unique<SplitKernel>(true, false, init.Attr<int64_t>("maxsplit"));
}

}  // namespace headrace

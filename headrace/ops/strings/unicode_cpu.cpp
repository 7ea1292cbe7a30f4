#include <algorithm>
#include <limits>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/array/int_values.h"
#include "headrace/ops/strings/map_strings.h"
#include "headrace/ops/strings/unicode_kernels.h"
#include "headrace/ops/strings/unicode_letters.h"
#include "headrace/ops/strings/unicode_text.h"

namespace headrace {
namespace {

// What an op does with what is no character.
struct ErrorRule {
  bool strict = false, ignore = false, control_too = false;
  uint32_t replacement = kReplacementCharacter;

  static StatusOr<ErrorRule> From(const KernelInit& init, bool has_control) {
    const std::string& errors = init.Attr<std::string>("errors");
    const int64_t replacement = init.Attr<int64_t>("replacement_char");
    if (replacement < 0 || replacement > 0x10FFFF)
      return InvalidArgument("replacement_char out of unicode codepoint range");
    return ErrorRule{.strict = errors == "strict",
                     .ignore = errors == "ignore",
                     .control_too = has_control && init.Attr<bool>("replace_control_characters"),
                     .replacement = static_cast<uint32_t>(replacement)};
  }
};

// The characters of `text` by the rule: body(code, first byte) for each.
template <class Body>
Status ForEachCharacter(TextDecoder& decoder, const ErrorRule& rule, std::string_view text,
                        Body body) {
  decoder.Start();
  for (size_t at = 0; at < text.size();) {
    const Character next = decoder.Next(text.substr(at));
    if (next.wrong && rule.strict) return InvalidArgument("Invalid formatting on input string");
    const bool replaced = next.wrong || (rule.control_too && next.code < 32);
    if (!replaced || !rule.ignore) body(replaced ? rule.replacement : next.code, at);
    at += next.bytes;
  }
  return absl::OkStatus();
}

template <class T>
Status Write(KernelContext& ctx, int output, const std::vector<T>& values) {
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(output, Shape{static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), out->data<T>());
  return absl::OkStatus();
}

class DecodeKernel final : public Kernel {
 public:
  DecodeKernel(std::unique_ptr<TextDecoder> decoder, ErrorRule rule)
      : decoder_(std::move(decoder)), rule_(rule) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor& in = ctx.input(0);
    const bool with_starts = ctx.node().num_outputs() > 2;
    std::vector<int32_t> codes;
    std::vector<int64_t> starts, ends{0};
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      HR_RETURN_IF_ERROR(ForEachCharacter(*decoder_, rule_, in.data<std::string>()[i],
                                          [&](uint32_t code, size_t at) {
                                            codes.push_back(static_cast<int32_t>(code));
                                            if (with_starts)
                                              starts.push_back(static_cast<int64_t>(at));
                                          }));
      ends.push_back(static_cast<int64_t>(codes.size()));
    }
    HR_RETURN_IF_ERROR(WriteEnds(ctx, ends));
    HR_RETURN_IF_ERROR(Write(ctx, 1, codes));
    return with_starts ? Write(ctx, 2, starts) : absl::OkStatus();
  }

 private:
  static Status WriteEnds(KernelContext& ctx, const std::vector<int64_t>& ends) {
    if (ctx.output_type(0) == DType::kInt64) return Write(ctx, 0, ends);
    if (ends.back() > std::numeric_limits<int32_t>::max())
      return InvalidArgument("row_splits of int32 cannot hold ", ends.back(), " characters");
    return Write(ctx, 0, std::vector<int32_t>(ends.begin(), ends.end()));
  }

  const std::unique_ptr<TextDecoder> decoder_;
  const ErrorRule rule_;
};

TextForm FormOf(const KernelInit& init) {
  const std::string& encoding = init.Attr<std::string>("output_encoding");
  return encoding == "UTF-8"       ? TextForm::kUtf8
         : encoding == "UTF-16-BE" ? TextForm::kUtf16Be
                                   : TextForm::kUtf32Be;
}

class TranscodeKernel final : public Kernel {
 public:
  TranscodeKernel(std::unique_ptr<TextDecoder> decoder, ErrorRule rule, TextForm form)
      : decoder_(std::move(decoder)), rule_(rule), form_(form) {}

  Status Compute(KernelContext& ctx) override {
    return TryMapStrings<std::string>(ctx, [&](const std::string& text, std::string& out) {
      std::string result;  // `out` may be `text`
      HR_RETURN_IF_ERROR(ForEachCharacter(*decoder_, rule_, text, [&](uint32_t code, size_t) {
        AppendCharacter(code, form_, result);
      }));
      out = std::move(result);
      return absl::OkStatus();
    });
  }

 private:
  const std::unique_ptr<TextDecoder> decoder_;
  const ErrorRule rule_;
  const TextForm form_;
};

class EncodeKernel final : public Kernel {
 public:
  EncodeKernel(ErrorRule rule, TextForm form) : rule_(rule), form_(form) {}

  Status Compute(KernelContext& ctx) override {
    const Tensor &values = ctx.input(0), &splits = ctx.input(1);
    if (values.rank() != 1 || splits.rank() != 1 || splits.num_elements() == 0) {
      return InvalidArgument(
          "input_values and input_splits must be vectors, the latter not empty, got shapes ",
          values.shape().ToString(), " and ", splits.shape().ToString());
    }
    HR_RETURN_IF_ERROR(CheckSplits(splits, values.num_elements()));
    const int64_t count = splits.num_elements() - 1;
    HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, Shape{count}));
    for (int64_t i = 0; i < count; ++i) {
      std::string& text = out->data<std::string>()[i];
      text.clear();
      for (int64_t k = IntAt(splits, i); k < IntAt(splits, i + 1); ++k)
        HR_RETURN_IF_ERROR(Append(values.data<int32_t>()[k], text));
    }
    return absl::OkStatus();
  }

 private:
  static Status CheckSplits(const Tensor& splits, int64_t size) {
    int64_t last = 0;
    for (int64_t i = 0; i < splits.num_elements(); ++i) {
      const int64_t split = IntAt(splits, i);
      if (i == 0 ? split != 0 : split < last || split > size) {
        return InvalidArgument("input_splits must begin with 0 and rise to at most ", size,
                               ", the number of values, got ", split, " at index ", i);
      }
      last = split;
    }
    return absl::OkStatus();
  }

  Status Append(int32_t code, std::string& text) const {
    if (code >= 0 && code <= 0x10FFFF) {
      AppendCharacter(static_cast<uint32_t>(code), form_, text);
    } else if (rule_.strict) {
      return InvalidArgument("Code point value out of valid Unicode range.");
    } else if (!rule_.ignore) {
      AppendCharacter(rule_.replacement, form_, text);
    }
    return absl::OkStatus();
  }

  const ErrorRule rule_;
  const TextForm form_;
};

Status Scripts(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, in.shape()));
  ctx.workers().ParallelFor(in.num_elements(), 20.0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out->data<int32_t>()[i] = ScriptOf(in.data<int32_t>()[i]);
  });
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeUnicodeDecodeCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ErrorRule rule, ErrorRule::From(init, true));
  HR_ASSIGN_OR_RETURN(auto decoder, TextDecoder::For(init.Attr<std::string>("input_encoding")));
  return std::make_unique<DecodeKernel>(std::move(decoder), rule);
}
StatusOr<std::unique_ptr<Kernel>> MakeUnicodeEncodeCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ErrorRule rule, ErrorRule::From(init, false));
  return std::make_unique<EncodeKernel>(rule, FormOf(init));
}
StatusOr<std::unique_ptr<Kernel>> MakeUnicodeTranscodeCpu(const KernelInit& init) {
  HR_ASSIGN_OR_RETURN(const ErrorRule rule, ErrorRule::From(init, true));
  HR_ASSIGN_OR_RETURN(auto decoder, TextDecoder::For(init.Attr<std::string>("input_encoding")));
  return std::make_unique<TranscodeKernel>(std::move(decoder), rule, FormOf(init));
}
StatusOr<std::unique_ptr<Kernel>> MakeUnicodeScriptCpu(const KernelInit& init) {
  return MakeFunctionKernel<Scripts>(init);
}

}  // namespace headrace

#include <re2/re2.h>

#include "headrace/base/strings.h"
#include "headrace/ops/strings/map_strings.h"
#include "headrace/ops/strings/regex_kernels.h"

namespace headrace {
namespace {

// Keeps the compiled pattern for as long as it stays the same.
class RegexKernel : public Kernel {
 public:
  explicit RegexKernel(const KernelInit& init) {
    const AttrValue* pattern = init.attrs().Find("pattern");
    if (pattern != nullptr) Compile(*pattern->As<std::string>());
  }

  // The pattern that the node has must be right before any step runs.
  Status CheckPattern() const {
    if (regex_ == nullptr || regex_->ok()) return absl::OkStatus();
    return InvalidArgument("Invalid pattern: ", regex_->pattern(), ", error: ", regex_->error());
  }

 protected:
  StatusOr<const RE2*> Regex(const KernelContext& ctx) {
    if (ctx.num_inputs() > 1) {
      const Tensor& pattern = ctx.input(1);
      if (pattern.rank() != 0) {
        return InvalidArgument("Pattern must be scalar, but received ", pattern.shape().ToString());
      }
      Compile(pattern.scalar<std::string>());
      HR_RETURN_IF_ERROR(CheckPattern());
    }
    return regex_.get();
  }

 private:
  void Compile(const std::string& pattern) {
    if (regex_ != nullptr && regex_->pattern() == pattern) return;
    RE2::Options options;
    options.set_log_errors(false);
    regex_ = std::make_unique<RE2>(pattern, options);
  }

  std::unique_ptr<RE2> regex_;
};

// What stands before the first group that is not there, or the first wrong escape: all that
// TensorFlow's version of the library writes.
std::string FittingPart(const std::string& rewrite, int groups) {
  for (size_t i = 0; i < rewrite.size(); ++i) {
    if (rewrite[i] != '\\') continue;
    const char next = i + 1 < rewrite.size() ? rewrite[i + 1] : '\0';
    const bool group = next >= '0' && next <= '9' && next - '0' <= groups;
    if (!group && next != '\\') return rewrite.substr(0, i);
    ++i;
  }
  return rewrite;
}

class RegexReplaceKernel final : public RegexKernel {
 public:
  explicit RegexReplaceKernel(const KernelInit& init)
      : RegexKernel(init),
        global_(init.Attr<bool>("replace_global")),
        rewrite_(init.attrs().GetOr("rewrite", std::string())) {}

  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const RE2* regex, Regex(ctx));
    if (ctx.num_inputs() > 2) {
      const Tensor& rewrite = ctx.input(2);
      if (rewrite.rank() != 0) {
        return InvalidArgument("Rewrite must be scalar, but received ", rewrite.shape().ToString());
      }
      rewrite_ = rewrite.scalar<std::string>();
    }
    std::string error;
    const bool fits = regex->CheckRewriteString(rewrite_, &error);
    const std::string rewrite =
        fits ? rewrite_ : FittingPart(rewrite_, regex->NumberOfCapturingGroups());
    return MapStrings<std::string>(ctx, [&](const std::string& text, std::string& out) {
      out = text;
      if (global_) {
        RE2::GlobalReplace(&out, *regex, rewrite);
      } else if (fits) {
        RE2::Replace(&out, *regex, rewrite);
      }
    });
  }

 private:
  const bool global_;
  std::string rewrite_;
};

class RegexFullMatchKernel final : public RegexKernel {
 public:
  using RegexKernel::RegexKernel;
  Status Compute(KernelContext& ctx) override {
    HR_ASSIGN_OR_RETURN(const RE2* regex, Regex(ctx));
    return MapStrings<bool>(ctx, [&](const std::string& text, bool& matches) {
      matches = RE2::FullMatch(text, *regex);
    });
  }
};

}  // namespace

StatusOr<std::unique_ptr<Kernel>> MakeRegexReplaceCpu(const KernelInit& init) {
  auto kernel = std::make_unique<RegexReplaceKernel>(init);
  HR_RETURN_IF_ERROR(kernel->CheckPattern());
  return kernel;
}
StatusOr<std::unique_ptr<Kernel>> MakeRegexFullMatchCpu(const KernelInit& init) {
  auto kernel = std::make_unique<RegexFullMatchKernel>(init);
  HR_RETURN_IF_ERROR(kernel->CheckPattern());
  return kernel;
}

}  // namespace headrace

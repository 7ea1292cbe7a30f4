// CPU kernels of apply.cpp, and the row functions under them.
#pragma once

#include <string_view>

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeApplyCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeSparseApplyCpu(const KernelInit& init);

// One update rule for one dtype. `constants` are kMaxConstants elements of that dtype.
struct ApplyRule {
  static constexpr int kMaxConstants = 8;
  // From the hyper-parameters, in the order of the op's inputs, what the loop needs.
  void (*prepare)(const void* const* scalars, void* constants);
  // Updates n elements of the variable and its slots, refs[0], refs[1], ..., with n elements of the
  // gradient.
  void (*update)(void* const* refs, const void* gradient, int64_t n, const void* constants);
  int streams;  // tensors read and written, for the estimate of time
};

// `rule`: the op's name without Apply, with the variants "MomentumNesterov", "AdamNesterov",
// "AdagradFixed", "AdagradV2Fixed" (slots are not updated). Chosen for this processor.
const ApplyRule* FindApplyRule(std::string_view rule, DType type, bool sparse);

}  // namespace headrace

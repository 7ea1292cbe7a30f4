// Kernel factories of the activation ops, for their definitions.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

// Which function: the order is that of the tables in activations_cpu.cpp.
enum class ActivationOp : uint8_t {
  kRelu,
  kRelu6,
  kLeakyRelu,
  kElu,
  kSelu,
  kSoftplus,
  kSoftsign,
  kCount
};

StatusOr<std::unique_ptr<Kernel>> MakeActivation(const KernelInit& init, ActivationOp op);
StatusOr<std::unique_ptr<Kernel>> MakeActivationGrad(const KernelInit& init, ActivationOp op);

template <ActivationOp kOp>
StatusOr<std::unique_ptr<Kernel>> MakeActivationCpu(const KernelInit& init) {
  return MakeActivation(init, kOp);
}
template <ActivationOp kOp>
StatusOr<std::unique_ptr<Kernel>> MakeActivationGradCpu(const KernelInit& init) {
  return MakeActivationGrad(init, kOp);
}

}  // namespace headrace

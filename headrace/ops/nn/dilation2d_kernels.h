// Kernel factories of the dilation ops, for their definitions, and what their attributes say.
#pragma once

#include <array>

#include "headrace/kernel/kernel.h"
#include "headrace/ops/nn/conv_geometry.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeDilation2DCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDilation2DBackpropInputCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeDilation2DBackpropFilterCpu(const KernelInit& init);

struct DilationAttrs {
  Padding padding = Padding::kValid;
  std::array<int64_t, 2> stride{1, 1}, rate{1, 1};

  // Errors: InvalidArgument for lists of another length or numbers below 1; Unimplemented for
  // strides or rates over batch or channels.
  static StatusOr<DilationAttrs> From(const AttrMap& attrs);
  // Dimension i of rows (0) and columns (1). Sizes may be -1 (unknown).
  StatusOr<Window> WindowOf(int i, int64_t in, int64_t filter) const;
};

}  // namespace headrace

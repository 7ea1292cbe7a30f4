// Kernel factories of the fractional pools, for their definitions, and the sizes of their results.
#pragma once

#include "headrace/kernel/kernel.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeFractionalMaxPoolCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFractionalAvgPoolCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFractionalMaxPoolGradCpu(const KernelInit& init);
StatusOr<std::unique_ptr<Kernel>> MakeFractionalAvgPoolGradCpu(const KernelInit& init);

// The shape of the result, as far as it is known. Errors: as the ops state them.
StatusOr<PartialShape> FractionalPoolShape(const AttrMap& attrs, const PartialShape& input);

}  // namespace headrace

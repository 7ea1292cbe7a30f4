// The kernel factory of the ops that extract patches, and what their attributes say.
#pragma once

#include <array>

#include "headrace/kernel/kernel.h"
#include "headrace/ops/nn/conv_geometry.h"

namespace headrace {

StatusOr<std::unique_ptr<Kernel>> MakeExtractPatchesCpu(const KernelInit& init);

// Of images, the first spatial dimension is a depth of 1.
struct PatchAttrs {
  bool volumes = false;
  Padding padding = Padding::kValid;
  std::array<int64_t, 3> size{1, 1, 1}, stride{1, 1, 1}, rate{1, 1, 1};

  // Errors: InvalidArgument for lists of another length or numbers below 1; Unimplemented for
  // windows over batch or channels.
  static StatusOr<PatchAttrs> From(const Node& node);
  int rank() const { return volumes ? 5 : 4; }
  // Depth, height, width of an input of the right rank, which may be unknown.
  StatusOr<std::array<Window, 3>> WindowsOf(const PartialShape& input) const;
  PartialShape OutputShape(const PartialShape& input, const std::array<Window, 3>& windows) const;
};

}  // namespace headrace

// The generator behind a random op: state that outlives the step, so that all plans and threads
// that run a node draw from one sequence.
//
//   HR_ASSIGN_OR_RETURN(auto generator, RandomGenerator::Of(init));  // in a kernel's factory
//   // In Compute: these blocks are nobody else's.
//   Philox mine = generator->Reserve(blocks);
//
// Thread-safe. Lives in the ResourceStore under the node's name.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>

#include "headrace/kernel/kernel.h"
#include "headrace/ops/random/philox.h"

namespace headrace {

class RandomGenerator final : public Resource {
 public:
  // Both seeds 0: seeded from the system, different each time.
  RandomGenerator(int64_t seed, int64_t seed2);

  // The generator of a node, from its attributes `seed` and `seed2`.
  static StatusOr<std::shared_ptr<RandomGenerator>> Of(const KernelInit& init);

  std::string_view kind() const override { return "random generator"; }
  // A copy that stands at the next free block; the shared one moves on by `blocks`.
  Philox Reserve(uint64_t blocks);
  // What ops reserve that fill `count` elements: 256 blocks each, far more than needed, because
  // that is how far TensorFlow's ops advance.
  Philox ReserveForOutputs(int64_t count) { return Reserve(static_cast<uint64_t>(count) * 256); }

 private:
  std::mutex mutex_;
  Philox generator_;
};

}  // namespace headrace

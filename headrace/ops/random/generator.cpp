#include "headrace/ops/random/generator.h"

#include <random>

namespace headrace {
namespace {

uint64_t SystemEntropy() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

Philox MakeGenerator(int64_t seed, int64_t seed2) {
  if (seed == 0 && seed2 == 0) return Philox(SystemEntropy(), SystemEntropy());
  return Philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
}

}  // namespace

RandomGenerator::RandomGenerator(int64_t seed, int64_t seed2)
    : generator_(MakeGenerator(seed, seed2)) {}

StatusOr<std::shared_ptr<RandomGenerator>> RandomGenerator::Of(const KernelInit& init) {
  return init.resources().LookupOrCreate<RandomGenerator>(
      "", StrCat("_random/", init.node().name()), [&] {
        return std::make_shared<RandomGenerator>(init.Attr<int64_t>("seed"),
                                                 init.Attr<int64_t>("seed2"));
      });
}

Philox RandomGenerator::Reserve(uint64_t blocks) {
  std::lock_guard lock(mutex_);
  const Philox reserved = generator_;
  generator_.Skip(blocks);
  return reserved;
}

}  // namespace headrace

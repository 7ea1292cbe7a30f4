#include <farmhash.h>
#include <highwayhash/sip_hash.h>

#include <cstring>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/ops/strings/hash.h"
#include "headrace/ops/strings/hash_kernels.h"
#include "headrace/ops/strings/map_strings.h"

namespace headrace {
namespace {

uint64_t Fingerprint64(std::string_view text) {
  return util::Fingerprint64(text.data(), text.size());
}

// `kHash` modulo the number of buckets.
template <uint64_t (*kHash)(std::string_view)>
class BucketKernel final : public Kernel {
 public:
  explicit BucketKernel(int64_t buckets) : buckets_(static_cast<uint64_t>(buckets)) {}
  Status Compute(KernelContext& ctx) override {
    return MapStrings<int64_t>(ctx, [&](const std::string& text, int64_t& bucket) {
      bucket = static_cast<int64_t>(kHash(text) % buckets_);
    });
  }

 private:
  const uint64_t buckets_;
};

class StrongBucketKernel final : public Kernel {
 public:
  StrongBucketKernel(int64_t buckets, const AttrValue::Ints& key)
      : buckets_(static_cast<uint64_t>(buckets)),
        key_{static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])} {}
  Status Compute(KernelContext& ctx) override {
    return MapStrings<int64_t>(ctx, [&](const std::string& text, int64_t& bucket) {
      bucket =
          static_cast<int64_t>(highwayhash::SipHash(key_, text.data(), text.size()) % buckets_);
    });
  }

 private:
  const uint64_t buckets_;
  const highwayhash::HH_U64 key_[2];
};

void StoreFingerprint(std::string_view text, uint8_t* out) {
  const uint64_t print = Fingerprint64(text);
  for (int i = 0; i < 8; ++i) out[i] = static_cast<uint8_t>(print >> (8 * i));
}

Status FingerprintRows(KernelContext& ctx) {
  const Tensor& data = ctx.input(0);
  HR_RETURN_IF_ERROR(CheckMethod(ctx.input(1)));
  if (data.rank() < 1) return InvalidArgument("data must have at least one dimension");
  const int64_t rows = data.dim(0), inner = data.shape().Product(1, data.rank());
  HR_ASSIGN_OR_RETURN(Tensor * out, ctx.Output(0, {rows, 8}));
  uint8_t* prints = out->data<uint8_t>();
  const size_t element = data.dtype() == DType::kString ? 8 : SizeOf(data.dtype());
  std::vector<uint8_t> of_strings;  // strings in a row: the fingerprint of their fingerprints
  const char* bytes = static_cast<const char*>(data.raw_data());
  if (data.dtype() == DType::kString) {
    of_strings.resize(static_cast<size_t>(8 * data.num_elements()));
    for (int64_t i = 0; i < data.num_elements(); ++i)
      StoreFingerprint(data.data<std::string>()[i], of_strings.data() + 8 * i);
    if (inner == 1) {
      std::copy(of_strings.begin(), of_strings.end(), prints);
      return absl::OkStatus();
    }
    bytes = reinterpret_cast<const char*>(of_strings.data());
  }
  const size_t row = static_cast<size_t>(inner) * element;
  for (int64_t i = 0; i < rows; ++i)
    StoreFingerprint({bytes + static_cast<size_t>(i) * row, row}, prints + 8 * i);
  return absl::OkStatus();
}

uint64_t Word(const char* bytes, size_t count) {  // little-endian
  uint64_t word = 0;
  for (size_t i = count; i-- > 0;) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

}  // namespace

// MurmurHash64A with a seed of TensorFlow's.
uint64_t Hash64(std::string_view text) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995, kSeed = 0xDECAFCAFFE;
  constexpr int kShift = 47;
  uint64_t hash = kSeed ^ (text.size() * kMultiplier);
  for (; text.size() >= 8; text.remove_prefix(8)) {
    uint64_t word = Word(text.data(), 8) * kMultiplier;
    word = (word ^ (word >> kShift)) * kMultiplier;
    hash = (hash ^ word) * kMultiplier;
  }
  if (!text.empty()) hash = (hash ^ Word(text.data(), text.size())) * kMultiplier;
  hash = (hash ^ (hash >> kShift)) * kMultiplier;
  return hash ^ (hash >> kShift);
}

StatusOr<std::unique_ptr<Kernel>> MakeHashBucketCpu(const KernelInit& init) {
  return std::make_unique<BucketKernel<Hash64>>(init.Attr<int64_t>("num_buckets"));
}
StatusOr<std::unique_ptr<Kernel>> MakeHashBucketFastCpu(const KernelInit& init) {
  return std::make_unique<BucketKernel<Fingerprint64>>(init.Attr<int64_t>("num_buckets"));
}
StatusOr<std::unique_ptr<Kernel>> MakeHashBucketStrongCpu(const KernelInit& init) {
  const auto& key = init.Attr<AttrValue::Ints>("key");
  if (key.size() != 2) return InvalidArgument("Key must have 2 elements");
  return std::make_unique<StrongBucketKernel>(init.Attr<int64_t>("num_buckets"), key);
}
StatusOr<std::unique_ptr<Kernel>> MakeFingerprintCpu(const KernelInit& init) {
  return MakeFunctionKernel<FingerprintRows>(init);
}

}  // namespace headrace

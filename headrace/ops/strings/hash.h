// Numbers that stand for strings: buckets and fingerprints.
//
//   Output ids = StringToHashBucketFast(words, 10'000);     // rows of an embedding
//
// The numbers are TensorFlow's, the same on every machine. Gradient: none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "headrace/ops/options.h"

namespace headrace {

// Shapes: any -> the same. DTypes: string -> int64 in [0, num_buckets). Source: TensorFlow
// StringToHashBucketFast (FarmHash's fingerprint), StringToHashBucket (the older hash),
// StringToHashBucketStrong (SipHash with a key of two numbers: nobody who lacks it can choose
// strings that collide). Errors: InvalidArgument "Key must have 2 elements".
Output StringToHashBucketFast(Output text, int64_t num_buckets, OpOptions o = {},
                              Location where = Location::Current());
Output StringToHashBucket(Output text, int64_t num_buckets, OpOptions o = {},
                          Location where = Location::Current());
Output StringToHashBucketStrong(Output text, int64_t num_buckets, std::array<int64_t, 2> key,
                                OpOptions o = {}, Location where = Location::Current());

// Eight bytes for each row. `method` is the string "farmhash64". Shapes: `[n, ...], [] -> [n, 8]`.
// DTypes: plain ones, string; -> uint8. Errors: InvalidArgument "Unsupported method: md5". Source:
// TensorFlow Fingerprint.
Output Fingerprint(Output data, Output method, OpOptions o = {},
                   Location where = Location::Current());

// The hash of TensorFlow's StringToHashBucket and of its lookup tables.
uint64_t Hash64(std::string_view text);

}  // namespace headrace

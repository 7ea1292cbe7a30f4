// WAV files of 16 bits a sample.
//
//   HR_ASSIGN_OR_RETURN(std::string bytes, EncodeWav(samples, 44100, /*channels=*/2));
//
// Stateless, thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "headrace/base/status.h"

namespace headrace {

// Samples in [-1, 1], clipped; those of one moment in a row, one for each channel. `sample_rate` is
// in Hz. Errors: InvalidArgument for a rate or number of channels that the format cannot state, a
// number of samples that is no multiple of the channels, or more than 4 GiB.
StatusOr<std::string> EncodeWav(std::span<const float> samples, int64_t sample_rate,
                                int64_t channels);

}  // namespace headrace

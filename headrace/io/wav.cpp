#include "headrace/io/wav.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

constexpr int64_t kBytesPerSample = 2;
constexpr int64_t kHeaderBytes = 44;

void Append(std::string& out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

}  // namespace

StatusOr<std::string> EncodeWav(std::span<const float> samples, int64_t sample_rate,
                                int64_t channels) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  if (channels < 1 || channels > std::numeric_limits<uint16_t>::max())
    return InvalidArgument("a WAV file must have 1 to 65535 channels, got ", channels);
  if (sample_rate < 1 || sample_rate * channels * kBytesPerSample > kMost)
    return InvalidArgument("a WAV file of ", channels, " channels cannot have ", sample_rate,
                           " samples a second");
  const auto count = static_cast<int64_t>(samples.size());
  if (count % channels != 0)
    return InvalidArgument(count, " samples do not divide among ", channels, " channels");
  const int64_t data_bytes = count * kBytesPerSample;
  if (data_bytes + kHeaderBytes > kMost)
    return InvalidArgument(count, " samples are too many for a WAV file");
  std::string wav;
  wav.reserve(static_cast<size_t>(data_bytes + kHeaderBytes));
  wav += "RIFF";
  Append(wav, static_cast<uint32_t>(data_bytes + kHeaderBytes - 8), 4);
  wav += "WAVEfmt ";
  Append(wav, 16, 4);  // bytes of this part
  Append(wav, 1, 2);   // not compressed
  Append(wav, static_cast<uint32_t>(channels), 2);
  Append(wav, static_cast<uint32_t>(sample_rate), 4);
  Append(wav, static_cast<uint32_t>(sample_rate * channels * kBytesPerSample), 4);
  Append(wav, static_cast<uint32_t>(channels * kBytesPerSample), 2);
  Append(wav, 8 * kBytesPerSample, 2);
  wav += "data";
  Append(wav, static_cast<uint32_t>(data_bytes), 4);
  for (const float sample : samples) {
    const float scaled =
        std::isnan(sample) ? 0 : std::clamp(std::round(sample * 32768), -32768.0f, 32767.0f);
    Append(wav, static_cast<uint32_t>(static_cast<int32_t>(scaled)), kBytesPerSample);
  }
  return wav;
}

}  // namespace headrace

#include "headrace/io/summary_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "headrace/base/strings.h"
#include "headrace/io/histogram.h"
#include "headrace/io/png.h"
#include "headrace/io/proto/event.pb.h"
#include "headrace/io/proto_convert.h"
#include "headrace/io/utf8.h"
#include "headrace/io/wav.h"
#include "headrace/tensor/dispatch.h"

namespace headrace {
namespace {

void ToMessage(const Histogram& histogram, proto::HistogramProto* message) {
  message->set_min(histogram.min());
  message->set_max(histogram.max());
  message->set_num(histogram.num());
  message->set_sum(histogram.sum());
  message->set_sum_squares(histogram.sum_squares());
  for (const auto& [limit, count] : histogram.buckets()) {
    message->add_bucket_limit(limit);
    message->add_bucket(count);
  }
}

struct Scaling {
  float scale = 0;
  float offset = 0;
};

bool IsFinitePixel(std::span<const float> pixel) {
  return std::ranges::all_of(pixel, [](float v) { return std::isfinite(v); });
}

Scaling ScalingOf(std::span<const float> values, size_t channels) {
  constexpr float kZero = 1e-6f;
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (size_t i = 0; i < values.size(); i += channels) {
    if (!IsFinitePixel(values.subspan(i, channels))) continue;
    for (const float v : values.subspan(i, channels)) {
      low = std::min(low, v);
      high = std::max(high, v);
    }
  }
  if (low < 0) {
    const float size = std::max(std::abs(low), std::abs(high));
    return {size < kZero ? 0 : 127.0f / size, 128};
  }
  return {high < kZero ? 0 : 255.0f / high, 0};
}

Tensor ToBytes(std::span<const float> values, const Shape& shape,
               const std::array<uint8_t, 4>& bad_color) {
  Tensor bytes(DType::kUInt8, shape);
  const auto channels = static_cast<size_t>(shape[2]);
  const Scaling scaling = ScalingOf(values, channels);
  auto* out = bytes.data<uint8_t>();
  for (size_t i = 0; i < values.size(); i += channels) {
    const bool good = IsFinitePixel(values.subspan(i, channels));
    for (size_t c = 0; c < channels; ++c) {
      const float v = good ? values[i + c] * scaling.scale + scaling.offset : 0;
      out[i + c] = good ? static_cast<uint8_t>(std::clamp(v, 0.0f, 255.0f)) : bad_color[c];
    }
  }
  return bytes;
}

}  // namespace

SummaryBuilder::SummaryBuilder() : summary_(std::make_unique<proto::Summary>()) {}
SummaryBuilder::~SummaryBuilder() = default;
SummaryBuilder::SummaryBuilder(SummaryBuilder&&) noexcept = default;
SummaryBuilder& SummaryBuilder::operator=(SummaryBuilder&&) noexcept = default;

void SummaryBuilder::AddScalar(std::string_view tag, float value) {
  auto* entry = summary_->add_value();
  entry->set_tag(ValidUtf8(tag));
  entry->set_simple_value(value);
}

Status SummaryBuilder::AddHistogram(std::string_view tag, const Tensor& values) {
  Histogram histogram;
  Status status;
  const bool known = DispatchDType<kRealTypes>(values.dtype(), [&]<class T>() {
    for (const T& element : values.flat<T>()) {
      const auto value = static_cast<double>(element);
      if (!std::isfinite(value)) {
        status = InvalidArgument(std::isnan(value) ? "Nan" : "Infinity",
                                 " in summary histogram for: ", tag);
        return;
      }
      histogram.Add(value);
    }
  });
  if (!known)
    return InvalidArgument("histogram '", tag, "' of dtype ", DTypeName(values.dtype()),
                           "; must be real");
  HR_RETURN_IF_ERROR(status);
  auto* entry = summary_->add_value();
  entry->set_tag(ValidUtf8(tag));
  ToMessage(histogram, entry->mutable_histo());
  return absl::OkStatus();
}

Status SummaryBuilder::AddImages(std::string_view tag, const Tensor& images) {
  return AddImages(tag, images, ImageOptions());
}

Status SummaryBuilder::AddImages(std::string_view tag, const Tensor& images,
                                 const ImageOptions& options) {
  const Shape& batch = images.shape();
  if (batch.rank() != 4 || batch[1] < 1 || batch[2] < 1 ||
      (batch[3] != 1 && batch[3] != 3 && batch[3] != 4)) {
    return InvalidArgument("image summary '", tag, "' of shape ", batch.ToString(),
                           "; must be [N, H, W, C] with 1, 3 or 4 channels");
  }
  if (images.dtype() != DType::kUInt8 && !IsFloating(images.dtype())) {
    return InvalidArgument("image summary '", tag, "' of dtype ", DTypeName(images.dtype()),
                           "; must be uint8 or floating");
  }
  const Shape shape{batch[1], batch[2], batch[3]};
  const auto size = static_cast<size_t>(shape.num_elements());
  const std::string text = ValidUtf8(tag);
  for (int64_t i = 0; i < std::min<int64_t>(batch[0], options.max_images); ++i) {
    Tensor bytes = images.SliceDim0(i, i + 1).Reshaped(shape);
    DispatchDType<kFloatTypes>(images.dtype(), [&]<class T>() {
      std::vector<float> values(size);
      std::ranges::transform(bytes.flat<T>(), values.begin(),
                             [](T v) { return static_cast<float>(v); });
      bytes = ToBytes(values, shape, options.bad_color);
    });
    HR_ASSIGN_OR_RETURN(std::string png, EncodePng(bytes));
    auto* entry = summary_->add_value();
    entry->set_tag(options.max_images > 1 ? StrCat(text, "/image/", i) : StrCat(text, "/image"));
    auto* image = entry->mutable_image();
    image->set_height(static_cast<int32_t>(shape[0]));
    image->set_width(static_cast<int32_t>(shape[1]));
    image->set_colorspace(static_cast<int32_t>(shape[2]));
    image->set_encoded_image_string(std::move(png));
  }
  return absl::OkStatus();
}

Status SummaryBuilder::AddAudio(std::string_view tag, const Tensor& audio,
                                const AudioOptions& options) {
  const Shape& batch = audio.shape();
  if ((batch.rank() != 2 && batch.rank() != 3) || audio.dtype() != DType::kFloat32) {
    return InvalidArgument("audio summary '", tag, "' of ", DTypeName(audio.dtype()),
                           batch.ToString(),
                           "; must be float32 [N, frames] or [N, frames, channels]");
  }
  if (!(options.sample_rate > 0))
    return InvalidArgument("sample_rate must be > 0, got ", options.sample_rate);
  const std::string text = ValidUtf8(tag);
  const int64_t channels = batch.rank() == 3 ? batch[2] : 1;
  for (int64_t i = 0; i < std::min<int64_t>(batch[0], options.max_outputs); ++i) {
    const Tensor clip = audio.SliceDim0(i, i + 1);
    HR_ASSIGN_OR_RETURN(
        std::string wav,
        EncodeWav(clip.flat<float>(), static_cast<int64_t>(options.sample_rate), channels));
    auto* entry = summary_->add_value();
    entry->set_tag(options.max_outputs > 1 ? StrCat(text, "/audio/", i) : StrCat(text, "/audio"));
    auto* message = entry->mutable_audio();
    message->set_sample_rate(options.sample_rate);
    message->set_num_channels(channels);
    message->set_length_frames(batch[1]);
    message->set_encoded_audio_string(std::move(wav));
    message->set_content_type("audio/wav");
  }
  return absl::OkStatus();
}

Status SummaryBuilder::AddTensor(std::string_view tag, const Tensor& value,
                                 std::string_view plugin) {
  proto::Summary::Value entry;
  entry.set_tag(ValidUtf8(tag));
  entry.mutable_metadata()->mutable_plugin_data()->set_plugin_name(ValidUtf8(plugin));
  HR_RETURN_IF_ERROR(TensorToProto(value, entry.mutable_tensor()));
  *summary_->add_value() = std::move(entry);
  return absl::OkStatus();
}

Status SummaryBuilder::Merge(std::string_view serialized) {
  proto::Summary other;
  HR_RETURN_IF_ERROR(ParseBinary(serialized, "summary", &other));
  std::unordered_set<std::string> tags;
  for (const auto& entry : summary_->value()) tags.insert(entry.tag());
  for (const auto& entry : other.value()) {
    if (!tags.insert(entry.tag()).second) {
      return InvalidArgument("Duplicate tag ", entry.tag(), " found in summary inputs");
    }
  }
  for (auto& entry : *other.mutable_value()) *summary_->add_value() = std::move(entry);
  return absl::OkStatus();
}

std::string SummaryBuilder::Serialize() const {
  return summary_->SerializeAsString();
}

}  // namespace headrace

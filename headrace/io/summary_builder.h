// Makes the serialised Summary messages that summary ops return and event files hold.
//
//   SummaryBuilder summary;
//   summary.AddScalar("loss", 0.25);
//   HR_RETURN_IF_ERROR(summary.AddHistogram("weights", weights));
//   events->AddSummary(summary.Serialize(), step);
//
// Tags are UTF-8; what is none in them becomes U+FFFD. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "headrace/base/status.h"
#include "headrace/tensor/tensor.h"

namespace headrace {
namespace proto {
class Summary;
}  // namespace proto

class SummaryBuilder {
 public:
  SummaryBuilder();
  ~SummaryBuilder();
  SummaryBuilder(SummaryBuilder&&) noexcept;
  SummaryBuilder& operator=(SummaryBuilder&&) noexcept;

  void AddScalar(std::string_view tag, float value);
  // DTypes: real ones. Errors: InvalidArgument for another dtype, NaN ("Nan in summary histogram
  // for: TAG") or infinity.
  Status AddHistogram(std::string_view tag, const Tensor& values);

  struct ImageOptions {
    int max_images = 3;                                   // the first ones of the batch
    std::array<uint8_t, 4> bad_color = {255, 0, 0, 255};  // of pixels that are NaN or infinite
  };
  // Shapes: [N, H, W, C], C = 1, 3 or 4. DTypes: uint8 as it is; float16, float32, float64 scaled
  // for each image: its maximum to 255, or, when it has negative values, 0 to 128 and its largest
  // magnitude to 1 or 255. The tags are "TAG/image/0", "TAG/image/1"..., or "TAG/image" when
  // max_images is 1.
  Status AddImages(std::string_view tag, const Tensor& images, const ImageOptions& options);
  Status AddImages(std::string_view tag, const Tensor& images);
  struct AudioOptions {
    int max_outputs = 3;  // the first clips of the batch
    float sample_rate = 44100;
  };
  // Shapes: [N, frames] or [N, frames, channels]. DTypes: float32 in [-1, 1], written as 16 bits.
  // The tags are "TAG/audio/0", "TAG/audio/1"..., or "TAG/audio" when max_outputs is 1.
  Status AddAudio(std::string_view tag, const Tensor& audio, const AudioOptions& options);
  // Any tensor, for a plugin of TensorBoard ("text": strings). Errors: those of TensorToProto.
  Status AddTensor(std::string_view tag, const Tensor& value, std::string_view plugin);
  // The values of another serialised summary. Errors: DataLoss, or InvalidArgument for a tag that
  // is here already
  // ("Duplicate tag TAG found in summary inputs").
  Status Merge(std::string_view serialized);

  std::string Serialize() const;

 private:
  std::unique_ptr<proto::Summary> summary_;
};

}  // namespace headrace

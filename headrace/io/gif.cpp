#include "headrace/io/gif.h"

#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

// Samples of all frames; and pixels that one byte of LZW codes can stand for (4,096 in 12 bits).
constexpr int64_t kMaxSamples = int64_t{1} << 31, kMaxPixelsPerByte = 2731;

struct Frame {
  int64_t left = 0, top = 0, width = 0, height = 0;
  std::vector<GifPixelType> colours;  // of its pixels: indices into `map`
  std::vector<GifColorType> map;
  bool has_map = false;
};

struct CloseGif {
  void operator()(GifFileType* gif) const { DGifCloseFile(gif, nullptr); }
};
using Gif = std::unique_ptr<GifFileType, CloseGif>;

std::string GifError(int code) {
  const char* text = GifErrorString(code);
  return text != nullptr ? text : "unknown error";
}

Status Invalid(size_t bytes, std::string_view why) {
  return InvalidArgument("Invalid GIF data (size ", bytes, "), ", why);
}

int Read(GifFileType* gif, GifByteType* to, int size) {
  auto& rest = *static_cast<std::string_view*>(gif->UserData);
  const size_t count = std::min(rest.size(), static_cast<size_t>(std::max(size, 0)));
  std::memcpy(to, rest.data(), count);
  rest.remove_prefix(count);
  return static_cast<int>(count);
}

// The rows of a frame, in the order in which the file has them.
std::vector<int64_t> RowOrder(int64_t height, bool interlaced) {
  std::vector<int64_t> rows;
  rows.reserve(static_cast<size_t>(height));
  constexpr int64_t kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
  for (int pass = 0; pass < (interlaced ? 4 : 1); ++pass) {
    for (int64_t y = interlaced ? kFirst[pass] : 0; y < height; y += interlaced ? kStep[pass] : 1)
      rows.push_back(y);
  }
  return rows;
}

// Fills `frame` from the record that begins here. False: see gif.Error or `why`.
bool ReadFrame(GifFileType& gif, size_t bytes, Frame& frame, std::string& why) {
  if (DGifGetImageDesc(&gif) != GIF_OK) return false;
  const GifImageDesc& image = gif.Image;
  frame.left = image.Left;
  frame.top = image.Top;
  frame.width = image.Width;
  frame.height = image.Height;
  const int64_t pixels = frame.width * frame.height;
  if (pixels / kMaxPixelsPerByte > static_cast<int64_t>(bytes)) {
    why = StrCat(frame.height, " x ", frame.width, " pixels cannot be in ", bytes, " bytes");
    return false;
  }
  const ColorMapObject* map = image.ColorMap != nullptr ? image.ColorMap : gif.SColorMap;
  frame.has_map = map != nullptr;
  if (frame.has_map) frame.map.assign(map->Colors, map->Colors + map->ColorCount);
  frame.colours.resize(static_cast<size_t>(pixels));
  for (const int64_t y : RowOrder(frame.height, image.Interlace)) {
    if (DGifGetLine(&gif, frame.colours.data() + y * frame.width, image.Width) != GIF_OK)
      return false;
  }
  return true;
}

bool SkipExtension(GifFileType& gif) {
  int code = 0;
  GifByteType* data = nullptr;
  bool ok = DGifGetExtension(&gif, &code, &data) == GIF_OK;
  while (ok && data != nullptr) ok = DGifGetExtensionNext(&gif, &data) == GIF_OK;
  return ok;
}

bool ReadFrames(GifFileType& gif, size_t bytes, std::vector<Frame>& frames, std::string& why) {
  int64_t pixels = 0;
  for (GifRecordType type = UNDEFINED_RECORD_TYPE; type != TERMINATE_RECORD_TYPE;) {
    if (DGifGetRecordType(&gif, &type) != GIF_OK) return false;
    if (type == EXTENSION_RECORD_TYPE && !SkipExtension(gif)) return false;
    if (type != IMAGE_DESC_RECORD_TYPE) continue;
    if (!ReadFrame(gif, bytes, frames.emplace_back(), why)) return false;
    pixels += frames.back().width * frames.back().height;
    if (pixels > kMaxSamples) {
      why = StrCat("frames of more than ", kMaxSamples, " pixels");
      return false;
    }
  }
  return true;
}

// Puts the part of `frame` that lies on a canvas of `height` x `width` there.
Status Draw(const Frame& frame, size_t number, size_t bytes, int64_t height, int64_t width,
            uint8_t* canvas) {
  if (!frame.has_map) return Invalid(bytes, StrCat("missing color map for frame ", number));
  const int64_t bottom = std::min(frame.top + frame.height, height);
  const int64_t right = std::min(frame.left + frame.width, width);
  for (int64_t y = frame.top; y < bottom; ++y) {
    const GifPixelType* from = frame.colours.data() + (y - frame.top) * frame.width;
    uint8_t* to = canvas + (y * width + frame.left) * 3;
    for (int64_t x = frame.left; x < right; ++x, to += 3) {
      const GifPixelType colour = *from++;
      if (colour >= frame.map.size()) {
        return Invalid(bytes, StrCat("found color index ", static_cast<int>(colour),
                                     " outside of color map range ", frame.map.size()));
      }
      to[0] = frame.map[colour].Red;
      to[1] = frame.map[colour].Green;
      to[2] = frame.map[colour].Blue;
    }
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<Tensor> DecodeGif(std::string_view bytes) {
  std::string_view rest = bytes;
  int error = D_GIF_SUCCEEDED;
  const Gif gif(DGifOpen(&rest, Read, &error));
  if (gif == nullptr)
    return Invalid(bytes.size(), StrCat("failed to open gif file: ", GifError(error)));
  std::vector<Frame> frames;
  std::string why;
  if (!ReadFrames(*gif, bytes.size(), frames, why)) {
    return Invalid(bytes.size(),
                   StrCat("failed to slurp gif file: ", why.empty() ? GifError(gif->Error) : why));
  }
  if (frames.empty()) return Invalid(bytes.size(), "gif file does not contain any image");
  int64_t height = 0, width = 0;
  for (const Frame& frame : frames) {
    height = std::max(height, frame.height);
    width = std::max(width, frame.width);
  }
  const Frame& first = frames[0];
  if (first.left != 0 || first.top != 0 || first.width != width || first.height != height)
    return Invalid(bytes.size(), "the first frame does not fill the canvas");
  const auto count = static_cast<int64_t>(frames.size());
  if (height * width > kMaxSamples / 3 / count) {
    return Invalid(bytes.size(),
                   StrCat(count, " frames of ", height, " x ", width, " pixels are too large"));
  }
  HR_ASSIGN_OR_RETURN(Tensor image, Tensor::Allocate(HostAllocator(), DType::kUInt8,
                                                     Shape{count, height, width, 3}, "GIF"));
  const int64_t size = height * width * 3;
  uint8_t* canvas = image.data<uint8_t>();
  for (size_t i = 0; i < frames.size(); ++i, canvas += size) {
    if (i > 0) std::memcpy(canvas, canvas - size, static_cast<size_t>(size));
    HR_RETURN_IF_ERROR(Draw(frames[i], i, bytes.size(), height, width, canvas));
  }
  return image;
}

}  // namespace headrace

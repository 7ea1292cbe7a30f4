#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "headrace/base/strings.h"
#include "headrace/io/internal/jpeg_session.h"
#include "headrace/io/jpeg.h"

namespace headrace {
namespace {

// Of samples; TensorFlow's limit too.
constexpr int64_t kMaxSamples = int64_t{1} << 29;
// A block of 8x8 samples takes at least one bit of Huffman codes; arithmetic codes may take less.
constexpr int64_t kMaxPixelsPerByte = 512, kMaxArithmeticPixelsPerByte = 512 * 64;
// Each scan of a progressive file passes over the whole image, and may take a few bytes only.
constexpr int kMaxScans = 100;
constexpr int kMaxRepeats = 4096;
constexpr JOCTET kEnd[] = {0xff, JPEG_EOI};

// Reads from memory. Where bytes end early, decoding stops, or goes on with an end marker, which
// makes the library take gray for what is missing.
struct Source : jpeg_source_mgr {
  bool recover = false;
  // How often the library was told to read what is left once more.
  int repeats = 0;
};

boolean Refill(j_decompress_ptr jpeg) {
  auto& source = *static_cast<Source*>(jpeg->src);
  // The library has used up the bytes, but keeps its place until it has a whole unit of blocks. As in
  // TensorFlow it then takes the last bytes again; a unit has at most 20,480 bits, unless what is
  // left are bytes 0xff, which stand for nothing.
  if (source.bytes_in_buffer > 0 && (!source.recover || ++source.repeats <= kMaxRepeats))
    return source.recover ? TRUE : FALSE;
  if (!source.recover || source.next_input_byte == kEnd + sizeof(kEnd)) return FALSE;
  source.next_input_byte = kEnd;
  source.bytes_in_buffer = sizeof(kEnd);
  return TRUE;
}

void Skip(j_decompress_ptr jpeg, long bytes) {  // NOLINT(google-runtime-int): the library's type
  if (bytes <= 0) return;
  const size_t skipped = std::min(static_cast<size_t>(bytes), jpeg->src->bytes_in_buffer);
  jpeg->src->next_input_byte += skipped;
  jpeg->src->bytes_in_buffer -= skipped;
}

void CheckScans(j_common_ptr common) {
  const auto* jpeg = reinterpret_cast<j_decompress_ptr>(common);
  if (jpeg->input_scan_number <= kMaxScans) return;
  auto* errors = static_cast<JpegErrors*>(common->err);
  std::snprintf(errors->text, sizeof(errors->text), "more than %d scans", kMaxScans);
  std::longjmp(errors->back, 1);
}

struct Decoder {
  jpeg_decompress_struct jpeg = {};
  jpeg_progress_mgr progress = {};
  JpegErrors errors;
  Source source;
  bool made = false;

  Decoder(std::string_view bytes, bool recover) {
    jpeg.err = CatchJpegErrors(errors);
    made = JpegGuarded(errors, [this] { jpeg_create_decompress(&jpeg); });
    source.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source.bytes_in_buffer = bytes.size();
    source.recover = recover;
    source.init_source = [](j_decompress_ptr) {};
    source.term_source = [](j_decompress_ptr) {};
    source.fill_input_buffer = Refill;
    source.skip_input_data = Skip;
    source.resync_to_restart = jpeg_resync_to_restart;
    jpeg.src = &source;
    progress.progress_monitor = CheckScans;
    jpeg.progress = &progress;
  }
  ~Decoder() { jpeg_destroy_decompress(&jpeg); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
};

Status Invalid(size_t bytes, std::string_view why) {
  return InvalidArgument("Invalid JPEG data or crop window, data size ", bytes, ": ", why);
}

bool ReadHeader(Decoder& d) {
  bool read = false;
  const bool ok = d.made && JpegGuarded(d.errors, [&] {
                    read = jpeg_read_header(&d.jpeg, TRUE) == JPEG_HEADER_OK;
                  });
  if (ok && !read) std::strcpy(d.errors.text, "the header is cut short");
  return ok && read;
}

bool HasFourInks(const jpeg_decompress_struct& jpeg) {
  return jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
}

// Sets what jpeg_start_decompress takes, and the sizes of its output.
bool Prepare(Decoder& d, const JpegDecodeOptions& o, int channels) {
  return JpegGuarded(d.errors, [&] {
    d.jpeg.out_color_space = channels == 1         ? JCS_GRAYSCALE
                             : HasFourInks(d.jpeg) ? JCS_CMYK
                                                   : JCS_RGB;
    d.jpeg.do_fancy_upsampling = o.fancy_upscaling ? TRUE : FALSE;
    d.jpeg.scale_num = 1;
    d.jpeg.scale_denom = static_cast<unsigned>(o.ratio);
    d.jpeg.dct_method = o.transform == JpegTransform::kIntegerFast ? JDCT_IFAST : JDCT_ISLOW;
    jpeg_calc_output_dimensions(&d.jpeg);
  });
}

// "" if an image of this size may be in the file.
std::string WhyNotInFile(const Decoder& d, size_t bytes, int channels, bool recover) {
  const int64_t height = d.jpeg.output_height, width = d.jpeg.output_width;
  if (height <= 0 || width <= 0 || height * width * channels >= kMaxSamples)
    return StrCat("an image of ", height, " x ", width, " pixels is too large");
  const int64_t pixels = int64_t{d.jpeg.image_height} * d.jpeg.image_width;
  const int64_t most = d.jpeg.arith_code ? kMaxArithmeticPixelsPerByte : kMaxPixelsPerByte;
  if (!recover && pixels / most > static_cast<int64_t>(bytes)) {
    return StrCat(d.jpeg.image_height, " x ", d.jpeg.image_width, " pixels cannot be in ", bytes,
                  " bytes");
  }
  return "";
}

// Inks as the library gives them, after Adobe inverted, to RGB.
void InksToRgb(const uint8_t* inks, int64_t pixels, bool inverted, uint8_t* rgb) {
  for (int64_t i = 0; i < pixels; ++i, inks += 4, rgb += 3) {
    const int black = inverted ? inks[3] : 255 - inks[3];
    for (int c = 0; c < 3; ++c)
      rgb[c] = static_cast<uint8_t>(black * (inverted ? inks[c] : 255 - inks[c]) / 255);
  }
}

// Decodes the rows of `window` into `pixels`. Returns how many came.
int64_t ReadRows(Decoder& d, const ImageWindow& window, bool cropped, int channels, uint8_t* buffer,
                 uint8_t* pixels) {
  volatile int64_t rows = 0;
  JpegGuarded(d.errors, [&] {
    if (jpeg_start_decompress(&d.jpeg) != TRUE) return;
    int64_t left = 0;
    if (cropped) {
      auto x = static_cast<JDIMENSION>(window.x), width = static_cast<JDIMENSION>(window.width);
      jpeg_crop_scanline(&d.jpeg, &x, &width);  // begins at a whole block
      left = window.x - x;
      if (jpeg_skip_scanlines(&d.jpeg, static_cast<JDIMENSION>(window.y)) != window.y) return;
    }
    const bool inks = d.jpeg.out_color_space == JCS_CMYK;
    const int64_t row = window.width * channels;
    for (int64_t y = 0; y < window.height; ++y, pixels += row) {
      JSAMPROW to = inks || cropped ? buffer : pixels;
      if (jpeg_read_scanlines(&d.jpeg, &to, 1) != 1) return;
      if (inks) {
        InksToRgb(buffer + left * 4, window.width, d.jpeg.saw_Adobe_marker, pixels);
      } else if (cropped) {
        std::memcpy(pixels, buffer + left * channels, static_cast<size_t>(row));
      }
      rows = y + 1;
    }
  });
  return rows;
}

Status CheckOptions(const JpegDecodeOptions& o) {
  if (o.channels != 0 && o.channels != 1 && o.channels != 3)
    return InvalidArgument("channels must be 0, 1, or 3 for JPEG, got ", o.channels);
  if (o.ratio != 1 && o.ratio != 2 && o.ratio != 4 && o.ratio != 8)
    return InvalidArgument("ratio must be 1, 2, 4, or 8, got ", o.ratio);
  return absl::OkStatus();
}

bool LiesIn(const ImageWindow& w, int64_t height, int64_t width) {
  return w.y >= 0 && w.x >= 0 && w.height > 0 && w.width > 0 && w.y < height && w.x < width &&
         w.height <= height - w.y && w.width <= width - w.x;
}

}  // namespace

jpeg_error_mgr* CatchJpegErrors(JpegErrors& errors) {
  jpeg_std_error(&errors);
  errors.error_exit = [](j_common_ptr jpeg) {
    auto* errors = static_cast<JpegErrors*>(jpeg->err);
    errors->format_message(jpeg, errors->text);
    std::longjmp(errors->back, 1);
  };
  errors.output_message = [](j_common_ptr) {};
  return &errors;
}

StatusOr<Tensor> DecodeJpeg(std::string_view bytes, const JpegDecodeOptions& o) {
  HR_RETURN_IF_ERROR(CheckOptions(o));
  Decoder d(bytes, o.try_recover_truncated);
  if (!ReadHeader(d)) return Invalid(bytes.size(), d.errors.text);
  const int channels = o.channels != 0 ? o.channels : std::min(d.jpeg.num_components, 3);
  if (channels != 1 && channels != 3)
    return Invalid(bytes.size(), StrCat("images of ", channels, " channels are not known"));
  if (!Prepare(d, o, channels)) return Invalid(bytes.size(), d.errors.text);
  if (const std::string why = WhyNotInFile(d, bytes.size(), channels, o.try_recover_truncated);
      !why.empty()) {
    return Invalid(bytes.size(), why);
  }
  const int64_t height = d.jpeg.output_height, width = d.jpeg.output_width;
  const ImageWindow window = o.crop.value_or(ImageWindow{.height = height, .width = width});
  if (!LiesIn(window, height, width)) {
    return Invalid(bytes.size(), StrCat("the window of ", window.height, " x ", window.width,
                                        " pixels at [", window.y, ",", window.x,
                                        "] does not lie in the image of ", height, " x ", width));
  }
  HR_ASSIGN_OR_RETURN(Tensor image,
                      Tensor::Allocate(HostAllocator(), DType::kUInt8,
                                       Shape{window.height, window.width, channels}, "JPEG"));
  uint8_t* const pixels = image.data<uint8_t>();
  // A row may be wider than the window, by less than a block on either side.
  const bool by_row = o.crop.has_value() || d.jpeg.out_color_space == JCS_CMYK;
  std::vector<uint8_t> buffer(by_row ? static_cast<size_t>(width + 64) * 4 : 0);
  const int64_t rows = ReadRows(d, window, o.crop.has_value(), channels, buffer.data(), pixels);
  if (rows < window.height) {
    const auto fraction = static_cast<float>(rows) / static_cast<float>(window.height);
    if (fraction < o.acceptable_fraction || rows == 0) {
      return Invalid(bytes.size(), d.errors.text[0] != '\0' ? std::string_view(d.errors.text)
                                                            : "the image is cut short");
    }
    const auto have = static_cast<size_t>(rows * window.width * channels);
    std::memset(pixels + have, 0, image.size_bytes() - have);
  }
  return image;
}

StatusOr<Shape> ReadJpegShape(std::string_view bytes) {
  Decoder d(bytes, false);
  if (!ReadHeader(d))
    return InvalidArgument("Invalid JPEG data, size ", bytes.size(), ": ", d.errors.text);
  return Shape{d.jpeg.image_height, d.jpeg.image_width, d.jpeg.num_components};
}

}  // namespace headrace

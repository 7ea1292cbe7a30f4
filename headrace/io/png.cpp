#include "headrace/io/png.h"

#include <png.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <vector>

#include "headrace/base/strings.h"

namespace headrace {
namespace {

constexpr uint64_t kMaxDeflateRatio = 1032;

// What libpng's callbacks need. Its errors come back by longjmp, so that functions which call
// setjmp hold nothing that has a destructor.
struct Session {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string_view input;
  std::string* output = nullptr;
  char error[160] = "";
  ~Session() {
    if (png == nullptr) return;
    if (output != nullptr) {
      png_destroy_write_struct(&png, &info);
    } else {
      png_destroy_read_struct(&png, &info, nullptr);
    }
  }
};

void OnError(png_structp png, png_const_charp message) {
  auto* session = static_cast<Session*>(png_get_error_ptr(png));
  std::strncpy(session->error, message, sizeof(session->error) - 1);
  std::longjmp(png_jmpbuf(png), 1);
}

void OnWarning(png_structp, png_const_charp) {}

void OnRead(png_structp png, png_bytep out, size_t size) {
  auto* session = static_cast<Session*>(png_get_io_ptr(png));
  if (size > session->input.size()) png_error(png, "cut short");
  std::memcpy(out, session->input.data(), size);
  session->input.remove_prefix(size);
}

void OnWrite(png_structp png, png_bytep data, size_t size) {
  static_cast<Session*>(png_get_io_ptr(png))->output->append(reinterpret_cast<char*>(data), size);
}

void OnFlush(png_structp) {}

// libpng reports errors by longjmp: `body` and what it calls hold nothing that has a destructor.
template <class Body>
bool Guarded(Session& s, const Body& body) {
  if (setjmp(png_jmpbuf(s.png))) return false;
  body();
  return true;
}

void WriteImage(Session& s, const Tensor& image, int level) {
  constexpr int kColorTypes[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
                                 PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_write_fn(s.png, &s, OnWrite, OnFlush);
  png_set_compression_level(s.png, level);
  const Shape& shape = image.shape();
  const size_t sample = SizeOf(image.dtype());
  png_set_IHDR(s.png, s.info, static_cast<uint32_t>(shape[1]), static_cast<uint32_t>(shape[0]),
               static_cast<int>(8 * sample), kColorTypes[shape[2]], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  png_write_info(s.png, s.info);
  if (sample > 1 && std::endian::native == std::endian::little) png_set_swap(s.png);
  const size_t row = static_cast<size_t>(shape[1] * shape[2]) * sample;
  const auto* pixels = static_cast<const uint8_t*>(image.raw_data());
  for (int64_t y = 0; y < shape[0]; ++y, pixels += row) png_write_row(s.png, pixels);
  png_write_end(s.png, s.info);
}

struct Header {
  uint32_t height = 0, width = 0;
  int channels = 0;
  int passes = 1;
  bool wide = false;  // rows will come as 16 bits
};

// Reads up to the pixels and asks for `channels` channels of 8 bits, or of 16 where the file has them
// and `wide`.
void ReadHeader(Session& s, int channels, bool wide, Header* header) {
  png_set_read_fn(s.png, &s, OnRead);
  png_read_info(s.png, s.info);
  const int color = png_get_color_type(s.png, s.info), bits = png_get_bit_depth(s.png, s.info);
  const bool transparent = png_get_valid(s.png, s.info, PNG_INFO_tRNS) != 0;
  if (channels == 0) {
    channels =
        color == PNG_COLOR_TYPE_PALETTE ? (transparent ? 4 : 3) : png_get_channels(s.png, s.info);
  }
  if (channels % 2 != 0) {
    png_set_strip_alpha(s.png);
  } else if ((color & PNG_COLOR_MASK_ALPHA) == 0) {
    if (transparent) {
      png_set_tRNS_to_alpha(s.png);
    } else {
      png_set_add_alpha(s.png, (1u << bits) - 1, PNG_FILLER_AFTER);
    }
  }
  header->wide = wide && bits > 8;
  if (bits > 8 && !wide) png_set_strip_16(s.png);
  if (header->wide && std::endian::native == std::endian::little) png_set_swap(s.png);
  png_set_packing(s.png);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(s.png);
  const bool gray = (color & PNG_COLOR_MASK_COLOR) == 0;
  if (gray && bits < 8) png_set_expand_gray_1_2_4_to_8(s.png);
  if (channels < 3 && !gray) png_set_rgb_to_gray(s.png, PNG_ERROR_ACTION_NONE, 0.299, 0.587);
  if (channels >= 3 && gray) png_set_gray_to_rgb(s.png);
  header->passes = png_set_interlace_handling(s.png);
  png_read_update_info(s.png, s.info);
  header->height = png_get_image_height(s.png, s.info);
  header->width = png_get_image_width(s.png, s.info);
  header->channels = channels;
}

void ReadPixels(Session& s, uint8_t* pixels, size_t row, const Header& header) {
  for (int pass = 0; pass < header.passes; ++pass) {
    for (uint32_t y = 0; y < header.height; ++y) png_read_row(s.png, pixels + y * row, nullptr);
  }
  png_read_end(s.png, nullptr);
}

// Spreads bytes that fill the first half of `image` to 16 bits: 255 becomes 65535.
void Widen(Tensor& image) {
  const auto* bytes = static_cast<const uint8_t*>(image.raw_data());
  auto* values = image.data<uint16_t>();
  for (int64_t i = image.num_elements() - 1; i >= 0; --i)
    values[i] = static_cast<uint16_t>(bytes[i] * 257);
}

}  // namespace

StatusOr<std::string> EncodePng(const Tensor& image, int level) {
  const Shape& shape = image.shape();
  constexpr int64_t kMaxSide = 1 << 24;
  if ((image.dtype() != DType::kUInt8 && image.dtype() != DType::kUInt16) || shape.rank() != 3 ||
      shape[2] < 1 || shape[2] > 4 || shape[0] < 1 || shape[1] < 1 || shape[0] > kMaxSide ||
      shape[1] > kMaxSide || level < -1 || level > 9) {
    return InvalidArgument(
        "a PNG is made from uint8 or uint16 [height, width, 1 to 4 channels] with level -1 to 9, "
        "got ",
        DTypeName(image.dtype()), " ", shape.ToString(), ", level ", level);
  }
  std::string bytes;
  Session s;
  s.output = &bytes;
  s.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &s, OnError, OnWarning);
  s.info = s.png != nullptr ? png_create_info_struct(s.png) : nullptr;
  if (s.info == nullptr) return absl::ResourceExhaustedError("no memory to write a PNG");
  if (!Guarded(s, [&] { WriteImage(s, image, level); }))
    return Internal("cannot write a PNG: ", s.error);
  return bytes;
}

StatusOr<Tensor> DecodePng(std::string_view bytes, int channels, DType dtype) {
  if (dtype != DType::kUInt8 && dtype != DType::kUInt16)
    return InvalidArgument("a PNG becomes uint8 or uint16, not ", DTypeName(dtype));
  if (channels < 0 || channels > 4)
    return InvalidArgument("a PNG has 1 to 4 channels (0: as it is), got ", channels);
  if (bytes.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, 8) != 0) {
    return InvalidArgument("not a PNG image: ", bytes.size(), " bytes that start with '",
                           EscapeC(bytes.substr(0, 8)), "'");
  }
  Session s;
  s.input = bytes;
  s.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s, OnError, OnWarning);
  s.info = s.png != nullptr ? png_create_info_struct(s.png) : nullptr;
  if (s.info == nullptr) return absl::ResourceExhaustedError("no memory to read a PNG");
  Header header;
  if (!Guarded(s, [&] { ReadHeader(s, channels, dtype == DType::kUInt16, &header); }))
    return InvalidArgument("damaged PNG image: ", s.error);
  const Shape shape{header.height, header.width, header.channels};
  const size_t row = png_get_rowbytes(s.png, s.info);
  if (row != static_cast<size_t>(shape[1] * shape[2]) * (header.wide ? 2 : 1))
    return InvalidArgument("a PNG image of an unknown kind");
  // A pixel may take one bit in the file; more pixels than that cannot be in so few bytes.
  if (static_cast<uint64_t>(shape[0]) * static_cast<uint64_t>(shape[1]) / 8 >
      bytes.size() * kMaxDeflateRatio) {
    return InvalidArgument("damaged PNG image: ", shape.ToString(), " cannot be in ", bytes.size(),
                           " bytes");
  }
  HR_ASSIGN_OR_RETURN(Tensor image, Tensor::Allocate(HostAllocator(), dtype, shape, "PNG"));
  auto* const pixels = static_cast<uint8_t*>(image.raw_data());
  if (!Guarded(s, [&] { ReadPixels(s, pixels, row, header); }))
    return InvalidArgument("damaged PNG image: ", s.error);
  if (dtype == DType::kUInt16 && !header.wide) Widen(image);
  return image;
}

}  // namespace headrace

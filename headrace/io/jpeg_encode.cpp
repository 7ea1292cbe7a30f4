#include <cstdlib>
#include <cstring>

#include "headrace/base/strings.h"
#include "headrace/io/internal/jpeg_session.h"
#include "headrace/io/jpeg.h"

namespace headrace {
namespace {

constexpr std::string_view kXmpName("http://ns.adobe.com/xap/1.0/\0", 29);
constexpr size_t kMaxMarker = 65533;  // bytes that a marker can hold

struct Encoder {
  jpeg_compress_struct jpeg = {};
  JpegErrors errors;
  unsigned char* bytes = nullptr;  // the library's, by malloc
  unsigned long size = 0;          // NOLINT(google-runtime-int): the library's type
  bool made = false;

  Encoder() {
    jpeg.err = CatchJpegErrors(errors);
    made = JpegGuarded(errors, [this] { jpeg_create_compress(&jpeg); });
  }
  ~Encoder() {
    jpeg_destroy_compress(&jpeg);
    std::free(bytes);
  }
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
};

void Write(Encoder& e, const Tensor& image, const JpegEncodeOptions& o, std::string_view xmp) {
  jpeg_compress_struct& jpeg = e.jpeg;
  const Shape& shape = image.shape();
  jpeg_mem_dest(&jpeg, &e.bytes, &e.size);
  jpeg.image_height = static_cast<JDIMENSION>(shape[0]);
  jpeg.image_width = static_cast<JDIMENSION>(shape[1]);
  jpeg.input_components = static_cast<int>(shape[2]);
  jpeg.in_color_space = shape[2] == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  if (o.optimize_size) jpeg.optimize_coding = TRUE;
  jpeg.density_unit = o.density_per_centimetre ? 2 : 1;
  jpeg.X_density = static_cast<UINT16>(o.x_density);
  jpeg.Y_density = static_cast<UINT16>(o.y_density);
  jpeg_set_quality(&jpeg, o.quality, TRUE);
  if (o.progressive) jpeg_simple_progression(&jpeg);
  if (!o.chroma_downsampling) {
    for (int c = 0; c < jpeg.num_components; ++c)
      jpeg.comp_info[c].h_samp_factor = jpeg.comp_info[c].v_samp_factor = 1;
  }
  jpeg_start_compress(&jpeg, TRUE);
  if (!xmp.empty()) {
    jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(xmp.data()),
                      static_cast<unsigned>(xmp.size()));
  }
  const size_t row = static_cast<size_t>(shape[1] * shape[2]);
  auto* pixels = const_cast<JSAMPLE*>(image.data<uint8_t>());  // read only
  for (int64_t y = 0; y < shape[0]; ++y, pixels += row) jpeg_write_scanlines(&jpeg, &pixels, 1);
  jpeg_finish_compress(&jpeg);
}

}  // namespace

StatusOr<std::string> EncodeJpeg(const Tensor& image, const JpegEncodeOptions& o) {
  const Shape& shape = image.shape();
  if (image.dtype() != DType::kUInt8 || shape.rank() != 3 || (shape[2] != 1 && shape[2] != 3) ||
      shape[0] < 1 || shape[1] < 1 || shape[0] > JPEG_MAX_DIMENSION ||
      shape[1] > JPEG_MAX_DIMENSION) {
    return InvalidArgument("a JPEG is made from uint8 [height, width, 1 or 3 channels] of 1 to ",
                           JPEG_MAX_DIMENSION, " pixels a side, got ", DTypeName(image.dtype()),
                           " ", shape.ToString());
  }
  if (o.quality < 0 || o.quality > 100)
    return InvalidArgument("quality must be in [0,100], got ", o.quality);
  for (const int density : {o.x_density, o.y_density}) {
    if (density < 0 || density > UINT16_MAX)
      return InvalidArgument("a density must be in [0,65535], got ", density);
  }
  std::string xmp;
  if (!o.xmp_metadata.empty()) xmp = StrCat(kXmpName, o.xmp_metadata);
  if (xmp.size() > kMaxMarker) {
    return InvalidArgument("XMP metadata may have ", kMaxMarker - kXmpName.size(), " bytes, got ",
                           o.xmp_metadata.size());
  }
  Encoder e;
  if (!e.made || !JpegGuarded(e.errors, [&] { Write(e, image, o, xmp); }))
    return Internal("cannot write a JPEG: ", e.errors.text);
  return std::string(reinterpret_cast<const char*>(e.bytes), e.size);
}

}  // namespace headrace

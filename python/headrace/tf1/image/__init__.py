"""tf.image: images of another size, part, colour, or encoding."""
from headrace.tf1.framework import gen
from headrace.tf1.framework.array import extract_image_patches  # noqa: F401
from headrace.tf1.framework.random import random_crop  # noqa: F401
from headrace.tf1.image.boxes import (  # noqa: F401
    combined_non_max_suppression, crop_and_resize, draw_bounding_boxes, extract_glimpse, extract_patches, non_max_suppression,
    non_max_suppression_overlaps, non_max_suppression_padded, non_max_suppression_with_scores, sample_distorted_bounding_box)
from headrace.tf1.image.colors import (  # noqa: F401
    adjust_brightness, adjust_contrast, adjust_gamma, adjust_hue, adjust_jpeg_quality, adjust_saturation, convert_image_dtype, grayscale_to_rgb,
    per_image_standardization, random_brightness, random_contrast, random_hue, random_jpeg_quality, random_saturation, rgb_to_grayscale,
    rgb_to_yiq, rgb_to_yuv, yiq_to_rgb, yuv_to_rgb)
from headrace.tf1.image.flips import (  # noqa: F401
    flip_left_right, flip_up_down, random_flip_left_right, random_flip_up_down, rot90, transpose)
from headrace.tf1.image.formats import decode_image, is_jpeg  # noqa: F401
from headrace.tf1.image.quality import image_gradients, psnr, sobel_edges, ssim, ssim_multiscale, total_variation  # noqa: F401
from headrace.tf1.image.sizes import (  # noqa: F401
    ResizeMethod, central_crop, crop_to_bounding_box, pad_to_bounding_box, resize_bicubic, resize_bilinear, resize_image_with_crop_or_pad,
    resize_image_with_pad, resize_images, resize_nearest_neighbor)

resize, resize_with_crop_or_pad, transpose_image = resize_images, resize_image_with_crop_or_pad, transpose

# Names that are the op's own function.
_OPS = {
    'decode_and_crop_jpeg': 'DecodeAndCropJpeg', 'decode_bmp': 'DecodeBmp', 'decode_gif': 'DecodeGif', 'decode_jpeg': 'DecodeJpeg',
    'decode_png': 'DecodePng', 'encode_jpeg': 'EncodeJpeg', 'encode_png': 'EncodePng', 'extract_jpeg_shape': 'ExtractJpegShape',
    'hsv_to_rgb': 'HSVToRGB', 'resize_area': 'ResizeArea', 'rgb_to_hsv': 'RGBToHSV'}


def __getattr__(name):
    if name not in _OPS:
        raise AttributeError("module 'tf.image' has no attribute %r" % name)
    made = globals()[name] = gen.function(_OPS[name])
    return made


def __dir__():
    return sorted([n for n in globals() if not n.startswith('_') and n != 'gen'] + list(_OPS))

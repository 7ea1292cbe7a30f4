"""Colours of images: other types and colour spaces; brightness, contrast, hue, saturation, and noise of JPEG."""
from headrace.tf1.framework import array, control, dtypes, gen, math, random
from headrace.tf1.framework.convert import convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.image.operand import checked_grayscale, checked_image, is_tensor, known_or_asserted


def convert_image_dtype(image, dtype, saturate=False, name=None):
    """The image as another type, with its values scaled: floating ones are in [0, 1], whole numbers from 0 to the greatest."""
    image = convert_to_tensor(image, name='image')
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError('dtype must be either floating point or integer')
    if dtype == image.dtype:
        return array.identity(image, name=name)
    with name_scope(name, 'convert_image', [image]) as scope:
        cast = math.saturate_cast if saturate else math.cast
        if image.dtype.is_integer and dtype.is_integer:
            have, want = image.dtype.max, dtype.max
            if have > want:
                return cast(math.div(image, (have + 1) // (want + 1)), dtype, name=scope)
            return math.multiply(cast(image, dtype), (want + 1) // (have + 1), name=scope)
        if image.dtype.is_floating and dtype.is_floating:
            return math.cast(image, dtype, name=scope)
        if image.dtype.is_integer:
            return math.multiply(math.cast(image, dtype), 1.0 / image.dtype.max, name=scope)
        return cast(math.multiply(image, dtype.max + 0.5), dtype, name=scope)


def _as_float(image):
    return image if image.dtype in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)


def per_image_standardization(image):
    """Each image less its mean, divided by its standard deviation, of which a little is left for images of one colour."""
    with name_scope(None, 'per_image_standardization', [image]) as scope:
        image = checked_image(convert_to_tensor(image, name='image'))
        dtype = image.dtype
        image = _as_float(image)
        count = math.reduce_prod(array.shape(image)[-3:])
        mean = math.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = math.reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        least = math.rsqrt(math.cast(count, image.dtype))
        deviation = math.maximum(deviation, least)
        image -= mean
        image = math.div(image, deviation, name=scope)
        return convert_image_dtype(image, dtype, saturate=True)


def adjust_brightness(image, delta):
    """Adds delta to an image in [0, 1]."""
    with name_scope(None, 'adjust_brightness', [image, delta]) as scope:
        image = convert_to_tensor(image, name='image')
        flat = _as_float(image)
        adjusted = math.add(flat, math.cast(delta, flat.dtype), name=scope)
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


def adjust_contrast(images, contrast_factor):
    """Multiplies the distance of each pixel from the mean of its channel."""
    with name_scope(None, 'adjust_contrast', [images, contrast_factor]) as scope:
        images = convert_to_tensor(images, name='images')
        adjusted = gen.function('AdjustContrastv2')(_as_float(images), contrast_factor, name=scope)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


def adjust_gamma(image, gamma=1, gain=1):
    """gain * image ** gamma, of an image in [0, 1]."""
    with name_scope(None, 'adjust_gamma', [image, gamma, gain]):
        image = convert_to_tensor(image, name='image')
        flat = _as_float(image)
        asserts = known_or_asserted(gamma >= 0, ValueError, 'Gamma should be a non-negative real number.')
        if asserts:
            gamma = control.with_dependencies(asserts, gamma)
        return convert_image_dtype(gain * flat ** gamma, image.dtype, saturate=True)


def _adjust(op, default, image, by, name):
    with name_scope(name, default, [image]):
        image = convert_to_tensor(image, name='image')
        return convert_image_dtype(gen.function(op)(_as_float(image), by), image.dtype)


def adjust_hue(image, delta, name=None):
    """Turns the hue of an RGB image by delta turns."""
    return _adjust('AdjustHue', 'adjust_hue', image, delta, name)


def adjust_saturation(image, saturation_factor, name=None):
    """Multiplies the saturation of an RGB image."""
    return _adjust('AdjustSaturation', 'adjust_saturation', image, saturation_factor, name)


def adjust_jpeg_quality(image, jpeg_quality, name=None):
    """The image as it comes back from a JPEG of that quality, 0 to 100."""
    with name_scope(name, 'adjust_jpeg_quality', [image]):
        image = convert_to_tensor(image, name='image')
        dtype = image.dtype
        image = convert_image_dtype(image, dtypes.uint8)
        if not is_tensor(jpeg_quality):
            jpeg_quality = convert_to_tensor(jpeg_quality, dtype=dtypes.int32)
        image = gen.function('DecodeJpeg')(gen.function('EncodeJpegVariableQuality')(image, jpeg_quality))
        return convert_image_dtype(image, dtype)


def _check_range(lower, upper):
    if upper <= lower:
        raise ValueError('upper must be > lower.')
    if lower < 0:
        raise ValueError('lower must be non-negative.')


def random_brightness(image, max_delta, seed=None):
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    return adjust_brightness(image, random.random_uniform([], -max_delta, max_delta, seed=seed))


def random_contrast(image, lower, upper, seed=None):
    _check_range(lower, upper)
    return adjust_contrast(image, random.random_uniform([], lower, upper, seed=seed))


def random_hue(image, max_delta, seed=None):
    if max_delta > 0.5:
        raise ValueError('max_delta must be <= 0.5.')
    if max_delta < 0:
        raise ValueError('max_delta must be non-negative.')
    return adjust_hue(image, random.random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(image, lower, upper, seed=None):
    _check_range(lower, upper)
    return adjust_saturation(image, random.random_uniform([], lower, upper, seed=seed))


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError('jpeg encoding range must be between 0 and 100.')
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError('`min_jpeg_quality` must be less than `max_jpeg_quality`.')
    return adjust_jpeg_quality(image, random.random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=dtypes.int32))


def rgb_to_grayscale(images, name=None):
    """One channel, of 0.2989 red, 0.587 green and 0.114 blue."""
    with name_scope(name, 'rgb_to_grayscale', [images]) as scope:
        images = convert_to_tensor(images, name='images')
        gray = math.tensordot(convert_image_dtype(images, dtypes.float32), [0.2989, 0.5870, 0.1140], [-1, -1])
        return convert_image_dtype(array.expand_dims(gray, -1), images.dtype, name=scope)


def grayscale_to_rgb(images, name=None):
    """Three channels of the one."""
    with name_scope(name, 'grayscale_to_rgb', [images]) as scope:
        images = convert_to_tensor(checked_grayscale(images), name='images')
        outer = array.expand_dims(array.rank(images) - 1, 0)
        times = array.concat([array.ones(outer, dtype=dtypes.int32), array.expand_dims(3, 0)], 0)
        rgb = array.tile(images, times, name=scope)
        rgb.set_shape(images.get_shape()[:-1].concatenate([3]))
        return rgb


def _linear(doc, rows):
    def convert(images):
        images = convert_to_tensor(images, name='images')
        kernel = convert_to_tensor(rows, dtype=images.dtype, name='kernel')
        return math.tensordot(images, kernel, axes=[[images.get_shape().ndims - 1], [0]])
    convert.__doc__ = doc
    return convert


rgb_to_yiq = _linear('Luma and the two chroma channels of NTSC.', [
    [0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]])
yiq_to_rgb = _linear('Back from YIQ.', [
    [1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]])
rgb_to_yuv = _linear('Luma and the two chroma channels of PAL.', [
    [0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]])
yuv_to_rgb = _linear('Back from YUV.', [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]])

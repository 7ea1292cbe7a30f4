"""Encoded images whose format the step finds out."""
from headrace.tf1.framework import array, control, control_flow, dtypes, gen, math, strings
from headrace.tf1.framework.graph import control_dependencies, name_scope
from headrace.tf1.image.colors import convert_image_dtype


def is_jpeg(contents, name=None):
    """Whether the bytes begin as a JPEG does."""
    with name_scope(name, 'is_jpeg') as scope:
        return math.equal(strings.substr(contents, 0, 3), b'\xff\xd8\xff', name=name or scope)


def _is_png(contents):
    with name_scope(None, 'is_png'):
        return math.equal(strings.substr(contents, 0, 3), b'\211PN')


def decode_image(contents, channels=None, dtype=dtypes.uint8, name=None, expand_animations=True):
    """A JPEG, PNG, GIF or BMP as [height, width, channels]; a GIF as [frames, height, width, 3], unless only its first frame is wanted."""
    with name_scope(name, 'decode_image'):
        if channels not in (None, 0, 1, 3, 4):
            raise ValueError('channels must be in (None, 0, 1, 3, 4)')
        start = strings.substr(contents, 0, 3)
        wanted = 0 if channels is None else channels

        def decoded(op, asserts, *arguments, **attrs):
            with control_dependencies(asserts):
                return convert_image_dtype(gen.function(op)(contents, *arguments, **attrs), dtype)

        def bmp():
            is_bmp = math.equal(strings.substr(contents, 0, 2), 'BM', name='is_bmp')
            known = control.Assert(is_bmp, ['Unable to decode bytes as JPEG, PNG, GIF, or BMP'])
            fits = math.not_equal(wanted, 1, name='check_channels')
            return decoded('DecodeBmp', [known, control.Assert(fits, ['Channels must be in (None, 0, 3) when decoding BMP images'])])

        def gif():
            fits = math.logical_and(math.not_equal(wanted, 1, name='check_gif_channels'), math.not_equal(wanted, 4, name='check_gif_channels'))
            checked = control.Assert(fits, ['Channels must be in (None, 0, 3) when decoding GIF images'])
            with control_dependencies([checked]):
                frames = convert_image_dtype(gen.function('DecodeGif')(contents), dtype)
                return frames if expand_animations else array.gather(frames, 0)

        def gif_or_bmp():
            return control_flow.cond(math.equal(start, b'GIF', name='is_gif'), gif, bmp, name='cond_gif')

        def png():
            depth = dtypes.uint8 if dtype == dtypes.uint8 else dtypes.uint16
            return convert_image_dtype(gen.function('DecodePng')(contents, wanted, dtype=depth), dtype)

        def png_or_other():
            return control_flow.cond(_is_png(contents), png, gif_or_bmp, name='cond_png')

        def jpeg():
            fits = math.not_equal(wanted, 4, name='check_jpeg_channels')
            return decoded('DecodeJpeg', [control.Assert(fits, ['Channels must be in (None, 0, 1, 3) when decoding JPEG images'])], wanted)
        return control_flow.cond(is_jpeg(contents), jpeg, png_or_other, name='cond_jpeg')

"""Files of images: JPEG, PNG, GIF and BMP to pixels, and back. The files are made by Pillow, and by hand where it cannot."""
import io
import struct
import zlib

import numpy as np
from PIL import Image
import tensorflow as tf
from tensorflow.python.ops import gen_image_ops as gi

H, W = 17, 23


def photo(channels, h=H, w=W):
    """Waves and grain: every frequency of a block is there, and colours that are cut off at 0 and 255."""
    rng = np.random.RandomState(channels)
    y, x = np.mgrid[0:h, 0:w]
    waves = [np.sin(x / 3. + k) + np.cos(y / 5. - k) + (x * y % 7) / 7. for k in range(channels)]
    return np.clip(np.stack(waves, -1) * 70 + 100 + rng.randn(h, w, channels) * 12, 0, 255).astype(np.uint8)


def made(pixels, kind, mode=None, **options):
    out = io.BytesIO()
    image = Image.fromarray(pixels[..., 0] if pixels.shape[-1] == 1 else pixels, mode)
    image.save(out, kind, **options)
    return out.getvalue()


def jpegs():
    return {'half': made(photo(3), 'JPEG', subsampling=2, quality=80), 'wide': made(photo(3), 'JPEG', subsampling=1, quality=90),
            'full': made(photo(3), 'JPEG', subsampling=0), 'gray': made(photo(1), 'JPEG'),
            'progressive': made(photo(3), 'JPEG', progressive=True), 'inks': made(photo(4), 'JPEG', 'CMYK'),
            'pixel': made(photo(3, 1, 1), 'JPEG')}


def chunk(kind, data):
    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data) & 0xffffffff)


def raw_png(bits, colour, width, height, extra=b''):
    """A PNG of random samples, of kinds that Pillow does not write."""
    samples = {0: 1, 2: 3, 4: 2, 6: 4}[colour]
    rng = np.random.RandomState(bits + colour)
    rows = b''.join(b'\0' + rng.bytes((width * samples * bits + 7) // 8) for _ in range(height))
    head = struct.pack('>IIBBBBB', width, height, bits, colour, 0, 0, 0)
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', head) + extra + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


def pngs():
    small = Image.fromarray(photo(3))
    palette, transparent = io.BytesIO(), io.BytesIO()
    small.quantize(16).save(palette, 'PNG')
    small.quantize(200).save(transparent, 'PNG', transparency=3)
    files = {'palette': palette.getvalue(), 'transparent_palette': transparent.getvalue(),
             'transparent_gray': made(photo(1), 'PNG', transparency=100),
             'gamma': raw_png(8, 2, 5, 4, chunk(b'gAMA', struct.pack('>I', 100000)))}
    for channels, colour in [(1, 0), (2, 4), (3, 2), (4, 6)]:
        files['bytes_%d' % channels] = raw_png(8, colour, 5, 4)
        files['wide_%d' % channels] = raw_png(16, colour, 5, 4)
    for bits in [1, 2, 4]:
        files['bits_%d' % bits] = raw_png(bits, 0, 9, 4)
    return files


def codes(pixels):
    """Pixels of 3 bits as LZW codes of 4 bits: the table is cleared before it grows."""
    bits, count, out = 0, 0, bytearray()
    for code in [c for i, p in enumerate(pixels) for c in ([8, p] if i % 4 == 0 else [p])] + [9]:
        bits |= int(code) << count
        count += 4
        while count >= 8:
            out.append(bits & 255)
            bits, count = bits >> 8, count - 8
    out.append(bits & 255)
    blocks = [bytes(out[i:i + 255]) for i in range(0, len(out), 255)]
    return b'\3' + b''.join(struct.pack('B', len(b)) + b for b in blocks) + b'\0'


def gif(width, height, frames, global_map=True):
    """`frames`: left, top, width, height, transparent colour or None, interlaced, own map."""
    rng = np.random.RandomState(len(frames))
    colours = b''.join(struct.pack('BBB', 30 * i, 255 - 30 * i, 11 * i) for i in range(8))
    out = b'GIF89a' + struct.pack('<HHBBB', width, height, 0x82 if global_map else 0, 0, 0) + (colours if global_map else b'')
    for left, top, w, h, transparent, interlaced, own in frames:
        out += b'\x21\xf9\4' + struct.pack('<BHB', 4 | (transparent is not None), 5, transparent or 0) + b'\0'
        out += b',' + struct.pack('<HHHHB', left, top, w, h, 0x40 * interlaced | 0x82 * own) + (colours[::-1] if own else b'')
        out += codes(rng.randint(0, 8, w * h))
    return out + b';'


def gifs():
    whole = (0, 0, 5, 4, None, False, False)
    return {'one': gif(5, 4, [whole]), 'part': gif(5, 4, [whole, (1, 1, 3, 2, None, False, False)]),
            'transparent': gif(5, 9, [(0, 0, 5, 9, 3, False, False), (0, 1, 5, 8, 2, False, False)]),
            'interlaced': gif(5, 9, [(0, 0, 5, 9, None, True, False), (3, 2, 2, 5, 2, True, True)]),
            'beyond': gif(5, 4, [whole, (2, 2, 5, 4, None, False, False)]), 'larger_screen': gif(9, 9, [whole])}


def bmps():
    files = {'gray': made(photo(1, 6, 7), 'BMP'), 'rgb': made(photo(3, 6, 7), 'BMP'), 'rgba': made(photo(4, 6, 7), 'BMP', 'RGBA')}
    files['from_above'] = files['rgb'][:22] + struct.pack('<i', -6) + files['rgb'][26:]
    return files


def cases(o, lib):
    def add(name, fn, *inputs):
        o.add(name, fn, [np.array(x, object) if isinstance(x, bytes) else x for x in inputs], grad=False)

    files = jpegs()
    for name in sorted(files):
        add('decode_jpeg:' + name, lambda x: gi.decode_jpeg(x), files[name])
        add('extract_jpeg_shape:' + name, lambda x: gi.extract_jpeg_shape(x), files[name])
    add('extract_jpeg_shape:int64', lambda x: gi.extract_jpeg_shape(x, tf.int64), files['half'])
    for variant, options in [('gray', {'channels': 1}), ('rgb', {'channels': 3}), ('ratio_2', {'ratio': 2}), ('ratio_4', {'ratio': 4}),
                             ('ratio_8', {'ratio': 8}), ('plain_upscaling', {'fancy_upscaling': False}),
                             ('accurate', {'dct_method': 'INTEGER_ACCURATE'}), ('fast', {'dct_method': 'INTEGER_FAST', 'ratio': 2})]:
        for name in ['half', 'gray', 'progressive'] if variant != 'gray' else ['half']:
            add('decode_jpeg:%s_%s' % (name, variant), lambda x, options=options: gi.decode_jpeg(x, **options), files[name])
    short = files['half'][:len(files['half']) * 2 // 3]
    add('decode_jpeg:recovered', lambda x: gi.decode_jpeg(x, try_recover_truncated=True), short)
    add('decode_jpeg:a_part', lambda x: gi.decode_jpeg(x, acceptable_fraction=0.3), short)
    for name in ['half', 'wide', 'gray', 'progressive', 'inks']:
        for at, window in enumerate([[0, 0, 5, 5], [3, 4, 14, 11], [9, 2, 8, 21], [0, 0, H, W]]):
            add('decode_and_crop_jpeg:%s_%d' % (name, at), lambda x, w: gi.decode_and_crop_jpeg(x, w), files[name], np.array(window, np.int32))
    add('decode_and_crop_jpeg:known', lambda x: gi.decode_and_crop_jpeg(x, [1, 2, 3, 4], channels=3), files['half'])
    add('decode_and_crop_jpeg:ratio', lambda x: gi.decode_and_crop_jpeg(x, [1, 2, 7, 9], ratio=2), files['half'])

    files = pngs()
    for name in sorted(files):
        for channels in [0, 1, 3, 4]:
            for dtype in [tf.uint8, tf.uint16]:
                add('decode_png:%s_%d_%s' % (name, channels, dtype.name), lambda x, c=channels, d=dtype: gi.decode_png(x, c, d), files[name])
    files = gifs()
    for name in sorted(files):
        add('decode_gif:' + name, lambda x: gi.decode_gif(x), files[name])
    files = bmps()
    for name in sorted(files):
        add('decode_bmp:' + name, lambda x: gi.decode_bmp(x), files[name])
    add('decode_bmp:stated', lambda x: gi.decode_bmp(x, 3), files['rgb'])

    # Each decoder reads the files of the others.
    tiny = photo(3, 2, 3)
    every = {'jpeg': made(tiny, 'JPEG'), 'png': made(tiny, 'PNG'), 'gif': gif(3, 2, [(0, 0, 3, 2, None, False, False)])}
    for name in sorted(every):
        for decoder in [gi.decode_jpeg, gi.decode_png, gi.decode_gif]:
            add('%s:%s_file' % (decoder.__name__, name), lambda x, decoder=decoder: decoder(x), every[name])

    for variant, options in [('default', {}), ('poor', {'quality': 20}), ('worst', {'quality': 0}), ('best', {'quality': 100}),
                             ('progressive', {'progressive': True}), ('small', {'optimize_size': True}),
                             ('full_colour', {'chroma_downsampling': False}),
                             ('density', {'density_unit': 'cm', 'x_density': 5, 'y_density': 6}), ('xmp', {'xmp_metadata': '<x/>'})]:
        add('encode_jpeg:' + variant, lambda x, options=options: gi.encode_jpeg(x, **options), photo(3))
    add('encode_jpeg:gray', lambda x: gi.encode_jpeg(x, format='grayscale'), photo(1))
    add('encode_jpeg_variable_quality', lambda x, q: gi.encode_jpeg_variable_quality(x, q), photo(3), np.int32(40))
    for channels in [1, 2, 3, 4]:
        add('encode_png:%d' % channels, lambda x: gi.encode_png(x), photo(channels))
        add('encode_png:wide_%d' % channels, lambda x: gi.encode_png(x), photo(channels).astype(np.uint16) * 251)
    for level in [0, 9]:
        add('encode_png:level_%d' % level, lambda x, level=level: gi.encode_png(x, level), photo(3))

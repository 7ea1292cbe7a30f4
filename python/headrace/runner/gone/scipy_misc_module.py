"""scipy.misc's image functions, which SciPy dropped: through Pillow, with the results that SciPy 1.1 gave."""
import numpy as np


def _pillow():
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("the image functions of scipy.misc need Pillow (pip install pillow)") from None
    return Image


_MODES_OF_RANGE = {'L', 'P', 'RGB', 'RGBA', 'CMYK', 'YCbCr'}
_FILTERS = {'nearest': 'NEAREST', 'lanczos': 'LANCZOS', 'bilinear': 'BILINEAR', 'bicubic': 'BICUBIC', 'cubic': 'BICUBIC'}


def bytescale(data, cmin=None, cmax=None, high=255, low=0):
    """Bytes of an array whose smallest value becomes `low` and largest `high`; arrays of bytes stay as they are."""
    if data.dtype == np.uint8:
        return data
    if not 0 <= low <= high <= 255:
        raise ValueError('`low` and `high` must be 0 <= low <= high <= 255, got %r and %r' % (low, high))
    cmin = data.min() if cmin is None else cmin
    cmax = data.max() if cmax is None else cmax
    if cmax < cmin:
        raise ValueError('`cmax` should be larger than `cmin`.')
    scale = float(high - low) / ((cmax - cmin) or 1)
    return ((data - cmin) * scale + low).clip(low, high).__add__(0.5).astype(np.uint8)


def fromimage(im, flatten=False, mode=None):
    """The array of a Pillow image."""
    if mode is not None and mode != im.mode:
        im = im.convert(mode)
    elif im.mode == 'P':
        im = im.convert('RGBA' if 'transparency' in im.info else 'RGB')
    if flatten:
        im = im.convert('F')
    elif im.mode == '1':
        im = im.convert('L')
    return np.array(im)


def toimage(arr, high=255, low=0, cmin=None, cmax=None, pal=None, mode=None, channel_axis=None):
    """A Pillow image of an array [H, W], [H, W, 3 or 4] or [3 or 4, H, W], stretched to bytes."""
    image = _pillow()
    data = np.asarray(arr)
    if np.iscomplexobj(data):
        raise ValueError('Cannot convert a complex-valued array.')
    shape = data.shape
    if not (len(shape) == 2 or len(shape) == 3 and (3 in shape or 4 in shape)):
        raise ValueError("'arr' does not have a suitable array shape for any mode: %s" % (shape,))
    if len(shape) == 2:
        if mode == 'F':
            return image.fromarray(data.astype(np.float32))
        if mode == 'I':
            return image.fromarray(data.astype(np.int32))
        made = image.fromarray(bytescale(data, cmin, cmax, high, low))
        if mode in ('P', None) and pal is not None:
            made.putpalette(np.asarray(pal, dtype=np.uint8).tobytes())
        return made if mode in (None, 'L', 'P') else made.convert(mode)
    axis = channel_axis
    if axis is None:
        axis = max(i for i in range(3) if shape[i] == (3 if 3 in shape else 4))
    data = bytescale(np.moveaxis(data, axis, 2), cmin, cmax, high, low)
    made = image.fromarray(np.ascontiguousarray(data))
    return made if mode is None or mode == made.mode else made.convert(mode)


def imread(name, flatten=False, mode=None):
    """The array of an image file."""
    with _pillow().open(name) as im:
        return fromimage(im, flatten=flatten, mode=mode)


def imsave(name, arr, format=None):  # pylint: disable=redefined-builtin
    """Writes an array as an image file."""
    made = toimage(arr, channel_axis=2) if np.ndim(arr) == 3 else toimage(arr)
    made.save(name) if format is None else made.save(name, format)


def imresize(arr, size, interp='bilinear', mode=None):
    """Bytes of the image in another size: an integer is a percentage, a float a factor, a pair (height, width)."""
    image = _pillow()
    im = toimage(arr, mode=mode)
    if isinstance(size, (int, np.integer)):
        shape = tuple((np.array(im.size) * (size / 100.0)).astype(int))
    elif isinstance(size, (float, np.floating)):
        shape = tuple((np.array(im.size) * size).astype(int))
    else:
        shape = (int(size[1]), int(size[0]))
    resampling = getattr(image, 'Resampling', image)
    return fromimage(im.resize(tuple(int(s) for s in shape), resample=getattr(resampling, _FILTERS[interp])))


def imrotate(arr, angle, interp='bilinear'):
    """Bytes of the image turned counter-clockwise by degrees."""
    image = _pillow()
    resampling = getattr(image, 'Resampling', image)
    return fromimage(toimage(arr).rotate(angle, resample=getattr(resampling, _FILTERS[interp])))


def imshow(arr):
    """Opens the image in a viewer, where there is one."""
    toimage(arr).show()


def __getattr__(name):
    """What else scipy.misc had moved to scipy.special and scipy.stats."""
    if name in ('comb', 'factorial', 'factorial2', 'factorialk', 'logsumexp'):
        import scipy.special
        return getattr(scipy.special, name)
    raise AttributeError("module 'scipy.misc' has no attribute %r" % name)

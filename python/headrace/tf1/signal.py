"""tf.signal: Fourier transforms along the last dimensions."""
from headrace.tf1.framework import array, convert, dtypes, math
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope


def _complex(op, doc):
    def function(input, name=None):  # pylint: disable=redefined-builtin
        return apply_op(op, input, name=name)
    function.__name__, function.__doc__ = op.lower(), doc
    return function


fft, ifft = _complex('FFT', 'Along the last dimension.'), _complex('IFFT', 'The inverse of fft.')
fft2d, ifft2d = _complex('FFT2D', 'Along the last two dimensions.'), _complex('IFFT2D', 'The inverse of fft2d.')
fft3d, ifft3d = _complex('FFT3D', 'Along the last three dimensions.'), _complex('IFFT3D', 'The inverse of fft3d.')


def _default_length(x, rank, is_inverse):
    known = x.shape[-rank:]
    if known.is_fully_defined():
        sizes = known.as_list()
        if is_inverse and sizes:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return convert_to_tensor(sizes, dtypes.int32)
    sizes = array.shape(x)[-rank:]
    if not is_inverse:
        return sizes
    sizes = array.unstack(sizes)
    sizes[-1] = math.maximum(0, 2 * (sizes[-1] - 1))
    return array.stack(sizes)


def _padded(x, rank, length, is_inverse):
    """x with zeros behind it where the transform is longer."""
    known = convert.constant_value_as_shape(length)
    if x.shape.rank is not None and any(d.value == 0 for d in x.shape.dims):
        return x
    if known.is_fully_defined() and x.shape.rank is not None:
        own = x.shape[-known.rank:]
        if own.is_fully_defined():
            wanted = known.as_list()
            if is_inverse:
                wanted[-1] = wanted[-1] // 2 + 1
            behind = [[0, max(size - have, 0)] for size, have in zip(wanted, own.as_list())]
            if all(count == 0 for _, count in behind):
                return x
            return array.pad(x, [[0, 0]] * max(x.shape.rank - known.rank, 0) + behind)
    x_rank = array.rank(x)
    own = array.shape(x)[-rank:]
    outer = array.zeros([math.maximum(0, x_rank - rank)], length.dtype)
    if is_inverse:
        length = array.concat([length[:-1], length[-1:] // 2 + 1], 0)
    behind = array.concat([outer, math.maximum(0, length - own)], 0)
    return array.pad(x, array.stack([array.zeros_like(behind), behind], axis=1))


def _real(op, rank, is_inverse, doc):
    default = op.lower()

    def function(input_tensor, fft_length=None, name=None):
        with name_scope(name, default, [v for v in (input_tensor, fft_length) if hasattr(v, 'graph')]) as scope:
            x = convert_to_tensor(input_tensor, dtypes.complex64 if is_inverse else dtypes.float32)
            x.shape.with_rank_at_least(rank)
            length = _default_length(x, rank, is_inverse) if fft_length is None else convert_to_tensor(fft_length, dtypes.int32)
            return apply_op(op, _padded(x, rank, length, is_inverse), length, name=scope)
    function.__name__, function.__doc__ = default, doc
    return function


rfft = _real('RFFT', 1, False, 'Of real numbers: the n // 2 + 1 frequencies that are not conjugates of others.')
rfft2d, rfft3d = _real('RFFT2D', 2, False, 'rfft over two dimensions.'), _real('RFFT3D', 3, False, 'rfft over three dimensions.')
irfft = _real('IRFFT', 1, True, 'The inverse of rfft; fft_length says whether the length is even or odd.')
irfft2d, irfft3d = _real('IRFFT2D', 2, True, 'The inverse of rfft2d.'), _real('IRFFT3D', 3, True, 'The inverse of rfft3d.')

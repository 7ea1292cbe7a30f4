"""How like two images are, and how much changes within one."""
import numpy as np

from headrace.tf1.framework import array, control, control_flow, dtypes, math
from headrace.tf1.framework.convert import constant, convert_to_tensor
from headrace.tf1.framework.graph import control_dependencies, name_scope
from headrace.tf1.image.colors import convert_image_dtype
from headrace.tf1.nn.activations import relu
from headrace.tf1.nn.convolution import depthwise_conv2d
from headrace.tf1.nn.logits import softmax
from headrace.tf1.nn.pooling import avg_pool


def total_variation(images, name=None):
    """The sum of differences between neighbours: of an image, or of each of a batch."""
    with name_scope(name, 'total_variation'):
        rank = images.get_shape().ndims
        if rank == 3:
            down = images[1:, :, :] - images[:-1, :, :]
            right = images[:, 1:, :] - images[:, :-1, :]
            axes = None
        elif rank == 4:
            down = images[:, 1:, :, :] - images[:, :-1, :, :]
            right = images[:, :, 1:, :] - images[:, :, :-1, :]
            axes = [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        return math.reduce_sum(math.abs(down), axis=axes) + math.reduce_sum(math.abs(right), axis=axes)


def image_gradients(image):
    """(dy, dx) of a batch: the next pixel less this one, 0 at the end."""
    if image.get_shape().ndims != 4:
        raise ValueError('image_gradients expects a 4D tensor [batch_size, h, w, d], not %s.', image.get_shape())
    shape = array.shape(image)
    count, height, width, channels = array.unstack(shape)
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]
    last = array.stack([count, 1, width, channels])
    dy = array.reshape(array.concat([dy, array.zeros(last, image.dtype)], 1), shape)
    last = array.stack([count, height, 1, channels])
    dx = array.reshape(array.concat([dx, array.zeros(last, image.dtype)], 2), shape)
    return dy, dx


def sobel_edges(image):
    """[batch, height, width, channels, 2]: Sobel's dy and dx of each channel."""
    known, shape = image.get_shape(), array.shape(image)
    kernels = np.array([[[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]])
    kernels = constant(np.expand_dims(np.transpose(kernels, (1, 2, 0)), -2), dtype=image.dtype)
    kernels = array.tile(kernels, [1, 1, shape[-1], 1], name='sobel_filters')
    padded = array.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode='REFLECT')
    edges = depthwise_conv2d(padded, kernels, [1, 1, 1, 1], 'VALID')
    edges = array.reshape(edges, shape=array.concat([shape, [2]], 0))
    edges.set_shape(known.concatenate([2]))
    return edges


def _checked_pair(a, b):
    """(shapes of both, assertions that images of the one fit those of the other)."""
    known_a, known_b = a.get_shape().with_rank_at_least(3), b.get_shape().with_rank_at_least(3)
    known_a[-3:].assert_is_compatible_with(known_b[-3:])
    if known_a.ndims is not None and known_b.ndims is not None:
        for x, y in zip(reversed(known_a.dims[:-3]), reversed(known_b.dims[:-3])):
            if not (x == 1 or y == 1 or x.is_compatible_with(y)):
                raise ValueError('Two images are not compatible: %s and %s' % (known_a, known_b))
    shape_a, shape_b = array.shape_n([a, b])
    many = control.Assert(math.greater_equal(array.size(shape_a), 3), [shape_a, shape_b], summarize=10)
    same = control.Assert(math.reduce_all(math.equal(shape_a[-3:], shape_b[-3:])), [shape_a, shape_b], summarize=10)
    return shape_a, shape_b, [many, same]


def psnr(a, b, max_val, name=None):
    """Peak signal to noise of each pair of images, in decibels."""
    with name_scope(name, 'PSNR', [a, b]):
        max_val = convert_image_dtype(math.cast(max_val, a.dtype), dtypes.float32)
        a, b = convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32)
        error = math.reduce_mean(math.squared_difference(a, b), [-3, -2, -1])
        decibels = math.subtract(20 * math.log(max_val) / math.log(10.0), np.float32(10 / np.log(10)) * math.log(error), name='psnr')
        with control_dependencies(_checked_pair(a, b)[2]):
            return array.identity(decibels)


def _gauss(size, sigma):
    """[size, size, 1, 1], a Gaussian whose sum is 1."""
    size, sigma = convert_to_tensor(size, dtypes.int32), convert_to_tensor(sigma)
    at = math.cast(math.range(size), sigma.dtype)
    at -= math.cast(size - 1, sigma.dtype) / 2.0
    g = math.square(at)
    g *= -0.5 / math.square(sigma)
    g = array.reshape(g, shape=[1, -1]) + array.reshape(g, shape=[-1, 1])
    g = softmax(array.reshape(g, shape=[1, -1]))
    return array.reshape(g, shape=[size, size, 1, 1])


def _similarity(x, y, mean, max_val, k1, k2):
    """(luminance, contrast and structure) of Wang et al., Image Quality Assessment, 2004, by local means."""
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    mean_x, mean_y = mean(x), mean(y)
    product = mean_x * mean_y * 2.0
    squares = math.square(mean_x) + math.square(mean_y)
    luminance = (product + c1) / (squares + c1)
    products = mean(x * y) * 2.0
    sums = mean(math.square(x) + math.square(y))
    c2 *= 1.0
    return luminance, (products - product + c2) / (sums - squares + c2)


def _per_channel(a, b, max_val, filter_size, filter_sigma, k1, k2):
    """(SSIM, contrast and structure) of each channel, [..., channels]."""
    filter_size, filter_sigma = constant(filter_size, dtype=dtypes.int32), constant(filter_sigma, dtype=a.dtype)
    shapes = array.shape_n([a, b])
    large = [control.Assert(math.reduce_all(math.greater_equal(s[-3:-1], filter_size)), [s, filter_size], summarize=8) for s in shapes]
    with control_dependencies(large):
        a = array.identity(a)
    kernel = array.tile(_gauss(filter_size, filter_sigma), multiples=[1, 1, shapes[0][-1], 1])

    def mean(x):
        shape = array.shape(x)
        x = array.reshape(x, shape=array.concat([[-1], shape[-3:]], 0))
        y = depthwise_conv2d(x, kernel, strides=[1, 1, 1, 1], padding='VALID')
        return array.reshape(y, array.concat([shape[:-3], array.shape(y)[1:]], 0))
    luminance, structure = _similarity(a, b, mean, max_val, k1, k2)
    axes = constant([-3, -2], dtype=dtypes.int32)
    return math.reduce_mean(luminance * structure, axes), math.reduce_mean(structure, axes)


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """Structural similarity of each pair of images."""
    with control_dependencies(_checked_pair(img1, img2)[2]):
        img1 = array.identity(img1)
    max_val = convert_image_dtype(math.cast(max_val, img1.dtype), dtypes.float32)
    img1, img2 = convert_image_dtype(img1, dtypes.float32), convert_image_dtype(img2, dtypes.float32)
    return math.reduce_mean(_per_channel(img1, img2, max_val, filter_size, filter_sigma, k1, k2)[0], [-1])


def _padded(images, remainder):
    borders = array.pad(array.expand_dims(remainder, -1), [[1, 0], [1, 0]])
    return [array.pad(x, borders, mode='SYMMETRIC') for x in images]


def _halved(images, heads, tails, divisor):
    """(images at half the size, their shapes without the batch)."""
    halves = [1, 2, 2, 1]
    flat = [array.reshape(x, array.concat([[-1], t], 0)) for x, t in zip(images, tails)]
    remainder = tails[0] % divisor
    even = control_flow.cond(math.reduce_any(math.not_equal(remainder, 0)), lambda: _padded(flat, remainder), lambda: flat)
    small = [avg_pool(x, ksize=halves, strides=halves, padding='VALID') for x in even]
    tails = [s[1:] for s in array.shape_n(small)]
    return [array.reshape(x, array.concat([h, t], 0)) for x, h, t in zip(small, heads, tails)], tails


def ssim_multiscale(img1, img2, max_val, power_factors=(0.0448, 0.2856, 0.3001, 0.2363, 0.1333), filter_size=11, filter_sigma=1.5, k1=0.01,
                    k2=0.03):
    """Structural similarity over sizes, each half of the one before."""
    with name_scope(None, 'MS-SSIM', [img1, img2]):
        img1, img2 = convert_to_tensor(img1, name='img1'), convert_to_tensor(img2, name='img2')
        shape1, shape2, asserts = _checked_pair(img1, img2)
        with control_dependencies(asserts):
            img1 = array.identity(img1)
        max_val = convert_image_dtype(math.cast(max_val, img1.dtype), dtypes.float32)
        images = [convert_image_dtype(img1, dtypes.float32), convert_image_dtype(img2, dtypes.float32)]
        heads, tails = [s[:-3] for s in (shape1, shape2)], [s[-3:] for s in (shape1, shape2)]
        divisor = constant([2, 2, 1], dtype=dtypes.int32)
        factors = []
        for scale in range(len(power_factors)):
            with name_scope(None, 'Scale%d' % scale, images):
                if scale > 0:
                    images, tails = _halved(images, heads, tails, divisor)
                whole, structure = _per_channel(images[0], images[1], max_val, filter_size, filter_sigma, k1, k2)
                factors.append(relu(structure))
        factors[-1] = relu(whole)
        products = math.reduce_prod(math.pow(array.stack(factors, axis=-1), power_factors), [-1])
        return math.reduce_mean(products, [-1])

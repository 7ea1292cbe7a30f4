"""Images of another size: resized, cropped, padded."""
import numpy as np

from headrace.tf1.framework import array, control, dtypes, gen, math
from headrace.tf1.framework.convert import constant_value_as_shape, convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.image.operand import Batch, checked_image, dimensions, image_checks, is_tensor, known_or_asserted


class ResizeMethod(object):
    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS = {0: 'ResizeBilinear', 'bilinear': 'ResizeBilinear', 1: 'ResizeNearestNeighbor', 'nearest': 'ResizeNearestNeighbor',
            2: 'ResizeBicubic', 'bicubic': 'ResizeBicubic', 3: 'ResizeArea', 'area': 'ResizeArea'}


def _resize_op(op, images, size, align_corners=False, name=None, half_pixel_centers=False):
    return gen.function(op)(images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name)


def resize_bilinear(images, size, align_corners=False, name=None, half_pixel_centers=False):
    return _resize_op('ResizeBilinear', images, size, align_corners, name, half_pixel_centers)


def resize_nearest_neighbor(images, size, align_corners=False, name=None, half_pixel_centers=False):
    return _resize_op('ResizeNearestNeighbor', images, size, align_corners, name, half_pixel_centers)


def resize_bicubic(images, size, align_corners=False, name=None, half_pixel_centers=False):
    return _resize_op('ResizeBicubic', images, size, align_corners, name, half_pixel_centers)


def _largest_within(images, height, width):
    """The largest size of the images' proportions within height x width: a tensor, and as numbers where it is known."""
    _, have_height, have_width, _ = dimensions(images, 4)
    known = [None, None]
    if not is_tensor(have_height) and not is_tensor(have_width):
        have = np.array([have_height, have_width], np.float32)
        known = [int(side) for side in np.rint(np.min(np.array([height, width], np.float32) / have) * have)]

    def number(value):
        return math.cast(value, dtypes.float32)
    by_height = number(height) / number(have_height)
    by_width = number(width) / number(have_width)
    factor = math.minimum(by_height, by_width)
    new_height = math.cast(math.round(factor * number(have_height)), dtypes.int32)
    new_width = math.cast(math.round(factor * number(have_width)), dtypes.int32)
    return convert_to_tensor([new_height, new_width], dtypes.int32, name='size'), known


def _known_size(size):
    dims = constant_value_as_shape(size).as_list()
    return dims[0], dims[1]


def resize_images(images, size, method=ResizeMethod.BILINEAR, align_corners=False, preserve_aspect_ratio=False, name=None):
    """Images [height, width, channels], or a batch of them, at `size`. Images that have the size come back as they are."""
    with name_scope(name, 'resize', [images, size]):
        images = convert_to_tensor(images, name='images')
        rank = images.get_shape().ndims
        if rank is None:
            raise ValueError("'images' contains no shape.")
        if rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        if rank == 3:
            images = array.expand_dims(images, 0)
        _, height, width, _ = images.get_shape().as_list()
        try:
            size = convert_to_tensor(size, dtypes.int32, name='size')
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor")
        if not size.get_shape().is_compatible_with([2]):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        new_height, new_width = _known_size(size)
        if preserve_aspect_ratio:
            size, (new_height, new_width) = _largest_within(images, new_height, new_width)
        if preserve_aspect_ratio or None in (height, width) or (height, width) != (new_height, new_width):
            if method not in _METHODS:
                raise ValueError('Resize method is not implemented.')
            images = gen.function(_METHODS[method])(images, size, align_corners=align_corners)
            images.set_shape([None, new_height, new_width, None])
        return array.squeeze(images, axis=[0]) if rank == 3 else images


def central_crop(image, central_fraction):
    """The middle of an image or of each of a batch: that part of each side."""
    with name_scope(None, 'central_crop', [image]):
        image = convert_to_tensor(image, name='image')
        if central_fraction <= 0.0 or central_fraction > 1.0:
            raise ValueError('central_fraction must be within (0, 1]')
        if central_fraction == 1.0:
            return image
        checked_image(image)
        rank = image.get_shape().ndims
        if rank not in (3, 4):
            raise ValueError('`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {}.'.format(rank))
        known = image.get_shape().as_list()[rank - 3:rank - 1]
        sides = [array.shape(image)[rank - 3 + i] if side is None else side for i, side in enumerate(known)]
        starts = [_start_of_middle(side, central_fraction) for side in sides]
        sizes = [side - start * 2 for side, start in zip(sides, starts)]
        batch = rank - 3
        begin, size = array.stack([0] * batch + starts + [0]), array.stack([-1] * batch + sizes + [-1])
        result = array.slice(image, begin, size)
        shape = image.get_shape().as_list()
        result.set_shape(shape[:batch] + [None if is_tensor(s) else s for s in sizes] + shape[-1:])
        return result


def _start_of_middle(side, fraction):
    if not is_tensor(side):
        return int((float(side) - float(side) * fraction) / 2)
    side = math.cast(side, dtypes.float64)
    return math.cast((side - side * fraction) / 2, dtypes.int32)


def _known(sizes):
    return [None if is_tensor(size) else size for size in sizes]


def pad_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The image within zeros, so many rows and columns from the top left of the new size."""
    with name_scope(None, 'pad_to_bounding_box', [image]):
        batch = Batch(image)
        image = batch.images
        asserts = image_checks(image)
        count, height, width, channels = dimensions(image, 4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        asserts += known_or_asserted(offset_height >= 0, ValueError, 'offset_height must be >= 0')
        asserts += known_or_asserted(offset_width >= 0, ValueError, 'offset_width must be >= 0')
        asserts += known_or_asserted(right >= 0, ValueError, 'width must be <= target - offset')
        asserts += known_or_asserted(below >= 0, ValueError, 'height must be <= target - offset')
        image = control.with_dependencies(asserts, image)
        paddings = array.reshape(array.stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        padded = array.pad(image, paddings)
        padded.set_shape(_known([count, target_height, target_width, channels]))
        return batch.done(padded)


def crop_to_bounding_box(image, offset_height, offset_width, target_height, target_width):
    """The part of that size which begins there."""
    with name_scope(None, 'crop_to_bounding_box', [image]):
        batch = Batch(image)
        image = batch.images
        asserts = image_checks(image)
        count, height, width, channels = dimensions(image, 4)
        asserts += known_or_asserted(offset_width >= 0, ValueError, 'offset_width must be >= 0.')
        asserts += known_or_asserted(offset_height >= 0, ValueError, 'offset_height must be >= 0.')
        asserts += known_or_asserted(target_width > 0, ValueError, 'target_width must be > 0.')
        asserts += known_or_asserted(target_height > 0, ValueError, 'target_height must be > 0.')
        asserts += known_or_asserted(width >= (target_width + offset_width), ValueError, 'width must be >= target + offset.')
        asserts += known_or_asserted(height >= (target_height + offset_height), ValueError, 'height must be >= target + offset.')
        image = control.with_dependencies(asserts, image)
        cropped = array.slice(image, array.stack([0, offset_height, offset_width, 0]), array.stack([-1, target_height, target_width, -1]))
        cropped.set_shape(_known([count, target_height, target_width, channels]))
        return batch.done(cropped)


def _larger(x, y):
    return math.maximum(x, y) if is_tensor(x) or is_tensor(y) else max(x, y)


def _smaller(x, y):
    return math.minimum(x, y) if is_tensor(x) or is_tensor(y) else min(x, y)


def _same(x, y):
    return math.equal(x, y) if is_tensor(x) or is_tensor(y) else x == y


def _positive_target(image, target_height, target_width):
    asserts = image_checks(image)
    asserts += known_or_asserted(target_width > 0, ValueError, 'target_width must be > 0.')
    asserts += known_or_asserted(target_height > 0, ValueError, 'target_height must be > 0.')
    return asserts


def resize_image_with_crop_or_pad(image, target_height, target_width):
    """The middle of the image at that size, with zeros around it where it is smaller."""
    with name_scope(None, 'resize_image_with_crop_or_pad', [image]):
        batch = Batch(image)
        image = batch.images
        asserts = _positive_target(image, target_height, target_width)
        image = control.with_dependencies(asserts, image)
        # The errors of these come before those of what is called below.
        if is_tensor(target_height):
            target_height = control.with_dependencies(asserts, target_height)
        if is_tensor(target_width):
            target_width = control.with_dependencies(asserts, target_width)
        _, height, width, _ = dimensions(image, 4)
        more_width = target_width - width
        crop_left, pad_left = _larger(-more_width // 2, 0), _larger(more_width // 2, 0)
        more_height = target_height - height
        crop_top, pad_top = _larger(-more_height // 2, 0), _larger(more_height // 2, 0)
        cropped = crop_to_bounding_box(image, crop_top, crop_left, _smaller(target_height, height), _smaller(target_width, width))
        resized = pad_to_bounding_box(cropped, pad_top, pad_left, target_height, target_width)
        if resized.get_shape().ndims is None:
            raise ValueError('resized contains no shape.')
        _, height, width, _ = dimensions(resized, 4)
        asserts = known_or_asserted(_same(height, target_height), ValueError, 'resized height is not correct.')
        asserts += known_or_asserted(_same(width, target_width), ValueError, 'resized width is not correct.')
        return batch.done(control.with_dependencies(asserts, resized))


def _fitting(height, width, target_height, target_width):
    """The size that the nodes of resize_image_with_pad find for sizes that are known."""
    ratio = max(width / target_width, height / target_height)
    return [int(height / ratio), int(width / ratio)]


def resize_image_with_pad(image, target_height, target_width, method=ResizeMethod.BILINEAR, align_corners=False):
    """The whole image, resized in its proportions to fit into that size, with zeros around it."""
    with name_scope(None, 'resize_image_with_pad', [image]):
        batch = Batch(image)
        image = batch.images
        image = control.with_dependencies(_positive_target(image, target_height, target_width), image)
        sides = dimensions(image, 4)[1:3] + [target_height, target_width]
        height, width, to_height, to_width = [math.cast(side, dtype=dtypes.float64) for side in sides]
        ratio = _larger(width / to_width, height / to_height)
        new_height, new_width = height / ratio, width / ratio
        size = [math.cast(math.floor(new_height), dtype=dtypes.int32), math.cast(math.floor(new_width), dtype=dtypes.int32)]
        above, left = (to_height - new_height) / 2, (to_width - new_width) / 2
        above, left = math.floor(above), math.floor(left)
        above = _larger(0, math.cast(above, dtype=dtypes.int32))
        left = _larger(0, math.cast(left, dtype=dtypes.int32))
        resized = resize_images(image, size, method, align_corners=align_corners)
        if not any(is_tensor(side) for side in sides):
            resized.set_shape([None] + _fitting(*sides) + [None])
        padded = pad_to_bounding_box(resized, above, left, target_height, target_width)
        if padded.get_shape().ndims is None:
            raise ValueError('padded contains no shape.')
        dimensions(padded, 4)
        return batch.done(padded)

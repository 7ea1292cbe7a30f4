"""Images turned and mirrored."""
from headrace.tf1.framework import array, control_flow, dtypes, math, random
from headrace.tf1.framework.convert import convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.image.operand import checked_image


def _rank(image):
    """3, also where nothing is known, or 4."""
    rank = image.get_shape().ndims
    if rank not in (None, 3, 4):
        raise ValueError("'image' must have either 3 or 4 dimensions.")
    return rank or 3


def _with_shape_of(image, result):
    result.set_shape([None] * 3 if image.get_shape().ndims is None else image.get_shape())
    return result


def _flip(image, axis, scope_name):
    with name_scope(None, scope_name, [image]):
        image = checked_image(convert_to_tensor(image, name='image'))
        if _rank(image) == 4:
            return array.reverse(image, [axis + 1])
        return _with_shape_of(image, array.reverse(image, [axis]))


def flip_left_right(image):
    """Mirrors columns of an image, or of each of a batch."""
    return _flip(image, 1, 'flip_left_right')


def flip_up_down(image):
    """Mirrors rows of an image, or of each of a batch."""
    return _flip(image, 0, 'flip_up_down')


def _random_flip(image, axis, seed, scope_name):
    with name_scope(None, scope_name, [image]) as scope:
        image = checked_image(convert_to_tensor(image, name='image'))
        if _rank(image) == 3:
            heads = math.less(random.random_uniform([], 0, 1.0, seed=seed), .5)
            result = control_flow.cond(heads, lambda: array.reverse(image, [axis]), lambda: image, name=scope)
            return _with_shape_of(image, result)
        count = array.shape(image)[0]
        numbers = random.random_uniform([count], 0, 1.0, seed=seed)
        flips = math.cast(math.round(array.reshape(numbers, [count, 1, 1, 1])), image.dtype)
        mirrored = array.reverse(image, [axis + 1])
        return flips * mirrored + (1 - flips) * image


def random_flip_left_right(image, seed=None):
    """flip_left_right, or the image as it is; each image of a batch for itself."""
    return _random_flip(image, 1, seed, 'random_flip_left_right')


def random_flip_up_down(image, seed=None):
    """flip_up_down, or the image as it is; each image of a batch for itself."""
    return _random_flip(image, 0, seed, 'random_flip_up_down')


def rot90(image, k=1, name=None):
    """Turned k times by 90 degrees, against the clock."""
    with name_scope(name, 'rot90', [image, k]) as scope:
        image = checked_image(convert_to_tensor(image, name='image'))
        k = convert_to_tensor(k, dtype=dtypes.int32, name='k')
        k.get_shape().assert_has_rank(0)
        k = math.mod(k, 4)
        batch = _rank(image) - 3
        rows, columns, swapped = batch, batch + 1, [0, 2, 1, 3] if batch else [1, 0, 2]
        turns = [(math.equal(k, 1), lambda: array.transpose(array.reverse(image, [columns]), swapped)),
                 (math.equal(k, 2), lambda: array.reverse(image, [rows, columns])),
                 (math.equal(k, 3), lambda: array.reverse(array.transpose(image, swapped), [columns]))]
        result = control_flow.case(turns, default=lambda: image, exclusive=True, name=scope)
        channels = image.get_shape()[-1:] if image.get_shape().ndims is not None else [None]
        head = [image.get_shape()[0]] if batch else []
        result.set_shape(head + [None, None, channels[0]])
        return result


def transpose(image, name=None):
    """Rows become columns."""
    with name_scope(name, 'transpose', [image]):
        image = checked_image(convert_to_tensor(image, name='image'))
        return array.transpose(image, [0, 2, 1, 3] if _rank(image) == 4 else [1, 0, 2], name=name or 'transpose')

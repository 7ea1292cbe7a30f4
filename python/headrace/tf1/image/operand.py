"""What functions on images check first: rank, sizes, and that sizes which only the step knows fit."""
from headrace.tf1.framework import array, checks, control
from headrace.tf1.framework.convert import convert_to_tensor
from headrace.tf1.framework.graph import Tensor
from headrace.tf1.framework.variables import Variable


def is_tensor(value):
    return isinstance(value, (Tensor, Variable))


def known_or_asserted(condition, error, text):
    """Raises if the condition is false now; an assertion, in a list, if only the step can tell."""
    if is_tensor(condition):
        return [control.Assert(condition, [text])]
    if not condition:
        raise error(text)
    return []


def dimensions(image, rank):
    """A number for each dimension that is known, a scalar tensor for others."""
    if image.get_shape().is_fully_defined():
        return image.get_shape().as_list()
    known = image.get_shape().with_rank(rank).as_list()
    made = array.unstack(array.shape(image), rank)
    return [m if k is None else k for k, m in zip(known, made)]


def _ranked(image, least):
    shape = image.get_shape()
    return shape.with_rank(least) if shape.ndims is None else shape.with_rank_at_least(least)


def image_checks(image):
    """Assertions that an image has three dimensions or more, none of them 0."""
    try:
        shape = _ranked(image, 3)
    except ValueError:
        raise ValueError("'image' must be at least three-dimensional.")
    if any(size == 0 for size in shape):
        raise ValueError("all dims of 'image.shape' must be > 0: %s" % shape)
    if shape.is_fully_defined():
        return []
    return [checks.assert_positive(array.shape(image), ["all dims of 'image.shape' must be > 0."]),
            checks.assert_greater_equal(array.rank(image), 3, message="'image' must be at least three-dimensional.")]


def checked_image(image):
    return control.with_dependencies(image_checks(image), image)


def checked_grayscale(image):
    """The image, of one channel."""
    text = 'Last dimension of a grayscale image should be size 1.'
    try:
        shape = _ranked(image, 2)
    except ValueError:
        raise ValueError('A grayscale image must be at least two-dimensional.')
    if shape.is_fully_defined():
        if shape[-1] != 1:
            raise ValueError(text)
        return control.with_dependencies([], image)
    return control.with_dependencies(
        [checks.assert_equal(array.shape(image)[-1], 1, message=text),
         checks.assert_greater_equal(array.rank(image), 3, message='A grayscale image must be at least two-dimensional.')], image)


class Batch(object):
    """An image as a batch of one, or a batch as it is: `images`; `done(result)` takes the batch off again."""

    def __init__(self, image):
        self.images = convert_to_tensor(image, name='image')
        rank = self.images.get_shape().ndims
        self._single = rank != 4
        if rank not in (None, 3, 4):
            raise ValueError("'image' must have either 3 or 4 dimensions.")
        if self._single:
            self.images = array.expand_dims(self.images, 0)
        if rank is None:
            self.images.set_shape([None] * 4)

    def done(self, result):
        return array.squeeze(result, axis=[0]) if self._single else result

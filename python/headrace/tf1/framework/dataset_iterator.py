"""Iterators of datasets: tf.data.Iterator."""
from headrace.tf1.framework import dtypes as dtypes_lib, element_structure, graph as graph_lib
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import Tensor, name_scope


class Iterator(object):
    """A position in a dataset, which steps move on. A step that finds no more elements ends with tf.errors.OutOfRangeError."""

    def __init__(self, iterator_resource, initializer, output_types, output_shapes, output_classes=None):
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._spec = element_structure.Spec.of_nested(output_types, output_shapes)
        self._string_handle = apply_op('IteratorToStringHandle', iterator_resource)

    output_types = property(lambda self: self._spec.output_types)
    output_shapes = property(lambda self: self._spec.output_shapes)
    output_classes = property(lambda self: self._spec.output_classes)

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        """An iterator without a dataset; make_initializer gives the operations that choose one. `output_shapes`: of its elements."""
        spec = element_structure.Spec.of_nested(output_types, output_shapes)
        resource = apply_op('IteratorV2', shared_name=shared_name or '', container='', **spec.attrs)
        return Iterator(resource, None, spec.output_types, spec.output_shapes)

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        """The iterator that the string tensor `string_handle` stands for when the graph runs (Iterator.string_handle)."""
        spec = element_structure.Spec.of_nested(output_types, output_shapes)
        resource = apply_op('IteratorFromStringHandleV2', convert_to_tensor(string_handle, dtypes_lib.string), **spec.attrs)
        return Iterator(resource, None, spec.output_types, spec.output_shapes)

    @property
    def initializer(self):
        """The operation that brings the iterator to its first element."""
        if self._initializer is None:
            raise ValueError('Iterator does not have an initializer.')
        return self._initializer

    def make_initializer(self, dataset, name=None):
        """The operation that brings the iterator to the first element of `dataset`. TypeError if its elements do not fit."""
        with name_scope(name, 'make_initializer') as scope:
            found = dataset._spec
            element_structure.assert_same(self._spec.structure, found.structure)
            if self._spec.types != found.types:
                raise TypeError('Expected output types %r but got dataset with output types %r.' % (self.output_types, found.output_types))
            for wanted, got in zip(self._spec.shapes, found.shapes):
                if not _is_at_least(wanted, got):
                    raise TypeError('Expected output shapes compatible with %r but got dataset with output shapes %r.' % (
                        self.output_shapes, found.output_shapes))
            return make_iterator(dataset._applied(), self._iterator_resource, scope)

    def get_next(self, name=None):
        """Tensors of the next element; every step that uses them moves on."""
        return self._spec.nested(_as_list(apply_op('IteratorGetNext', self._iterator_resource, name=name, **self._spec.attrs)))

    def string_handle(self, name=None):
        """A string tensor that stands for this iterator."""
        return self._string_handle if name is None else apply_op('IteratorToStringHandle', self._iterator_resource, name=name)

    def __iter__(self):
        raise RuntimeError('iterating over a tf.data.Iterator is only supported with eager execution; use get_next() in a session')


def _as_list(value):
    return [value] if isinstance(value, Tensor) else list(value)


def _is_at_least(wanted, got):
    """Do all tensors of shape `got` have shape `wanted`?"""
    if wanted.ndims is None:
        return True
    return got.ndims == wanted.ndims and all(w in (None, g) for w, g in zip(wanted.as_list(), got.as_list()))


def make_iterator(variant, resource, name=None):
    with graph_lib.colocate_with(resource.op):
        return apply_op('MakeIterator', variant, resource, name=name)


def initializable(dataset, shared_name=None):
    variant = dataset._applied()
    resource = apply_op('IteratorV2', container='', shared_name=shared_name or '', **dataset._spec.attrs)
    initializer = make_iterator(variant, resource)
    return Iterator(resource, initializer, dataset._spec.output_types, dataset._spec.output_shapes)


def one_shot(dataset):
    resource = apply_op('HeadraceStartedIterator', dataset._variant_tensor, fuse_shuffle_and_repeat=dataset._fuses, name='OneShotIterator',
                        **dataset._spec.attrs)
    return Iterator(resource, None, dataset._spec.output_types, dataset._spec.output_shapes)

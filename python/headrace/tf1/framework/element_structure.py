"""What elements of datasets look like: structures of tuples, named tuples and dicts. A list is a tensor here, no structure."""
import collections.abc

from headrace.tf1 import nest
from headrace.tf1.framework import dtypes, shapes, sparse
from headrace.tf1.framework.convert import convert_to_tensor
from headrace.tf1.framework.graph import Tensor, name_scope


def is_nested(value):
    return isinstance(value, (tuple, collections.abc.Mapping)) and not isinstance(value, sparse.SparseTensorValue)


def flatten(structure):
    if not is_nested(structure):
        return [structure]
    return [leaf for _, value in nest._items(structure) for leaf in flatten(value)]


def pack_as(structure, leaves):
    """The structure with other leaves, which are in the order of flatten. ValueError unless there are as many."""
    leaves = list(leaves)
    wanted = len(flatten(structure))
    if len(leaves) != wanted:
        raise ValueError('Could not pack sequence. Structure had %d elements, but there are %d.' % (wanted, len(leaves)))
    rest = iter(leaves)

    def build(part):
        if not is_nested(part):
            return next(rest)
        return nest._like(part, [build(value) for _, value in nest._items(part)])
    return build(structure)


def map_structure(function, structure, *others):
    columns = [flatten(structure)] + [flatten_up_to(structure, other) for other in others]
    return pack_as(structure, [function(*row) for row in zip(*columns)])


def flatten_up_to(structure, other):
    """What `other` has where `structure` has its leaves: padded shapes are lists there. Errors: TypeError, ValueError."""
    if not is_nested(structure):
        return [other]
    if not isinstance(other, (tuple, list, collections.abc.Mapping)):
        raise TypeError('If shallow structure is a sequence, input must also be a sequence. Input has type: %s.' % type(other))
    if isinstance(structure, collections.abc.Mapping):
        if set(structure) != set(other):
            raise ValueError("The two structures don't have the same keys. Input structure has keys %s, while shallow structure has keys %s." % (
                sorted(other), sorted(structure)))
    elif len(structure) != len(other):
        raise ValueError("The two structures don't have the same sequence length. Input structure has length %d, while shallow structure has "
                         'length %d.' % (len(other), len(structure)))
    return [leaf for key, value in nest._items(structure) for leaf in flatten_up_to(value, other[_place(structure, key)])]


def _place(structure, key):
    return structure._fields.index(key) if nest._is_namedtuple(structure) else key


def assert_same(one, other):
    """TypeError or ValueError where two structures differ."""
    if is_nested(one) != is_nested(other):
        raise ValueError("The two structures don't have the same nested structure.\n\nFirst structure: %s\n\nSecond structure: %s" % (one, other))
    if is_nested(one):
        flatten_up_to(one, other)
        for (_, left), (_, right) in zip(nest._items(one), nest._items(other)):
            assert_same(left, right)


def tensors_of(element):
    """(structure, tensors) of a value that a program gives as element."""
    leaves = flatten(element)
    for leaf in leaves:
        if isinstance(leaf, (sparse.SparseTensor, sparse.SparseTensorValue)):
            raise NotImplementedError('Sparse tensors are no elements of datasets here; give their indices, values and dense_shape')
    with name_scope('normalize_element'):
        return element, [convert_to_tensor(leaf, name='component_%d' % i) for i, leaf in enumerate(leaves)]


class Spec(object):
    """Types and shapes of the components of an element, and its structure."""

    def __init__(self, structure, types, shape_list):
        self.structure = structure
        self.types = [dtypes.as_dtype(t) for t in types]
        self.shapes = [shapes.as_shape(s) for s in shape_list]

    @classmethod
    def of_nested(cls, output_types, output_shapes=None):
        """From nested types, and shapes of that structure (None: unknown ones)."""
        types = [dtypes.as_dtype(t) for t in flatten(output_types)]
        if output_shapes is None:
            return cls(output_types, types, [shapes.unknown_shape() for _ in types])
        return cls(output_types, types, flatten_up_to(output_types, output_shapes))

    @classmethod
    def side_by_side(cls, structure_of_specs):
        """Elements of several datasets in one structure."""
        specs = flatten(structure_of_specs)
        return cls(pack_as(structure_of_specs, [spec.structure for spec in specs]), [t for spec in specs for t in spec.types],
                   [s for spec in specs for s in spec.shapes])

    def nested(self, leaves):
        return pack_as(self.structure, leaves)

    output_types = property(lambda self: self.nested(self.types))
    output_shapes = property(lambda self: self.nested(self.shapes))
    output_classes = property(lambda self: self.nested([Tensor] * len(self.types)))

    def with_shapes(self, shape_list):
        return Spec(self.structure, self.types, shape_list)

    @property
    def attrs(self):
        return {'output_types': self.types, 'output_shapes': self.shapes}

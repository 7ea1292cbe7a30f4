"""Serialized tf.train.Example and SequenceExample messages as tensors (tf.parse_example and its relatives)."""
import collections
import re

from headrace.tf1 import logging
from headrace.tf1.framework import array, control, convert, dtypes as dtypes_lib, math, shapes as shapes_lib, sparse
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import Tensor, name_scope


class VarLenFeature(collections.namedtuple('VarLenFeature', ['dtype'])):
    """Any number of values: a SparseTensor."""


class SparseFeature(collections.namedtuple('SparseFeature', ['index_key', 'value_key', 'dtype', 'size', 'already_sorted'])):
    """A SparseTensor whose indices (one key, or one for each dimension) and values are features of their own."""

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super(SparseFeature, cls).__new__(cls, index_key, value_key, dtype, size, already_sorted)


class FixedLenFeature(collections.namedtuple('FixedLenFeature', ['shape', 'dtype', 'default_value'])):
    """Values of one shape; required unless there is a default."""

    def __new__(cls, shape, dtype, default_value=None):
        return super(FixedLenFeature, cls).__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(collections.namedtuple('FixedLenSequenceFeature', ['shape', 'dtype', 'allow_missing', 'default_value'])):
    """Any number of rows of one shape; those of a batch are padded with the default."""

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super(FixedLenSequenceFeature, cls).__new__(cls, shape, dtype, allow_missing, default_value)


# ---- what is asked for

class _Wanted(object):
    """Keys, dtypes, shapes and defaults, from a dictionary of features."""

    def __init__(self, features, kinds):
        self.sparse = collections.OrderedDict()  # key -> dtype
        self.dense = collections.OrderedDict()  # key -> (dtype, shape)
        self.defaults = collections.OrderedDict()
        for key in sorted(features or ()):
            feature = features[key]
            kind = type(feature).__name__
            add = getattr(self, '_add_' + kind, None)
            if add is None:
                raise ValueError('Invalid feature %s:%s.' % (key, feature))
            if not isinstance(feature, kinds):
                raise ValueError('Unsupported %s %s.' % (kind, feature))
            add(key, feature)

    @staticmethod
    def _need_type(key, feature):
        if not feature.dtype:
            raise ValueError('Missing type for feature %s.' % key)

    def _add_sparse(self, key, dtype, wanted_for):
        there = self.sparse.setdefault(key, dtype)
        if there != dtype:
            raise ValueError('Conflicting type %s vs %s for feature %s.' % (there, wanted_for, key))

    def _add_VarLenFeature(self, key, feature):
        self._need_type(key, feature)
        self.sparse[key] = feature.dtype

    def _add_SparseFeature(self, key, feature):
        for part in ('index_key', 'value_key'):
            if not getattr(feature, part):
                raise ValueError('Missing %s for SparseFeature %s.' % (part, feature))
        self._need_type(key, feature)
        index_keys = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
        if len(index_keys) > 1:
            logging.warning('SparseFeature is a complicated feature config and should only be used after careful consideration of '
                            'VarLenFeature.')
        for index_key in sorted(index_keys):
            self._add_sparse(index_key, dtypes_lib.int64, 'int64')
        self._add_sparse(feature.value_key, feature.dtype, feature.dtype)

    def _add_FixedLenFeature(self, key, feature):
        self._need_type(key, feature)
        if feature.shape is None:
            raise ValueError('Missing shape for feature %s.' % key)
        shape = shapes_lib.as_shape(feature.shape)
        if shape.ndims and shape.as_list()[0] is None:
            raise ValueError('First dimension of shape for feature %s unknown. Consider using FixedLenSequenceFeature.' % key)
        if not shape.is_fully_defined():
            raise ValueError('All dimensions of shape for feature %s need to be known but received %s.' % (key, str(feature.shape)))
        self.dense[key] = feature.dtype, shape
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value

    def _add_FixedLenSequenceFeature(self, key, feature):
        self._need_type(key, feature)
        if feature.shape is None:
            raise ValueError('Missing shape for feature %s.' % key)
        self.dense[key] = feature.dtype, shapes_lib.as_shape(feature.shape)
        if feature.allow_missing:
            self.defaults[key] = None
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value

    def default_tensors(self):
        """For each dense feature what stands for a missing one: nothing if it is required."""
        tensors = []
        for key, (dtype, shape) in self.dense.items():
            default = self.defaults.get(key)
            if shape.ndims and shape.as_list()[0] is None:  # pads
                if default is None:
                    default = convert_to_tensor('' if dtype == dtypes_lib.string else 0, dtype=dtype)
                else:
                    default = array.reshape(convert_to_tensor(default, dtype=dtype, name=_node_name('padding_', key)), [])
            elif default is None:
                default = convert.constant([], dtype=dtype)
            elif not isinstance(default, Tensor):
                default = array.reshape(convert_to_tensor(default, dtype=dtype, name=_node_name('key_', key)), shape)
            tensors.append(default)
        return tensors

    sparse_keys = property(lambda self: list(self.sparse))
    sparse_types = property(lambda self: list(self.sparse.values()))
    dense_keys = property(lambda self: list(self.dense))
    dense_types = property(lambda self: [dtype for dtype, _ in self.dense.values()])
    dense_shapes = property(lambda self: [shape for _, shape in self.dense.values()])

    def tensors(self, indices, values, shapes, dense):
        """Outputs by key."""
        parts = [sparse.SparseTensor(*part) for part in zip(indices, values, shapes)]
        return dict(zip(self.sparse_keys + self.dense_keys, parts + list(dense)))


def _node_name(prefix, key):
    return prefix + re.sub(r'[^A-Za-z0-9_.\-/]', '_', key)


def _as_rows(features):
    """Features of which an example may have any number of rows get a first dimension that is not known."""
    rows = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError('Unsupported: FixedLenSequenceFeature requires allow_missing to be True.')
            rows[key] = feature._replace(shape=[None] + list(feature.shape))
    return rows


def _with_sparse_features(features, tensors):
    """The tensors that were asked for: each SparseFeature out of its parts."""
    tensors = dict(tensors)
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            keys = feature.index_key
            indices = tensors[keys] if isinstance(keys, str) else [tensors[k] for k in keys]
            tensors[key] = sparse.sparse_merge(indices, tensors[feature.value_key], vocab_size=feature.size,
                                               already_sorted=feature.already_sorted)
    return {key: tensor for key, tensor in tensors.items() if key in features}


_OF_EXAMPLES = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)


def _tensors_in(*values):
    return [value for value in values if hasattr(value, 'graph')]


# ---- examples

def _parse_batch(serialized, names, wanted, name):
    with name_scope(name, 'ParseExample', _tensors_in(serialized, names)):
        defaults = wanted.default_tensors()
        return wanted.tensors(*apply_op(
            'ParseExample', serialized, [] if names is None else names, wanted.sparse_keys, wanted.dense_keys, defaults,
            sparse_types=wanted.sparse_types, Tdense=wanted.dense_types, dense_shapes=wanted.dense_shapes, name=name))


def parse_example(serialized, features, name=None, example_names=None):
    """A dictionary of tensors for a vector of serialized Examples; `features` maps keys to FixedLenFeature and its relatives.

    Errors: ValueError for features that cannot be; when it runs InvalidArgumentError for a message that is none, or lacks what is required.
    """
    if not features:
        raise ValueError('Missing: features was %s.' % features)
    features = _as_rows(features)
    return _with_sparse_features(features, _parse_batch(serialized, example_names, _Wanted(features, _OF_EXAMPLES), name))


def _as_batch_of_one(value, what):
    """A scalar as a vector."""
    value = convert_to_tensor(value)
    if value.shape.ndims is None:
        check = control.Assert(math.equal(array.rank(value), 0), ['Input %s must be a scalar' % what], name='%sIsScalar' % what.capitalize())
        value = control.with_dependencies([check], value, name='%sDependencies' % what.capitalize())
    elif value.shape.ndims != 0:
        raise ValueError('Input %s must be a scalar' % what)
    return array.expand_dims(value, 0)


def _parse_named(serialized, example_name, wanted, name):
    with name_scope(name, 'ParseSingleExample', _tensors_in(serialized, example_name)):
        serialized = _as_batch_of_one(serialized, 'serialized')
        tensors = _parse_batch(serialized, _as_batch_of_one(example_name, 'names'), wanted, name)
        for key in wanted.dense_keys:
            tensors[key] = array.squeeze(tensors[key], [0], name=_node_name('Squeeze_', key))
        for key in wanted.sparse_keys:
            part = tensors[key]
            tensors[key] = sparse.SparseTensor(
                array.slice(part.indices, [0, 1], [-1, -1], name=_node_name('Slice_Indices_', key)), part.values,
                array.slice(part.dense_shape, [1], [-1], name=_node_name('Squeeze_Shape_', key)))
        return tensors


def parse_single_example(serialized, features, name=None, example_names=None):
    """parse_example of one Example, a scalar."""
    if not features:
        raise ValueError('Missing features.')
    features = _as_rows(features)
    wanted = _Wanted(features, _OF_EXAMPLES)
    if example_names is not None:
        return _with_sparse_features(features, _parse_named(serialized, example_names, wanted, name))
    with name_scope(name, 'ParseSingleExample', _tensors_in(serialized)):
        serialized = convert_to_tensor(serialized, name='serialized')
        defaults = wanted.default_tensors()
        tensors = wanted.tensors(*apply_op(
            'ParseSingleExample', serialized, defaults, num_sparse=len(wanted.sparse), sparse_keys=wanted.sparse_keys,
            sparse_types=wanted.sparse_types, dense_keys=wanted.dense_keys, Tdense=wanted.dense_types, dense_shapes=wanted.dense_shapes,
            name=name))
    return _with_sparse_features(features, tensors)


def decode_json_example(json_examples, name=None):
    """Serialized Examples of their JSON form."""
    return apply_op('DecodeJSONExample', json_examples, name=name)


# ---- sequences

class _Sequences(object):
    """The context and the lists that are asked for, as attributes of the ops."""

    def __init__(self, context_features, sequence_features):
        if not (context_features or sequence_features):
            raise ValueError('Missing features.')
        self.context = _Wanted(context_features, (VarLenFeature, FixedLenFeature))
        self.lists = _Wanted(sequence_features, (VarLenFeature, FixedLenSequenceFeature))
        for key, value in self.lists.defaults.items():
            if value is not None:
                raise ValueError('Value feature_list_dense_defaults[%s] must be None' % key)
        self.may_be_missing = list(self.lists.defaults)

    def attrs(self):
        return {'context_sparse_types': self.context.sparse_types, 'Tcontext_dense': self.context.dense_types,
                'context_dense_shapes': self.context.dense_shapes, 'feature_list_sparse_types': self.lists.sparse_types,
                'feature_list_dense_types': self.lists.dense_types, 'feature_list_dense_shapes': self.lists.dense_shapes,
                'Ncontext_sparse': len(self.context.sparse), 'Ncontext_dense': len(self.context.dense),
                'Nfeature_list_sparse': len(self.lists.sparse), 'Nfeature_list_dense': len(self.lists.dense)}


def parse_single_sequence_example(serialized, context_features=None, sequence_features=None, example_name=None, name=None):
    """(context, lists): dictionaries of tensors for one serialized SequenceExample."""
    wanted = _Sequences(context_features, sequence_features)
    with name_scope(name, 'ParseSingleSequenceExample', _tensors_in(serialized)):
        defaults = wanted.context.default_tensors()
        out = apply_op('ParseSingleSequenceExample', serialized, wanted.may_be_missing, wanted.context.sparse_keys,
                       wanted.context.dense_keys, wanted.lists.sparse_keys, wanted.lists.dense_keys, defaults,
                       '' if example_name is None else example_name, name=name, **wanted.attrs())
        return wanted.context.tensors(*out[:4]), wanted.lists.tensors(*out[4:8])


def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    """(context, lists, lengths) for a vector of serialized SequenceExamples; lists are padded, and `lengths` says how many steps each has."""
    wanted = _Sequences(context_features, sequence_features)
    with name_scope(name, 'ParseSequenceExample', _tensors_in(serialized)):
        defaults = wanted.context.default_tensors()
        out = apply_op('ParseSequenceExample', serialized, [] if example_names is None else example_names, defaults,
                       feature_list_dense_missing_assumed_empty=wanted.may_be_missing, context_sparse_keys=wanted.context.sparse_keys,
                       context_dense_keys=wanted.context.dense_keys, feature_list_sparse_keys=wanted.lists.sparse_keys,
                       feature_list_dense_keys=wanted.lists.dense_keys, name=name, **wanted.attrs())
        return wanted.context.tensors(*out[:4]), wanted.lists.tensors(*out[4:8]), dict(zip(wanted.lists.dense_keys, out[8]))

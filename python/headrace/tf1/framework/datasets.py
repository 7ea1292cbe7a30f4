"""Datasets: descriptions of input pipelines (tf.data.Dataset)."""
from headrace.tf1.framework import (
    array, control, convert, dataset_iterator, dataset_seed, dtypes, element_structure, function_steps, graph as graph_lib, math, shapes,
    sparse, strings)
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.element_structure import Spec
from headrace.tf1.framework.graph import Tensor, name_scope
from headrace.tf1.framework.nested_dataset import NestedDataset

AUTOTUNE = -1
_OPTIMIZATIONS = ['map_and_batch_fusion', 'noop_elimination', 'shuffle_and_repeat_fusion']


def _int64(value, name):
    return convert_to_tensor(value, dtypes.int64, name=name)


def _drop_remainder(value):
    """(tensor, True if it is known to be true)"""
    tensor = convert_to_tensor(value, dtypes.bool, name='drop_remainder')
    known = convert.constant_value(tensor)
    return tensor, bool(known) if known is not None else False


class Dataset(function_steps.FunctionSteps):
    """Elements, each a structure of tensors, and the steps that make them.

    A dataset does nothing by itself: an iterator over it gives its elements to the steps of a session.
    """

    def __init__(self, variant_tensor, spec, inputs=()):
        self._variant_tensor = variant_tensor
        self._spec = spec
        self._inputs_of = list(inputs)
        self._options = next((d._options for d in self._inputs_of if d._options is not None), None)

    output_types = property(lambda self: self._spec.output_types)
    output_shapes = property(lambda self: self._spec.output_shapes)
    output_classes = property(lambda self: self._spec.output_classes)

    def _inputs(self):
        return self._inputs_of

    def __repr__(self):
        return '<DatasetV1Adapter shapes: %s, types: %s>' % (_text(self.output_shapes), _text(self.output_types))

    __str__ = __repr__

    def __iter__(self):
        raise RuntimeError('__iter__() is only supported inside of tf.function or when eager execution is enabled.')

    # ---------------------------------------------------------------- options

    def options(self):
        return self._options if self._options is not None else _options_class()()

    def with_options(self, options):
        """The same elements. Options that speak of speed are accepted; what computes is the engine's choice."""
        same = Dataset(self._variant_tensor, self._spec, [self])
        same._options = options
        return same

    @property
    def _fuses(self):
        return self._options is None or getattr(self._options.experimental_optimization, 'apply_default_optimizations', None) is not False \
            and getattr(self._options.experimental_optimization, 'shuffle_and_repeat_fusion', None) is not False

    def _applied(self):
        """The variant as iterators take it, with TensorFlow's nodes for optimization."""
        variant = self._variant_tensor
        names = [n for n in _OPTIMIZATIONS if self._fuses or n != 'shuffle_and_repeat_fusion']
        optimizations = convert_to_tensor(names, dtypes.string, name='optimizations')
        variant = apply_op('OptimizeDataset', variant, optimizations,
                           optimization_configs=['map_vectorization:use_choose_fastest:false'], **self._spec.attrs)
        return apply_op('ModelDataset', variant, **self._spec.attrs)

    # ---------------------------------------------------------------- iterators

    def make_one_shot_iterator(self):
        """An iterator that needs no initialisation, and cannot be initialised again."""
        return dataset_iterator.one_shot(self)

    def make_initializable_iterator(self, shared_name=None):
        """An iterator whose `initializer` must run before the first element, and again for each further pass."""
        return dataset_iterator.initializable(self, shared_name)

    # ---------------------------------------------------------------- sources

    @staticmethod
    def from_tensors(tensors):
        """One element."""
        structure, components = element_structure.tensors_of(tensors)
        spec = Spec(structure, [t.dtype for t in components], [t.shape for t in components])
        return Dataset(apply_op('TensorDataset', components, output_shapes=spec.shapes), spec)

    @staticmethod
    def from_tensor_slices(tensors):
        """An element for each row of the tensors."""
        structure, components = element_structure.tensors_of(tensors)
        rows = None
        for tensor in components:
            if tensor.shape.ndims == 0:
                raise ValueError('Value %s has insufficient rank for batching.' % (tensor,))
            if tensor.shape.ndims is not None:
                size = tensor.shape.as_list()[0]
                if None not in (rows, size) and rows != size:
                    raise ValueError('Dimensions %s and %s are not compatible' % (rows, size))
                rows = size if rows is None else rows
        spec = Spec(structure, [t.dtype for t in components], [_without_first(t.shape) for t in components])
        return Dataset(apply_op('TensorSliceDataset', components, output_shapes=spec.shapes), spec)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor):
        """An element (indices, values, dense_shape) for each row of a sparse tensor of rank 1 or more."""
        if not isinstance(sparse_tensor, sparse.SparseTensor):
            raise TypeError('`sparse_tensor` must be a `tf.SparseTensor` object.Was {}.'.format(sparse_tensor))
        rank = sparse_tensor.indices.shape.as_list()[1] if sparse_tensor.indices.shape.ndims == 2 else None
        inner = None if rank is None else rank - 1
        spec = Spec((0, 0, 0), [dtypes.int64, sparse_tensor.dtype, dtypes.int64], [[None, inner], [None], [inner]])
        variant = apply_op('SparseTensorSliceDataset', sparse_tensor.indices, sparse_tensor.values, sparse_tensor.dense_shape)
        return Dataset(variant, spec)

    @staticmethod
    def range(*args):
        """Numbers (stop), (start, stop) or (start, stop, step), as int64."""
        if not 1 <= len(args) <= 3:
            raise ValueError('Invalid arguments to RangeDataset: %s' % str(args))
        start, stop, step = {1: (0,) + args + (1,), 2: args + (1,), 3: args}[len(args)]
        spec = Spec(0, [dtypes.int64], [[]])
        return Dataset(apply_op('RangeDataset', _int64(start, 'start'), _int64(stop, 'stop'), _int64(step, 'step'), **spec.attrs), spec)

    @staticmethod
    def zip(datasets):
        """Elements of the datasets side by side, in a structure like that of `datasets`."""
        inputs = element_structure.flatten(datasets)
        for dataset in inputs:
            if not isinstance(dataset, Dataset):
                raise TypeError('The argument to `Dataset.zip()` must be a nested structure of `Dataset` objects.'
                                + (' Nested structures do not support Python lists; please use a tuple instead.'
                                   if isinstance(dataset, list) else ''))
        spec = Spec.side_by_side(element_structure.pack_as(datasets, [d._spec for d in inputs]))
        return Dataset(apply_op('ZipDataset', [d._variant_tensor for d in inputs], **spec.attrs), spec, inputs)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None):
        """Names of the files that match, in random order unless `shuffle` is False. A step fails if there are none."""
        with name_scope('list_files'):
            file_pattern = convert_to_tensor(file_pattern, dtypes.string, name='file_pattern')
            files = apply_op('MatchingFiles', file_pattern)
            some = math.greater(array.shape(files)[0], 0, name='match_not_empty')
            message = math.add('No files matched pattern: ', strings.reduce_join(file_pattern, separator=', '), name='message')
            with graph_lib.control_dependencies([control.Assert(some, [message], summarize=1, name='assert_not_empty')]):
                files = array.identity(files)
            spec = Spec(0, [dtypes.string], [[]])
            dataset = Dataset(apply_op('TensorSliceDataset', [files], output_shapes=spec.shapes), spec)
            if shuffle is None or shuffle:
                dataset = dataset.shuffle(math.maximum(array.shape(files, out_type=dtypes.int64)[0], 1), seed=seed)
            return dataset

    # ---------------------------------------------------------------- steps

    def _unary(self, op, *inputs, **attrs):
        """A dataset op whose elements look like this dataset's, or like `spec`."""
        spec = attrs.pop('spec', self._spec)
        attrs.update(spec.attrs)
        return Dataset(apply_op(op, self._variant_tensor, *inputs, **attrs), spec, [self])

    def apply(self, transformation_func):
        """What the function makes of this dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise TypeError('`transformation_func` must return a Dataset. Got %s.' % (dataset,))
        return dataset

    def concatenate(self, dataset):
        """This dataset, then the other."""
        if self._spec.types != dataset._spec.types or self.output_types != dataset.output_types:
            raise TypeError('Two datasets to concatenate have different types %s and %s' % (self.output_types, dataset.output_types))
        both = [_common_shape(a, b) for a, b in zip(self._spec.shapes, dataset._spec.shapes)]
        joined = self._unary('ConcatenateDataset', dataset._variant_tensor, spec=self._spec.with_shapes(both))
        joined._inputs_of.append(dataset)
        return joined

    def take(self, count):
        """The first `count` elements; all for -1."""
        return self._unary('TakeDataset', _int64(count, 'count'))

    def skip(self, count):
        """Without the first `count` elements; none for -1."""
        return self._unary('SkipDataset', _int64(count, 'count'))

    def repeat(self, count=None):
        """`count` passes; without end for None and -1."""
        return self._unary('RepeatDataset', _int64(-1 if count is None else count, 'count'))

    def shard(self, num_shards, index):
        """Every `num_shards`-th element from number `index` on."""
        shards, at = _int64(num_shards, 'num_shards'), _int64(index, 'index')
        known, known_at = convert.constant_value(shards), convert.constant_value(at)
        if known is not None and known < 1:
            raise ValueError('num_shards must be >= 1; got %d' % known)
        if known_at is not None and (known_at < 0 or known is not None and known_at >= known):
            raise ValueError('index must be in [0, num_shards); got %d of %s' % (known_at, known))
        return self._unary('ShardDataset', shards, at)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None):
        """Random order, drawn from a buffer of `buffer_size` elements; another one in each pass unless `reshuffle_each_iteration` is
        False. Equal seeds give TensorFlow 1.15's order."""
        size = _int64(buffer_size, 'buffer_size')
        first, second = dataset_seed.seed_tensors(seed)
        return self._unary('ShuffleDataset', size, first, second,
                           reshuffle_each_iteration=True if reshuffle_each_iteration is None else reshuffle_each_iteration)

    def batch(self, batch_size, drop_remainder=False):
        """`batch_size` elements along a new first dimension; the last may be fewer unless `drop_remainder`."""
        size = _int64(batch_size, 'batch_size')
        drop, drops = _drop_remainder(drop_remainder)
        return self._unary('BatchDatasetV2', size, drop, spec=self._spec.with_shapes(_batched(self._spec.shapes, size, drops)))

    def padded_batch(self, batch_size, padded_shapes, padding_values=None, drop_remainder=False):
        """Batches of elements of different shapes, each padded to `padded_shapes` (-1 or None: the largest of the batch)."""
        size = _int64(batch_size, 'batch_size')
        asked = element_structure.flatten_up_to(self._spec.structure, padded_shapes)
        padded = [_padded_shape(shape, own) for shape, own in zip(asked, self._spec.shapes)]
        values = [None] * len(padded) if padding_values is None else element_structure.flatten_up_to(self._spec.structure, padding_values)
        values = [_padding(value, dtype) for value, dtype in zip(values, self._spec.types)]
        drop, drops = _drop_remainder(drop_remainder)
        spec = self._spec.with_shapes(_batched([convert.constant_value_as_shape(shape) for shape in padded], size, drops))
        variant = apply_op('PaddedBatchDatasetV2', self._variant_tensor, size, padded, values, drop, output_shapes=spec.shapes)
        return Dataset(variant, spec, [self])

    def window(self, size, shift=None, stride=1, drop_remainder=False):
        """Datasets of `size` elements, `stride` apart, each `shift` after the last (None: `size`)."""
        size = _int64(size, 'size')
        shift = _int64(size if shift is None else shift, 'shift')
        drop, _ = _drop_remainder(drop_remainder)
        count = len(self._spec.types)
        windows = [NestedDataset(Spec(None, [dtype], [own])) for dtype, own in zip(self._spec.types, self._spec.shapes)]
        spec = Spec(self._spec.nested(windows), [dtypes.variant] * count, [[]] * count)
        return self._unary('WindowDataset', size, shift, _int64(stride, 'stride'), drop, spec=spec)

    def cache(self, filename=''):
        """Keeps the elements of the first pass, in memory or in files whose names begin with `filename`."""
        return self._unary('CacheDataset', convert_to_tensor(filename, dtypes.string, name='filename'))

    def prefetch(self, buffer_size):
        """A thread keeps up to `buffer_size` elements ready."""
        return self._unary('PrefetchDataset', _int64(AUTOTUNE if buffer_size is None else buffer_size, 'buffer_size'), slack_period=0)

    def unbatch(self):
        """The rows of the elements."""
        for shape in self._spec.shapes:
            if shape.ndims == 0:
                raise ValueError('Cannot unbatch an input with scalar components.')
        return self._unary('UnbatchDataset', spec=self._spec.with_shapes([_without_first(s) for s in self._spec.shapes]))

    def enumerate(self, start=0):
        """Pairs of a number, from `start` on, and an element."""
        return Dataset.zip((Dataset.range(start, 2 ** 63 - 1), self))


def _options_class():
    from headrace.tf1.data.options import Options
    return Options


def _text(structure):
    return str(element_structure.map_structure(_TextOf, structure)).replace("'", '')


class _TextOf(object):
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        if not isinstance(self.value, shapes.TensorShape):
            return repr(self.value)
        return '<unknown>' if self.value.ndims is None else str(tuple('?' if d is None else d for d in self.value.as_list())).replace("'", '')


def _without_first(shape):
    return shapes.unknown_shape() if shape.ndims is None else shapes.TensorShape(shape.as_list()[1:])


def _common_shape(a, b):
    if a.ndims is None or b.ndims is None or a.ndims != b.ndims:
        return shapes.unknown_shape()
    return shapes.TensorShape([x if x == y else None for x, y in zip(a.as_list(), b.as_list())])


def _batched(shape_list, size, drops):
    known = convert.constant_value(size) if drops else None
    rows = None if known is None else int(known)
    return [shapes.unknown_shape() if s.ndims is None else shapes.TensorShape([rows] + s.as_list()) for s in shape_list]


def _padded_shape(asked, own):
    """An int64 vector. ValueError where it cannot hold elements of shape `own`."""
    if isinstance(asked, Tensor):
        tensor = convert_to_tensor(asked, preferred_dtype=dtypes.int64)
    else:
        shape = shapes.as_shape(asked)
        tensor = convert.constant([-1 if d is None else d for d in shape.as_list()], dtypes.int64, shape=[shape.ndims])
    if tensor.shape.ndims not in (None, 1):
        raise ValueError('Padded shape %s must be a 1-D tensor of tf.int64 values, but its shape was %s.' % (asked, tensor.shape))
    if tensor.dtype != dtypes.int64:
        raise TypeError('Padded shape %s must be a 1-D tensor of tf.int64 values, but its element type was %s.' % (asked, tensor.dtype.name))
    padded = convert.constant_value_as_shape(tensor)
    if padded.ndims is not None and own.ndims is not None and (padded.ndims != own.ndims or any(
            None not in (p, o) and p < o for p, o in zip(padded.as_list(), own.as_list()))):
        raise ValueError('The padded shape %s is not compatible with the corresponding input component shape %s.' % (padded, own))
    return tensor


def _padding(value, dtype):
    if value is None:
        value = {dtypes.string: '', dtypes.bool: False}.get(dtype, 0)
    tensor = convert_to_tensor(value, None if isinstance(value, Tensor) else dtype, name='padding_value')
    if tensor.shape.ndims not in (None, 0):
        raise ValueError('Padding value should be a scalar, but is not: %s' % (tensor,))
    if tensor.dtype != dtype:
        raise TypeError('Padding value tensor (%s) does not match output type: %s' % (tensor, dtype))
    return tensor


def get_legacy_output_types(dataset_or_iterator):
    return dataset_or_iterator._spec.output_types


def get_legacy_output_shapes(dataset_or_iterator):
    return dataset_or_iterator._spec.output_shapes


def get_legacy_output_classes(dataset_or_iterator):
    return dataset_or_iterator._spec.output_classes


def make_one_shot_iterator(dataset):
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset, shared_name=None):
    return dataset.make_initializable_iterator(shared_name)

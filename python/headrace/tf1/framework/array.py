"""Shapes and places of elements: tf.reshape, tf.concat, tf.gather, slicing, and their like."""
import numpy as np

from headrace.tf1.framework import convert, dtypes, gen, graph as graph_lib, shapes
from headrace.tf1.framework.convert import apply_op, constant, convert_to_tensor
from headrace.tf1.framework.graph import Tensor, name_scope

newaxis = None


def _axis(axis, other, name, default=None):
    if other is not None:
        if axis is not None and axis != default:
            raise ValueError("Cannot specify both '%s' and '%s'." % (name, name + '_indices'))
        return other
    return default if axis is None else axis


def identity(input, name=None):  # pylint: disable=redefined-builtin
    return apply_op('Identity', input, name=name)


def identity_n(input, name=None):
    return apply_op('IdentityN', input, name=name)


def reshape(tensor, shape, name=None):
    """The same elements in another shape; one dimension may be -1."""
    return apply_op('Reshape', tensor, shape, name=name)


def expand_dims(input, axis=None, name=None, dim=None):
    if axis is None and dim is None:
        raise ValueError('Must specify an axis argument to tf.expand_dims()')
    return apply_op('ExpandDims', input, axis if dim is None else dim, name=name)


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    axis = axis if squeeze_dims is None else squeeze_dims
    if np.isscalar(axis):
        axis = [axis]
    return apply_op('Squeeze', input, squeeze_dims=axis, name=name)


def shape(input, name=None, out_type=dtypes.int32):
    """The shape as a vector; a constant where it is known while the graph is built."""
    return _shape_like('Shape', input, name, out_type, lambda s: s.as_list() if s.is_fully_defined() else None)


def size(input, name=None, out_type=dtypes.int32):
    return _shape_like('Size', input, name, out_type, lambda s: s.num_elements())


def rank(input, name=None):
    return _shape_like('Rank', input, name, None, lambda s: s.rank)


def _shape_like(op, value, name, out_type, known):
    with name_scope(name, op, [value]) as scope:
        if not isinstance(value, Tensor) and hasattr(value, 'dense_shape') and not isinstance(value, graph_lib.IndexedSlices):
            dense = value.dense_shape  # a SparseTensor
            if op == 'Shape':
                return apply_op('Cast', dense, DstT=out_type) if out_type != dtypes.int64 else dense
            if op == 'Rank':
                return apply_op('Size', dense, name=scope)
            return apply_op('Prod', apply_op('Cast', dense, DstT=out_type), 0, name=scope)
        tensor = convert_to_tensor(value)
        found = known(tensor.shape)
        if found is not None:
            return constant(np.array(found, (out_type or dtypes.int32).as_numpy_dtype), out_type or dtypes.int32, name=scope)
        return apply_op(op, tensor, name=scope) if out_type is None else apply_op(op, tensor, out_type=out_type, name=scope)


def shape_n(input, out_type=dtypes.int32, name=None):
    return apply_op('ShapeN', input, out_type=out_type, name=name)


def broadcast_static_shape(shape_x, shape_y):
    x, y = shapes.as_shape(shape_x), shapes.as_shape(shape_y)
    if x.rank is None or y.rank is None:
        return shapes.unknown_shape()
    a, b = [d.value for d in x.dims], [d.value for d in y.dims]
    n = max(len(a), len(b))
    a, b = [1] * (n - len(a)) + a, [1] * (n - len(b)) + b
    result = []
    for i, j in zip(a, b):
        if i == 1:
            result.append(j)
        elif j == 1:
            result.append(i)
        elif i is None or j is None:
            result.append(i if j is None else j)
        elif i == j:
            result.append(i)
        else:
            raise ValueError('Incompatible shapes for broadcasting: %s and %s' % (x, y))
    return shapes.TensorShape(result)


def broadcast_dynamic_shape(shape_x, shape_y):
    return apply_op('BroadcastArgs', shape_x, shape_y)


def concat(values, axis, name='concat'):
    """Tensors joined along a dimension."""
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name) as scope:
            if isinstance(axis, (list, tuple)):
                shape = convert_to_tensor(axis).shape
                if shape.rank:
                    raise ValueError('Shape %s must have rank 0\n    concat takes the values first and then the axis (TensorFlow 1.0 swapped '
                                     'them)' % (shape,))
            convert_to_tensor(axis, dtypes.int32, name='concat_dim').shape.assert_is_compatible_with(shapes.scalar())
            return identity(values[0], name=scope)
    return apply_op('ConcatV2', values, axis, name=name)


def stack(values, axis=0, name='stack'):
    """Tensors of one shape put together along a new dimension."""
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass
    values = list(values)
    value_shape = convert_to_tensor(values[0], name=name)._shape_tuple()
    if value_shape is not None and not -len(value_shape) - 1 <= axis < len(value_shape) + 1:
        raise ValueError('axis = %d not in [%d, %d)' % (axis, -len(value_shape) - 1, len(value_shape) + 1))
    return apply_op('Pack', values, axis=axis, name=name)


def unstack(value, num=None, axis=0, name='unstack'):
    """The tensors along a dimension, as a list."""
    if num is None:
        value = convert_to_tensor(value)
        dims = value.shape
        if dims.rank is not None:
            if not -dims.rank <= axis < dims.rank:
                raise ValueError('axis = %d not in [%d, %d)' % (axis, -dims.rank, dims.rank))
            num = dims[axis].value
    if num is None:
        raise ValueError('Cannot infer num from shape %s' % value.shape)
    return apply_op('Unpack', value, num=num, axis=axis, name=name)


def split(value, num_or_size_splits, axis=0, num=None, name='split'):
    """Parts of a tensor along a dimension: so many equal ones, or of the given sizes."""
    sizes = convert_to_tensor(num_or_size_splits)
    if isinstance(num_or_size_splits, int) or (sizes.shape.rank == 0 and sizes.dtype.is_integer and not isinstance(
            num_or_size_splits, Tensor)):
        return apply_op('Split', axis, value, num_split=int(num_or_size_splits), name=name)
    if sizes.shape.rank == 0:
        raise ValueError('Rank-0 tensors are not supported as the num_or_size_splits argument to split. Argument provided: %s' % (
            num_or_size_splits,))
    if num is None:
        dims = sizes.shape.as_list()
        num = dims[0]
        if num is None:
            raise ValueError('Cannot infer num from shape %s' % num_or_size_splits)
    return apply_op('SplitV', value, sizes, axis, num_split=num, name=name)


def transpose(a, perm=None, name='transpose', conjugate=False):
    """Dimensions in another order, by default reversed."""
    with name_scope(name, 'transpose', [a]) as scope:
        op = 'ConjugateTranspose' if conjugate and convert_to_tensor(a).dtype.is_complex else 'Transpose'
        if perm is not None:
            return apply_op(op, a, perm, name=scope)
        a = convert_to_tensor(a, name='a')
        if a.shape.rank is None:
            count = apply_op('Rank', a)
            order = (count - 1) - apply_op('Range', 0, count, 1)
        else:
            order = np.arange(a.shape.rank - 1, -1, -1, dtype=np.int32)
        return apply_op(op, a, order, name=scope)


def matrix_transpose(a, name='matrix_transpose', conjugate=False):
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name='a')
        n = a.shape.rank
        if n is not None:
            if n < 2:
                raise ValueError("Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: %s" % a.shape)
            perm = list(range(n - 2)) + [n - 1, n - 2]
        else:
            count = apply_op('Rank', a)
            perm = concat((gen.range(0, count - 2, 1), [count - 1, count - 2]), 0)
        return transpose(a, perm=perm, conjugate=conjugate)


def zeros(shape, dtype=dtypes.float32, name=None):
    return _filled(0, shape, dtype, name, 'zeros')


def ones(shape, dtype=dtypes.float32, name=None):
    return _filled(1, shape, dtype, name, 'ones')


def _filled(value, shape, dtype, name, default):
    dtype = dtypes.as_dtype(dtype).base_dtype
    with name_scope(name, default, [shape]) as scope:
        if dtype is dtypes.bool:
            value = bool(value)
        elif dtype is dtypes.string:
            value = ''
        if isinstance(shape, (list, tuple)) and convert.has_tensor(shape):
            _compare_size(shape)
        elif hasattr(shape, '_as_tensor'):
            _compare_size([shape])
        if not isinstance(shape, Tensor):
            try:
                known = shapes.TensorShape(shape) if not hasattr(shape, '_as_tensor') else None
                if known is not None and known.is_fully_defined() and known.num_elements() < 1000:
                    if not known.num_elements():
                        return constant(np.empty(known.as_list(), dtype.as_numpy_dtype), dtype=dtype, name=scope)
                    return constant(value, shape=known, dtype=dtype, name=scope)
                if known is not None and known.is_fully_defined():
                    shape = convert_to_tensor(known, dtype=dtypes.int32)
                else:
                    shape = convert_to_tensor(shape, dtype=dtypes.int32)
            except (TypeError, ValueError):
                shape = convert_to_tensor(shape, dtype=dtypes.int32)
        if not shape.shape.rank:
            shape = reshape(shape, [-1])
        return fill(shape, constant(value, dtype=dtype), name=scope)


def _compare_size(sizes):
    """TensorFlow asks whether the tensor is small before it sees that sizes are tensors: that leaves these nodes behind."""
    try:
        product = sizes[0]
        for size in sizes[1:]:
            product = product * size
        product < 1000  # pylint: disable=pointless-statement
    except TypeError:
        pass


def fill(dims, value, name=None):
    return apply_op('Fill', dims, value, name=name)


def zeros_like(tensor, dtype=None, name=None, optimize=True):
    return _like('ZerosLike', zeros, tensor, dtype, name, 'zeros_like', optimize)


def ones_like(tensor, dtype=None, name=None, optimize=True):
    with name_scope(name, 'ones_like', [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name='tensor')
        dtype = dtypes.as_dtype(dtype or tensor.dtype.base_dtype)
        dims = shape(tensor)
        result = ones(dims, dtype=dtype, name=scope)
        result.set_shape(tensor.shape)
        return result


def _like(op, make, tensor, dtype, name, default, optimize):
    with name_scope(name, default, [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name='tensor')
        known = tensor.shape
        wanted = tensor.dtype if dtype is None else dtypes.as_dtype(dtype)
        if optimize and known.is_fully_defined() and tensor.dtype.base_dtype is not dtypes.variant:
            return make(known, dtype=wanted, name=scope)
        if dtype is not None and wanted.base_dtype is not tensor.dtype.base_dtype:
            return make(shape(tensor), dtype=wanted, name=scope)
        return apply_op(op, tensor, name=scope)


def placeholder(dtype, shape=None, name=None):
    """A tensor whose value every run must be fed."""
    return apply_op('Placeholder', dtype=dtype, shape=shape, name=name)


def placeholder_with_default(input, shape, name=None):
    return apply_op('PlaceholderWithDefault', input, shape=shape, name=name)


def stop_gradient(input, name=None):
    return apply_op('StopGradient', input, name=name)


def slice(input_, begin, size, name=None):  # pylint: disable=redefined-builtin
    return apply_op('Slice', input_, begin, size, name=name)


def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0,
                  var=None, name=None):
    if strides is None:
        strides = ones_like(begin)
    masks = dict(begin_mask=begin_mask, end_mask=end_mask, ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask,
                 shrink_axis_mask=shrink_axis_mask)
    part = apply_op('StridedSlice', input_, begin, end, strides, name=name, **masks)
    scope = name

    def assign(val, name=None):
        """`variable[...].assign(val)`: the op that writes to this part of the variable."""
        if var is None:
            raise ValueError('Sliced assignment is only supported for variables')
        return var._assign_slice(begin, end, strides, val, name or '%s_assign' % (scope or ''), **masks)
    part.assign = assign
    return part


def slice_helper(tensor, slice_spec, var=None):
    """`tensor[...]`."""
    if isinstance(slice_spec, Tensor) and slice_spec.dtype.base_dtype is dtypes.bool or (
            isinstance(slice_spec, np.ndarray) and slice_spec.dtype == bool):
        return boolean_mask(tensor=tensor, mask=slice_spec)
    if not isinstance(slice_spec, (list, tuple)):
        slice_spec = [slice_spec]
    begin, end, strides = [], [], []
    shrink = new_axis = begin_mask = end_mask = ellipsis = 0
    for index, s in enumerate(slice_spec):
        bit = 1 << index
        if isinstance(s, _slice_type):
            if s.start is not None:
                begin.append(_index(s.start))
            else:
                begin.append(0)
                begin_mask |= bit
            if s.stop is not None:
                end.append(_index(s.stop))
            else:
                end.append(0)
                end_mask |= bit
            strides.append(1 if s.step is None else _index(s.step))
        elif s is Ellipsis:
            begin.append(0)
            end.append(0)
            strides.append(1)
            ellipsis |= bit
        elif s is None:
            begin.append(0)
            end.append(0)
            strides.append(1)
            new_axis |= bit
        else:
            s = _index(s)
            begin.append(s)
            end.append(s + 1)
            strides.append(1)
            shrink |= bit
    with name_scope(None, 'strided_slice', [tensor] + [v for v in begin + end + strides if isinstance(v, Tensor)]) as scope:
        if begin:
            if any(isinstance(v, Tensor) for v in begin + end + strides):
                packed_begin, packed_end, packed_strides = stack(begin), stack(end), stack(strides)
                wide = [p for p in (packed_begin, packed_end, packed_strides) if p.dtype is dtypes.int64]
                if wide:
                    packed_begin, packed_end, packed_strides = [
                        p if p.dtype is dtypes.int64 else apply_op('Cast', p, DstT=dtypes.int64)
                        for p in (packed_begin, packed_end, packed_strides)]
            else:
                packed_begin, packed_end, packed_strides = stack(begin), stack(end), stack(strides)
        else:
            empty = constant([], dtype=dtypes.int32)
            packed_begin = packed_end = packed_strides = empty
        return strided_slice(tensor, packed_begin, packed_end, packed_strides, begin_mask=begin_mask, end_mask=end_mask,
                             shrink_axis_mask=shrink, new_axis_mask=new_axis, ellipsis_mask=ellipsis, var=var, name=scope)


_slice_type = type(np.s_[:])


def _index(value):
    if isinstance(value, shapes.Dimension):
        return value.value
    if isinstance(value, Tensor) or hasattr(value, '_as_tensor'):
        return convert_to_tensor(value)
    if isinstance(value, (float, str)) or not hasattr(value, '__index__'):
        raise TypeError('Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar tf.int32/tf.int64 tensors are valid '
                        'indices, got %r' % (value,))
    return int(value)


def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """Rows (or along `axis`) of a tensor."""
    if axis is None:
        axis = batch_dims
    if batch_dims != 0:
        return apply_op('GatherV2', params, indices, axis, batch_dims=batch_dims, name=name)
    if axis != 0:
        return apply_op('GatherV2', params, indices, axis, name=name)
    handle = getattr(params, 'sparse_read', None)
    if handle is not None:
        return handle(indices, name=name)
    return apply_op('GatherV2', params, indices, axis, name=name)


def gather_nd(params, indices, name=None, batch_dims=0):
    if batch_dims:
        raise NotImplementedError('gather_nd with batch_dims is not here: use batch_dims of tf.gather')
    handle = getattr(params, 'gather_nd', None)
    if handle is not None:
        return handle(indices, name=name)
    return apply_op('GatherNd', params, indices, name=name)


def boolean_mask(tensor, mask, name='boolean_mask', axis=None):
    """Elements of a tensor where the mask is true."""
    with name_scope(name, values=[v for v in (tensor, mask) if hasattr(v, 'graph')]):
        tensor, mask = convert_to_tensor(tensor, name='tensor'), convert_to_tensor(mask, name='mask')
        mask_shape, tensor_shape = mask.shape, tensor.shape
        if mask_shape.rank == 0:
            raise ValueError('mask cannot be scalar.')
        if mask_shape.rank is None:
            raise ValueError('Number of mask dimensions must be specified, even if some dimensions are None.  E.g. shape=[None] is ok, but '
                             'shape=None is not.')
        axis = 0 if axis is None else axis
        n = mask_shape.rank
        tensor_shape[axis:axis + n].assert_is_compatible_with(mask_shape)
        leading = apply_op('Prod', shape(tensor)[axis:axis + n], [0])
        tensor = reshape(tensor, concat([shape(tensor)[:axis], [leading], shape(tensor)[axis + n:]], 0))
        if tensor_shape.rank is not None:
            first = tensor_shape[axis:axis + n].num_elements()
            tensor.set_shape(shapes.as_shape(tensor_shape[:axis]).concatenate([first]).concatenate(tensor_shape[axis + n:]))
        mask = reshape(mask, [-1])
        indices = squeeze(where(mask), axis=[1])
        return gather(tensor, indices, axis=axis)


def where(condition, x=None, y=None, name=None):
    """Indices of true elements, or elements of x where the condition is true and of y elsewhere."""
    if x is None and y is None:
        with name_scope(name, 'Where', [condition]) as scope:
            condition = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name='condition')
            return apply_op('Where', condition, name=scope)
    if x is not None and y is not None:
        return apply_op('Select', condition, x, y, name=name)
    raise ValueError('x and y must both be non-None or both be None.')


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """[..., depth]: on_value at the index, off_value elsewhere."""
    with name_scope(name, 'one_hot', [indices, depth, on_value, off_value] if isinstance(indices, Tensor) else None) as scope:
        given_on, given_off = on_value is not None, off_value is not None
        on_dtype = convert_to_tensor(on_value).dtype.base_dtype if given_on else None
        off_dtype = convert_to_tensor(off_value).dtype.base_dtype if given_off else None
        if given_on or given_off:
            if dtype is not None:
                dtype = dtypes.as_dtype(dtype)
                for given, found, what in ((given_on, on_dtype, 'on_value'), (given_off, off_dtype, 'off_value')):
                    if given and found != dtype:
                        raise TypeError('dtype {0} of {1} does not match dtype parameter {2}'.format(found, what, dtype))
            else:
                dtype = on_dtype if given_on else off_dtype
        elif dtype is None:
            dtype = dtypes.float32
        dtype = dtypes.as_dtype(dtype)
        if not given_on:
            on_value = convert_to_tensor(True if dtype is dtypes.bool else 1, dtype, name='on_value')
            on_dtype = dtype
        if not given_off:
            off_value = convert_to_tensor(False if dtype is dtypes.bool else 0, dtype, name='off_value')
            off_dtype = dtype
        if on_dtype != off_dtype:
            raise TypeError('dtype {0} of on_value does not match dtype {1} of off_value'.format(on_dtype, off_dtype))
        return apply_op('OneHot', indices, depth, on_value, off_value, axis=-1 if axis is None else axis, name=scope)


def tile(input, multiples, name=None):
    return apply_op('Tile', input, multiples, name=name)


def pad(tensor, paddings, mode='CONSTANT', name=None, constant_values=0):
    mode = mode.upper()
    if mode == 'CONSTANT':
        if not isinstance(constant_values, Tensor) and constant_values == 0:
            result = apply_op('Pad', tensor, paddings, name=name)
        else:
            result = apply_op('PadV2', tensor, paddings, constant_values, name=name)
    elif mode in ('REFLECT', 'SYMMETRIC'):
        result = apply_op('MirrorPad', tensor, paddings, mode=mode, name=name)
    else:
        raise ValueError('Unknown padding mode: %s' % mode)
    return result


def reverse(tensor, axis, name=None):
    return apply_op('ReverseV2', tensor, axis, name=name)


reverse_v2 = reverse


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None):
    seq_dim = seq_axis if seq_dim is None else seq_dim
    batch_dim = batch_axis if batch_dim is None else batch_dim
    return apply_op('ReverseSequence', input, seq_lengths, seq_dim=seq_dim, batch_dim=batch_dim or 0, name=name)


def sequence_mask(lengths, maxlen=None, dtype=dtypes.bool, name=None):
    """[..., maxlen]: true at positions below the length."""
    from headrace.tf1.framework import math
    with name_scope(name, 'SequenceMask', [v for v in (lengths, maxlen) if hasattr(v, 'graph')]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = math.reduce_max(lengths, math._all_dims(lengths))
            maxlen = math.maximum(constant(0, maxlen.dtype), maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.rank is not None and maxlen.shape.rank != 0:
            raise ValueError('maxlen must be scalar for sequence_mask')
        row = apply_op('Range', constant(0, maxlen.dtype), maxlen, constant(1, maxlen.dtype))
        matrix = apply_op('Cast', expand_dims(lengths, -1), DstT=maxlen.dtype)
        result = row < matrix
        dtype = dtypes.as_dtype(dtype)
        return result if result.dtype.base_dtype is dtype else math.cast(result, dtype)


def meshgrid(*args, **kwargs):
    indexing, name = kwargs.pop('indexing', 'xy'), kwargs.pop('name', 'meshgrid')
    if kwargs:
        raise TypeError("'{}' is an invalid keyword argument for this function".format(next(iter(kwargs))))
    if indexing not in ('xy', 'ij'):
        raise ValueError("indexing parameter must be either 'xy' or 'ij'")
    with name_scope(name, 'meshgrid', [a for a in args if hasattr(a, 'graph')]):
        n = len(args)
        s0 = (1,) * n
        if not n:
            return []
        output = [reshape(stack(x), s0[:i] + (-1,) + s0[i + 1:]) for i, x in enumerate(args)]
        counts = [size(x) for x in args]
        dtype = convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == 'xy' and n > 1:
            output[0] = reshape(output[0], (1, -1) + (1,) * (n - 2))
            output[1] = reshape(output[1], (-1, 1) + (1,) * (n - 2))
            counts[0], counts[1] = counts[1], counts[0]
        full = ones(counts, dtype)
        return [x * full for x in output]


def unique(x, out_idx=dtypes.int32, name=None):
    return apply_op('Unique', x, out_idx=out_idx, name=name)


def unique_with_counts(x, out_idx=dtypes.int32, name=None):
    return apply_op('UniqueWithCounts', x, out_idx=out_idx, name=name)


def setdiff1d(x, y, index_dtype=dtypes.int32, name=None):
    return apply_op('ListDiff', x, y, out_idx=index_dtype, name=name)


listdiff = setdiff1d


def dynamic_partition(data, partitions, num_partitions, name=None):
    return apply_op('DynamicPartition', data, partitions, num_partitions=num_partitions, name=name)


def dynamic_stitch(indices, data, name=None):
    return apply_op('DynamicStitch', indices, data, name=name)


def invert_permutation(x, name=None):
    return apply_op('InvertPermutation', x, name=name)


def broadcast_to(input, shape, name=None):
    return apply_op('BroadcastTo', input, shape, name=name)


def scatter_nd(indices, updates, shape, name=None):
    return apply_op('ScatterNd', indices, updates, shape, name=name)


def edit_distance(hypothesis, truth, normalize=True, name='edit_distance'):
    return apply_op('EditDistance', hypothesis.indices, hypothesis.values, hypothesis.dense_shape, truth.indices, truth.values,
                    truth.dense_shape, normalize=normalize, name=name)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):  # pylint: disable=redefined-builtin
    """Blocks of an image's pixels as images of a larger batch."""
    size = block_shape if block_size is None else block_size
    result = space_to_batch_nd(input, paddings=paddings, block_shape=np.array([size, size], np.int64), name=name)
    result.set_shape([None] * 4)
    return result


def batch_to_space(input, crops, block_size=None, name=None, block_shape=None):  # pylint: disable=redefined-builtin
    """What space_to_batch took apart, put together."""
    size = block_shape if block_size is None else block_size
    result = batch_to_space_nd(input, crops=crops, block_shape=np.array([size, size], np.int64), name=name)
    result.set_shape([None] * 4)
    return result


def space_to_depth(input, block_size, name=None, data_format='NHWC'):
    return apply_op('SpaceToDepth', input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(input, block_size, name=None, data_format='NHWC'):
    return apply_op('DepthToSpace', input, block_size=block_size, data_format=data_format, name=name)


def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    return apply_op('ExtractImagePatches', images, ksizes=ksizes or sizes, strides=strides, rates=rates, padding=padding, name=name)


def parallel_stack(values, name='parallel_stack'):
    return stack(values, name=name)


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """(paddings, crops): what space_to_batch must add so that blocks fit, on top of base_paddings, and what batch_to_space cuts again."""
    with name_scope(name, 'required_space_to_batch_paddings', [v for v in (input_shape, block_shape) if hasattr(v, 'graph')]):
        size = convert_to_tensor(input_shape, dtype=dtypes.int32, name='input_shape')
        block = convert_to_tensor(block_shape, dtype=dtypes.int32, name='block_shape')
        block.shape.assert_is_fully_defined()
        block.shape.assert_has_rank(1)
        n = block.shape.dims[0].value
        if n == 0:
            return zeros([0, 2], dtypes.int32), zeros([0, 2], dtypes.int32)
        size.shape.assert_is_compatible_with([n])
        if base_paddings is None:
            base = zeros([n, 2], dtypes.int32)
        else:
            base = convert_to_tensor(base_paddings, dtype=dtypes.int32, name='base_paddings')
            base.shape.assert_is_compatible_with([n, 2])
        known = [convert.constant_value(v) for v in (block, size, base)]
        if all(v is not None for v in known):
            block, size, base = known
        start, end = base[:, 0], base[:, 1]
        whole = size + start + end
        extra = (block - whole % block) % block
        end = end + extra
        return (stack([[start[i], end[i]] for i in range(n)], name='paddings'), stack([[0, extra[i]] for i in range(n)], name='crops'))


def space_to_batch_nd(input, block_shape, paddings, name=None):
    return apply_op('SpaceToBatchND', input, block_shape, paddings, name=name)


def batch_to_space_nd(input, block_shape, crops, name=None):
    return apply_op('BatchToSpaceND', input, block_shape, crops, name=name)


def extract_volume_patches(input, ksizes, strides, padding, name=None):
    """Boxes of a volume as depth."""
    return apply_op('ExtractVolumePatches', input, ksizes=ksizes, strides=strides, padding=padding, name=name)


def where_v2(condition, x=None, y=None, name=None):
    """As where, with broadcasting of all three."""
    if x is None and y is None:
        return where(condition, name=name)
    if x is None or y is None:
        raise ValueError('x and y must both be non-None or both be None.')
    return apply_op('SelectV2', condition, x, y, name=name)


def check_numerics(tensor, message, name=None):
    return apply_op('CheckNumerics', tensor, message=message, name=name)


def bitcast(input, type, name=None):  # pylint: disable=redefined-builtin
    return apply_op('Bitcast', input, type=type, name=name)

"""Queues: tensors that one step leaves for another (tf.FIFOQueue and its relatives)."""
import functools
import hashlib

from headrace.tf1.framework import array, convert, dtypes as dtypes_lib, graph as graph_lib, shapes as shapes_lib
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope


def _type_list(dtypes):
    if not isinstance(dtypes, (list, tuple)):
        return [dtypes_lib.as_dtype(dtypes)]
    return [dtypes_lib.as_dtype(t) for t in dtypes]


def _shape_list(shapes, dtypes, unknown_dim_allowed=False):
    """One shape for each component; a single one may be given without its list."""
    if shapes is None:
        return None
    if isinstance(shapes, shapes_lib.TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise TypeError('shapes must be a TensorShape or a list or tuple of TensorShapes, got %s.' % type(shapes))
    if all(shape is None or isinstance(shape, int) for shape in shapes):
        shapes = [shapes]  # one component's
    shapes = [shapes_lib.as_shape(shape) for shape in shapes]
    if not unknown_dim_allowed and any(not shape.is_fully_defined() for shape in shapes):
        raise ValueError('All shapes must be fully defined: %s' % shapes)
    if any(shape.dims is None for shape in shapes):
        raise ValueError('All shapes must have a defined rank: %s' % shapes)
    return shapes


def _name_list(names, dtypes):
    if names is None:
        return None
    if not isinstance(names, (list, tuple)):
        names = [names]
    if len(names) != len(dtypes):
        raise ValueError('List of names must have the same length as the list of dtypes')
    return list(names)


def _common_shape(first, second):
    """What holds for both shapes."""
    first, second = shapes_lib.as_shape(first), shapes_lib.as_shape(second)
    if first.ndims is None or second.ndims is None or first.ndims != second.ndims:
        return shapes_lib.unknown_shape()
    return shapes_lib.TensorShape([d if d == e else None for d, e in zip(first.as_list(), second.as_list())])


class QueueBase(object):
    """A queue of elements, each one tensor for each of `dtypes`.

    A step that enqueues into a full queue waits, as one does that dequeues from an empty one; Session.close, a timeout of the run,
    and Ctrl-C end the wait. With `names`, elements are dictionaries. Errors: tf.errors.OutOfRangeError from a dequeue when the queue
    is closed and has too few elements, tf.errors.CancelledError from an enqueue when it is closed.
    """

    def __init__(self, dtypes, shapes, names, queue_ref):
        self._dtypes = dtypes
        if shapes is None:
            self._shapes = [shapes_lib.unknown_shape() for _ in dtypes]
        elif len(shapes) != len(dtypes):
            raise ValueError('Queue shapes must have the same length as dtypes, received %d shapes, %d dtypes' % (
                len(shapes), len(dtypes)))
        else:
            self._shapes = [shapes_lib.TensorShape(shape) for shape in shapes]
        if names is not None:
            if len(names) != len(dtypes):
                raise ValueError('Queue names must have the same length as dtypes,received %d names,%d dtypes' % (len(names), len(dtypes)))
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split('/')[-1]

    @staticmethod
    def from_list(index, queues):
        """The queue that the int32 tensor `index` chooses when the graph runs. Errors: TypeError unless all have the same components."""
        if not queues or not isinstance(queues, list) or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError('A list of queues expected')
        types, names = queues[0].dtypes, queues[0].names
        if not all(types == queue.dtypes for queue in queues[1:]):
            raise TypeError('Queues do not have matching component dtypes.')
        if not all(names == queue.names for queue in queues[1:]):
            raise TypeError('Queues do not have matching component names.')
        common = [functools.reduce(_common_shape, shapes) for shapes in zip(*[queue.shapes for queue in queues])]
        refs = array.stack([queue.queue_ref for queue in queues])
        return QueueBase(dtypes=types, shapes=common, names=names, queue_ref=array.gather(refs, index))

    queue_ref = property(lambda self: self._queue_ref)
    name = property(lambda self: self._queue_ref.op.name)
    dtypes = property(lambda self: self._dtypes)
    shapes = property(lambda self: self._shapes)
    names = property(lambda self: self._names)

    def _op(self, op):
        return op if self._queue_ref.dtype._is_ref_dtype else op + 'V2'

    def _components(self, vals):
        """The tensors of an element, or of several, in order."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError('Queue must have names to enqueue a dictionary')
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError('Keys in dictionary to enqueue do not match names of Queue.  Dictionary: (%s), Queue: (%s)' % (
                    sorted(vals), sorted(self._names)))
            vals = [vals[name] for name in self._names]
        else:
            if self._names:
                raise ValueError('You must enqueue a dictionary in a Queue with names')
            if not isinstance(vals, (list, tuple)):
                vals = [vals]
        return [convert_to_tensor(val, dtype=dtype, name='component_%d' % i)
                for i, (val, dtype) in enumerate(zip(vals, self._dtypes))]

    @staticmethod
    def _tensors_of(vals):
        vals = vals.values() if isinstance(vals, dict) else vals if isinstance(vals, (list, tuple)) else [vals]
        return [val for val in vals if hasattr(val, 'graph')]

    def enqueue(self, vals, name=None):
        """The operation that adds one element: a tensor, a list of tensors, or with names a dictionary."""
        with name_scope(name, '%s_enqueue' % self._name, self._tensors_of(vals)) as scope:
            vals = self._components(vals)
            for val, shape in zip(vals, self._shapes):
                val.shape.assert_is_compatible_with(shape)
            return apply_op(self._op('QueueEnqueue'), self._queue_ref, vals, name=scope)

    def enqueue_many(self, vals, name=None):
        """The operation that adds one element for each row of dimension 0."""
        with name_scope(name, '%s_EnqueueMany' % self._name, self._tensors_of(vals)) as scope:
            vals = self._components(vals)
            # Not read any further than this check: sizes may be unknown.
            batch = vals[0].shape.with_rank_at_least(1).dims[0] if vals[0].shape.ndims is not None else shapes_lib.Dimension(None)
            for val, shape in zip(vals, self._shapes):
                if val.shape.ndims is None:
                    continue
                batch = batch.merge_with(val.shape.with_rank_at_least(1).dims[0])
                val.shape[1:].assert_is_compatible_with(shape)
            return apply_op(self._op('QueueEnqueueMany'), self._queue_ref, vals, name=scope)

    def _dequeued(self, result, batch=()):
        """What a dequeue gives: a tensor, a list, or a dictionary. `batch`: the dimension in front."""
        tensors = result if isinstance(result, (list, tuple)) else [result]
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shapes_lib.TensorShape(batch).concatenate(shape))
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else list(tensors)

    def dequeue(self, name=None):
        """The next element."""
        return self._dequeued(apply_op(self._op('QueueDequeue'), self._queue_ref, component_types=self._dtypes,
                                       name=name or '%s_Dequeue' % self._name))

    def dequeue_many(self, n, name=None):
        """The next n elements, stacked."""
        result = apply_op(self._op('QueueDequeueMany'), self._queue_ref, n, component_types=self._dtypes,
                          name=name or '%s_DequeueMany' % self._name)
        op = (result[0] if isinstance(result, (list, tuple)) else result).op
        return self._dequeued(result, [convert.constant_value(op.inputs[1])])

    def dequeue_up_to(self, n, name=None):
        """The next n elements, stacked; fewer when the queue is closed and has fewer."""
        return self._dequeued(apply_op(self._op('QueueDequeueUpTo'), self._queue_ref, n, component_types=self._dtypes,
                                       name=name or '%s_DequeueUpTo' % self._name), [None])

    def close(self, cancel_pending_enqueues=False, name=None):
        """The operation after which nothing can be added; enqueues that wait are served before, or cancelled."""
        return apply_op(self._op('QueueClose'), self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues,
                        name=name or '%s_Close' % self._name)

    def is_closed(self, name=None):
        """Whether the queue is closed."""
        return apply_op(self._op('QueueIsClosed'), self._queue_ref, name=name or '%s_Is_Closed' % self._name)

    def size(self, name=None):
        """The number of elements, an int32."""
        return apply_op(self._op('QueueSize'), self._queue_ref, name=name or '%s_Size' % self._name)


class FIFOQueue(QueueBase):
    """First in, first out."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name='fifo_queue'):
        dtypes = _type_list(dtypes)
        shapes, names = _shape_list(shapes, dtypes), _name_list(names, dtypes)
        ref = apply_op('FIFOQueueV2', component_types=dtypes, shapes=shapes or [], capacity=capacity, shared_name=shared_name or '',
                       name=name)
        super(FIFOQueue, self).__init__(dtypes, shapes, names, ref)


class RandomShuffleQueue(QueueBase):
    """Elements come out in random order; `min_after_dequeue` of them stay to be drawn from until the queue is closed."""

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None,
                 name='random_shuffle_queue'):
        dtypes = _type_list(dtypes)
        shapes, names = _shape_list(shapes, dtypes), _name_list(names, dtypes)
        first, second = graph_lib.get_seed(seed)
        if first is None and second is None:
            first, second = 0, 0
        elif seed is None and shared_name is not None:
            # All that share the queue must have one seed, which the op's number is not.
            second = int(hashlib.md5((str(first) + shared_name).encode()).hexdigest()[:8], 16) & 0x7FFFFFFF
        ref = apply_op('RandomShuffleQueueV2', component_types=dtypes, shapes=shapes or [], capacity=capacity,
                       min_after_dequeue=min_after_dequeue, seed=first, seed2=second, shared_name=shared_name or '', name=name)
        super(RandomShuffleQueue, self).__init__(dtypes, shapes, names, ref)


class PaddingFIFOQueue(QueueBase):
    """First in, first out; batches are padded with zeros where `shapes` says None."""

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name='padding_fifo_queue'):
        dtypes = _type_list(dtypes)
        shapes, names = _shape_list(shapes, dtypes, unknown_dim_allowed=True), _name_list(names, dtypes)
        if len(dtypes) != len(shapes):
            raise ValueError('Shapes must be provided for all components, but received %d dtypes and %d shapes.' % (
                len(dtypes), len(shapes)))
        ref = apply_op('PaddingFIFOQueueV2', component_types=dtypes, shapes=shapes, capacity=capacity, shared_name=shared_name or '',
                       name=name)
        super(PaddingFIFOQueue, self).__init__(dtypes, shapes, names, ref)


class PriorityQueue(QueueBase):
    """The element with the least int64 first, which comes before the other components."""

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name='priority_queue'):
        types = _type_list(types)
        shapes = _shape_list(shapes, types)
        ref = apply_op('PriorityQueueV2', component_types=types, shapes=shapes or [], capacity=capacity, shared_name=shared_name or '',
                       name=name)
        super(PriorityQueue, self).__init__([dtypes_lib.int64] + types, [()] + shapes if shapes else shapes, names, ref)

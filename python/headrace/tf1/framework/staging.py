"""Staging areas and barriers: tensors that one step leaves for another (tf.contrib.staging.StagingArea)."""
from headrace.tf1.framework import array, control, convert, dtypes as dtypes_lib, graph as graph_lib, queues, shapes as shapes_lib
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope


class BaseStagingArea(object):
    """What both kinds of areas have: dtypes, shapes and names of the components of an element, and limits."""

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0, memory_limit=0):
        if shared_name is None:
            self._name = graph_lib.get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError('shared_name must be a string')
        for what, given in (('shapes', shapes), ('names', names)):
            if given is not None and len(given) != len(dtypes):
                raise ValueError('StagingArea %s must be the same length as dtypes' % what)
        self._dtypes, self._names = dtypes, names
        self._shapes = [shapes_lib.unknown_shape() for _ in dtypes] if shapes is None else [shapes_lib.TensorShape(s) for s in shapes]
        self._capacity, self._memory_limit = capacity, memory_limit
        with name_scope('%s_root' % self._name):
            self._root = control.no_op()

    name = property(lambda self: self._name)
    dtypes = property(lambda self: self._dtypes)
    shapes = property(lambda self: self._shapes)
    names = property(lambda self: self._names)
    capacity = property(lambda self: self._capacity)
    memory_limit = property(lambda self: self._memory_limit)

    def _attrs(self, dtypes=None):
        return {'dtypes': self._dtypes if dtypes is None else dtypes, 'shared_name': self._name, 'capacity': self._capacity,
                'memory_limit': self._memory_limit}

    def _put_scope(self, values, name):
        values = values.values() if isinstance(values, dict) else values if isinstance(values, (list, tuple)) else [values]
        return name_scope(name, '%s_put' % self._name, [value for value in values if hasattr(value, 'graph')])

    def _components(self, values, indices):
        """(tensors, which components they are) of what is put."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError('Staging areas must have names to enqueue a dictionary')
            if not set(values) <= set(self._names):
                raise ValueError('Keys in dictionary to put do not match names of staging area. Dictionary: (%s), Queue: (%s)' % (
                    sorted(values), sorted(self._names)))
            indices = [i for i, name in enumerate(self._names) if name in values]
            values = [values[self._names[i]] for i in indices]
        elif self._names:
            raise ValueError('You must enqueue a dictionary in a staging area with names')
        elif indices is None:
            raise ValueError('Indices must be supplied when inserting a list of tensors')
        elif len(indices) != len(values):
            raise ValueError("Number of indices '%s' doesn't match number of values '%s'" % (len(indices), len(values)))
        if len(values) > len(self._dtypes):
            raise ValueError("Unexpected number of inputs '%s' vs '%s'" % (len(values), len(self._dtypes)))
        tensors = []
        for value, i in zip(values, indices):
            if value.dtype != self._dtypes[i]:
                raise ValueError("Datatypes do not match. '%s' != '%s'" % (value.dtype, self._dtypes[i]))
            value.shape.assert_is_compatible_with(self._shapes[i])
            tensors.append(convert_to_tensor(value, dtype=self._dtypes[i], name='component_%d' % i))
        return tensors, indices

    def _to_here(self, tensors):
        """On the device of the scope, which may be another one than the area's."""
        if control.no_op().device != self._root.device:
            return [array.identity(tensor) for tensor in tensors]
        return tensors

    def _given(self, tensors, indices):
        tensors = self._to_here(tensors if isinstance(tensors, (list, tuple)) else [tensors])
        for tensor, i in zip(tensors, indices):
            tensor.set_shape(self._shapes[i])
        return {self._names[i]: tensor for tensor, i in zip(tensors, indices)} if self._names else tensors


class StagingArea(BaseStagingArea):
    """First in, first out: input that one step prepares while another computes. With `names`, elements are dictionaries."""

    def put(self, values, name=None):
        """The operation that leaves one element; it waits while the area is full."""
        with self._put_scope(values, name) as scope:
            if not isinstance(values, (list, tuple, dict)):
                values = [values]
            tensors, _ = self._components(values, list(range(len(values))))
            with graph_lib.colocate_with(self._root):
                return apply_op('Stage', tensors, shared_name=self._name, name=scope, capacity=self._capacity,
                                memory_limit=self._memory_limit)

    def get(self, name=None):
        """The oldest element, which is gone then."""
        with graph_lib.colocate_with(self._root):
            taken = apply_op('Unstage', name=name or '%s_get' % self._name, **self._attrs())
        return self._given(taken, range(len(self._dtypes)))

    def peek(self, index, name=None):
        """The element so many places behind the oldest, which stays."""
        with graph_lib.colocate_with(self._root):
            seen = apply_op('StagePeek', index, name=name or '%s_peek' % self._name, **self._attrs())
        return self._given(seen, range(len(self._dtypes)))

    def size(self, name=None):
        """The number of elements, an int32."""
        return apply_op('StageSize', name=name or '%s_size' % self._name, **self._attrs())

    def clear(self, name=None):
        """The operation that takes all away."""
        return apply_op('StageClear', name=name or '%s_clear' % self._name, **self._attrs())


class MapStagingArea(BaseStagingArea):
    """Elements under int64 keys, whose components may be put and taken one by one; ordered: `get` without a key takes the least."""

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, ordered=False, capacity=0, memory_limit=0):
        super(MapStagingArea, self).__init__(dtypes, shapes, names, shared_name, capacity, memory_limit)
        self._op = 'OrderedMap%s' if ordered else 'Map%s'

    def put(self, key, vals, indices=None, name=None):
        """The operation that leaves components of the element `key`."""
        with self._put_scope(vals, name) as scope:
            tensors, indices = self._components(vals, indices)
            with graph_lib.colocate_with(self._root):
                return apply_op(self._op % 'Stage', key, indices, tensors, name=scope, **self._attrs())

    def _wanted(self, indices):
        """Indices and dtypes of components, given by number or by name."""
        indices = list(range(len(self._dtypes))) if indices is None else indices
        if not isinstance(indices, (tuple, list)):
            raise TypeError("Invalid indices type '%s'" % type(indices))
        if not indices:
            raise ValueError('Empty indices')
        if all(isinstance(i, str) for i in indices):
            if self._names is None:
                raise ValueError("String indices provided '%s', but this Staging Area was not created with names." % indices)
            for name in indices:
                if name not in self._names:
                    raise ValueError("Named index '%s' not in Staging Area names '%s'" % (name, self._names))
            indices = [self._names.index(name) for name in indices]
        elif not all(isinstance(i, int) for i in indices):
            raise TypeError("Mixed types in indices '%s'. May only be str or int" % indices)
        return indices, [self._dtypes[i] for i in indices]

    def _look(self, op, key, indices, name):
        indices, dtypes = self._wanted(indices)
        with graph_lib.colocate_with(self._root):
            return self._given(apply_op(self._op % op, key, indices, name=name, **self._attrs(dtypes)), indices)

    def peek(self, key, indices=None, name=None):
        """Components of the element `key`, which stay."""
        return self._look('Peek', key, indices, name or '%s_pop' % self._name)

    def get(self, key=None, indices=None, name=None):
        """(key, components), which are gone then; without a key of any element."""
        if key is not None:
            return key, self._look('Unstage', key, indices, name or '%s_get' % self._name)
        indices, dtypes = self._wanted(indices)
        with graph_lib.colocate_with(self._root):
            taken = apply_op(self._op % 'UnstageNoKey', indices, name=name or '%s_get_nokey' % self._name, **self._attrs(dtypes))
        return self._to_here([taken[0]])[0], self._given(taken[1], indices)

    def size(self, name=None):
        """The number of whole elements, an int32."""
        return apply_op(self._op % 'Size', name=name or '%s_size' % self._name, **self._attrs())

    def incomplete_size(self, name=None):
        """The number of elements that lack components, an int32."""
        return apply_op(self._op % 'IncompleteSize', name=name or '%s_incomplete_size' % self._name, **self._attrs())

    def clear(self, name=None):
        """The operation that takes all away."""
        return apply_op(self._op % 'Clear', name=name or '%s_clear' % self._name, **self._attrs())


class Barrier(object):
    """Elements by key, which come out when all their components have come, in the order of their keys."""

    def __init__(self, types, shapes=None, shared_name=None, name='barrier'):
        self._types = queues._type_list(types)
        if shapes is None:
            self._shapes = [shapes_lib.unknown_shape() for _ in self._types]
        else:
            self._shapes = queues._shape_list(shapes, self._types)
            for i, shape in enumerate(self._shapes):
                if shape.num_elements() == 0:
                    raise ValueError("Empty tensors are not supported, but received shape '%s' at index %d" % (shape, i))
        self._barrier_ref = apply_op('Barrier', component_types=self._types, shapes=self._shapes, shared_name=shared_name or '', name=name)
        self._name = self._barrier_ref.op.name.split('/')[-1]

    barrier_ref = property(lambda self: self._barrier_ref)
    name = property(lambda self: self._barrier_ref.op.name)

    def insert_many(self, component_index, keys, values, name=None):
        """The operation that sets a component of the elements of `keys`."""
        return apply_op('BarrierInsertMany', self._barrier_ref, keys, values, component_index=component_index,
                        name=name or '%s_BarrierInsertMany' % self._name)

    def take_many(self, num_elements, allow_small_batch=False, timeout=None, name=None):
        """(indices, keys, values) of so many whole elements; of a closed barrier fewer, if allow_small_batch."""
        taken = apply_op('BarrierTakeMany', self._barrier_ref, num_elements, component_types=self._types,
                         allow_small_batch=allow_small_batch, timeout_ms=timeout, name=name or '%s_BarrierTakeMany' % self._name)
        op = taken[0].op
        batch = [None if allow_small_batch else convert.constant_value(op.inputs[1])]
        for output, shape in zip(op.outputs, [[], []] + self._shapes):
            output.set_shape(shapes_lib.TensorShape(batch).concatenate(shape))
        return taken

    def close(self, cancel_pending_enqueues=False, name=None):
        """The operation after which there are no new keys."""
        return apply_op('BarrierClose', self._barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues,
                        name=name or '%s_BarrierClose' % self._name)

    def ready_size(self, name=None):
        """The number of whole elements, an int32."""
        return apply_op('BarrierReadySize', self._barrier_ref, name=name or '%s_BarrierReadySize' % self._name)

    def incomplete_size(self, name=None):
        """The number of elements that lack components, an int32."""
        return apply_op('BarrierIncompleteSize', self._barrier_ref, name=name or '%s_BarrierIncompleteSize' % self._name)

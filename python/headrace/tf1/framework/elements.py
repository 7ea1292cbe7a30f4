"""What graphs consist of: operations, their tensors, and slices of tensors.

The engine's graph holds everything; the objects here are made on demand and stand for its nodes.
"""
import collections

from headrace.tf1.framework import dtypes, errors, shapes
from headrace.tf1.framework.defaults import get_default_graph, session_for

INDEX_BITS = 16  # of a handle: (id of the node << INDEX_BITS) | number of the output


class Tensor(object):
    """One output of an operation."""
    __slots__ = ('op', 'value_index', 'dtype', '_handle', '_id', '__weakref__', '__dict__')
    __array_priority__ = 100
    OVERLOADABLE_OPERATORS = frozenset()

    def __init__(self, op, value_index, dtype):
        self.op = op
        self.value_index = value_index
        self.dtype = dtype
        self._handle = (op._id << INDEX_BITS) | value_index
        self._id = self._handle

    @property
    def graph(self):
        return self.op.graph

    @property
    def name(self):
        return '%s:%d' % (self.op.name, self.value_index)

    @property
    def device(self):
        return self.op.device

    @property
    def shape(self):
        return shapes.TensorShape._of(self.op._core.output_shape(self._handle))

    def get_shape(self):
        """The shape as far as it is known while the graph is built."""
        return self.shape

    def _shape_tuple(self):
        shape = self.shape
        return None if shape.rank is None else tuple(shape.as_list())

    @property
    def _rank(self):
        return self.shape.rank

    def set_shape(self, shape):
        """Adds what the program knows of the shape. ValueError if it contradicts what is known."""
        shape = shapes.as_shape(shape)
        if shape._dims is None:
            return
        try:
            self.op._core.refine_shape(self._handle, shape._to_core())
        except ValueError:
            from headrace.tf1.framework import refusals
            begin = refusals.not_merged(self.shape.as_list() if self.shape.rank is not None else None, shape.as_list())
            raise ValueError('%s\n    set_shape of %r' % (begin, self.name)) from None

    def consumers(self):
        graph = self.graph
        return [graph._operation(i) for i in self.op._core.consumers(self._handle)]

    def eval(self, feed_dict=None, session=None):
        """Its value, by the default session or `session`."""
        return session_for(session, self.graph, 'evaluate tensor').run(self, feed_dict)

    def _as_node_def_input(self):
        return self.op.name if self.value_index == 0 else self.name

    def __len__(self):
        raise TypeError('len is not well defined for symbolic Tensors. (%s) Please call `x.shape` rather than `len(x)` for '
                        'shape information.' % self.name)

    def __iter__(self):
        raise errors.OperatorNotAllowedInGraphError(
            'iterating over `tf.Tensor` is not allowed in Graph execution. Use tf.unstack or tf.map_fn.')
        yield  # the error is that of the first element, as in TensorFlow  pylint: disable=unreachable

    def __bool__(self):
        raise errors.OperatorNotAllowedInGraphError(
            'using a `tf.Tensor` as a Python `bool` is not allowed in Graph execution. Use `if t is not None:` to test whether a tensor is '
            'defined, and tf.cond for what depends on its value.')

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError('Cannot convert a symbolic Tensor (%s) to a numpy array.' % self.name)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __str__(self):
        shape = self.shape
        text = '' if shape.rank is None else ', shape=%s' % shape
        device = ', device=%s' % self.device if self.device else ''
        return 'Tensor("%s"%s, dtype=%s%s)' % (self.name, text, self.dtype.name, device)

    def __repr__(self):
        return "<tf.Tensor '%s' shape=%s dtype=%s>" % (self.name, self.shape, self.dtype.name)

    @staticmethod
    def _override_operator(operator, func):
        setattr(Tensor, operator, func)


class Operation(object):
    """A node of a graph."""
    __slots__ = ('graph', '_id', '_core', '_name', '_type', '_outputs', '_original_op', '_traceback', '__weakref__', '__dict__')

    def __init__(self, graph, node_id, output_types=None):
        self.graph = graph
        self._id = node_id
        self._core = graph._core
        self._name = self._type = None
        if output_types is None:
            output_types = graph._core.node_output_types(node_id)
        self._outputs = [Tensor(self, i, dtypes._BY_ENUM[t]) for i, t in enumerate(output_types)]
        self._original_op = None

    @property
    def name(self):
        if self._name is None:
            self._name = self._core.node_name(self._id)
        return self._name

    @property
    def type(self):
        if self._type is None:
            self._type = self._core.node_op(self._id)
        return self._type

    @property
    def outputs(self):
        return list(self._outputs)

    @property
    def inputs(self):
        return _Inputs(self.graph._tensor(h) for h in self._core.node_inputs(self._id))

    @property
    def _input_types(self):
        return [dtypes.of(t) for t in self._core.node_input_types(self._id)]

    @property
    def _output_types(self):
        return [t.dtype._enum for t in self._outputs]

    @property
    def control_inputs(self):
        return [self.graph._operation(i) for i in self._core.node_controls(self._id)]

    @property
    def _control_outputs(self):
        return [op for op in self.graph.get_operations() if self in op.control_inputs]

    @property
    def device(self):
        return self._core.node_device(self._id)

    def _set_device(self, device):
        self._core.set_device(self._id, device_string(device))

    def _set_attr(self, name, value):
        self._core.set_attr(self._id, name, attr_of_proto(value))

    def _add_control_input(self, op):
        self._core.add_control_input(self._id, op._id)

    def _add_control_inputs(self, ops):
        for op in ops:
            self._add_control_input(op)

    def _update_input(self, index, tensor):
        self._core.set_input(self._id, index, tensor._handle)

    def colocation_groups(self):
        names = self._core.node_colocation(self._id)
        return [('loc:@' + n).encode() for n in names] or [('loc:@' + self.name).encode()]

    def get_attr(self, name):
        """Value of an attribute as Python has it. ValueError if the node has none of that name."""
        try:
            kind, value = self._core.node_attr(self._id, name)
        except KeyError:
            raise ValueError("Operation '%s' has no attr named '%s'." % (self.name, name))
        if kind == 'type':
            return dtypes.of(value)
        if kind == 'list(type)':
            return [dtypes.of(v) for v in value]
        if kind in ('shape', 'list(shape)', 'tensor'):
            return getattr(self.node_def.attr[name], kind) if '(' not in kind else list(self.node_def.attr[name].list.shape)
        return value

    @property
    def node_def(self):
        from headrace.tf1.framework import protos
        return protos.node_def(self)

    @property
    def op_def(self):
        from headrace.tf1.framework import protos
        return protos.op_def(self.type)

    @property
    def traceback(self):
        name, line = self._core.node_location(self._id)
        return [(name, line, '<module>', None)] if line else []

    def run(self, feed_dict=None, session=None):
        """Runs it, by the default session or `session`."""
        session_for(session, self.graph, 'run operation').run(self, feed_dict)

    def values(self):
        return tuple(self._outputs)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __str__(self):
        return str(self.node_def)

    def __repr__(self):
        return "<tf.Operation '%s' type=%s>" % (self.name, self.type)


class _Inputs(tuple):
    """Inputs of an operation; compares like a list."""
    __slots__ = ()

    def __add__(self, other):
        return list(self) + list(other)

    def __eq__(self, other):
        return list(self) == list(other)

    __hash__ = tuple.__hash__


class IndexedSlices(object):
    """Rows of a tensor that is zero elsewhere: what the gradient of a gather is."""

    def __init__(self, values, indices, dense_shape=None):
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    values = property(lambda self: self._values)
    indices = property(lambda self: self._indices)
    dense_shape = property(lambda self: self._dense_shape)
    name = property(lambda self: self._values.name)
    device = property(lambda self: self._values.device)
    op = property(lambda self: self._values.op)
    dtype = property(lambda self: self._values.dtype)
    graph = property(lambda self: self._values.graph)

    @property
    def shape(self):
        if self._dense_shape is None:
            return shapes.TensorShape(None)
        from headrace.tf1.framework import convert
        return convert.constant_value_as_shape(self._dense_shape)

    def consumers(self):
        return self._values.consumers()

    def __neg__(self):
        return IndexedSlices(-self.values, self.indices, self.dense_shape)

    def __str__(self):
        dense = '' if self._dense_shape is None else ', dense_shape=%s' % self._dense_shape
        return 'IndexedSlices(indices=%s, values=%s%s)' % (self._indices, self._values, dense)


IndexedSlicesValue = collections.namedtuple('IndexedSlicesValue', ['values', 'indices', 'dense_shape'])


def device_string(device_spec):
    if device_spec is None:
        return ''
    return device_spec if isinstance(device_spec, str) else device_spec.to_string()


def attr_of_proto(value):
    """What the engine takes for an AttrValue message; other values as they are."""
    which = getattr(value, 'WhichOneof', None)
    if which is None or not hasattr(value, 'list'):
        if isinstance(value, dtypes.DType):
            return value._enum
        if isinstance(value, shapes.TensorShape):
            return value._to_core()
        return value
    kind = which('value')
    if kind == 'list':
        for field in ('s', 'i', 'f', 'b', 'type'):
            if len(getattr(value.list, field)):
                return list(getattr(value.list, field))
        if len(value.list.shape):
            return [shapes.TensorShape(s)._to_core() for s in value.list.shape]
        return []
    if kind == 'shape':
        return shapes.TensorShape(value.shape)._to_core()
    if kind == 'tensor':
        from headrace.tf1.framework import protos
        return protos.make_ndarray(value.tensor), value.tensor.dtype
    if kind == 'func':
        return value.func.name
    return getattr(value, kind)


def op_of(value):
    """The operation behind a tensor, variable, slices or operation."""
    if isinstance(value, Operation):
        return value
    op = getattr(value, 'op', None)
    if isinstance(op, Operation):
        return op
    return get_default_graph().as_graph_element(value).op


def graph_of(values, graph=None):
    """The one graph that all tensors, operations and variables in `values` belong to; the default graph if there is none.

    While a function is built: its graph. Errors: ValueError when they are of several graphs.
    """
    default = get_default_graph()
    if graph is None and default._building_function:
        return default  # it captures values of the graphs around it
    found = None
    for value in values or ():
        if isinstance(value, (Tensor, Operation, IndexedSlices)) or hasattr(value, '_as_graph_element'):
            its = value.graph
            if graph is not None and its is not graph:
                raise ValueError('%s is not from the passed-in graph.' % (value,))
            if found is None:
                found = its
            elif its is not found:
                raise ValueError('%s must be from the same graph as %s.' % (value, values[0]))
        elif isinstance(value, (list, tuple)) and value:
            its = graph_of([v for v in value], graph) if any(hasattr(v, 'graph') for v in value) else None
            found = found or its
    return graph or found or default

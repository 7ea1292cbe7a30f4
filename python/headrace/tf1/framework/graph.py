"""Graphs, operations, tensors, and the scopes in which they are made.

The engine's graph holds everything; the objects here are made on demand and stand for its nodes.
"""
import collections
import re
import sys
import threading

from headrace import _core
from headrace.tf1.framework import dtypes, errors, shapes

_core.set_error_factory(errors.make)

_INDEX_BITS = 16
_PACKAGE = __file__[:__file__.rindex('/tf1/')] + '/'
_VALID_OP_NAME = re.compile(r'^[A-Za-z0-9.][A-Za-z0-9_.\-/]*$')
_VALID_SCOPE_NAME = re.compile(r'^[A-Za-z0-9_.\-/]*$')


def program_line():
    """(file, line) of the innermost frame that is not in this package."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PACKAGE):
            return name, frame.f_lineno
        frame = frame.f_back
    return '', 0


class Tensor(object):
    """One output of an operation."""
    __slots__ = ('op', 'value_index', 'dtype', '_handle', '_id', '__weakref__', '__dict__')
    __array_priority__ = 100
    OVERLOADABLE_OPERATORS = frozenset()

    def __init__(self, op, value_index, dtype):
        self.op = op
        self.value_index = value_index
        self.dtype = dtype
        self._handle = (op._id << _INDEX_BITS) | value_index
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
            raise ValueError('Tensor %r: shapes %s and %s are not compatible' % (self.name, self.shape, shape))

    def consumers(self):
        graph = self.graph
        return [graph._operation(i) for i in self.op._core.consumers(self._handle)]

    def eval(self, feed_dict=None, session=None):
        """Its value, by the default session or `session`."""
        return _session_for(session, self.graph, 'evaluate tensor').run(self, feed_dict)

    def _as_node_def_input(self):
        return self.op.name if self.value_index == 0 else self.name

    def __len__(self):
        raise TypeError('len is not well defined for symbolic Tensors. (%s) Please call `x.shape` rather than `len(x)` for '
                        'shape information.' % self.name)

    def __iter__(self):
        raise errors.OperatorNotAllowedInGraphError(
            'iterating over `tf.Tensor` is not allowed in Graph execution: use tf.unstack or tf.map_fn.')

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
        self._core.set_device(self._id, _device_string(device))

    def _set_attr(self, name, value):
        self._core.set_attr(self._id, name, _attr_of_proto(value))

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
        _session_for(session, self.graph, 'run operation').run(self, feed_dict)

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


class GraphKeys(object):
    """Names of the collections that parts of a program find each other by."""
    GLOBAL_VARIABLES = 'variables'
    VARIABLES = 'variables'
    LOCAL_VARIABLES = 'local_variables'
    METRIC_VARIABLES = 'metric_variables'
    MODEL_VARIABLES = 'model_variables'
    TRAINABLE_VARIABLES = 'trainable_variables'
    SUMMARIES = 'summaries'
    QUEUE_RUNNERS = 'queue_runners'
    TABLE_INITIALIZERS = 'table_initializer'
    ASSET_FILEPATHS = 'asset_filepaths'
    MOVING_AVERAGE_VARIABLES = 'moving_average_variables'
    REGULARIZATION_LOSSES = 'regularization_losses'
    CONCATENATED_VARIABLES = 'concatenated_variables'
    SAVERS = 'savers'
    WEIGHTS = 'weights'
    BIASES = 'biases'
    ACTIVATIONS = 'activations'
    UPDATE_OPS = 'update_ops'
    LOSSES = 'losses'
    SAVEABLE_OBJECTS = 'saveable_objects'
    RESOURCES = 'resources'
    LOCAL_RESOURCES = 'local_resources'
    TRAINABLE_RESOURCE_VARIABLES = 'trainable_resource_variables'
    INIT_OP = 'init_op'
    LOCAL_INIT_OP = 'local_init_op'
    READY_OP = 'ready_op'
    READY_FOR_LOCAL_INIT_OP = 'ready_for_local_init_op'
    SUMMARY_OP = 'summary_op'
    GLOBAL_STEP = 'global_step'
    EVAL_STEP = 'eval_step'
    TRAIN_OP = 'train_op'
    COND_CONTEXT = 'cond_context'
    WHILE_CONTEXT = 'while_context'
    _SUMMARY_COLLECTION = '_SUMMARY_V2'
    _VARIABLE_COLLECTIONS = [GLOBAL_VARIABLES, LOCAL_VARIABLES, METRIC_VARIABLES, MODEL_VARIABLES, TRAINABLE_VARIABLES,
                             MOVING_AVERAGE_VARIABLES, CONCATENATED_VARIABLES, TRAINABLE_RESOURCE_VARIABLES]
    _STREAMING_MODEL_PORTS = 'streaming_model_ports'


class _Opened(object):
    """A scope of the engine's graph, and what the `with` statement gives."""
    __slots__ = ('_open', '_value', '_scope', '_close')

    def __init__(self, open_scope, value=None, close=None):
        self._open, self._value, self._close = open_scope, value, close

    def __enter__(self):
        self._scope = self._open()
        return self._value() if callable(self._value) else self._value

    def __exit__(self, *unused):
        if self._scope is not None:
            self._scope.exit()
        if self._close is not None:
            self._close()
        return False


class Graph(object):
    """A dataflow graph under construction."""

    def __init__(self):
        self._core = _core.Graph()
        self._operations = {}  # id -> Operation
        self._lock = threading.RLock()
        self._collections = {}
        self._seed = None
        self._finalized = False
        self._devices = []  # of `device` scopes, outer ones first; in it at least one function while _device_functions
        self._device_functions = 0
        self._control_flow_context = None  # of tf.cond: the branch that is being built
        self._gradient_override_map = {}
        self._custom_gradients = {}  # of tf.custom_gradient: key -> function; they live as long as the graph
        self._unfeedable, self._unfetchable = set(), set()
        self._attr_scope_map = {}
        self._container = ''
        self._building_function = False
        self._plain_names = {}  # for unique_name without marking
        self._variable_store = None
        self._var_scope_store = None

    # ---- nodes

    def _operation(self, node_id):
        op = self._operations.get(node_id)
        if op is None:
            with self._lock:
                op = self._operations.get(node_id)
                if op is None:
                    op = self._operations[node_id] = Operation(self, node_id)
        return op

    def _tensor(self, handle):
        return self._operation(handle >> _INDEX_BITS)._outputs[handle & 0xffff]

    def _find_operation(self, name):
        node_id = self._core.find_node(name)
        return None if node_id < 0 else self._operation(node_id)

    def _create(self, op_type, inputs, attrs, name):
        """Adds a node: `inputs` are handles, attributes as the engine takes them. Errors: ValueError."""
        if self._finalized:
            raise RuntimeError('Graph is finalized and cannot be modified.')
        if name and not _VALID_OP_NAME.match(name if name[-1] != '/' else name[:-1]) and not (
                self._core.name_scope and _VALID_SCOPE_NAME.match(name)):
            raise ValueError("'%s' is not a valid node name" % name)
        core = self._core
        if self._gradient_override_map and op_type in self._gradient_override_map:
            attrs = dict(attrs or {}, _gradient_op_type=self._gradient_override_map[op_type])
        if self._attr_scope_map:
            attrs = dict(self._attr_scope_map, **(attrs or {}))
        file, line = program_line()
        controls, context = None, self._control_flow_context
        if context is not None:
            if inputs:
                inputs = [context.enter(handle) for handle in inputs]
            else:
                controls = [context.pivot.op._id]
        try:
            node_id, types = core.add_node(op_type, name or op_type, inputs, attrs, controls, '', file, line)
        except ValueError as error:
            from headrace.tf1.framework import convert, refusals
            tensors = [self._tensor(handle) for handle in inputs]
            given = [tensor.shape.as_list() if tensor.shape.rank is not None else None for tensor in tensors]
            raise ValueError(refusals.of_node(str(error), given, attrs or {}, lambda i: convert.constant_value(tensors[i]))) from None
        op = self._operations[node_id] = Operation(self, node_id, types)
        if context is not None:
            context.adds(op)
        if self._device_functions:
            self._apply_device_functions(node_id)
        return op

    def create_op(self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None, op_def=None, compute_shapes=True,
                  compute_device=True):
        """Adds a node of `op_type` on tensors; attributes as AttrValue messages or Python values."""
        from headrace.tf1.framework import convert
        inputs = [convert.convert_to_tensor(x) if not isinstance(x, Tensor) else x for x in inputs]
        attrs = {key: _attr_of_proto(value) for key, value in (attrs or {}).items()}
        return self._create(op_type, [x._handle for x in inputs], attrs, name)

    def _after_bulk(self, first_id):
        """What the engine's builders could not know about nodes from `first_id` on: device functions."""
        if self._device_functions:
            for node_id in range(first_id, self._core.num_nodes):
                self._apply_device_functions(node_id)

    def _apply_device_functions(self, node_id):
        from headrace.tf1.framework import device
        op = self._operation(node_id)
        colocation = self._core.node_colocation(node_id)
        if colocation and colocation != [op.name]:
            # Colocation is stronger (a variable may name itself): the device is that of the group, which may have got it only now.
            for name in colocation:
                node = self._core.find_node(name)
                if node >= 0 and self._core.node_device(node):
                    self._core.set_device(node_id, self._core.node_device(node))
            return
        # What the string scopes ask for is merged again below, in order with the functions; what the builder of this very node
        # asked for stays.
        if self._core.node_device(node_id) == self._core.device_scope:
            self._core.set_device(node_id, '')
        for spec in reversed(self._devices):
            if spec is None:
                break
            if callable(spec):
                op._set_device(spec(op))
            else:
                self._core.set_device(node_id, device.merge(spec, op.device))

    def get_operations(self):
        return [self._operation(i) for i in range(self._core.num_nodes)]

    def get_operation_by_name(self, name):
        if not isinstance(name, str):
            raise TypeError('Operation names are strings (or similar), not %s.' % type(name).__name__)
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name):
        if not isinstance(name, str):
            raise TypeError('Tensor names are strings (or similar), not %s.' % type(name).__name__)
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """The tensor or operation that a name or object stands for.

        Errors: ValueError for a name of the wrong form or an object of another graph, KeyError for what is not in the graph,
        TypeError for what is neither.
        """
        if not allow_tensor and not allow_operation:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        types = ' or '.join(n for n, ok in (('Tensor', allow_tensor), ('Operation', allow_operation)) if ok)
        converter = getattr(obj, '_as_graph_element', None)
        if callable(converter):
            obj = converter()
        if isinstance(obj, bytes):
            obj = obj.decode('utf-8')
        if isinstance(obj, str):
            return self._element_by_name(obj, allow_tensor, allow_operation)
        if isinstance(obj, Tensor) and allow_tensor or isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                kind = 'Tensor' if isinstance(obj, Tensor) else 'Operation'
                raise ValueError('%s %s is not an element of this graph.' % (kind, obj))
            return obj
        raise TypeError('Can not convert a %s into a %s.' % (type(obj).__name__, types))

    def _element_by_name(self, name, allow_tensor, allow_operation):
        if ':' in name and allow_tensor:
            op_name, _, index = name.partition(':')
            if not index.isdigit():
                raise ValueError("The name %s looks a like a Tensor name, but is not a valid one. Tensor names must be of the form "
                                 "\"<op_name>:<output_index>\"." % repr(name))
            op = self._find_operation(op_name)
            if op is None:
                raise KeyError("The name %r refers to a Tensor which does not exist. The operation, %r, does not exist in the graph."
                               % (name, op_name))
            if int(index) >= len(op._outputs):
                raise KeyError("The name %r refers to a Tensor which does not exist. The operation, %r, exists but only has %s "
                               'outputs.' % (name, op_name, len(op._outputs)))
            return op._outputs[int(index)]
        if ':' in name:
            raise ValueError('Name %s appears to refer to a Tensor, not a Operation.' % repr(name))
        op = self._find_operation(name)
        if not allow_operation:
            hint = ' You may want to use the name %r.' % (name + ':0') if op is not None and op._outputs else ''
            raise ValueError('The name %r looks like an (invalid) Operation name, not a Tensor. Tensor names must be of the form '
                             '"<op_name>:<output_index>".%s' % (name, hint)
                             if op is None else
                             'The name %r refers to an Operation, not a Tensor. Tensor names must be of the form '
                             '"<op_name>:<output_index>".' % name)
        if op is None:
            raise KeyError('The name %r refers to an Operation not in the graph.' % name)
        return op

    def _as_graph_def(self):
        return self._core.export_graph()

    def as_graph_def(self, from_version=None, add_shapes=False):
        """The graph as a GraphDef message."""
        from headrace.tf1.framework import protos
        graph_def = protos.message('GraphDef')()
        graph_def.ParseFromString(self._core.export_graph(with_shapes=add_shapes))
        if from_version is not None:
            keep = graph_def.node[from_version:]
            nodes = [type(n).FromString(n.SerializeToString()) for n in keep]
            del graph_def.node[:]
            graph_def.node.extend(nodes)
        return graph_def

    @property
    def graph_def_versions(self):
        return self.as_graph_def().versions

    @property
    def version(self):
        return self._core.num_nodes

    @property
    def _last_id(self):
        return self._core.num_nodes

    # ---- state

    @property
    def seed(self):
        return self._seed

    @seed.setter
    def seed(self, seed):
        self._seed = seed
        if seed is not None:
            self._core.set_seed(int(seed))

    @property
    def finalized(self):
        return self._finalized

    def finalize(self):
        """No node can be added from now on."""
        self._finalized = True

    def _unsafe_unfinalize(self):
        self._finalized = False

    @property
    def building_function(self):
        return self._building_function

    def is_feedable(self, tensor):
        return tensor not in self._unfeedable

    def prevent_feeding(self, tensor):
        self._unfeedable.add(tensor)

    def is_fetchable(self, tensor_or_op):
        return tensor_or_op not in self._unfetchable

    def prevent_fetching(self, op):
        self._unfetchable.add(op)

    def as_default(self):
        """Makes this the default graph inside a `with` block."""
        return _Default(_graphs(), self)

    # ---- collections

    def add_to_collection(self, name, value):
        self._collections.setdefault(name, []).append(value)
        handle = getattr(value, '_collection_handle', None)
        if handle is None and isinstance(value, Tensor):
            handle = value._handle
        elif handle is None and isinstance(value, Operation):
            handle = value._id << _INDEX_BITS if value._outputs else None
        if handle is not None and isinstance(name, str):
            self._core.add_to_collection(name, handle)

    def add_to_collections(self, names, value):
        names = (names,) if isinstance(names, str) else names
        for name in dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name, scope=None):
        """A copy of the list; with `scope`, the items whose name matches that regular expression from its start."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        pattern = re.compile(scope)
        return [item for item in items if hasattr(item, 'name') and pattern.match(item.name)]

    def get_collection_ref(self, name):
        """The list itself."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self):
        return [key for key in self._collections if isinstance(key, str)]

    @property
    def collections(self):
        return list(self._collections)

    def clear_collection(self, name):
        self._collections.pop(name, None)

    # ---- scopes

    def unique_name(self, name, mark_as_used=True):
        scope = self._core.name_scope
        if mark_as_used:
            unique = self._core.unique_name(scope + '/' + name if scope else name)
            return unique
        full = scope + '/' + name if scope else name
        candidate, i = full, 1
        while self._core.find_node(candidate) >= 0:
            candidate, i = '%s_%d' % (full, i), i + 1
        return candidate

    def get_name_scope(self):
        return self._core.name_scope

    @property
    def _name_stack(self):
        return self._core.name_scope

    def name_scope(self, name):
        """Nodes made inside are named "name/...". Gives the scope's full name with a final slash ("" at the top)."""
        if name:
            if isinstance(name, bytes):
                name = name.decode('utf-8')
            if not isinstance(name, str):
                raise TypeError('a name scope is a string, got %r' % (name,))
            pattern = _VALID_SCOPE_NAME if self._core.name_scope else _VALID_OP_NAME
            if not pattern.match(name):
                raise ValueError("'%s' is not a valid scope name" % name)
        core = self._core
        return _Opened(lambda: core.enter_name_scope(name or ''), lambda: core.name_scope + '/' if core.name_scope else '')

    def device(self, device_name_or_function):
        """Nodes made inside ask for that device: a name, a DeviceSpec, a function of the operation, or None for none."""
        from headrace.tf1.framework import device
        spec = device_name_or_function
        if spec is not None and not callable(spec):
            spec = device.canonical(spec)
        self_ = self
        counts = callable(spec)

        def enter():
            self_._devices.append(spec)
            self_._device_functions += counts
            return None if counts else self_._core.enter_device(spec, *program_line())

        def leave():
            self_._devices.pop()
            self_._device_functions -= counts
        return _Opened(enter, None, leave)

    def control_dependencies(self, control_inputs):
        """Nodes made inside run after all of these; None forgets those of outer scopes."""
        if control_inputs is None:
            return _Opened(lambda: self._core.enter_control(None))
        ids = []
        for item in control_inputs:
            if isinstance(item, IndexedSlices):
                item = item.op
            item = self.as_graph_element(item)
            ids.append((item.op if isinstance(item, Tensor) else item)._id)
        return _Opened(lambda: self._core.enter_control(ids))

    def colocate_with(self, op, ignore_existing=False):
        """Nodes made inside go where `op` goes."""
        if op is None and not ignore_existing:
            raise ValueError('Trying to reset colocation (op is None) but ignore_existing is not True')
        scopes = []

        def enter():
            if ignore_existing or op is None:
                scopes.append(self._core.enter_colocate(None))
            if op is not None:
                scopes.append(self._core.enter_colocate(op_of(op)._id))

        def leave():
            while scopes:
                scopes.pop().exit()
        return _Opened(enter, None, leave)

    def container(self, container_name):
        outer = self._container

        def enter():
            self._container = container_name

        def leave():
            self._container = outer
        return _Opened(enter, container_name, leave)

    def gradient_override_map(self, op_type_map):
        """Inside, the gradients of these types of ops are those registered under the given names."""
        outer = self._gradient_override_map

        def enter():
            self._gradient_override_map = dict(outer, **op_type_map)

        def leave():
            self._gradient_override_map = outer
        return _Opened(enter, None, leave)

    def _attr_scope(self, attr_map):
        outer = self._attr_scope_map

        def enter():
            merged = dict(outer, **{k: _attr_of_proto(v) for k, v in attr_map.items()})
            self._attr_scope_map = {k: v for k, v in merged.items() if v is not None}

        def leave():
            self._attr_scope_map = outer
        return _Opened(enter, None, leave)

    def switch_to_thread_local(self):
        pass

    def _get_control_flow_context(self):
        return self._control_flow_context


def op_of(value):
    """The operation behind a tensor, variable, slices or operation."""
    if isinstance(value, Operation):
        return value
    op = getattr(value, 'op', None)
    if isinstance(op, Operation):
        return op
    return get_default_graph().as_graph_element(value).op


def _device_string(device_spec):
    if device_spec is None:
        return ''
    return device_spec if isinstance(device_spec, str) else device_spec.to_string()


def _attr_of_proto(value):
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


# ---- defaults

class _Stacks(threading.local):
    def __init__(self):
        super(_Stacks, self).__init__()
        self.graphs, self.sessions = [], []


_stacks = _Stacks()
_global_graph = None
_global_lock = threading.Lock()


def _graphs():
    return _stacks.graphs


class _Default(object):
    """Puts an object on a stack inside a `with` block."""
    __slots__ = ('_stack', '_object')

    def __init__(self, stack, item):
        self._stack, self._object = stack, item

    def __enter__(self):
        self._stack.append(self._object)
        return self._object

    def __exit__(self, *unused):
        if not self._stack or self._stack[-1] is not self._object:
            if self._object in self._stack:
                self._stack.remove(self._object)
                raise AssertionError('Nesting violated for default stack of %s objects' % type(self._object))
            return False
        self._stack.pop()
        return False


def get_default_graph():
    """The graph that new nodes go to."""
    stack = _stacks.graphs
    if stack:
        return stack[-1]
    global _global_graph
    if _global_graph is None:
        with _global_lock:
            if _global_graph is None:
                _global_graph = Graph()
    return _global_graph


def reset_default_graph():
    """Forgets the global default graph."""
    if _stacks.graphs:
        raise AssertionError('Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit the nesting '
                             'and create a new graph.')
    global _global_graph
    _global_graph = None


def get_default_session():
    return _stacks.sessions[-1] if _stacks.sessions else None


def _default_session(session):
    return _Default(_stacks.sessions, session)


def _session_for(session, graph, what):
    method = 'run' if what == 'run operation' else 'eval'
    what = 'execute operation' if method == 'run' else what
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError('Cannot %s using `%s()`: No default session is registered. Use `with sess.as_default()` or pass an explicit '
                             'session to `%s(session=sess)`' % (what, method, method))
        if session.graph is not graph:
            whose = "the operation's" if method == 'run' else "the tensor's"
            raise ValueError("Cannot use the default session to %s: %s graph is different from the session's graph. Pass an "
                             'explicit session to `%s(session=sess)`.' % (what, whose, method))
    elif session.graph is not graph:
        whose = "the operation's" if method == 'run' else "the tensor's"
        raise ValueError("Cannot use the given session to %s: %s graph is different from the session's graph." % (what, whose))
    return session


def graph_of(values, graph=None):
    """The one graph that all tensors, operations and variables in `values` belong to; the default graph if there is none.

    Errors: ValueError when they are of several graphs.
    """
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
    return graph or found or get_default_graph()


# ---- functions of the public interface

class name_scope(object):  # pylint: disable=invalid-name
    """`with tf.name_scope("layer") as scope:` or, inside a function, `tf.name_scope(name, "default", [inputs])`."""

    def __init__(self, name, default_name=None, values=None):
        self._name = default_name if name is None else name
        self._given = name
        if self._name is None and values is not None:
            raise ValueError('At least one of name (%s) and default_name (%s) must be provided.' % (name, default_name))
        self._values = values

    @property
    def name(self):
        return self._name

    def __enter__(self):
        graph = graph_of(self._values) if self._values else get_default_graph()
        self._default = None if graph is get_default_graph() else graph.as_default()
        if self._default is not None:
            self._default.__enter__()
        try:
            self._scope = graph.name_scope(self._name)
            return self._scope.__enter__()
        except Exception:
            if self._default is not None:
                self._default.__exit__()
            raise

    def __exit__(self, *exc):
        self._scope.__exit__(*exc)
        if self._default is not None:
            self._default.__exit__(*exc)
        return False


def op_scope(values, name, default_name=None):
    return name_scope(name, default_name, values)


def device(device_name_or_function):
    return get_default_graph().device(device_name_or_function)


def control_dependencies(control_inputs):
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op, ignore_existing=False):
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name):
    return get_default_graph().container(container_name)


def add_to_collection(name, value):
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    return get_default_graph().get_collection_ref(key)


def get_all_collection_keys():
    return get_default_graph().get_all_collection_keys()


def set_random_seed(seed):
    """Seed of the default graph: with it, random ops give the same numbers in every run."""
    get_default_graph().seed = seed


def get_seed(op_seed):
    """(seed, seed2) for a random op, by TensorFlow 1's rule."""
    graph_seed = get_default_graph().seed
    largest = 2 ** 31 - 1
    if graph_seed is not None:
        op_seed = get_default_graph()._last_id if op_seed is None else op_seed
        seeds = int(graph_seed) % largest, int(op_seed) % largest
    elif op_seed is not None:
        seeds = 87654321, int(op_seed) % largest
    else:
        return None, None
    return (0, largest) if seeds == (0, 0) else seeds

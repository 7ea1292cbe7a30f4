"""Graphs under construction.

With what belongs to them: their elements (elements.py), collections' names (keys.py), the default ones (defaults.py), and the functions
that work on the default graph (scopes.py).
"""
import re
import sys
import threading

from headrace import _core
from headrace.tf1.framework import errors
from headrace.tf1.framework.defaults import (  # noqa: F401
    Default, default_graphs, default_session, get_default_graph, get_default_session, reset_default_graph, session_for)
from headrace.tf1.framework.elements import (  # noqa: F401
    INDEX_BITS, IndexedSlices, IndexedSlicesValue, Operation, Tensor, attr_of_proto, graph_of, op_of)
from headrace.tf1.framework.keys import GraphKeys  # noqa: F401
from headrace.tf1.framework.scopes import (  # noqa: F401
    add_to_collection, add_to_collections, colocate_with, container, control_dependencies, device, get_all_collection_keys, get_collection,
    get_collection_ref, get_seed, name_scope, op_scope, set_random_seed)

_core.set_error_factory(errors.make)

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
        return self._operation(handle >> INDEX_BITS)._outputs[handle & 0xffff]

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
        attrs = {key: attr_of_proto(value) for key, value in (attrs or {}).items()}
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
        return Default(default_graphs(), self)

    # ---- collections

    def add_to_collection(self, name, value):
        self._collections.setdefault(name, []).append(value)
        handle = getattr(value, '_collection_handle', None)
        if handle is None and isinstance(value, Tensor):
            handle = value._handle
        elif handle is None and isinstance(value, Operation):
            handle = value._id << INDEX_BITS if value._outputs else None
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
            if isinstance(item, IndexedSlices) or hasattr(item, 'handle') and not isinstance(item, Tensor):
                item = item.op  # of a variable behind a handle, too: to wait for it reads nothing
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
            merged = dict(outer, **{k: attr_of_proto(v) for k, v in attr_map.items()})
            self._attr_scope_map = {k: v for k, v in merged.items() if v is not None}

        def leave():
            self._attr_scope_map = outer
        return _Opened(enter, None, leave)

    def switch_to_thread_local(self):
        pass

    def _get_control_flow_context(self):
        return self._control_flow_context

"""Variables (tf.Variable) and the functions over collections of them."""
import enum

from headrace import _core
from headrace.tf1.framework import convert, dtypes, graph as graph_lib, initial_values, shapes
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import GraphKeys, Operation, Tensor


class VariableSynchronization(enum.Enum):
    """When distributed copies of a variable are brought together."""
    AUTO, NONE, ON_WRITE, ON_READ = range(4)


class VariableAggregation(enum.Enum):
    """How distributed copies of a variable are brought together."""
    NONE, SUM, MEAN, ONLY_FIRST_REPLICA = range(4)


_default_use_resource = False


def enable_resource_variables():
    """Variables are behind handles from here on, unless they say otherwise."""
    global _default_use_resource
    _default_use_resource = True


def disable_resource_variables():
    """Variables are refs from here on, unless they say otherwise."""
    global _default_use_resource
    _default_use_resource = False


def resource_variables_enabled():
    """Are variables behind handles by default?"""
    return _default_use_resource


def _wants_resource(use_resource, variable_def):
    if variable_def is not None:
        return variable_def.is_resource
    if use_resource is None:
        from headrace.tf1.framework import variable_scope
        use_resource = variable_scope.get_variable_scope().use_resource
    return _default_use_resource if use_resource is None else use_resource


class Variable(object):
    """State that lives in a session from its initialisation on; reads like a tensor.

    One that is made with `use_resource` is a ResourceVariable (resource_variable.py).
    """
    _created = 0

    def __new__(cls, *args, **kwargs):
        if cls is Variable and _wants_resource(kwargs.get('use_resource'), kwargs.get('variable_def')):
            from headrace.tf1.framework import resource_variable
            cls = resource_variable.ResourceVariable
        return super(Variable, cls).__new__(cls)

    def __init__(self, initial_value=None, trainable=True, collections=None, validate_shape=True, caching_device=None, name=None,
                 variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None, use_resource=None,
                 synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregation.NONE, shape=None):
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError('variable_def and initial_value are mutually exclusive.')
            self._init_from_proto(variable_def, import_scope)
            return
        if initial_value is None:
            raise ValueError('initial_value must be specified.')
        if isinstance(collections, str):
            raise ValueError('collections argument to Variable constructor must be a list, tuple, or set. Got %s of type %s' % (
                collections, type(collections)))
        if constraint is not None and not callable(constraint):
            raise ValueError('The `constraint` argument must be a callable.')
        collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        self._trainable = True if trainable is None else bool(trainable)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections.append(GraphKeys.TRAINABLE_VARIABLES)
        self._constraint, self._caching_device = constraint, caching_device
        self._synchronization, self._aggregation = synchronization, aggregation
        self._save_slice_info = None
        self._graph = graph_lib.get_default_graph()
        with self._graph.control_dependencies(None):
            self._create(initial_value, dtype, validate_shape, name, expected_shape)
        self._graph.add_to_collections(collections, self)
        Variable._created += 1
        self._unique_id = Variable._created

    def _create(self, initial_value, dtype, validate_shape, name, expected_shape):
        graph = self._graph
        from_function = callable(initial_value)
        with graph_lib.name_scope(name, 'Variable', [] if from_function else _as_list(initial_value)) as scope:
            if from_function:
                # The initial value goes where the variable goes, which does not exist yet: its name stands for it.
                with graph._attr_scope({'_class': [('loc:@' + scope[:-1]).encode()]}):
                    with graph.name_scope('Initializer'), graph.device(None):
                        value = convert.convert_to_tensor(initial_value(), dtype, name='initial_value')
                    op = self._variable_op(value, validate_shape, expected_shape, scope)
            else:
                value = convert.convert_to_tensor(initial_value, dtype, name='initial_value')
                op = self._variable_op(value, validate_shape, expected_shape, scope)
            self._initial_value = value
            self._variable = op._outputs[0]
            start = initial_values.guarded(value, scope)
            self._initializer_op = apply_op('Assign', self._variable, start, validate_shape=validate_shape, name='Assign').op
            if self._caching_device is not None:
                with graph.colocate_with(None, ignore_existing=True), graph.device(self._caching_device):
                    self._snapshot = apply_op('Identity', self._variable, name='read')
            else:
                with graph.colocate_with(op):
                    self._snapshot = apply_op('Identity', self._variable, name='read')

    def _variable_op(self, value, validate_shape, expected_shape, scope):
        shape = value.shape
        if validate_shape and not shape.is_fully_defined():
            raise ValueError('initial_value must have a shape specified: %s' % value)
        if expected_shape is not None:
            shapes.as_shape(expected_shape).assert_is_compatible_with(shape)
        graph = self._graph
        return graph._create('VariableV2', [], {
            'shape': shape._to_core() if validate_shape else None, 'dtype': value.dtype.base_dtype._enum,
            'container': graph._container, 'shared_name': ''}, scope)

    @classmethod
    def _of_ref(cls, ref, trainable=False):
        """The variable whose ref output or handle is given: one that the engine made."""
        if ref.op.type == 'VarHandleOp':
            from headrace.tf1.framework import resource_variable
            cls = resource_variable.ResourceVariable
        variable = object.__new__(cls)
        graph = ref.graph
        read, initializer, initial = _core.variable_parts(graph._core, ref._handle)
        variable._graph, variable._variable, variable._trainable = graph, ref, trainable
        variable._take_read(graph._tensor(read) if read >= 0 else ref)
        variable._initializer_op = graph._operation(initializer) if initializer >= 0 else None
        variable._initial_value = graph._tensor(initial) if initial >= 0 else None
        variable._constraint = variable._caching_device = variable._save_slice_info = None
        variable._synchronization, variable._aggregation = VariableSynchronization.AUTO, VariableAggregation.NONE
        Variable._created += 1
        variable._unique_id = Variable._created
        return variable

    def _take_read(self, read):
        self._snapshot = read

    def _init_from_proto(self, variable_def, import_scope=None):
        graph = self._graph = graph_lib.get_default_graph()

        def full(name):
            return name if not import_scope else '%s/%s' % (import_scope, name)
        self._variable = graph.as_graph_element(full(variable_def.variable_name))
        self._initializer_op = graph.as_graph_element(full(variable_def.initializer_name))
        self._initial_value = (graph.as_graph_element(full(variable_def.initial_value_name))
                               if variable_def.initial_value_name else None)
        self._take_read(graph.as_graph_element(full(variable_def.snapshot_name)))
        self._trainable = getattr(variable_def, 'trainable', True)
        self._constraint = self._caching_device = self._save_slice_info = None
        self._synchronization, self._aggregation = VariableSynchronization.AUTO, VariableAggregation.NONE
        if variable_def.HasField('save_slice_info_def'):
            self._save_slice_info = Variable.SaveSliceInfo(save_slice_info_def=variable_def.save_slice_info_def,
                                                           import_scope=import_scope)
        Variable._created += 1
        self._unique_id = Variable._created

    # ---- as a tensor

    def _as_tensor(self, dtype=None, name=None, as_ref=False):
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError("Incompatible type conversion requested to type '%s' for variable of type '%s'" % (
                dtype.name, self.dtype.base_dtype.name))
        return self._variable if as_ref else self._snapshot

    def _as_graph_element(self):
        return self._variable

    def _gradient_tensor(self):
        return self._variable

    @property
    def _collection_handle(self):
        return self._variable._handle

    def value(self):
        """The tensor that reads it."""
        return self._snapshot

    def read_value(self):
        """A new node that reads it here: after the control dependencies of this place."""
        return apply_op('Identity', self._variable, name='read')

    def _ref(self):
        return self._variable

    def initialized_value(self):
        """Its value if it is initialised, else its initial value."""
        return initial_values.initialized_value(self)

    def is_initialized(self, name=None):
        """Does it have a value? A boolean tensor."""
        return apply_op('IsVariableInitialized', self._variable, name=name)

    @property
    def initial_value(self):
        return self._initial_value

    @property
    def initializer(self):
        return self._initializer_op

    @property
    def constraint(self):
        return self._constraint

    @property
    def trainable(self):
        return self._trainable

    @property
    def synchronization(self):
        return self._synchronization

    @property
    def aggregation(self):
        return self._aggregation

    @property
    def name(self):
        return self._variable.name

    @property
    def _shared_name(self):
        return self.name[:-2]

    @property
    def device(self):
        return self._variable.device

    @property
    def dtype(self):
        return self._variable.dtype

    @property
    def op(self):
        return self._variable.op

    @property
    def graph(self):
        return self._variable.graph

    @property
    def shape(self):
        return self._variable.shape

    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        self._ref().set_shape(shape)
        self.value().set_shape(shape)

    def eval(self, session=None):
        """Its value, by the default session or `session`."""
        return self._variable.eval(session=session)

    def load(self, value, session=None):
        """Gives it a value without adding nodes. ValueError without a session."""
        session = session or graph_lib.get_default_session()
        if session is None:
            raise ValueError('Either session argument should be provided or default session should be established')
        session.run(self._initializer_op, {self._initializer_op.inputs[1]: value})

    # ---- updates

    def assign(self, value, use_locking=False, name=None, read_value=True):
        return _maybe_op(apply_op('Assign', self._variable, value, use_locking=use_locking, name=name), read_value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        return _maybe_op(apply_op('AssignAdd', self._variable, delta, use_locking=use_locking, name=name), read_value)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        return _maybe_op(apply_op('AssignSub', self._variable, delta, use_locking=use_locking, name=name), read_value)

    def _scatter(self, op, slices, use_locking, name):
        if not isinstance(slices, graph_lib.IndexedSlices):
            raise ValueError('sparse_delta is not IndexedSlices: %s' % (slices,))
        return apply_op(op, self._variable, slices.indices, slices.values, use_locking=use_locking, name=name)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('ScatterSub', sparse_delta, use_locking, name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('ScatterAdd', sparse_delta, use_locking, name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        return self._scatter('ScatterUpdate', sparse_delta, use_locking, name)

    def scatter_nd_sub(self, indices, updates, name=None):
        return apply_op('ScatterNdSub', self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_add(self, indices, updates, name=None):
        return apply_op('ScatterNdAdd', self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_update(self, indices, updates, name=None):
        return apply_op('ScatterNdUpdate', self._variable, indices, updates, use_locking=True, name=name)

    def count_up_to(self, limit):
        return apply_op('CountUpTo', self._variable, limit=limit)

    def _assign_slice(self, begin, end, strides, value, name, **masks):
        """What `variable[...].assign(value)` does."""
        return apply_op('StridedSliceAssign', self._variable, begin, end, strides, value, name=name, **masks)

    # ---- as a message

    def to_proto(self, export_scope=None):
        """The VariableDef, or None if it is outside of the scope."""
        from headrace.tf1.framework import protos

        def strip(name):
            return name[len(export_scope) + 1:] if export_scope else name
        if export_scope and not self._variable.name.startswith(export_scope):
            return None
        proto = protos.message('VariableDef')()
        proto.variable_name = strip(self._variable.name)
        if self._initial_value is not None:
            proto.initial_value_name = strip(self._initial_value.name)
        proto.trainable = self._trainable
        proto.initializer_name = strip(self._initializer_op.name)
        proto.snapshot_name = strip(self._snapshot.name)
        if self._save_slice_info:
            proto.save_slice_info_def.MergeFrom(self._save_slice_info.to_proto(export_scope=export_scope))
        return proto

    @staticmethod
    def from_proto(variable_def, import_scope=None):
        return Variable(variable_def=variable_def, import_scope=import_scope)

    class SaveSliceInfo(object):
        """Which part of a larger variable this one is."""

        def __init__(self, full_name=None, full_shape=None, var_offset=None, var_shape=None, save_slice_info_def=None,
                     import_scope=None):
            if save_slice_info_def is not None:
                d = save_slice_info_def
                full_name, full_shape = d.full_name, list(d.full_shape)
                var_offset, var_shape = list(d.var_offset), list(d.var_shape)
                full_name = full_name if not import_scope else '%s/%s' % (import_scope, full_name)
            self.full_name, self.full_shape, self.var_offset, self.var_shape = full_name, full_shape, var_offset, var_shape

        @property
        def spec(self):
            """How the part is written in a checkpoint."""
            sizes = ' '.join('%d' % d for d in self.full_shape) + ' '
            return sizes + ':'.join('%d,%d' % (o, s) for o, s in zip(self.var_offset, self.var_shape))

        def to_proto(self, export_scope=None):
            from headrace.tf1.framework import protos
            proto = protos.message('SaveSliceInfoDef')()
            proto.full_name = self.full_name[len(export_scope) + 1:] if export_scope else self.full_name
            proto.full_shape.extend(self.full_shape)
            proto.var_offset.extend(self.var_offset)
            proto.var_shape.extend(self.var_shape)
            return proto

    def _set_save_slice_info(self, save_slice_info):
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self):
        return self._save_slice_info

    def __iter__(self):
        raise TypeError("'Variable' object is not iterable.")

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self

    def __repr__(self):
        return "<tf.Variable '%s' shape=%s dtype=%s>" % (self.name, self.shape, self.dtype.name)

    __str__ = __repr__
    __array_priority__ = 100


def _as_list(value):
    return [value] if isinstance(value, (Tensor, Variable)) else []


def _maybe_op(tensor, read_value):
    return tensor if read_value else tensor.op


class PartitionedVariable(object):
    """A large variable kept in parts along one axis."""

    def __init__(self, name, shape, dtype, variable_list, partitions):
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError('variable_list is not a list or tuple: %s' % (variable_list,))
        self._name, self._shape, self._dtype = name, shapes.as_shape(shape), dtypes.as_dtype(dtype)
        self._variable_list = sorted(variable_list, key=lambda v: v._get_save_slice_info().var_offset)
        self._partitions = partitions
        self._as_tensor_cached = None

    def __iter__(self):
        return iter(self._variable_list)

    def __len__(self):
        return len(self._variable_list)

    def __getitem__(self, index):
        return self.as_tensor()[index]

    def _partition_axes(self):
        return [i for i, p in enumerate(self._partitions) if p > 1] or [0]

    def as_tensor(self):
        """All parts in one tensor."""
        with graph_lib.name_scope(None):
            if len(self._variable_list) == 1:
                with graph_lib.name_scope(None):
                    return apply_op('Identity', self._variable_list[0], name=self._name)
            axis = self._partition_axes()[0]
            with graph_lib.name_scope(self._name + '/ConcatPartitions/'):
                joined = apply_op('ConcatV2', [v.value() for v in self._variable_list], axis, name='concat')
            with graph_lib.name_scope(None):
                return apply_op('Identity', joined, name=self._name)

    def _as_tensor(self, dtype=None, name=None, as_ref=False):
        if as_ref:
            raise NotImplementedError("PartitionedVariable doesn't support being used as a reference.")
        return self.as_tensor()

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: self._shape)
    graph = property(lambda self: self._variable_list[0].graph)

    def get_shape(self):
        return self._shape

    def _get_variable_list(self):
        return self._variable_list

    def _get_partitions(self):
        return self._partitions

    def assign(self, value, use_locking=False, name=None, read_value=True):
        from headrace.tf1.framework import math
        sizes = [v.shape.as_list()[self._partition_axes()[0]] for v in self._variable_list]
        parts = math.split(convert.convert_to_tensor(value), sizes, axis=self._partition_axes()[0])
        return [v.assign(p, use_locking, name, read_value) for v, p in zip(self._variable_list, parts)]


# ---- collections

def global_variables(scope=None):
    return graph_lib.get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables():
    return global_variables()


def local_variables(scope=None):
    return graph_lib.get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope=None):
    return graph_lib.get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope=None):
    return graph_lib.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope=None):
    return graph_lib.get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def _global_saveable_variables(scope=None):
    return global_variables(scope) + graph_lib.get_collection(GraphKeys.SAVEABLE_OBJECTS, scope)


def variables_initializer(var_list, name='init'):
    """The op that gives these variables their initial values."""
    from headrace.tf1.framework import control
    if var_list:
        return control.group(*[v.initializer for v in var_list], name=name)
    return control.no_op(name=name)


initialize_variables = variables_initializer


def global_variables_initializer():
    """The op that gives all global variables their initial values."""
    return variables_initializer(global_variables())


def local_variables_initializer():
    return variables_initializer(local_variables())


def initialize_all_variables():
    return global_variables_initializer()


def initialize_local_variables():
    return local_variables_initializer()


def is_variable_initialized(variable, name=None):
    """Does a variable have a value? A boolean tensor."""
    if isinstance(variable, Variable):
        return variable.is_initialized(name)
    return apply_op('IsVariableInitialized', variable, name=name)


def report_uninitialized_variables(var_list=None, name='report_uninitialized_variables'):
    """Names of the variables that have no value yet: a vector of strings."""
    from headrace.tf1.framework import control, math
    if var_list is None:
        var_list = global_variables() + local_variables()
    with graph_lib.name_scope(name):
        if not var_list:
            return convert.constant([], dtypes.string, shape=[0])
        initialized = [is_variable_initialized(v) for v in var_list]
        with graph_lib.device('/cpu:0'):
            mask = math.logical_not(math.stack(initialized))
            names = convert.constant([v.op.name for v in var_list])
            return math.boolean_mask(names, mask)


def assert_variables_initialized(var_list=None):
    """An op that fails when a variable has no value."""
    from headrace.tf1.framework import math
    if var_list is None:
        var_list = global_variables() + local_variables()
    if not var_list:
        return None
    ranks = [apply_op('Rank', v) for v in var_list]
    return ranks[0] if len(ranks) == 1 else math.stack(ranks)


# ---- functions that take refs

def _has_methods(ref):
    """Does an object update itself: a variable behind a handle, or in parts?"""
    return hasattr(ref, 'assign') and not (isinstance(ref, (Variable, Tensor)) and ref.dtype._is_ref_dtype)


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Gives a variable a value; the result reads it after that."""
    if _has_methods(ref) or not ref.dtype._is_ref_dtype:
        return ref.assign(value, name=name)
    return apply_op('Assign', ref, value, validate_shape=True if validate_shape is None else validate_shape,
                    use_locking=True if use_locking is None else use_locking, name=name)


def assign_add(ref, value, use_locking=None, name=None):
    """Adds to a variable; the result reads it after that."""
    if _has_methods(ref) or not ref.dtype._is_ref_dtype:
        return ref.assign_add(value)
    return apply_op('AssignAdd', ref, value, use_locking=bool(use_locking), name=name)


def assign_sub(ref, value, use_locking=None, name=None):
    """Subtracts from a variable; the result reads it after that."""
    if _has_methods(ref) or not ref.dtype._is_ref_dtype:
        return ref.assign_sub(value)
    return apply_op('AssignSub', ref, value, use_locking=bool(use_locking), name=name)


def count_up_to(ref, limit, name=None):
    """The value of a variable, which then is one more; OutOfRangeError at `limit`."""
    if _has_methods(ref):
        return ref.count_up_to(limit, name=name)
    return apply_op('CountUpTo', ref, limit=limit, name=name)


def adopt(graph, first_id, known=()):
    """Variable objects for the variables among the nodes that the engine has made since `first_id`, but for handles in `known`.

    They are global variables.
    """
    found = []
    core = graph._core
    for node_id in range(first_id, core.num_nodes):
        if core.node_op(node_id) in ('VariableV2', 'Variable', 'VarHandleOp') and node_id << graph_lib.INDEX_BITS not in known:
            variable = Variable._of_ref(graph._operation(node_id)._outputs[0])
            graph._collections.setdefault(GraphKeys.GLOBAL_VARIABLES, []).append(variable)
            found.append(variable)
    return found


def is_tensor(x):
    return isinstance(x, (Tensor, Variable, graph_lib.IndexedSlices)) or hasattr(x, '_as_tensor')


def _is_operation(x):
    return isinstance(x, Operation)

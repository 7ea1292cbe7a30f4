"""Variables behind handles: tf.Variable(..., use_resource=True), tf.enable_resource_variables()."""
import contextlib

from headrace.tf1.framework import dtypes, graph as graph_lib, initial_values, shapes
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.variables import Variable, _as_list


def is_resource_variable(var):
    """Is it a variable behind a handle?"""
    return isinstance(var, ResourceVariable)


class ResourceVariable(Variable):
    """A variable whose value is read by nodes of the program: each use reads it where it stands."""

    def __init__(self, *args, **kwargs):
        self._cached_value = None
        super(ResourceVariable, self).__init__(*args, **kwargs)

    def _create(self, initial_value, dtype, validate_shape, name, expected_shape):
        graph = self._graph
        from_function = callable(initial_value)
        with graph_lib.name_scope(name, 'Variable', [] if from_function else _as_list(initial_value)) as scope:
            # The initial value goes where the variable goes, which does not exist yet: its name stands for it.
            with graph._attr_scope({'_class': [('loc:@' + scope[:-1]).encode()]}):
                with graph.name_scope('Initializer'), graph.device(None):
                    value = convert_to_tensor(initial_value() if from_function else initial_value, dtype, name='initial_value')
                shape = value.shape
                if expected_shape is not None:
                    shapes.as_shape(expected_shape).assert_is_compatible_with(shape)
                self._initial_value = value
                self._variable = graph._create('VarHandleOp', [], {
                    'shape': shape._to_core() if validate_shape else None, 'dtype': value.dtype.base_dtype._enum,
                    'container': graph._container, 'shared_name': scope[:-1]}, scope)._outputs[0]
            with graph.name_scope('IsInitialized'):
                self.is_initialized()
            with graph.name_scope('Assign') as assign_scope, self._beside():
                start = initial_values.guarded(value, scope)
                self._initializer_op = apply_op('AssignVariableOp', self._variable, start, name=assign_scope)
            with graph.name_scope('Read'):
                with graph.device(self.device) if self.device else contextlib.nullcontext():
                    self._snapshot = apply_op('ReadVariableOp', self._variable, dtype=self.dtype)
                if self._caching_device is not None:
                    with graph.colocate_with(None, ignore_existing=True), graph.device(self._caching_device):
                        self._cached_value = apply_op('Identity', self._snapshot)

    def _take_read(self, read):
        self._cached_value = None if read.op.type == 'ReadVariableOp' else read
        while read.op.type != 'ReadVariableOp':
            read = read.op.inputs[0]
        self._snapshot = read

    @contextlib.contextmanager
    def _beside(self):
        """Nodes made inside ask for the handle's device, and for nothing that is asked for around them."""
        with self._graph.colocate_with(None, ignore_existing=True):
            with self._graph.device(self.device) if self.device else contextlib.nullcontext():
                yield

    # ---- as a tensor

    def _as_tensor(self, dtype=None, name=None, as_ref=False):
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError("Incompatible type conversion requested to type '%s' for variable of type '%s'" % (
                dtype.name, self.dtype.name))
        return self.value()

    def _as_graph_element(self):
        return self._snapshot

    @property
    def handle(self):
        """The tensor that names the variable."""
        return self._variable

    @property
    def dtype(self):
        return dtypes.of(self._variable.op._core.node_attr(self._variable.op._id, 'dtype')[1])

    @property
    def shape(self):
        return shapes.TensorShape._of(self._variable.op._core.node_attr(self._variable.op._id, 'shape')[1])

    @property
    def create(self):
        return self._initializer_op

    def set_shape(self, shape):
        raise NotImplementedError('ResourceVariable does not implement set_shape()')

    def value(self):
        """A new node that reads it; the cached value if it has a caching device."""
        if self._cached_value is not None:
            return self._cached_value
        with self._beside():
            return self._read()

    def _read(self):
        return apply_op('ReadVariableOp', self._variable, dtype=self.dtype)

    def read_value(self):
        """A new node that reads it here: after the control dependencies of this place."""
        with graph_lib.name_scope('Read'):
            with self._graph.device(self.device) if self.device else contextlib.nullcontext():
                value = self._read()
        return apply_op('Identity', value)

    def sparse_read(self, indices, name=None):
        """Rows of it, without reading the others: what tf.gather makes."""
        with graph_lib.name_scope('Gather' if name is None else name) as scope:
            value = apply_op('ResourceGather', self._variable, indices, dtype=self.dtype, name=scope)
        return apply_op('Identity', value)

    def gather_nd(self, indices, name=None):
        """Slices of it: what tf.gather_nd makes."""
        with graph_lib.name_scope('GatherNd' if name is None else name) as scope:
            value = apply_op('ResourceGatherNd', self._variable, indices, dtype=self.dtype, name=scope)
        return apply_op('Identity', value)

    def is_initialized(self, name=None):
        return apply_op('VarIsInitializedOp', self._variable, name=name)

    def eval(self, session=None):
        return self._snapshot.eval(session=session)

    # ---- updates

    def _after(self, op, read_value=True):
        return UnreadVariable(self, op) if read_value else op

    def _before_assignment(self):
        """Assignments do not overtake the node that caches the value."""
        return graph_lib.control_dependencies([] if self._cached_value is None else [self._cached_value])

    def _with(self, op_name, value, name):
        with self._before_assignment():
            value = convert_to_tensor(value, self.dtype)
            self.shape.assert_is_compatible_with(value.shape)
            return apply_op(op_name, self._variable, value, name=name)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        return self._after(self._with('AssignVariableOp', value, name), read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        return self._after(self._with('AssignAddVariableOp', delta, name), read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        return self._after(self._with('AssignSubVariableOp', delta, name), read_value)

    def _scatter(self, op, slices, use_locking, name):
        if not isinstance(slices, graph_lib.IndexedSlices):
            raise ValueError('sparse_delta is not IndexedSlices: %s' % (slices,))
        return self._scattered(op, slices.indices, slices.values, name)

    def _scattered(self, op, indices, updates, name):
        updates = convert_to_tensor(updates, self.dtype)
        return self._after(apply_op('Resource' + op, self._variable, indices, updates, name=name))

    def scatter_nd_sub(self, indices, updates, name=None):
        return self._scattered('ScatterNdSub', indices, updates, name)

    def scatter_nd_add(self, indices, updates, name=None):
        return self._scattered('ScatterNdAdd', indices, updates, name)

    def scatter_nd_update(self, indices, updates, name=None):
        return self._scattered('ScatterNdUpdate', indices, updates, name)

    def count_up_to(self, limit, name=None):
        return apply_op('ResourceCountUpTo', self._variable, limit=limit, T=self.dtype, name=name)

    def _assign_slice(self, begin, end, strides, value, name, **masks):
        with self._before_assignment():
            value = convert_to_tensor(value, self.dtype)
            return self._after(apply_op('ResourceStridedSliceAssign', self._variable, begin, end, strides, value, name=name, **masks))

    def to_proto(self, export_scope=None):
        proto = super(ResourceVariable, self).to_proto(export_scope)
        if proto is not None:
            proto.is_resource = True
            if self._cached_value is not None:
                name = self._cached_value.name
                proto.snapshot_name = name[len(export_scope) + 1:] if export_scope else name
        return proto


class UnreadVariable(ResourceVariable):
    """What an assignment gives: the variable, each read of which comes after the assignment."""

    def __init__(self, variable, op):  # pylint: disable=super-init-not-called
        self.__dict__.update(variable.__dict__)
        self._cached_value, self._assignment = None, op
        with self._waiting():
            self._snapshot = self._read()

    def _waiting(self):
        return graph_lib.control_dependencies([self._assignment])

    @property
    def op(self):
        """The assignment."""
        return self._assignment

    @property
    def name(self):
        return self._assignment.name

    def value(self):
        with self._waiting():
            return super(UnreadVariable, self).value()

    def read_value(self):
        with self._waiting():
            return super(UnreadVariable, self).read_value()

    def sparse_read(self, indices, name=None):
        with self._waiting():
            return super(UnreadVariable, self).sparse_read(indices, name)

    def gather_nd(self, indices, name=None):
        with self._waiting():
            return super(UnreadVariable, self).gather_nd(indices, name)


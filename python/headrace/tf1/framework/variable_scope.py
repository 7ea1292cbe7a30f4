"""Variables by name: tf.get_variable and tf.variable_scope."""
import contextlib
import enum
import functools

from headrace.tf1.framework import convert, dtypes, graph as graph_lib, init, shapes
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.framework.variables import PartitionedVariable, Variable, VariableAggregation, VariableSynchronization


class _ReuseMode(enum.Enum):
    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
VariableV1 = Variable


class _PartitionInfo(object):
    """Which part of a larger variable an initializer is asked for."""

    def __init__(self, full_shape, var_offset):
        self.full_shape, self.var_offset = shapes.as_shape(full_shape).as_list(), list(var_offset)

    def single_offset(self, shape):
        return self.var_offset[self.single_slice_dim(shape)]

    def single_slice_dim(self, shape):
        different = [i for i, (a, b) in enumerate(zip(shape, self.full_shape)) if a != b]
        return different[0] if different else None


class _VariableStore(object):
    """The variables that get_variable has made in one graph."""

    def __init__(self):
        self._vars, self._partitioned_vars = {}, {}

    def get_variable(self, name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None, reuse=None, trainable=None,
                     collections=None, caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None,
                     constraint=None, synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregation.NONE):
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError('Passed a custom_getter which is not callable: %s' % custom_getter)
        if dtype is not None:
            dtype = dtypes.as_dtype(dtype).base_dtype
        kwargs = dict(name=name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, reuse=reuse,
                      trainable=trainable, collections=collections, caching_device=caching_device, partitioner=partitioner,
                      validate_shape=validate_shape, use_resource=use_resource, constraint=constraint, synchronization=synchronization,
                      aggregation=aggregation)
        if custom_getter is not None:
            return custom_getter(self._getter, **kwargs)
        return self._getter(**kwargs)

    def _getter(self, name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None, reuse=None, trainable=None,
                collections=None, caching_device=None, partitioner=None, validate_shape=True, use_resource=None, constraint=None,
                synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregation.NONE, custom_getter=None):
        if partitioner is not None:
            if not callable(partitioner):
                raise ValueError('Partitioner must be callable, but received: %s' % partitioner)
            return self._get_partitioned(name, partitioner, shape, dtype, initializer, regularizer, reuse, trainable, collections,
                                         caching_device, validate_shape, use_resource, constraint)
        if reuse is True and partitioner is None and name in self._partitioned_vars:
            return self._partitioned_vars[name]
        if '%s/part_0' % name in self._vars:
            raise ValueError('No partitioner was provided, but a partitioned version of the variable was found: %s/part_0. Perhaps a '
                             'variable of the same name was already created with partitioning?' % name)
        return self._get_single(name, shape, dtype, initializer, regularizer, None, reuse, trainable, collections, caching_device,
                                validate_shape, use_resource, constraint, synchronization, aggregation)

    def _get_single(self, name, shape, dtype, initializer, regularizer, partition_info, reuse, trainable, collections, caching_device,
                    validate_shape, use_resource, constraint, synchronization=VariableSynchronization.AUTO,
                    aggregation=VariableAggregation.NONE):
        initializing_from_value = initializer is not None and not callable(initializer)
        if shape is not None and initializing_from_value:
            raise ValueError('If initializer is a constant, do not specify shape.')
        dtype = dtypes.as_dtype(dtype or dtypes.float32).base_dtype
        shape = shapes.as_shape(shape)
        if name in self._vars:
            if reuse is False or reuse is None:
                where = self._vars[name].op.traceback
                at = ' Originally defined at:\n\n  File "%s", line %d' % (where[-1][0], where[-1][1]) if where else ''
                raise ValueError('Variable %s already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?'
                                 '%s' % (name, at))
            found = self._vars[name]
            if not shape.is_compatible_with(found.get_shape()):
                raise ValueError('Trying to share variable %s, but specified shape %s and found shape %s.' % (
                    name, shape, found.get_shape()))
            if not dtype.is_compatible_with(found.dtype):
                raise ValueError('Trying to share variable %s, but specified dtype %s and found dtype %s.' % (
                    name, dtype.name, found.dtype.name))
            return found
        if reuse is True:
            raise ValueError('Variable %s does not exist, or was not created with tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE '
                             'in VarScope?' % name)
        if initializer is None:
            initializer = self._default_initializer(name, dtype)
        if isinstance(initializer, type):
            initializer = initializer()
        if initializing_from_value:
            init_val, variable_dtype = initializer, None
        else:
            if not shape.is_fully_defined():
                raise ValueError("The initializer passed is not valid. It should be a callable with no arguments and the shape should not be "
                                 "provided or an instance of `tf.keras.initializers.*' and `shape` should be fully defined.\n"
                                 "    the shape of variable '%s' is %s" % (name, shape))
            if partition_info is None:
                def init_val():
                    return initializer(shape.as_list(), dtype=dtype) if _takes_dtype(initializer) else initializer(shape.as_list())
            else:
                def init_val():
                    return initializer(shape.as_list(), dtype=dtype, partition_info=partition_info)
            variable_dtype = dtype
        variable = Variable(initial_value=init_val, name=name, trainable=trainable, collections=collections, caching_device=caching_device,
                            dtype=variable_dtype, validate_shape=validate_shape, constraint=constraint, use_resource=use_resource,
                            synchronization=synchronization, aggregation=aggregation)
        self._vars[name] = variable
        if regularizer is not None:
            with graph_lib.colocate_with(variable):
                with graph_lib.name_scope(name + '/Regularizer/'):
                    loss = regularizer(variable)
                if loss is not None:
                    graph_lib.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
        return variable

    @staticmethod
    def _default_initializer(name, dtype):
        if dtype.is_floating:
            return init.glorot_uniform_initializer()
        if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype is dtypes.string:
            return init.zeros_initializer()
        raise ValueError('An initializer for variable %s of %s is required' % (name, dtype))

    def _get_partitioned(self, name, partitioner, shape, dtype, initializer, regularizer, reuse, trainable, collections, caching_device,
                         validate_shape, use_resource, constraint):
        initializing_from_value = initializer is not None and not callable(initializer)
        if name in self._vars:
            raise ValueError('A partitioner was provided, but an unpartitioned version of the variable was found: %s.  Perhaps a variable of '
                             'the same name was already created without partitioning?' % name)
        shape = shapes.as_shape(shape)
        if initializing_from_value:
            shape = shape.merge_with(convert.convert_to_tensor(initializer).shape)
        if not shape.is_fully_defined():
            raise ValueError('Shape of a new partitioned variable (%s) must be fully defined, but instead was %s.' % (name, shape))
        dtype = dtypes.as_dtype(dtype or dtypes.float32)
        if reuse and name in self._partitioned_vars:
            return self._partitioned_vars[name]
        if name in self._partitioned_vars:
            if reuse is False or reuse is None:
                raise ValueError('Partitioned variable with name %s already exists. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in '
                                 'VarScope?' % name)
        if reuse is True:
            raise ValueError('PartitionedVariable %s does not exist, or was not created with tf.get_variable(). Did you mean to set '
                             'reuse=False or reuse=tf.AUTO_REUSE in VarScope?' % name)
        partitions = [int(p) for p in partitioner(shape=shape, dtype=dtype)]
        if len(partitions) != shape.rank or min(partitions) < 1:
            raise ValueError('Partitioner returned a partition list that does not match the shape: %s vs. %s' % (partitions, shape))
        cut = [i for i, p in enumerate(partitions) if p > 1]
        if len(cut) > 1:
            raise NotImplementedError('Cannot cut a variable along more than one dimension: %s' % (partitions,))
        axis = cut[0] if cut else 0
        count, size = partitions[axis], shape.as_list()[axis]
        if count > size:
            raise ValueError('%d parts of a dimension of %d' % (count, size))
        variables, offset = [], 0
        for i in range(count):
            part = list(shape.as_list())
            part[axis] = size // count + (i < size % count)
            offsets = [0] * shape.rank
            offsets[axis] = offset
            info = _PartitionInfo(shape, offsets)
            part_init, part_shape = initializer, part
            if initializing_from_value:
                from headrace.tf1.framework import array
                part_init, part_shape = array.slice(initializer, offsets, part), None
            with graph_lib.name_scope(None):
                variable = self._get_single('%s/part_%d' % (name, i), part_shape, dtype, part_init, regularizer,
                                            None if initializing_from_value else info, reuse, trainable, collections, caching_device,
                                            validate_shape, use_resource, constraint)
            variable._set_save_slice_info(Variable.SaveSliceInfo(name, shape.as_list(), offsets, part))
            variables.append(variable)
            offset += part[axis]
        partitioned = PartitionedVariable(name=name, shape=shape, dtype=dtype, variable_list=variables, partitions=partitions)
        self._partitioned_vars[name] = partitioned
        return partitioned


def _takes_dtype(function):
    """Initializers are called with a dtype, plain functions of the program perhaps without."""
    if isinstance(function, init.Initializer):
        return True
    import inspect
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True
    return 'dtype' in parameters or any(p.kind == p.VAR_KEYWORD for p in parameters.values())


class VariableScope(object):
    """The defaults with which get_variable makes or finds variables inside a scope."""

    def __init__(self, reuse, name='', initializer=None, regularizer=None, caching_device=None, partitioner=None, custom_getter=None,
                 name_scope='', dtype=dtypes.float32, use_resource=None, constraint=None):
        self._name, self._initializer, self._regularizer, self._reuse = name, initializer, regularizer, reuse
        self._caching_device, self._partitioner, self._custom_getter = caching_device, partitioner, custom_getter
        self._name_scope, self._dtype, self._use_resource, self._constraint = name_scope, dtype, use_resource, constraint

    name = property(lambda self: self._name)
    original_name_scope = property(lambda self: self._name_scope)
    reuse = property(lambda self: self._reuse)
    initializer = property(lambda self: self._initializer)
    dtype = property(lambda self: self._dtype)
    use_resource = property(lambda self: self._use_resource)
    regularizer = property(lambda self: self._regularizer)
    caching_device = property(lambda self: self._caching_device)
    partitioner = property(lambda self: self._partitioner)
    custom_getter = property(lambda self: self._custom_getter)
    constraint = property(lambda self: self._constraint)

    def reuse_variables(self):
        """get_variable finds variables from here on, and makes none."""
        self._reuse = True

    def set_initializer(self, initializer):
        self._initializer = initializer

    def set_dtype(self, dtype):
        self._dtype = dtype

    def set_use_resource(self, use_resource):
        self._use_resource = use_resource

    def set_regularizer(self, regularizer):
        self._regularizer = regularizer

    def set_caching_device(self, caching_device):
        self._caching_device = caching_device

    def set_partitioner(self, partitioner):
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter):
        self._custom_getter = custom_getter

    def get_collection(self, name):
        return graph_lib.get_collection(name, self._name + '/' if self._name else self._name)

    def trainable_variables(self):
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self):
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self):
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(self, var_store, name, shape=None, dtype=None, initializer=None, regularizer=None, reuse=None, trainable=None,
                     collections=None, caching_device=None, partitioner=None, validate_shape=True, use_resource=None, custom_getter=None,
                     constraint=None, synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregation.NONE):
        regularizer = self._regularizer if regularizer is None else regularizer
        caching_device = self._caching_device if caching_device is None else caching_device
        partitioner = self._partitioner if partitioner is None else partitioner
        custom_getter = self._custom_getter if custom_getter is None else custom_getter
        reuse = self._reuse if reuse is None else reuse
        full_name = self._name + '/' + name if self._name else name
        with graph_lib.name_scope(None):
            if dtype is not None and initializer is not None and not callable(initializer):
                found = convert.convert_to_tensor(initializer).dtype.base_dtype
                if dtypes.as_dtype(dtype).base_dtype != found:
                    raise ValueError("Initializer type '%s' and explicit dtype '%s' don't match." % (found, dtype))
            initializer = self._initializer if initializer is None else initializer
            constraint = self._constraint if constraint is None else constraint
            use_resource = self._use_resource if use_resource is None else use_resource
            if dtype is None:
                dtype = self._dtype
            return var_store.get_variable(
                full_name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, reuse=reuse, trainable=trainable,
                collections=collections, caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape,
                use_resource=use_resource, custom_getter=custom_getter, constraint=constraint, synchronization=synchronization,
                aggregation=aggregation)


class _ScopeStore(object):
    """The current scope of a graph, and how often each name was opened."""

    def __init__(self):
        self.current = VariableScope(False)
        self.counts = {}

    def open(self, scope_name):
        self.counts[scope_name] = self.counts.get(scope_name, 0) + 1

    def close_subscopes(self, scope_name):
        for key in list(self.counts):
            if scope_name is None or key.startswith(scope_name + '/'):
                self.counts[key] = 0


def _scope_store():
    graph = graph_lib.get_default_graph()
    if graph._var_scope_store is None:
        graph._var_scope_store = _ScopeStore()
    return graph._var_scope_store


def _variable_store():
    graph = graph_lib.get_default_graph()
    if graph._variable_store is None:
        graph._variable_store = _VariableStore()
    return graph._variable_store


def get_variable_scope():
    return _scope_store().current


def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, collections=None, caching_device=None,
                 partitioner=None, validate_shape=True, use_resource=None, custom_getter=None, constraint=None,
                 synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregation.NONE):
    """The variable of that name in the current variable scope: a new one, or with reuse the one that exists.

    Errors: ValueError for one that exists (without reuse), does not (with reuse), or has another shape or dtype.
    """
    return get_variable_scope().get_variable(
        _variable_store(), name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
        collections=collections, caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape,
        use_resource=use_resource, custom_getter=custom_getter, constraint=constraint, synchronization=synchronization,
        aggregation=aggregation)


def get_local_variable(name, *args, **kwargs):
    """get_variable for a variable of the collection LOCAL_VARIABLES, untrainable."""
    collections = list(kwargs.pop('collections', None) or [])
    if GraphKeys.LOCAL_VARIABLES not in collections:
        collections.append(GraphKeys.LOCAL_VARIABLES)
    kwargs.update(collections=collections, trainable=False)
    return get_variable(name, *args, **kwargs)


def _unique_scope(prefix):
    store = _scope_store()
    name = store.current.name + '/' + prefix if store.current.name else prefix
    if not store.counts.get(name, 0):
        return prefix
    i = 1
    while store.counts.get('%s_%d' % (name, i), 0):
        i += 1
    return '%s_%d' % (prefix, i)


def _compose(inner, outer):
    """A getter that asks `inner` first, which asks `outer`."""
    if outer is None:
        return inner
    if inner is None:
        return outer

    def getter(getter, *args, **kwargs):
        return inner(functools.partial(outer, getter), *args, **kwargs)
    return getter


class variable_scope(object):  # pylint: disable=invalid-name
    """Inside, get_variable takes names under "name/" and these defaults; also opens a name scope."""

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None, regularizer=None, caching_device=None,
                 partitioner=None, custom_getter=None, reuse=None, dtype=None, use_resource=None, constraint=None,
                 auxiliary_name_scope=True):
        if default_name is None and name_or_scope is None:
            raise TypeError('If default_name is None then name_or_scope is required')
        if reuse is False:
            reuse = None
        if not (reuse is True or reuse is None or reuse is AUTO_REUSE):
            raise ValueError('The reuse parameter must be True or False or None.')
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError('The auxiliary_name_scope must be `True` or `False`, while get {}'.format(auxiliary_name_scope))
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError('VariableScope: name_or_scope must be a string or VariableScope.')
        self._name_or_scope, self._default_name, self._values = name_or_scope, default_name, values or []
        self._overrides = dict(initializer=initializer, regularizer=regularizer, caching_device=caching_device, partitioner=partitioner,
                               dtype=dtype, use_resource=use_resource, constraint=constraint)
        self._custom_getter, self._reuse, self._auxiliary = custom_getter, reuse, auxiliary_name_scope
        self._entered = []

    def __enter__(self):
        graph = graph_lib.graph_of([v for v in self._values if hasattr(v, 'graph')]) if self._values else graph_lib.get_default_graph()
        stack = contextlib.ExitStack()
        try:
            stack.enter_context(graph.as_default())
            scope = self._enter(stack)
        except BaseException:
            stack.close()
            raise
        self._entered.append(stack)
        return scope

    def __exit__(self, *exc):
        self._entered.pop().close()
        return False

    def _enter(self, stack):
        name_or_scope = self._name_or_scope
        if name_or_scope is not None:
            if isinstance(name_or_scope, str):
                name_scope, var_name = name_or_scope, name_or_scope
                old_name_scope = None
            else:
                name_scope = name_or_scope.name.split('/')[-1]
                old_name_scope = name_or_scope.original_name_scope
            if name_scope or isinstance(name_or_scope, VariableScope) and name_or_scope.name:
                current = graph_lib.get_default_graph().get_name_scope()
                if self._auxiliary:
                    opened = stack.enter_context(graph_lib.name_scope(name_scope))
                else:
                    opened = current + '/' if current else ''
            else:
                opened = ''
            if isinstance(name_or_scope, str):
                return self._push(stack, var_name, opened)
            return self._push(stack, name_or_scope, old_name_scope)
        if self._reuse:
            raise ValueError('reuse=True cannot be used without a name_or_scope')
        unique = _unique_scope(self._default_name)
        if self._auxiliary:
            opened = stack.enter_context(graph_lib.name_scope(self._default_name))
        else:
            current = graph_lib.get_default_graph().get_name_scope()
            opened = current + '/' if current else ''
        return self._push(stack, unique, opened)

    def _push(self, stack, name_or_scope, name_scope):
        store = _scope_store()
        old = store.current
        if isinstance(name_or_scope, VariableScope):
            base, name = name_or_scope, name_or_scope.name
            reuse = self._reuse if self._reuse is not None else name_or_scope.reuse
            subscopes = dict(store.counts)
            store.open(name)
        else:
            base = old
            name = old.name + '/' + name_or_scope if old.name and name_or_scope else name_or_scope or old.name
            reuse = old.reuse if self._reuse is None or (old.reuse is True) else self._reuse
            subscopes = None
            store.open(name)
        new = VariableScope(reuse, name=name, initializer=base.initializer, regularizer=base.regularizer,
                            caching_device=base.caching_device, partitioner=base.partitioner,
                            custom_getter=_compose(self._custom_getter, base.custom_getter), name_scope=name_scope, dtype=base.dtype,
                            use_resource=base.use_resource, constraint=base.constraint)
        for key, value in self._overrides.items():
            if value is not None:
                setattr(new, '_' + key, value)
        store.current = new

        def restore():
            store.close_subscopes(name)
            if subscopes is not None:
                store.counts = subscopes
            store.current = old
        stack.callback(restore)
        return new


def variable_op_scope(values, name_or_scope, default_name=None, **kwargs):
    return variable_scope(name_or_scope, default_name=default_name, values=values, **kwargs)


@contextlib.contextmanager
def _pure_variable_scope(name_or_scope, **kwargs):
    with variable_scope(name_or_scope, auxiliary_name_scope=False, **kwargs) as scope:
        yield scope


@contextlib.contextmanager
def variable_creator_scope(variable_creator):
    raise NotImplementedError('variable_creator_scope is not here: use a custom_getter of variable_scope')
    yield  # pylint: disable=unreachable


def no_regularizer(_):
    """A regulariser that gives none: overrides that of the scope."""
    return None


# ---- templates

class Template(object):
    """See make_template."""

    def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None):
        self._func, self._name, self._unique_name, self._custom_getter = func, name, unique_name, custom_getter
        self._variables_created = False
        if not name:
            raise ValueError('name cannot be None.')
        self._variable_scope = None
        if create_scope_now:
            self._open_scope()

    def _open_scope(self):
        if self._unique_name is not None:
            with variable_scope(self._unique_name, custom_getter=self._custom_getter) as scope:
                self._variable_scope = scope
        else:
            with variable_scope(None, default_name=self._name, custom_getter=self._custom_getter) as scope:
                self._variable_scope = scope

    def __call__(self, *args, **kwargs):
        if self._variable_scope is not None:
            with variable_scope(self._variable_scope, reuse=self._variables_created):
                return self._call(args, kwargs)
        if self._unique_name is not None:
            context = variable_scope(self._unique_name, custom_getter=self._custom_getter)
        else:
            context = variable_scope(None, default_name=self._name, custom_getter=self._custom_getter)
        with context as scope:
            self._variable_scope = scope
            return self._call(args, kwargs)

    def _call(self, args, kwargs):

        trainable = len(graph_lib.get_collection(GraphKeys.TRAINABLE_VARIABLES))
        result = self._func(*args, **kwargs)
        if self._variables_created and trainable != len(graph_lib.get_collection(GraphKeys.TRAINABLE_VARIABLES)):
            raise ValueError('Trainable variable created when calling a template after the first time, perhaps you used tf.Variable when you '
                             'meant tf.get_variable: %s' % (graph_lib.get_collection(GraphKeys.TRAINABLE_VARIABLES)[trainable:],))

        self._variables_created = True
        return result

    name = property(lambda self: self._name)
    func = property(lambda self: self._func)
    variable_scope = property(lambda self: self._variable_scope)

    @property
    def variable_scope_name(self):
        return self._variable_scope.name if self._variable_scope is not None else None

    @property
    def variables(self):
        return self.global_variables

    @property
    def global_variables(self):
        return self._variable_scope.global_variables() if self._variables_created else []

    @property
    def trainable_variables(self):
        return self._variable_scope.trainable_variables() if self._variables_created else []


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


# ---- partitioners

def fixed_size_partitioner(num_shards, axis=0):
    """Cuts variables into so many parts."""
    def partitioner(shape, **unused):
        parts = [1] * len(shape)
        parts[axis] = min(num_shards, shape.as_list()[axis])
        return parts
    return partitioner


def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16, max_shards=None):
    """Cuts variables into parts of at most so many bytes."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError('max_shard_bytes and bytes_per_string_element must be positive')

    def partitioner(shape, dtype):
        size = bytes_per_string_element if dtype.base_dtype is dtypes.string else dtype.size
        parts = [1] * shape.rank
        total = shape.num_elements() * size
        slice_bytes = total // shape[axis].value
        per_shard = max(1, max_shard_bytes // slice_bytes)
        count = -(-shape[axis].value // per_shard)
        parts[axis] = max(1, min(count, max_shards or count))
        return parts
    return partitioner


def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10, bytes_per_string_element=16):
    """Cuts variables into at most so many parts of at least so many bytes."""
    def partitioner(shape, dtype):
        size = bytes_per_string_element if dtype.base_dtype is dtypes.string else dtype.size
        parts = [1] * shape.rank
        count = max(1, min(max_partitions, (shape.num_elements() * size) // min_slice_size, shape[axis].value))
        parts[axis] = count
        return parts
    return partitioner


def create_partitioned_variables(shape, slicing, initializer, dtype=dtypes.float32, trainable=True, collections=None, name=None,
                                 reuse=None):
    """The parts of a variable that is cut as `slicing` says: so many parts along each dimension, of which at most one is not 1."""
    if len(shape) != len(slicing):
        raise ValueError('The shape and slicing of a partitioned Variable must have the length, but received a shape with a rank of %d and '
                         'slicing with length %d' % (len(shape), len(slicing)))
    if not shape:
        raise ValueError('A partitioned Variable must have rank at least 1: shape: %s' % (shape,))
    with variable_scope(name, 'PartitionedVariable', reuse=reuse) as scope, graph_lib.name_scope(None):
        return list(_variable_store().get_variable(
            scope.name, shape=shape, dtype=dtype, initializer=initializer, trainable=trainable, collections=collections, reuse=scope.reuse,
            partitioner=lambda **unused: slicing))

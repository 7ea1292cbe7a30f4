"""What all layers share: a variable scope of their own, variables made at the first call, losses and updates."""
import re

from headrace.tf1.framework import convert, dtypes, graph as graph_lib, shapes, variable_scope as vs
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.framework.variables import PartitionedVariable


class InputSpec(object):
    """What a layer takes: rank, dtype, sizes of axes."""

    def __init__(self, dtype=None, shape=None, ndim=None, max_ndim=None, min_ndim=None, axes=None):
        self.dtype, self.shape, self.max_ndim, self.min_ndim, self.axes = dtype, shape, max_ndim, min_ndim, axes or {}
        self.ndim = len(shape) if shape is not None else ndim


def snake_case(name):
    name = re.sub('(.)([A-Z][a-z0-9]+)', r'\1_\2', name)
    return re.sub('([a-z])([A-Z])', r'\1_\2', name).lower()


class Layer(object):
    """A part of a network that owns variables; called with tensors."""

    def __init__(self, trainable=True, name=None, dtype=None, _scope=None, _reuse=None, activity_regularizer=None, **kwargs):
        if kwargs:
            raise TypeError('Keyword argument not understood: %s' % ', '.join(sorted(kwargs)))
        self.trainable, self._reuse = trainable, _reuse
        self._graph = None
        self.built = False
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).name
        self._trainable_weights, self._non_trainable_weights, self._updates, self._losses = [], [], [], []
        self._activity_regularizer = activity_regularizer
        self._base_name = name or snake_case(type(self).__name__)
        self._name = name or self._numbered_name()
        self._scope = None
        self.input_spec = None
        self._inputs = self._outputs = None
        if _scope is not None:
            with vs.variable_scope(_scope, default_name=self._base_name) as captured:
                self._scope = captured

    # ---- properties

    @property
    def dtype(self):
        return self._dtype

    @property
    def name(self):
        return self._name

    def _numbered_name(self):
        """dense_1 for the first one of its kind in the graph. The scope counts for itself: it is "dense" then."""
        counts = graph_lib.get_default_graph().__dict__.setdefault('_layer_counts', {})
        counts[self._base_name] = counts.get(self._base_name, 0) + 1
        return '%s_%d' % (self._base_name, counts[self._base_name])

    @property
    def scope_name(self):
        if self._scope is None:
            raise ValueError('No name available for layer scope because the layer "%s" has not been used yet.' % self._name)
        return self._scope.name

    @property
    def graph(self):
        return self._graph

    @property
    def activity_regularizer(self):
        return self._activity_regularizer

    @property
    def trainable_weights(self):
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self):
        return list(self._non_trainable_weights) if self.trainable else self._trainable_weights + self._non_trainable_weights

    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)
    weights = property(lambda self: self.trainable_weights + self.non_trainable_weights)
    variables = property(lambda self: self.weights)
    updates = property(lambda self: list(self._updates))
    losses = property(lambda self: list(self._losses))
    input = property(lambda self: self._inputs)
    output = property(lambda self: self._outputs)

    def count_params(self):
        if not self.built:
            raise ValueError('You tried to call `count_params` on %s, but the layer isn\'t built.' % self.name)
        return sum(w.shape.num_elements() for w in self.weights)

    # ---- for implementations

    def build(self, input_shape):
        """Makes the variables."""
        self.built = True

    def call(self, inputs, **kwargs):
        return inputs

    def compute_output_shape(self, input_shape):
        raise NotImplementedError

    def add_update(self, updates, inputs=None):
        updates = [u.op if isinstance(u, graph_lib.Tensor) else u for u in (
            updates if isinstance(updates, (list, tuple)) else [updates])]
        self._updates += updates
        for update in updates:
            if update not in graph_lib.get_collection_ref(GraphKeys.UPDATE_OPS):
                graph_lib.add_to_collection(GraphKeys.UPDATE_OPS, update)

    def add_loss(self, losses, inputs=None):
        losses = losses if isinstance(losses, (list, tuple)) else [losses]
        self._losses += losses
        for loss in losses:
            if loss not in graph_lib.get_collection_ref(GraphKeys.REGULARIZATION_LOSSES):
                graph_lib.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_weight(self, name, shape, dtype=None, initializer=None, regularizer=None, trainable=None, constraint=None, use_resource=None,
                   partitioner=None, **unused):
        """A variable "layer/name"."""
        trainable = True if trainable is None else trainable
        dtype = dtypes.as_dtype(dtype or self._dtype or dtypes.float32)
        with vs.variable_scope(self._scope, reuse=(self.built or self._reuse), auxiliary_name_scope=False) as scope:
            with graph_lib.name_scope(self._name_scope(scope)):
                before = set(map(id, graph_lib.get_collection_ref(GraphKeys.GLOBAL_VARIABLES)))
                variable = vs.get_variable(name, shape=shape, initializer=initializer, dtype=dtype, constraint=constraint,
                                           trainable=trainable and self.trainable, partitioner=partitioner)
                if regularizer is not None:
                    new = any(id(v) not in before for v in (variable if isinstance(variable, PartitionedVariable) else [variable]))
                    if new:
                        for part in (variable if isinstance(variable, PartitionedVariable) else [variable]):
                            with graph_lib.name_scope(name + '/Regularizer'):
                                loss = regularizer(part)
                            if loss is not None:
                                self.add_loss(loss)
        (self._trainable_weights if trainable else self._non_trainable_weights).append(variable)
        return variable

    add_variable = add_weight

    # ---- calling

    def _set_scope(self, scope=None):
        if self._scope is None:
            if self._reuse:
                with vs.variable_scope(scope if scope is not None else self._base_name) as captured:
                    self._scope = captured
            else:
                with vs.variable_scope(scope, default_name=self._base_name) as captured:
                    self._scope = captured

    @staticmethod
    def _name_scope(scope):
        return scope.original_name_scope

    def _check_input(self, tensor):
        spec, shape = self.input_spec, tensor.shape
        if spec is None or shape.rank is None:
            if spec is not None and (spec.ndim or spec.min_ndim) and shape.rank is None:
                raise ValueError('Input 0 of layer %s is incompatible with the layer: its rank is undefined, but the layer requires a defined '
                                 'rank.' % self.name)
            return
        if spec.ndim is not None and shape.rank != spec.ndim:
            raise ValueError('Input 0 of layer %s is incompatible with the layer: expected ndim=%d, found ndim=%d. Full shape received: %s' % (
                self.name, spec.ndim, shape.rank, shape.as_list()))
        if spec.min_ndim is not None and shape.rank < spec.min_ndim:
            raise ValueError('Input 0 of layer %s is incompatible with the layer: : expected min_ndim=%d, found ndim=%d. Full shape received: '
                             '%s' % (self.name, spec.min_ndim, shape.rank, shape.as_list()))
        for axis, size in spec.axes.items():
            if size is not None and shape.as_list()[axis] not in (size, None):
                raise ValueError('Input 0 of layer %s is incompatible with the layer: expected axis %s of input shape to have value %s but '
                                 'received input with shape %s' % (self.name, axis, size, shape.as_list()))

    def __call__(self, inputs, *args, **kwargs):
        scope = kwargs.pop('scope', None)
        if isinstance(inputs, (list, tuple)):
            first = inputs[0]
        else:
            inputs = first = convert.convert_to_tensor(inputs)
        graph = graph_lib.graph_of([first])
        self._graph = self._graph or graph
        with graph.as_default():
            self._set_scope(scope)
            with vs.variable_scope(self._scope, reuse=(self.built or self._reuse), auxiliary_name_scope=False) as opened:
                with graph_lib.name_scope(self._name_scope(opened)):
                    if self._dtype is None and hasattr(first, 'dtype'):
                        self._dtype = first.dtype.base_dtype.name
                    if not self.built:
                        self._check_input(first)
                        shape = [i.shape for i in inputs] if isinstance(inputs, (list, tuple)) else inputs.shape
                        self.build(shape)
                    self._check_input(first)
                    self.built = True
                    outputs = self.call(inputs, *args, **kwargs)
                    if self._activity_regularizer is not None:
                        with graph_lib.name_scope('ActivityRegularizer'):
                            for output in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
                                self.add_loss(self._activity_regularizer(output))
        self._inputs, self._outputs = inputs, outputs
        return outputs

    def apply(self, inputs, *args, **kwargs):
        return self(inputs, *args, **kwargs)

    def __deepcopy__(self, memo):
        import copy
        clone = type(self).__new__(type(self))
        memo[id(self)] = clone
        for key, value in self.__dict__.items():
            setattr(clone, key, copy.copy(value) if key not in ('_graph', '_scope') else value)
        return clone

    def get_weights(self):
        session = graph_lib.get_default_session()
        return session.run(self.weights)

    def set_weights(self, weights):
        session = graph_lib.get_default_session()
        for variable, value in zip(self.weights, weights):
            variable.load(value, session)


def dims(shape):
    return shapes.as_shape(shape).as_list()

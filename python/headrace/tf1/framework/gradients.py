"""Derivatives (tf.gradients, tf.hessians, tf.RegisterGradient, tf.custom_gradient)."""
import itertools

from headrace.tf1.framework import convert, dtypes, graph as graph_lib
from headrace.tf1.framework.graph import IndexedSlices, Tensor
from headrace.tf1.framework.resource_variable import is_resource_variable

_registered = {}  # gradient function by the name it was registered under
_NONE = object()  # registered as not differentiable
_custom_gradients = itertools.count(1)


class RegisterGradient(object):
    """`@tf.RegisterGradient("Op")` on a function (op, *grads) -> gradients of the inputs."""

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError('op_type must be a string')
        self._op_type = op_type

    def __call__(self, f):
        if self._op_type in _registered:
            raise KeyError('Registering two gradient with name %r! (Previous registration was in %s)' % (
                self._op_type, getattr(_registered[self._op_type], '__module__', '?')))
        _registered[self._op_type] = f
        return f


def NotDifferentiable(op_type):  # pylint: disable=invalid-name
    """No gradient flows through ops of this type."""
    if not isinstance(op_type, str):
        raise TypeError('op_type must be a string')
    _registered[op_type] = _NONE


NoGradient = NotDifferentiable  # pylint: disable=invalid-name


class AggregationMethod(object):
    """How gradients that meet are added; all give the same sum here."""
    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(object):
    NONE = 'none'
    ZERO = 'zero'


def to_core(gradient):
    """A gradient as the engine takes it."""
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        shape = gradient.dense_shape
        return (gradient.values._handle, gradient.indices._handle, -1 if shape is None else shape._handle)
    return gradient._handle


def from_core(graph, gradient):
    if gradient is None:
        return None
    if isinstance(gradient, tuple):
        return IndexedSlices(graph._tensor(gradient[0]), graph._tensor(gradient[1]),
                             None if gradient[2] == -1 else graph._tensor(gradient[2]))
    return graph._tensor(gradient)


def _override(graph):
    """What the engine asks for each node: the function that the program registered for it, if any."""
    def find(node_id):
        core = graph._core
        name = None
        try:
            name = core.node_attr(node_id, '_gradient_op_type')[1].decode()
        except KeyError:
            pass
        key = name if name is not None else core.node_op(node_id)
        function = graph._custom_gradients.get(key) or _registered.get(key)
        if function is None:
            if name is not None:
                raise LookupError("No gradient defined for operation '%s' (op type: %s): there is no function registered as '%s'" % (
                    core.node_name(node_id), core.node_op(node_id), name))
            return None
        op = graph._operation(node_id)

        def call(grads):
            if function is _NONE:
                return [None] * len(op.inputs)
            results = function(op, *[from_core(graph, g) for g in grads])
            if not isinstance(results, (list, tuple)):
                results = [results]
            return [to_core(r if r is None or isinstance(r, IndexedSlices) else convert.convert_to_tensor(r)) for r in results]
        return call
    return find


def _tensors(values, what):
    tensors = []
    for value in values:
        if isinstance(value, Tensor):
            tensors.append(value)
        elif hasattr(value, '_gradient_tensor'):
            tensors.append(value._gradient_tensor())
        else:
            tensors.append(convert.convert_to_tensor(value, name=what))
    return tensors


def gradients(ys, xs, grad_ys=None, name='gradients', colocate_gradients_with_ops=False, gate_gradients=False,
              aggregation_method=None, stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
    """Gradients of sum(ys) with respect to each x: a tensor, IndexedSlices where rows were gathered, or None where no y depends on it.

    Errors: LookupError where the path meets an op without gradient, TypeError for a y that has none.
    """
    ys = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    stop = [] if stop_gradients is None else list(stop_gradients) if isinstance(stop_gradients, (list, tuple)) else [stop_gradients]
    grad_ys = [None] * len(ys) if grad_ys is None else list(grad_ys) if isinstance(grad_ys, (list, tuple)) else [grad_ys]
    if len(grad_ys) != len(ys):
        raise ValueError('Passed %d grad_ys for %d ys' % (len(grad_ys), len(ys)))
    if unconnected_gradients not in (UnconnectedGradients.NONE, UnconnectedGradients.ZERO):
        raise ValueError("Unknown value for unconnected_gradients: '%s'" % unconnected_gradients)
    y_tensors = _tensors([y.value() if is_resource_variable(y) else y for y in ys], 'y')
    x_tensors = _tensors(xs, 'x')
    stops = _tensors(stop, 'stop_gradients')
    graph = graph_lib.graph_of(y_tensors + x_tensors)
    starts, grads = [], []
    for y, given in zip(y_tensors, grad_ys):
        dtype = y.dtype.base_dtype
        if given is None:
            if dtype.is_complex:
                raise TypeError('Gradients of complex tensors must set grad_ys (y.dtype = %r)' % dtype)
            if dtype.is_integer:
                continue  # nothing flows from it
            if not dtype.is_floating and dtype not in (dtypes.resource, dtypes.variant):
                raise TypeError("Expected %s, got 1 of type 'int' instead.\n    gradients of '%s' are not defined: its dtype must be a floating "
                                'one' % (dtype.name, y.name))
            starts.append(y)
            grads.append(-1)
            continue
        starts.append(y)
        tensor = given if isinstance(given, Tensor) else convert.convert_to_tensor(given, dtype)
        if tensor.dtype.base_dtype != dtype:
            raise TypeError('Gradient type %s generated for %s tensor %s must be %s' % (tensor.dtype.name, dtype.name, y, dtype.name))
        grads.append(tensor._handle)
    override = None
    if _registered or graph._custom_gradients:
        override = _override(graph)
    first = graph._core.num_nodes
    with graph.as_default():
        try:
            found = graph._core.gradients(
                [y._handle for y in starts], [x._handle for x in x_tensors], grads, [s._handle for s in stops],
                bool(colocate_gradients_with_ops), bool(gate_gradients), name or 'gradients', override, *graph_lib.program_line())
        except Exception as e:
            from headrace.tf1.framework import errors
            if isinstance(e, errors.NotFoundError):
                raise LookupError(e.message)
            if isinstance(e, errors.InvalidArgumentError):
                raise ValueError(e.message)
            raise
        graph._after_bulk(first)
        results = [from_core(graph, g) for g in found]
        if unconnected_gradients == UnconnectedGradients.ZERO:
            results = [convert.apply_op('ZerosLike', x) if r is None else r for r, x in zip(results, xs)]
    return results


def hessians(ys, xs, name='hessians', colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
    """Second derivatives of sum(ys) with respect to each x: for x of shape S a tensor of shape S + S."""
    from headrace.tf1.framework import math
    xs = list(xs) if isinstance(xs, (list, tuple)) else [xs]
    result = []
    firsts = gradients(ys, xs, colocate_gradients_with_ops=colocate_gradients_with_ops, gate_gradients=gate_gradients)
    for first, x in zip(firsts, xs):
        x = convert.convert_to_tensor(x)
        size = x.shape.num_elements()
        if size is None:
            raise ValueError('hessians needs the shape of %s' % x)
        flat = math.reshape(first, [-1])
        rows = [gradients(flat[i], x)[0] for i in range(size)]
        result.append(math.reshape(math.stack(rows), x.shape.as_list() * 2))
    return result


def custom_gradient(f):
    """Decorator of a function x... -> (y, grad) where grad(dy...) gives the gradients of the x."""
    import functools

    @functools.wraps(f)
    def decorated(*args, **kwargs):
        if kwargs:
            raise ValueError('The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled: '
                             'pass %s by position, or bind it with a closure.' % ', '.join(sorted(kwargs)))
        inner = [convert.convert_to_tensor(x) for x in args]
        result, grad_fn = f(*inner)
        several = isinstance(result, (list, tuple))
        outputs = list(result) if several else [result]
        graph = graph_lib.get_default_graph()
        for output in outputs:
            convert.apply_op('Identity', output)  # TensorFlow leaves one behind, and later identities are numbered after it
        key = 'CustomGradient-%d' % next(_custom_gradients)  # of all graphs

        def gradient(op, *grads):
            input_grads = grad_fn(*grads[:len(outputs)])
            if not isinstance(input_grads, (list, tuple)):
                input_grads = [input_grads]
            return [None] * len(outputs) + list(input_grads)
        graph._custom_gradients[key] = gradient
        outer = graph._gradient_override_map
        graph._gradient_override_map = dict(outer, IdentityN=key)
        try:
            tensors = convert.apply_op('IdentityN', outputs + inner)
        finally:
            graph._gradient_override_map = outer
        return list(tensors[:len(outputs)]) if several else tensors[0]
    return decorated

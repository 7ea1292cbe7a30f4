"""Functions of a graph, traced from Python functions: what datasets map their elements with.

    f = trace(lambda x: x * scale, 'Dataset.map()', dataset._spec)
    f.name       # in the graph's function library
    f.captured   # [scale]: values of the outer graph, the function's last arguments
    f.spec       # what it returns
"""
import itertools

from headrace.tf1.framework import convert, graph as graph_lib, sparse
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.element_structure import Spec, flatten, pack_as
from headrace.tf1.framework.graph import GraphKeys, Operation, Tensor
from headrace.tf1.framework.nested_dataset import NestedDataset

_numbers = itertools.count(1)
# A function sees and adds to these of the graph around it.
_SHARED_COLLECTIONS = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)


class FunctionGraph(graph_lib.Graph):
    """The body of a function. Values of graphs around it become arguments when a node takes them."""

    def __init__(self, outer):
        super(FunctionGraph, self).__init__()
        self._building_function = True
        self.outer_graph = outer
        self.seed = outer.seed
        self._captures = {}  # tensor of the outer graph -> placeholder
        self._arguments = []
        self._variable_store, self._var_scope_store = outer._variable_store, outer._var_scope_store
        for key in _SHARED_COLLECTIONS:
            self._collections[key] = outer.get_collection_ref(key)

    def argument(self, dtype, shape, name):
        """A further argument of the caller's."""
        tensor = self._placeholder(dtype, shape, name)
        self._arguments.append(tensor)
        return tensor

    def _placeholder(self, dtype, shape, name):
        with self.control_dependencies(None), self.device(None):
            return self._create('Placeholder', [], {'dtype': dtype.base_dtype._enum, 'shape': shape._to_core()}, name)._outputs[0]

    def capture(self, tensor):
        """The tensor of this graph that stands for `tensor`."""
        if tensor.op.graph is self:
            return tensor
        if tensor.op.graph is not self.outer_graph:
            if not isinstance(self.outer_graph, FunctionGraph):
                raise ValueError('%s is neither of the function nor of the graph around it.' % (tensor,))
            tensor = self.outer_graph.capture(tensor)
        found = self._captures.get(tensor)
        if found is None:
            found = self._captures[tensor] = self._placeholder(tensor.dtype, tensor.shape, tensor.op.name.rpartition('/')[2])
        return found

    def taken(self, inputs):
        """Inputs of a node, as this graph has them."""
        return [self._taken(value) for value in inputs]

    def _taken(self, value):
        if isinstance(value, Tensor):
            return self.capture(value)
        if isinstance(value, (list, tuple)) and convert.has_tensor(value):
            return [self._taken(item) for item in value]
        if hasattr(value, '_as_tensor'):
            return self.capture(convert_to_tensor(value))
        return value


class TracedFunction(object):
    """A function in the library of the graph that was the default one."""

    def __init__(self, name, captured, spec):
        self.name, self.captured, self.spec = name, captured, spec


def trace(func, transformation, spec):
    """Calls `func` on placeholders for an element of `spec` (a tuple: one argument for each item) in a graph of its own.

    Errors: TypeError for results that cannot be tensors, naming the transformation ("Dataset.map()").
    """
    body, results, result_spec = _build(func, transformation, spec)
    outer = graph_lib.get_default_graph()
    name = '__inference_%s_%s_%d' % (transformation.replace('.', '_').replace('()', ''), getattr(func, '__name__', 'function'), next(_numbers))
    captured = list(body._captures)
    arguments = body._arguments + list(body._captures.values())
    outer._core.add_function(body._core, name, [t._handle for t in arguments], [t._handle for t in results])
    # Host functions that the body calls live as long as the graph.
    outer.__dict__.setdefault('_functions', []).append(body.__dict__.get('_functions'))
    return TracedFunction(name, captured, result_spec)


def _build(func, transformation, spec):
    body = FunctionGraph(graph_lib.get_default_graph())
    with body.as_default():
        arguments = [body.argument(dtype, shape, 'args_%d' % i) for i, (dtype, shape) in enumerate(zip(spec.types, spec.shapes))]
        element = spec.nested([leaf.dataset(a) if isinstance(leaf, NestedDataset) else a
                               for leaf, a in zip(flatten(spec.structure), arguments)])
        result = func(*element) if type(element) is tuple else func(element)  # a named tuple is one argument
        if isinstance(result, list):
            result = tuple(result)  # results of py_func
        results, result_spec = _results(result, transformation, body)
    return body, results, result_spec


def _results(result, transformation, body):
    tensors, leaves = [], []
    for leaf in flatten(result):
        if leaf is None or isinstance(leaf, (Operation, sparse.SparseTensor, sparse.SparseTensorValue)):
            raise TypeError('Unsupported return value from function passed to %s: %s.' % (transformation, result))
        if isinstance(getattr(leaf, '_variant_tensor', None), Tensor):
            tensors.append(body.capture(leaf._variant_tensor))
            leaves.append(NestedDataset(leaf._spec))
            continue
        try:
            tensor = body.capture(convert_to_tensor(leaf))
        except (TypeError, ValueError) as error:
            raise TypeError('Unsupported return value from function passed to %s: %s. (%s)' % (transformation, result, error))
        tensors.append(apply_op('Identity', tensor) if tensor.dtype._is_ref_dtype else tensor)
        leaves.append(None)
    return tensors, Spec(pack_as(result, leaves), [t.dtype.base_dtype for t in tensors], [t.shape for t in tensors])

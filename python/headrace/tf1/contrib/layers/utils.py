"""What the layers share: named outputs in collections, choices made while the graph is built, sizes."""
import collections

from headrace.tf1.framework import convert, control_flow, graph as graph_lib, shapes
from headrace.tf1.framework.graph import Tensor
from headrace.tf1.framework.variables import PartitionedVariable, Variable

NamedOutputs = collections.namedtuple('NamedOutputs', ['name', 'outputs'])


def append_tensor_alias(tensor, alias):
    """Gives a tensor one more name."""
    alias = alias[:-1] if alias.endswith('/') else alias
    if hasattr(tensor, 'aliases'):
        tensor.aliases.append(alias)
    else:
        tensor.aliases = [alias]
    return tensor


def get_tensor_aliases(tensor):
    """The names of a tensor: those that it was given, else that of its node."""
    if hasattr(tensor, 'aliases'):
        return tensor.aliases
    return [tensor.op.name if tensor.name.endswith(':0') else tensor.name]


def gather_tensors_aliases(tensors):
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def collect_named_outputs(collections, alias, outputs):  # pylint: disable=redefined-outer-name
    """Puts a layer's outputs into collections, under the layer's name. Returns them."""
    if collections:
        append_tensor_alias(outputs, alias)
        graph_lib.add_to_collections(collections, outputs)
    return outputs


def convert_collection_to_dict(collection, clear_collection=False):
    """{name: tensor} of a collection, in its order."""
    found = collections.OrderedDict(
        (alias, tensor) for tensor in graph_lib.get_collection(collection) for alias in get_tensor_aliases(tensor))
    if clear_collection:
        graph_lib.get_default_graph().clear_collection(collection)
    return found


def constant_value(value_or_tensor_or_var, dtype=None):
    """What a value, tensor or variable is while the graph is built; None if that is not known. ValueError for None and a wrong dtype."""
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError('value_or_tensor_or_var cannot be None')
    if not isinstance(value, (Tensor, Variable)):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError('It has the wrong type %s instead of %s' % (value.dtype, dtype))
    return None if isinstance(value, Variable) else convert.constant_value(value)


def static_cond(pred, fn1, fn2):
    """What fn1() gives if pred is true, else what fn2() gives."""
    for name, function in (('fn1', fn1), ('fn2', fn2)):
        if not callable(function):
            raise TypeError('%s must be callable.' % name)
    return fn1() if pred else fn2()


def smart_cond(pred, fn1, fn2, name=None):
    """static_cond if pred is known while the graph is built, else tf.cond."""
    known = constant_value(pred)
    return control_flow.cond(pred, fn1, fn2, name=name) if known is None else static_cond(known, fn1, fn2)


def get_variable_collections(variables_collections, name):
    """The collections of one variable of a layer, where they are given for each, or for all."""
    return variables_collections.get(name) if isinstance(variables_collections, dict) else variables_collections


def add_variable_to_collections(variable, variables_collections, name):
    """Puts a variable (all its parts) into its collections, unless it is there."""
    for collection in get_variable_collections(variables_collections, name) or []:
        for part in variable if isinstance(variable, PartitionedVariable) else [variable]:
            if part not in graph_lib.get_collection(collection):
                graph_lib.add_to_collection(collection, part)


def _dimension(shape, axis, min_rank):
    shape = shapes.as_shape(shape)
    if shape.dims is None:
        raise ValueError('dims of shape must be known but is None')
    if shape.rank < min_rank:
        raise ValueError('rank of shape must be at least %d not: %d' % (min_rank, shape.rank))
    size = shape.as_list()[axis]
    if size is None:
        raise ValueError('dimension %d of shape must be known but is None: %s' % (axis, shape))
    return size


def channel_dimension(shape, data_format, min_rank=1):
    """The number of channels. ValueError if it is not known."""
    return _dimension(shape, 1 if data_format == 'channels_first' else -1, min_rank)


def last_dimension(shape, min_rank=1):
    """The last size. ValueError if it is not known."""
    return _dimension(shape, -1, min_rank)


def two_element_tuple(int_or_tuple):
    """(n, n) of n; two numbers as they are."""
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError('Must be a list with 2 elements: %s' % (int_or_tuple,))
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, shapes.TensorShape) and int_or_tuple.rank == 2:
        return int_or_tuple[0], int_or_tuple[1]
    raise ValueError('Must be an int, a list with 2 elements or a TensorShape of length 2')


def n_positive_integers(n, value):
    """(value,) * n of a number; n numbers as they are. ValueError for other lengths, and for numbers below 1."""
    if int(n) != n or n < 1:
        raise ValueError('n must be a positive integer')
    n = int(n)
    try:
        values = (int(value),) * n
    except (TypeError, ValueError):
        try:
            values = tuple(int(x) for x in value)
        except (TypeError, ValueError):
            values = ()
        if len(values) != n:
            raise ValueError('Expected sequence of %d positive integers, but received %r' % (n, value))
    for x in values:
        if x < 1:
            raise ValueError('expected positive integer, but received %d' % x)
    return values

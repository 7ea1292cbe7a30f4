"""Checks and small functions of tensors, graphs and names."""
import re

from headrace.tf1.framework import array, convert, graph as graph_lib, math


def get_graph_from_inputs(op_input_list, graph=None):
    """The one graph that all inputs belong to. ValueError if they are of several."""
    return graph_lib.graph_of(op_input_list, graph)


def get_name_scope():
    """The name scope that is open, without a slash at its end."""
    return graph_lib.get_default_graph().get_name_scope()


def get_placeholders(graph):
    """The tensors of all placeholders of a graph."""
    return [op.outputs[0] for op in graph.get_operations() if op.type == 'Placeholder']


def assert_scalar(tensor, name=None):
    """The tensor. ValueError unless it is known to be a scalar."""
    with graph_lib.name_scope(name, 'assert_scalar', [tensor] if hasattr(tensor, 'graph') else None):
        tensor = convert.convert_to_tensor(tensor)
        if tensor.get_shape().ndims != 0:
            raise ValueError('Expected scalar shape for %s, saw shape: %s.' % (tensor.name, tensor.get_shape()))
        return tensor


def assert_scalar_int(tensor, name=None):
    """The tensor. ValueError unless it is known to be a scalar integer."""
    with graph_lib.name_scope(name, 'assert_scalar_int', [tensor] if hasattr(tensor, 'graph') else None) as scope:
        tensor = convert.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError('Expected integer type for %s, received type: %s.' % (tensor.name, tensor.dtype))
        return assert_scalar(tensor, name=scope)


def reduce_sum_n(tensors, name=None):
    """The sum of all elements of all tensors. ValueError for no tensors."""
    if not tensors:
        raise ValueError('No tensors provided.')
    with graph_lib.name_scope(name, 'reduce_sum_n', tensors) as scope:
        sums = [math.reduce_sum(tensor, name='%s/sum' % tensor.op.name) for tensor in tensors]
        return sums[0] if len(sums) == 1 else math.add_n(sums, name=scope)


def remove_squeezable_dimensions(predictions, labels, name=None):
    """(predictions, labels) with a last dimension of 1 dropped from the one that has one dimension more."""
    with graph_lib.name_scope(name, 'remove_squeezable_dimensions', [v for v in (predictions, labels) if hasattr(v, 'graph')]):
        predictions, labels = convert.convert_to_tensor(predictions), convert.convert_to_tensor(labels)
        ranks = predictions.get_shape().ndims, labels.get_shape().ndims
        if None not in ranks:
            if ranks[0] - ranks[1] == -1:
                labels = array.squeeze(labels, [-1])
            elif ranks[0] - ranks[1] == 1:
                predictions = array.squeeze(predictions, [-1])
            return predictions, labels
        from headrace.tf1.framework import control_flow
        difference = array.rank(predictions) - array.rank(labels)

        def squeezed(tensor, rank, by):
            if rank is not None and not tensor.get_shape().dims[-1].is_compatible_with(1):
                return tensor
            return control_flow.cond(math.equal(by, difference), lambda: array.squeeze(tensor, [-1]), lambda: tensor)
        return squeezed(predictions, ranks[0], 1), squeezed(labels, ranks[1], -1)


# ---- names

def prepend_name_scope(name, import_scope):
    """"scope/name", with "loc:@" and "^" left in front."""
    if not import_scope:
        return name
    import_scope = import_scope[:-1] if import_scope.endswith('/') else import_scope
    return re.sub(r'([\^]|loc:@|^)(.*)', lambda match: '%s%s/%s' % (match.group(1), import_scope, match.group(2)), name, count=1)


def strip_name_scope(name, export_scope):
    """The name inside a scope, with "loc:@" and "^" left in front; another name as it is."""
    if not export_scope:
        return name
    export_scope = export_scope[:-1] if export_scope.endswith('/') else export_scope
    return re.sub(r'([\^]|loc:@|^)' + re.escape(export_scope) + r'[\/](.*)', r'\1\2', name, count=1)


# ---- marks of functions

def deprecated(date, instructions, warn_once=True):
    """Marks a function of a program as one to be replaced; it works on."""
    return lambda function: function


def deprecated_args(date, instructions, *deprecated_arg_names_or_tuples, **kwargs):
    return lambda function: function


def deprecated_arg_values(date, instructions, warn_once=True, **deprecated_kwargs):
    return lambda function: function

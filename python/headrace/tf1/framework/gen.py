"""One function for each op of the engine, made from its C++ definition when it is first asked for.

    gen.square(x), gen.mat_mul(a, b, transpose_a=True), gen.function('Conv2DBackpropInput')

Names are the ops' in snake case; parameters are the inputs, the attributes without default, those with one, and `name`, as TensorFlow
orders them; docstrings say which dtypes each type attribute takes.
"""
import keyword
import re

from headrace import _core
from headrace.tf1.framework import convert, dtypes

_functions = {}

# Where TensorFlow's Python names an input or an attribute otherwise than the op's definition does.
_REDUCTION = {'reduction_indices': 'axis'}
_RENAMED = {
    'All': _REDUCTION, 'Any': _REDUCTION, 'EuclideanNorm': _REDUCTION, 'Max': _REDUCTION, 'Mean': _REDUCTION, 'Min': _REDUCTION,
    'Prod': _REDUCTION, 'Sum': _REDUCTION, 'ExpandDims': {'dim': 'axis'}, 'Select': {'t': 'x', 'e': 'y'},
    'Split': {'split_dim': 'axis'}, 'SplitV': {'split_dim': 'axis'}, 'Squeeze': {'squeeze_dims': 'axis'},
    'Where': {'input': 'condition'}}


def snake_case(op_name):
    """"Conv2DBackpropInput" -> "conv2d_backprop_input", as TensorFlow names its wrappers."""
    name = re.sub(r'([a-z0-9])([A-Z])', r'\1_\2', re.sub(r'([A-Z]+)([A-Z][a-z])', r'\1_\2', op_name)).lower()
    return re.sub(r'_(\d)_?d(_|$)', r'\1d\2', name)


def _parameter(op_name, name):
    name = _RENAMED.get(op_name, {}).get(name, name)
    return name + '_' if keyword.iskeyword(name) or name == 'name' else name


def _default(value, kind):
    if kind == 'type':
        return 'dtypes.' + dtypes.of(value).name
    if kind == 'list(type)':
        return '[%s]' % ', '.join('dtypes.' + dtypes.of(v).name for v in value)
    if isinstance(value, bytes):
        return repr(value.decode())
    if kind == 'list(string)':
        return repr([v.decode() for v in value])
    if kind in ('tensor', 'function'):
        return 'None'
    return repr(value)


def function(op_name):
    """The function that adds a node of that op. NotImplementedError if the engine has none of that name."""
    found = _functions.get(op_name)
    if found is not None:
        return found
    spec = convert.op_spec(op_name)
    inputs = [i[0] for i in spec.inputs]
    free = [a for a in spec.attrs if a not in spec.input_types]
    required = [a for a in free if a not in spec.defaults]
    optional = [a for a in free if a in spec.defaults]
    called = {p: _parameter(op_name, p) for p in inputs + free}
    parameters = [called[p] for p in inputs + required]
    parameters += ['%s=%s' % (called[a], _default(spec.defaults[a], spec.kinds[a])) for a in optional]
    arguments = [repr(op_name)] + [called[p] for p in inputs]
    arguments += ['%s=%s' % (a, called[a]) if not keyword.iskeyword(a) else '**{%r: %s}' % (a, called[a])
                  for a in required + optional] + ['name=name']
    name = snake_case(op_name) + ('_' if keyword.iskeyword(snake_case(op_name)) else '')
    source = 'def %s(%s):\n    return apply_op(%s)\n' % (name, ', '.join(parameters + ['name=None']), ', '.join(arguments))
    scope = {'apply_op': convert.apply_op, 'dtypes': dtypes}
    exec(compile(source, '%sgen:%s' % (convert.graph_lib._PACKAGE, op_name), 'exec'), scope)  # pylint: disable=exec-used
    made = scope[name]
    made.__doc__ = _doc(spec)
    made.__module__ = __name__
    _functions[op_name] = made
    return made


def _doc(spec):
    lines = [spec.doc, '']
    for arg, dtype, type_attr, list_attr, number_attr, is_ref in spec.inputs:
        what = dtypes.of(dtype).name if dtype else type_attr or list_attr
        lines.append('%s: %s%s%s' % (arg, 'a list of ' if number_attr or list_attr else '', what, ', a variable' if is_ref else ''))
    for attr, types in spec.types.items():
        lines.append('%s: one of %s' % (attr, ', '.join(dtypes.of(t).name for t in sorted(types))))
    lines.append('Gives: ' + (', '.join(o[0] for o in spec.outputs) or 'the operation'))
    return '\n'.join(lines)


_by_snake = None


def __getattr__(name):
    global _by_snake
    if name.startswith('__'):
        raise AttributeError(name)
    if _by_snake is None:
        _by_snake = {snake_case(op): op for op in _core.op_names()}
    op_name = _by_snake.get(name)
    if op_name is None:
        raise AttributeError("the engine has no op for '%s'" % name)
    made = function(op_name)
    globals()[name] = made
    return made

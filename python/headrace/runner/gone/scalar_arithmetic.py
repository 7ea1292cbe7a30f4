"""Arithmetic of NumPy's scalars as it was before NumPy 2: `0 + np.float32(0.1)` is a float64, and so a program that sums up fetched losses
prints the digits that it always printed. Scalars' methods are in C, so the program's own code asks for sums and products through functions:

| program | becomes |
| --- | --- |
| `a + b` (also - * / // % **) | `__headrace_add__(a, b)`, ... |
| `a += b`, where reading `a` twice does nothing | `a = __headrace_iadd__(a, b)`, ... |
| `sum(values)` | `__headrace_sum__(sum, values)` |

With an older NumPy the functions do what the operators do.
"""
import ast
import builtins

# Class of a narrow scalar -> of what it is beside a Python number. Empty until NumPy 2 is imported.
_wide = {}
# Classes of scalars that leave an array of narrow floating-point numbers narrow.
_values = ()
_array = None

_OPERATORS = {ast.Add: ('add', '+'), ast.Sub: ('sub', '-'), ast.Mult: ('mul', '*'), ast.Div: ('truediv', '/'), ast.FloorDiv: ('floordiv', '//'),
              ast.Mod: ('mod', '%'), ast.Pow: ('pow', '**')}


def restore(numpy):
    """Makes the functions do as NumPy 1 did."""
    global _array, _values
    if int(numpy.__version__.split('.')[0]) < 2:
        return
    _array, _values = numpy.ndarray, frozenset([numpy.float64, numpy.int64, numpy.int32])
    _wide.update({numpy.float16: numpy.float64, numpy.float32: numpy.float64})
    _wide.update({kind: numpy.int64 for kind in (numpy.int8, numpy.int16, numpy.int32, numpy.uint8, numpy.uint16, numpy.uint32)})


def widened(a, b):
    """The operands as NumPy 1 took them: a scalar beside a Python number is wide, one beside an array of narrow floats is but a value."""
    left, right = type(a), type(b)
    if left in _wide:
        if right is int or right is float:
            return _wide[left](a), b
    elif right in _wide:
        if left is int or left is float:
            return a, _wide[right](b)
    if left is _array and right in _values and _is_narrow(a):
        return a, b.item()
    if right is _array and left in _values and _is_narrow(b):
        return a.item(), b
    return a, b


def _is_narrow(array):
    return array.ndim > 0 and array.dtype.kind == 'f' and array.dtype.itemsize < 8


def total(function, values, *start):
    """`sum(values)`, where `function` is what the program calls sum."""
    if function is not builtins.sum or not _wide:
        return function(values, *start)
    values = list(values)
    if not any(type(value) in _wide for value in values):
        return function(values, *start)
    result = start[0] if start else 0
    for value in values:
        result, value = widened(result, value)
        result = result + value
    return result


# Written out for each operator: they stand in the program's inner loops, where most numbers are Python's.
_SOURCE = """
def {name}(a, b):
    if type(a) in plain and type(b) in plain:
        return a {sign} b
    a, b = widened(a, b)
    return a {sign} b

def i{name}(a, b):
    if type(a) in plain and type(b) in plain:
        return a {sign} b
    a, b = widened(a, b)
    a {sign}= b
    return a
"""


def _functions():
    scope = {'plain': frozenset([int, float]), 'widened': widened}
    for name, sign in _OPERATORS.values():
        exec(compile(_SOURCE.format(name=name, sign=sign), __file__, 'exec'), scope)  # pylint: disable=exec-used
    names = [prefix + name for name, _ in _OPERATORS.values() for prefix in ('', 'i')]
    return dict({'__headrace_%s__' % name: scope[name] for name in names}, __headrace_sum__=total)


FUNCTIONS = _functions()


def convert(tree):
    """Changes `tree` in place and returns it."""
    return _Converter().visit(tree)


def _call(name, arguments, at):
    function = ast.copy_location(ast.Name('__headrace_%s__' % name, ast.Load()), at)
    return ast.copy_location(ast.Call(function, arguments, []), at)


def _is_plain(node):
    """Whether to evaluate a node twice is as to do it once."""
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    if isinstance(node, ast.Subscript):
        return _is_plain(node.value) and _is_plain(node.slice)
    return isinstance(node, (ast.Name, ast.Constant))


def _loaded(target):
    if isinstance(target, ast.Name):
        loaded = ast.Name(target.id, ast.Load())
    elif isinstance(target, ast.Attribute):
        loaded = ast.Attribute(target.value, target.attr, ast.Load())
    else:
        loaded = ast.Subscript(target.value, target.slice, ast.Load())
    return ast.copy_location(loaded, target)


class _Converter(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        name, _ = _OPERATORS.get(type(node.op), (None, None))
        sides = (node.left, node.right)
        if name is None or all(isinstance(side, ast.Constant) for side in sides) or any(
                isinstance(side, ast.JoinedStr) or isinstance(side, ast.Constant) and isinstance(side.value, (str, bytes)) for side in sides):
            return node
        return _call(name, list(sides), node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        name, _ = _OPERATORS.get(type(node.op), (None, None))
        if name is None or not _is_plain(node.target):
            return node
        return ast.copy_location(ast.Assign([node.target], _call('i' + name, [_loaded(node.target), node.value], node)), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == 'sum' and len(node.args) in (1, 2) and not node.keywords and not any(
                isinstance(argument, ast.Starred) for argument in node.args):
            return _call('sum', [node.func] + node.args, node)
        return node

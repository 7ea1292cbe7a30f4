"""Methods that types in C dropped (`array.tostring()` of NumPy, `array.itemset`), where nothing can be put back: the program's own code
asks for them through a function. Works on trees of either dialect, and moves nothing."""
import ast
import functools

FUNCTION = '__headrace_attribute__'


def convert(tree):
    """Changes `tree` in place: `x.tostring` becomes `__headrace_attribute__(x, 'tostring')`, and so on. Returns it."""
    return _Converter().visit(tree)


class _Converter(ast.NodeTransformer):
    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr not in _INSTEAD or not isinstance(node.ctx, ast.Load):
            return node
        name = ast.copy_location(ast.Name(FUNCTION, ast.Load()), node)
        attribute = ast.copy_location(ast.Constant(node.attr), node)
        return ast.copy_location(ast.Call(name, [node.value, attribute], []), node)


def attribute_of(owner, name):
    """`owner.name`, or what does the same on a NumPy array or an array.array that has it no longer."""
    try:
        return getattr(owner, name)
    except AttributeError:
        instead = _INSTEAD[name](owner) if type(owner).__module__ in ('numpy', 'array') else None
        if instead is None:
            raise
        return instead


def _itemset(array, *arguments):
    index = arguments[:-1]
    if not index:
        array[()] = arguments[0]
    elif len(index) == 1 and not isinstance(index[0], tuple):
        array.flat[index[0]] = arguments[1]
    else:
        array[index[0] if len(index) == 1 else index] = arguments[-1]


def _newbyteorder(owner, order='S'):
    dtype = owner.dtype.newbyteorder(order)
    return owner.view(dtype)


def _ptp(array, axis=None, out=None, **options):
    import numpy
    return numpy.ptp(array, axis=axis, out=out, **options)


# Name -> what stands for it on an owner.
_INSTEAD = {
    'tostring': lambda owner: getattr(owner, 'tobytes', None),
    'fromstring': lambda owner: getattr(owner, 'frombytes', None),
    'itemset': lambda owner: functools.partial(_itemset, owner),
    'ptp': lambda owner: functools.partial(_ptp, owner),
    'newbyteorder': lambda owner: functools.partial(_newbyteorder, owner),
}

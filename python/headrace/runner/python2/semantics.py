"""A tree that Python 3 parsed, made to mean what it meant under Python 2. What it calls is in `builtins`.

| Python 2 | becomes |
| --- | --- |
| `a / b`, `a /= b` (without `from __future__ import division`) | `__py2_div__(a, b)`, ... |
| `d.iteritems()`, `d.keys()`, `d.has_key(k)`, `it.next()`, `text.decode(...)`, `l.sort(cmp)` | `__py2_iteritems__(d)`, ... |
| `'%s' % value`, `str(value)`, `'a' + value`, `value == 'a'` | values that are bytes count as text |
| `error.message` in an `except` clause | `__py2_message__(error)` |
| `def next(self)`, `__nonzero__`, `__div__`, `__unicode__`, `__metaclass__` in a class | the new names beside the old |
| a tuple among the parameters | an assignment at the start of the function |
"""
import ast

# Methods without arguments that a function of the same name stands for.
_PLAIN_METHODS = frozenset(['iteritems', 'itervalues', 'iterkeys', 'viewitems', 'viewvalues', 'viewkeys', 'items', 'values', 'keys',
                            'next'])
# Methods with arguments.
_METHODS = frozenset(['has_key', 'decode', 'encode', 'sort'])
_SPECIAL_METHODS = {'next': '__next__', '__nonzero__': '__bool__', '__div__': '__truediv__', '__rdiv__': '__rtruediv__',
                    '__idiv__': '__itruediv__', '__unicode__': '__str__'}


def convert(tree, tuples, classic_division):
    """Changes `tree` in place and returns it. `tuples`: see syntax.convert; `classic_division`: whether `/` of integers rounds
    down."""
    tree = ast.fix_missing_locations(_Converter(tuples, classic_division).visit(tree))
    for node in ast.walk(tree):
        if hasattr(node, 'lineno'):
            # Columns are those of the converted text: without them a traceback marks nothing, rather than the wrong words.
            node.col_offset = node.end_col_offset = -1
    return tree


def _call(name, arguments, at):
    function = ast.copy_location(ast.Name('__py2_%s__' % name, ast.Load()), at)
    return ast.copy_location(ast.Call(function, arguments, []), at)


def _is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _as_text(node):
    return node if isinstance(node, ast.Constant) else _call('text', [node], node)


class _Converter(ast.NodeTransformer):
    def __init__(self, tuples, classic_division):
        self._tuples = tuples
        self._classic = classic_division
        self._errors = []  # names that `except ... as name` bound around here

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Div) and self._classic:
            return _call('div', [node.left, node.right], node)
        if isinstance(node.op, ast.Mod) and _is_text(node.left):
            node.right = _call('arguments', [node.right], node.right)
        if isinstance(node.op, ast.Add) and _is_text(node.left) != _is_text(node.right):
            node.left, node.right = _as_text(node.left), _as_text(node.right)
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        operands = [node.left] + node.comparators
        if any(_is_text(operand) for operand in operands):
            node.left, node.comparators = _as_text(node.left), [_as_text(operand) for operand in node.comparators]
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Div) or not self._classic:
            return node
        target = node.target
        if isinstance(target, ast.Name):
            value = _call('idiv', [ast.copy_location(ast.Name(target.id, ast.Load()), target), node.value], node)
            return ast.copy_location(ast.Assign([target], value), node)
        if isinstance(target, ast.Attribute):
            arguments = [target.value, ast.Constant(target.attr), node.value]
            return ast.copy_location(ast.Expr(_call('idiv_attribute', arguments, node)), node)
        if isinstance(target, ast.Subscript) and not isinstance(target.slice, (ast.Slice, ast.Tuple)):
            index = getattr(target.slice, 'value', target.slice) if type(target.slice).__name__ == 'Index' else target.slice
            return ast.copy_location(ast.Expr(_call('idiv_item', [target.value, index, node.value], node)), node)
        # a[1:2] /= b: a view of an array divides in place, and comes back as it is.
        value = _call('idiv', [_loaded(target), node.value], node)
        return ast.copy_location(ast.Assign([target], value), node)

    def visit_Call(self, node):
        self.generic_visit(node)
        function = node.func
        plain = not node.args and not node.keywords
        if isinstance(function, ast.Attribute):
            if function.attr in _PLAIN_METHODS and plain:
                return _call(function.attr, [function.value], node)
            if function.attr in _METHODS and not (function.attr in ('sort', 'encode') and plain):
                call = _call(function.attr, [function.value] + node.args, node)
                call.keywords = node.keywords
                return call
        elif isinstance(function, ast.Name) and function.id == 'str' and len(node.args) == 1 and not node.keywords:
            node.args = [_call('text', node.args, node)]
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if (node.attr == 'message' and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name)
                and node.value.id in self._errors):
            return _call('message', [node.value], node)
        return node

    def visit_ExceptHandler(self, node):
        self._errors.append(node.name)
        self.generic_visit(node)
        self._errors.pop()
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        if self._tuples:
            arguments = node.args
            names = [a.arg for a in arguments.args if a.arg in self._tuples]
            start = 1 if node.body and isinstance(node.body[0], ast.Expr) and _is_text(node.body[0].value) else 0
            node.body[start:start] = [self._unpacking(name, node) for name in names]
        return node

    def _unpacking(self, name, at):
        statement = ast.parse('%s = %s' % (self._tuples[name], name)).body[0]
        for child in ast.walk(statement):
            if hasattr(child, 'lineno'):
                ast.copy_location(child, at)
        return statement

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        defined = {child.name for child in node.body if isinstance(child, ast.FunctionDef)}
        for old, new in _SPECIAL_METHODS.items():
            if old in defined and new not in defined:
                target, value = ast.Name(new, ast.Store()), ast.Name(old, ast.Load())
                node.body.append(ast.copy_location(ast.Assign([target], value), node.body[-1]))
        for child in list(node.body):
            if isinstance(child, ast.Assign) and isinstance(child.targets[0], ast.Name) and child.targets[0].id == '__metaclass__':
                node.body.remove(child)
                node.keywords.append(ast.keyword('metaclass', child.value))
        if not node.body:
            node.body.append(ast.copy_location(ast.Pass(), node))
        return node


def _loaded(target):
    """The same expression, to be read."""
    loaded = ast.parse(ast.unparse(target), mode='eval').body
    for child in ast.walk(loaded):
        if hasattr(child, 'lineno'):
            ast.copy_location(child, target)
    return loaded

"""Whether a source that Python 3 can parse was written for Python 2."""
import ast
import re

_SHEBANG = re.compile(r'#!.*\bpython2')
# Programs that look at the version, or go through six, run on both.
_FOR_BOTH = re.compile(r'sys\.version|version_info|\bPY[23]\b|\bsix\b|\bbuiltins\b')
NAMES = frozenset(['xrange', 'raw_input', 'unicode', 'unichr', 'basestring', 'long', 'reduce', 'execfile', 'cmp', 'reload', 'file',
                   'apply', 'buffer', 'coerce', 'intern'])
# Names that Python 2 programs rarely mean when nothing else points to Python 2.
_WEAK = frozenset(['file', 'reduce', 'cmp', 'reload', 'apply', 'buffer', 'coerce', 'intern', 'long'])
MODULES = frozenset([
    'cPickle', 'cStringIO', 'StringIO', 'urllib2', 'urlparse', 'Queue', 'ConfigParser', 'Tkinter', 'tkMessageBox', 'tkFileDialog',
    'httplib', 'HTMLParser', 'commands', '__builtin__', 'copy_reg', 'thread', 'SocketServer', 'BaseHTTPServer', 'SimpleHTTPServer',
    'xmlrpclib', 'cookielib', 'Cookie', 'anydbm', 'dbhash', 'whichdb', 'htmlentitydefs', 'exceptions', 'sets', 'md5', 'sha'])
_METHODS = frozenset(['iteritems', 'itervalues', 'iterkeys', 'has_key'])


def is_python2(text, tree):
    """True if `tree`, the Python 3 parse of `text`, can only be meant for Python 2."""
    if _SHEBANG.match(text):
        return True
    marks = _Marks()
    marks.visit(tree)
    if marks.syntax:
        return True
    if _FOR_BOTH.search(text):
        return False
    used = (marks.loaded & NAMES) - marks.bound - _WEAK
    methods = marks.methods if 'pandas' not in text else False
    return bool(used or marks.modules or methods)


class _Marks(ast.NodeVisitor):
    """What a tree has of Python 2."""

    def __init__(self):
        self.syntax = False  # what Python 3 parses and nobody means: `print`, `print >>file, x`
        self.methods = False
        self.modules = set()
        self.loaded, self.bound = set(), set()

    def visit_Expr(self, node):
        value = node.value.elts[0] if isinstance(node.value, ast.Tuple) and node.value.elts else node.value
        if _is_print(value) or isinstance(value, ast.BinOp) and isinstance(value.op, ast.RShift) and _is_print(value.left):
            self.syntax = True
        self.generic_visit(node)

    def visit_Try(self, node):
        # `try: import cPickle except ImportError: import pickle` and `try: xrange except NameError: xrange = range` are for both.
        if node.handlers:
            inner = _Marks()
            for child in ast.iter_child_nodes(node):
                inner.visit(child)
            self.bound |= inner.bound | (inner.loaded & NAMES if _handles_absence(node) else set())
            self.loaded |= inner.loaded
            self.syntax |= inner.syntax
            self.methods |= inner.methods
            if not _handles_absence(node):
                self.modules |= inner.modules
        else:
            self.generic_visit(node)

    def visit_Name(self, node):
        (self.loaded if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)

    def visit_arg(self, node):
        self.bound.add(node.arg)
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        self.bound.add(node.name)
        self.generic_visit(node)

    visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Import(self, node):
        for alias in node.names:
            self.bound.add((alias.asname or alias.name).split('.')[0])
            if alias.name in MODULES:
                self.modules.add(alias.name)

    def visit_ImportFrom(self, node):
        for alias in node.names:
            self.bound.add(alias.asname or alias.name)
        if node.level == 0 and (node.module in MODULES or node.module == 'itertools' and any(
                alias.name in ('izip', 'imap', 'ifilter', 'izip_longest') for alias in node.names)):
            self.modules.add(node.module)

    def visit_Attribute(self, node):
        self.methods |= node.attr in _METHODS
        self.generic_visit(node)


def _is_print(node):
    return isinstance(node, ast.Name) and node.id == 'print'


def _handles_absence(node):
    names = {n.id for handler in node.handlers if handler.type is not None for n in ast.walk(handler.type) if isinstance(n, ast.Name)}
    bare = any(handler.type is None for handler in node.handlers)
    return bare or bool(names & {'ImportError', 'ModuleNotFoundError', 'NameError', 'Exception'})

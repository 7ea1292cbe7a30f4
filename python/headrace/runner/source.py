"""From a file to a code object: decoding, Python 2 or 3, conversion. Nothing is written anywhere."""
import __future__
import ast
import codecs
import io
import tokenize
import warnings

from headrace.runner.gone import attributes, scalar_arithmetic

_FUTURES = {name: getattr(__future__, name).compiler_flag for name in __future__.all_feature_names}


class Unit(object):
    """A compiled piece of a program.

    code: for exec; python2: whether it was converted, and so needs Python 2's built-in names; flags: what its `from __future__`
    lines switched on, for the pieces that follow (cells of a notebook).
    """

    def __init__(self, code, python2, flags):
        self.code, self.python2, self.flags = code, python2, flags


def read(path):
    """The text of a source file, with line feeds as line ends. As Python does, by its coding line or as UTF-8; what is neither is
    read as Latin-1, as Python 2 took any bytes."""
    with open(path, 'rb') as file:
        return decode(file.read())


def decode(data):
    """The text in the bytes of a source file."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError):
        text = data[3:].decode('latin-1') if data.startswith(codecs.BOM_UTF8) else data.decode('latin-1')
    return text.replace('\r\n', '\n').replace('\r', '\n')


def parse(text, filename, flags=0, python2=None):
    """(tree, is Python 2). `python2`: True where that is known beforehand. Errors: SyntaxError, Python 3's where both fail."""
    from headrace.runner.python2 import detect
    error = None
    try:
        tree = _parse3(text, filename)
        if not python2 and not (python2 is None and detect.is_python2(text, tree)):
            return attributes.convert(tree), False
    except SyntaxError as e:
        error = e
    from headrace.runner.python2 import semantics, syntax
    try:
        converted, tuples = syntax.convert(text, filename)
        tree = _parse3(converted, filename)
    except SyntaxError as e:
        raise _with_line(error or e, text) from None
    division = bool(flags & _FUTURES['division']) or 'division' in _futures_of(tree)
    return semantics.convert(attributes.convert(tree), tuples, classic_division=not division), True


def compile_text(text, filename, flags=0, python2=None):
    """The Unit of a source text. Errors: SyntaxError."""
    tree, is_python2 = parse(text, filename, flags, python2)
    tree = scalar_arithmetic.convert(tree)
    for name in _futures_of(tree):
        flags |= _FUTURES.get(name, 0)
    with warnings.catch_warnings():
        # `is 0` and '\d' were fine when the program was written.
        warnings.simplefilter('ignore', SyntaxWarning)
        warnings.simplefilter('ignore', DeprecationWarning)
        code = compile(tree, filename, 'exec', flags=flags, dont_inherit=True)
    return Unit(code, is_python2, flags)


def _parse3(text, filename):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', SyntaxWarning)
        warnings.simplefilter('ignore', DeprecationWarning)
        try:
            return compile(text, filename, 'exec', flags=ast.PyCF_ONLY_AST, dont_inherit=True)
        except ValueError as error:  # null bytes
            raise SyntaxError(str(error), (filename, 1, 0, '')) from None


def _futures_of(tree):
    return [alias.name for node in getattr(tree, 'body', []) if isinstance(node, ast.ImportFrom) and node.module == '__future__'
            for alias in node.names]


def _with_line(error, text):
    """The error with the line of the original file, for tracebacks of text that is in no file of that name."""
    rows = text.split('\n')
    if error.text is None and error.lineno and error.lineno <= len(rows):
        error.text = rows[error.lineno - 1]
    return error

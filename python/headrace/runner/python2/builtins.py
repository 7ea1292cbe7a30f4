"""Built-in names of Python 2 for the program's own modules, and the functions that `semantics` calls.

Text is Python 3's `str`: where Python 2 had bytes that a program treats as text (fetched strings, lines of a file), they become
text at the places where the program would otherwise stop.
"""
import builtins
import codecs
import functools
import importlib
import importlib.util
import io
import math
import operator
import sys

from headrace.runner.gone import scalar_arithmetic


# --- division

def div(a, b):
    """`a / b` as Python 2 has it: integers round down."""
    if type(a) is int and type(b) is int:
        return a // b
    a, b = scalar_arithmetic.widened(a, b)
    if type(a) is float or type(b) is float:
        return a / b
    classic = getattr(type(a), '__div__', None)  # tensors, and classes of the program
    if classic is not None:
        result = classic(a, b)
        if result is not NotImplemented:
            return result
    classic = getattr(type(b), '__rdiv__', None)
    if classic is not None:
        result = classic(b, a)
        if result is not NotImplemented:
            return result
    return a // b if _is_integer(a) and _is_integer(b) else a / b


def idiv(a, b):
    """`a /= b`: the new value of a. Arrays divide in place."""
    classic = getattr(type(a), '__idiv__', None)
    if classic is not None:
        return classic(a, b)
    if _is_integer(a) and _is_integer(b):
        return operator.ifloordiv(a, b)
    if type(a).__module__ == 'numpy' and hasattr(a, 'dtype'):
        return operator.itruediv(a, b)
    return div(a, b)


def idiv_attribute(owner, name, b):
    """`owner.name /= b`."""
    setattr(owner, name, idiv(getattr(owner, name), b))


def idiv_item(owner, index, b):
    """`owner[index] /= b`."""
    owner[index] = idiv(owner[index], b)


def _is_integer(value):
    if isinstance(value, int):
        return True
    kind = getattr(getattr(value, 'dtype', None), 'kind', None)
    return kind in ('i', 'u', 'b')


# --- methods

def _dict_method(name, new_name, convert):
    def call(owner):
        method = getattr(owner, name, None)
        if method is not None and not (convert is list and isinstance(owner, dict)):
            return method()
        return convert(getattr(owner, new_name)())
    return call


def next_(owner):
    """`owner.next()`."""
    method = getattr(owner, 'next', None)
    return builtins.next(owner) if method is None else method()


def has_key(owner, *key):
    """`owner.has_key(key)`."""
    method = getattr(owner, 'has_key', None)
    return (key[0] in owner) if method is None else method(*key)


def decode(owner, *arguments, **options):
    """`owner.decode(encoding)`: text is decoded already; 'hex' and 'base64' are what they were."""
    if not isinstance(owner, str):
        return owner.decode(*arguments, **options)
    encoding = arguments[0] if arguments else 'ascii'
    if _is_transform(encoding):
        return codecs.decode(owner.encode('latin-1'), encoding)
    if str(encoding).replace('-', '_') in ('unicode_escape', 'string_escape'):
        return codecs.decode(owner.encode('latin-1', 'backslashreplace'), 'unicode_escape')
    return owner


def encode(owner, *arguments, **options):
    """`owner.encode(encoding)`."""
    if arguments and _is_transform(arguments[0]):
        data = owner.encode('latin-1') if isinstance(owner, str) else owner
        return codecs.encode(data, arguments[0]).decode('latin-1')
    if isinstance(owner, bytes):  # Python 2 decoded, then encoded
        return owner
    return owner.encode(*arguments, **options)


def _is_transform(encoding):
    return encoding in ('hex', 'base64', 'zip', 'bz2', 'rot13', 'uu')


def sort(owner, *arguments, **options):
    """`owner.sort(cmp, key, reverse)`."""
    if not isinstance(owner, list):
        return owner.sort(*arguments, **options)
    return owner.sort(**_sort_options(arguments, options))


def _sort_options(arguments, options):
    names = ('cmp', 'key', 'reverse')
    options.update(zip(names, arguments))
    compare = options.pop('cmp', None)
    if compare is not None:
        key = options.get('key') or (lambda value: value)
        order = functools.cmp_to_key(compare)
        options['key'] = lambda value: order(key(value))
    return options


def message(error):
    """`error.message` of a caught exception."""
    found = getattr(error, 'message', None)
    if found is not None:
        return found
    return error.args[0] if len(error.args) == 1 else ''


def text(value):
    """Bytes as text; anything else as it is."""
    return value.decode('utf-8', 'surrogateescape') if isinstance(value, bytes) else value


def arguments_of_format(value):
    """The right side of `'...' % value`."""
    if isinstance(value, tuple):
        return tuple(text(item) for item in value)
    return text(value)


# --- functions

class _Soft(object):
    """Python 2's "soft space": `print x,` writes a space only if something follows on the line."""
    pending = None  # the file after whose last write a space is due


def print_(*values, **options):
    """`print`: bytes are shown as text. `end=' '` is a statement with a comma at its end."""
    file = options.pop('file', None)
    out = sys.stdout if file is None else file
    end = options.get('end')
    values = [text(value) for value in values]
    if _Soft.pending is out and values:
        out.write(' ')
    _Soft.pending = None
    if end == ' ':
        options['end'] = ''
        if values and not (isinstance(values[-1], str) and values[-1][-1:] in ('\n', '\t')):
            _Soft.pending = out
    builtins.print(*values, file=out, **options)


def end_line():
    """At the end of a program: a line that `print x,` left open ends."""
    if _Soft.pending is not None:
        _Soft.pending.write('\n')
        _Soft.pending = None


def map_(function, *sequences):
    """A list; None as the function makes tuples, and shorter sequences are filled up with None."""
    if len(sequences) == 1:
        items = list(sequences[0])
        return items if function is None else [function(item) for item in items]
    import itertools
    rows = itertools.zip_longest(*sequences)
    return [row if function is None else function(*row) for row in rows]


def filter_(function, sequence):
    """A list, or text or a tuple where the sequence is one."""
    kept = builtins.filter(function, sequence)
    if isinstance(sequence, str):
        return ''.join(kept)
    return tuple(kept) if isinstance(sequence, tuple) else list(kept)


def sorted_(sequence, *arguments, **options):
    """`sorted` with `cmp`."""
    return builtins.sorted(sequence, **_sort_options(arguments, options))


def cmp(a, b):
    """-1, 0 or 1."""
    return (a > b) - (a < b)


def round_(number, digits=0):
    """Halves go away from zero, and the result is a float."""
    scale = 10.0 ** digits
    scaled = abs(float(number)) * scale
    if not math.isfinite(scaled) or scaled >= 2.0 ** 52:
        return float(number)
    return math.copysign(math.floor(scaled + 0.5) / scale, float(number))


def ord_(character):
    """`data[0]` of bytes is a number already."""
    return character if isinstance(character, int) else builtins.ord(character)


def execfile(path, globals=None, locals=None):  # pylint: disable=redefined-builtin
    """Runs a file in the caller's names."""
    from headrace.runner import source
    frame = sys._getframe(1)
    if globals is None:
        globals = frame.f_globals
        locals = frame.f_locals if locals is None else locals
    unit = source.compile_text(source.read(path), path)
    exec(unit.code, globals, globals if locals is None else locals)  # pylint: disable=exec-used


def exec_(code, globals=None, locals=None):  # pylint: disable=redefined-builtin
    """`exec code in globals, locals`: text is Python 2, as the program is."""
    if globals is None:
        frame = sys._getframe(1)
        globals = frame.f_globals
        locals = frame.f_locals if locals is None else locals
    if isinstance(code, str):
        from headrace.runner import source
        code = source.compile_text(code, '<string>', python2=True).code
        globals.setdefault('__builtins__', TABLE)
    exec(code, globals, globals if locals is None else locals)  # pylint: disable=exec-used


def input_(prompt=''):
    """`input` evaluates what is typed."""
    frame = sys._getframe(1)
    return eval(builtins.input(prompt), frame.f_globals, frame.f_locals)  # pylint: disable=eval-used


def reload(module):
    """Loads a module again; `reload(sys)`, the start of a spell for encodings, does nothing."""
    return module if module is sys else importlib.reload(module)


def apply(function, arguments=(), options=None):
    """function(*arguments, **options)."""
    return function(*arguments, **(options or {}))


class _AnyText(type):
    def __instancecheck__(cls, value):
        return isinstance(value, (str, bytes))


class basestring(object, metaclass=_AnyText):  # pylint: disable=invalid-name
    """What text and bytes are instances of."""


class _Unicode(type):
    def __instancecheck__(cls, value):
        return isinstance(value, str)

    def __call__(cls, value='', *arguments):
        return value if isinstance(value, str) else str(value, *arguments) if arguments else str(text(value))


class unicode(str, metaclass=_Unicode):  # pylint: disable=invalid-name
    """`unicode(value, encoding)` is a str."""


# --- files

class TextFile(io.TextIOWrapper):
    """A file that was opened without 'b': takes bytes too, and any bytes can be read as text."""

    def write(self, data):
        if isinstance(data, (bytes, bytearray)):
            self.flush()
            self.buffer.write(data)
            return len(data)
        return super(TextFile, self).write(data)


class _BytesOrText(object):
    def write(self, data):
        """Writes bytes; text as UTF-8."""
        return super(_BytesOrText, self).write(data.encode('utf-8', 'surrogateescape') if isinstance(data, str) else data)


class _BinaryWriter(_BytesOrText, io.BufferedWriter):
    pass


class _BinaryUpdater(_BytesOrText, io.BufferedRandom):
    pass


def open_(name, mode='r', buffering=-1):
    """`open` and `file` of Python 2."""
    mode = mode.replace('U', '').replace('t', '') or 'r'
    mode = mode if mode[0] in 'rwax' else 'r' + mode
    plain = mode.replace('b', '')
    raw = io.FileIO(name, plain)
    binary = (_BinaryUpdater if '+' in plain else io.BufferedReader if plain == 'r' else _BinaryWriter)(raw)
    if 'b' in mode:
        return binary
    return TextFile(binary, encoding='utf-8', errors='surrogateescape', line_buffering=buffering == 1)


# --- imports

def import_(name, globals=None, locals=None, fromlist=(), level=0):  # pylint: disable=redefined-builtin
    """`import` in a module of Python 2: the standard library by its old names, and modules beside the importing one first."""
    from headrace.runner.python2 import modules
    if level == 0 or level == -1:
        found = modules.find(name)
        if found is not None:
            return found if fromlist or '.' not in name else builtins.__import__(name.split('.')[0])
        package = (globals or {}).get('__package__')
        if package and importlib.util.find_spec('%s.%s' % (package, name.split('.')[0])) is not None:
            return builtins.__import__(name, globals, locals, fromlist, 1) if fromlist else _sibling(package, name)
        level = 0
    return builtins.__import__(name, globals, locals, fromlist, level)


def _sibling(package, name):
    importlib.import_module('%s.%s' % (package, name))
    return sys.modules['%s.%s' % (package, name.split('.')[0])]


def _names():
    table = dict(vars(builtins))
    for name in ('iteritems', 'itervalues', 'iterkeys', 'viewitems', 'viewvalues', 'viewkeys'):
        new = name[4:]
        table['__py2_%s__' % name] = _dict_method(name, new, iter if name.startswith('iter') else lambda view: view)
    for name in ('items', 'values', 'keys'):
        table['__py2_%s__' % name] = _dict_method(name, name, list)
    for name, function in dict(
            div=div, idiv=idiv, idiv_attribute=idiv_attribute, idiv_item=idiv_item, next=next_, has_key=has_key, decode=decode,
            encode=encode, sort=sort, message=message, text=text, arguments=arguments_of_format).items():
        table['__py2_%s__' % name] = function
    table.update(
        __import__=import_, print=print_, map=map_, filter=filter_, sorted=sorted_, round=round_, ord=ord_, input=input_,
        exec=exec_, open=open_, file=open_, execfile=execfile, reload=reload, apply=apply, cmp=cmp, basestring=basestring, unicode=unicode,
        xrange=range, range=lambda *a: list(range(*a)), zip=lambda *a: list(zip(*a)), raw_input=input, unichr=chr, long=int,
        reduce=functools.reduce, intern=sys.intern, buffer=memoryview, StandardError=Exception,
        coerce=lambda a, b: (type(a + b)(a), type(a + b)(b)))
    return table


TABLE = _names()  # what `__builtins__` of a converted module is

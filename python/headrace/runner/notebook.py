"""Runs a notebook: its code cells one after the other in one `__main__`, without magics and shell lines."""
import io
import json
import linecache
import os
import re
import sys
import types

from headrace.runner import lines, local_modules, program, source

# Cell magics whose cell is Python all the same; cells of others (%%bash, %%html, ...) are left out.
_PYTHON_CELLS = ('time', 'timeit', 'capture', 'prun', 'python', 'python3')
# Line magics that run the statement behind them.
_RUNS_STATEMENT = re.compile(r'^(\s*)%(?:time|timeit|prun)\s+(?:-\S+\s+)*(?=[^\s-])')
_MAGIC = re.compile(r'^(\s*)(?:[%!?]|[\w.]+\?{1,2}\s*$|(?:[\w.,\s]+)=\s*[%!]\w)')
_INDENT = re.compile(r'(?:[ \t]*\n)*([ \t]*)')
_CELL_MAGIC = re.compile(r'^\s*%%(\w+)')


class NotebookError(Exception):
    """A file that is no notebook."""


def read_cells(path):
    """(list of cells' sources, whether the notebook says that it is Python 2). Errors: NotebookError."""
    try:
        with open(path, 'rb') as file:
            book = json.loads(file.read().decode('utf-8', 'replace'))
        sheets = book.get('worksheets') or [book]  # version 3 had sheets
        cells = [cell for sheet in sheets for cell in sheet.get('cells', []) if cell.get('cell_type') == 'code']
    except (ValueError, AttributeError) as error:
        raise NotebookError('%s is no notebook: %s' % (path, error)) from None
    metadata = book.get('metadata', {})
    version = str(metadata.get('language_info', {}).get('version', ''))
    kernel = str(metadata.get('kernelspec', {}).get('name', ''))
    texts = [cell.get('source', cell.get('input', '')) for cell in cells]
    return [text if isinstance(text, str) else ''.join(text) for text in texts], version.startswith('2') or kernel == 'python2'


def python_of(cell):
    """The Python of a cell: magics and shell lines become `pass`, so that every line keeps its number."""
    text = cell.replace('\r\n', '\n')
    magic = _CELL_MAGIC.match(text)
    if magic is not None:
        if magic.group(1) not in _PYTHON_CELLS:
            return ''
        text = 'pass' + text[text.find('\n'):] if '\n' in text else ''
    scanner, out, in_magic = lines.Scanner(), [], False
    for line in io.StringIO(_dedented(text)):
        if in_magic:
            in_magic, line = _is_continued(line), '\n'
        elif scanner.kind == lines.STATEMENT:
            line = _RUNS_STATEMENT.sub(r'\1', line)
            found = _MAGIC.match(line)
            if found is not None:
                in_magic, line = _is_continued(line), found.group(1) + 'pass\n'
        scanner.take(line)
        out.append(line)
    return ''.join(out)


def _dedented(text):
    """A cell whose first line is indented, as one that was cut out of a block is, stands by itself: IPython takes that much indentation off
    every line that has it."""
    indent = _INDENT.match(text).group(1)
    return re.sub('(?m)^' + indent, '', text) if indent else text


def _is_continued(line):
    """Whether a shell line goes on in the next."""
    return line.rstrip('\n').endswith('\\')


def is_python2(cells):
    """Whether the cells can only be Python 2: one notebook is one dialect, whichever cell shows it."""
    for cell in cells:
        try:
            if source.parse(cell, '<cell>')[1]:
                return True
        except SyntaxError:
            continue  # wrong in both: it is reported when the cell is run
    return False


def run(arguments):
    """Runs the notebook arguments[0] and returns 0. SystemExit ends its cell only; any other exception ends the run, as "run all"
    in a notebook does, and comes through."""
    path = arguments[0]
    try:
        cells, python2 = read_cells(path)
    except NotebookError as error:
        sys.stderr.write('headrace: %s\n' % error)
        return 2
    cells = [python_of(cell) for cell in cells]
    python2 = python2 or is_python2(cells)
    program.prepare(arguments, os.path.dirname(os.path.realpath(path)))
    module = program.main_module(os.path.abspath(path), python2)
    _offer_notebook_names(module)
    flags = 0
    try:
        for number, cell in enumerate(cells, 1):
            name = '%s, cell %d' % (path, number)
            _remember(name, cell)
            unit = source.compile_text(cell, name, flags, python2=python2 or None)
            flags = unit.flags
            try:
                exec(unit.code, module.__dict__)  # pylint: disable=exec-used
            except SystemExit:
                pass  # tf.app.run() ends by it
    finally:
        if python2:
            from headrace.runner.python2 import builtins
            builtins.end_line()
    return 0


def _remember(name, cell):
    """Lets tracebacks show the cell's lines."""
    local_modules.remember(name)
    linecache.cache[name] = (len(cell), None, cell.splitlines(True), name)


class _Nothing(object):
    """Whatever is asked of it, or of its parts, does nothing."""

    def __call__(self, *unused_arguments, **unused_options):
        return None

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return _Nothing()


class _Shell(_Nothing):
    """What get_ipython() gives: magics do nothing, and events (get_ipython().events.register) never come."""


def _display(*values, **unused_options):
    for value in values:
        print(value)


def _offer_notebook_names(module):
    module.get_ipython = _Shell
    module.display = _display
    module.In, module.Out = [], {}
    try:
        import IPython  # noqa: F401 pylint: disable=unused-import
    except ImportError:
        # `from IPython.display import clear_output, Image` in a program that runs without IPython.
        shell, shown = types.ModuleType('IPython'), types.ModuleType('IPython.display')
        shell.__path__ = []
        shell.display, shell.get_ipython = shown, _Shell
        shell.version_info, shell.__version__ = (8, 24, 0, ''), '8.24.0'  # from which on matplotlib needs nothing more of IPython
        shown.display = _display
        shown.__getattr__ = lambda name: _nothing if not name.startswith('__') else _absent(name)
        sys.modules['IPython'], sys.modules['IPython.display'] = shell, shown


def _nothing(*unused_arguments, **unused_options):
    return None


def _absent(name):
    raise AttributeError(name)

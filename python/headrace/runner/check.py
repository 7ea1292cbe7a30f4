"""`headrace run --check PROG`: which TensorFlow names a program uses that we do not have, found without running it.

Aliases are followed: `import tensorflow as tf`, `from tensorflow.contrib import slim`, `layers = tf.contrib.layers`. Modules of the
program that it imports are looked at too.
"""
import ast
import importlib.machinery
import os
import sys
import types

from headrace.runner import notebook, source, spellings, tensorflow_names
from headrace.tf1 import _missing

ROOT = 'tensorflow'


class Use(object):
    """One name of TensorFlow at one line: `name` is 'tf.nn.relu' or 'tensorflow.python.ops.rnn.foo'."""

    def __init__(self, file, line, name):
        self.file, self.line, self.name = file, line, name


def main(path, out=None):
    """Prints the missing names of a program with their lines, and a count. Returns 1 if there are any, 2 if it cannot be read."""
    out = sys.stdout if out is None else out
    try:
        uses = uses_of_program(path)
    except (SyntaxError, notebook.NotebookError) as error:
        sys.stderr.write('headrace: %s\n' % error)
        return 2
    tensorflow_names.install()
    missing, names = [], set()
    for use in uses:
        names.add(use.name)
        if not exists(use.name) and (use.file, use.line, use.name) not in missing:
            missing.append((use.file, use.line, use.name))
    for file, line, name in missing:
        near = _missing.nearest(name)
        out.write('%s:%d: %s%s\n' % (file, line, name, '   nearest: ' + ', '.join(near) if near else ''))
    count = len({name for _, _, name in missing})
    out.write('%s: %d TensorFlow name%s used, %s\n' % (
        path, len(names), '' if len(names) == 1 else 's', 'all there' if not count else '%d missing' % count))
    return 1 if count else 0


def uses_of_program(path):
    """The Uses of a program and of the modules beside it, file by file. Errors: SyntaxError, NotebookError."""
    uses, seen, waiting = [], set(), [path]
    while waiting:
        file = waiting.pop(0)
        if os.path.realpath(file) in seen:
            continue
        seen.add(os.path.realpath(file))
        try:
            scan = scan_file(file)
        except SyntaxError:
            if file == path:
                raise
            continue  # a module that is wrong is its importer's to report
        uses += scan.uses
        waiting += scan.local_modules(os.path.dirname(os.path.abspath(path)))
    return uses


def scan_file(path):
    """A Scan of a .py file or a notebook."""
    scan = Scan(path)
    if path.endswith('.ipynb'):
        cells, python2 = notebook.read_cells(path)
        cells = [notebook.python_of(cell) for cell in cells]
        python2 = python2 or notebook.is_python2(cells)
        for number, cell in enumerate(cells, 1):
            name = '%s, cell %d' % (path, number)
            scan.file = name
            scan.take(source.parse(cell, name, python2=python2 or None)[0])
    else:
        scan.take(source.parse(source.read(path), path)[0])
    return scan


def exists(name):
    """Whether we have a dotted name. Attributes of anything but modules and classes (of functions' results, of instances) are not
    ours to judge."""
    parts = name.split('.')
    if parts[0] == 'tf':
        parts[0] = ROOT
    try:
        found = importlib.import_module(ROOT)
        for i in range(1, len(parts)):
            found = _child(found, '.'.join(parts[:i + 1]), parts[i])
            if found is _Absent:
                return False
            if not isinstance(found, (types.ModuleType, type)):
                return True
    except ImportError:
        return False
    if _missing.is_missing(found):
        return False
    # Below a module that has names, one that is none of them could still be imported as a module: it is missing all the same.
    return not isinstance(found, tensorflow_names.InnerModule) or spellings.is_folder('.'.join(parts[1:-1]))


def _child(owner, path, name):
    try:
        return getattr(owner, name)
    except AttributeError:
        pass
    if isinstance(owner, types.ModuleType):
        try:
            return importlib.import_module(path)
        except ImportError:
            return _Absent
    # Fields of messages and attributes that only instances have are not on the class.
    return _Absent if name.isupper() else _Unknown


class _Unknown(object):
    """Something that exists for all we know."""


class _Absent(object):
    """Something that does not exist. None is a value: tf.newaxis."""


class Scan(ast.NodeVisitor):
    """Collects the uses of TensorFlow's names in trees of one file."""

    def __init__(self, file):
        self.file = file
        self.uses = []
        self._aliases = {}  # name in the program -> dotted name in TensorFlow
        self._assigned = set()  # those that an assignment made: its line was the use
        self._made = set()  # names that the program gives to TensorFlow's modules: `tf.model = ...`
        self._imports = []  # (level, module) that are not TensorFlow's

    def take(self, tree):
        """Goes through one tree; aliases stay for the next."""
        self.visit(tree)

    def _use(self, node, name):
        module = name[len(ROOT) + 1:].rpartition('.')[0]
        if spellings.rows(module) is None and not module.startswith('core.'):
            name = 'tf' + name[len(ROOT):]  # as programs write it
        self.uses.append(Use(self.file, node.lineno, name))

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name == ROOT or alias.name.startswith(ROOT + '.'):
                if alias.asname:
                    self._aliases[alias.asname] = alias.name
                else:
                    self._aliases[ROOT] = ROOT
            else:
                self._imports.append((0, alias.name))
                self._aliases.pop(alias.asname or alias.name.split('.')[0], None)

    def visit_ImportFrom(self, node):
        module = node.module or ''
        if node.level == 0 and (module == ROOT or module.startswith(ROOT + '.')):
            for alias in node.names:
                if alias.name == '*':
                    self._import_all(module)
                else:
                    self._aliases[alias.asname or alias.name] = '%s.%s' % (module, alias.name)
        else:
            self._imports.append((node.level, module))
            self._imports += [(node.level, ('%s.%s' % (module, alias.name)).lstrip('.')) for alias in node.names]
            for alias in node.names:
                self._aliases.pop(alias.asname or alias.name, None)

    def _import_all(self, module):
        tensorflow_names.install()
        try:
            names = dir(importlib.import_module(module))
        except ImportError:
            return
        self._aliases.update({name: '%s.%s' % (module, name) for name in names if not name.startswith('_')})

    def visit_Assign(self, node):
        self.visit(node.value)
        name = self._dotted(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                if name is not None:
                    self._aliases[target.id] = name
                    self._assigned.add(target.id)
                else:
                    self._aliases.pop(target.id, None)
            else:
                self.visit(target)

    def visit_Attribute(self, node):
        name = self._dotted(node)
        if name is None:
            self.generic_visit(node)
        elif isinstance(node.ctx, ast.Store):
            self._made.add(name)
        elif isinstance(node.ctx, ast.Load) and not any((name + '.').startswith(made + '.') for made in self._made):
            self._use(node, name)

    def visit_Name(self, node):
        name = self._aliases.get(node.id)
        if name is not None and name != ROOT and node.id not in self._assigned and isinstance(node.ctx, ast.Load):
            self._use(node, name)

    def _dotted(self, node):
        """The name in TensorFlow that an expression stands for, or None."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self._aliases:
            return None
        return '.'.join([self._aliases[node.id]] + parts[::-1])

    def local_modules(self, folder):
        """Files of the modules beside the program that these trees import."""
        found = []
        for level, name in self._imports:
            base = folder if level == 0 else os.path.dirname(os.path.abspath(self.file.split(', cell ')[0]))
            for _ in range(level - 1):
                base = os.path.dirname(base)
            stem = os.path.join(base, *name.split('.')) if name else base
            for candidate in (stem + importlib.machinery.SOURCE_SUFFIXES[0], os.path.join(stem, '__init__.py')):
                if os.path.isfile(candidate):
                    found.append(os.path.relpath(candidate) if not os.path.relpath(candidate).startswith('..') else candidate)
        return found

"""Python 2 syntax to Python 3 syntax, line by line the same, through fissix (the kept-up successor of lib2to3)."""
import logging
import re

from headrace.runner import lines

_FIXERS = ('except', 'exec', 'ne', 'numliterals', 'paren', 'print', 'raise', 'repr', 'throw')
_tools = {}


def convert(text, filename):
    """(text in Python 3 syntax, {stand-in: tuple}): the parameters that were tuples, `def f(a, (b, c))`, by their stand-ins.

    Every statement stays on its line. Errors: SyntaxError, with the line.
    """
    from fissix.pgen2 import parse, tokenize
    source = lines.expand_tabs(text)
    if not source.endswith('\n'):
        source += '\n'
    # print and exec are statements, unless the file says otherwise or does not parse so.
    grammars = ('print_function', 'functions') if _imports_print_function(source) else ('statements', 'print_function', 'functions')
    first_error = None
    for grammar in grammars:
        tool, tuples = _tool()
        try:
            tree = _parse(tool, source, grammar)
        except (parse.ParseError, tokenize.TokenError, IndentationError) as error:
            first_error = first_error or _syntax_error(error, text, filename)
            continue
        tree.future_features = frozenset() if grammar == 'statements' else frozenset(['print_function'])
        tuples.clear()
        tool.refactor_tree(tree, filename)
        return _unicode_prefixes(_render(tree)), dict(tuples)
    raise first_error


def _parse(tool, source, grammar):
    from fissix import pygram
    tool.driver.grammar = {
        'statements': tool.grammar, 'print_function': pygram.python_grammar_no_print_statement,
        'functions': pygram.python_grammar_no_print_and_exec_statement}[grammar]
    return tool.driver.parse_string(source)


def _render(tree):
    """The tree's text, each statement on the line of the original: what fixers joined is made up for by empty lines."""
    from fissix.pgen2 import token
    out, line = [], 1
    statement = []  # leaves since the last end of a statement

    def flush():
        nonlocal line
        wanted = next((leaf.lineno for leaf in statement if leaf.lineno and leaf.type not in (token.INDENT, token.DEDENT)), 0)
        text = ''.join(str(leaf) for leaf in statement)
        first = next((i for i, leaf in enumerate(statement) if leaf.value.strip()), None)
        if first is not None:
            at = line + ''.join(str(leaf) for leaf in statement[:first]).count('\n') + statement[first].prefix.count('\n')
            text = '\n' * (wanted - at) + text
        out.append(text)
        line += text.count('\n')
        del statement[:]

    for leaf in tree.leaves():
        statement.append(leaf)
        if leaf.type == token.NEWLINE:
            flush()
    flush()
    return ''.join(out)


def _tool():
    """The refactoring tool and the table that its fixer of parameters fills."""
    if not _tools:
        try:
            from fissix import refactor
        except ImportError:
            raise ImportError('this program is written for Python 2; to convert it Headrace needs the package fissix '
                              '(pip install fissix)') from None
        logging.getLogger('RefactoringTool').setLevel(logging.ERROR)
        names = ['fissix.fixes.fix_' + name for name in _FIXERS] + ['headrace.runner.python2.fix_tuple_parameters']
        from headrace.runner.python2 import fix_tuple_parameters
        _tools['tool'] = refactor.RefactoringTool(names)
        _tools['tuples'] = fix_tuple_parameters.found
    return _tools['tool'], _tools['tuples']


def _imports_print_function(source):
    return re.search(r'^\s*from\s+__future__\s+import\b[^#\n]*(\([^)]*)?\bprint_function\b', source, re.M) is not None


_UR_STRING = re.compile(r'\b[uU][rR](?=["\'])')


def _unicode_prefixes(text):
    """ur'...' is no Python 3; r'...' is the same but for \\u, which nobody writes in one."""
    return _UR_STRING.sub('r', text) if _UR_STRING.search(text) else text


def _syntax_error(error, text, filename):
    line = 0
    context = getattr(error, 'context', None)
    if context:
        line = context[1][0]
    elif len(error.args) > 1 and isinstance(error.args[1], tuple):
        line = error.args[1][1] if isinstance(error.args[1][0], str) else error.args[1][0]
    rows = text.split('\n')
    shown = rows[line - 1] if 0 < line <= len(rows) else ''
    return SyntaxError('invalid syntax', (filename, line, 1, shown))

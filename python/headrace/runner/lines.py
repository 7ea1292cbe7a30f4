"""Which lines of a source begin a statement, stand inside a string, or go on with the line before."""
import io
import re

STATEMENT, CONTINUATION, STRING = 'statement', 'continuation', 'string'

_INTERESTING = re.compile(r'#|"""|\'\'\'|"|\'|[\[({\])}]')
_REST_OF_STRING = {'"': re.compile(r'(?:\\.|[^\\"\n])*"', re.S), "'": re.compile(r"(?:\\.|[^\\'\n])*'", re.S)}
_END_OF_TRIPLE = {'"""': re.compile(r'(?:\\.|[^\\])*?"""', re.S), "'''": re.compile(r"(?:\\.|[^\\])*?'''", re.S)}


class Scanner(object):
    """Takes lines one by one; `kind` tells what the next line is. Works on Python of any version, also on wrong syntax."""

    def __init__(self):
        self._quote = None  # the quotes of a string that is open at the start of the next line
        self._depth = 0
        self._continued = False

    @property
    def kind(self):
        if self._quote is not None:
            return STRING
        return CONTINUATION if self._depth > 0 or self._continued else STATEMENT

    def take(self, line):
        """Moves on past `line`, which may end in a line feed."""
        position, comment = 0, False
        self._continued = False
        while True:
            if self._quote is not None:
                pattern = _END_OF_TRIPLE.get(self._quote) or _REST_OF_STRING[self._quote]
                end = pattern.match(line, position)
                if end is None:
                    if len(self._quote) == 1 and not line.rstrip('\r\n').endswith('\\'):
                        self._quote = None  # a string that nobody closed: wrong syntax, found by the compiler
                    return
                position, self._quote = end.end(), None
            found = _INTERESTING.search(line, position)
            if found is None:
                break
            token, position = found.group(), found.end()
            if token == '#':
                comment = True
                break
            if token in '([{':
                self._depth += 1
            elif token in ')]}':
                self._depth = max(0, self._depth - 1)
            else:
                self._quote = token
        self._continued = not comment and line.rstrip('\r\n').endswith('\\')


def expand_tabs(source):
    """The source with the tabs of its indentation widened to multiples of 8, as Python 2 counts them."""
    scanner, out = Scanner(), []
    for line in io.StringIO(source):
        if scanner.kind != STRING:
            body = line.lstrip(' \t\f')
            line = line[:len(line) - len(body)].replace('\f', '').expandtabs(8) + body
        scanner.take(line)
        out.append(line)
    return ''.join(out)

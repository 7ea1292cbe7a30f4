"""Names that Python's own library dropped since TensorFlow 1's time, in whichever dialect the program is written."""
import base64
import collections
import collections.abc
import errno
import fractions
import inspect
import itertools
import math
import os
import platform
import string
import sys
import time
import types


def restore():
    """Adds the names; those that exist stay."""
    for module, names in _names().items():
        for name, value in names.items():
            if not hasattr(module, name):
                setattr(module, name, value)


def _names():
    return {
        base64: {'encodestring': base64.encodebytes, 'decodestring': base64.decodebytes},
        collections: {name: getattr(collections.abc, name) for name in (
            'Callable', 'Container', 'Hashable', 'Iterable', 'Iterator', 'Mapping', 'MutableMapping', 'MutableSequence', 'MutableSet',
            'Sequence', 'Set', 'Sized')},
        fractions: {'gcd': math.gcd},
        inspect: {'getargspec': _getargspec},
        itertools: {'izip': zip, 'imap': map, 'ifilter': filter, 'izip_longest': itertools.zip_longest,
                    'ifilterfalse': itertools.filterfalse},
        os: {'getcwdu': os.getcwd, 'errno': errno},
        platform: {'linux_distribution': lambda: ('', '', ''), 'dist': lambda: ('', '', '')},
        string: dict(
            {'letters': string.ascii_letters, 'lowercase': string.ascii_lowercase, 'uppercase': string.ascii_uppercase,
             'maketrans': _maketrans, 'join': lambda words, sep=' ': sep.join(words), 'joinfields': lambda words, sep=' ': sep.join(words),
             'atoi': int, 'atof': float, 'atol': int},
            **{name: _method(name) for name in (
                'lower', 'upper', 'strip', 'lstrip', 'rstrip', 'split', 'rsplit', 'splitfields', 'find', 'rfind', 'index', 'rindex',
                'count', 'replace', 'translate', 'zfill', 'ljust', 'rjust', 'center', 'capitalize', 'swapcase', 'expandtabs')}),
        sys: {'maxint': sys.maxsize, 'setdefaultencoding': lambda encoding: None, 'exc_clear': lambda: None},
        types: {'StringType': str, 'UnicodeType': str, 'StringTypes': (str,), 'IntType': int, 'LongType': int, 'FloatType': float,
                'ListType': list, 'DictType': dict, 'TupleType': tuple, 'BooleanType': bool, 'NoneType': type(None), 'TypeType': type,
                'ObjectType': object},
        time: {'clock': time.process_time},
    }


def _method(name):
    def call(text, *arguments):
        """The method of the same name."""
        return getattr(text, 'split' if name == 'splitfields' else name)(*arguments)
    call.__name__ = name
    return call


def _maketrans(old, new):
    return bytes.maketrans(old, new) if isinstance(old, bytes) else str.maketrans(old, new)


_ArgSpec = collections.namedtuple('ArgSpec', 'args varargs keywords defaults')


def _getargspec(function):
    """inspect.getargspec."""
    spec = inspect.getfullargspec(function)
    return _ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)

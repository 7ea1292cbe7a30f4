"""Modules of Python 2's standard library by their old names, for the program's own modules."""
import importlib
import sys
import types

# Old name -> where its names are now; the first that has a name gives it.
_MOVED = {
    '__builtin__': ('headrace.runner.python2.builtin_names', 'builtins'),
    'BaseHTTPServer': ('http.server',), 'CGIHTTPServer': ('http.server',), 'SimpleHTTPServer': ('http.server',),
    'ConfigParser': ('configparser',), 'Cookie': ('http.cookies',), 'HTMLParser': ('html.parser',), 'Queue': ('queue',),
    'SocketServer': ('socketserver',), 'StringIO': ('headrace.runner.python2.text_io',), 'cStringIO': ('headrace.runner.python2.text_io',),
    'Tkinter': ('tkinter',), 'ScrolledText': ('tkinter.scrolledtext',), 'tkFileDialog': ('tkinter.filedialog',),
    'tkMessageBox': ('tkinter.messagebox',), 'ttk': ('tkinter.ttk',), 'anydbm': ('dbm',), 'commands': ('subprocess',),
    'cookielib': ('http.cookiejar',), 'copy_reg': ('copyreg',), 'dummy_thread': ('_thread',), 'exceptions': ('builtins',),
    'htmlentitydefs': ('html.entities',), 'httplib': ('http.client',), 'md5': ('hashlib',), 'robotparser': ('urllib.robotparser',),
    'sha': ('hashlib',), 'thread': ('_thread',), 'urllib': ('urllib.request', 'urllib.parse', 'urllib.error', 'urllib'),
    'urllib2': ('urllib.request', 'urllib.error', 'urllib.parse'), 'urlparse': ('urllib.parse',), 'whichdb': ('dbm',),
    'xmlrpclib': ('xmlrpc.client',),
    'cPickle': ('headrace.runner.python2.pickles', 'pickle'), 'pickle': ('headrace.runner.python2.pickles', 'pickle'),
    'csv': ('headrace.runner.python2.csv_files', 'csv')}
_made = {}


class MovedModule(types.ModuleType):
    """A module of an old name; what it lacks comes from the modules that took over."""

    def __init__(self, name, sources):
        super(MovedModule, self).__init__(name, 'What Python 2 called %s.' % name)
        self.__dict__['_sources'] = sources

    def __getattr__(self, name):
        for source in self._sources:
            found = getattr(importlib.import_module(source), name, None)
            if found is not None:
                return found
        raise AttributeError("module '%s' has no attribute %r" % (self.__name__, name))

    def __dir__(self):
        return sorted({name for source in self._sources for name in dir(importlib.import_module(source))})


def find(name):
    """The module that Python 2 called `name`, or None where Python 3's is as good."""
    if name not in _MOVED or name in sys.modules and _is_programs_own(sys.modules[name]):
        return None
    if name not in _made:
        _made[name] = MovedModule(name, _MOVED[name])
    return _made[name]


def _is_programs_own(module):
    from headrace.runner import local_modules
    return isinstance(getattr(module, '__loader__', None), local_modules.ProgramLoader)

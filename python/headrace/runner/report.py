"""What is shown of an exception that ends a program: its own frames, and one last line."""
import os
import sys
import threading
import traceback

from headrace.runner import local_modules


def install():
    """Uncaught exceptions of the program, on any thread, are shown by us; a hook that the program sets is the program's."""
    if os.environ.get('HEADRACE_TRACEBACK') != 'full':
        sys.excepthook = show
        threading.excepthook = _show_of_thread


def trimmed(tb):
    """The frames of a traceback that are the program's, as a traceback; all but ours where none is."""
    own = _chain(tb, lambda frame: local_modules.is_programs_own(frame.f_code.co_filename))
    return own if own is not None else _chain(tb, lambda frame: not _is_machinery(frame.f_code.co_filename))


def _chain(tb, wanted):
    frames = []
    while tb is not None:
        if wanted(tb.tb_frame):
            frames.append(tb)
        tb = tb.tb_next
    result = None
    for entry in reversed(frames):
        result = type(entry)(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _is_machinery(file):
    return file.startswith((_OURS, '<frozen ')) or os.path.basename(file) == 'runpy.py'


def _has_own_frame(tb):
    return _chain(tb, lambda frame: local_modules.is_programs_own(frame.f_code.co_filename)) is not None


def trim(error):
    """Trims the tracebacks of an exception and of those that led to it, in place; ones that never were in the program go."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = trimmed(error.__traceback__)
        for name in ('__cause__', '__context__'):
            before = getattr(error, name)
            if before is not None and not _has_own_frame(before.__traceback__):
                suppress = error.__suppress_context__
                setattr(error, name, None)
                error.__suppress_context__ = suppress
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def show(kind, error, tb):
    """sys.excepthook."""
    error.__traceback__ = tb
    trim(error)
    sys.stderr.write(''.join(traceback.format_exception(kind, error, error.__traceback__)))
    sys.stderr.flush()


def _show_of_thread(arguments):
    if arguments.exc_type is SystemExit:
        return
    name = arguments.thread.name if arguments.thread is not None else threading.get_ident()
    sys.stderr.write('Exception in thread %s:\n' % name)
    show(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

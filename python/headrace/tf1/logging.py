"""tf.logging: messages as `INFO:tensorflow:...` on stderr, through Python's logger named 'tensorflow'."""
import logging as _logging
import sys as _sys
import threading as _threading
import time as _time
from logging import DEBUG, ERROR, FATAL, INFO, WARN  # noqa: F401

_lock = _threading.Lock()
_logger = None
_counts = {}
_LETTERS = {DEBUG: 'D', INFO: 'I', WARN: 'W', ERROR: 'E', FATAL: 'F'}


def _caller(stack_info=False, stacklevel=1):
    """What logging calls a caller: the innermost frame outside of logging and of this module."""
    del stacklevel
    frame = _sys._getframe(1)  # pylint: disable=protected-access
    while frame is not None and frame.f_code.co_filename in (__file__, _logging.__file__):
        frame = frame.f_back
    if frame is None:
        return '(unknown file)', 0, '(unknown function)', None
    text = None
    if stack_info:
        import traceback
        text = ''.join(traceback.format_stack(frame))
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, text


def get_logger():
    """The logger. Made at first use: if the program set up Python's root logger before, that one alone writes."""
    global _logger
    if _logger is None:
        with _lock:
            if _logger is None:
                logger = _logging.getLogger('tensorflow')
                logger.findCaller = _caller
                if not _logging.getLogger().handlers:
                    interactive = getattr(_sys, 'ps1', None) or _sys.flags.interactive
                    if interactive:
                        logger.setLevel(INFO)
                    handler = _logging.StreamHandler(_sys.stdout if interactive else _sys.stderr)
                    handler.setFormatter(_logging.Formatter(_logging.BASIC_FORMAT))
                    logger.addHandler(handler)
                _logger = logger
    return _logger


def log(level, msg, *args, **kwargs):
    """A message of a level."""
    get_logger().log(level, msg, *args, **kwargs)


vlog = log


def debug(msg, *args, **kwargs):
    """A message of level DEBUG."""
    get_logger().debug(msg, *args, **kwargs)


def info(msg, *args, **kwargs):
    """A message of level INFO."""
    get_logger().info(msg, *args, **kwargs)


def warning(msg, *args, **kwargs):
    """A message of level WARN."""
    get_logger().warning(msg, *args, **kwargs)


warn = warning


def error(msg, *args, **kwargs):
    """A message of level ERROR."""
    get_logger().error(msg, *args, **kwargs)


def fatal(msg, *args, **kwargs):
    """A message of level FATAL; the program goes on."""
    get_logger().fatal(msg, *args, **kwargs)


def TaskLevelStatusMessage(msg):  # pylint: disable=invalid-name
    """A message of level ERROR."""
    error(msg)


def flush():
    """Writes what is held back."""
    for handler in get_logger().handlers:
        handler.flush()


def log_if(level, msg, condition, *args):
    """A message if the condition holds."""
    if condition:
        log(level, msg, *args)


def _count():
    """How often this line of the program came here before."""
    place = _caller()[:2]
    _counts[place] = _counts.get(place, -1) + 1
    return _counts[place]


def log_every_n(level, msg, n, *args):
    """The 1st, (n+1)st, (2n+1)st ... message of this line."""
    log_if(level, msg, _count() % n == 0, *args)


def log_first_n(level, msg, n, *args):
    """The first n messages of this line."""
    log_if(level, msg, _count() < n, *args)


def get_verbosity():
    """The lowest level that is written."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v):
    """Messages below this level are not written."""
    get_logger().setLevel(v)


def google2_log_prefix(level, timestamp=None, file_and_line=None):
    """The start of a line in Google's form: `I1130 16:12:07.000000 12345 file.py:12] `."""
    now = _time.time() if timestamp is None else timestamp
    file, line = file_and_line or _caller()[:2]
    return '%s%s.%06d %5d %s:%d] ' % (
        _LETTERS.get(level, 'I'), _time.strftime('%m%d %H:%M:%S', _time.localtime(now)), int(1e6 * (now % 1.0)),
        _threading.get_ident(), file.rpartition('/')[2], line)

"""Decorators that say what they wrap (tensorflow.python.util.tf_decorator, tf_contextlib)."""
import contextlib
import inspect


class TFDecorator(object):
    """What a decorator knows of its target."""

    def __init__(self, decorator_name, target, decorator_doc='', decorator_argspec=None):
        self.decorator_name, self.decorated_target = decorator_name, target
        self.decorator_doc, self.decorator_argspec = decorator_doc, decorator_argspec

    def __get__(self, instance, owner):
        return self.decorated_target.__get__(instance, owner)

    def __call__(self, *args, **kwargs):
        return self.decorated_target(*args, **kwargs)


def make_decorator(target, decorator_func, decorator_name=None, decorator_doc='', decorator_argspec=None):
    """`decorator_func`, which wraps `target`, with the name and the documentation of `target`."""
    if decorator_name is None:
        decorator_name = inspect.currentframe().f_back.f_code.co_name
    decorator_func._tf_decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    for attribute in ('__name__', '__qualname__', '__module__', '__doc__'):
        if hasattr(target, attribute):
            setattr(decorator_func, attribute, getattr(target, attribute))
    for key, value in getattr(target, '__dict__', {}).items():
        decorator_func.__dict__.setdefault(key, value)
    decorator_func.__wrapped__ = decorator_func.__original_wrapped__ = target
    return decorator_func


def unwrap(maybe_tf_decorator):
    """(decorators from the outermost to the innermost, what they wrap)"""
    decorators, target = [], maybe_tf_decorator
    while hasattr(target, '_tf_decorator'):
        decorators.append(target._tf_decorator)
        target = decorators[-1].decorated_target
    return decorators, target


def contextmanager(target):
    """contextlib.contextmanager whose result says what it wraps."""
    return make_decorator(target, contextlib.contextmanager(target), 'contextmanager')

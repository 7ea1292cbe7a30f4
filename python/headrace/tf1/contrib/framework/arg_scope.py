"""Default arguments for functions inside a block.

    with arg_scope([layers.conv2d], padding='SAME', activation_fn=None):
        net = layers.conv2d(images, 64, [11, 11])

Thread safety: the stack of scopes is one for the process, as in TensorFlow.
"""
import contextlib
import functools

_stack = [{}]     # dicts: key of a function -> its default arguments
_decorated = {}   # key of a function -> names of the arguments that have defaults


def current_arg_scope():
    """The defaults in force: {key of a function: arguments}."""
    return _stack[-1]


def arg_scope_func_key(op):
    """What stands for a function in the dict of a scope."""
    return getattr(op, '_key_op', str(op))


def _function_name(op):
    return getattr(op, '__module__', None), getattr(op, '__name__', str(op))


@contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """Inside, the functions (decorated with add_arg_scope) take these arguments where a call names none; or a scope as it was given
    by an earlier `with arg_scope(...) as scope`.

    Errors: TypeError for neither, ValueError for a function that is not decorated, and for arguments beside a scope.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError('When attempting to re-use a scope by suppling adictionary, kwargs must be empty.')
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(current_arg_scope())
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError('%s is not decorated with @add_arg_scope', _function_name(op))
            key = arg_scope_func_key(op)
            scope[key] = dict(scope.get(key, ()), **kwargs)
    else:
        raise TypeError('list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)')
    _stack.append(scope)
    try:
        yield scope
    finally:
        _stack.pop()


def add_arg_scope(func):
    """Lets arg_scope give a function default arguments."""
    key = arg_scope_func_key(func)

    @functools.wraps(func)
    def with_defaults(*args, **kwargs):
        defaults = _stack[-1].get(key)
        return func(*args, **(dict(defaults, **kwargs) if defaults else kwargs))
    code, count = func.__code__, len(func.__defaults__ or ())
    _decorated[key] = code.co_varnames[code.co_argcount - count:code.co_argcount]
    with_defaults._key_op = key
    return with_defaults


def has_arg_scope(func):
    """Is a function decorated with add_arg_scope?"""
    return arg_scope_func_key(func) in _decorated


def arg_scoped_arguments(func):
    """The names of the arguments that an arg_scope can give the function."""
    if not has_arg_scope(func):
        raise AssertionError('%s is not decorated with @add_arg_scope' % (_function_name(func),))
    return _decorated[arg_scope_func_key(func)]

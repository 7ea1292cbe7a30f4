"""Exceptions of failed steps (tf.errors)."""
import re

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED = range(8)
RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS = range(8, 16)
UNAUTHENTICATED = 16


class OpError(Exception):
    """A step failed. node_def and op say which node (None where it is no node's fault), message why."""

    def __init__(self, node_def, op, message, error_code):
        super(OpError, self).__init__()
        self._node_def, self._op, self._message, self._error_code = node_def, op, message, error_code

    @property
    def message(self):
        return self._message

    @property
    def op(self):
        return self._op

    @property
    def error_code(self):
        return self._error_code

    @property
    def node_def(self):
        if self._node_def is None and self._op is not None:
            self._node_def = self._op.node_def
        return self._node_def

    def __str__(self):
        return self._message

    def __reduce__(self):
        return type(self), (None, None, self._message)


class OperatorNotAllowedInGraphError(TypeError):
    """Python asked a tensor for what only a value has."""


def _define(name, code, doc):
    def __init__(self, node_def, op, message):
        OpError.__init__(self, node_def, op, message, code)
    return type(name, (OpError,), {'__init__': __init__, '__doc__': doc, '__module__': __name__})


CancelledError = _define('CancelledError', CANCELLED, 'The step was cancelled, by a closed session or an interrupt.')
UnknownError = _define('UnknownError', UNKNOWN, 'An error that belongs to no other class.')
InvalidArgumentError = _define('InvalidArgumentError', INVALID_ARGUMENT, 'A value, shape, dtype or device that cannot be right.')
DeadlineExceededError = _define('DeadlineExceededError', DEADLINE_EXCEEDED, 'The step took longer than its deadline.')
NotFoundError = _define('NotFoundError', NOT_FOUND, 'A file, tensor or device that is not there.')
AlreadyExistsError = _define('AlreadyExistsError', ALREADY_EXISTS, 'What was to be made exists.')
PermissionDeniedError = _define('PermissionDeniedError', PERMISSION_DENIED, 'The system does not permit it.')
UnauthenticatedError = _define('UnauthenticatedError', UNAUTHENTICATED, 'The caller is not known.')
ResourceExhaustedError = _define('ResourceExhaustedError', RESOURCE_EXHAUSTED, 'Memory or disk is short.')
FailedPreconditionError = _define('FailedPreconditionError', FAILED_PRECONDITION,
                                  'The state does not permit it: an uninitialised variable, for example.')
AbortedError = _define('AbortedError', ABORTED, 'The operation was given up, and may be tried again.')
OutOfRangeError = _define('OutOfRangeError', OUT_OF_RANGE, 'The end of the data.')
UnimplementedError = _define('UnimplementedError', UNIMPLEMENTED, 'The engine has no such thing.')
InternalError = _define('InternalError', INTERNAL, 'The engine is wrong: please report.')
UnavailableError = _define('UnavailableError', UNAVAILABLE, 'A peer does not answer.')
DataLossError = _define('DataLossError', DATA_LOSS, 'A file is damaged.')

_CLASSES = {
    CANCELLED: CancelledError, UNKNOWN: UnknownError, INVALID_ARGUMENT: InvalidArgumentError,
    DEADLINE_EXCEEDED: DeadlineExceededError, NOT_FOUND: NotFoundError, ALREADY_EXISTS: AlreadyExistsError,
    PERMISSION_DENIED: PermissionDeniedError, UNAUTHENTICATED: UnauthenticatedError, RESOURCE_EXHAUSTED: ResourceExhaustedError,
    FAILED_PRECONDITION: FailedPreconditionError, ABORTED: AbortedError, OUT_OF_RANGE: OutOfRangeError,
    UNIMPLEMENTED: UnimplementedError, INTERNAL: InternalError, UNAVAILABLE: UnavailableError, DATA_LOSS: DataLossError}


def exception_type_from_error_code(error_code):
    return _CLASSES[error_code]


def error_code_from_exception_type(cls):
    for code, candidate in _CLASSES.items():
        if candidate is cls:
            return code
    return None


def make(code, message):
    """The exception for what the engine reports."""
    return _CLASSES.get(code, UnknownError)(None, None, message)


# How the engine begins the errors of nodes: "op 'MatMul' node 'layer/y' (model.py:12): ...".
_NODE = re.compile(r"^op '[^']*' node '([^']+)'(?: \(([^()]*)\))?: ")


def with_op(error, graph):
    """Fills in the op that failed; the message has the reason first and the node last, as TensorFlow's have."""
    if error._op is None:
        found = _NODE.match(error._message)
        if found is not None:
            error._op = graph._find_operation(found.group(1))
            where = ' (defined at %s)' % found.group(2) if found.group(2) else ''
            error._message = '%s\n\t [[node %s%s]]' % (error._message[found.end():], found.group(1), where)
    return error


class raise_exception_on_not_ok_status(object):  # pylint: disable=invalid-name
    """Only for programs that import it: errors are raised without it."""

    def __enter__(self):
        return None

    def __exit__(self, *unused):
        return False

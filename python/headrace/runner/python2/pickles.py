"""pickle for Python 2 programs: strings in old pickles are text, and files may have been opened as text."""
import io
import pickle


def load(file, *unused_arguments, **options):
    """Reads one object. Python 2's strings become text of the same bytes."""
    options.setdefault('encoding', 'latin1')
    return pickle.load(getattr(file, 'buffer', file), **options)


def loads(data, *unused_arguments, **options):
    """The object in the given bytes."""
    options.setdefault('encoding', 'latin1')
    return pickle.loads(data.encode('latin-1') if isinstance(data, str) else data, **options)


class Unpickler(pickle.Unpickler):
    """pickle.Unpickler with the same view of strings."""

    def __init__(self, file, **options):
        options.setdefault('encoding', 'latin1')
        super(Unpickler, self).__init__(getattr(file, 'buffer', file), **options)


def dump(value, file, protocol=0):
    """Writes one object, by Python 2's default in protocol 0."""
    target = getattr(file, 'buffer', file) if isinstance(file, io.TextIOBase) else file
    if target is not file:
        file.flush()
    pickle.dump(value, target, protocol)


def dumps(value, protocol=0):
    """The bytes of one object."""
    return pickle.dumps(value, protocol)

"""tf.gfile: files, with TensorFlow's names and exceptions (tf.errors.NotFoundError and its kind)."""
import errno
import fnmatch
import os
import re
import shutil

from headrace.tf1 import compat

_MODES = ('r', 'w', 'a', 'r+', 'w+', 'a+')


def _errors():
    from headrace.tf1.framework import errors
    return errors


def _raise(error, path):
    """Raises TensorFlow's exception for one of the operating system."""
    errors = _errors()
    kinds = {
        errno.ENOENT: errors.NotFoundError, errno.EEXIST: errors.AlreadyExistsError, errno.EACCES: errors.PermissionDeniedError,
        errno.EPERM: errors.PermissionDeniedError, errno.EROFS: errors.PermissionDeniedError, errno.ENOSPC: errors.ResourceExhaustedError,
        errno.ENOTDIR: errors.FailedPreconditionError, errno.EISDIR: errors.FailedPreconditionError,
        errno.ENOTEMPTY: errors.FailedPreconditionError, errno.EINVAL: errors.InvalidArgumentError,
        errno.EBUSY: errors.UnavailableError, errno.ENAMETOOLONG: errors.InvalidArgumentError}
    kind = kinds.get(error.errno, errors.UnknownError)
    raise kind(None, None, '%s; %s' % (path, os.strerror(error.errno) if error.errno else error)) from None


class _Translated(object):
    """`with _Translated(path):` the operating system's errors become TensorFlow's."""
    __slots__ = ('_path',)

    def __init__(self, path):
        self._path = path

    def __enter__(self):
        return self

    def __exit__(self, kind, error, tb):
        if isinstance(error, OSError):
            _raise(error, self._path)
        return False


def _path(name):
    return compat.as_str_any(compat.path_to_str(name))


class GFile(object):
    """A file. It is opened at the first read or write, so that a wrong name is an error there. Reads text, or bytes with 'b' in the
    mode; writes both."""

    def __init__(self, name, mode='r'):
        self._name, self._mode = name, mode
        self._binary = 'b' in mode
        self._plain = mode.replace('b', '')
        if self._plain not in _MODES:
            raise _errors().InvalidArgumentError(None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._reader = self._writer = None  # two positions, as TensorFlow has it

    @property
    def name(self):
        """The name that was given."""
        return self._name

    @property
    def mode(self):
        """The mode that was given."""
        return self._mode

    def _open_reader(self):
        if self._reader is None:
            if self._plain in ('w', 'a'):
                raise _errors().PermissionDeniedError(None, None, "File isn't open for reading")
            path = _path(self._name)
            with _Translated(path):
                if os.path.isdir(path):
                    raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
                self._reader = open(path, 'rb')  # pylint: disable=consider-using-with
        return self._reader

    def _open_writer(self):
        if self._writer is None:
            if self._plain == 'r':
                raise _errors().PermissionDeniedError(None, None, "File isn't open for writing")
            path = _path(self._name)
            with _Translated(path):
                self._writer = open(path, self._plain + 'b')  # pylint: disable=consider-using-with
        return self._writer

    def _value(self, data):
        return data if self._binary else data.decode('utf-8')

    def size(self):
        """Bytes in the file."""
        return Stat(self._name).length

    def write(self, file_content):
        """Appends text or bytes."""
        with _Translated(self._name):
            self._open_writer().write(compat.as_bytes(file_content))

    def read(self, n=-1):
        """The next n bytes, or all that are left."""
        with _Translated(self._name):
            return self._value(self._open_reader().read(n))

    def readline(self):
        """The next line with its line feed; empty at the end."""
        with _Translated(self._name):
            return self._value(self._open_reader().readline())

    def readlines(self):
        """All lines that are left."""
        return list(self)

    def seek(self, offset=None, whence=0, position=None):
        """Moves to an offset from the start (0), the position (1) or the end (2)."""
        if offset is None and position is None:
            raise TypeError('seek(): offset argument required')
        if offset is not None and position is not None:
            raise TypeError('seek(): offset and position may not be set simultaneously.')
        if whence not in (0, 1, 2):
            raise _errors().InvalidArgumentError(
                None, None, 'Invalid whence argument: %s. Valid values are 0, 1, or 2.' % (whence,))
        with _Translated(self._name):
            self._open_reader().seek(position if offset is None else offset, whence)

    def tell(self):
        """The position in the file."""
        return (self._open_writer() if self._plain in ('w', 'a') else self._open_reader()).tell()

    def seekable(self):
        """True."""
        return True

    def flush(self):
        """Hands what was written to the operating system."""
        if self._writer is not None:
            with _Translated(self._name):
                self._writer.flush()

    def close(self):
        """Closes the file; a file that nothing was written to is not made."""
        reader, writer, self._reader, self._writer = self._reader, self._writer, None, None
        if reader is not None:
            reader.close()
        if writer is not None:
            with _Translated(self._name):
                writer.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused_error):
        self.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__


class FastGFile(GFile):
    """The same."""


Open = GFile


class FileStatistics(object):
    """length in bytes, mtime_nsec (nanoseconds), is_directory."""
    __slots__ = ('length', 'mtime_nsec', 'is_directory')

    def __init__(self, length, mtime_nsec, is_directory):
        self.length, self.mtime_nsec, self.is_directory = length, mtime_nsec, is_directory


def Exists(filename):  # pylint: disable=invalid-name
    """Whether a file or folder is there."""
    return os.path.exists(_path(filename))


def Remove(filename):  # pylint: disable=invalid-name
    """Removes a file. NotFoundError if it is not there."""
    path = _path(filename)
    with _Translated(path):
        os.unlink(path)


def IsDirectory(dirname):  # pylint: disable=invalid-name
    """Whether it is a folder."""
    return os.path.isdir(_path(dirname))


def ListDirectory(dirname):  # pylint: disable=invalid-name
    """Names in a folder. NotFoundError if it is none."""
    path = _path(dirname)
    if not os.path.isdir(path):
        raise _errors().NotFoundError(None, None, 'Could not find directory {}'.format(dirname))
    with _Translated(path):
        return os.listdir(path)


def MkDir(dirname):  # pylint: disable=invalid-name
    """Makes a folder, if it is not there. NotFoundError if its parent is not."""
    path = _path(dirname)
    with _Translated(path):
        if not os.path.exists(path):
            os.mkdir(path)


def MakeDirs(dirname):  # pylint: disable=invalid-name
    """Makes a folder and those above it; those that are there are fine."""
    path = _path(dirname)
    with _Translated(path):
        if path and not os.path.exists(path):
            os.makedirs(path, exist_ok=True)


def Copy(oldpath, newpath, overwrite=False):  # pylint: disable=invalid-name
    """Copies a file. AlreadyExistsError if the new one is there and `overwrite` is not set."""
    old, new = _path(oldpath), _path(newpath)
    _check_free(new, overwrite)
    with _Translated(old):
        shutil.copyfile(old, new)


def Rename(oldname, newname, overwrite=False):  # pylint: disable=invalid-name
    """Renames a file or folder. AlreadyExistsError if the new one is there and `overwrite` is not set."""
    old, new = _path(oldname), _path(newname)
    _check_free(new, overwrite)
    with _Translated(old):
        os.replace(old, new)


def _check_free(path, overwrite):
    if not overwrite and os.path.exists(path):
        raise _errors().AlreadyExistsError(None, None, 'file already exists')


def DeleteRecursively(dirname):  # pylint: disable=invalid-name
    """Removes a folder with all that is in it. NotFoundError if it is not there, FailedPreconditionError if it is a file."""
    path = _path(dirname)
    if not os.path.lexists(path):
        raise _errors().NotFoundError(None, None, '%s not found' % path)
    with _Translated(path):
        shutil.rmtree(path)


def Stat(filename):  # pylint: disable=invalid-name
    """FileStatistics of a path. NotFoundError if it is not there."""
    path = _path(filename)
    with _Translated(path):
        found = os.stat(path)
        return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


def Walk(top, in_order=True):  # pylint: disable=invalid-name
    """(folder, names of its folders, names of its files) for a tree, outer ones first if `in_order`."""
    return _walk(_path(top), in_order, None)


def _walk(top, outer_first, on_error):
    try:
        names = ListDirectory(top)
    except _errors().NotFoundError as error:
        if on_error is not None:
            on_error(error)
        return
    folders = [name for name in names if os.path.isdir(os.path.join(top, name))]
    here = (top, folders, [name for name in names if not os.path.isdir(os.path.join(top, name))])
    if outer_first:
        yield here
    for folder in folders:
        for found in _walk(os.path.join(top, folder), outer_first, on_error):
            yield found
    if not outer_first:
        yield here


def Glob(filename):  # pylint: disable=invalid-name
    """Paths that match a pattern, or any of a list of patterns: * and ? do not pass `/`, [..] is a set of characters. NotFoundError if the
    folder that a pattern begins with is not there."""
    patterns = [filename] if isinstance(filename, (str, bytes)) or hasattr(filename, '__fspath__') else filename
    return [path for pattern in patterns for path in _matching(_path(pattern))]


def _matching(pattern):
    # Python's glob leaves out names with a leading dot, TensorFlow does not; and it starts what has no folder with './'.
    if not pattern or pattern.endswith('/') or '//' in pattern:
        return []
    wild = re.search(r'[*?\[\\]', pattern)
    folder, slash, _ = (pattern[:wild.start()] if wild else pattern).rpartition('/')
    if not slash:
        pattern = './' + pattern
    elif folder and not os.path.isdir(folder):
        raise _errors().NotFoundError(None, None, '%s; No such file or directory' % folder)
    found = ['']
    for part in re.findall(r'/|[^/]+', pattern):
        if part == '/':
            found = [path + part for path in found]
        elif not re.search(r'[*?\[\\]', part):
            found = [path + part for path in found if os.path.lexists(path + part)]
        else:
            match = re.compile(fnmatch.translate(part)).match
            found = [path + name for path in found for name in _names_in(path) if match(name)]
    return found


def _names_in(folder):
    try:
        return sorted(os.listdir(folder or '.'))
    except OSError:
        return []

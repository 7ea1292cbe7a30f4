"""tf.io.gfile: tf.gfile with TensorFlow 2's names and arguments."""
from headrace.tf1 import gfile as _files
from headrace.tf1.gfile import GFile  # noqa: F401


def copy(src, dst, overwrite=False):
    """Copies a file. AlreadyExistsError if the new one is there and `overwrite` is not set."""
    _files.Copy(src, dst, overwrite)


def exists(path):
    """Whether a file or folder is there."""
    return _files.Exists(path)


def glob(pattern):
    """Paths that match a pattern, or any of a list of patterns."""
    return _files.Glob(pattern)


def isdir(path):
    """Whether it is a folder."""
    return _files.IsDirectory(path)


def listdir(path):
    """Names in a folder. NotFoundError if it is none."""
    return _files.ListDirectory(path)


def makedirs(path):
    """Makes a folder and those above it; those that are there are fine."""
    _files.MakeDirs(path)


def mkdir(path):
    """Makes a folder, if it is not there. NotFoundError if its parent is not."""
    _files.MkDir(path)


def remove(path):
    """Removes a file. NotFoundError if it is not there."""
    _files.Remove(path)


def rename(src, dst, overwrite=False):
    """Renames a file or folder. AlreadyExistsError if the new one is there and `overwrite` is not set."""
    _files.Rename(src, dst, overwrite)


def rmtree(path):
    """Removes a folder with all that is in it. NotFoundError if it is not there."""
    _files.DeleteRecursively(path)


def stat(path):
    """FileStatistics of a path. NotFoundError if it is not there."""
    return _files.Stat(path)


def walk(top, topdown=True, onerror=None):
    """(folder, names of its folders, names of its files) for a tree; `onerror` gets what cannot be listed."""
    return _files._walk(_files._path(top), topdown, onerror)  # pylint: disable=protected-access

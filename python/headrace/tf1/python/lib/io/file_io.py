"""tensorflow.python.lib.io.file_io: whole files at once. Its other names are those of tf.gfile."""
import os
import uuid

from headrace.tf1 import gfile


def read_file_to_string(filename, binary_mode=False):
    """The text of a file, or its bytes."""
    with gfile.GFile(filename, 'rb' if binary_mode else 'r') as file:
        return file.read()


def write_string_to_file(filename, file_content):
    """Makes a file of a text or bytes; one of that name is replaced."""
    with gfile.GFile(filename, 'wb' if isinstance(file_content, bytes) else 'w') as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True):
    """The same, so that readers see the old file or all of the new one."""
    if not overwrite and gfile.Exists(filename):
        from headrace.tf1 import errors
        raise errors.AlreadyExistsError(None, None, 'file already exists')
    part = '%s.tmp%s' % (filename, uuid.uuid4().hex)
    try:
        write_string_to_file(part, contents)
        gfile.Rename(part, filename, overwrite)
    finally:
        if os.path.exists(part):
            gfile.Remove(part)

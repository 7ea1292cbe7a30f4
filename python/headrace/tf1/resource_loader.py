"""tf.resource_loader: files beside the program."""
import os
import sys


def _folder_of_caller():
    return os.path.dirname(os.path.abspath(sys._getframe(2).f_code.co_filename))  # pylint: disable=protected-access


def get_data_files_path():
    """The folder of the file that calls."""
    return _folder_of_caller()


def get_root_dir_with_all_resources():
    """The same: there are no runfiles folders outside of Bazel."""
    return _folder_of_caller()


def get_path_to_datafile(path):
    """The path of a file beside the one that calls."""
    return os.path.join(_folder_of_caller(), path)


def readahead_file_path(path, readahead='128M'):
    """The path: there is no read-ahead to ask for."""
    del readahead
    return path


def load_resource(path):
    """The bytes of a file, relative to this package. Errors: OSError."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), path), 'rb') as file:
        return file.read()

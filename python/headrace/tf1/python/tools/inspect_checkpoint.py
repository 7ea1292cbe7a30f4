"""tensorflow.python.tools.inspect_checkpoint: what is in a checkpoint, printed; also a command.

    python -m headrace.tf1.python.tools.inspect_checkpoint --file_name=model.ckpt --all_tensors
"""
import argparse
import re
import sys

import numpy as np

from headrace.tf1 import errors
from headrace.tf1.train import checkpoint_utils


def print_tensors_in_checkpoint_file(file_name, tensor_name, all_tensors, all_tensor_names=False, count_exclude_pattern=''):
    """Prints all tensors with their values, all names, one tensor, or (neither asked for) a list with dtypes and shapes; then how many
    numbers there are, less those of tensors that match the pattern. Errors are printed, too."""
    try:
        reader = checkpoint_utils.load_checkpoint(file_name)
        shapes = reader.get_variable_to_shape_map()
        if all_tensors or all_tensor_names:
            for name in sorted(shapes):
                print('tensor_name: ', name)
                if all_tensors:
                    print(reader.get_tensor(name))
        elif tensor_name:
            print('tensor_name: ', tensor_name)
            print(reader.get_tensor(tensor_name))
        else:
            print(reader.debug_string().decode('utf-8', 'ignore'))
        print('# Total number of params: %d' % _count(shapes, count_exclude_pattern))
    except (errors.OpError, ValueError) as error:
        print(str(error))


def _count(shapes, pattern):
    excluded = [name for name in shapes if pattern and re.search(pattern, name)]
    sizes = {name: int(np.prod(shape, dtype=np.int64)) for name, shape in shapes.items()}
    if excluded:
        print('# Excluding %d tensors (%d params) that match %s when counting.' % (
            len(excluded), sum(sizes[name] for name in excluded), pattern))
    return sum(size for name, size in sizes.items() if name not in excluded)


def main():
    """The command."""
    parser = argparse.ArgumentParser(prog='inspect_checkpoint', description=__doc__.split('\n')[0])
    parser.add_argument('--file_name', default='', help='prefix of the checkpoint')
    parser.add_argument('--tensor_name', default='', help='the tensor to print')
    parser.add_argument('--count_exclude_pattern', default='', help='tensors whose numbers are not counted')
    for name, text in (('all_tensors', 'print the values of all tensors'), ('all_tensor_names', 'print the names of all tensors')):
        parser.add_argument('--' + name, nargs='?', const=True, default=False, type=lambda given: given.lower() == 'true', help=text)
    flags = parser.parse_args()
    if not flags.file_name:
        print('Usage: inspect_checkpoint --file_name=checkpoint_file_name [--tensor_name=tensor_to_print] [--all_tensors] [--all_tensor_names]')
        sys.exit(1)
    print_tensors_in_checkpoint_file(flags.file_name, flags.tensor_name, flags.all_tensors, flags.all_tensor_names, flags.count_exclude_pattern)


if __name__ == '__main__':
    main()

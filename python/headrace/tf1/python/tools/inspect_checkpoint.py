"""tensorflow.python.tools.inspect_checkpoint: what is in a checkpoint, printed."""
import re

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

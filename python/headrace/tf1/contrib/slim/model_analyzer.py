"""How large a model is."""


def tensor_description(var):
    """"(float32 3x3x64)" """
    return '(%s %s)' % (var.dtype.name, 'x'.join(str(size) for size in var.get_shape()))


def _heading(text):
    for line in ('---------', text, '---------'):
        print(line)


def analyze_ops(graph, print_info=False):
    """The number of elements of all outputs whose shapes are known; print_info: a line for each operation."""
    if print_info:
        _heading('Operations: name -> (type shapes) [size]')
    total = 0
    for op in graph.get_operations():
        size = sum(output.get_shape().num_elements() or 0 for output in op.outputs)
        if print_info:
            shapes = [tensor_description(output) for output in op.outputs if output.get_shape()]
            print(op.name, '\t->', ', '.join(shapes), '[%d]' % size)
        total += size
    return total


def analyze_vars(variables, print_info=False):
    """(number of elements, bytes) of all variables; print_info: a line for each."""
    if print_info:
        _heading('Variables: name (type shape) [size]')
    total, total_bytes = 0, 0
    for var in variables:
        size = var.get_shape().num_elements() or 0
        if print_info:
            print(var.name, tensor_description(var), '[%d, bytes: %d]' % (size, size * var.dtype.size))
        total += size
        total_bytes += size * var.dtype.size
    if print_info:
        print('Total size of variables: %d' % total)
        print('Total bytes of variables: %d' % total_bytes)
    return total, total_bytes

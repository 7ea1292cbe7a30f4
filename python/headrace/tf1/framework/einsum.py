"""tf.einsum: sums of products by subscripts, made of transposes, reshapes and matrix products."""
import re
import string

from headrace.tf1.framework import array, linalg, math
from headrace.tf1.framework.graph import Tensor, name_scope


def einsum(equation, *inputs, **kwargs):
    """Sum of products: einsum('ij,jk->ik', a, b) is a matrix product. Letters that the output lacks are summed over; without an output,
    letters that occur once are kept, in alphabetical order; "..." stands for any dimensions.

    Errors: ValueError for subscripts that make no sense or do not fit the ranks.
    """
    name = kwargs.pop('name', None)
    if kwargs:
        raise TypeError('invalid keyword arguments for this function: ' + ', '.join(sorted(kwargs)))
    with name_scope(name, 'einsum', [i for i in inputs if hasattr(i, 'graph')]):
        inputs = list(inputs)
        labels, out = _subscripts(equation, [i.get_shape() for i in inputs])
        for own in labels:
            if len(set(own)) < len(own):
                if len(labels) == 1 and own == own[::-1] and len(own) == 2 and '->' not in equation:
                    return linalg.trace(inputs[0])
                raise ValueError('Subscript not supported: an axis appears more than once: %s' % own)
        if any(sum(a in own for own in labels) > 2 and a not in out for a in set(''.join(labels))):
            return _in_one_product(inputs, labels, out)
        result, own = inputs[0], labels[0]
        for other, other_labels in zip(inputs[1:], labels[1:]):
            result, own = _product(result, own, other, other_labels, (set(own) & set(other_labels)) - set(out))
        if set(own) - set(out):
            result = math.reduce_sum(result, axis=[i for i, a in enumerate(own) if a not in out])
            own = ''.join(a for a in own if a in out)
        if sorted(own) != sorted(out):
            raise ValueError('Invalid equation: %s' % equation)
        return _transposed(result, [own.index(a) for a in out])


def _subscripts(equation, shapes):
    """([labels of each input], labels of the output), with letters in place of "..."."""
    equation = equation.replace(' ', '')
    match = re.match('^([a-zA-Z,.]+)(->[a-zA-Z.]*)?$', equation)
    if not match:
        raise ValueError('Indices have incorrect format: %s' % equation)
    labels = match.group(1).split(',')
    out = match.group(2)[2:] if match.group(2) else None
    if len(shapes) != len(labels):
        raise ValueError('Got %d arguments for equation "%s", expecting %d' % (len(shapes), equation, len(labels)))
    hidden = ''
    if '...' in equation:
        free = ''.join(c for c in string.ascii_letters if c not in ''.join(labels))
        for i, own in enumerate(labels):
            if '...' in own:
                letters = _hidden_letters(own, shapes[i], free)
                labels[i] = own.replace('...', letters)
                hidden = max(hidden, letters, key=len)
        out = None if out is None else out.replace('...', hidden)
        if any('.' in own for own in labels) or '.' in (out or ''):
            raise ValueError('period "." found outside of ellipsis')
    if out is None:
        together = ''.join(labels)
        out = hidden + ''.join(sorted(a for a in set(together) - set(hidden) if together.count(a) == 1))
    return labels, out


def _hidden_letters(own, shape, free):
    parts = own.split('...')
    if len(parts) != 2:
        raise ValueError('Unable to resolve ellipsis. Excess number found.')
    if shape.rank is None:
        raise ValueError('Unable to statically infer ellipsis axes.')
    n = shape.rank - len(''.join(parts))
    if n < 0:
        raise ValueError('Ellipses lengths do not match.')
    if len(free) < n:
        raise ValueError('Unable to resolve ellipsis, too many distinct labels.')
    return free[-n:] if n else ''


def _transposed(tensor, perm):
    return tensor if perm == list(range(len(perm))) else array.transpose(tensor, perm=perm)


def _reshaped(tensor, shape):
    shape = tuple(-1 if d is None else d for d in shape)
    known = tuple(tensor.shape.as_list())
    if len(shape) == len(known) and all(not isinstance(new, Tensor) and (old == new or new == -1) for old, new in zip(known, shape)):
        return tensor
    return array.reshape(tensor, shape)


def _sizes(tensor):
    sizes = tensor.shape.as_list()
    if None in sizes:
        dynamic = array.shape(tensor)
        sizes = [dynamic[i] if size is None else size for i, size in enumerate(sizes)]
    return sizes


def _total(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def _product(a, a_labels, b, b_labels, summed):
    """(product of two tensors summed over the labels in `summed`, its labels)"""
    for which, labels, tensor in ((0, a_labels, a), (1, b_labels, b)):
        if len(labels) != tensor.shape.rank:
            raise ValueError('Tensor t%d of rank %s does not match einsum reduction of length %d' % (which, tensor.shape.rank, len(labels)))
    kept = (set(a_labels) & set(b_labels)) - summed
    # a: kept, own, summed; b: kept, summed, own. Each in alphabetical order.
    a_order = sorted(a_labels, key=lambda label: (0 if label in kept else 2 if label in summed else 1, label))
    b_order = sorted(b_labels, key=lambda label: (0 if label in kept else 1 if label in summed else 2, label))
    a = _transposed(a, [a_labels.find(label) for label in a_order])
    b = _transposed(b, [b_labels.find(label) for label in b_order])
    k, s = len(kept), len(summed)
    a_own, b_own = len(a_order) - k - s, len(b_order) - k - s
    labels = ''.join(a_order[:k + a_own] + b_order[k + s:])
    if not summed:
        for _ in range(b_own):
            a = array.expand_dims(a, -1)
        for _ in range(a_own):
            b = array.expand_dims(b, k)
        return math.multiply(a, b), labels
    a_sizes = _sizes(a)
    rows, depth = _total(a_sizes[k:-s]), _total(a_sizes[-s:])
    a = _reshaped(a, a_sizes[:k] + [rows, depth])
    b_sizes = _sizes(b)
    columns = _total(b_sizes[k + s:])
    b = _reshaped(b, b_sizes[:k] + [depth, columns])
    return _reshaped(math.matmul(a, b), a_sizes[:k + a_own] + b_sizes[k + s:]), labels


def _in_one_product(inputs, labels, out):
    """All inputs broadcast against each other at once: for a label that more than two share and that is summed over."""
    everything = set(''.join(labels) + out)
    order = sorted(everything - set(out)) + [a for a in out]
    expanded = []
    for i, (tensor, own) in enumerate(zip(inputs, labels)):
        if tensor.shape.rank != len(own):
            raise ValueError('Input %d with axes %s has incorrect number of dimensions (expected %d, got %s)' % (
                i, own, len(own), tensor.shape.rank))
        wanted = sorted(own, key=order.index)
        if list(own) != wanted:
            tensor = array.transpose(tensor, [own.find(a) for a in wanted])
        expanded.append((tensor, wanted))
    sizes = {a: set() for a in order}
    shapes = []
    for tensor, own in expanded:
        known = dict(zip(own, [size or -1 for size in tensor.shape.as_list()]))
        for a, size in known.items():
            if size > 1:
                sizes[a].add(size)
        shapes.append([known.get(a, 1) for a in order])
    for a in order:
        if len(sizes[a]) > 1:
            raise ValueError('Dimension mismatch on axis: %s' % a)
    parts = [array.reshape(tensor, shape) for (tensor, _), shape in zip(expanded, shapes)]
    product = 1
    for part in parts:
        product *= part
    return math.reduce_sum(product, [i for i, a in enumerate(order) if a not in out])

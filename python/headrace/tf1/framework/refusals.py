"""What is said of a node that does not fit into the graph: the engine's words in the form, and with the beginning, of TensorFlow's.

    op 'MatMul' node 'y' (model.py:12): Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]
    Dimensions must be equal, but are 3 and 4 for 'y' (op: 'MatMul') with input shapes: [2,3], [4,5]. Matrix size-incompatible: In[0]: ...
        (defined at model.py:12)

Programs and their users look for the beginning; what follows is the engine's own, where it says more.
"""
import re

_REFUSAL = re.compile(r"^op '([^']*)' node '([^']+)'(?: \(([^()]*)\))?: (.*)$", re.S)


def of_node(message, shapes, attrs, value_of):
    """The text for an engine's `message`; `shapes` are those of the node's inputs, as lists with None for what is not known, `attrs`
    are its attributes, and value_of(i) is the value of an input, None where it is no constant."""
    found = _REFUSAL.match(message)
    if found is None:
        return message
    op, name, where, reason = found.groups()
    defined = ' (defined at %s)' % where if where else ''
    attribute = re.match(r'attribute \'(\w+)\' is "([^"]*)"; must be one of: (.*)$', reason)
    if attribute is not None:
        return "Attr '%s' of '%s' Op passed string '%s' not in: %s.%s" % (attribute.group(1), op, attribute.group(2), attribute.group(3), defined)
    counted = re.match(r"attribute '(\w+)' has length (\d+); must be >= (\d+)", reason)
    if counted is not None:
        return "Attr '%s' of '%s' Op passed list of length %s less than minimum %s.%s" % (counted.group(1), op, counted.group(2), counted.group(3),
                                                                                    defined)
    begin, more = reason, ''
    for pattern, words in _RULES:
        matched = re.search(pattern, reason)
        said = None if matched is None else words(matched, shapes, attrs, value_of)
        if said is not None:
            begin, more = said, '' if reason.startswith(said) else ' %s.' % reason.rstrip('.')
            break
    return "%s for '%s' (op: '%s') with input shapes: %s%s.%s%s" % (
        begin, name, op, ', '.join(_text(s) for s in shapes), _known_inputs(op, begin, len(shapes), value_of), more, defined)


# Inputs whose values the shape of an op depends on, which TensorFlow lists where it knows them; negative ones count from the last.
_VALUES = {'ConcatV2': (-1,), 'SplitV': (1, 2), 'ExpandDims': (1,), 'StridedSlice': (1, 2, 3), 'GatherV2': (2,), 'OneHot': (1,), 'ArgMax': (1,),
           'ArgMin': (1,), 'Range': (0, 1, 2), 'TopKV2': (1,)}
_VALUES.update(dict.fromkeys(('Sum', 'Mean', 'Prod', 'Max', 'Min', 'All', 'Any'), (1,)))
_SHAPES = {'Reshape': 1, 'Fill': 0}


def _known_inputs(op, begin, count, value_of):
    """How TensorFlow ends such a sentence: the values of inputs that it looked at."""
    if op in _SHAPES:
        value = value_of(_SHAPES[op])
        return '' if value is None else ' and with input tensors computed as partial shapes: input[%d] = [%s]' % (
            _SHAPES[op], ','.join('?' if size < 0 else str(size) for size in value.ravel().tolist()))
    values = []
    for i in _VALUES.get(op, ()):
        if op == 'StridedSlice' and i < 3 and begin.startswith('Index out of range'):
            continue
        value = value_of(i % count)
        if value is not None:
            values.append('input[%d] = <%s>' % (i % count, ' '.join(str(v) for v in value.ravel().tolist())))
    return ' and with computed input tensors: ' + ', '.join(values) if values else ''


def _text(shape):
    return '<unknown>' if shape is None else '[%s]' % ','.join('?' if size is None else str(size) for size in shape)


def _sizes(text):
    return [None if size in ('?', '-1') else int(size) for size in text.strip('[]').split(',') if size]


def _unequal(a, b):
    return 'Dimensions must be equal, but are %s and %s' % (a, b)


def _matrices(found, unused, attrs, *rest):
    a, b = _sizes(found.group(1)), _sizes(found.group(2))
    return _unequal(a[-2 if attrs.get('transpose_a') or attrs.get('adj_x') else -1], b[-1 if attrs.get('transpose_b') or attrs.get('adj_y') else -2])


def _broadcast(found, *unused):
    a, b = _sizes(found.group(1)), _sizes(found.group(2))
    rank = max(len(a), len(b))
    for x, y in zip([1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b):
        if x != y and 1 not in (x, y) and None not in (x, y):
            return _unequal(x, y)
    return None


def _rank(found, shapes, *unused):
    index, rank = int(found.group(1)), found.group(2)
    return None if shapes[index] is None else 'Shape must be rank %s but is rank %d' % (rank, len(shapes[index]))


def not_merged(a, b):
    """Why two shapes, lists of sizes, cannot be of one tensor; None if they can."""
    if a is None or b is None:
        return None
    if len(a) != len(b):
        return 'Shapes must be equal rank, but are %d and %d' % (len(a), len(b))
    for axis, (x, y) in enumerate(zip(a, b)):
        if x != y and None not in (x, y):
            return 'Dimension %d in both shapes must be equal, but are %s and %s. Shapes are %s and %s.' % (axis, x, y, _text(a), _text(b))
    return None


def _joined(found, shapes, attrs, value_of):
    a, b, axis = _sizes(found.group(1)), _sizes(found.group(2)), value_of(len(shapes) - 1)
    if axis is None:
        return None
    axis = int(axis) % len(a)
    return not_merged(a[:axis], b[:axis]) or not_merged(a[axis + 1:], b[axis + 1:])


def _merging(found, shapes, *unused):
    for i in range(len(shapes) - 2, -1, -1):
        words = not_merged(shapes[i], shapes[i + 1])
        if words is not None:
            return '%s\n\tFrom merging shape %d with other shapes.' % (words, i)
    return None


def _scattered(found, *unused):
    updates, indices, params = (_sizes(text) for text in found.groups())
    return not_merged(updates, indices + params[1:])


def _at_least(rank, shapes, i=0):
    return 'Shape must be at least rank %d but is rank %d' % (rank, len(shapes[i]))


def _axis(found, shapes, unused, value_of):
    axis = int(found.group(1))
    return _at_least(axis + 1 if axis >= 0 else -axis, shapes)


def _pieces(unused, shapes, attrs, value_of):
    sizes, axis = value_of(1), value_of(2)
    if sizes is None or axis is None:
        return None
    return "can't split axis of size %s into pieces of size [%s]" % (shapes[0][int(axis)], ','.join(str(s) for s in sizes.ravel().tolist()))


# What the engine says -> what TensorFlow says first.
_RULES = [
    (r'^Matrix size-incompatible: In\[0\]: (\[.*\]), In\[1\]: (\[.*\])', _matrices),
    (r'^In\[(\d)\] is not a matrix', lambda found, shapes, *_: 'Shape must be rank 2 but is rank %d' % len(shapes[int(found.group(1))])),
    (r'^Incompatible shapes: (\[.*?\]) vs\. (\[.*?\])', _broadcast),
    (r"^input (\d+) \('\w+'\) must have rank (\d+),", _rank),
    (r"^input (\d+) \('\w+'\) must be a scalar, got shape",
     lambda found, shapes, *_: 'Shape must be rank 0 but is rank %d' % len(shapes[int(found.group(1))] or ())),
    (r'^Assign requires shapes of both tensors to match\. lhs shape= (\[.*?\]) rhs shape= (\[.*?\])',
     lambda found, *_: not_merged(_sizes(found.group(1)), _sizes(found.group(2)))),
    (r'^Shapes of all inputs must match: \S+ = (\[.*?\]) != \S+ = (\[.*?\])',
     lambda found, *_: not_merged(_sizes(found.group(1)), _sizes(found.group(2)))),
    (r'Dimensions of inputs should match: shape\[\d+\] = (\[.*?\]) vs\. shape\[\d+\] = (\[.*?\])', _joined),
    (r'Ranks of all input tensors should match: shape\[\d+\] = (\[.*?\]) vs\. shape\[\d+\] = (\[.*?\])',
     lambda found, *_: 'Shape must be rank %d but is rank %d' % tuple(len(_sizes(shape)) for shape in found.groups())),
    (r'^transpose expects a vector of size (\d+)\. But input\(1\) is a vector of size (\d+)',
     lambda found, *_: 'Dimension must be %s but is %s' % found.groups()),
    (r'^Negative dimension size caused by subtracting (\d+)[^0-9]*from (\d+)',
     lambda found, *_: 'Negative dimension size caused by subtracting %s from %s' % found.groups()),
    (r'^(Invalid reduction dimension -?\d+ for input with \d+) dimension\(s\)', lambda found, *_: found.group(1) + ' dimensions.'),
    (r'^length of condition \((\d+)\) and dimension 0 of [\w ]+\((\d+)\) must be equal',
     lambda found, *_: 'Dimension 0 in both shapes must be equal, but are %s and %s. Shapes are [%s] and [%s].' % (found.groups() * 2)),
    (r'\((\d+)\) and [\w ]+\((\d+)\) must be equal', lambda found, *_: _unequal(*found.groups())),
    (r'evenly divide the split dimension, but got split_dim \d+ \(size = (\d+)\) and num_split (\d+)',
     lambda found, *_: 'Dimension size must be evenly divisible by %s but is %s' % (found.group(2), found.group(1))),
    (r'^all inputs must have the same shape; input', _merging),
    (r'^ConcatOp : Expected concatenating dimensions in the range \[-?\d+, \d+\), but got (-?\d+)', lambda found, shapes, *_: _axis(
        found, shapes, None, None)),
    (r'^Determined shape must either match input shape along split_dim', _pieces),
    (r'^Expected multiples argument to be a vector of length (\d+) but got length (\d+)',
     lambda found, *_: 'Shape must be rank %s but is rank %s' % found.groups()),
    (r'^Expected axis in the range \[-?\d+, \d+\), but got (-?\d+)', _axis),
    (r'^The first dimension of paddings must be the rank of inputs\[(\d+),2\]',
     lambda found, shapes, *_: 'Shape must be rank %s but is rank %d' % (found.group(1), len(shapes[0]))),
    (r'^tensor_in must have (\d+) dimensions', lambda found, shapes, *_: 'Shape must be rank %s but is rank %d' % (found.group(1), len(shapes[0]))),
    (r'^logits and labels must be broadcastable: logits_size=(\[.*?\]) labels_size=(\[.*?\])', _broadcast),
    (r'^depth must be non-negative, got: (-\d+)',
     lambda found, *_: 'Dimension size, given by scalar input 1, must be non-negative but is %s' % found.group(1)),
    (r"^input 0 \('dims'\) states a dimension of -", lambda *_: 'Fill dimensions must be >= 0'),
    (r'^Requires delta != 0', lambda *_: 'Requires delta != 0'),
    (r'^Must have updates\.shape = .* got updates\.shape (\[.*?\]), indices\.shape (\[.*?\]), params\.shape (\[.*?\])', _scattered),
    (r'^input must have at least k columns\. Had (\d+), needed (\d+)',
     lambda found, *_: 'input must have last dimension >= k = %s but is %s' % (found.group(2), found.group(1))),
    (r'^index innermost dimension length must be <= params rank', lambda found, shapes, *_:
     'indices.shape[-1] must be <= params.rank, but saw indices shape: %s and params shape: %s' % (_text(shapes[1]), _text(shapes[0]))),
]

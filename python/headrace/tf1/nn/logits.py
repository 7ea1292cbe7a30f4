"""Softmax and losses of logits, and the largest of them."""
from headrace.tf1.framework import array, convert, dtypes, graph as graph_lib, math
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.nn.activations import relu


def _softmax(op, logits, dim, name):
    logits = convert_to_tensor(logits)
    rank = logits.shape.rank
    last = dim == -1 or (rank is not None and dim == rank - 1)
    if rank is not None and not -rank <= dim < rank and rank:
        raise ValueError('Dimension (%d) must be in the range [%d, %d) where %d is the number of dimensions in the input.' % (
            dim, -rank, rank, rank))
    if last:
        return apply_op(op, logits, name=name)
    if rank is None:
        raise ValueError('softmax over dimension %d needs the rank of %s' % (dim, logits))
    perm = list(range(rank))
    perm[dim % rank], perm[-1] = perm[-1], perm[dim % rank]
    with name_scope(name, op, [logits]) as scope:
        moved = apply_op(op, array.transpose(logits, perm))
        return array.transpose(moved, perm, name=scope)


def _dim(axis, dim):
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'.")
        return dim
    return -1 if axis is None else axis


def softmax(logits, axis=None, name=None, dim=None):
    """exp(logits), scaled to sum 1 along `axis` (default the last)."""
    return _softmax('Softmax', logits, _dim(axis, dim), name)


def log_softmax(logits, axis=None, name=None, dim=None):
    return _softmax('LogSoftmax', logits, _dim(axis, dim), name)


def _positional(what, sentinel, labels, logits):
    if sentinel is not None:
        raise ValueError('Only call `%s` with named arguments (labels=..., logits=..., ...)' % what)
    if labels is None or logits is None:
        raise ValueError('Both labels and logits must be provided.')


def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    """Cross entropy of distributions `labels` and softmax(logits), one number a row; labels get no gradient."""
    _positional('softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    dim = dim if axis is None else axis
    with name_scope(name, 'softmax_cross_entropy_with_logits_sg', [logits, labels]) as scope:
        labels = array.stop_gradient(labels, name='labels_stop_gradient')
        return softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=dim, name=scope)


def softmax_cross_entropy_with_logits_v2(_sentinel=None, labels=None, logits=None, axis=None, name=None, dim=None):
    """The same; a gradient flows into the labels, too."""
    _positional('softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    axis = _dim(axis, dim)
    with name_scope(name, 'softmax_cross_entropy_with_logits', [logits, labels]) as scope:
        logits, labels = convert_to_tensor(logits, name='logits'), convert_to_tensor(labels, name='labels')
        half = logits.dtype in (dtypes.float16, dtypes.bfloat16)
        precise = math.cast(logits, dtypes.float32) if half else logits
        labels = math.cast(labels, precise.dtype)
        input_rank = array.rank(precise)
        static = logits.shape
        if axis != -1:
            perm = _swap(static.rank, axis)
            precise, labels = array.transpose(precise, perm), array.transpose(labels, perm)
        input_shape = array.shape(precise)
        precise, labels = _flatten_outer_dims(precise), _flatten_outer_dims(labels)
        cost = apply_op('SoftmaxCrossEntropyWithLogits', precise, labels, name=scope)[0]
        output_shape = array.slice(input_shape, [0], [math.subtract(input_rank, 1)])
        cost = array.reshape(cost, output_shape)
        if static.rank is not None:
            dims = static.as_list()
            del dims[axis]
            cost.set_shape(dims)
        return math.cast(cost, logits.dtype) if half else cost


def _swap(rank, dim):
    perm = list(range(rank))
    perm.append(perm.pop(dim % rank))
    return perm


def _flatten_outer_dims(logits):
    rank = array.rank(logits)
    last = array.slice(array.shape(logits), [math.subtract(rank, 1)], [1])
    output = array.reshape(logits, array.concat([[-1], last], 0))
    dims = logits.shape
    if dims.rank is not None:
        known = dims.as_list()
        if None not in known[:-1]:
            product = 1
            for d in known[:-1]:
                product *= d
            output.set_shape([product, known[-1]])
    return output


def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """Cross entropy of the classes `labels` (integers) and softmax(logits)."""
    _positional('sparse_softmax_cross_entropy_with_logits', _sentinel, labels, logits)
    with name_scope(name, 'SparseSoftmaxCrossEntropyWithLogits', [labels, logits]):
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        half = logits.dtype is dtypes.float16
        precise = math.cast(logits, dtypes.float32) if half else logits
        static = labels.shape
        labels_shape = array.shape(labels)
        defined = static.is_fully_defined() and logits.shape[:-1].is_fully_defined()
        if logits.shape.rank == 0:
            raise ValueError('Logits cannot be scalars - received shape %s.' % logits.shape)
        if logits.shape.rank is not None and static.rank not in (None, logits.shape.rank - 1):
            raise ValueError('Rank mismatch: Rank of labels (received %s) should equal rank of logits minus 1 (received %s).' % (
                static.rank, logits.shape.rank))
        if defined and static != logits.shape[:-1]:
            raise ValueError('Shape mismatch: The shape of labels (received %s) should equal the shape of logits except for the last '
                             'dimension (received %s).' % (static, logits.shape))
        if logits.shape.rank == 2:
            cost = apply_op('SparseSoftmaxCrossEntropyWithLogits', precise, labels, name=name)[0]
            return math.cast(cost, dtypes.float16) if half else cost
        checks = []
        if not defined:
            from headrace.tf1.framework import checks as check_lib
            checks.append(check_lib.assert_equal(array.shape(labels), array.shape(logits)[:-1]))
        with graph_lib.control_dependencies(checks):
            classes = array.shape(logits)[array.rank(logits) - 1]
            precise = array.reshape(precise, [-1, classes])
            labels = array.reshape(labels, [-1])
            cost = apply_op('SparseSoftmaxCrossEntropyWithLogits', precise, labels, name=name)[0]
            cost = array.reshape(cost, labels_shape)
            cost.set_shape(static)
            return math.cast(cost, dtypes.float16) if half else cost


def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    """Cross entropy of independent yes/no labels and sigmoid(logits), element by element."""
    _positional('sigmoid_cross_entropy_with_logits', _sentinel, labels, logits)
    with name_scope(name, 'logistic_loss', [logits, labels]) as scope:
        logits, labels = convert_to_tensor(logits, name='logits'), convert_to_tensor(labels, name='labels')
        try:
            labels.shape.merge_with(logits.shape)
        except ValueError:
            raise ValueError('logits and labels must have the same shape (%s vs %s)' % (logits.shape, labels.shape))
        zeros = array.zeros_like(logits, dtype=logits.dtype)
        positive = logits >= zeros
        relu_logits = array.where(positive, logits, zeros)
        negative = array.where(positive, -logits, logits)
        return math.add(relu_logits - logits * labels, math.log1p(math.exp(negative)), name=scope)


def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
    labels = targets if labels is None else labels
    with name_scope(name, 'logistic_loss', [logits, labels]) as scope:
        logits, labels = convert_to_tensor(logits, name='logits'), convert_to_tensor(labels, name='labels')
        weight = 1 + (pos_weight - 1) * labels
        return math.add((1 - labels) * logits, weight * (math.log1p(math.exp(-math.abs(logits))) + relu(-logits)), name=scope)


def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    with name_scope(name, 'log_poisson_loss', [log_input, targets]):
        log_input, targets = convert_to_tensor(log_input, name='log_input'), convert_to_tensor(targets, name='targets')
        result = math.exp(log_input) - log_input * targets
        if compute_full_loss:
            half = convert.constant(0.5, dtype=targets.dtype)
            two_pi = convert.constant(6.283185307179586, dtype=targets.dtype)
            stirling = targets * math.log(targets) - targets + half * math.log(two_pi * targets)
            zeros, ones = array.zeros_like(targets), array.ones_like(targets)
            keep = math.logical_and(targets >= zeros, targets <= ones)
            result += array.where(keep, zeros, stirling)
        return result


def in_top_k(predictions, targets, k, name=None):
    with name_scope(name, 'in_top_k'):
        return apply_op('InTopKV2', predictions, targets, k, name=None)


def top_k(input, k=1, sorted=True, name=None):  # pylint: disable=redefined-builtin
    return apply_op('TopKV2', input, k, sorted=sorted, name=name)

"""Weights of losses and metrics: scalars, or tensors that fit the values dimension by dimension."""
from headrace.tf1.framework import array, control, control_flow, convert, math
from headrace.tf1.framework.convert import convert_to_tensor
from headrace.tf1.framework.graph import control_dependencies, name_scope

_ERROR = 'weights can not be broadcast to values.'


def assert_broadcastable(weights, values):
    """An operation that fails unless the weights are a scalar, or have the values' rank and in each dimension their size or 1."""
    with name_scope(None, 'assert_broadcastable', [v for v in (weights, values) if hasattr(v, 'graph')]) as scope:
        with name_scope(None, 'weights') as weights_scope:
            weights = convert_to_tensor(weights, name=weights_scope)
            weights_shape, weights_rank = array.shape(weights, name='shape'), array.rank(weights, name='rank')
        with name_scope(None, 'values') as values_scope:
            values = convert_to_tensor(values, name=values_scope)
            values_shape, values_rank = array.shape(values, name='shape'), array.rank(values, name='rank')
        have, want = convert.constant_value(weights_rank), convert.constant_value(values_rank)
        if have is not None and want is not None:
            if have == 0:
                return control.no_op(name='static_scalar_check_success')
            if have != want:
                raise ValueError('%s values.rank=%s. weights.rank=%s. values.shape=%s. weights.shape=%s.' % (
                    _ERROR, want, have, values.shape, weights.shape))
            static_weights, static_values = convert.constant_value(weights_shape), convert.constant_value(values_shape)
            if static_weights is not None and static_values is not None:
                for i, (w, v) in enumerate(zip(static_weights, static_values)):
                    if w not in (1, v):
                        raise ValueError('%s Mismatch at dim %s. values.shape=%s weights.shape=%s.' % (
                            _ERROR, i, static_values, static_weights))
                return control.no_op(name='static_dims_check_success')
        scalar = math.equal(0, weights_rank, name='is_scalar')
        data = [_ERROR, 'weights.shape=', weights.name, weights_shape, 'values.shape=', values.name, values_shape, 'is_scalar=', scalar]
        fits = control_flow.cond(scalar, lambda: scalar, lambda: _ranks_fit(weights_rank, weights_shape, values_rank, values_shape),
                                 name='is_valid_shape')
        return control.Assert(fits, data, name=scope)


def _ranks_fit(weights_rank, weights_shape, values_rank, values_shape):
    with name_scope(None, 'has_valid_nonscalar_shape', [weights_rank, weights_shape, values_rank, values_shape]) as scope:
        same = math.equal(values_rank, weights_rank, name='is_same_rank')
        return control_flow.cond(same, lambda: _sizes_fit(weights_shape, values_shape), lambda: same, name=scope)


def _sizes_fit(weights_shape, values_shape):
    """Is each size of the weights in the set of 1 and the values' size?"""
    from headrace.tf1 import sets
    with name_scope(None, 'has_invalid_dims', [weights_shape, values_shape]) as scope:
        column = array.expand_dims(values_shape, -1)
        allowed = array.concat([column, array.ones_like(column)], axis=1)
        others = sets.set_difference(array.expand_dims(weights_shape, -1), allowed)
        return math.equal(0, array.size(others.values, name='num_invalid_dims'), name=scope)


def broadcast_weights(weights, values):
    """The weights in the values' shape."""
    with name_scope(None, 'broadcast_weights', [v for v in (weights, values) if hasattr(v, 'graph')]) as scope:
        values = convert_to_tensor(values, name='values')
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name='weights')
        if weights.shape.is_fully_defined() and values.shape.is_fully_defined() and weights.shape.is_compatible_with(values.shape):
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return math.multiply(weights, array.ones_like(values), name=scope)


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
    """(labels, predictions) with a last dimension of 1 dropped from the one that has too many."""
    with name_scope(name, 'remove_squeezable_dimensions', [v for v in (labels, predictions) if hasattr(v, 'graph')]):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        p, q = predictions.shape, labels.shape
        if p.rank is not None and q.rank is not None:
            difference = p.rank - q.rank
            if difference == expected_rank_diff + 1:
                predictions = array.squeeze(predictions, [-1])
            elif difference == expected_rank_diff - 1:
                labels = array.squeeze(labels, [-1])
            return labels, predictions
        difference = array.rank(predictions) - array.rank(labels)

        def maybe_squeezed(x, shape, excess):
            if shape.rank is not None and not shape.dims[-1].is_compatible_with(1):
                return x
            return control_flow.cond(math.equal(excess, difference), lambda: array.squeeze(x, [-1]), lambda: x)
        predictions = maybe_squeezed(predictions, p, expected_rank_diff + 1)
        return maybe_squeezed(labels, q, expected_rank_diff - 1), predictions

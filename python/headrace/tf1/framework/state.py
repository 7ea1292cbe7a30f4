"""Updates of parts of variables: tf.scatter_add and so on."""
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.resource_variable import ResourceVariable


def _scatter(op, verb):
    def function(ref, indices, updates, use_locking=None, name=None):
        if isinstance(ref, ResourceVariable):
            return ref._scattered(op, indices, updates, name)
        if use_locking is None:
            use_locking = op == 'ScatterUpdate'
        return apply_op(op, ref, indices, updates, use_locking=use_locking, name=name)
    function.__name__ = op[:7].lower() + '_' + op[7:].lower()
    function.__doc__ = '%s rows of a variable: the rows named by `indices`, with the rows of `updates`. The result reads it after that.' % verb
    return function


scatter_add = _scatter('ScatterAdd', 'Adds to')
scatter_sub = _scatter('ScatterSub', 'Subtracts from')
scatter_mul = _scatter('ScatterMul', 'Multiplies')
scatter_div = _scatter('ScatterDiv', 'Divides')
scatter_min = _scatter('ScatterMin', 'Takes the minimum with')
scatter_max = _scatter('ScatterMax', 'Takes the maximum with')
scatter_update = _scatter('ScatterUpdate', 'Replaces')


def _scatter_nd(op, verb):
    def function(ref, indices, updates, use_locking=None, name=None):
        if isinstance(ref, ResourceVariable):
            return ref._scattered(op, indices, updates, name)
        if use_locking is None:
            use_locking = op == 'ScatterNdUpdate'
        return apply_op(op, ref, indices, updates, use_locking=use_locking, name=name)
    function.__name__ = 'scatter_nd_' + op[9:].lower()
    function.__doc__ = '%s parts of a variable: those that the last dimension of `indices` names. The result reads it after that.' % verb
    return function


scatter_nd_add = _scatter_nd('ScatterNdAdd', 'Adds to')
scatter_nd_sub = _scatter_nd('ScatterNdSub', 'Subtracts from')
scatter_nd_update = _scatter_nd('ScatterNdUpdate', 'Replaces')

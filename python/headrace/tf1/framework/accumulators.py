"""Accumulators: gradients that steps add up until another step takes their mean (tf.ConditionalAccumulator)."""
from headrace.tf1.framework import dtypes as dtypes_lib, math, shapes as shapes_lib
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import IndexedSlices


def _step(value):
    return math.cast(convert_to_tensor(value), dtypes_lib.int64)


class ConditionalAccumulatorBase(object):
    """Adds up gradients of one dtype and shape. One whose `local_step` is less than the accumulator's step is stale and dropped; taking
    the sum moves the accumulator to its next step."""

    _op = '%s'  # how its ops are called

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype = dtype
        self._shape = shapes_lib.unknown_shape() if shape is None else shapes_lib.TensorShape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split('/')[-1]

    accumulator_ref = property(lambda self: self._accumulator_ref)
    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)

    def num_accumulated(self, name=None):
        """Gradients since the last take, an int32."""
        return apply_op(self._op % 'AccumulatorNumAccumulated', self._accumulator_ref, name=name or '%s_NumAccumulated' % self._name)

    def set_global_step(self, new_global_step, name=None):
        """The operation that sets the step below which gradients are stale."""
        return apply_op(self._op % 'AccumulatorSetGlobalStep', self._accumulator_ref, _step(new_global_step), name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Of dense gradients. reduction_type: 'MEAN' or 'SUM'."""

    _op = 'Resource%s'

    def __init__(self, dtype, shape=None, shared_name=None, name='conditional_accumulator', reduction_type='MEAN'):
        ref = apply_op('ResourceConditionalAccumulator', dtype=dtype, shape=shape, shared_name=shared_name or '',
                       reduction_type=reduction_type, name=name)
        super(ConditionalAccumulator, self).__init__(dtype, shape, ref)

    def apply_grad(self, grad, local_step=0, name=None):
        """The operation that adds a gradient, unless it is stale."""
        grad = convert_to_tensor(grad, self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        return apply_op('ResourceAccumulatorApplyGradient', self._accumulator_ref, _step(local_step), grad, name=name)

    def take_grad(self, num_required, name=None):
        """The mean (or sum) of the gradients, once there are num_required."""
        taken = apply_op('ResourceAccumulatorTakeGradient', self._accumulator_ref, num_required, dtype=self._dtype, name=name)
        taken.set_shape(self._shape)
        return taken


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Of gradients that are slices. A row that several gradients have is averaged over those."""

    def __init__(self, dtype, shape=None, shared_name=None, name='sparse_conditional_accumulator', reduction_type='MEAN'):
        ref = apply_op('SparseConditionalAccumulator', dtype=dtype, shape=shape, shared_name=shared_name or '',
                       reduction_type=reduction_type, name=name)
        super(SparseConditionalAccumulator, self).__init__(dtype, shape, ref)

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        """apply_grad of a tf.IndexedSlices."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        """The operation that adds rows, unless they are stale."""
        local_step = _step(local_step)
        indices = math.cast(grad_indices, dtypes_lib.int64)
        shape = math.cast([] if grad_shape is None else grad_shape, dtypes_lib.int64)
        return apply_op('SparseAccumulatorApplyGradient', self._accumulator_ref, local_step, indices, grad_values, shape,
                        has_known_shape=grad_shape is not None, name=name)

    def take_grad(self, num_required, name=None):
        """(indices, values, shape) of what the gradients add up to, once there are num_required."""
        return apply_op('SparseAccumulatorTakeGradient', self._accumulator_ref, num_required, dtype=self._dtype, name=name)

    def take_indexed_slices_grad(self, num_required, name=None):
        """take_grad as a tf.IndexedSlices."""
        taken = self.take_grad(num_required, name)
        return IndexedSlices(values=taken.values, indices=taken.indices, dense_shape=taken.shape)

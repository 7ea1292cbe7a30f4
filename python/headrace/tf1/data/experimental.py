"""tf.data.experimental: further sources and steps of pipelines."""
from headrace.tf1.data.options import (  # noqa: F401
    DistributeOptions, OptimizationOptions, StatsOptions, ThreadingOptions)
from headrace.tf1.framework import dataset_seed, dtypes
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.datasets import (  # noqa: F401
    AUTOTUNE, Dataset, get_legacy_output_classes, get_legacy_output_shapes, get_legacy_output_types)
from headrace.tf1.framework.element_structure import Spec
from headrace.tf1.framework.function_steps import (  # noqa: F401
    Reducer, group_by_reducer, group_by_window, map_and_batch, map_and_batch_with_legacy_function, parallel_interleave, scan, take_while)

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """For Dataset.apply: `count` passes (None: without end) in random order, drawn from one buffer across passes."""
    def transformation(dataset):
        size = convert_to_tensor(buffer_size, dtypes.int64, name='buffer_size')
        passes = convert_to_tensor(-1 if count is None else count, dtypes.int64, name='count')
        first, second = dataset_seed.seed_tensors(seed)
        return dataset._unary('ShuffleAndRepeatDataset', size, first, second, passes)
    return transformation


def unbatch():
    """For Dataset.apply: the rows of the elements."""
    return lambda dataset: dataset.unbatch()


def enumerate_dataset(start=0):
    """For Dataset.apply: pairs of a number and an element."""
    return lambda dataset: dataset.enumerate(start)


def cardinality(dataset):
    """How many elements there are, an int64: INFINITE_CARDINALITY, or UNKNOWN_CARDINALITY where that cannot be told in advance."""
    return apply_op('DatasetCardinality', dataset._variant_tensor)


class RandomDataset(Dataset):
    """Random numbers of 32 bits, as int64, without end."""

    def __init__(self, seed=None):
        spec = Spec(0, [dtypes.int64], [[]])
        first, second = dataset_seed.seed_tensors(seed)
        super(RandomDataset, self).__init__(apply_op('RandomDataset', first, second, **spec.attrs), spec)


def choose_from_datasets(datasets, choice_dataset):
    """An element of datasets[i] for each number i of `choice_dataset`."""
    if choice_dataset._spec.types != [dtypes.int64] or choice_dataset._spec.shapes[0].as_list() != []:
        raise TypeError('`choice_dataset` must be a dataset of scalar `tf.int64` tensors.')
    for dataset in datasets[1:]:
        if dataset.output_types != datasets[0].output_types:
            raise TypeError('Datasets to interleave have different types: %s and %s' % (datasets[0].output_types, dataset.output_types))
    spec = datasets[0]._spec
    variant = apply_op('DirectedInterleaveDataset', choice_dataset._variant_tensor, [d._variant_tensor for d in datasets], **spec.attrs)
    return Dataset(variant, spec, [choice_dataset] + list(datasets))

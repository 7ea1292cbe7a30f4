"""tf.data: input pipelines."""
import importlib

from headrace.tf1.data.options import Options  # noqa: F401
from headrace.tf1.framework.dataset_iterator import Iterator  # noqa: F401
from headrace.tf1.framework.datasets import (  # noqa: F401
    Dataset, get_legacy_output_classes as get_output_classes, get_legacy_output_shapes as get_output_shapes,
    get_legacy_output_types as get_output_types, make_initializable_iterator, make_one_shot_iterator)
from headrace.tf1.framework.file_datasets import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset  # noqa: F401


def __getattr__(name):
    if name == 'experimental':
        return importlib.import_module('headrace.tf1.data.experimental')
    raise AttributeError("module 'tf.data' has no attribute %r" % name)

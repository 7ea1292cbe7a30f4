"""Datasets of the records of files: TFRecordDataset and its relatives."""
from headrace.tf1.framework import array, dtypes
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.datasets import Dataset
from headrace.tf1.framework.element_structure import Spec

_BUFFER_BYTES = 256 * 1024


def _flat(filenames):
    if isinstance(filenames, Dataset):
        raise NotImplementedError('A dataset of file names needs flat_map: filenames.flat_map(tf.data.TFRecordDataset)')
    filenames = convert_to_tensor(filenames)
    if filenames.dtype != dtypes.string:
        raise TypeError('`filenames` must be a `tf.Tensor` of dtype `tf.string` dtype.  Got {}'.format(filenames.dtype))
    return array.reshape(filenames, [-1], name='flat_filenames')


def _or_default(value, default, dtype, name):
    return convert_to_tensor(default if value is None else value, dtype, name=name)


def _records(op, *inputs):
    return Dataset(apply_op(op, *inputs), Spec(0, [dtypes.string], [[]]))


class TFRecordDataset(Dataset):
    """The records of TFRecord files, as strings."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None):
        made = _records('TFRecordDataset', _flat(filenames), _or_default(compression_type, '', dtypes.string, 'compression_type'),
                        _or_default(buffer_size, _BUFFER_BYTES, dtypes.int64, 'buffer_size'))
        super(TFRecordDataset, self).__init__(made._variant_tensor, made._spec)


class TextLineDataset(Dataset):
    """The lines of text files, as strings without their ends."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None):
        made = _records('TextLineDataset', _flat(filenames), _or_default(compression_type, '', dtypes.string, 'compression_type'),
                        _or_default(buffer_size, _BUFFER_BYTES, dtypes.int64, 'buffer_size'))
        super(TextLineDataset, self).__init__(made._variant_tensor, made._spec)


class FixedLengthRecordDataset(Dataset):
    """The records of files, each of `record_bytes`, as strings."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None, buffer_size=None, compression_type=None,
                 num_parallel_reads=None):
        made = _records('FixedLengthRecordDatasetV2', _flat(filenames), _or_default(header_bytes, 0, dtypes.int64, 'header_bytes'),
                        convert_to_tensor(record_bytes, dtypes.int64, name='record_bytes'),
                        _or_default(footer_bytes, 0, dtypes.int64, 'footer_bytes'),
                        _or_default(buffer_size, _BUFFER_BYTES, dtypes.int64, 'buffer_size'),
                        _or_default(compression_type, '', dtypes.string, 'compression_type'))
        super(FixedLengthRecordDataset, self).__init__(made._variant_tensor, made._spec)

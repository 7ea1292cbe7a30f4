"""Readers: records of files whose names come out of a queue (tf.TFRecordReader and its relatives); whole files."""
from headrace.tf1.framework import dtypes
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import Tensor


def read_file(filename, name=None):
    """What a file holds, as a string."""
    return apply_op('ReadFile', filename, name=name)


def write_file(filename, contents, name=None):
    """The operation that writes a file, and makes its folder where there is none."""
    return apply_op('WriteFile', filename, contents, name=name)


def matching_files(pattern, name=None):
    """Names of the files that match a pattern, or one of several, sorted."""
    return apply_op('MatchingFiles', pattern, name=name)


class ReaderBase(object):
    """Gives the records of files, one after the other; the files' names come from a queue of strings.

    A step that finds no name waits; it ends with tf.errors.OutOfRangeError when the queue is closed and empty. Records before a damaged
    one are read; then comes tf.errors.DataLossError.
    """

    def __init__(self, reader_ref, supports_serialize=False):
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    reader_ref = property(lambda self: self._reader_ref)
    supports_serialize = property(lambda self: self._supports_serialize)

    def _apply(self, op, *inputs, **attrs):
        old = self._reader_ref.dtype != dtypes.resource
        return apply_op(op if old else op + 'V2', self._reader_ref, *inputs, **attrs)

    @staticmethod
    def _queue_ref(queue):
        return queue if isinstance(queue, Tensor) else queue.queue_ref

    def read(self, queue, name=None):
        """(key, value): the next record and where it comes from."""
        return self._apply('ReaderRead', self._queue_ref(queue), name=name)

    def read_up_to(self, queue, num_records, name=None):
        """(keys, values) of up to num_records records; fewer at the end of a file."""
        return self._apply('ReaderReadUpTo', self._queue_ref(queue), num_records, name=name)

    def num_records_produced(self, name=None):
        """The number of records read so far, an int64."""
        return self._apply('ReaderNumRecordsProduced', name=name)

    def num_work_units_completed(self, name=None):
        """The number of files read to their end, an int64."""
        return self._apply('ReaderNumWorkUnitsCompleted', name=name)

    def serialize_state(self, name=None):
        """Where the reader stands, as a string. UnimplementedError where supports_serialize is False."""
        return self._apply('ReaderSerializeState', name=name)

    def restore_state(self, state, name=None):
        """The operation that sets the reader to a state from serialize_state."""
        return self._apply('ReaderRestoreState', state, name=name)

    def reset(self, name=None):
        """The operation that sets the reader to its first state."""
        return self._apply('ReaderReset', name=name)


class WholeFileReader(ReaderBase):
    """Whole files; the names are the keys."""

    def __init__(self, name=None):
        super(WholeFileReader, self).__init__(apply_op('WholeFileReaderV2', name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """Lines without their ends; keys are "file:number", from 1."""

    def __init__(self, skip_header_lines=None, name=None):
        super(TextLineReader, self).__init__(apply_op('TextLineReaderV2', skip_header_lines=skip_header_lines or 0, name=name))


class FixedLengthRecordReader(ReaderBase):
    """Records of record_bytes, each hop_bytes (or record_bytes) behind the one before; keys are "file:number", from 0."""

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None, name=None, encoding=None):
        super(FixedLengthRecordReader, self).__init__(apply_op(
            'FixedLengthRecordReaderV2', record_bytes=record_bytes, header_bytes=header_bytes or 0, footer_bytes=footer_bytes or 0,
            hop_bytes=hop_bytes or 0, encoding=encoding or '', name=name))


class TFRecordReader(ReaderBase):
    """Records of TFRecord files; keys are "file:offset". options: a tf.python_io.TFRecordOptions."""

    def __init__(self, name=None, options=None):
        from headrace.tf1.python_io import TFRecordOptions
        compression = TFRecordOptions.get_compression_type_string(options)
        super(TFRecordReader, self).__init__(apply_op('TFRecordReaderV2', compression_type=compression, name=name))


class IdentityReader(ReaderBase):
    """The names themselves, as keys and as values."""

    def __init__(self, name=None):
        super(IdentityReader, self).__init__(apply_op('IdentityReaderV2', name=name), supports_serialize=True)

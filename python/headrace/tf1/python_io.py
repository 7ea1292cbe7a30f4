"""tf.python_io: record files (TFRecord) read and written in Python."""
from headrace.tf1 import compat as _compat


class TFRecordCompressionType(object):
    """How a record file is packed."""
    NONE, ZLIB, GZIP = 0, 1, 2


_STRINGS = {None: '', '': '', 'ZLIB': 'ZLIB', 'GZIP': 'GZIP', TFRecordCompressionType.NONE: '', TFRecordCompressionType.ZLIB: 'ZLIB',
            TFRecordCompressionType.GZIP: 'GZIP'}


class TFRecordOptions(object):
    """How a record file is packed: a TFRecordCompressionType or its name, and the level. The other arguments are zlib's; what they
    choose is readable either way, and they are not used. ValueError for an unknown type."""
    compression_type_map = {TFRecordCompressionType.NONE: '', TFRecordCompressionType.ZLIB: 'ZLIB', TFRecordCompressionType.GZIP: 'GZIP'}

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None, output_buffer_size=None, window_bits=None,
                 compression_level=None, compression_method=None, mem_level=None, compression_strategy=None):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode, self.input_buffer_size, self.output_buffer_size = flush_mode, input_buffer_size, output_buffer_size
        self.window_bits, self.compression_level, self.compression_method = window_bits, compression_level, compression_method
        self.mem_level, self.compression_strategy = mem_level, compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """'', 'ZLIB' or 'GZIP' for options, a type or a name."""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options not in _STRINGS:
            raise ValueError('Not a valid compression_type: "%s"' % (options,))
        return _STRINGS[options]


def tf_record_iterator(path, options=None):
    """The records of a file, as bytes. NotFoundError if it is not there, DataLossError where it is damaged."""
    from headrace import _core
    from headrace.tf1 import errors
    import os
    name = _compat.as_str_any(path)
    if not os.path.exists(name):
        raise errors.NotFoundError(None, None, '%s; No such file or directory' % name)
    reader = _core.RecordReader(_compat.as_str_any(path), TFRecordOptions.get_compression_type_string(options))
    while True:
        record = reader.next()
        if record is None:
            return
        yield record


class TFRecordWriter(object):
    """Writes records into a new file."""

    def __init__(self, path, options=None):
        from headrace import _core
        level = getattr(options, 'compression_level', None)
        self._writer = _core.RecordWriter(_compat.as_str_any(path), TFRecordOptions.get_compression_type_string(options),
                                          -1 if level is None else level)

    def write(self, record):
        """Appends a record: bytes, or text as UTF-8."""
        self._writer.append(_compat.as_bytes(record))

    def flush(self):
        """Hands what was written to the operating system."""
        self._writer.flush()

    def close(self):
        """Ends the file."""
        self._writer.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused_error):
        self.close()

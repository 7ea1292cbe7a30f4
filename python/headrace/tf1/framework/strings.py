"""Strings: bytes of any length, element by element."""
import numpy as np

from headrace.tf1.framework import array, dtypes, math, sparse
from headrace.tf1.framework.convert import apply_op, constant, convert_to_tensor
from headrace.tf1.framework.graph import Tensor, name_scope

_TEXT = (str, bytes)


def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill='', name=None):  # pylint: disable=redefined-builtin
    """Numbers and booleans as text."""
    return apply_op('AsString', input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill, name=name)


def string_join(inputs, separator='', name=None):
    """The strings of several tensors (scalars or of one shape) put together."""
    return apply_op('StringJoin', inputs, separator=separator, name=name)


def _split(op, source, separator, **attrs):
    indices, values, shape = apply_op(op, source, separator, **attrs)
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return sparse.SparseTensor(indices, values, shape)


def _only_sparse(result_type):
    if result_type != 'SparseTensor':
        raise NotImplementedError('parts of strings are a SparseTensor here: ragged tensors are not in Headrace')


def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type='SparseTensor', name=None):
    """A SparseTensor with the parts of each string in a row; each character of `sep` separates (a space if none is given)."""
    _only_sparse(result_type)
    separator = delimiter if sep is None else sep
    with name_scope(name, 'StringSplit', [source] if hasattr(source, 'graph') else None):
        separator = convert_to_tensor(' ' if separator is None else separator, dtype=dtypes.string)
        return _split('StringSplit', convert_to_tensor(source, dtype=dtypes.string), separator, skip_empty=skip_empty)


def split(input=None, sep=None, maxsplit=-1, result_type='SparseTensor', source=None, name=None):  # pylint: disable=redefined-builtin
    """A SparseTensor with the parts of each string of a vector in a row, as str.split makes them."""
    _only_sparse(result_type)
    value = source if input is None else input
    with name_scope(name, 'StringSplit', [value] if hasattr(value, 'graph') else None):
        value = convert_to_tensor(value, dtype=dtypes.string, name='input')
        if value.shape.rank != 1:
            raise NotImplementedError('tf.strings.split takes a vector here: more dimensions need ragged tensors, which are not in Headrace')
        separator = convert_to_tensor('' if sep is None else sep, dtype=dtypes.string)
        return _split('StringSplitV2', convert_to_tensor(value, dtype=dtypes.string), separator, maxsplit=maxsplit)


def substr(input, pos, len, name=None, unit='BYTE'):  # pylint: disable=redefined-builtin
    """`len` bytes (or UTF-8 characters) from `pos` on; a negative pos counts from the end."""
    return apply_op('Substr', input, pos, len, unit=unit, name=name)


def string_length(input, name=None, unit='BYTE'):  # pylint: disable=redefined-builtin
    return apply_op('StringLength', input, unit=unit, name=name)


def string_strip(input, name=None):  # pylint: disable=redefined-builtin
    """Without white space at both ends."""
    return apply_op('StringStrip', input, name=name)


def string_lower(input, encoding='', name=None):  # pylint: disable=redefined-builtin
    return apply_op('StringLower', input, encoding=encoding, name=name)


def string_upper(input, encoding='', name=None):  # pylint: disable=redefined-builtin
    return apply_op('StringUpper', input, encoding=encoding, name=name)


def unicode_transcode(input, input_encoding, output_encoding, errors='replace', replacement_char=65533, replace_control_characters=False, name=None):  # pylint: disable=redefined-builtin
    return apply_op('UnicodeTranscode', input, input_encoding=input_encoding, output_encoding=output_encoding, errors=errors,
                    replacement_char=replacement_char, replace_control_characters=replace_control_characters, name=name)


def unicode_script(input, name=None):  # pylint: disable=redefined-builtin
    """Of each code point the number of its script, as ICU has it."""
    return apply_op('UnicodeScript', input, name=name)


def _axes(x, axis):
    if axis is not None:
        return axis
    if x.shape.rank is not None:
        return constant(np.arange(x.shape.rank - 1, -1, -1), dtype=dtypes.int32)
    return math.range(array.rank(x) - 1, -1, -1)


def reduce_join(inputs, axis=None, keep_dims=None, separator='', name=None, reduction_indices=None, keepdims=None):
    """Strings joined along dimensions, in the order in which these are given; along all without an axis."""
    with name_scope(None, 'ReduceJoin', [inputs] if hasattr(inputs, 'graph') else None):
        inputs = convert_to_tensor(inputs)
        axis = _axes(inputs, reduction_indices if axis is None else axis)
        return apply_op('ReduceJoin', inputs, axis, keep_dims=bool(keep_dims if keepdims is None else keepdims), separator=separator,
                        name=name)


def unsorted_segment_join(inputs, segment_ids, num_segments, separator='', name=None):
    return apply_op('UnsortedSegmentJoin', inputs, segment_ids, num_segments, separator=separator, name=name)


# ---- patterns

def regex_full_match(input, pattern, name=None):  # pylint: disable=redefined-builtin
    """Whether the whole string matches an RE2 pattern."""
    if isinstance(pattern, _TEXT):
        return apply_op('StaticRegexFullMatch', input, pattern=pattern, name=name)
    return apply_op('RegexFullMatch', input, pattern, name=name)


def regex_replace(input, pattern, rewrite, replace_global=True, name=None):  # pylint: disable=redefined-builtin
    r"""What matches an RE2 pattern replaced (\1 stands for the first group), everywhere or only at the first place."""
    if isinstance(pattern, _TEXT) and isinstance(rewrite, _TEXT):
        return apply_op('StaticRegexReplace', input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name)
    return apply_op('RegexReplace', input, pattern, rewrite, replace_global=replace_global, name=name)


def string_format(template, inputs, placeholder='{}', summarize=3, name=None):
    """The template with tensors in place of its placeholders; ValueError if their numbers differ."""
    inputs = [inputs] if isinstance(inputs, Tensor) or hasattr(inputs, '_as_tensor') else inputs
    if template.count(placeholder) != len(inputs):
        raise ValueError('%s placeholder(s) in template does not match %s tensor(s) provided as input' % (
            template.count(placeholder), len(inputs)))
    return apply_op('StringFormat', inputs, template=template, placeholder=placeholder, summarize=summarize, name=name)


# ---- numbers and bytes

def _string_input(string_tensor, given):
    if string_tensor is not None and given is not None:
        raise ValueError("Cannot specify both 'string_tensor' and 'input'")
    return given if string_tensor is None else string_tensor


def string_to_number(string_tensor=None, out_type=dtypes.float32, name=None, input=None):  # pylint: disable=redefined-builtin
    return apply_op('StringToNumber', _string_input(string_tensor, input), out_type=out_type, name=name)


def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):  # pylint: disable=redefined-builtin
    """A number in [0, num_buckets) for each string; the hash may change between versions: use string_to_hash_bucket_fast."""
    return apply_op('StringToHashBucket', _string_input(string_tensor, input), num_buckets=num_buckets, name=name)


def string_to_hash_bucket_fast(input, num_buckets, name=None):  # pylint: disable=redefined-builtin
    return apply_op('StringToHashBucketFast', input, num_buckets=num_buckets, name=name)


def string_to_hash_bucket_strong(input, num_buckets, key, name=None):  # pylint: disable=redefined-builtin
    """As the fast one, by a hash that is keyed with two numbers."""
    return apply_op('StringToHashBucketStrong', input, num_buckets=num_buckets, key=key, name=name)


def encode_base64(input, pad=False, name=None):  # pylint: disable=redefined-builtin
    """Web-safe base64."""
    return apply_op('EncodeBase64', input, pad=pad, name=name)


def decode_base64(input, name=None):  # pylint: disable=redefined-builtin
    return apply_op('DecodeBase64', input, name=name)


def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):  # pylint: disable=redefined-builtin
    """The bytes of each string as numbers along a new last dimension."""
    return apply_op('DecodeRaw', bytes if input_bytes is None else input_bytes, out_type=out_type, little_endian=little_endian, name=name)


def decode_compressed(bytes, compression_type='', name=None):  # pylint: disable=redefined-builtin
    """Strings that were compressed with "ZLIB" or "GZIP"."""
    return apply_op('DecodeCompressed', bytes, compression_type=compression_type, name=name)


def decode_csv(records, record_defaults, field_delim=',', use_quote_delim=True, name=None, na_value='', select_cols=None):
    """One tensor a column of lines of comma-separated values; a default that is empty says that the column must have a value."""
    if select_cols is not None:
        if any(select_cols[i] >= select_cols[i + 1] for i in range(len(select_cols) - 1)):
            raise ValueError('select_cols is not strictly increasing.')
        if select_cols and select_cols[0] < 0:
            raise ValueError('select_cols contains negative values.')
        if len(select_cols) != len(record_defaults):
            raise ValueError('Length of select_cols and record_defaults do not match.')
    return apply_op('DecodeCSV', records, list(record_defaults), field_delim=field_delim, use_quote_delim=use_quote_delim, na_value=na_value,
                    select_cols=select_cols, name=name)


def parse_tensor(serialized, out_type, name=None):
    """The tensor of a serialized TensorProto."""
    return apply_op('ParseTensor', serialized, out_type=out_type, name=name)


def serialize_tensor(tensor, name=None):
    """A TensorProto as a string."""
    return apply_op('SerializeTensor', tensor, name=name)

"""tf.contrib.lookup: tables from keys to values."""
from headrace.tf1.framework import dtypes as _dtypes, lookup as _lookup
from headrace.tf1.framework.convert import convert_to_tensor as _convert_to_tensor
from headrace.tf1.framework.graph import name_scope as _name_scope
from headrace.tf1.framework.lookup import (  # noqa: F401
    FastHashSpec, HasherSpec, HashTable, IdTableWithHashBuckets, InitializableLookupTableBase, KeyValueTensorInitializer, LookupInterface,
    MutableDenseHashTable, MutableHashTable, StrongHashSpec, TableInitializerBase, TextFileIdTableInitializer, TextFileIndex,
    TextFileInitializer, TextFileStringTableInitializer, index_table_from_file, index_to_string_table_from_file)


def _check_mapping(mapping):
    if mapping is None:
        raise ValueError('mapping must be specified.')


def index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, dtype=_dtypes.string, name=None):
    """A table from the elements of a vector to their places."""
    _check_mapping(mapping)
    return _lookup.index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, dtype, name)


def index_to_string_table_from_tensor(mapping, default_value='UNK', name=None):
    """A table from places in a vector to its elements."""
    _check_mapping(mapping)
    return _lookup.index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=FastHashSpec,
                                    name=None):
    """index_table_from_file, as it was called."""
    return index_table_from_file(vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, name=name)


def string_to_index_table_from_tensor(mapping, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, name=None):
    """index_table_from_tensor, as it was called."""
    with _name_scope(name, 'string_to_index') as scope:
        mapping = _convert_to_tensor(mapping)
    if mapping.dtype.base_dtype != _dtypes.string:
        raise ValueError('string_to_index_table_from_tensor requires string.')
    return index_table_from_tensor(mapping, num_oov_buckets, default_value, hasher_spec, name=scope)


def string_to_index(tensor, mapping, default_value=-1, name=None):
    """The places of strings in `mapping`."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(tensor, mapping, default_value='UNK', name=None):
    """The elements of `mapping` at places."""
    return index_to_string_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)

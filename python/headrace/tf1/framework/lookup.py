"""Lookup tables: from keys to values (tf.lookup, tf.contrib.lookup)."""
import collections
import functools
import uuid

from headrace.tf1.framework import array, control, convert, dtypes as dtypes_lib, graph as graph_lib, math, shapes as shapes_lib, sparse, strings
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import GraphKeys, Tensor, name_scope
from headrace.tf1.train.saveable import SaveableObject, SaveSpec


def _outside_of_branches(make):
    """What `make` gives, with its nodes outside of the branch or loop that is being made."""
    if graph_lib.get_default_graph()._control_flow_context is None:
        return make()
    from headrace.tf1.framework.behavior import init_scope
    with init_scope():
        return make()


def _tensors(*values):
    return [value for value in values if isinstance(value, Tensor)]


def _check_key_type(keys, wanted):
    if keys.dtype.base_dtype != wanted:
        raise TypeError('Signature mismatch. Keys must be dtype %s, got %s.' % (wanted, keys.dtype))


class LookupInterface(object):
    """A table from keys of one dtype to values of another."""

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype, self._value_dtype = dtypes_lib.as_dtype(key_dtype), dtypes_lib.as_dtype(value_dtype)

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: self._value_dtype)
    name = property(lambda self: NotImplementedError)
    resource_handle = property(lambda self: self._resource_handle)

    def _create_resource(self):
        raise NotImplementedError('%s._create_resource' % type(self).__name__)

    def size(self, name=None):
        """The number of entries, an int64."""
        raise NotImplementedError('%s.size' % type(self).__name__)

    def lookup(self, keys, name=None):
        """The values of keys."""
        raise NotImplementedError('%s.lookup' % type(self).__name__)


# ---- tables that are filled once

class InitializableLookupTableBase(LookupInterface):
    """A table that an initializer fills, when the operation of tf.tables_initializer runs. Keys that are not there have `default_value`."""

    def __init__(self, default_value, initializer):
        super(InitializableLookupTableBase, self).__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.shape.merge_with(shapes_lib.scalar())
        self._initializer = initializer
        self._resource_handle = _outside_of_branches(self._create_resource)
        self._init_op = _outside_of_branches(self._initialize)

    default_value = property(lambda self: self._default_value)

    def _initialize(self):
        return self._initializer.initialize(self)

    def size(self, name=None):
        """See LookupInterface."""
        with name_scope(name, '%s_Size' % self.name, [self.resource_handle]):
            return apply_op('LookupTableSizeV2', self.resource_handle)

    def lookup(self, keys, name=None):
        """The values of keys: a tensor, or the values of a SparseTensor."""
        is_sparse = isinstance(keys, sparse.SparseTensor)
        _check_key_type(keys, self._key_dtype)
        dense = keys.values if is_sparse else keys
        with name_scope(name, '%s_Lookup' % self.name, _tensors(self.resource_handle, dense, self._default_value)):
            values = apply_op('LookupTableFindV2', self.resource_handle, dense, self._default_value)
        values.set_shape(dense.shape)
        return sparse.SparseTensor(keys.indices, values, keys.dense_shape) if is_sparse else values


class InitializableLookupTableBaseV1(InitializableLookupTableBase):
    initializer = property(lambda self: self._init_op)


class StaticHashTable(InitializableLookupTableBaseV1):
    """A table with the entries of an initializer."""

    def __init__(self, initializer, default_value, name=None):
        self._shared_name = initializer._shared_name or 'hash_table_%s' % (uuid.uuid4(),)
        self._name = name or 'hash_table'
        self._initializer = initializer
        super(StaticHashTable, self).__init__(default_value, initializer)

    name = property(lambda self: self._table_name)

    def _create_resource(self):
        handle = apply_op('HashTableV2', shared_name=self._shared_name or '', key_dtype=self._initializer.key_dtype,
                          value_dtype=self._initializer.value_dtype, name=self._name)
        self._table_name = handle.op.name.split('/')[-1]
        return handle

    def export(self, name=None):
        """(keys, values): all entries."""
        with name_scope(name, '%s_Export' % self.name, [self.resource_handle]):
            keys, values = apply_op('LookupTableExportV2', self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype)
        values.set_shape(keys.shape.concatenate(self._default_value.shape))
        return keys, values


class HashTable(StaticHashTable):
    """tf.contrib.lookup.HashTable: shared with other sessions' tables of one store by `shared_name` only."""

    def __init__(self, initializer, default_value, shared_name=None, name=None):  # pylint: disable=super-init-not-called
        self._shared_name, self._name, self._initializer = shared_name, name or 'hash_table', initializer
        InitializableLookupTableBase.__init__(self, default_value, initializer)

    init = property(lambda self: self.initializer)

    def export(self, name=None):
        """See StaticHashTable."""
        with name_scope(name, '%s_Export' % self.name, [self.resource_handle]) as name:
            keys, values = apply_op('LookupTableExportV2', self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype, name=name)
        values.set_shape(keys.shape.concatenate(self._default_value.shape))
        return keys, values


# ---- what fills them

class TableInitializerBase(object):
    """Fills a table: `initialize(table)` gives the operation."""

    _shared_name = ''

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype, self._value_dtype = dtypes_lib.as_dtype(key_dtype), dtypes_lib.as_dtype(value_dtype)

    key_dtype = property(lambda self: self._key_dtype)
    value_dtype = property(lambda self: self._value_dtype)

    def initialize(self, table):
        """The operation that fills the table."""
        raise NotImplementedError('%s.initialize' % type(self).__name__)

    def _check_table(self, table):
        for what in ('key', 'value'):
            here, wanted = getattr(self, what + '_dtype'), getattr(table, what + '_dtype')
            if here.base_dtype != wanted:
                raise TypeError('Invalid %s dtype, expected %s but got %s.' % (what, wanted, here))


class KeyValueTensorInitializer(TableInitializerBase):
    """Entries from two tensors of one length."""

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys, self._values = _outside_of_branches(
            lambda: (convert_to_tensor(keys, dtype=key_dtype, name='keys'), convert_to_tensor(values, dtype=value_dtype, name='values')))
        self._name = 'key_value_init' if name is None else name
        super(KeyValueTensorInitializer, self).__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table):
        """See TableInitializerBase."""
        self._check_table(table)
        with name_scope(self._name, values=[table.resource_handle, self._keys, self._values]):
            op = apply_op('LookupTableImportV2', table.resource_handle, self._keys, self._values)
        graph_lib.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        return op


class TextFileIndex(object):
    """What of a line is a key or a value, besides numbers of columns."""
    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """Entries from the lines of a text file; its name is an asset of a saved model."""

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None, delimiter='\t', name=None):
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError('Filename required for %s.' % name)
        super(TextFileInitializer, self).__init__(key_dtype, value_dtype)
        for what, index in (('key', key_index), ('value', value_index)):
            self._check_part(what, index, getattr(self, what + '_dtype'))
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError('Invalid vocab_size %s.' % vocab_size)
        self._key_index, self._value_index, self._vocab_size = key_index, value_index, vocab_size
        self._delimiter, self._name, self._file = delimiter, name, filename
        self._filename = _outside_of_branches(self._asset)

    def _asset(self):
        with graph_lib.device('CPU'):
            return convert_to_tensor(self._file, dtypes_lib.string, name='asset_path')

    @staticmethod
    def _check_part(what, index, dtype):
        plural = 'Keys' if what == 'key' else 'Values'
        if index < TextFileIndex.WHOLE_LINE:
            raise ValueError('Invalid %s index %s.' % (what, index))
        if index == TextFileIndex.LINE_NUMBER and dtype != dtypes_lib.int64:
            raise ValueError('Signature mismatch. %s must be dtype %s, got %s.' % (plural, dtypes_lib.int64, dtype))
        if index == TextFileIndex.WHOLE_LINE and dtype != dtypes_lib.string:
            if what == 'value':
                raise ValueError('Signature mismatch. Values must be dtype %s, got %s.' % (dtypes_lib.string, dtype))
            if not dtype.is_integer:
                raise ValueError('Signature mismatch. Keys must be integer or string, got %s.' % dtype)

    def initialize(self, table):
        """See TableInitializerBase."""
        self._check_table(table)
        with name_scope(self._name, 'text_file_init', [table.resource_handle]):
            filename = convert_to_tensor(self._filename, dtypes_lib.string, name='asset_filepath')
            op = apply_op('InitializeTableFromTextFileV2', table.resource_handle, filename, key_index=self._key_index,
                          value_index=self._value_index, vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                          delimiter=self._delimiter)
        graph_lib.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        if filename.op.type == 'Const':
            graph_lib.add_to_collection(GraphKeys.ASSET_FILEPATHS, filename)
        return op

    @property
    def _shared_name(self):
        """Tables of one file are one table."""
        parts = [self._file] + ([self._vocab_size] if self._vocab_size else []) + [self._key_index, self._value_index]
        return '_'.join(['hash_table'] + [str(part) for part in parts])


class TextFileStringTableInitializer(TextFileInitializer):
    """From numbers of lines to their texts."""

    def __init__(self, filename, key_column_index=TextFileIndex.LINE_NUMBER, value_column_index=TextFileIndex.WHOLE_LINE, vocab_size=None,
                 delimiter='\t', name='text_file_string_table_init'):
        super(TextFileStringTableInitializer, self).__init__(filename, dtypes_lib.int64, key_column_index, dtypes_lib.string,
                                                             value_column_index, vocab_size=vocab_size, delimiter=delimiter, name=name)


class TextFileIdTableInitializer(TextFileInitializer):
    """From texts of lines to their numbers."""

    def __init__(self, filename, key_column_index=TextFileIndex.WHOLE_LINE, value_column_index=TextFileIndex.LINE_NUMBER, vocab_size=None,
                 delimiter='\t', name='text_file_id_table_init', key_dtype=dtypes_lib.string):
        super(TextFileIdTableInitializer, self).__init__(filename, key_dtype, key_column_index, dtypes_lib.int64, value_column_index,
                                                         vocab_size=vocab_size, delimiter=delimiter, name=name)


# ---- buckets for what is not in the vocabulary

class HasherSpec(collections.namedtuple('HasherSpec', ['hasher', 'key'])):
    """How keys that are in no table become numbers of buckets."""
    __slots__ = ()


FastHashSpec = HasherSpec('fasthash', None)


class StrongHashSpec(HasherSpec):
    """A hash that is keyed with two numbers."""
    __slots__ = ()

    def __new__(cls, key):
        if len(key) != 2:
            raise ValueError('key must have size 2, got %s.' % len(key))
        if not all(isinstance(part, int) and not isinstance(part, bool) for part in key):
            raise TypeError('Invalid key %s. Must be unsigned integer values.' % key)
        return super(StrongHashSpec, cls).__new__(cls, 'stronghash', key)


def _bucket_function(spec):
    if spec.hasher == 'fasthash':
        return strings.string_to_hash_bucket_fast
    if spec.hasher == 'legacy':
        return strings.string_to_hash_bucket
    if spec.hasher == 'stronghash':
        return functools.partial(strings.string_to_hash_bucket_strong, key=spec.key)
    raise ValueError('Unknown hasher %s' % spec.hasher)


def _check_vocabulary(source, key_dtype):
    """That a table or an initializer maps what keys of `key_dtype` become to int64."""
    supported = (dtypes_lib.int64, dtypes_lib.string)
    if source.key_dtype not in supported:
        raise TypeError('Invalid key dtype, expected one of %s, but got %s.' % (supported, source.key_dtype))
    if source.key_dtype.is_integer != key_dtype.is_integer:
        raise TypeError('Invalid key dtype, expected %s but got %s.' % (
            'integer' if key_dtype.is_integer else 'non-integer', source.key_dtype))
    if source.value_dtype != dtypes_lib.int64:
        raise TypeError('Invalid value dtype, expected %s but got %s.' % (dtypes_lib.int64, source.value_dtype))


class IdTableWithHashBuckets(LookupInterface):
    """Ids of a table, and for keys that it lacks one of num_oov_buckets more."""

    def __init__(self, table, num_oov_buckets, hasher_spec=FastHashSpec, name=None, key_dtype=None):
        name = name.rstrip('/') if name else name
        if table:
            key_dtype = table.key_dtype if key_dtype is None else key_dtype
            _check_vocabulary(table, key_dtype)
            name = name or table.name
        else:
            if num_oov_buckets <= 0:
                raise ValueError('oov_buckets must be > 0 if no table is supplied.')
            key_dtype = dtypes_lib.string if key_dtype is None else key_dtype
            name = name or 'hash_bucket'
        if not key_dtype.is_integer and key_dtype != dtypes_lib.string:
            raise TypeError('Invalid key_dtype, expected integer or string, got %s.' % key_dtype)
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError('hasher_spec must be of type HasherSpec, got %s' % hasher_spec)
        self._table, self._num_oov_buckets, self._hasher_spec = table, num_oov_buckets, hasher_spec
        self._table_name = name.split('/')[-1] if name else None
        super(IdTableWithHashBuckets, self).__init__(key_dtype, dtypes_lib.int64)

    name = property(lambda self: self._table_name)
    resource_handle = property(lambda self: self._table.resource_handle if self._table is not None else None)

    @property
    def initializer(self):
        """The operation that fills the table."""
        if self._table is not None:
            return self._table._init_op
        with name_scope(None, 'init'):
            return control.no_op()

    init = initializer

    def size(self, name=None):
        """The number of ids, an int64."""
        with name_scope(name, '%s_Size' % self.name):
            known = self._table.size() if self._table else convert_to_tensor(0, dtype=dtypes_lib.int64)
            return known + self._num_oov_buckets

    def lookup(self, keys, name=None):
        """The ids of keys: a tensor, or the values of a SparseTensor."""
        _check_key_type(keys, self._key_dtype)
        is_sparse = isinstance(keys, sparse.SparseTensor)
        values = keys.values if is_sparse else keys
        if self._table and self._table.key_dtype.base_dtype == dtypes_lib.int64:
            values = math.cast(values, dtypes_lib.int64)
        if self._num_oov_buckets == 0:
            ids = self._table.lookup(values, name=name)
        else:
            with name_scope(name, '%s_Lookup' % self.name):
                ids = self._with_buckets(values)
        return sparse.SparseTensor(keys.indices, ids, keys.dense_shape) if is_sparse else ids

    def _with_buckets(self, values):
        text = values if values.dtype.base_dtype == dtypes_lib.string else strings.as_string(values)
        buckets = _bucket_function(self._hasher_spec)(text, num_buckets=self._num_oov_buckets, name='hash_bucket')
        if not self._table:
            return buckets
        ids = self._table.lookup(values)
        buckets = math.add(buckets, self._table.size())
        return array.where_v2(math.not_equal(ids, self._table.default_value), ids, buckets)


class StaticVocabularyTable(IdTableWithHashBuckets):
    """Ids of a vocabulary, and for keys that it lacks one of num_oov_buckets more."""

    def __init__(self, initializer, num_oov_buckets, lookup_key_dtype=None, name=None):
        if num_oov_buckets <= 0:
            raise ValueError('oov_buckets must be > 0.')
        table = None
        if initializer:
            lookup_key_dtype = initializer.key_dtype if lookup_key_dtype is None else lookup_key_dtype
            _check_vocabulary(initializer, lookup_key_dtype)
            table = StaticHashTable(initializer, default_value=-1)
        else:
            lookup_key_dtype = dtypes_lib.string
        super(StaticVocabularyTable, self).__init__(table, num_oov_buckets, name=name, key_dtype=lookup_key_dtype)


# ---- vocabularies

def _check_buckets(num_oov_buckets):
    if num_oov_buckets < 0:
        raise ValueError('num_oov_buckets must be greater or equal than 0, got %d.' % num_oov_buckets)


def _check_id_keys(dtype):
    if not dtype.is_integer and dtype.base_dtype != dtypes_lib.string:
        raise TypeError('Only integer and string keys are supported.')


def _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype):
    if not num_oov_buckets:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets=num_oov_buckets, hasher_spec=hasher_spec, key_dtype=key_dtype)


def _check_file(vocabulary_file, vocab_size, with_file):
    if vocabulary_file is None or (isinstance(vocabulary_file, (str, bytes)) and not vocabulary_file):
        raise ValueError('vocabulary_file must be specified and must not be empty.')
    if vocab_size is not None and vocab_size < 1:
        shown = vocabulary_file
        if isinstance(shown, Tensor):
            shown = convert.constant_value(shown) or '?'
        raise ValueError('vocab_size must be greater than 0, got %d.%s' % (
            vocab_size, ' vocabulary_file: %s' % shown if with_file else ''))


def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None, default_value=-1, hasher_spec=FastHashSpec,
                          key_dtype=dtypes_lib.string, name=None, key_column_index=TextFileIndex.WHOLE_LINE,
                          value_column_index=TextFileIndex.LINE_NUMBER, delimiter='\t'):
    """A table from the lines of a file to their numbers."""
    _check_file(vocabulary_file, None, True)
    _check_buckets(num_oov_buckets)
    _check_file(vocabulary_file, vocab_size, True)
    _check_id_keys(key_dtype)
    with name_scope(name, 'string_to_index'):
        with name_scope(None, 'hash_table'):
            init = TextFileIdTableInitializer(vocabulary_file, vocab_size=vocab_size,
                                              key_dtype=dtypes_lib.int64 if key_dtype.is_integer else key_dtype, name='table_init',
                                              key_column_index=key_column_index, value_column_index=value_column_index, delimiter=delimiter)
            table = StaticHashTable(init, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


def index_table_from_tensor(vocabulary_list, num_oov_buckets=0, default_value=-1, hasher_spec=FastHashSpec, dtype=dtypes_lib.string, name=None):
    """A table from the elements of a vector to their places."""
    if vocabulary_list is None:
        raise ValueError('vocabulary_list must be specified.')
    _check_buckets(num_oov_buckets)
    _check_id_keys(dtype)
    with name_scope(name, 'string_to_index'):
        keys = convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            raise ValueError('Expected %s, got %s.' % ('integer' if dtype.is_integer else 'non-integer', keys.dtype))
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError('Expected %s, got %s.' % (dtype, keys.dtype))
        values = math.cast(math.range(array.size(keys)), dtypes_lib.int64)
        with name_scope(None, 'hash_table'):
            keys = math.cast(keys, dtypes_lib.int64) if keys.dtype.is_integer else keys
            init = KeyValueTensorInitializer(keys, values, keys.dtype.base_dtype, dtypes_lib.int64, name='table_init')
            table = StaticHashTable(init, default_value)
        return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value='UNK', name=None,
                                    key_column_index=TextFileIndex.LINE_NUMBER, value_column_index=TextFileIndex.WHOLE_LINE, delimiter='\t'):
    """A table from numbers of lines to their texts."""
    _check_file(vocabulary_file, vocab_size, False)
    with name_scope(name, 'index_to_string'):
        init = TextFileStringTableInitializer(vocabulary_file, vocab_size=vocab_size, name='table_init', key_column_index=key_column_index,
                                              value_column_index=value_column_index, delimiter=delimiter)
        return StaticHashTable(init, default_value)


def index_to_string_table_from_tensor(vocabulary_list, default_value='UNK', name=None):
    """A table from places in a vector to its elements."""
    if vocabulary_list is None:
        raise ValueError('vocabulary_list must be specified.')
    with name_scope(name, 'index_to_string'):
        values = convert_to_tensor(vocabulary_list, dtypes_lib.string)
        keys = math.cast(math.range(array.size(values)), dtypes_lib.int64)
        init = KeyValueTensorInitializer(keys, values, dtypes_lib.int64, dtypes_lib.string, name='table_init')
        return StaticHashTable(init, default_value)


# ---- tables that change

class _TableSaveable(SaveableObject):
    """The entries of a table in a checkpoint."""

    def __init__(self, table, name):
        keys, values = table.export()
        super(_TableSaveable, self).__init__(table, [SaveSpec(keys, '', name + '-keys'), SaveSpec(values, '', name + '-values')], name)

    def restore(self, restored_tensors, restored_shapes, name=None):
        """See SaveableObject.restore."""
        with name_scope(name, '%s_table_restore' % self.name):
            with graph_lib.colocate_with(self.op.resource_handle):
                return apply_op('LookupTableImportV2', self.op.resource_handle, restored_tensors[0], restored_tensors[1])


class _ChangingTable(LookupInterface):

    def __init__(self, key_dtype, value_dtype, name, checkpoint):
        super(_ChangingTable, self).__init__(key_dtype, value_dtype)
        self._checkpoint, self._name = checkpoint, name
        self._resource_handle = self._create_resource()
        self._table_name = self._resource_handle.op.name.split('/')[-1]
        if checkpoint:
            graph_lib.add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _TableSaveable(self, name))

    name = property(lambda self: self._table_name)

    def _scope(self, name, what, *values):
        return name_scope(name, '%s_%s' % (self.name, what), _tensors(self.resource_handle, *values))

    def size(self, name=None):
        """See LookupInterface."""
        with self._scope(name, 'Size'), graph_lib.colocate_with(self.resource_handle):
            return apply_op('LookupTableSizeV2', self.resource_handle)

    def remove(self, keys, name=None):
        """The operation that takes keys out of the table."""
        if keys.dtype != self._key_dtype:
            raise TypeError('Signature mismatch. Keys must be dtype %s, got %s.' % (self._key_dtype, keys.dtype))
        with self._scope(name, 'lookup_table_remove', keys, self._default_value):
            return apply_op('LookupTableRemoveV2', self.resource_handle, keys)

    def lookup(self, keys, name=None):
        """See LookupInterface."""
        with self._scope(name, 'lookup_table_find', keys, self._default_value):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name='keys')
            with graph_lib.colocate_with(self.resource_handle):
                return apply_op('LookupTableFindV2', self.resource_handle, keys, self._default_value)

    def insert(self, keys, values, name=None):
        """The operation that sets the values of keys."""
        with self._scope(name, 'lookup_table_insert', keys, values):
            keys = convert_to_tensor(keys, self._key_dtype, name='keys')
            values = convert_to_tensor(values, self._value_dtype, name='values')
            with graph_lib.colocate_with(self.resource_handle):
                return apply_op('LookupTableInsertV2', self.resource_handle, keys, values)

    def export(self, name=None):
        """(keys, values): all that the table holds."""
        with self._scope(name, 'lookup_table_export_values'), graph_lib.colocate_with(self.resource_handle):
            keys, values = apply_op('LookupTableExportV2', self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype)
        return keys, values


class MutableHashTable(_ChangingTable):
    """A table that steps change; with a default value that is no scalar, of tensors. Savers save it unless `checkpoint` is False."""

    def __init__(self, key_dtype, value_dtype, default_value, name='MutableHashTable', checkpoint=True):
        self._default_value = convert_to_tensor(default_value, dtype=value_dtype)
        super(MutableHashTable, self).__init__(key_dtype, value_dtype, name, checkpoint)

    def _create_resource(self):
        attrs = {'use_node_name_sharing': self._checkpoint, 'key_dtype': self._key_dtype, 'value_dtype': self._value_dtype,
                 'name': self._name}
        if self._default_value.shape.ndims == 0:
            return apply_op('MutableHashTableV2', **attrs)
        return apply_op('MutableHashTableOfTensorsV2', value_shape=self._default_value.shape, **attrs)


class DenseHashTable(_ChangingTable):
    """A table that steps change, in which `empty_key` and `deleted_key`, which no entry may have, mark what is free."""

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key, initial_num_buckets=None,
                 name='MutableDenseHashTable', checkpoint=True):
        self._default_value = convert_to_tensor(default_value, dtype=value_dtype, name='default_value')
        self._initial_num_buckets = initial_num_buckets
        self._empty_key = convert_to_tensor(empty_key, dtype=key_dtype, name='empty_key')
        self._deleted_key = convert_to_tensor(deleted_key, dtype=key_dtype, name='deleted_key')
        super(DenseHashTable, self).__init__(key_dtype, value_dtype, name, checkpoint)

    def _create_resource(self):
        return apply_op('MutableDenseHashTableV2', self._empty_key, self._deleted_key, use_node_name_sharing=self._checkpoint,
                        value_dtype=self._value_dtype, value_shape=self._default_value.shape,
                        initial_num_buckets=self._initial_num_buckets, name=self._name)

    def insert_or_assign(self, keys, values, name=None):
        """insert."""
        return self.insert(keys, values, name)

    def erase(self, keys, name=None):
        """remove."""
        return self.remove(keys, name)


MutableDenseHashTable = DenseHashTable

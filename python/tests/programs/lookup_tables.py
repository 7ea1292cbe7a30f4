"""tf.lookup and tf.contrib.lookup: tables from tensors and files, buckets, tables that change, checkpoints of them."""
import itertools
import os
import tempfile
import uuid

import numpy as np
import tensorflow as tf

numbers, random_name = itertools.count(), uuid.uuid4
uuid.uuid4 = lambda: 'number-%d' % next(numbers)
os.chdir(tempfile.mkdtemp())
lookup = tf.contrib.lookup


def told(function):
    try:
        made = function()
        print(made if isinstance(made, str) else sess.run(made))
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0].split(' [[')[0].split(" for '")[0])


def entries(table):
    """All that a table holds, sorted."""
    keys, values = sess.run(table.export())
    return sorted((np.asarray(k).ravel().tolist(), np.asarray(v).ravel().tolist()) for k, v in zip(keys, values))


for name, text in [('words.txt', 'x\ny\r\nz\n'), ('pairs.txt', '1\tone\n2\ttwo\n'), ('numbers.txt', '10\n20\n'), ('twice.txt', 'a\na\n'),
                   ('commas.txt', 'k,0.5,v\nl,-1.5,w')]:
    with open(name, 'w') as f:
        f.write(text)

sess = tf.Session()

# ---- filled once
words = tf.constant(['a', 'x', 'b'])
table = lookup.HashTable(lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1)
found = table.lookup(words)
print(table.name, found.name, found.shape, table.key_dtype, table.value_dtype, table.init.name, table.init is table.initializer)
told(lambda: found)
told(lambda: table.init)
told(lambda: table.init)
told(lambda: found)
told(lambda: table.size())
print(entries(table))
told(lambda: tf.raw_ops.LookupTableInsertV2(table_handle=table.resource_handle, keys=['c'], values=[3]))
told(lambda: tf.raw_ops.LookupTableImportV2(table_handle=table.resource_handle, keys=['c'], values=[3]))
told(lambda: tf.raw_ops.LookupTableRemoveV2(table_handle=table.resource_handle, keys=['c']))
told(lambda: tf.raw_ops.LookupTableFindV2(table_handle=table.resource_handle, keys=[1], default_value=3))
told(lambda: tf.raw_ops.LookupTableFindV2(table_handle=table.resource_handle, keys=['a'], default_value=3.0))
told(lambda: tf.raw_ops.LookupTableFindV2(table_handle=table.resource_handle, keys=['a'], default_value=[3, 3]))
told(lambda: table.lookup(tf.constant([1, 2])))
told(lambda: lookup.HashTable(lookup.KeyValueTensorInitializer(['a', 'a'], [1, 2]), -1).init)
told(lambda: lookup.HashTable(lookup.KeyValueTensorInitializer(['a', 'a'], [1, 1]), -1).init)
sparse = table.lookup(tf.SparseTensor([[0, 1], [2, 0]], ['b', 'q'], [3, 2]))
print(sess.run(sparse).values, sparse.dense_shape.shape)
reals = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(tf.constant([1, 2], tf.int64), [0.5, 1.5]), -1.0, name='reals')
told(lambda: reals.initializer)
told(lambda: reals.lookup(tf.constant([[2, 3]], tf.int64)))

# ---- files
tf.get_default_graph().clear_collection(tf.GraphKeys.TABLE_INITIALIZERS)
ids = lookup.index_table_from_file('words.txt', num_oov_buckets=3, name='ids')
plain = lookup.index_table_from_file('words.txt', vocab_size=2, default_value=9)
names = lookup.index_to_string_table_from_file('words.txt', default_value='?')
by_number = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer('pairs.txt', tf.int64, 0, tf.string, 1), 'none')
by_name = lookup.HashTable(lookup.TextFileInitializer('commas.txt', tf.string, 2, tf.float32, 1, delimiter=','), 0.0)
whole = lookup.HashTable(lookup.TextFileInitializer('pairs.txt', tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.string, 1), '-')
wide = lookup.index_table_from_file('numbers.txt', num_oov_buckets=2, key_dtype=tf.int32)
strong = lookup.index_table_from_tensor(['u', 'v'], num_oov_buckets=5, hasher_spec=lookup.StrongHashSpec([1, 2]))
of_numbers = lookup.index_table_from_tensor([10, 20, 30], dtype=tf.int32, num_oov_buckets=1)
of_places = lookup.index_to_string_table_from_tensor(tf.constant(['u', 'v']))
vocabulary = tf.lookup.StaticVocabularyTable(tf.lookup.TextFileInitializer('words.txt', tf.string, -2, tf.int64, -1), 4, name='vocabulary')
buckets = lookup.IdTableWithHashBuckets(None, 7)
print([t.name for t in tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)], len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)),
      ids.name, vocabulary.name, ids.lookup(words).name)
with tf.Session() as fresh:
    fresh.run(tf.tables_initializer())
    print(fresh.run(names.lookup(tf.constant([2], tf.int64))))
sess.run([t.initializer for t in (ids, plain, names, by_number, by_name, whole, wide, strong, of_numbers, of_places, vocabulary)])
told(lambda: ids.lookup(tf.constant(['y', 'q', 'zz'])))
told(lambda: ids.size())
told(lambda: plain.lookup(tf.constant(['y', 'z'])))
told(lambda: names.lookup(tf.constant([0, 1, 9], tf.int64)))
told(lambda: by_number.lookup(tf.constant([2, 5], tf.int64)))
told(lambda: by_name.lookup(tf.constant(['w', 'x'])))
told(lambda: whole.lookup(tf.constant(['1\tone', '1'])))
told(lambda: wide.lookup(tf.constant([20, 7])))
told(lambda: strong.lookup(tf.constant(['v', 'w', 'x'])))
told(lambda: of_numbers.lookup(tf.constant([20, 9])))
told(lambda: of_places.lookup(tf.constant([1, 9], tf.int64)))
told(lambda: vocabulary.lookup(tf.constant(['z', 'w'])))
told(lambda: buckets.lookup(words))
told(lambda: buckets.size())
told(lambda: lookup.string_to_index(words, ['a', 'b']).name)
for initializer in [lookup.TextFileIdTableInitializer('words.txt', vocab_size=5), lookup.TextFileIdTableInitializer('twice.txt'),
                    lookup.TextFileInitializer('pairs.txt', tf.int64, 1, tf.string, 0),
                    lookup.TextFileInitializer('pairs.txt', tf.int64, 0, tf.string, 2),
                    lookup.TextFileInitializer('pairs.txt', tf.int64, 0, tf.string, 1, delimiter=', ')]:
    told(lambda: lookup.HashTable(initializer, -1 if initializer.value_dtype == tf.int64 else '').init)
try:
    sess.run(lookup.index_table_from_file('nowhere.txt').initializer)
except tf.errors.NotFoundError:
    print('no file')
told(lambda: lookup.index_table_from_file(''))
told(lambda: lookup.index_table_from_file('words.txt', num_oov_buckets=-1))
told(lambda: lookup.index_table_from_file('words.txt', vocab_size=0))
told(lambda: lookup.index_table_from_file('words.txt', key_dtype=tf.float32))
told(lambda: lookup.index_table_from_tensor(None))
told(lambda: lookup.index_table_from_tensor([1, 2]))
told(lambda: lookup.TextFileInitializer('words.txt', tf.string, -1, tf.int64, -1))
told(lambda: lookup.TextFileInitializer('words.txt', tf.float32, -2, tf.int64, -1))
told(lambda: lookup.TextFileInitializer('words.txt', tf.string, -3, tf.int64, -1))
told(lambda: lookup.TextFileInitializer('', tf.string, -2, tf.int64, -1))
told(lambda: lookup.IdTableWithHashBuckets(None, 0))
told(lambda: lookup.IdTableWithHashBuckets(reals, 1))
told(lambda: lookup.StrongHashSpec([1]))

# ---- tables that change
table = lookup.MutableHashTable(tf.string, tf.int64, -1)
shape = table.lookup(tf.placeholder(tf.string, [3, None])).shape
print(table.name, shape, [part.shape for part in table.export()])
told(lambda: table.insert(tf.constant(['x', 'y', 'x']), tf.constant([1, 2, 3], tf.int64)))
told(lambda: table.lookup(tf.constant(['x', 'q'])))
told(lambda: table.remove(tf.constant(['x', 'zz'])))
print(entries(table), sess.run(table.size()))
told(lambda: table.insert(tf.constant(['x', 'y']), tf.constant([1], tf.int64)))
told(lambda: table.remove(tf.constant([1])))
tensors = lookup.MutableHashTable(tf.string, tf.float32, [0., 0.], name='tensors')
print(tensors.lookup(tf.placeholder(tf.string, [3])).shape)
told(lambda: tensors.insert(tf.constant(['x', 'y', 'z']), tf.constant([[1., 2], [3, 4], [5, 6]])))
told(lambda: tensors.remove(tf.constant(['x'])))
told(lambda: tensors.lookup(tf.constant([['z', 'q']])))
print(entries(tensors))
told(lambda: tensors.insert(tf.constant(['x', 'y']), tf.constant([1., 2])))
dense = lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=5, deleted_key=6, initial_num_buckets=4, name='dense')
for i in (0, 1, 3, 4, 5):
    told(lambda: dense.insert(tf.constant([i * 3], tf.int64), tf.constant([i], tf.int64)))
told(lambda: dense.insert(tf.constant([6], tf.int64), tf.constant([1], tf.int64)))
told(lambda: dense.lookup(tf.constant([5], tf.int64)))
told(lambda: dense.remove(tf.constant([3, 99], tf.int64)))
told(lambda: dense.insert(tf.constant([15, 19], tf.int64), tf.constant([77, 78], tf.int64)))
told(lambda: dense.lookup(tf.constant([15, 19, 3, 9], tf.int64)))
told(lambda: dense.size())
print([part.tolist() for part in sess.run(dense.export())])
pairs = lookup.MutableDenseHashTable(tf.int64, tf.int64, [-1, -1], empty_key=[0, 0], deleted_key=[9, 9], initial_num_buckets=4, name='pairs',
                                     checkpoint=False)
told(lambda: pairs.insert(tf.constant([[1, 2], [3, 4]], tf.int64), tf.constant([[1, 1], [2, 2]], tf.int64)))
told(lambda: pairs.lookup(tf.constant([[1, 2], [5, 5]], tf.int64)))
print([part.tolist() for part in sess.run(pairs.export())])
told(lambda: pairs.lookup(tf.constant([1], tf.int64)))
texts = lookup.MutableDenseHashTable(tf.string, tf.float32, 0., empty_key='', deleted_key='-', initial_num_buckets=4, name='texts')
told(lambda: texts.insert(tf.constant(['a', 'b']), tf.constant([1., 2.])))
print([part.tolist() for part in sess.run(texts.export())])
told(lambda: lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=5, deleted_key=5, name='same').size())
told(lambda: lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=5, deleted_key=6, initial_num_buckets=3, name='three').size())

# ---- checkpoints
uuid.uuid4 = random_name
saver = tf.train.Saver([tf.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)[i] for i in range(4)])
path = saver.save(sess, 'tables.ckpt')
print([(name, tf.train.load_checkpoint(path).get_tensor(name).shape) for name, _ in tf.train.list_variables(path)])
with tf.Session() as other:
    saver.restore(other, path)
    print(sorted(zip(*[part.tolist() for part in other.run(table.export())])), other.run(dense.lookup(tf.constant([15, 19, 3], tf.int64))),
          other.run(dense.size()), other.run(texts.lookup(tf.constant(['a', 'c']))))

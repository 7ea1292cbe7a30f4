"""tf.parse_example and its relatives: all kinds of features, defaults, errors; sequence examples."""
import numpy as np
import tensorflow as tf


def feature(values):
    if not values:
        return tf.train.Feature()
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def features(values):
    return tf.train.Features(feature={key: feature(value) for key, value in values.items()})


def example(**values):
    return tf.train.Example(features=features(values)).SerializeToString(deterministic=True)


def sequence(context, **lists):
    return tf.train.SequenceExample(
        context=features(context),
        feature_lists=tf.train.FeatureLists(feature_list={
            key: tf.train.FeatureList(feature=[feature(step) for step in steps]) for key, steps in lists.items()})).SerializeToString(deterministic=True)


sess = tf.Session()


def shown(value):
    """Values by key."""
    if isinstance(value, dict):
        return {key: shown(value[key]) for key in sorted(value)}
    if isinstance(value, (tuple, list)) and not hasattr(value, 'dense_shape'):
        return [shown(part) for part in value]
    if hasattr(value, 'dense_shape'):
        return [value.indices.tolist(), value.values.tolist(), value.dense_shape.tolist()]
    return np.asarray(value).tolist()


def told(function):
    try:
        tensors = function()
        print(shown(sess.run(tensors)))
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0].split(' [[')[0].split(' for \'')[0].split('_list {')[0])


fixed, variable, rows = tf.FixedLenFeature, tf.VarLenFeature, tf.FixedLenSequenceFeature
first = example(age=[31], height=[1.5, 2.5], name=[b'ann'], tags=[b'a', b'b'], ids=[3, 5, 7], weights=[0.5, 1.5, 2.5])
second = example(age=[-(2 ** 40)], height=[-1.0, 1e30], name=[b''], ids=[2 ** 62], weights=[9.0], extra=[1, 2, 3], nothing=None)

# ---- batches
everything = {'age': fixed([], tf.int64), 'height': fixed([2], tf.float32), 'name': fixed([], tf.string), 'tags': variable(tf.string),
              'ids': variable(tf.int64), 'weights': rows([], tf.float32, allow_missing=True),
              'absent': fixed([2, 1], tf.float32, default_value=[[1.0], [2.0]]), 'no': variable(tf.float32)}
parsed = tf.parse_example([first, second], everything)
print([(key, str(parsed[key].dtype), str(parsed[key].shape)) for key in sorted(parsed)])
told(lambda: parsed)
serialized = tf.placeholder(tf.string, [None], name='serialized')
fed = tf.parse_example(serialized, {'age': fixed((), tf.int64), 'ids': variable(tf.int64)}, name='fed')
print(fed['age'].name, fed['age'].shape, fed['ids'].values.name, fed['ids'].indices.shape)
print(shown(sess.run(fed, {serialized: [second] * 3})), shown(sess.run(fed, {serialized: []})))
many = [example(x=[i], y=[float(i)] * (i % 3), z=[b'%d' % i]) for i in range(1000)]
total = tf.parse_example(many, {'x': fixed([], tf.int64), 'y': variable(tf.float32), 'z': fixed([], tf.string)})
x, y, z = sess.run([total['x'], total['y'], total['z']])
print(x.sum(), y.values.sum(), y.dense_shape, y.indices[-1], z[-3:])
told(lambda: tf.parse_example([first, second], {'weights': rows([], tf.float32, allow_missing=True, default_value=-1.0)}))
told(lambda: tf.parse_example([example(r=[1, 2]), example(r=[1, 2, 3, 4]), b''], {'r': rows([2], tf.int64, True, 8)}))
told(lambda: tf.parse_example([example(r=[b'p']), b''], {'r': rows([], tf.string, True)}))
told(lambda: tf.parse_example([example(i=[3, 1], v=[3.0, 1.0])], {'s': tf.SparseFeature('i', 'v', tf.float32, 10)}))
told(lambda: tf.parse_example([example(i=[3, 1], j=[2, 0], v=[3.0, 1.0]), example(i=[4], j=[4], v=[4.0])],
                              {'s': tf.SparseFeature(['i', 'j'], 'v', tf.float32, [10, 5]), 'k': variable(tf.float32)}))
told(lambda: tf.parse_example([example(a=[1.0]), example(a=[2.0])], {'a': fixed([], tf.float32), 'b': fixed([], tf.string, 'none')},
                              example_names=['first', 'second']))

# ---- one
told(lambda: tf.parse_single_example(first, everything))
one = tf.parse_single_example(tf.placeholder(tf.string), {'a': fixed([2, 2], tf.float32), 'b': variable(tf.int64)}, name='one')
print(one['a'].name, one['a'].shape, one['b'].indices.shape, one['b'].dense_shape.shape)
told(lambda: tf.parse_single_example(first, {'ids': variable(tf.int64), 'age': fixed([], tf.int64)}, example_names='ann'))
told(lambda: tf.io.parse_single_example(first, {'weights': rows([], tf.float32, allow_missing=True)}))

# ---- errors
for parse in (lambda f, *e: tf.parse_example(list(e), f), lambda f, *e: tf.parse_example(list(e), f, example_names=['n%d' % i for i in range(len(e))]),
              lambda f, *e: tf.parse_single_example(e[0], f)):
    told(lambda: parse({'a': fixed([], tf.float32)}, example(b=[1.0])))
    told(lambda: parse({'a': fixed([], tf.float32)}, example(a=[1])))
    told(lambda: parse({'a': variable(tf.string)}, example(a=[1])))
    told(lambda: parse({'a': variable(tf.string)}, example(a=None)))
    told(lambda: parse({'a': fixed([], tf.float32)}, b''))
told(lambda: tf.parse_example([example(a=[1.0])], {'a': fixed([2], tf.float32)}))
told(lambda: tf.parse_example([example(a=[1]), example(a=[1, 2])], {'a': fixed([], tf.int64)}))
told(lambda: tf.parse_example([example(a=[b'1'])], {'a': fixed([2], tf.string)}))
told(lambda: tf.parse_example([example(a=[1.0])], {'a': rows([2], tf.float32, allow_missing=True)}))
told(lambda: tf.parse_example([first], {'a': rows([2], tf.float32)}))
told(lambda: tf.parse_example([first], {'age': fixed([], tf.int64)}, example_names=['a', 'b']))
told(lambda: tf.parse_example(first, {'age': fixed([], tf.int64)}))
told(lambda: tf.parse_single_example([first], {'age': fixed([], tf.int64)}))
told(lambda: tf.parse_example([first], {}))
told(lambda: tf.parse_example([first], {'a': fixed([None], tf.float32)}))
told(lambda: tf.parse_example([first], {'a': fixed(None, tf.float32)}))
told(lambda: tf.parse_example([first], {'a': fixed([], None)}))
told(lambda: tf.parse_example([first], {'a': fixed([2, None], tf.float32)}))
told(lambda: tf.parse_example([first], {'a': tf.SparseFeature(None, 'v', tf.float32, 10)}))
told(lambda: tf.parse_example([first], {'a': 3}))

# ---- sequences
movie = sequence({'length': [3], 'genre': [b'x', b'y']}, frames=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], words=[[b'a'], [b'b', b'c'], None],
                 labels=[[1], [2], [3]])
context, lists = tf.parse_single_sequence_example(
    movie, {'length': fixed([], tf.int64), 'genre': variable(tf.string), 'year': fixed([], tf.int64, default_value=1999), 'no': variable(tf.int64)},
    {'frames': rows([2], tf.float32), 'words': variable(tf.string), 'labels': rows([], tf.int64), 'gone': rows([3], tf.int64, allow_missing=True),
     'never': variable(tf.float32)})
print([(key, str(value.shape)) for part in (context, lists) for key, value in sorted(part.items())])
told(lambda: (context, lists))
short = sequence({'length': [1]}, frames=[[7.0, 8.0]], words=[[b'z']])
batch = tf.io.parse_sequence_example(
    [movie, short], {'length': fixed([], tf.int64), 'genre': variable(tf.string)},
    {'frames': rows([2], tf.float32), 'words': variable(tf.string), 'labels': rows([], tf.int64, allow_missing=True)}, name='batch')
print([(key, str(value.shape)) for part in batch for key, value in sorted(part.items())])
told(lambda: batch)
for name in (None, 'movie'):
    def parse(serialized, **asked):
        return tf.parse_single_sequence_example(serialized, example_name=name, **asked)
    told(lambda: parse(sequence({'a': [1]}), context_features={'b': fixed([], tf.int64)}))
    told(lambda: parse(sequence({'a': [1, 2]}), context_features={'a': fixed([], tf.int64, 3)}))
    told(lambda: parse(sequence({}, l=[[1], [2]]), sequence_features={'m': rows([], tf.int64)}))
    told(lambda: parse(sequence({}, l=[[1], [2, 3]]), sequence_features={'l': rows([], tf.int64)}))
    told(lambda: parse(sequence({}, l=[[1], [2, 3]]), sequence_features={'l': variable(tf.int64)}))
    told(lambda: parse(sequence({}, l=[]), sequence_features={'l': variable(tf.int64)}))
told(lambda: tf.parse_single_sequence_example(movie))
told(lambda: tf.parse_single_sequence_example(movie, {'a': rows([], tf.int64)}))
told(lambda: tf.parse_single_sequence_example(movie, None, {'a': fixed([], tf.int64)}))

# ---- bytes of one length, JSON
padded = tf.raw_ops.DecodePaddedRaw(input_bytes=['\x01', '\x01\x02\x03', ''], fixed_length=2, out_type=tf.uint8)
print(padded.shape, sess.run(padded).tolist())
told(lambda: tf.raw_ops.DecodePaddedRaw(input_bytes=[b'\x01\x02\x03\x04'], fixed_length=4, out_type=tf.int16, little_endian=False))
told(lambda: tf.raw_ops.DecodePaddedRaw(input_bytes=['a'], fixed_length=tf.placeholder_with_default(3, []), out_type=tf.int16))
told(lambda: tf.raw_ops.DecodePaddedRaw(input_bytes=['a'], fixed_length=tf.placeholder_with_default(0, []), out_type=tf.int16))
told(lambda: tf.decode_json_example('{"features": {"feature": {"i": {"int64_list": {"value": ["7"]}}}}}'))
told(lambda: tf.parse_single_example(tf.decode_json_example('{"features": {"feature": {"i": {"int64_list": {"value": [7, 8]}}}}}'),
                                     {'i': variable(tf.int64)}))
told(lambda: tf.shape(tf.decode_json_example(['{}', '{}'])))

"""Datasets that call functions: values, order, structures, captures and errors. Each case has a graph of its own."""
import collections

import numpy as np
import tensorflow as tf

Dataset, experimental = tf.data.Dataset, tf.data.experimental
Point = collections.namedtuple('Point', ['x', 'y'])


def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in sorted(value.items())}
    if isinstance(value, tuple):
        return tuple(plain(v) for v in value)
    return value.tolist() if hasattr(value, 'tolist') else value


def show(name, build, most=40, seed=None):
    """Prints all elements of a dataset, through a one-shot iterator, and how it ends."""
    with tf.Graph().as_default():
        if seed is not None:
            tf.set_random_seed(seed)
        try:
            dataset = build()
        except (TypeError, ValueError) as error:
            print(name, type(error).__name__)
            return
        print(name, dataset.output_types, dataset.output_shapes)
        following = dataset.make_one_shot_iterator().get_next()
        with tf.Session() as sess:
            for _ in range(most):
                try:
                    print(' ', plain(sess.run(following)))
                except tf.errors.OutOfRangeError:
                    print('  end')
                    break
                except tf.errors.OpError as error:
                    print(' ', type(error).__name__)


# ---- map
show('map', lambda: Dataset.range(4).map(lambda x: x * 2 + 1))
show('map to two', lambda: Dataset.range(3).map(lambda x: (x, tf.cast(x, tf.float32) / 2)))
show('map of two', lambda: Dataset.zip((Dataset.range(3), Dataset.range(10, 13))).map(lambda a, b: a * b))
show('map of a nested tuple', lambda: Dataset.zip((Dataset.range(3), (Dataset.range(5, 8), Dataset.range(2, 5)))).map(
    lambda a, bc: a + bc[0] * bc[1]))
show('map of a dict', lambda: Dataset.from_tensor_slices({'a': [1, 2], 'b': [3., 4.]}).map(lambda d: {'c': d['a'], 'd': d['b'] * 2}))
show('map to a named tuple', lambda: Dataset.range(2).map(lambda x: Point(x, -x)).map(lambda p: p.x - p.y))
show('map to a list', lambda: Dataset.range(2).map(lambda x: [x, x + 1]))
show('map to a constant', lambda: Dataset.range(2).map(lambda x: 7))
show('map to an array', lambda: Dataset.range(2).map(lambda x: np.array([1.5, 2.5])))
show('map of strings', lambda: Dataset.from_tensor_slices(['a,b', 'c']).map(lambda s: tf.strings.join([s, '!'])))
show('map that changes shapes', lambda: Dataset.range(3).map(lambda x: tf.fill([x], x)))
show('map to nothing', lambda: Dataset.range(2).map(lambda x: None))
show('parallel map', lambda: Dataset.range(20).map(lambda x: x * x, num_parallel_calls=4))
show('auto map', lambda: Dataset.range(5).map(lambda x: x * x, num_parallel_calls=experimental.AUTOTUNE))
show('parallel map of errors', lambda: Dataset.range(5).map(
    lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 2, tf.float32), 'bad'), num_parallel_calls=2))
show('map of errors', lambda: Dataset.range(4).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 2, tf.float32), 'bad')))
show('map with assert', lambda: Dataset.range(3).map(lambda x: tf.Assert(x < 1, [x]) and x))
show('two maps', lambda: Dataset.range(3).map(lambda x: x + 1).map(lambda x: x * 10))
show('cond in map', lambda: Dataset.range(4).map(lambda x: tf.cond(tf.equal(x % 2, 0), lambda: x * 10, lambda: -x)))
show('map in repeat', lambda: Dataset.range(2).map(lambda x: x + 5).repeat(3))
show('map and batch by hand', lambda: Dataset.range(5).map(lambda x: x + 5).batch(2))

# ---- captures
show('captured tensor', lambda: (lambda k: Dataset.range(3).map(lambda x: x + k))(tf.constant(10, tf.int64)))
show('captured twice', lambda: (lambda k: Dataset.range(3).map(lambda x: x * k + k))(tf.constant(10, tf.int64)))
show('captured in a nested function', lambda: (lambda k: Dataset.range(3).flat_map(
    lambda x: Dataset.range(x).map(lambda y: x * k + y)))(tf.constant(10, tf.int64)))
show('captured result', lambda: (lambda k: Dataset.range(2).map(lambda x: k))(tf.constant(10, tf.int64)))

# ---- flat_map, interleave
show('flat_map', lambda: Dataset.range(4).flat_map(lambda x: Dataset.range(x)))
show('flat_map of slices', lambda: Dataset.from_tensor_slices([[1, 2], [3, 4]]).flat_map(Dataset.from_tensor_slices))
show('flat_map to no dataset', lambda: Dataset.range(4).flat_map(lambda x: x))
for cycle, block in [(1, 1), (2, 1), (2, 2), (3, 1), (3, 4), (10, 2)]:
    for parallel in (None, 2):
        show('interleave %d %d' % (cycle, block), lambda: Dataset.range(1, 6).interleave(
            lambda x: Dataset.from_tensors(x).repeat(x), cycle, block, num_parallel_calls=min(parallel, cycle) if parallel else None))
    show('parallel_interleave', lambda: Dataset.range(1, 6).apply(experimental.parallel_interleave(
        lambda x: Dataset.from_tensors(x).repeat(x), cycle, block)))
show('windows', lambda: Dataset.range(7).window(3, drop_remainder=True).flat_map(lambda w: w.batch(3)))
show('windows of two', lambda: Dataset.zip((Dataset.range(4), Dataset.range(4, 8))).window(2).flat_map(
    lambda a, b: Dataset.zip((a, b.batch(2)))))

# ---- filter, take_while
show('filter', lambda: Dataset.range(9).filter(lambda x: tf.equal(x % 3, 0)))
show('filter of two', lambda: Dataset.zip((Dataset.range(4), Dataset.range(4, 0, -1))).filter(lambda a, b: a < b))
show('filter of a dict', lambda: Dataset.from_tensor_slices({'a': [1, 2, 3]}).filter(lambda d: d['a'] > 1))
show('filter of everything', lambda: Dataset.range(9).filter(lambda x: False))
show('filter by a number', lambda: Dataset.range(9).filter(lambda x: x))
show('take_while', lambda: Dataset.range(9).apply(experimental.take_while(lambda x: x < 4)))

# ---- scan, reduce
show('scan', lambda: Dataset.range(5).apply(experimental.scan(np.int64(0), lambda s, x: (s + x, s * 10 + x))))
show('scan with a nested state', lambda: Dataset.range(4).apply(experimental.scan(
    (np.int64(0), np.int64(1)), lambda s, x: ((s[1], s[0] + s[1]), (s[0], x)))))
show('scan with growing state', lambda: Dataset.range(3).apply(experimental.scan(
    tf.zeros([0], tf.int64), lambda s, x: (tf.concat([s, [x]], 0), tf.size(s)))))
show('scan of another type', lambda: Dataset.range(3).apply(experimental.scan(0.0, lambda s, x: (x, x))))
with tf.Graph().as_default(), tf.Session() as sess:
    print('reduce', sess.run(Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x)))
    print('reduce of two', plain(sess.run(Dataset.zip((Dataset.range(5), Dataset.range(5, 10))).reduce(
        (np.int64(0), np.int64(1)), lambda s, x: (s[0] + x[0], s[1] + x[1])))))
    print('reduce nothing', sess.run(Dataset.range(0).reduce(np.int64(3), lambda s, x: s + x)))
    print('count', sess.run(Dataset.range(7).filter(lambda x: x > 2).reduce(np.int64(0), lambda s, _: s + 1)))

# ---- groups
show('group_by_window', lambda: Dataset.range(11).apply(experimental.group_by_window(
    lambda x: x % 3, lambda key, window: window.batch(2), window_size=2)))
show('group_by_window with sizes', lambda: Dataset.range(9).apply(experimental.group_by_window(
    lambda x: x % 2, lambda key, window: window.batch(10), window_size_func=lambda key: key + 2)))
show('group_by_window of two', lambda: Dataset.zip((Dataset.range(6), Dataset.range(6, 12))).apply(experimental.group_by_window(
    lambda a, b: a % 2, lambda key, window: window.map(lambda a, b: a * 100 + b), window_size=3)))
show('group_by_reducer', lambda: Dataset.range(7).apply(experimental.group_by_reducer(
    lambda x: x % 3, experimental.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s * 10))))
show('bucket of size 0', lambda: Dataset.range(3).apply(experimental.group_by_window(
    lambda x: x % 2, lambda key, window: window.batch(2), window_size=0)))

# ---- map_and_batch
show('map_and_batch', lambda: Dataset.range(7).apply(experimental.map_and_batch(lambda x: x * 2, 3)))
show('map_and_batch to two', lambda: Dataset.range(7).apply(experimental.map_and_batch(
    lambda x: (x, [x, x]), 3, num_parallel_calls=2, drop_remainder=True)))
show('map_and_batch of errors', lambda: Dataset.range(6).apply(experimental.map_and_batch(
    lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x - 3, tf.float32), 'bad'), 2)), most=5)
show('map_and_batch of shapes', lambda: Dataset.range(1, 4).apply(experimental.map_and_batch(lambda x: tf.fill([x], x), 2)), most=2)

# ---- py_func, generators
show('py_func', lambda: Dataset.range(3).map(lambda x: tf.py_func(lambda v: v * 100, [x], tf.int64)))
show('py_func to two', lambda: Dataset.range(3).map(lambda x: tuple(tf.py_func(lambda v: (v, np.float32(v)), [x], [tf.int64, tf.float32]))))
show('py_func in parallel', lambda: Dataset.range(8).map(lambda x: tf.py_func(lambda v: v * 100, [x], tf.int64), 3))


def refuses(v):
    if v == 1:
        raise ValueError('not one')
    return v


show('py_func that raises', lambda: Dataset.range(3).map(lambda x: tf.py_func(refuses, [x], tf.int64)))


def pairs():
    for i in range(3):
        yield i, [i, i + 1]


show('generator', lambda: Dataset.from_generator(pairs, (tf.int64, tf.int32), ([], [2])))
show('generator without shapes', lambda: Dataset.from_generator(lambda: iter([[1], [2, 3]]), tf.int32))
show('generator of strings', lambda: Dataset.from_generator(lambda: iter(['a', 'bc']), tf.string, []))
show('generator of dicts', lambda: Dataset.from_generator(lambda: iter([{'a': 1}, {'a': 2}]), {'a': tf.int32}, {'a': []}))
show('generator with arguments', lambda: Dataset.from_generator(lambda n: iter(range(n)), tf.int64, [], args=(4,)))
show('generator twice', lambda: Dataset.from_generator(pairs, (tf.int64, tf.int32), ([], [2])).repeat(2))
show('generator of a wrong shape', lambda: Dataset.from_generator(lambda: iter([[1], [2, 3]]), tf.int32, [1]), most=3)
show('generator of a wrong type', lambda: Dataset.from_generator(lambda: iter([1, 'a']), tf.int32, []), most=2)

# ---- random numbers in functions
for seed in (None, 3):
    for op_seed in (5,) if seed is None else (None, 5):
        show('random %s %s' % (seed, op_seed), lambda: Dataset.range(3).map(lambda x: tf.random_uniform([2], seed=op_seed)), seed=seed)
        show('random epochs %s %s' % (seed, op_seed), lambda: Dataset.range(2).map(
            lambda x: tf.random_uniform([], seed=op_seed)).repeat(2), seed=seed)
show('random after a capture', lambda: (lambda k: Dataset.range(2).map(lambda x: k + tf.random_normal([])))(tf.constant(0.0)), seed=3)
show('two random ops', lambda: Dataset.range(2).map(lambda x: (tf.random_uniform([]), tf.random_uniform([], 0, 10, tf.int32))), seed=3)
show('random in two maps', lambda: Dataset.range(2).map(lambda x: tf.random_uniform([])).map(lambda x: x + tf.random_uniform([])), seed=3)
show('random in flat_map', lambda: Dataset.range(3).flat_map(
    lambda x: Dataset.range(2).map(lambda y: tf.random_uniform([], seed=1))), seed=3)
show('random filter', lambda: Dataset.range(20).filter(lambda x: tf.random_uniform([], seed=1) < 0.5), seed=3)

# ---- initializable iterators with captured placeholders, variables and tables
with tf.Graph().as_default():
    n = tf.placeholder(tf.int64, [])
    w = tf.get_variable('w', [], initializer=tf.constant_initializer(2.0))
    r = tf.get_variable('r', [], initializer=tf.constant_initializer(3.0), use_resource=True)
    table = tf.contrib.lookup.HashTable(tf.contrib.lookup.KeyValueTensorInitializer(tf.constant([0, 1], tf.int64), ['zero', 'one']), 'many')
    dataset = Dataset.range(3).map(lambda x: (x + n, tf.cast(x, tf.float32) * w * r, table.lookup(x), tf.random_uniform([], seed=4)))
    iterator = dataset.make_initializable_iterator()
    following = iterator.get_next()
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for value in (10, 20):
            sess.run(iterator.initializer, {n: value})
            for _ in range(3):
                print('captures', plain(tuple(sess.run(following))))
        sess.run(iterator.initializer, {n: 30})
        sess.run(r.assign(5.0))
        print('after assign', plain(tuple(sess.run(following))), plain(tuple(sess.run(following))))

"""Staging areas, maps of them, barriers."""
import numpy as np
import tensorflow as tf

sess = tf.Session()
raw = tf.raw_ops


def told(function):
    try:
        fetched = sess.run(function())
        print(*fetched if isinstance(fetched, (list, tuple)) else [fetched])
    except (ValueError, TypeError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0].split(' [[')[0])


# ---- first in, first out
area = tf.contrib.staging.StagingArea([tf.float32, tf.int32], shapes=[[2], []], capacity=2)
put = area.put([tf.constant([1., 2.]), tf.constant(3)])
x, y = area.get()
print(area.name, put.name, x.name, x.shape, y.shape, put.colocation_groups())
told(lambda: put)
told(lambda: area.size())
told(lambda: area.peek(0))
told(lambda: [x, y])
told(lambda: area.clear())
named = tf.contrib.staging.StagingArea([tf.float32, tf.int32], names=['x', 'y'], shared_name='named')
told(lambda: named.put({'x': tf.constant(1.), 'y': tf.constant(2)}))
print(sorted((key, float(value)) for key, value in sess.run(named.get()).items()))
with tf.device('/cpu:0'):
    elsewhere = area.get('elsewhere')
print([t.op.type for t in elsewhere])
told(lambda: area.put([tf.constant([1., 2.])] * 3))
told(lambda: area.put([tf.constant([1, 2]), tf.constant(3)]))
told(lambda: area.put([tf.constant([1., 2., 3.]), tf.constant(3)]))
told(lambda: area.put({'x': tf.constant(1.)}))
told(lambda: named.put([tf.constant(1.)]))
told(lambda: named.put({'z': tf.constant(1.)}))
told(lambda: tf.contrib.staging.StagingArea([tf.float32], shapes=[[], []]))
step = tf.contrib.staging.StagingArea([tf.int64])
number = tf.Variable(0, dtype=tf.int64, trainable=False)
fill = step.put([tf.assign_add(number, 1) + 0])
with tf.control_dependencies([fill]):
    squared = tf.square(step.get()[0])
sess.run(tf.global_variables_initializer())
sess.run(fill)
print([int(sess.run(squared)) for _ in range(4)])

# ---- maps
attrs = dict(dtypes=[tf.float32, tf.int32], shared_name='map', capacity=2)
some = dict(shared_name='map', capacity=2)


def stage(key, indices, values):
    return raw.MapStage(key=np.int64(key), indices=indices, values=values, **attrs)


f, i = np.float32, np.int32
told(lambda: stage(3, [0, 1], [f(1), i(2)]))
told(lambda: stage(1, [0], [f(5)]))
told(lambda: [raw.MapSize(**attrs), raw.MapIncompleteSize(**attrs)])
told(lambda: stage(1, [0], [f(5)]))
told(lambda: stage(1, [1, 0], [i(2), f(1)]))
told(lambda: stage(1, [1], [i(6)]))
told(lambda: raw.MapPeek(key=np.int64(3), indices=[1], dtypes=[tf.int32], **some))
told(lambda: raw.MapUnstage(key=np.int64(3), indices=[1], dtypes=[tf.int32], **some))
told(lambda: raw.MapUnstage(key=np.int64(3), indices=[1], dtypes=[tf.int32], **some))
told(lambda: raw.MapUnstage(key=np.int64(3), indices=[4], dtypes=[tf.int32], **some))
told(lambda: raw.MapUnstage(key=np.int64(3), indices=[0], dtypes=[tf.float32], **some))
print(*sess.run(raw.MapUnstageNoKey(indices=[0, 1], **attrs).values))
told(lambda: raw.MapSize(**attrs))
told(lambda: stage(1, [0], [f(5)]))
told(lambda: raw.MapClear(**attrs))
told(lambda: raw.MapIncompleteSize(**attrs))
told(lambda: raw.MapStage(key=np.int64(1), indices=[0], values=[np.zeros(1000, f)], dtypes=[tf.float32], shared_name='small',
                          memory_limit=100))
for key in (5, 2, 9):
    told(lambda: raw.OrderedMapStage(key=np.int64(key), indices=[0], values=[f(key)], dtypes=[tf.float32], shared_name='ordered'))
print([int(sess.run(raw.OrderedMapUnstageNoKey(indices=[0], dtypes=[tf.float32], shared_name='ordered')).key) for _ in range(3)])

# ---- barriers
barrier = raw.Barrier(component_types=[tf.float32, tf.int64], shapes=[[], [2]], shared_name='b')


def insert(component, keys, values):
    return raw.BarrierInsertMany(handle=barrier, component_index=component, keys=keys, values=values)


def take(count, small=False):
    taken = raw.BarrierTakeMany(handle=barrier, num_elements=count, component_types=[tf.float32, tf.int64], allow_small_batch=small)
    return [taken.indices, taken.keys] + list(taken.values)


told(lambda: insert(0, ['a', 'b', 'c'], [1., 2., 3.]))
told(lambda: insert(1, ['c', 'a'], np.array([[1, 2], [3, 4]])))
told(lambda: [raw.BarrierReadySize(handle=barrier), raw.BarrierIncompleteSize(handle=barrier)])
told(lambda: insert(0, ['b'], [9.]))
told(lambda: insert(5, ['b'], [9.]))
told(lambda: insert(1, ['b'], [[1., 2.]]))
print([part.tolist() for part in sess.run(take(2))])
told(lambda: raw.BarrierClose(handle=barrier))
told(lambda: raw.BarrierClose(handle=barrier))
told(lambda: insert(1, ['b'], np.array([[7, 8]])))
print([part.tolist() for part in sess.run(take(5, small=True))])
told(lambda: take(1))
told(lambda: take(1, small=True))
told(lambda: [raw.BarrierReadySize(handle=barrier), raw.BarrierIncompleteSize(handle=barrier)])

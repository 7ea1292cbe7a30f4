# Devices of parameter servers; clusters by name.
import tensorflow as tf

cluster = tf.train.ClusterSpec({'ps': ['ps0:2222', 'ps1:2222'], 'worker': ['w0:2222', 'w1:2222', 'w2:2222']})
with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device='/job:worker/task:1')):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w1 = tf.get_variable('w1', [2, 3])
    b1 = tf.Variable(tf.zeros([3]), name='b1')
    with tf.device('/cpu:0'):
        h = tf.nn.relu(tf.matmul(x, w1) + b1, name='h')
    with tf.device('/job:ps/task:1'):
        w2 = tf.get_variable('w2', [3, 1])
    loss = tf.reduce_mean(tf.matmul(h, w2), name='loss')
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer().minimize(loss, global_step=step)
    later = tf.Variable(1.0, name='later')
    same = tf.get_variable('same', [])
with tf.device(tf.train.replica_device_setter(2, ps_ops=['Const'])):
    tf.constant(1, name='c1')
    tf.constant(1, name='c2')
    tf.constant(1, name='c3')
print(tf.train.replica_device_setter(0), tf.train.replica_device_setter(cluster={'worker': ['a']}))
print(cluster, cluster.as_dict() == {'ps': ['ps0:2222', 'ps1:2222'], 'worker': ['w0:2222', 'w1:2222', 'w2:2222']}, sorted(cluster.jobs),
      cluster.num_tasks('ps'), cluster.task_indices('worker'), cluster.task_address('worker', 2), cluster.job_tasks('ps'), bool(cluster))
print(cluster.as_cluster_def())
sparse = tf.train.ClusterSpec({'worker': {1: 'a', 3: 'b'}})
print(sparse.as_dict(), sparse.job_tasks('worker'), tf.train.ClusterSpec(sparse.as_cluster_def()) == sparse, tf.train.ClusterSpec(cluster))
for bad in (lambda: tf.train.ClusterSpec(3), lambda: cluster.num_tasks('none'), lambda: cluster.task_address('ps', 9),
            lambda: tf.train.ClusterSpec({'a': 3}), lambda: tf.train.ClusterSpec({'a': [1]}),
            lambda: tf.train.replica_device_setter(1, ps_strategy=3)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)

"""tf.train.SyncReplicasOptimizer in one process: its graph, and a training with a MonitoredTrainingSession."""
import numpy as np
import tensorflow as tf


class Nothing(object):
    """In place of a Saver, whose nodes have a name drawn at random."""

    saver_def = None

    def build(self):
        pass


x = tf.placeholder(tf.float32, [None, 3], name='x')
ids = tf.placeholder(tf.int32, [None], name='ids')
table = tf.get_variable('table', [5, 3], initializer=tf.constant_initializer(0.5))
w = tf.get_variable('w', [3, 1], initializer=tf.constant_initializer(0.2))
loss = tf.reduce_mean(tf.square(tf.matmul(x + tf.nn.embedding_lookup(table, ids), w) - 1.0))
global_step = tf.train.get_or_create_global_step()
inner = tf.train.MomentumOptimizer(0.1, 0.9)
optimizer = tf.train.SyncReplicasOptimizer(inner, replicas_to_aggregate=1, total_num_replicas=1)
try:
    optimizer.get_chief_queue_runner()
except ValueError as error:
    print(error)
train = optimizer.minimize(loss, global_step=global_step)
print(train.name, optimizer.get_name(), optimizer.get_slot_names(), optimizer.get_slot(w, 'momentum').name)
print([v.name for v in tf.local_variables()], optimizer.get_chief_queue_runner().name, optimizer.local_step_init_op.name)
try:
    optimizer.get_init_tokens_op(-5)
except ValueError as error:
    print(error)
# No tokens in advance: every step waits until its own gradients are applied.
hook = optimizer.make_session_run_hook(is_chief=True, num_tokens=0)
feed = {x: np.arange(12, dtype=np.float32).reshape(4, 3) / 12, ids: [0, 1, 1, 3]}
losses = []
# The thread that takes gradients waits for the next ones until the session is closed.
with tf.train.MonitoredTrainingSession(is_chief=True, hooks=[hook, tf.train.StopAtStepHook(last_step=10)],
                                       scaffold=tf.train.Scaffold(saver=Nothing()), stop_grace_period_secs=1) as session:
    while not session.should_stop():
        losses.append(session.run([loss, train], feed)[0])
print(len(losses), ['%.5f' % value for value in losses])

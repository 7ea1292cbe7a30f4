# The nodes that a monitored session adds, and those of sharded savers.
import os
import tempfile
import uuid

import tensorflow as tf

uuid.uuid4 = lambda: type('Fixed', (), {'hex': '0123456789abcdef' * 2})  # part of the name of a folder
with tf.device('/cpu:0'):
    w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
b = tf.get_variable('b', [], initializer=tf.ones_initializer())
local = tf.get_local_variable('local', [], initializer=tf.ones_initializer())
loss = tf.reduce_sum(tf.square(w - b), name='loss')
train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, tf.train.get_or_create_global_step())
tf.summary.scalar('loss', loss)
sharded = tf.train.Saver([w, b], sharded=True, name='sharded')
folder = tempfile.mkdtemp()
with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=[tf.train.StopAtStepHook(num_steps=2)]) as sess:
    while not sess.should_stop():
        sess.run(train)
print(sorted(f for f in os.listdir(folder) if not f.startswith('events')))
print(tf.train.list_variables(folder))
for key in sorted(k for k in tf.get_default_graph().get_all_collection_keys() if 'read' not in k and k != 'cond_context'):
    print(key, [getattr(x, 'name', type(x).__name__) for x in tf.get_collection(key)])
with tf.Session() as sess:
    tf.get_collection(tf.GraphKeys.SAVERS)[0].restore(sess, tf.train.latest_checkpoint(folder))
    print(['%g' % v for v in sess.run([w, b])[0]])
    print(os.path.basename(sharded.save(sess, folder + '/parts', write_meta_graph=False)))
print(sorted(f for f in os.listdir(folder) if f.startswith('parts')))

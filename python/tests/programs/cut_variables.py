# Variables in parts made the old way.
import tensorflow as tf

parts = tf.create_partitioned_variables([4, 2], [2, 1], tf.constant_initializer([[1.0, 2.0], [3.0, 4.0]]), name='cut')
more = tf.create_partitioned_variables([3], [3], tf.ones_initializer(), trainable=False)
print([p.name for p in parts], [p.name for p in more], [v.name for v in tf.trainable_variables()])
print(tf.dimension_at_index(parts[0].shape, 1), tf.dimension_at_index(tf.TensorShape(None), 0))
loss = tf.add_n([tf.reduce_sum(tf.square(p)) for p in parts])
step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(step)
    print([['%.5g' % v for v in p.ravel().tolist()] for p in sess.run(parts)])

"""tf.losses: graphs, values, collections, errors."""
import tensorflow as tf

p = tf.placeholder(tf.float32, [None, 2])
y = tf.constant([[0., 1.], [1., 0.]])
ls = [tf.losses.mean_squared_error(y, p), tf.losses.absolute_difference(y, p, weights=2.0),
      tf.losses.softmax_cross_entropy(y, p, label_smoothing=0.1), tf.losses.sigmoid_cross_entropy(y, p),
      tf.losses.log_loss(y, tf.sigmoid(p)), tf.losses.hinge_loss(y, p), tf.losses.huber_loss(y, p, delta=0.5),
      tf.losses.cosine_distance(y, p, axis=1), tf.losses.sparse_softmax_cross_entropy([0, 1], p),
      tf.losses.mean_squared_error(y, tf.constant([[1., 2.], [3., 4.]]), weights=[[1.0], [0.0]], reduction=tf.losses.Reduction.SUM),
      tf.losses.mean_squared_error(y, p, reduction=tf.losses.Reduction.MEAN),
      tf.losses.mean_squared_error(y, p, reduction=tf.losses.Reduction.NONE)]
total = tf.add_n(ls[:11])
print(len(tf.losses.get_losses()), total.name)
grads = tf.gradients(total, p)
try:
    tf.losses.mean_squared_error(y, tf.zeros([2, 2]), weights=[1.0, 2.0])
except ValueError as error:
    print(error)
try:
    tf.losses.mean_squared_error(y, tf.zeros([3, 2]))
except ValueError as error:
    print(error)
with tf.Session() as sess:
    for value in sess.run(ls[:9] + [ls[9], ls[10]], {p: [[1., 2.], [3., 4.]]}):
        print('%.4f' % value)

"""tf.metrics: values over batches, names of variables."""
import tensorflow as tf

l = tf.placeholder(tf.int64, [None])
p = tf.placeholder(tf.int64, [None])
s = tf.placeholder(tf.float32, [None])
ms = [tf.metrics.accuracy(l, p), tf.metrics.mean(s), tf.metrics.mean_squared_error(l, p), tf.metrics.root_mean_squared_error(l, p)]
more = [tf.metrics.precision(l, p), tf.metrics.recall(l, p), tf.metrics.auc(l, s), tf.metrics.mean_absolute_error(l, p),
        tf.metrics.accuracy(l, p, weights=0.5, name='weighted'), tf.metrics.mean_iou(l, p, 2), tf.metrics.true_positives(l, p)]
print([v.name for v in tf.local_variables()])
print(len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)), [v.name for v in tf.trainable_variables()])
confusion = tf.confusion_matrix(l, p, 2)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for feed in ({l: [1, 0, 1], p: [1, 1, 1], s: [0.2, 0.8, 0.6]}, {l: [0, 0, 1], p: [0, 1, 0], s: [0.1, 0.3, 0.9]}):
        sess.run([m[1] for m in ms + more], feed)
        print(' '.join('%.4f' % v for v in sess.run([m[0] for m in ms + more])))
        print(sess.run(confusion, feed))

"""The rest of tf.metrics: counts at thresholds, areas, per class; collections; errors."""
import tensorflow as tf


def tried(function):
    try:
        function()
        print('passed')
    except (ValueError, tf.errors.OpError) as error:
        print(type(error).__name__, getattr(error, 'message', str(error)).split('\n')[0])


l = tf.placeholder(tf.int64, [4], name='l')
p = tf.placeholder(tf.int64, [4], name='p')
s = tf.placeholder(tf.float32, [4], name='s')
x = tf.placeholder(tf.float32, [4, 3], name='x')
y = tf.placeholder(tf.float32, [4, 3], name='y')
w = tf.constant([1.0, 2.0, 0.5, 1.0])
m = tf.metrics
ms = [m.true_positives_at_thresholds(l, s, [0.3, 0.6]), m.false_negatives_at_thresholds(l, s, [0.3, 0.6]),
      m.true_negatives_at_thresholds(l, s, [0.3, 0.6], weights=w), m.false_positives_at_thresholds(l, s, [0.3, 0.6]),
      m.precision_at_thresholds(l, s, [0.3, 0.6]), m.recall_at_thresholds(l, s, [0.3, 0.6]), m.true_negatives(l, p),
      m.false_positives(l, p, weights=2.0), m.false_negatives(l, p, weights=w), m.sensitivity_at_specificity(l, s, 0.5, num_thresholds=5),
      m.specificity_at_sensitivity(l, s, 0.6, num_thresholds=5), m.auc(l, s, num_thresholds=5, curve='PR', name='pr'),
      m.auc(l, s, num_thresholds=5, curve='PR', summation_method='careful_interpolation'),
      m.auc(l, s, num_thresholds=5, summation_method='minoring'), m.auc(l, s, thresholds=[0.25, 0.5], summation_method='majoring'),
      m.mean_per_class_accuracy(l, p, 3, weights=w), m.mean_iou(l, p, 3, weights=w), m.mean_tensor(x), m.mean_cosine_distance(y, x, 1),
      m.mean_relative_error(y, x, normalizer=y + 1.0), m.percentage_below(s, 0.5), m.mean(s, weights=w),
      m.mean_absolute_error(y, x, weights=[[2.0], [1.0], [0.0], [1.0]]), m.precision(l, p, weights=w), m.recall(l, p, name='again'),
      m.accuracy(l, tf.expand_dims(p, 1)), m.mean_squared_error(y, x, metrics_collections=['values'], updates_collections='updates')]
print([t.name for t in tf.get_collection('values')], [t.name for t in tf.get_collection('updates')])
print([v.name for v in tf.local_variables()])
confusion = tf.confusion_matrix(l, p, weights=w, dtype=tf.float32)
tried(lambda: m.auc(l, s, curve='XY'))
tried(lambda: m.sensitivity_at_specificity(l, s, 1.5))
tried(lambda: m.specificity_at_sensitivity(l, s, -1.0))
tried(lambda: m.mean_squared_error(y, tf.zeros([5, 3])))
tried(lambda: tf.confusion_matrix([0, -1], [0, 1]))
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for feed in ({l: [1, 0, 1, 2], p: [1, 1, 1, 0], s: [0.2, 0.8, 0.6, 0.5]}, {l: [0, 0, 1, 1], p: [0, 1, 0, 1], s: [0.1, 0.3, 0.9, 0.4]}):
        feed.update({x: [[1., 2., 3.]] * 4, y: [[2., 1., 4.]] * 4})
        sess.run([u[1] for u in ms], feed)
        print([v.tolist() for v in sess.run([u[0] for u in ms])])
        print(sess.run(confusion, feed).tolist())
    tried(lambda: sess.run(ms[0][1], {l: [0, 0, 1, 1], s: [0.1, 1.5, 0.2, 0.3]}))

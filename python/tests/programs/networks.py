"""Convolutions, pooling, dropout, batch normalisation, embeddings, losses: names, attributes, values."""
import numpy as np
import tensorflow as tf

tf.set_random_seed(3)
x = tf.placeholder(tf.float32, [None, 8, 8, 3], name='images')
k = tf.get_variable('k', [3, 3, 3, 4])
b = tf.get_variable('b', [4], initializer=tf.constant_initializer(0.1))
c = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, k, [1, 1, 1, 1], 'SAME'), b))
p = tf.nn.max_pool(c, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
a = tf.nn.avg_pool(c, [1, 3, 3, 1], [1, 2, 2, 1], 'VALID', name='average')
n = tf.nn.lrn(p, 4, bias=1.0, alpha=0.001 / 9.0, beta=0.75, name='norm1')
mean, var = tf.nn.moments(n, [0, 1, 2])
bn = tf.nn.batch_normalization(n, mean, var, tf.zeros([4]), tf.ones([4]), 1e-3)
d = tf.nn.dropout(bn, 0.5)
flat = tf.reshape(d, [-1, 64])
w = tf.get_variable('w', [64, 10], initializer=tf.random_normal_initializer(stddev=0.1))
logits = tf.nn.xw_plus_b(flat, w, tf.zeros([10]), name='logits')
labels = tf.placeholder(tf.int32, [None])
one_hot = tf.one_hot(labels, 10)
losses = [tf.nn.softmax_cross_entropy_with_logits(labels=one_hot, logits=logits),
          tf.nn.softmax_cross_entropy_with_logits_v2(labels=one_hot, logits=logits),
          tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits),
          tf.nn.sigmoid_cross_entropy_with_logits(labels=one_hot, logits=logits)]
table = tf.get_variable('table', [20, 5])
rows = tf.nn.embedding_lookup(table, labels)
up = tf.nn.conv2d_transpose(c, k, tf.stack([tf.shape(x)[0], 8, 8, 3]), [1, 1, 1, 1])
fused = tf.nn.fused_batch_norm(c, tf.ones([4]), tf.zeros([4]))[0]
top = tf.nn.top_k(logits, 2)
right = tf.nn.in_top_k(logits, labels, 3)
total = tf.add_n([tf.reduce_mean(l) for l in losses]) + tf.nn.l2_loss(w) + tf.reduce_sum(rows) + tf.reduce_mean(up)
grads = tf.gradients(total, [k, b, w, table])
clipped, norm = tf.clip_by_global_norm([g for g in grads[:3]], 5.0)
images = np.random.RandomState(1).rand(4, 8, 8, 3)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: images, labels: [1, 2, 3, 1]}
    for value in sess.run(losses + [tf.reduce_sum(d), tf.reduce_mean(a), tf.reduce_sum(up), norm, top.indices, right], feed):
        print(np.array2string(np.asarray(value), precision=3))
    slices = sess.run(grads[3], feed)
    print(slices.indices, slices.values.shape, slices.dense_shape)

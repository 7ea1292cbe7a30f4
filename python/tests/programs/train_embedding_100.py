"""Embeddings: sparse gradients of every optimizer over 100 steps, with words that come twice in a batch."""
import numpy as np
import tensorflow as tf

WORDS, WIDTH, BATCH = 20, 4, 6
rng = np.random.RandomState(5)
table_start = rng.uniform(-1, 1, [WORDS, WIDTH]).astype(np.float32)
weights_start = rng.uniform(-0.5, 0.5, [WIDTH, WORDS]).astype(np.float32)
batches = [(rng.randint(0, WORDS, BATCH), rng.randint(0, WORDS, BATCH)) for _ in range(10)]
words = tf.placeholder(tf.int32, [BATCH], name='words')
following = tf.placeholder(tf.int32, [BATCH], name='following')
with tf.variable_scope('language'):
    table = tf.get_variable('embedding', initializer=tf.constant(table_start))
    weights = tf.get_variable('softmax', initializer=tf.constant(weights_start))
    bias = tf.get_variable('bias', [WORDS], initializer=tf.zeros_initializer())
    rows = tf.nn.embedding_lookup(table, words)
    twice = tf.gather(table, words[:2]) * 0.1
hidden = tf.tanh(rows + tf.pad(twice, [[0, BATCH - 2], [0, 0]]))
logits = tf.matmul(hidden, weights) + bias
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=following, logits=logits)
loss = tf.reduce_sum(losses) / BATCH
gradient, = tf.gradients(loss, [table])
print(type(gradient).__name__, gradient.values.get_shape(), gradient.indices.dtype, gradient.dense_shape)
clipped, norm = tf.clip_by_global_norm(tf.gradients(loss, tf.trainable_variables()), 0.5)
print([type(g).__name__ for g in clipped])
optimizers = [tf.train.GradientDescentOptimizer(0.5), tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdamOptimizer(0.05),
              tf.train.AdagradOptimizer(0.2), tf.train.AdadeltaOptimizer(1.0), tf.train.RMSPropOptimizer(0.01), tf.train.FtrlOptimizer(0.2)]
train = [o.minimize(loss) for o in optimizers]
train.append(tf.train.GradientDescentOptimizer(0.5).apply_gradients(zip(clipped, tf.trainable_variables()), name='clipped'))
init = tf.global_variables_initializer()
with tf.Session() as sess:
    for op in train:
        sess.run(init)
        for i in range(100):
            a, b = batches[i % 10]
            _, value = sess.run([op, loss], {words: a, following: b})
            if i % 33 == 0:
                print('%s %d %.4f' % (op.name, i, value))
        print(' '.join('%.4f' % v for v in sess.run(table)[3:6].ravel()))
    print('%.4f' % sess.run(norm, {words: [1, 1, 1, 1, 2, 2], following: [0, 1, 2, 3, 4, 5]}))
    print(' '.join('%.4f' % v for v in sess.run(tf.nn.embedding_lookup([tf.constant([[0.], [2.]]), tf.constant([[1.], [3.]])], [0, 1, 2, 3])).ravel()))

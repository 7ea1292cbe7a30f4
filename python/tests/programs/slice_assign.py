"""Parts of variables: what the brackets give can be assigned to."""
import tensorflow as tf

grid = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], name='grid')
counts = tf.get_variable('counts', initializer=[1, 2, 3, 4])
corner = grid[0, 0].assign(10.0)
row = grid[1].assign([7, 8, 9])
column = grid[:, 1:2].assign([[20], [50]], name='column')
every_second = counts[::2].assign(tf.constant([5, 6]))
last = counts[-1].assign(counts[0] + 1)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for op in (corner, row, column, every_second, last):
        print(op.name, op.dtype, op.shape, sess.run(op))
    print(sess.run([grid, counts]))
    sess.run(counts[1:3].assign([0, 0]))
    print(sess.run(counts))

for make in (lambda: tf.zeros([3])[0].assign(1.0), lambda: grid.read_value()[0].assign([1.0, 1.0, 1.0]), lambda: tf.constant(1).assign):
    try:
        make()
    except (ValueError, AttributeError) as error:
        print(type(error).__name__, error)

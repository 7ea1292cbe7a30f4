# Transposed convolutions of one, two and three dimensions, with gaps too; parts of variables that are assigned.
import tensorflow as tf


def show(*values):
    for value in values:
        print(value.shape, ' '.join('%.5g' % v for v in value.ravel().tolist()))


line = tf.reshape(tf.range(8.0), [1, 4, 2]) / 4.0
narrow = tf.reshape(tf.range(12.0), [3, 2, 2]) / 8.0
image = tf.reshape(tf.range(32.0), [1, 4, 4, 2]) / 16.0
wide = tf.reshape(tf.range(36.0), [3, 3, 2, 2]) / 32.0
first = tf.nn.conv1d_transpose(line, narrow, [1, 8, 2], 2)
second = tf.nn.conv_transpose(image, wide, [1, 8, 8, 2], 2, name='any')
third = tf.nn.conv_transpose(line, narrow, tf.constant([1, 6, 2]), 1, padding='VALID')
dilated = tf.nn.atrous_conv2d_transpose(image, wide, [1, 4, 4, 2], 2, 'SAME')
valid = tf.nn.atrous_conv2d_transpose(image, wide, [1, 8, 8, 2], 2, 'VALID', name='valid')
plain = tf.nn.atrous_conv2d_transpose(image, wide, [1, 4, 4, 2], 1, 'SAME')
v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name='v')
part = v[0, :].assign([7.0, 8.0])
with tf.control_dependencies([part]):
    other = v[1:, 1].assign([9.0])
print(part.name, other.op.type)
with tf.Session() as sess:
    show(*sess.run([first, second, third, dilated, valid, plain]))
    sess.run(tf.global_variables_initializer())
    show(sess.run(part), sess.run(other))

"""What is said of nodes that do not fit: how the texts begin."""
import re

import tensorflow as tf


def refused(make):
    tf.reset_default_graph()
    try:
        print('made', make())
    except (ValueError, TypeError) as error:
        text = str(error).replace('\n', ' ')
        begin = re.match(r'.*? Graph execution|.*?(?= and with |\. \(defined|(?<=[\]>"])\.)|.*', text).group()
        print(type(error).__name__, re.sub(r'\tFrom merging shape \d with other shapes\. |\tNumber of ways to split[a-z ]*dimension ', '', begin).replace('  ', ' '))


x = lambda *shape, **options: tf.placeholder(tf.float32, shape, **options)
refused(lambda: tf.matmul(x(2, 3), x(4, 5), name='product'))
refused(lambda: tf.matmul(x(None, 3), x(4, 5), transpose_a=False))
refused(lambda: tf.matmul(x(2, 3), x(4, 5), transpose_b=True))
refused(lambda: tf.matmul(x(2, 3), x(3)))
refused(lambda: x(2, 3) + x(4, 5))
refused(lambda: x(None, 3) * x(2))
refused(lambda: tf.reshape(x(2, 3), [4, 5]))
refused(lambda: tf.concat([x(2, 3), x(4, 5)], 0))
refused(lambda: tf.concat([x(1, 8, 8, 3), x(1, 4, 4, 3)], 3))
refused(lambda: tf.concat([x(2, 3), x(2)], 0))
refused(lambda: tf.stack([x(2), x(3)]))
refused(lambda: tf.nn.conv2d(x(1, 4, 4, 3), x(2, 2, 4, 5), [1, 1, 1, 1], 'SAME'))
refused(lambda: tf.nn.conv2d(x(1, 4, 4), x(2, 2, 4, 5), [1, 1, 1, 1], 'SAME'))
refused(lambda: tf.nn.conv2d(x(1, 4, 4, 4), x(2, 2, 4, 5), [1, 1, 1, 1], 'same'))
refused(lambda: tf.nn.max_pool(x(1, 2, 2, 1), [1, 3, 3, 1], [1, 1, 1, 1], 'VALID'))
refused(lambda: tf.nn.bias_add(x(2, 3), x(4)))
refused(lambda: tf.squeeze(x(5, 2), [0]))
refused(lambda: tf.transpose(x(5, 2), [0, 1, 2]))
refused(lambda: tf.reduce_sum(x(5, 2), 3))
refused(lambda: tf.split(x(5, 2), 2, 0))
refused(lambda: tf.assign(tf.Variable([1, 2]), [1]))
refused(lambda: tf.assign(tf.Variable([1, 2]), [[1, 2]]))
refused(lambda: x(2)[0, 0])
refused(lambda: x(2)[5])
refused(lambda: bool(x(2) > 0))
refused(lambda: [part for part in x(2)])

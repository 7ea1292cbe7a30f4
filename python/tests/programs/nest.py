"""tf.nest and tf.contrib.framework.nest: structures taken apart, put together, mapped; what does not fit."""
import collections

import tensorflow as tf

inner = tf.contrib.framework.nest
Point = collections.namedtuple('Point', ['x', 'y'])
ordered = collections.OrderedDict([('z', 1), ('a', [2, 3])])
for value in (5, 'text', [1, [2, (3,)]], {'b': 1, 'a': {'d': 2, 'c': 3}}, Point(1, [2, 3]), ordered, [], [[], {}], None, [None, 'x', b'y']):
    print(tf.nest.flatten(value), tf.nest.is_nested(value))
print(tf.nest.pack_sequence_as({'b': 0, 'a': [0, (0,)]}, [1, 2, 3]) == {'a': [1, (2,)], 'b': 3})
print(tf.nest.pack_sequence_as(Point(0, ordered), [9, 8, 7, 6]), tf.nest.pack_sequence_as('leaf', [4]))
print(tf.nest.map_structure(lambda a, b: a * 10 + b, Point(1, (2, 3)), Point(4, (5, 6))))
print(tf.nest.map_structure(lambda a: a + 1, [1, {'k': 2}]), tf.nest.map_structure(lambda a, b: (a, b), [1], (2,), check_types=False))
print(inner.flatten_dict_items({('a', 'b'): (1, 2), 'c': 3}) == {'a': 1, 'b': 2, 'c': 3})
print(inner.flatten_up_to({'a': 0, 'b': [0, 0]}, {'a': [1, 2], 'b': [3, (4,)]}))
print(inner.map_structure_up_to([0, 0], lambda a, b: (a, b), [1, [2]], [3, 4]))
print(list(inner.yield_flat_paths([1, {'k': (2, 3)}])), inner.flatten_with_joined_string_paths({'a': [1, 2], 'b': 3}))
print(inner.map_structure_with_paths(lambda path, v: '%s=%s' % (path, v), {'a': [1, 2]}))
print(inner.get_traverse_shallow_structure(lambda s: not isinstance(s, tuple), [1, (2, 3), {'k': (4,)}]))
with tf.Session() as sess:
    print(tf.nest.map_structure(int, sess.run(tf.nest.map_structure(tf.identity, {'a': tf.constant(1), 'b': (tf.constant(2), tf.constant(3))}))))
for wrong in (lambda: tf.nest.assert_same_structure([1, 2], [1]), lambda: tf.nest.assert_same_structure([1], (1,)),
              lambda: tf.nest.assert_same_structure([1], 1), lambda: tf.nest.assert_same_structure({'a': 1}, {'b': 1}),
              lambda: tf.nest.assert_same_structure(Point(1, 2), (1, 2)), lambda: tf.nest.assert_same_structure([[1]], [[1, 2]]),
              lambda: tf.nest.assert_same_structure({'a': 1}, ordered), lambda: tf.nest.pack_sequence_as([1, 2], [1]),
              lambda: tf.nest.pack_sequence_as(1, [1, 2]), lambda: tf.nest.pack_sequence_as([1], 1), lambda: tf.nest.map_structure(1, [2]),
              lambda: tf.nest.map_structure(len), lambda: tf.nest.map_structure(len, [1], other=2), lambda: tf.nest.flatten({1: 2, 'a': 3}),
              lambda: inner.flatten_dict_items([1]), lambda: inner.flatten_dict_items({('a', 'b'): 1}),
              lambda: inner.flatten_up_to([0, 0], [1]), lambda: inner.flatten_up_to([0], 1), lambda: inner.flatten_up_to([0], (1,)),
              lambda: inner.flatten_up_to({'a': 0}, {'b': 0})):
    try:
        wrong()
        print('fits')
    except Exception as e:
        print(type(e).__name__, str(e)[:60].replace('\n', ' '))

"""Sessions as people use them: values in and out, errors, threads, Ctrl-C, forks, memory."""
import os
import resource
import signal
import threading
import time

import numpy as np
import pytest

import headrace.tf1 as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_fetches_keep_their_structure():
    a, b = tf.constant(1.0), tf.constant([2.0, 3.0])
    v = tf.Variable(5.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        result = sess.run({'x': [a, (b, v)], 'op': v.initializer, 'name': 'Const:0'})
    assert result['x'][0] == 1.0 and isinstance(result['x'][0], np.float32)
    assert isinstance(result['x'][1], tuple) and result['x'][1][1] == 5.0
    np.testing.assert_array_equal(result['x'][1][0], [2.0, 3.0])
    assert result['op'] is None and result['name'] == 1.0


def test_bad_fetches_and_feeds_are_told_apart():
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    n = tf.placeholder(tf.int32, [], name='n')
    y = x * 2
    sess = tf.Session()
    with pytest.raises(TypeError, match='has invalid type'):
        sess.run(3)
    with pytest.raises(ValueError, match='cannot be interpreted as a Tensor'):
        sess.run('nope:0')
    with pytest.raises(ValueError, match=r"Cannot feed value of shape \(2, 4\) for Tensor 'x:0', which has shape '\(\?, 3\)'"):
        sess.run(y, {x: np.ones([2, 4])})
    with pytest.raises(TypeError, match='Cannot interpret feed_dict key as Tensor'):
        sess.run(y, {3.5: 1})
    with pytest.raises(TypeError, match='not compatible with Tensor type'):
        sess.run(n + 1, {n: 2 ** 40})
    with pytest.raises(TypeError, match='cannot be a tf.Tensor object'):
        sess.run(y, {x: y})
    with pytest.raises(tf.errors.InvalidArgumentError, match='You must feed a value for placeholder') as info:
        sess.run(y)
    assert info.value.op is x.op and info.value.error_code == tf.errors.INVALID_ARGUMENT
    sess.close()
    with pytest.raises(RuntimeError, match='Attempted to use a closed Session.'):
        sess.run(y)


def test_feeds_are_shared_and_results_are_the_programs_own():
    x = tf.placeholder(tf.float32, [1000])
    v = tf.Variable(tf.zeros([1000]))
    data = np.arange(1000, dtype=np.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        fetched = sess.run(x, {x: data})
        fetched[:] = -1
        assert data[5] == 5
        sess.run(v.assign(x), {x: data})
        data[:] = 7  # the variable has its own bytes
        value = sess.run(v)
        assert value[5] == 5
        value += 100
        assert sess.run(v)[5] == 5


def test_strings_and_scalars():
    s = tf.placeholder(tf.string, [None])
    with tf.Session() as sess:
        out = sess.run(tf.identity(s), {s: ['a', b'b\xff', u'\u00e9']})
        assert out.dtype == object and list(out) == [b'a', b'b\xff', u'\u00e9'.encode()]
        assert sess.run(tf.constant('x')) == b'x'
        assert sess.run(tf.constant(True)) is np.True_ or sess.run(tf.constant(True)) == True  # noqa: E712
        assert sess.run(tf.constant(2 ** 40)) == 2 ** 40


def test_numbers_are_no_strings():
    text = tf.placeholder(tf.string)
    numbers = np.zeros((2, 3))
    with pytest.raises(TypeError, match='Expected string'):
        tf.constant(numbers, dtype=tf.string)
    with pytest.raises(TypeError, match='Expected string'):
        tf.strings.upper(numbers)
    with tf.Session() as sess:
        with pytest.raises(TypeError, match='Expected string, got a NumPy array of float64'):
            sess.run(tf.strings.upper(text), {text: numbers})
        with pytest.raises(tf.errors.UnknownError, match='Expected string'):
            sess.run(tf.py_func(lambda: numbers, [], tf.string))
        assert list(sess.run(tf.strings.upper(text), {text: np.array(['a', 'b'])})) == [b'A', b'B']


def test_uninitialised_variable_is_named():
    v = tf.Variable(1.0, name='weights')
    with tf.Session() as sess:
        with pytest.raises(tf.errors.FailedPreconditionError, match='Attempting to use uninitialized value weights'):
            sess.run(v)


def test_many_threads_run_at_once():
    x = tf.placeholder(tf.float32, [])
    y = x * 3.0 + 1.0
    with tf.Session() as sess:
        failures = []

        def work(k):
            for i in range(300):
                if sess.run(y, {x: i + k}) != (i + k) * 3.0 + 1.0:
                    failures.append((k, i))
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not failures


def test_make_callable():
    x = tf.placeholder(tf.float32, [2])
    y = tf.reduce_sum(x)
    with tf.Session() as sess:
        step = sess.make_callable([y, x], [x])
        total, same = step([1.0, 2.0])
        assert total == 3.0 and list(same) == [1.0, 2.0]
        with pytest.raises(ValueError, match='Cannot feed value of shape'):
            step([1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match='1 values are to be fed, got 0'):
            step()
        with pytest.raises(TypeError):
            step(x=[1.0, 2.0])
        single = sess.make_callable(y, [x])
        assert single([1.0, 2.0]) == 3.0
        assert sess.make_callable(y.op, [x])([1.0, 2.0]) is None
        with pytest.raises(tf.errors.FailedPreconditionError) as raised:
            sess.make_callable(tf.Variable(1.0, name='unset') + 1.0)()
        assert raised.value.node_def is not None
    with pytest.raises(RuntimeError, match='closed Session'):
        single([1.0, 2.0])


def slow_graph(x):
    m = tf.ones([1200, 1200]) * x
    for _ in range(600):
        m = tf.matmul(m, m) * 1e-3
    return tf.reduce_sum(m)


def test_interrupt_ends_a_step_within_a_second_and_the_session_stays_usable():
    x = tf.placeholder(tf.float32, [])
    y = slow_graph(x)
    small = tf.constant(1.0) + 1.0
    sent = []

    def interrupt():
        sent.append(time.time())
        os.kill(os.getpid(), signal.SIGINT)
    with tf.Session() as sess:
        threading.Timer(1.0, interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            sess.run(y, {x: 1e-3})
        assert time.time() - sent[0] < 1.0
        assert sess.run(small) == 2.0


def test_interrupt_after_the_program_set_its_handler_again_between_two_steps():
    x = tf.placeholder(tf.float32, [])
    y = slow_graph(x)
    small = tf.constant(1.0) + 1.0
    with tf.Session() as sess:
        for _ in range(20):
            sess.run(small)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.time()
        with pytest.raises(KeyboardInterrupt):
            sess.run(y, {x: 1e-3})
        assert time.time() - start < 2.0


def test_a_child_of_a_fork_works_or_raises():
    y = tf.reduce_sum(tf.ones([64, 64]))
    sess = tf.Session()
    assert sess.run(y) == 4096
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        try:
            sess.run(y)
            os._exit(0)
        except BaseException:  # pylint: disable=broad-except
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    assert os.WIFEXITED(status), 'the child hung'
    assert sess.run(y) == 4096


def test_memory_stays_flat():
    x = tf.placeholder(tf.float32, [256])
    y = tf.reduce_sum(x * 2.0)
    z = x + 1.0
    data = np.ones(256, np.float32)
    with tf.Session() as sess:
        for _ in range(2000):
            sess.run([y, z], {x: data})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(30000):
            sess.run([y, z], {x: data})
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4000, 'grew by %d KiB' % grown


def test_steps_of_a_loop_that_always_fetches_something_new_are_not_all_kept():
    x = tf.constant(1.0)
    with tf.Session() as sess:
        for n in range(1, 600):
            assert sess.run([x] * n) == [1.0] * n
        assert len(sess._steps) <= 256


def test_py_func_errors_keep_their_class():
    def fails(_):
        raise ValueError('bad value')
    y = tf.py_func(fails, [tf.constant(1.0)], tf.float32)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match='ValueError: bad value'):
            sess.run(y)


def test_partly_known_shapes_make_a_plan_each():
    x = tf.placeholder(tf.float32, [None, 2])
    y = tf.reduce_sum(x, 1)
    with tf.Session() as sess:
        for n in (1, 5, 3, 1, 0):
            assert sess.run(y, {x: np.ones([n, 2])}).shape == (n,)


def test_run_metadata_of_a_traced_step():
    x = tf.placeholder(tf.float32, [])
    y = tf.matmul(tf.ones([8, 8]), tf.ones([8, 8]), name='product') + x
    metadata = tf.RunMetadata()
    with tf.Session() as sess:
        sess.run(y, {x: 1.0}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    assert metadata.step_stats.dev_stats[0].node_stats


def test_raw_ops_name_their_arguments_as_tensorflow_does():
    x = tf.constant([[1., 2.], [3., 4.]])
    with tf.Session() as session:
        rows, picked, where, parts, flat = session.run([
            tf.raw_ops.Sum(input=x, axis=0, keep_dims=True), tf.raw_ops.Select(condition=x > 2, x=x, y=-x),
            tf.raw_ops.Where(condition=x > 2), tf.raw_ops.Split(axis=1, value=x, num_split=2),
            tf.raw_ops.Squeeze(input=tf.raw_ops.ExpandDims(input=x, axis=1), axis=[1])])
    assert rows.tolist() == [[4, 6]] and picked.tolist() == [[-1, -2], [3, 4]] and where.tolist() == [[1, 0], [1, 1]]
    assert [p.tolist() for p in parts] == [[[1], [3]], [[2], [4]]] and flat.tolist() == [[1, 2], [3, 4]]


def test_print_shows_tensors_inside_structures(capfd):
    one, pair, word = tf.constant(2.5), tf.constant([1, 2]), tf.constant('x y')
    with tf.Session() as session:
        session.run(tf.print('a', pair, {'k': [pair, 5], 'j': (one, 'z')}, None, sep='|', output_stream='stdout'))
        session.run(tf.print(word, output_stream='stdout'))
        session.run(tf.print([word], '{}', output_stream='stdout'))
    assert capfd.readouterr().out == "a|[1 2]|{'j': (2.5, 'z'), 'k': [[1 2], 5]}|None\nx y\n[\"x y\"] {}\n"


def test_random_numbers_after_others_have_tensorflows_seeds():
    """Op seeds count the nodes made before: values of TensorFlow 1.15.5."""
    tf.set_random_seed(1234)
    gamma = tf.random_gamma([2], [1., 2.])
    eye = tf.initializers.identity()([2, 3])
    normal = tf.random_normal([3])
    with tf.Session() as session:
        gamma, eye, normal = session.run([gamma, eye, normal])
    assert np.allclose(gamma.ravel(), [0.64771074, 3.6252868, 1.3572195, 0.54284751], rtol=1e-6) and np.allclose(normal, [-1.5163889, -0.94439524, 0.51506603], rtol=1e-6)
    assert eye.tolist() == [[1, 0, 0], [0, 1, 0]]


def test_identity_initializer_gives_each_partition_its_rows():
    with tf.variable_scope('part', partitioner=tf.fixed_size_partitioner(2)):
        whole = tf.get_variable('v', [4, 3], initializer=tf.initializers.identity(gain=2.))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(tf.convert_to_tensor(whole)).tolist() == (2 * np.eye(4, 3)).tolist()

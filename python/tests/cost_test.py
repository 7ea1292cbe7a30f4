"""What the Python surface may cost (docs/benchmarks.md has figures; these are the limits). Times are the processor's or the best of many
rounds, so that neighbours do not count."""
import subprocess
import sys
import time

import numpy as np
import pytest

import headrace.tf1 as tf


def child(code):
    return subprocess.run([sys.executable, '-c', code], check=True, stdout=subprocess.PIPE, universal_newlines=True, timeout=120).stdout.split()


def microseconds(function, calls=500, rounds=40):
    """Of a call in the best round."""
    function()
    best = float('inf')
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, time.perf_counter() - start)
    return best / calls * 1e6


def test_importing_takes_little_time_and_memory():
    code = ('import time, resource, sys; t = time.process_time(); import headrace.tf1; print(time.process_time() - t, '
            'resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)')
    seconds, mebibytes = zip(*[map(float, child(code)) for _ in range(3)])
    assert min(seconds) < 0.3 and min(mebibytes) < 60


def test_parts_load_when_they_are_first_used():
    code = ('import sys, headrace.tf1 as tf; first = [m in sys.modules for m in ("google.protobuf", "headrace.tf1.layers", "absl")]\n'
            'tf.layers.dense, tf.GraphDef, tf.flags; print(*first, *[m in sys.modules for m in ("google.protobuf", "headrace.tf1.layers")])')
    assert child(code) == ['False', 'False', 'False', 'True', 'True']


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as sess:
        yield sess


def test_running_a_trivial_fetch(session):
    value = tf.constant(1.0) + 1.0
    assert microseconds(lambda: session.run(value)) < 6.0


def test_calling_a_resolved_step(session):
    x = tf.placeholder(tf.float32, [16])
    step, fed, data = session.make_callable(tf.constant(1.0) + 1.0), session.make_callable(2.0 * x, [x]), np.ones(16, np.float32)
    assert microseconds(step) < 1.5
    assert microseconds(lambda: fed(data)) < 3.0


def test_feeding_a_large_array_copies_nothing(session):
    x = tf.placeholder(tf.float32, [25000000])
    first = session.make_callable(x[0], [x])
    data = np.ones(25000000, np.float32)  # 100 MB: a copy would take milliseconds
    assert microseconds(lambda: first(data), calls=20, rounds=10) < 500.0


def test_building_inception_v3():
    from headrace.tf1.contrib.slim import nets
    seconds = []
    for _ in range(2):
        with tf.Graph().as_default():
            start = time.process_time()
            images, labels = tf.placeholder(tf.float32, [None, 299, 299, 3]), tf.placeholder(tf.int64, [None])
            logits, _ = nets.inception_v3.inception_v3(images, 1000, is_training=True)
            loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
            tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
            seconds.append(time.process_time() - start)
    assert min(seconds) < 1.5


def test_a_loop_that_adds_nodes_is_warned_of_once_with_its_line(headrace_run):
    result = headrace_run('import tensorflow as tf\nx = tf.constant(1.0)\nwith tf.Session() as sess:\n    for i in range(40):\n'
                          '        y = x + float(i)\n        sess.run(y)\nprint("end")\n')
    assert result.out == 'end\n'
    warnings = [line for line in result.err.splitlines() if 'prog.py:5' in line]
    assert len(warnings) == 1 and len(result.err.splitlines()) == 1, result.err


def test_a_deprecated_name_warns_once(headrace_run):
    result = headrace_run('import tensorflow as tf\nfor i in range(3):\n    tf.initialize_all_variables()\nprint("end")\n')
    assert result.out == 'end\n' and result.err.count('initialize_all_variables') <= 1, result.err

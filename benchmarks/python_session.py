#!/usr/bin/env python3
"""What the Python surface costs: import, building graphs, running small steps.

    PYTHONPATH=build/release/python build/venv/bin/python benchmarks/python_session.py

One line each: what, value, unit. Run it on a quiet machine.
"""
import resource
import statistics
import subprocess
import sys
import time


def report(what, value, unit):
    print('%-52s %10.2f %s' % (what, value, unit))


def child(code):
    return float(subprocess.run([sys.executable, '-c', code], check=True, capture_output=True, text=True).stdout)


def per_call(function, calls=2000, rounds=50):
    """Microseconds of a call in the best round: others are interrupted by neighbours."""
    function()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - start) / calls * 1e6)
    return min(times)


def main():
    timed = 'import time; t = time.perf_counter(); import %s; print(time.perf_counter() - t)'
    report('import numpy', statistics.median(child(timed % 'numpy') for _ in range(5)) * 1e3, 'ms')
    report('import headrace.tf1', statistics.median(child(timed % 'headrace.tf1') for _ in range(5)) * 1e3, 'ms')
    memory = 'import resource, headrace.tf1; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)'
    report('peak memory after import', child(memory) / 1024, 'MiB')

    import numpy as np
    import headrace.tf1 as tf
    x = tf.placeholder(tf.float32, [16])
    y = 2.0 * x + 1.0
    constant = tf.constant(1.0) + 1.0
    data = np.ones(16, np.float32)
    session = tf.Session()
    report('session.run of a constant', per_call(lambda: session.run(constant)), 'us')
    report('session.run of 2 x + 1, 16 floats fed', per_call(lambda: session.run(y, {x: data})), 'us')
    step = session.make_callable(y, [x])
    report('make_callable of it', per_call(lambda: step(data)), 'us')

    with tf.Graph().as_default():
        start = time.perf_counter()
        z = tf.constant(1.0)
        for _ in range(5000):
            z = tf.nn.relu(z + z)
        report('an op', (time.perf_counter() - start) / 10000 * 1e6, 'us')

    with tf.Graph().as_default() as graph:
        nets = tf.contrib.slim.nets
        images, labels = tf.placeholder(tf.float32, [8, 299, 299, 3]), tf.placeholder(tf.int64, [8])
        start = time.perf_counter()
        logits, _ = nets.inception_v3.inception_v3(images, 1000, is_training=True)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        report('Inception-v3 with gradients and Momentum, %d nodes' % graph.version, time.perf_counter() - start, 's')
    report('peak memory of this program', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 'MiB')


if __name__ == '__main__':
    main()

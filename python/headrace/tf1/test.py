"""tf.test: unit tests of programs. `class MyTest(tf.test.TestCase)`, `tf.test.main()`."""
import contextlib
import os
import random as _random
import re
import sys
import tempfile
import threading
from unittest import mock  # noqa: F401

import numpy as np
from absl.testing import absltest as _absltest

_SEED = 87654321  # what each test starts from, the graph and the generators of Python and NumPy
_temp_dir = None
_REGISTERED = []  # subclasses of Benchmark


def main(argv=None):
    """Runs the tests of the program, or with `--benchmarks=REGEX` the benchmarks whose names match."""
    from headrace.tf1 import app
    for argument in sys.argv[1:]:
        if argument.startswith('--benchmarks='):
            _run_benchmarks('.*' if argument[13:] == 'all' else argument[13:])
            return
    app.run(main=lambda arguments: _absltest.main(argv=arguments), argv=argv)


def get_temp_dir():
    """A folder for files of this process's tests, removed when it ends."""
    global _temp_dir
    if _temp_dir is None:
        import atexit
        import shutil
        _temp_dir = tempfile.mkdtemp(prefix='headrace_test_')
        atexit.register(shutil.rmtree, _temp_dir, ignore_errors=True)
    return _temp_dir


def test_src_dir_path(relative_path):
    """The path of a file beside the program, for tests that read one."""
    return os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), relative_path)


def _gpus():
    import headrace
    return [device for device in headrace.devices() if device['device_type'] == 'GPU']


def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Whether there is a GPU; simulated ones count unless `cuda_only`."""
    del min_cuda_compute_capability
    gpus = _gpus()
    return any('simulated' not in str(gpu.get('description', '')).lower() for gpu in gpus) if cuda_only else bool(gpus)


def gpu_device_name():
    """'/device:GPU:0' if there is a GPU, else ''."""
    gpus = _gpus()
    return '/device:' + gpus[0]['name'].split('/device:')[-1] if gpus else ''


def is_built_with_cuda():
    """Whether there are kernels for CUDA."""
    return False


def is_built_with_rocm():
    """Whether there are kernels for ROCm."""
    return False


def is_built_with_gpu_support():
    """Whether there are kernels for any GPU."""
    return False


class StubOutForTesting(object):
    """Replaces attributes until the end of a test."""

    def __init__(self):
        self._kept = []

    def __enter__(self):
        return self

    def __exit__(self, *unused_error):
        self.CleanUp()

    def Set(self, parent, child_name, new_child):  # pylint: disable=invalid-name
        """Replaces an attribute of a module, class or object."""
        self._kept.append((parent, child_name, getattr(parent, child_name)))
        setattr(parent, child_name, new_child)

    SmartSet = Set

    def UnsetAll(self):  # pylint: disable=invalid-name
        """Puts the old ones back."""
        while self._kept:
            parent, name, value = self._kept.pop()
            setattr(parent, name, value)

    CleanUp = SmartUnsetAll = UnsetAll


class _CheckedThread(object):
    """A thread whose exceptions fail the test that joins it."""

    def __init__(self, case, target, args, kwargs):
        self._case, self._error = case, None
        self._thread = threading.Thread(target=self._run, args=(target, args or (), kwargs or {}))

    def _run(self, target, args, kwargs):
        try:
            target(*args, **kwargs)
        except Exception as error:  # pylint: disable=broad-except
            self._error = error

    def start(self):
        """Starts it."""
        self._thread.start()

    def join(self):
        """Waits for it; fails the test if it raised."""
        self._thread.join()
        if self._error is not None:
            self._case.fail('Error in checkedThread: %s' % self._error)

    def is_alive(self):
        """Whether it runs."""
        return self._thread.is_alive()


class TestCase(_absltest.TestCase):
    """unittest's TestCase with assertions on arrays, and a graph of its own for each test."""

    def __init__(self, methodName='runTest'):
        super(TestCase, self).__init__(methodName)
        self._cached = None
        self._folder = None

    def setUp(self):
        super(TestCase, self).setUp()
        _random.seed(_SEED)
        np.random.seed(_SEED)
        import headrace.tf1 as tf
        tf.reset_default_graph()
        tf.get_default_graph().seed = _SEED

    def tearDown(self):
        if self._cached is not None:
            self._cached.close()
            self._cached = None
        super(TestCase, self).tearDown()

    def get_temp_dir(self):
        """A folder for this test's files."""
        if self._folder is None:
            self._folder = tempfile.mkdtemp(dir=get_temp_dir())
        return self._folder

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """A session, as the default one, on the test's graph."""
        del use_gpu, force_gpu  # placement is the graph's
        import headrace.tf1 as tf
        with tf.Session(graph=graph, config=config) as session:
            yield session

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """One session for the whole test."""
        del use_gpu, force_gpu
        import headrace.tf1 as tf
        if self._cached is None:
            self._cached = tf.Session(graph=graph, config=config)
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """cached_session where no graph is given, else session."""
        if self.id().endswith('.test_session'):
            self.skipTest('Not a test.')  # unittest takes it for one by its name
        make = self.cached_session if graph is None else self.session
        return make(graph=graph, config=config, use_gpu=use_gpu, force_gpu=force_gpu)

    def evaluate(self, tensors):
        """Their values, in the default session."""
        import headrace.tf1 as tf
        return (tf.get_default_session() or self._cached).run(tensors)

    def checkedThread(self, target, args=None, kwargs=None):  # pylint: disable=invalid-name
        """A thread whose failure is the test's."""
        return _CheckedThread(self, target, args, kwargs)

    # --- assertions

    def _value(self, value):
        """NumPy's view of a tensor, an array or nested lists."""
        if hasattr(value, 'op') and hasattr(value, 'graph') or type(value).__name__ == 'IndexedSlices':
            return self.evaluate(value)
        return value if isinstance(value, np.ndarray) else np.array(value)

    def _pairs(self, a, b, path, msg):
        """(path, a, b) of the leaves of two equal structures."""
        if hasattr(a, '_asdict'):
            a = a._asdict()
        if hasattr(b, '_asdict'):
            b = b._asdict()
        if isinstance(a, dict) or isinstance(b, dict):
            if not (isinstance(a, dict) and isinstance(b, dict)) or set(a) != set(b):
                self.fail('%s: one has the keys %s, the other %s. %s' % (
                    path or 'values', sorted(a) if isinstance(a, dict) else type(a), sorted(b) if isinstance(b, dict) else type(b), msg or ''))
            for key in a:
                for found in self._pairs(a[key], b[key], '%s[%r]' % (path, key), msg):
                    yield found
            return
        if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
            try:
                yield path, np.array(self._leaf(a)), np.array(self._leaf(b))
                return
            except ValueError:
                pass  # rows of different lengths: one by one
            self.assertEqual(len(a), len(b), 'Mismatched length: %s' % (msg or ''))
            for i, (x, y) in enumerate(zip(a, b)):
                for found in self._pairs(x, y, '%s[%d]' % (path, i), msg):
                    yield found
            return
        yield path, self._value(a), self._value(b)

    def _leaf(self, values):
        return [self._leaf(v) if isinstance(v, (list, tuple)) else self._value(v) for v in values]

    def _report(self, path, a, b, wrong, what, msg):
        where = np.argwhere(wrong)
        lines = ['%s%s: %d of %d values' % (path + ' ' if path else '', what, len(where), wrong.size)]
        if wrong.ndim == 0:
            lines.append('%s against %s' % (a, b))
        for index in where[:10] if wrong.ndim else ():
            lines.append('at %s: %s against %s' % (tuple(int(i) for i in index), a[tuple(index)], np.broadcast_to(b, a.shape)[tuple(index)]))
        if msg:
            lines.append(str(msg))
        self.fail('\n'.join(lines))

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):  # pylint: disable=invalid-name
        """|a - b| <= atol + rtol |b| everywhere, in equal structures."""
        for path, x, y in self._pairs(a, b, '', msg):
            self.assertEqual(x.shape, y.shape, 'Shape mismatch: expected %s, got %s. %s' % (x.shape, y.shape, msg or ''))
            # bfloat16 and float16 are known to few digits.
            if any(str(v.dtype) in ('float16', 'bfloat16') for v in (x, y)):
                rtol, atol = max(rtol, 1e-2), max(atol, 1e-2)
            if not np.allclose(x, y, rtol=rtol, atol=atol, equal_nan=True):
                wrong = ~np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=True)
                self._report(path, x, y, wrong, 'not close (rtol=%g, atol=%g)' % (rtol, atol), msg)

    def assertAllCloseAccordingToType(  # pylint: disable=invalid-name
            self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3, half_atol=1e-3, bfloat16_rtol=1e-2,
            bfloat16_atol=1e-2, msg=None):
        """assertAllClose with the tolerances of the coarser type of the two."""
        for _, x, y in self._pairs(a, b, '', msg):
            names = {str(x.dtype), str(y.dtype)}
            if 'float32' in names or 'complex64' in names:
                rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
            if 'float16' in names:
                rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
            if 'bfloat16' in names:
                rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
            self.assertAllClose(x, y, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a, b, **options):  # pylint: disable=invalid-name
        """Not assertAllClose."""
        try:
            self.assertAllClose(a, b, **options)
        except AssertionError:
            return
        raise AssertionError('The two values are close at all elements')

    def assertAllEqual(self, a, b, msg=None):  # pylint: disable=invalid-name
        """Equal shapes and values; NaNs are equal."""
        x, y = self._value(a), self._value(b)
        self.assertEqual(x.shape, y.shape, 'Shape mismatch: expected %s, got %s. %s' % (x.shape, y.shape, msg or ''))
        same = np.asarray(x == y)
        if x.dtype.kind in 'fc' and y.dtype.kind in 'fc':
            same = same | (np.isnan(x) & np.isnan(y))
        if not np.all(same):
            self._report('', x, y, np.asarray(~same), 'not equal', msg)

    def assertNotAllEqual(self, a, b, msg=None):  # pylint: disable=invalid-name
        """Not assertAllEqual."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError('The two values are equal at all elements. %s' % (msg or ''))

    def _all(self, a, good, what):
        x = self._value(a)
        if not np.all(good(x)):
            self.fail('not all values are %s: %s' % (what, x[~good(x)][:10]))

    def assertAllGreater(self, a, comparison_target):  # pylint: disable=invalid-name
        """All values are greater."""
        self._all(a, lambda x: x > comparison_target, '> %s' % comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):  # pylint: disable=invalid-name
        """All values are greater or equal."""
        self._all(a, lambda x: x >= comparison_target, '>= %s' % comparison_target)

    def assertAllLess(self, a, comparison_target):  # pylint: disable=invalid-name
        """All values are less."""
        self._all(a, lambda x: x < comparison_target, '< %s' % comparison_target)

    def assertAllLessEqual(self, a, comparison_target):  # pylint: disable=invalid-name
        """All values are less or equal."""
        self._all(a, lambda x: x <= comparison_target, '<= %s' % comparison_target)

    def assertAllInSet(self, target, expected_set):  # pylint: disable=invalid-name
        """All values are in the set."""
        self._all(target, lambda x: np.isin(x, list(expected_set)), 'in %s' % (expected_set,))

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False,  # pylint: disable=invalid-name
                         open_upper_bound=False):
        """All values are within bounds."""
        above = (lambda x: x > lower_bound) if open_lower_bound else (lambda x: x >= lower_bound)
        below = (lambda x: x < upper_bound) if open_upper_bound else (lambda x: x <= upper_bound)
        self._all(target, lambda x: above(x) & below(x), 'between %s and %s' % (lower_bound, upper_bound))

    def assertNear(self, f1, f2, err, msg=None):  # pylint: disable=invalid-name
        """|f1 - f2| <= err; equal infinities are near."""
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, '%f != %f +/- %f%s' % (f1, f2, err, ' (%s)' % msg if msg else ''))

    def assertArrayNear(self, farray1, farray2, err, msg=None):  # pylint: disable=invalid-name
        """assertNear of each pair."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg)

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):  # pylint: disable=invalid-name
        """The distance of two arrays is less than err."""
        self.assertLess(np.linalg.norm(np.asarray(ndarray1) - np.asarray(ndarray2)), err, msg)

    def assertShapeEqual(self, np_array, tf_tensor, msg=None):  # pylint: disable=invalid-name
        """An array has the shape of a tensor."""
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg=msg)

    def assertDTypeEqual(self, target, expected_dtype):  # pylint: disable=invalid-name
        """The values have a dtype."""
        self.assertEqual(self._value(target).dtype, np.dtype(getattr(expected_dtype, 'as_numpy_dtype', expected_dtype)))

    def assertDeviceEqual(self, device1, device2, msg=None):  # pylint: disable=invalid-name
        """Two device names mean the same."""
        import headrace.tf1 as tf
        names = [tf.DeviceSpec.from_string(device or '').to_string() for device in (device1, device2)]
        self.assertEqual(names[0], names[1], 'Devices %s and %s are not equal. %s' % (device1, device2, msg or ''))

    def assertStartsWith(self, actual, expected_start, msg=None):  # pylint: disable=invalid-name
        """Text begins with text."""
        self.assertTrue(actual.startswith(expected_start), '%r does not start with %r. %s' % (actual, expected_start, msg or ''))

    def assertProtoEquals(self, expected_message_maybe_ascii, message, msg=None):  # pylint: disable=invalid-name
        """A message equals another, or the one that a text describes."""
        if isinstance(expected_message_maybe_ascii, (str, bytes)):
            from google.protobuf import text_format
            expected = text_format.Merge(expected_message_maybe_ascii, type(message)())
        else:
            expected = expected_message_maybe_ascii
        self.assertEqual(str(expected), str(message), msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):  # pylint: disable=invalid-name
        """The block raises an exception whose text matches, or which a function accepts."""
        if callable(expected_err_re_or_predicate):
            accepts = expected_err_re_or_predicate
        else:
            def accepts(error):
                text = getattr(error, 'message', None) or str(error)
                op = getattr(error, 'op', None)
                while op is not None:
                    text += '\nCaused by: ' + op.name
                    op = getattr(op, '_original_op', None)
                return re.search(expected_err_re_or_predicate, text)
        try:
            yield
        except exception_type as error:  # pylint: disable=broad-except
            if not accepts(error):
                raise AssertionError('Exception of type %s: %s' % (type(error), error)) from error
            return
        self.fail('%s not raised' % exception_type.__name__)

    def assertRaisesOpError(self, expected_err_re_or_predicate):  # pylint: disable=invalid-name
        """The block raises an error of a step."""
        from headrace.tf1.framework import errors
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)


def assert_equal_graph_def(actual, expected, checkpoint_v2=False):
    """Two GraphDefs have the same nodes, in whatever order."""
    del checkpoint_v2
    nodes = [{node.name: node for node in graph.node} for graph in (actual, expected)]
    for name in sorted(set(nodes[0]) | set(nodes[1])):
        if nodes[0].get(name) != nodes[1].get(name):
            raise AssertionError('node %r differs:\n%s\nagainst\n%s' % (name, nodes[0].get(name), nodes[1].get(name)))


def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """(Jacobian by the graph's gradients, Jacobian by differences) of y by x, each [size of x, size of y]; lists of them where x is a
    list. Needs a default session."""
    import headrace.tf1 as tf
    session = tf.get_default_session()
    for target in init_targets or ():
        session.run(target)
    if isinstance(x, list):
        values = x_init_value or [None] * len(x)
        starts = [_start(shape, value) for shape, value in zip(x_shape, values)]
        feeds = dict(extra_feed_dict or {})
        feeds.update(zip(x, starts))
        return [_jacobians(session, one, start, y, y_shape, delta, feeds) for one, start in zip(x, starts)]
    return _jacobians(session, x, _start(x_shape, x_init_value), y, y_shape, delta, dict(extra_feed_dict or {}))


def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The largest difference of the two Jacobians of compute_gradient."""
    pairs = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = pairs if isinstance(pairs, list) else [pairs]
    return max(float(np.max(np.abs(a - b))) if a.size else 0.0 for a, b in pairs)


def _start(shape, value):
    if value is not None:
        return np.asarray(value)
    return np.random.random_sample(tuple(shape)).astype(np.float32)


def _jacobians(session, x, start, y, y_shape, delta, feeds):
    import headrace.tf1 as tf
    start = start.astype(x.dtype.as_numpy_dtype)
    size_x, size_y = start.size, int(np.prod(y_shape))
    weights = tf.placeholder(y.dtype, shape=y_shape)
    gradient = tf.gradients(y, x, grad_ys=weights)[0]
    exact, near = np.zeros((size_x, size_y), start.dtype), np.zeros((size_x, size_y), start.dtype)
    for column in range(size_y if gradient is not None else 0):
        one = np.zeros(size_y, start.dtype)
        one[column] = 1
        values = session.run(gradient, _with(feeds, {x: start, weights: one.reshape(y_shape)}))
        exact[:, column] = np.asarray(values).reshape(-1)
    for row in range(size_x):
        ends = []
        for sign in (1, -1):
            moved = start.copy()
            moved.reshape(-1)[row] += sign * delta
            ends.append(np.asarray(session.run(y, _with(feeds, {x: moved}))).reshape(-1))
        near[row] = (ends[0] - ends[1]) / (2 * delta)
    return exact, near


def _with(feeds, more):
    both = dict(feeds)
    both.update(more)
    return both


class Benchmark(object):
    """A benchmark: methods named benchmark... run with `--benchmarks=REGEX` on the command line of a test program, and report."""

    def __init_subclass__(cls, **options):
        super(Benchmark, cls).__init_subclass__(**options)
        _REGISTERED.append(cls)

    @classmethod
    def is_abstract(cls):
        """Whether it has no methods to run."""
        return not any(name.startswith('benchmark') for name in dir(cls))

    def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None):
        """Prints one result. Times in seconds for one iteration."""
        caller = sys._getframe(1).f_code.co_name  # pylint: disable=protected-access
        label = name or '%s.%s' % (type(self).__name__, caller)
        fields = [('iters', iters), ('cpu_time', cpu_time), ('wall_time', wall_time), ('throughput', throughput)]
        fields += sorted((extras or {}).items())
        print('%s: %s' % (label, ', '.join('%s: %s' % (key, value) for key, value in fields if value is not None)))

    def run_op_benchmark(self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10, store_trace=False,
                         store_memory_usage=True, name=None, extras=None, mbs=0):
        """Runs an op and reports the median wall time of a run, in seconds. Returns what it reported. `mbs`: megabytes a run handles,
        for a throughput in MB/s."""
        import time
        del store_trace, store_memory_usage
        op = getattr(op_or_tensor, 'op', op_or_tensor)
        for _ in range(burn_iters):
            sess.run(op, feed_dict=feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.perf_counter()
            sess.run(op, feed_dict=feed_dict)
            times.append(time.perf_counter() - start)
        median = float(np.median(times))
        throughput = mbs / median if mbs and median else None
        label = name or '%s.%s' % (type(self).__name__, sys._getframe(1).f_code.co_name)  # pylint: disable=protected-access
        self.report_benchmark(iters=min_iters, wall_time=median, throughput=throughput, extras=extras, name=label)
        return {'iters': min_iters, 'wall_time': median, 'throughput': throughput, 'extras': dict(extras or {}), 'name': label}


def _run_benchmarks(pattern):
    for cls in _REGISTERED:
        for name in dir(cls):
            if name.startswith('benchmark') and re.search(pattern, '%s.%s' % (cls.__name__, name)):
                getattr(cls(), name)()

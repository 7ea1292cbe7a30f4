"""tf.flags, tf.app, tf.logging, tf.gfile, tf.compat, tf.resource_loader, tf.test: what TensorFlow 1.15 gives."""
import os

import numpy as np
import pytest

import headrace.tf1 as tf


# --- tf.flags, tf.app

FLAGS_PROGRAM = '''
import tensorflow as tf
flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string('name', 'x', 'A name')
flags.DEFINE_integer(flag_name='n', default_value=3, docstring='num')
tf.flags.DEFINE_boolean('b', True, 'bool')
flags.DEFINE_float('lr', 0.5, 'rate')

def main(argv):
    print(argv[1:], FLAGS.name, FLAGS.n, FLAGS.b, FLAGS.lr)
    print([(k, v.value) for k, v in sorted(FLAGS.__flags.items()) if k in ('n', 'b')], 'name' in FLAGS, FLAGS['n'].value)
    FLAGS.n = 9
    print(FLAGS.n, FLAGS.flag_values_dict()['n'])
    return 3

if __name__ == '__main__':
    tf.app.run()
'''


def test_app_run_parses_flags_keeps_unknown_ones_and_ends_with_mains_result(headrace_run):
    result = headrace_run(FLAGS_PROGRAM, '--n=5', '--nob', '--unk=3', 'pos', '--name', 'q')
    assert result.out == ("['--unk=3', 'pos'] q 5 False 0.5\n[('b', False), ('n', 5)] True 5\n9 9\n"), result.err
    assert result.code == 3


def test_help_of_flags(headrace_run):
    result = headrace_run(FLAGS_PROGRAM, '--help')
    assert result.code == 1 and '--n: num' in result.out and '--[no]b: bool' in result.out


def test_a_wrong_flag_is_named(headrace_run):
    result = headrace_run(FLAGS_PROGRAM, '--n=bad')
    assert result.code == 1 and result.err.count('File ') == 1
    assert result.err.strip().endswith("flag --n=bad: invalid literal for int() with base 10: 'bad'")


def test_flags_are_parsed_at_first_use(headrace_run):
    program = 'import tensorflow as tf\ntf.flags.DEFINE_integer("n", 3, "num")\nprint(tf.flags.FLAGS.n)\n'
    assert headrace_run(program, '--n', '4').out == '4\n'
    result = headrace_run(program, '--n', '4', '--zz')
    assert result.code == 1 and "Unknown command line flag 'zz'" in result.err
    result = headrace_run(program.replace('print', 'tf.flags.FLAGS._parse_flags()\nprint'), '--zz', '--n=5')
    assert result.out == '5\n', result.err


def test_an_undefined_flag_is_an_attribute_error(headrace_run):
    result = headrace_run('import tensorflow as tf\ntry:\n    tf.flags.FLAGS.nope\nexcept AttributeError as e:\n    print("no", e)\n')
    assert result.out == 'no nope\n', result.err


# --- tf.logging

def test_logging_lines(headrace_run):
    result = headrace_run('''
import tensorflow as tf
tf.logging.info('quiet')
tf.logging.warn('w %d', 1)
tf.logging.set_verbosity(tf.logging.DEBUG)
tf.logging.debug('d'); tf.logging.info('i'); tf.logging.error('e'); tf.logging.fatal('f')
tf.logging.log(tf.logging.INFO, 'l %s', 'x')
for i in range(5):
    tf.logging.log_every_n(tf.logging.INFO, 'every %d', 2, i)
    tf.logging.log_first_n(tf.logging.INFO, 'first %d', 2, i)
tf.logging.log_if(tf.logging.INFO, 'never', False)
print(tf.logging.get_verbosity(), tf.logging.WARN)
''')
    assert result.out == '10 30\n'
    assert result.err.split('\n')[:-1] == [
        'WARNING:tensorflow:w 1', 'DEBUG:tensorflow:d', 'INFO:tensorflow:i', 'ERROR:tensorflow:e', 'CRITICAL:tensorflow:f',
        'INFO:tensorflow:l x', 'INFO:tensorflow:every 0', 'INFO:tensorflow:first 0', 'INFO:tensorflow:first 1',
        'INFO:tensorflow:every 2', 'INFO:tensorflow:every 4']


def test_logging_under_app_run_writes_each_line_once(headrace_run):
    result = headrace_run('import tensorflow as tf\ndef main(_):\n    tf.logging.set_verbosity(tf.logging.INFO)\n    tf.logging.info("one")\n'
                          'tf.app.run()\n')
    assert result.err == 'INFO:tensorflow:one\n'


def test_logging_through_a_root_logger_of_the_program(headrace_run):
    result = headrace_run('import logging, sys\nlogging.basicConfig(stream=sys.stdout, format="%(filename)s:%(lineno)d %(message)s")\n'
                          'import tensorflow as tf\ntf.logging.error("e")\n')
    assert (result.out, result.err) == ('prog.py:4 e\n', '')


# --- tf.gfile

@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Files a.txt, .hid, d/x.py, d/e/y.py in the working directory."""
    (tmp_path / 'a.txt').write_text('one\ntwo\n')
    (tmp_path / '.hid').write_text('')
    (tmp_path / 'd' / 'e').mkdir(parents=True)
    (tmp_path / 'd' / 'x.py').write_text('')
    (tmp_path / 'd' / 'e' / 'y.py').write_text('')
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize('pattern, found', [
    ('*', ['./.hid', './a.txt', './d']), ('d/*.py', ['d/x.py']), ('*/*/*.py', ['./d/e/y.py']), (['a*', 'd/x.py', 'zzz'], ['./a.txt', 'd/x.py']),
    ('./*.txt', ['./a.txt']), ('', []), ('a.txt', ['./a.txt']), ('d/', []), ('d//*.py', []), ('nothing*', [])])
def test_glob(folder, pattern, found):
    assert sorted(tf.gfile.Glob(pattern)) == found


def _stat(name):
    found = tf.gfile.Stat(name)
    return found.length, found.is_directory


@pytest.mark.parametrize('call, kind, text', [
    (lambda g: g.GFile('nope').read(), 'NotFoundError', 'nope; No such file or directory'),
    (lambda g: g.GFile('d').read(), 'FailedPreconditionError', 'd; Is a directory'),
    (lambda g: g.GFile('a.txt', 'x'), 'InvalidArgumentError', "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"),
    (lambda g: g.GFile('a.txt').write('a'), 'PermissionDeniedError', "File isn't open for writing"),
    (lambda g: g.GFile('a.txt', 'w').read(), 'PermissionDeniedError', "File isn't open for reading"),
    (lambda g: g.GFile('q/z', 'w').write('s'), 'NotFoundError', 'q/z; No such file or directory'),
    (lambda g: g.MkDir('u/v'), 'NotFoundError', 'u/v; No such file or directory'),
    (lambda g: g.MakeDirs('a.txt/b'), 'FailedPreconditionError', 'a.txt/b; Not a directory'),
    (lambda g: g.Remove('nope'), 'NotFoundError', 'nope; No such file or directory'),
    (lambda g: g.Remove('d'), 'FailedPreconditionError', 'd; Is a directory'),
    (lambda g: g.DeleteRecursively('nope'), 'NotFoundError', 'nope not found'),
    (lambda g: g.DeleteRecursively('.hid'), 'FailedPreconditionError', '.hid; Not a directory'),
    (lambda g: g.Copy('a.txt', 'd/x.py'), 'AlreadyExistsError', 'file already exists'),
    (lambda g: g.Copy('nope', 'c'), 'NotFoundError', 'nope; No such file or directory'),
    (lambda g: g.Rename('a.txt', 'd/x.py'), 'AlreadyExistsError', 'file already exists'),
    (lambda g: g.Stat('nope'), 'NotFoundError', 'nope; No such file or directory'),
    (lambda g: g.ListDirectory('nope'), 'NotFoundError', 'Could not find directory nope'),
    (lambda g: g.GFile('a.txt').seek(0, 5), 'InvalidArgumentError', 'Invalid whence argument: 5. Valid values are 0, 1, or 2.'),
])
def test_errors_of_files(folder, call, kind, text):
    with pytest.raises(getattr(tf.errors, kind)) as error:
        call(tf.gfile)
    assert error.value.message == text


def test_folders(folder):
    g = tf.gfile
    g.MkDir('d')  # is there: fine, as in TensorFlow
    g.MakeDirs('m/n')
    assert g.IsDirectory('m/n') and not g.IsDirectory('a.txt') and not g.Exists('zzz')
    assert list(g.Walk('d')) == [('d', ['e'], ['x.py']), ('d/e', [], ['y.py'])]
    assert list(g.Walk('d', in_order=False)) == [('d/e', [], ['y.py']), ('d', ['e'], ['x.py'])]
    assert list(g.Walk('nope')) == [] and sorted(g.ListDirectory('d')) == ['e', 'x.py']
    g.DeleteRecursively('m')
    g.Copy('a.txt', 'b.txt')
    g.Rename('b.txt', 'c.txt')
    g.Copy('a.txt', 'c.txt', overwrite=True)
    assert not g.Exists('m') and not g.Exists('b.txt') and _stat('c.txt') == (8, False) and _stat('d')[1]


def test_reading_and_writing(folder):
    f = tf.gfile.GFile('a.txt')
    assert (f.readline(), f.tell(), f.readlines(), f.size(), f.name, f.mode) == ('one\n', 4, ['two\n'], 8, 'a.txt', 'r')
    f.seek(1)
    assert f.read(3) == 'ne\n'
    assert list(tf.gfile.FastGFile('a.txt', 'rb')) == [b'one\n', b'two\n']
    with tf.gfile.Open('new.txt', 'w') as f:
        f.write('abc')
        f.write(b'def')
    with tf.gfile.GFile('new.txt', 'a') as f:
        f.write('ghi')
        assert f.tell() == 9
    assert (folder / 'new.txt').read_text() == 'abcdefghi'
    with tf.gfile.GFile('never.txt', 'w'):
        pass
    assert not os.path.exists('never.txt')


# --- the rest

def test_compat():
    assert tf.compat.as_bytes('é') == b'\xc3\xa9' and tf.compat.as_text(b'\xc3\xa9') == tf.compat.as_str(b'\xc3\xa9') == 'é'
    assert tf.compat.as_str_any(5) == '5' and tf.compat.v1 is tf
    with pytest.raises(TypeError, match='Expected binary or unicode string, got 5'):
        tf.compat.as_bytes(5)
    assert isinstance(np.int32(1), tf.compat.integral_types) and isinstance(np.float32(1), tf.compat.real_types)


def test_files_beside_the_program(headrace_run):
    result = headrace_run('import tensorflow as tf, os\nprint(os.path.basename(tf.resource_loader.get_data_files_path()),\n'
                          '      os.path.basename(tf.resource_loader.get_path_to_datafile("x.txt")))\n')
    assert result.out == 'program x.txt\n', result.err


def test_a_test_program(headrace_run):
    result = headrace_run('''
import tensorflow as tf
import numpy as np

class SquareTest(tf.test.TestCase):
    def testSquare(self):
        with self.test_session():
            x = tf.square([2, 3])
            self.assertAllEqual(x.eval(), [4, 9])
            self.assertShapeEqual(np.zeros(2), x)

    def testFails(self):
        self.assertAllClose([1.0, 2.0], [1.0, 2.5], msg='why')

if __name__ == '__main__':
    tf.test.main()
''')
    assert result.code == 1
    assert 'Ran 3 tests' in result.err and 'FAILED (failures=1, skipped=1)' in result.err
    assert 'at (1,): 2.0 against 2.5' in result.err and 'why' in result.err


def test_a_benchmark_program(headrace_run):
    result = headrace_run('''
import tensorflow as tf

class Squares(tf.test.Benchmark):
    def benchmarkSmall(self):
        with tf.Session() as sess:
            self.run_op_benchmark(sess, tf.square([2.0]), min_iters=3)

    def benchmarkOther(self):
        self.report_benchmark(iters=1, wall_time=0.5, extras={'k': 2})

tf.test.main()
''', '--benchmarks=Squares.benchmark')
    lines = result.out.strip().split('\n')
    assert lines[0] == 'Squares.benchmarkOther: iters: 1, wall_time: 0.5, k: 2', result.err
    assert lines[1].startswith('Squares.benchmarkSmall: iters: 3, wall_time: ')


class Assertions(tf.test.TestCase):
    """A case whose assertions the tests below call."""

    def runTest(self):
        """Nothing."""


@pytest.mark.parametrize('name, good, bad', [
    ('assertAllClose', ([1.0, 2.0], [1.0, 2.0 + 1e-7]), ([1.0], [1.1])),
    ('assertAllClose', ({'a': [1.0], 'b': (2.0, [3.0])}, {'a': [1.0], 'b': (2.0, [3.0])}), ({'a': 1.0}, {'b': 1.0})),
    ('assertAllClose', ([[1.0], [1.0, 2.0]], [[1.0], [1.0, 2.0]]), ([[1.0], [1.0, 2.0]], [[1.0], [1.0, 3.0]])),
    ('assertAllClose', ([np.nan], [np.nan]), ([1.0, 2.0], [1.0])),
    ('assertAllEqual', ([1, 2], np.array([1, 2])), ([1, 2], [1, 3])),
    ('assertNotAllClose', ([1.0], [2.0]), ([1.0], [1.0])),
    ('assertNotAllEqual', ([1], [2]), ([1], [1])),
    ('assertAllGreater', ([2, 3], 1), ([2, 1], 1)),
    ('assertAllInRange', ([2, 3], 2, 3), ([2, 4], 2, 3)),
    ('assertAllInSet', ([2, 3], {2, 3}), ([2, 4], {2, 3})),
    ('assertNear', (1.0, 1.1, 0.2), (1.0, 1.5, 0.2)),
    ('assertArrayNear', ([1.0], [1.1], 0.2), ([1.0], [1.5], 0.2)),
    ('assertNDArrayNear', ([1.0], [1.1], 0.2), ([1.0], [1.5], 0.2)),
    ('assertStartsWith', ('abc', 'ab'), ('abc', 'b')),
    ('assertDeviceEqual', ('/cpu:0', '/device:CPU:0'), ('/cpu:0', '/gpu:0')),
])
def test_assertions(name, good, bad):
    case = Assertions()
    getattr(case, name)(*good)
    with pytest.raises(AssertionError):
        getattr(case, name)(*bad)


def test_assertions_on_errors():
    case = Assertions()
    with case.assertRaisesOpError('gone'):
        raise tf.errors.NotFoundError(None, None, 'it is gone')
    with pytest.raises(AssertionError):
        with case.assertRaisesOpError('gone'):
            raise tf.errors.NotFoundError(None, None, 'other')
    with pytest.raises(AssertionError):
        with case.assertRaisesWithPredicateMatch(ValueError, lambda e: True):
            pass


def test_gradient_error_of_a_right_and_a_wrong_gradient():
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(tf.float32, [2, 3])
        assert tf.test.compute_gradient_error(x, [2, 3], tf.tanh(x), [2, 3]) < 1e-3
        assert tf.test.compute_gradient_error(x, [2, 3], x + tf.stop_gradient(tf.square(x)), [2, 3], x_init_value=np.ones([2, 3])) > 1.0


def test_temporary_folders():
    case = Assertions()
    assert os.path.isdir(case.get_temp_dir()) and case.get_temp_dir().startswith(tf.test.get_temp_dir())
    assert not tf.test.is_built_with_cuda() and isinstance(tf.test.gpu_device_name(), str)


# --- inner modules that programs use

def test_list_local_devices():
    from headrace.tf1.python.client import device_lib
    devices = device_lib.list_local_devices()
    assert (devices[0].name, devices[0].device_type) == ('/device:CPU:0', 'CPU')


def test_timeline_of_a_step():
    import json
    from headrace.tf1.framework import protos
    from headrace.tf1.python.client import timeline
    stats = protos.message('StepStats')()
    device = stats.dev_stats.add(device='/job:localhost/replica:0/task:0/device:CPU:0')
    device.node_stats.add(node_name='x', all_start_micros=10, all_end_rel_micros=5, timeline_label='x = Const()')
    device.node_stats.add(node_name='add', all_start_micros=20, all_end_rel_micros=2, timeline_label='add = Add(x, y)', thread_id=3)
    events = json.loads(timeline.Timeline(stats).generate_chrome_trace_format())['traceEvents']
    done = [event for event in events if event['ph'] == 'X']
    assert [(event['name'], event['ts'], event['dur'], event['tid']) for event in done] == [('Const', 10, 5, 0), ('Add', 20, 2, 3)]
    assert done[1]['args'] == {'name': 'add', 'op': 'Add', 'input0': 'x', 'input1': 'y'}
    assert [(event['ph'], event['ts']) for event in events if event['ph'] in 'st'] == [('s', 15), ('t', 20)]
    assert not [e for e in json.loads(timeline.Timeline(stats).generate_chrome_trace_format(show_dataflow=False))['traceEvents'] if e['ph'] == 's']


def test_timeline_and_devices_by_their_spellings(headrace_run):
    result = headrace_run('from tensorflow.python.client import device_lib, timeline\nimport tensorflow as tf\n'
                          'print([d.name for d in device_lib.list_local_devices() if d.device_type == "CPU"], tf.python.client.timeline is timeline)\n'
                          'print(timeline.Timeline(tf.RunMetadata().step_stats).generate_chrome_trace_format()[:1])\n')
    assert result.out == "['/device:CPU:0'] True\n{\n", result.err


# --- record files, tf.io

@pytest.mark.parametrize('options', [None, 'GZIP', 1])
def test_record_files(tmp_path, options):
    path = str(tmp_path / 'x.tfrecord')
    packed = None if options is None else tf.python_io.TFRecordOptions(options)
    with tf.python_io.TFRecordWriter(path, packed) as writer:
        for record in (b'one', 'zwei', b''):
            writer.write(record)
    assert list(tf.python_io.tf_record_iterator(path, packed)) == [b'one', b'zwei', b'']


def test_records_of_tensorflow(tmp_path):
    # Written by tf.python_io.TFRecordWriter of TensorFlow 1.15: b'one', b'two'.
    data = bytes.fromhex('0300000000000000b099490e6f6e65014055080300000000000000b099490e74776f8990c909')
    (tmp_path / 'theirs').write_bytes(data)
    assert list(tf.python_io.tf_record_iterator(str(tmp_path / 'theirs'))) == [b'one', b'two']
    with tf.python_io.TFRecordWriter(str(tmp_path / 'ours')) as writer:
        writer.write(b'one')
        writer.write(b'two')
    assert (tmp_path / 'ours').read_bytes() == data
    (tmp_path / 'cut').write_bytes(data[:-6])
    with pytest.raises(tf.errors.DataLossError):
        list(tf.python_io.tf_record_iterator(str(tmp_path / 'cut')))


def test_wrong_record_files(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        list(tf.python_io.tf_record_iterator(str(tmp_path / 'absent')))
    with pytest.raises(ValueError, match='Not a valid compression_type: "LZ"'):
        tf.python_io.TFRecordOptions('LZ')


def test_io_is_the_same_by_other_names(folder):
    assert tf.io.TFRecordWriter is tf.python_io.TFRecordWriter and tf.io.gfile.GFile is tf.gfile.GFile
    files = tf.io.gfile
    files.makedirs('m/n')
    files.mkdir('m/o')
    files.copy('a.txt', 'm/b.txt')
    files.rename('m/b.txt', 'm/c.txt')
    assert files.exists('m/c.txt') and files.isdir('m') and sorted(files.listdir('m')) == ['c.txt', 'n', 'o']
    assert files.glob('m/*.txt') == ['m/c.txt'] and files.stat('m/c.txt').length == 8
    files.remove('m/c.txt')
    assert sorted(top for top, _, _ in files.walk('m')) == ['m', 'm/n', 'm/o']
    files.rmtree('m')
    missing = []
    assert not files.exists('m') and list(files.walk('m', onerror=missing.append)) == [] and len(missing) == 1

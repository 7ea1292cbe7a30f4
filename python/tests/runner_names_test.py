"""`import tensorflow` and its inner modules in a program; names that we do not have; `--check`."""
import json
import os

import pytest

from headrace.runner import check, spellings
from headrace.tf1 import _missing


def test_import_tensorflow_is_the_surface(headrace_run):
    result = headrace_run('import tensorflow as tf\nimport headrace.tf1\nprint(tf is headrace.tf1, tf.__name__)\n'
                          'import tensorflow.compat.v1 as v1\nprint(v1.Session is tf.Session)\n')
    assert result.out == 'True headrace.tf1\nTrue\n', result.err


def test_spellings_of_inner_modules(headrace_run):
    result = headrace_run('''
from tensorflow.python.framework import ops, dtypes, tensor_shape, errors
from tensorflow.python.framework.errors_impl import NotFoundError
from tensorflow.python.ops import math_ops, array_ops, variable_scope as vs
from tensorflow.python.platform import gfile, flags, tf_logging, app
from tensorflow.python.lib.io import file_io
from tensorflow.python.util import compat
import tensorflow.python.platform.gfile
import tensorflow as tf
print(ops.Graph is tf.Graph, ops.Tensor is tf.Tensor, dtypes.float32 is tf.float32, tensor_shape.TensorShape is tf.TensorShape)
print(errors.OpError is tf.errors.OpError, NotFoundError is tf.errors.NotFoundError, math_ops.matmul is tf.matmul, vs.get_variable is tf.get_variable)
print(gfile.GFile is tf.gfile.GFile, flags.FLAGS is tf.flags.FLAGS, app.run is tf.app.run, file_io.FileIO is tf.gfile.GFile)
print(compat.as_bytes('a'), array_ops.reshape is tf.reshape, tf_logging.INFO)
''')
    assert result.err == '' and result.out == 'True True True True\nTrue True True True\nTrue True True True\nb\'a\' True 20\n'


def test_inner_functions_that_are_nowhere_public(headrace_run):
    result = headrace_run('''
import tensorflow as tf
from tensorflow.contrib import slim
from tensorflow.python.framework import tensor_shape
from tensorflow.python.lib.io import file_io
from tensorflow.python.ops import control_flow_ops, gen_nn_ops
from tensorflow.python.util.deprecation import deprecated
print(repr(tensor_shape.unknown_shape()), tensor_shape.vector(3), tensor_shape.scalar(), slim.layers is tf.contrib.layers)
file_io.write_string_to_file('made.txt', 'words')
file_io.atomic_write_string_to_file('bytes.bin', b'bytes')
print(file_io.read_file_to_string('made.txt'), file_io.read_file_to_string('bytes.bin', binary_mode=True), sorted(tf.gfile.ListDirectory('.')))
print(control_flow_ops.with_dependencies([tf.no_op()], tf.constant(1)).name, gen_nn_ops._relu_grad(tf.ones([1]), tf.ones([1])).op.type)

@deprecated('2020-01-01', 'Use another.')
def old():
    return 3
print(old())
''')
    assert result.out == ("TensorShape(None) (3,) () True\nwords b'bytes' ['bytes.bin', 'made.txt']\n"
                          'control_dependency:0 ReluGrad\n3\n'), result.err


def test_checkpoints_are_printed(headrace_run):
    result = headrace_run('''
import tensorflow as tf
from tensorflow.python.tools import inspect_checkpoint as chkp
tf.Variable([[1., 2.], [3., 4.]], name='b')
tf.Variable(3, name='a')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, './m')
show = chkp.print_tensors_in_checkpoint_file
show('./m', tensor_name='', all_tensors=True)
show('./m', tensor_name='b', all_tensors=False)
show('./m', tensor_name='', all_tensors=False)
show('./m', tensor_name='', all_tensors=False, all_tensor_names=True, count_exclude_pattern='a')
show('./m', tensor_name='zz', all_tensors=False)
''')
    # What TensorFlow 1.15 prints; the last line goes on here.
    assert result.out.startswith('''tensor_name:  a
3
tensor_name:  b
[[1. 2.]
 [3. 4.]]
# Total number of params: 5
tensor_name:  b
[[1. 2.]
 [3. 4.]]
# Total number of params: 5
a (DT_INT32) []
b (DT_FLOAT) [2,2]

# Total number of params: 5
tensor_name:  a
tensor_name:  b
# Excluding 1 tensors (1 params) that match a when counting.
# Total number of params: 4
tensor_name:  zz
Key zz not found in checkpoint'''), result.err


def test_classes_say_that_they_are_of_tensorflows_modules(headrace_run):
    result = headrace_run('''
import pickle
import tensorflow as tf
for value in (tf.constant(1), tf.Variable(1), tf.get_default_graph(), tf.train.AdamOptimizer(), tf.float32):
    print(type(value))
print(pickle.loads(pickle.dumps(tf.TensorShape([1, None]))))
tf.Session().run(tf.placeholder(tf.float32, name='x'))
''')
    assert result.out == '''<class 'tensorflow.python.framework.ops.Tensor'>
<class 'tensorflow.python.ops.variables.RefVariable'>
<class 'tensorflow.python.framework.ops.Graph'>
<class 'tensorflow.python.training.adam.AdamOptimizer'>
<class 'tensorflow.python.framework.dtypes.DType'>
(1, ?)
''', result.err
    assert "\ntensorflow.python.framework.errors_impl.InvalidArgumentError: You must feed a value for placeholder tensor 'x'" in result.err


def test_examples_and_contrib_spellings_of_mnist(headrace_run):
    result = headrace_run('from tensorflow.examples.tutorials.mnist import input_data\n'
                          'import tensorflow.examples.tutorials.mnist.input_data as second\n'
                          'from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets\n'
                          'import tensorflow as tf\nthird = tf.examples.tutorials.mnist.input_data\n'
                          'print(second is input_data, third is input_data, read_data_sets is input_data.read_data_sets)\n')
    assert result.out == 'True True True\n', result.err


def test_messages(headrace_run):
    result = headrace_run('from tensorflow.core.framework import graph_pb2, summary_pb2, types_pb2\n'
                          'from tensorflow.core.protobuf import config_pb2\nimport tensorflow as tf\n'
                          'print(graph_pb2.GraphDef is tf.GraphDef, summary_pb2.Summary().value, types_pb2.DT_INT32)\n'
                          'print(config_pb2.ConfigProto(allow_soft_placement=True))\n')
    assert result.out == 'True [] 3\nallow_soft_placement: true\n\n', result.err


def test_contrib_spellings(headrace_run):
    result = headrace_run('''
import tensorflow as tf
import tensorflow.contrib.slim as slim
from tensorflow.contrib import layers, framework
from tensorflow.contrib.layers.python.layers import utils, batch_norm
from tensorflow.contrib.layers.python.layers import layers as inner
from tensorflow.contrib.layers.python.layers.layers import conv2d
from tensorflow.contrib.layers.python.layers.optimizers import adaptive_clipping_fn
from tensorflow.contrib.framework.python.ops import add_arg_scope, arg_scope, variables
from tensorflow.contrib.slim.nets import inception
from tensorflow.contrib.slim.python.slim.nets import inception_v3
from tensorflow.contrib.slim.python.slim.nets.resnet_utils import resnet_arg_scope
from tensorflow.contrib.training.python.training.hparam import HParams
print(conv2d is slim.conv2d is tf.contrib.layers.conv2d, batch_norm is layers.batch_norm is inner.batch_norm)
print(add_arg_scope is framework.add_arg_scope, arg_scope is slim.arg_scope, variables.model_variable is slim.model_variable)
print(inception.inception_v3 is inception_v3.inception_v3, HParams is tf.contrib.training.HParams, utils is slim.utils)
print(inner.fully_connected(tf.zeros([2, 3]), 4).name, slim.losses is tf.contrib.losses)
''')
    assert result.out == 'True True\nTrue True True\nTrue True True\nfully_connected/Relu:0 True\n', result.err


def test_a_missing_name_of_a_from_raises_where_it_is_used(headrace_run):
    result = headrace_run('import tensorflow as tf\nfrom tensorflow.contrib import no_such_part\nfrom tensorflow.nn import no_such_op, relu\n'
                          'from tensorflow import no_such_thing\nprint("imported", relu is tf.nn.relu)\nno_such_op(1)\n')
    assert result.out == 'imported True\n' and result.code == 1
    assert result.err.strip().split('\n')[-1].startswith('NotImplementedError: tf.nn.no_such_op is not in Headrace ('), result.err
    result = headrace_run('import sys\ntry:\n    from json import no_such_name\nexcept ImportError as e:\n    print(e.name)\n'
                          'import tensorflow\ntry:\n    from json import no_such_name\nexcept ImportError as e:\n    print(e.name)\n'
                          'try:\n    import headrace.tf1.no_such_module\nexcept ImportError as e:\n    print(e.name)\n')
    assert result.out == 'json\njson\nheadrace.tf1.no_such_module\n', result.err


def test_a_missing_name_raises_where_it_is_used(headrace_run):
    result = headrace_run('import tensorflow as tf\nfrom tensorflow.nowhere import thing\nfrom tensorflow.python.ops import nothing_ops\n'
                          'import tensorflow.contrib.absent.deep as deep\nprint("imported")\n\ndef f():\n    return tf.gfile.Existz("x")\nf()\n')
    assert result.out == 'imported\n' and result.code == 1
    last = result.err.strip().split('\n')[-1]
    assert last.startswith('NotImplementedError: tf.gfile.Existz is not in Headrace (') and 'prog.py:8)' in last
    assert 'tf.gfile.Exists' in last


@pytest.mark.parametrize('use', ['thing()', 'thing.part', 'class A(thing): pass', 'nothing_ops.x', 'deep.x()', 'foo()',
                                 'class A(foo): pass'])
def test_uses_of_missing_names(headrace_run, use):
    result = headrace_run('from tensorflow.nowhere import thing\nfrom tensorflow.python.ops import nothing_ops\n'
                          'import tensorflow.contrib.absent.deep as deep\nfrom tensorflow.python.ops.math_ops import foo\n' + use + '\n')
    assert result.code == 1 and 'NotImplementedError: ' in result.err and 'prog.py:5' in result.err


def test_a_missing_name_is_absent_to_hasattr(headrace_run):
    result = headrace_run('import tensorflow as tf\nprint(hasattr(tf, "no_such_name"), getattr(tf, "no_such_name", 5), hasattr(tf, "Graph"))\n')
    assert result.out == 'False 5 True\n', result.err


def test_nearest_names():
    names = ['tf.nn.relu', 'tf.nn.relu6', 'tf.layers.dense', 'tf.contrib.layers.flatten', 'tf.layers.flatten']
    assert _missing.nearest('tf.nn.flatten', names)[0] == 'tf.layers.flatten'
    assert set(_missing.nearest('tf.nn.relu5', names)) == {'tf.nn.relu', 'tf.nn.relu6'}
    assert _missing.nearest('tf.zzzz', names) == []


def test_inner_modules_lead_where_tensorflow_1_15_has_the_names():
    golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'golden', 'tf1_spellings.json')
    with open(golden) as file:
        modules = json.load(file)
    assert len(modules) > 100
    wrong = []
    for module, names in modules.items():
        wrong += [(module, name, public) for name, public in names.items()
                  if not set(spellings.public_names('python.' + module, name)) & set(public)]
    assert wrong == []


# --- headrace run --check

def test_check_lists_missing_names_with_lines(headrace_run):
    (headrace_run.folder / 'helper.py').write_text('import tensorflow as tf\n\ndef f(x):\n    return tf.no_such_op(x)\n')
    result = headrace_run('import tensorflow as tf\nimport helper\nfrom tensorflow.nowhere import thing as t\ngf = tf.gfile\n'
                          'gf.Exists("x")\ngf.Existz("x")\nt()\nx = tf.constant(1)\nx.anything()\ntf.GraphKeys.NO_SUCH_KEY\n'
                          'print(gf.Existz, tf.float32.name, tf.app.flags.FLAGS.anything)\n', options=['--check'])
    assert result.code == 1
    rows = result.out.strip().split('\n')
    found = [(os.path.basename(row.split(':')[0]), int(row.split(':')[1]), row.split(': ')[1].split()[0]) for row in rows[:-1]]
    assert found == [('prog.py', 6, 'tf.gfile.Existz'), ('prog.py', 7, 'tf.nowhere.thing'), ('prog.py', 10, 'tf.GraphKeys.NO_SUCH_KEY'),
                     ('prog.py', 11, 'tf.gfile.Existz'), ('helper.py', 4, 'tf.no_such_op')]
    assert 'nearest: tf.gfile.Exists' in rows[0]
    assert rows[-1].endswith('4 missing')


def test_check_of_a_complete_program(headrace_run):
    result = headrace_run('import tensorflow as tf\nwith tf.Graph().as_default():\n    print tf.constant(1) / 2, tf.newaxis\n', options=['--check'])
    assert (result.code, result.err) == (0, '')
    assert result.out.endswith('3 TensorFlow names used, all there\n')


def test_check_runs_nothing(headrace_run):
    result = headrace_run('open("made", "w").close()\nimport tensorflow as tf\ntf.Graph()\n', options=['--check'])
    assert result.code == 0 and os.listdir(str(headrace_run.working)) == []


def test_check_of_a_notebook(headrace_run):
    book = {'cells': [{'cell_type': 'code', 'source': ['%matplotlib inline\n', 'import tensorflow as tf']},
                      {'cell_type': 'code', 'source': ['\n', 'tf.no_such_op()']}], 'metadata': {}}
    result = headrace_run(json.dumps(book), name='book.ipynb', options=['--check'])
    assert result.code == 1 and 'book.ipynb, cell 2:2: tf.no_such_op' in result.out


def test_check_of_inner_spellings(headrace_run):
    result = headrace_run('from tensorflow.python.ops import math_ops\nfrom tensorflow.python.framework import ops as o, nothing\n'
                          'from tensorflow.python.ops.math_ops import foo\nmath_ops.matmul\no.Graph\nmath_ops.bar(1)\nfoo()\nnothing.x\n'
                          'from tensorflow.core.framework import graph_pb2\ngraph_pb2.GraphDef()\ngraph_pb2.NoMessage()\n', options=['--check'])
    found = [row.split(' ')[1] for row in result.out.strip().split('\n')[:-1]]
    assert found == ['tensorflow.python.ops.math_ops.bar', 'tensorflow.python.ops.math_ops.foo', 'tensorflow.python.framework.nothing.x',
                     'tensorflow.core.framework.graph_pb2.NoMessage'], result.out + result.err


def test_check_of_wrong_syntax(headrace_run):
    result = headrace_run('x = = 1\n', options=['--check'])
    assert result.code == 2 and 'invalid syntax' in result.err


def test_aliases_are_folded():
    scan = check.Scan('x.py')
    import ast
    scan.take(ast.parse('import tensorflow\nimport tensorflow as tf, numpy as np\nfrom tensorflow.contrib import layers as L\n'
                        'import tensorflow.contrib.slim as slim\nd = tf.layers.dense\nd(1)\ntensorflow.add(1, 2)\nL.fully_connected(1)\n'
                        'slim.conv2d()\nnp.array(1)\ntf.mine = 1\ntf.mine.bit_length()\ntf = 5\ntf.bit_length()\n'))
    assert [(use.line, use.name) for use in scan.uses] == [
        (5, 'tf.layers.dense'), (7, 'tf.add'), (8, 'tf.contrib.layers.fully_connected'), (9, 'tf.contrib.slim.conv2d')]


def test_resources_and_decorators_by_their_spellings(headrace_run):
    result = headrace_run('''
import tensorflow as tf
from tensorflow.python.ops import resources
from tensorflow.python.util import tf_contextlib, tf_decorator
handle = tf.constant('table', name='handle')
made = tf.Variable(0)
with tf.Session() as sess:
    print(sess.run(resources.report_uninitialized_resources()), resources.shared_resources(), resources.initialize_resources([]).type)
    resources.register_resource(handle, made.assign(1).op, tf.equal(made, 1))
    init = resources.initialize_resources(resources.shared_resources() + resources.local_resources())
    sess.run(made.initializer)
    left = resources.report_uninitialized_resources()
    print(sess.run(left), sess.run(init), sess.run(left))


def twice(function):
    def wrapped(*args):
        """Wraps."""
        return 2 * function(*args)
    return tf_decorator.make_decorator(function, wrapped)


@twice
def one():
    """One."""
    return 1


@tf_contextlib.contextmanager
def scope():
    yield 5


with scope() as five:
    print(five, one(), one.__name__, one.__doc__, tf_decorator.unwrap(one)[0][0].decorator_name, tf_decorator.unwrap(scope)[1].__name__)
''')
    assert result.out == "[] [] NoOp\n[b'handle:0'] None []\n5 2 one One. twice scope\n", result.err

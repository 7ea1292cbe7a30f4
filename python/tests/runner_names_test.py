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
    result = headrace_run('import tensorflow as tf\nwith tf.Graph().as_default():\n    print tf.constant(1) / 2\n', options=['--check'])
    assert (result.code, result.err) == (0, '')
    assert result.out.endswith('2 TensorFlow names used, all there\n')


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

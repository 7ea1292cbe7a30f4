"""Wrong uses of TensorFlow 1's names: which error each raises, and the first line of its text.

    python wrong_uses.py OUT.json

With real TensorFlow 1.15 this makes golden/wrong_uses.json (tools/make_python_goldens.py); tf1_errors_test.py compares with it.
"""
import inspect
import json
import os
import re
import sys
import tempfile

import numpy as np
import tensorflow as tf

FOLDER = tempfile.mkdtemp()

CASES = []


def case(function):
    CASES.append(function)
    return function


def sess_of(fetch, feed=None, init=False):
    with tf.Session() as sess:
        if init:
            sess.run(tf.global_variables_initializer())
        return sess.run(fetch, feed)


def c23():
    return tf.constant(np.ones([2, 3], np.float32))


def c45():
    return tf.constant(np.ones([4, 5], np.float32))


def ph(shape=None, dtype=tf.float32):
    return tf.placeholder(dtype, shape, name='x')


# ---- shapes
case(lambda: tf.matmul(c23(), c45()))
case(lambda: tf.add(c23(), c45()))
case(lambda: c23() + c45())
case(lambda: tf.reshape(c23(), [7]))
case(lambda: tf.reshape(c23(), [-1, -1]))
case(lambda: tf.concat([c23(), c45()], 0))
case(lambda: tf.concat(0, [c23(), c45()]))
case(lambda: tf.concat(0, [c23(), c23()]))
case(lambda: tf.concat(0, [tf.constant([1]), tf.constant([2])]))
case(lambda: tf.concat([c23(), c23()], 2))
case(lambda: tf.stack([c23(), c45()]))
case(lambda: tf.split(c23(), 4, 1))
case(lambda: tf.split(c23(), [1, 1], 1))
case(lambda: tf.transpose(c23(), [0, 1, 2]))
case(lambda: tf.squeeze(c23(), [0]))
case(lambda: tf.expand_dims(c23(), 5))
case(lambda: tf.unstack(ph([None, 3])))
case(lambda: tf.tile(c23(), [2]))
case(lambda: c23()[0, 0, 0])
case(lambda: c23()[5])
case(lambda: c23()['a'])
case(lambda: tf.gather(c23(), [0], axis=3))
case(lambda: sess_of(tf.gather(c23(), [7])))
case(lambda: tf.pad(c23(), [[1, 1]]))
case(lambda: tf.nn.conv2d(c23(), c45(), [1, 1, 1, 1], 'SAME'))
case(lambda: tf.nn.conv2d(tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 4, 8]), [1, 1, 1, 1], 'SAME'))
case(lambda: tf.nn.conv2d(tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 3, 8]), [1, 1, 1, 1], 'WRONG'))
case(lambda: tf.nn.conv2d(tf.ones([1, 2, 2, 3]), tf.ones([3, 3, 3, 8]), [1, 1, 1, 1], 'VALID'))
case(lambda: tf.nn.max_pool(c23(), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'))
case(lambda: tf.nn.bias_add(c23(), tf.ones([4])))
case(lambda: tf.nn.softmax_cross_entropy_with_logits(labels=c23(), logits=c45()))
case(lambda: tf.nn.softmax_cross_entropy_with_logits(c23(), c23()))
case(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(c23(), c23()))
case(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=c23(), logits=c23()))
case(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant([[1]]), logits=c23()))
case(lambda: sess_of(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.constant([1, 7]), logits=c23())))
case(lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=c23(), logits=c45()))
case(lambda: tf.nn.embedding_lookup(None, [1]))
case(lambda: sess_of(tf.nn.embedding_lookup(tf.ones([3, 2]), [5])))
case(lambda: tf.nn.dropout(c23(), 1.5))
case(lambda: tf.nn.dropout(c23(), 0.0))
case(lambda: tf.layers.dense(tf.constant(1.0), 3))
case(lambda: tf.layers.dense(ph([None, None]), 3))
case(lambda: tf.layers.conv2d(c23(), 3, 3))
case(lambda: tf.layers.flatten(tf.constant(1.0)))
case(lambda: tf.losses.mean_squared_error(c23(), c45()))
case(lambda: tf.losses.softmax_cross_entropy(c23(), c45()))
case(lambda: tf.losses.mean_squared_error(None, c45()))
case(lambda: tf.losses.mean_squared_error(c23(), c23(), reduction='x'))
case(lambda: tf.metrics.accuracy(c23(), c45()))
case(lambda: tf.one_hot([1], -1))
case(lambda: tf.one_hot(c23(), 3))
case(lambda: tf.reduce_sum(c23(), 5))
case(lambda: tf.argmax(c23(), 5))
case(lambda: tf.constant([1, 2, 3], shape=[2]))
case(lambda: tf.constant([1, 2, 3], shape=[2, 3]))
case(lambda: tf.constant([[1, 2], [3]]))
case(lambda: tf.constant('a', dtype=tf.float32))
case(lambda: tf.constant(None))
case(lambda: tf.constant(1.5, dtype=tf.int32))
case(lambda: tf.zeros(['a']))
case(lambda: tf.fill([2, -1], 1.0))
case(lambda: tf.range(0, 10, 0))
case(lambda: tf.where(tf.constant([True, False]), c45(), c45()))
case(lambda: tf.cond(tf.constant(1), lambda: 1, lambda: 2))
case(lambda: tf.cond(tf.constant(True), lambda: 1, lambda: 2.0))
case(lambda: tf.cond(True, 1, 2))
# ---- dtypes
case(lambda: tf.constant(1) + tf.constant(1.0))
case(lambda: tf.constant(1.0) + 'a')
case(lambda: tf.constant(1) * 1.5)
case(lambda: tf.matmul(tf.constant([[1]]), c23()))
case(lambda: tf.matmul(tf.constant([1.0]), c23()))
case(lambda: tf.nn.relu(tf.constant(True)))
case(lambda: tf.nn.softmax(tf.constant([1, 2])))
case(lambda: tf.sqrt(tf.constant(4)))
case(lambda: tf.cast('a', tf.float32))
case(lambda: tf.cast(c23(), 'flt'))
case(lambda: tf.placeholder('nope'))
case(lambda: tf.placeholder())
case(lambda: tf.reduce_mean('a'))
case(lambda: tf.logical_and(c23(), c23()))
case(lambda: tf.equal(c23(), tf.constant(1)))
case(lambda: tf.gradients(tf.constant(1), tf.constant(1)))
case(lambda: tf.add_n([]))
case(lambda: tf.add_n([c23(), c45()]))
case(lambda: tf.add_n([c23(), c23(), c45()]))
case(lambda: tf.convert_to_tensor(object()))
case(lambda: tf.convert_to_tensor(c23(), tf.int32))
case(lambda: tf.convert_to_tensor([c23(), 1]))
case(lambda: tf.clip_by_norm(c23(), 'a'))
case(lambda: tf.clip_by_value(c23(), 1, 'b'))
case(lambda: tf.add(tf.constant(1), 1.5))
case(lambda: tf.add(tf.constant(1), np.array([1.5])))
case(lambda: tf.multiply(tf.constant(1), None))
case(lambda: tf.multiply(tf.constant(1), tf.Variable(1.0)))
case(lambda: tf.multiply([1.0], [[1], [2, 3]]))
case(lambda: tf.matmul(c23(), [[1, 2], [3, 4], [5, 6]]))
case(lambda: tf.reshape(c23(), [1.5, 4]))
case(lambda: tf.gather(c23(), [1.5]))
case(lambda: tf.reduce_sum(c23(), 'a'))
case(lambda: tf.expand_dims(None, 0))
case(lambda: tf.slice(c23(), 0, 1))
case(lambda: tf.where(c23(), c23(), c23()))
case(lambda: tf.where(True, c23()))
case(lambda: tf.clip_by_global_norm(c23(), 1.0))
case(lambda: sess_of(tf.string_to_number('abc')))
# ---- python values of tensors
case(lambda: bool(c23()))
case(lambda: [x for x in tf.constant(1.0)])
case(lambda: len(c23()))
case(lambda: iter(c23()))
case(lambda: 1 if tf.equal(1, 1) else 0)
case(lambda: c23().shape[7])
case(lambda: c23().set_shape([3, 3]))
case(lambda: c23().foo)
case(lambda: tf.TensorShape([1, 2]).merge_with([2, 2]))
case(lambda: tf.TensorShape([1, 2]).assert_has_rank(3))
case(lambda: tf.TensorShape(None).as_list())
case(lambda: int(tf.Dimension(None)))
case(lambda: tf.TensorShape([1, 2]).with_rank(3))
case(lambda: tf.TensorShape(['a']))
case(lambda: tf.Dimension(-3))
# ---- feeds and fetches
case(lambda: sess_of(ph([2]) + 1))
case(lambda: sess_of(ph([2]) + 1, {}))
case(lambda: (lambda x: sess_of(x + 1, {x: [1, 2, 3]}))(ph([2])))
case(lambda: (lambda x: sess_of(x + 1, {x: 'abc'}))(ph([2])))
case(lambda: (lambda x: sess_of(x + 1, {x: None}))(ph([2])))
case(lambda: (lambda x: sess_of(x + 1, {x: [[1, 2], [3]]}))(ph()))
case(lambda: (lambda x: sess_of(x + 1, {x: c23()}))(ph()))
case(lambda: (lambda x: sess_of(x + 1, {'x': 1.0}))(ph()))
case(lambda: (lambda x: sess_of(x + 1, {'y:0': 1.0}))(ph()))
case(lambda: (lambda x: sess_of(x + 1, {3: 1.0}))(ph()))
case(lambda: (lambda x: sess_of(x + 1, [x]))(ph()))
case(lambda: (lambda x: sess_of(x + 1, {x.op: 1.0}))(ph()))
case(lambda: (lambda x: sess_of(x + 1, {x: 2 ** 40}))(ph([], tf.int32)))
case(lambda: (lambda x: sess_of(x + 1, {x: 1.5}))(ph([], tf.int32)))
case(lambda: sess_of(None))
case(lambda: sess_of(3))
case(lambda: sess_of([None]))
case(lambda: sess_of('nope'))
case(lambda: (ph(), sess_of('nope:0')))
case(lambda: (ph(), sess_of('x:7')))
case(lambda: (ph(), sess_of(np.ones(3))))
case(lambda: (ph(), sess_of({'a': None})))
case(lambda: (ph(), sess_of([])))
case(lambda: (ph(), sess_of(tf.float32)))


@case
def closed():
    x = c23()
    sess = tf.Session()
    sess.close()
    sess.run(x)


@case
def other_graph():
    x = c23()
    with tf.Session(graph=tf.Graph()) as sess:
        with sess.graph.as_default():
            tf.constant(1)
        sess.run(x)


@case
def empty_graph():
    tf.Session().run('x')


@case
def other_graph_op():
    x = c23()
    with tf.Graph().as_default():
        y = tf.constant(1.0)
        x + y


case(lambda: c23().eval())
case(lambda: tf.Variable(1.0).eval())
case(lambda: c23().op.run())
case(lambda: tf.global_variables_initializer().run())
case(lambda: tf.Session(graph=3))
case(lambda: tf.Session(config=3))
case(lambda: tf.Session(3))
# ---- variables
case(lambda: sess_of(tf.Variable(1.0, name='v')))
case(lambda: sess_of(tf.Variable(1.0, name='v') + 1))
case(lambda: sess_of(tf.assign_add(tf.Variable(1.0, name='v'), 1.0)))
case(lambda: tf.Variable())
case(lambda: tf.Variable(None))
case(lambda: tf.Variable(lambda: 1))
case(lambda: tf.Variable(1.0, trainable=True).assign([1.0, 2.0]))
case(lambda: tf.Variable(1.0).assign(tf.constant(1)))
case(lambda: tf.assign(c23(), c23()))
case(lambda: tf.assign(tf.Variable([1.0]), [1.0, 2.0]))
case(lambda: tf.get_variable('v'))
case(lambda: tf.get_variable('v', initializer=tf.zeros_initializer()))
case(lambda: tf.get_variable('v', [2], initializer=tf.constant(1.0)))
case(lambda: tf.get_variable('v', [None]))
case(lambda: (tf.get_variable('v', [2]), tf.get_variable('v', [2])))


@case
def reuse_shape():
    tf.get_variable('v', [2])
    with tf.variable_scope('', reuse=True):
        tf.get_variable('v', [3])


@case
def reuse_dtype():
    tf.get_variable('v', [2])
    with tf.variable_scope('', reuse=True):
        tf.get_variable('v', [2], dtype=tf.int32)


@case
def reuse_absent():
    with tf.variable_scope('a', reuse=True):
        tf.get_variable('v', [2])


@case
def scope_none():
    with tf.variable_scope(None):
        pass


@case
def scope_number():
    with tf.variable_scope(3):
        pass


@case
def scope_reuse():
    with tf.variable_scope('a', reuse='yes'):
        pass


case(lambda: tf.Variable(np.array([[1], [2, 3]], dtype=object)))
case(lambda: iter(tf.Variable([1.0])))
case(lambda: tf.Variable([1.0]) + tf.Variable([1]))
case(lambda: tf.scatter_update(tf.Variable([1.0, 2.0]), [1], [1, 2]))
case(lambda: sess_of(tf.scatter_update(tf.Variable([1.0, 2.0]), [9], [1.0]), init=True))
# ---- graph
case(lambda: tf.get_default_graph().get_tensor_by_name('nope:0'))
case(lambda: tf.get_default_graph().get_tensor_by_name('nope'))
case(lambda: (ph(), tf.get_default_graph().get_tensor_by_name('x:3')))
case(lambda: (ph(), tf.get_default_graph().get_tensor_by_name('x')))
case(lambda: tf.get_default_graph().get_operation_by_name('nope'))
case(lambda: (ph(), tf.get_default_graph().get_operation_by_name('x:0')))
case(lambda: tf.get_default_graph().get_tensor_by_name(3))
case(lambda: tf.get_default_graph().get_operation_by_name(3))
case(lambda: tf.get_default_graph().as_graph_element(3))
case(lambda: (tf.get_default_graph().finalize(), tf.constant(1)))
case(lambda: tf.constant(1, name='a b'))
case(lambda: tf.constant(1, name='/a'))
case(lambda: tf.name_scope('a b').__enter__())
case(lambda: tf.device('/foo:0').__enter__())
case(lambda: tf.device('/cpu:0/gpu:0').__enter__())
case(lambda: tf.device('/cpu:a').__enter__())
case(lambda: tf.device('/device:').__enter__())
case(lambda: tf.device('/job:a/task:b').__enter__())
case(lambda: tf.device('abc').__enter__())
case(lambda: tf.device('/gpu').__enter__())
case(lambda: tf.control_dependencies(3).__enter__())
case(lambda: tf.control_dependencies([3]).__enter__())
case(lambda: tf.group(3))
case(lambda: tf.tuple([]))
case(lambda: tf.import_graph_def(3))
case(lambda: tf.import_graph_def(tf.GraphDef(), return_elements=['a']))
case(lambda: tf.import_graph_def(tf.GraphDef(), input_map={'a': c23()}))
case(lambda: tf.import_graph_def(tf.GraphDef(), return_elements=['a:0:1']))
case(lambda: tf.gradients(c23(), 3))
case(lambda: tf.gradients(3, 4))
case(lambda: tf.gradients(c23(), [c23()], grad_ys=[c23(), c23()]))
case(lambda: tf.stop_gradient(None))
# ---- training

def sgd():
    return tf.train.GradientDescentOptimizer(0.1)


case(lambda: sgd().minimize(c23()))
case(lambda: (tf.Variable(1.0), sgd().minimize(c23())))
case(lambda: (tf.Variable(1.0), sgd().minimize(3)))
case(lambda: (lambda v: sgd().minimize(v * 1.0, var_list=[c23()]))(tf.Variable(1.0)))
case(lambda: sgd().apply_gradients([]))
case(lambda: sgd().apply_gradients([(None, tf.Variable(1.0))]))
case(lambda: sgd().apply_gradients(3))
case(lambda: (lambda v: sgd().minimize(tf.cast(v, tf.int32)))(tf.Variable(1.0)))
case(lambda: tf.train.Saver())
case(lambda: tf.train.Saver([3]))
case(lambda: (tf.Variable(1.0), tf.train.Saver().save(3, 'a')))
case(lambda: (tf.Variable(1.0), tf.train.Saver().restore(tf.Session(), None)))
case(lambda: (tf.Variable(1.0), tf.train.Saver().restore(tf.Session(), '/nope/a.ckpt')))
case(lambda: (tf.Variable(1.0), tf.train.Saver().save(tf.Session(), os.path.join(FOLDER, 'a.ckpt'))))
case(lambda: (tf.Variable(1.0), (lambda s: (s.run(tf.global_variables_initializer()), tf.train.Saver().save(s, '/nope/b/a.ckpt')))(tf.Session())))
case(lambda: tf.train.NewCheckpointReader('/nope/a.ckpt'))
case(lambda: tf.train.NewCheckpointReader('absent.ckpt'))
case(lambda: tf.train.NewCheckpointReader(__file__))
case(lambda: tf.train.import_meta_graph('/nope/a.meta'))
case(lambda: tf.train.latest_checkpoint(3))
case(lambda: tf.train.load_variable('/nope/x', 'a'))
case(lambda: tf.train.list_variables('/nope/x'))
case(lambda: list(tf.python_io.tf_record_iterator('/nope/x')))
case(lambda: tf.train.exponential_decay(0.1, None, 10, 0.9))
case(lambda: tf.train.piecewise_constant(tf.constant(1), [1, 2], [0.1]))
case(lambda: tf.train.ExponentialMovingAverage(0.9).apply([c23(), tf.constant(1)]))
case(lambda: (lambda v: (lambda e: (e.apply([v]), e.apply([v])))(tf.train.ExponentialMovingAverage(0.9)))(tf.Variable(1.0)))
case(lambda: tf.train.MonitoredTrainingSession(hooks=[3]))
case(lambda: tf.train.StopAtStepHook())
case(lambda: tf.train.StopAtStepHook(1, 2))
case(lambda: tf.train.LoggingTensorHook(['a']))
case(lambda: tf.train.get_global_step().name)
case(lambda: (tf.train.create_global_step(), tf.train.create_global_step()))
case(lambda: tf.train.Coordinator().join(3))
case(lambda: tf.train.batch([], 3))
case(lambda: tf.train.string_input_producer([]))
case(lambda: tf.train.queue_runner.QueueRunner(None, None))
# ---- summaries, files
case(lambda: tf.summary.scalar('a', c23()) and sess_of(tf.summary.scalar('a', c23())))
case(lambda: sess_of(tf.summary.scalar('a', c23())))
case(lambda: tf.summary.image('a', c23()))
case(lambda: sess_of(tf.summary.histogram('a', np.array([np.nan], np.float32))))
case(lambda: tf.summary.scalar(None, 1.0))
case(lambda: tf.summary.FileWriter(FOLDER, 3))
case(lambda: tf.gfile.GFile('/nope/x').read())
case(lambda: tf.gfile.ListDirectory('/nope/x'))
case(lambda: tf.gfile.GFile(os.path.join(FOLDER, 'x'), 'q').read())
case(lambda: tf.gfile.Copy('/nope/x', '/nope/y'))
# ---- running
case(lambda: sess_of(tf.div(tf.constant([1]), tf.constant([0]))))
case(lambda: sess_of(tf.matrix_inverse(tf.zeros([2, 2]))))
case(lambda: sess_of(tf.cholesky(tf.zeros([2, 2]))))
case(lambda: sess_of(tf.check_numerics(tf.constant(float('nan')), 'bad')))
case(lambda: sess_of(tf.Assert(tf.constant(False), ['message', 1])))
case(lambda: sess_of(tf.assert_equal(ph([]), 2.0), {'x:0': 1.0}))
case(lambda: tf.assert_equal(tf.constant(1), 2))
case(lambda: tf.assert_rank(c23(), 3))
case(lambda: sess_of(tf.py_func(lambda: 1 // 0, [], tf.int64)))
case(lambda: sess_of(tf.py_func(lambda: 'a' + 1, [], tf.string)))
case(lambda: (lambda x: sess_of(tf.reshape(x, [7]), {x: np.ones([2, 3])}))(ph()))
case(lambda: (lambda x: sess_of(x + c45(), {x: np.ones([2, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.concat([x, c45()], 0), {x: np.ones([2, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.nn.conv2d(x, tf.ones([3, 3, 4, 8]), [1, 1, 1, 1], 'SAME'), {x: np.ones([1, 8, 8, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.squeeze(x, [0]), {x: np.ones([2, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.split(x, 2), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.transpose(x, [0]), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.slice(x, [0, 0], [9, 9]), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(x[5], {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.stack([x, c45()]), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.nn.softmax_cross_entropy_with_logits_v2(labels=c45(), logits=x), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.nn.bias_add(x, [1.0, 2.0]), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.argmax(x, 5), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.unstack(x, 2), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.expand_dims(x, 7), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.tile(x, [2]), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda x: sess_of(tf.nn.top_k(x, 5), {x: np.ones([3, 3])}))(ph()))
case(lambda: tf.nn.top_k(c23(), 5))
case(lambda: (lambda x: sess_of(tf.assign(tf.Variable([1.0]), x), {x: np.ones([3, 3])}))(ph()))
case(lambda: (lambda v, x: sess_of(tf.assign(v, x), {x: np.ones([3, 3])}))(tf.Variable([1.0]), ph()))
case(lambda: sess_of(tf.random_uniform([2], 5, 1, tf.int32)))
case(lambda: tf.random_uniform([2], dtype=tf.int32))
case(lambda: tf.random_normal(['a']))
case(lambda: tf.truncated_normal(3.5))
case(lambda: tf.multinomial(tf.constant([1.0]), 2))
case(lambda: tf.sparse_tensor_to_dense(c23()))
case(lambda: tf.SparseTensor([[0]], [1.0], [2]))
case(lambda: tf.sparse_to_dense([[0, 1]], [2], 1.0))
case(lambda: tf.contrib.layers.fully_connected(tf.constant(1.0), 3))
case(lambda: tf.contrib.layers.xavier_initializer()([2, 2], dtype=tf.int32))
case(lambda: tf.contrib.layers.l2_regularizer(-1.0))
case(lambda: tf.contrib.layers.l2_regularizer(1))
case(lambda: tf.contrib.layers.optimize_loss(c23(), None, 0.1, 'nope'))
case(lambda: tf.contrib.slim.conv2d(c23(), 3, 3))
case(lambda: tf.FIFOQueue(3, []))
case(lambda: tf.FIFOQueue(3, tf.float32).enqueue([1.0, 2.0]))
case(lambda: tf.FIFOQueue(3, tf.float32, [[2]]).enqueue([[1.0, 2.0, 3.0]]))
case(lambda: tf.FIFOQueue(3, tf.float32).dequeue_many(2))
case(lambda: tf.nn.nce_loss(c23(), tf.ones([2]), tf.constant([[1]]), c45(), 2, 3))
case(lambda: tf.nn.sampled_softmax_loss(c23(), tf.ones([2]), tf.constant([[1.5]]), c23(), 2, 3))
case(lambda: tf.nn.depthwise_conv2d(tf.ones([1, 4, 4, 3]), tf.ones([3, 3, 4, 1]), [1, 1, 1, 1], 'SAME'))
case(lambda: tf.nn.moments(c23(), [5]))
case(lambda: tf.nn.l2_normalize(c23(), 5))
case(lambda: tf.nn.lrn(c23()))
case(lambda: tf.nn.in_top_k(c23(), [[1]], 1))
case(lambda: tf.boolean_mask(c23(), [True]))
case(lambda: tf.boolean_mask(c23(), tf.constant(True)))
case(lambda: tf.sequence_mask(c23()))
case(lambda: tf.gather_nd(c23(), [[0, 0, 0]]))
case(lambda: tf.diag(None))
case(lambda: tf.linspace(0, 10, 3))
case(lambda: tf.norm(c23(), ord='x'))
case(lambda: tf.make_template('a', 3))
case(lambda: tf.app.flags.FLAGS.not_there)
case(lambda: tf.train.MonitoredSession(3))
case(lambda: tf.train.Supervisor(logdir=FOLDER, graph=3))
case(lambda: tf.saved_model.loader.load(tf.Session(), ['serve'], '/nope/m'))
case(lambda: tf.saved_model.builder.SavedModelBuilder('/'))
case(lambda: tf.graph_util.convert_variables_to_constants(tf.Session(), tf.get_default_graph().as_graph_def(), ['nope']))
case(lambda: tf.train.write_graph(3, FOLDER, 'g'))


def first(text):
    """The first line, without what differs between two runs."""
    text = re.sub(r'0x[0-9a-f]+', '0x', text.split('\n')[0].replace(FOLDER, 'FOLDER').replace(os.path.abspath(__file__), 'FILE'))
    return re.sub(r' \(defined at .*?\)', '', text.replace(__file__, 'FILE'))


def name_of(function):
    """What a case is called: its source."""
    return function.__name__ if function.__name__ != '<lambda>' else inspect.getsource(function).strip()[len('case(lambda: '):-1]


def main():
    results = []
    for function in CASES:
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            try:
                function()
            except Exception as e:  # pylint: disable=broad-except
                results.append([name_of(function), type(e).__name__, first(str(e))])
            else:
                results.append([name_of(function), '', ''])
    with open(sys.argv[1], 'w') as out:
        json.dump(results, out, indent=0)
        out.write('\n')


if __name__ == '__main__':
    main()

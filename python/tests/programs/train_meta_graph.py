# Graphs from and to messages, with collections.
import os
import tempfile

import tensorflow as tf


def show(*values):
    """Numbers with six digits, whatever the version of NumPy."""
    def text(v):
        if hasattr(v, 'tolist'):
            v = v.tolist()
        if isinstance(v, (list, tuple)):
            return '[ ' + ' '.join(text(i) for i in v) + ' ]'
        return '%.6g' % v if isinstance(v, float) else str(v)
    print(*[text(v) for v in values])


folder = tempfile.mkdtemp()
with tf.Graph().as_default() as source:
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    with tf.variable_scope('layer'):
        w = tf.get_variable('w', [2, 3], initializer=tf.ones_initializer(), regularizer=lambda v: tf.reduce_sum(tf.abs(v)))
        b = tf.Variable(tf.zeros([3]), name='b', trainable=False)
        y = tf.nn.relu(tf.matmul(x, w) + b, name='y')
    with tf.device('/cpu:0'):
        z = tf.reduce_mean(y, name='z')
    tf.add_to_collection('outputs', y)
    tf.add_to_collection('outputs', z)
    tf.add_to_collection('texts', 'one')
    tf.add_to_collection('numbers', 3)
    tf.add_to_collection('floats', 0.5)
    tf.add_to_collection('ops', y.op)
    tf.add_to_collection(('not', 'text'), y)
    tf.summary.scalar('loss', z)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(z, global_step=tf.train.create_global_step())
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {x: [[1.0, 2.0]]})
        path = saver.save(sess, os.path.join(folder, 'm'), global_step=5)
    meta = tf.train.export_meta_graph(os.path.join(folder, 'text.pbtxt'), as_text=True)
    bare = tf.train.export_meta_graph(clear_devices=True, collection_list=['outputs'], strip_default_attrs=True)
    scoped = tf.train.export_meta_graph(export_scope='layer')
    graph_def = source.as_graph_def()
print(sorted(meta.collection_def), sorted(bare.collection_def), {n.device for n in bare.graph_def.node})
print([n.name for n in scoped.graph_def.node], sorted(scoped.collection_def))
print(list(meta.collection_def['outputs'].node_list.value), meta.collection_def['texts'].bytes_list.value[0],
      list(meta.collection_def['numbers'].int64_list.value), list(meta.collection_def['floats'].float_list.value))
print(meta.meta_info_def.tensorflow_version, [o.name for o in bare.meta_info_def.stripped_op_list.op if o.name not in ('Add', 'AddV2')])

restored = tf.train.import_meta_graph(path + '.meta')
print(restored.saver_def.restore_op_name, tf.get_collection('outputs')[1].name, tf.get_collection('texts'), tf.get_collection('numbers'),
      [v.name for v in tf.trainable_variables()], [v.name for v in tf.global_variables()], tf.get_collection('train_op')[0].name,
      tf.get_collection('ops')[0].name, tf.get_collection('summaries')[0].name, tf.train.get_global_step().name,
      len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
print(tf.trainable_variables()[0] is tf.global_variables()[0])
graph = tf.get_default_graph()
with tf.Session() as sess:
    restored.restore(sess, tf.train.latest_checkpoint(folder))
    show(sess.run('layer/y:0', {'x:0': [[1.0, 1.0]]}))
    sess.run('GradientDescent', {'x:0': [[1.0, 1.0]]})
    show(sess.run(['layer/w:0', 'global_step:0']))
again = tf.train.import_meta_graph(meta, import_scope='copy', clear_devices=True)
print(type(again).__name__, [v.name for v in tf.global_variables('copy')])
mapped = tf.import_graph_def(graph_def, input_map={'x:0': tf.constant([[2.0, 2.0]], name='fixed')}, return_elements=['layer/y:0', 'z'],
                             name='mapped')
print(mapped[0].name, mapped[1].name, mapped[1].type)
with tf.name_scope('inside'):
    print(tf.import_graph_def(graph_def, return_elements=['z:0'])[0].name)
print(tf.import_graph_def(graph_def, return_elements=['z:0'])[0].name)
for bad in (lambda: tf.import_graph_def('text'), lambda: tf.import_graph_def(graph_def, input_map={'none:0': mapped[0]}),
            lambda: tf.import_graph_def(graph_def, return_elements=['none:0']), lambda: tf.train.import_meta_graph(folder + '/none')):
    try:
        bad()
        print('no error')
    except Exception as e:
        print(type(e).__name__, str(e).replace(folder, 'FOLDER')[:70])
with tf.Graph().as_default():
    print(type(tf.train.import_meta_graph(os.path.join(folder, 'text.pbtxt'))).__name__, tf.get_collection('floats'))
with tf.Graph().as_default():
    tf.import_graph_def(graph_def, name='')
    print(len(tf.get_default_graph().get_operations()) == len(graph_def.node), tf.global_variables())
    frozen = None
    with tf.Session() as sess:
        sess.run(['layer/w/Assign', 'layer/b/Assign'])
        frozen = tf.graph_util.convert_variables_to_constants(sess, graph_def, ['layer/y'])
print([(n.name, n.op.replace('V2', ''), list(n.input)) for n in frozen.node])
print([n.name for n in tf.graph_util.remove_training_nodes(frozen).node])
print([n.name for n in tf.graph_util.extract_sub_graph(graph_def, ['layer/y']).node])
print(tf.graph_util.tensor_shape_from_node_def_name(source, 'layer/y'), tf.graph_util.must_run_on_cpu(graph_def.node[0]))
print(os.path.basename(tf.train.write_graph(frozen, folder + '/new', 'frozen.pb', as_text=False)))
with open(folder + '/new/frozen.pb', 'rb') as f:
    read = tf.GraphDef()
    read.ParseFromString(f.read())
out, = tf.import_graph_def(read, {'x:0': tf.constant([[1.0, 2.0]], name='given')}, ['layer/y:0'], name='frozen')
with tf.Session() as sess:
    show(sess.run(out))

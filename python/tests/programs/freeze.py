"""A model as one file: constants in the place of variables, and the graph that is imported from it."""
import os
import tempfile

import tensorflow as tf

folder = tempfile.mkdtemp()
path = os.path.join(folder, 'model.pb')
v1 = tf.Variable(tf.constant(1.0, shape=[1]), name='v1')
v2 = tf.Variable(tf.constant(2.0, shape=[1]), name='v2')
unused = tf.Variable(5.0, name='unused')
factor = tf.placeholder_with_default(2.0, [], name='factor')
with tf.name_scope('net'):
    result = tf.add(v1, v2, name='sum') * factor
print(result.name)
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    graph_def = tf.get_default_graph().as_graph_def()
    frozen = tf.graph_util.convert_variables_to_constants(sess, graph_def, ['net/mul'])
    with tf.gfile.GFile(path, 'wb') as f:
        f.write(frozen.SerializeToString())
print([(n.name, n.op) for n in frozen.node])
print([n.name for n in tf.graph_util.remove_training_nodes(frozen).node])
print([n.name for n in tf.graph_util.extract_sub_graph(graph_def, ['net/sum']).node])
tf.train.write_graph(frozen, folder, 'model.pbtxt')
print(open(os.path.join(folder, 'model.pbtxt')).read().count('node {'), sorted(os.listdir(folder)))
with tf.Graph().as_default(), tf.Session() as sess:
    with tf.gfile.FastGFile(path, 'rb') as f:
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(f.read())
    out, = tf.import_graph_def(graph_def, return_elements=['net/mul:0'])
    other = tf.import_graph_def(graph_def, input_map={'factor:0': tf.constant(10.0)}, return_elements=['net/mul:0', 'v1'], name='other')
    print(out.name, [o.name for o in other], sess.run(out).tolist(), sess.run(other[0]).tolist())
    print(sess.run('import/net/mul:0', {'import/factor:0': 3.0}).tolist())
    for bad in (lambda: tf.import_graph_def(graph_def, return_elements=['absent:0']),
                lambda: tf.import_graph_def(graph_def, input_map={'absent:0': tf.constant(1.0)}), lambda: tf.import_graph_def(3),
                lambda: tf.graph_util.convert_variables_to_constants(sess, graph_def, ['absent'])):
        try:
            bad()
            print('no error')
        except Exception as e:  # pylint: disable=broad-except
            print(type(e).__name__, str(e)[:40])
    print([op.name for op in tf.get_default_graph().get_operations()][:8])

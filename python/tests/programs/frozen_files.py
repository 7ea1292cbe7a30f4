"""tensorflow.python.tools.freeze_graph on graphs, savers, meta graphs and saved models, and wrong uses of it."""
import os
import tempfile

import tensorflow as tf
from tensorflow.python.tools import freeze_graph

os.chdir(tempfile.mkdtemp())
folder = ''


def names(g):
    return [n.name for n in g.node]


x = tf.placeholder(tf.float32, [None, 2], name='x')
with tf.device('/cpu:0'):
    w = tf.get_variable('w', initializer=[[1.0], [2.0]])
b = tf.get_variable('b', initializer=0.5)
step = tf.train.get_or_create_global_step()
y = tf.add(tf.matmul(x, w), b, name='y')
saver = tf.train.Saver()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    ckpt = saver.save(sess, os.path.join(folder, 'model.ckpt'))
    tf.train.write_graph(sess.graph_def, folder, 'graph.pbtxt')
    tf.train.write_graph(sess.graph_def, folder, 'graph.pb', as_text=False)
    tf.train.write_graph(saver.as_saver_def(), folder, 'saver.pbtxt')
with tf.Graph().as_default(), tf.Session() as sess:  # its save node has a random name
    tf.train.import_meta_graph(ckpt + '.meta').restore(sess, ckpt)
    x, y = tf.get_default_graph().get_tensor_by_name('x:0'), tf.get_default_graph().get_tensor_by_name('y:0')
    tf.saved_model.simple_save(sess, os.path.join(folder, 'saved'), {'x': x}, {'y': y})
out = os.path.join(folder, 'frozen.pb')


def frozen(**given):
    """Nodes, devices and values of the graph that comes out."""
    args = dict(input_graph=os.path.join(folder, 'graph.pbtxt'), input_saver='', input_binary=False, input_checkpoint=ckpt, output_node_names='y',
                restore_op_name='save/restore_all', filename_tensor_name='save/Const:0', output_graph=out, clear_devices=True, initializer_nodes='')
    args.update(given)
    if os.path.exists(out):
        os.remove(out)
    with tf.Graph().as_default():
        result = freeze_graph.freeze_graph(**args)
    with tf.Graph().as_default(), tf.Session() as sess:
        g = tf.GraphDef()
        with open(out, 'rb') as f:
            g.ParseFromString(f.read())
        if any('Variable' in n.op for n in g.node):
            return names(g), names(result) == names(g)
        t, = tf.import_graph_def(g, return_elements=['y:0'], name='')
        return names(g), [n.device for n in g.node], names(result) == names(g), sess.run(t, {'x:0': [[1, 1], [2, 3]]}).tolist()


print(frozen())
print(frozen(input_graph=os.path.join(folder, 'graph.pb'), input_binary=True, clear_devices=False))
print(frozen(input_saver=os.path.join(folder, 'saver.pbtxt')))
print(frozen(variable_names_blacklist='b'))
print(frozen(variable_names_whitelist='w'))
print(frozen(input_graph=None, input_meta_graph=ckpt + '.meta', input_binary=True)[1:])
print(frozen(input_graph=None, input_saved_model_dir=os.path.join(folder, 'saved'), input_checkpoint=None))
for wrong in (dict(input_checkpoint='absent'), dict(output_node_names=''), dict(input_graph='absent.pb'), dict(output_node_names='nope')):
    try:
        print(frozen(**wrong))
    except (ValueError, IOError, AssertionError) as e:
        print(type(e).__name__, e)

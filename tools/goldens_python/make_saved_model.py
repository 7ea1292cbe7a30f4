"""Makes python/tests/golden/saved_model with real TensorFlow 1.15: a model with parts of a variable, a file, and an operation that runs
when it is loaded.

    TF_CPP_MIN_LOG_LEVEL=3 python3.7 tools/goldens_python/make_saved_model.py
"""
import os
import shutil
import tempfile

import tensorflow as tf

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), 'python', 'tests', 'golden', 'saved_model')


def main():
    """Writes the folder anew."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    words = os.path.join(tempfile.mkdtemp(), 'words.txt')
    with open(words, 'w') as f:
        f.write('a\nb\n')
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer())
    parts = tf.get_variable('parts', [2, 1], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
    y = tf.add(tf.matmul(x, w), tf.reduce_sum(tf.convert_to_tensor(parts)), name='y')
    asset = tf.constant(words, name='asset')
    tf.add_to_collection('texts', 'kept')
    double = tf.group(w.assign(w * 2.0), name='double')
    utils = tf.saved_model.utils
    signature = tf.saved_model.signature_def_utils.build_signature_def(
        {'x': utils.build_tensor_info(x)}, {'y': utils.build_tensor_info(y)}, tf.saved_model.signature_constants.PREDICT_METHOD_NAME)
    builder = tf.saved_model.builder.SavedModelBuilder(FOLDER)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        builder.add_meta_graph_and_variables(
            sess, [tf.saved_model.tag_constants.SERVING], {'serving_default': signature}, assets_collection=[asset], main_op=double)
    builder.save()


if __name__ == '__main__':
    main()

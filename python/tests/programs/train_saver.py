# Savers: their nodes, files, and what they restore.
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
w = tf.Variable([1.0, 2.0], name='w')
n = tf.Variable(3, name='n', trainable=False)
parts = tf.get_variable('parts', [6, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(3))
step = tf.train.get_or_create_global_step()
saver = tf.train.Saver(max_to_keep=2)
named = tf.train.Saver({'weights': w, 'count': n}, name='named')
shaped = tf.train.Saver([w], reshape=True)
print(saver.saver_def.filename_tensor_name, saver.saver_def.save_tensor_name, saver.saver_def.restore_op_name,
      saver.as_saver_def().max_to_keep, named.saver_def.restore_op_name)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(3):
        sess.run(step.assign(i))
        path = saver.save(sess, os.path.join(folder, 'model.ckpt'), global_step=step)
        print(os.path.basename(path))
    print(sorted(os.listdir(folder)))
    with open(os.path.join(folder, 'checkpoint')) as f:
        print(f.read().replace(folder, 'FOLDER'))
    print([os.path.basename(p) for p in saver.last_checkpoints])
    print(os.path.basename(tf.train.latest_checkpoint(folder)))
    state = tf.train.get_checkpoint_state(folder)
    print(os.path.basename(state.model_checkpoint_path), len(state.all_model_checkpoint_paths))
    print(tf.train.checkpoint_exists(path), tf.train.checkpoint_exists(path + 'x'))
    print(os.path.basename(named.save(sess, os.path.join(folder, 'named'), write_meta_graph=False, write_state=False)))
    print(tf.train.list_variables(path))
    reader = tf.train.NewCheckpointReader(os.path.join(folder, 'named'))
    print(sorted(reader.get_variable_to_shape_map().items()), reader.has_tensor('weights'), reader.has_tensor('w'))
    show(reader.get_tensor('weights'), tf.train.load_variable(folder, 'parts'))
    sess.run([w.assign([9.0, 9.0]), n.assign(0)])
    named.restore(sess, os.path.join(folder, 'named'))
    show(sess.run([w, n, step]))
    print(saver.save(sess, os.path.join(folder, 'model.ckpt'), global_step=7, latest_filename='latest').replace(folder, ''))
    print(sorted(f for f in os.listdir(folder) if 'meta' in f or f in ('latest', 'checkpoint')))
    for bad in (lambda: saver.restore(sess, None), lambda: saver.restore(sess, folder + '/none'),
                lambda: saver.save(sess, folder + '/a/b/c'), lambda: saver.save(None, folder + '/x'),
                lambda: saver.save(sess, folder + '/x', latest_filename='a/b'), lambda: saver.save(sess, folder + '/checkpoint'),
                lambda: tf.train.Saver([w, w]), lambda: tf.train.Saver({'a': w, 'b': w}), lambda: tf.train.Saver({'a': tf.constant(1)}),
                lambda: tf.train.Saver('w'), lambda: tf.train.Saver([])):
        try:
            bad()
            print('no error')
        except Exception as e:
            print(type(e).__name__, str(e).replace(folder, 'FOLDER')[:60])
with tf.Graph().as_default():
    tf.Variable([1.0], name='w')
    tf.Variable(1.0, name='q')
    for variables in ([tf.global_variables()[0]], None):
        other = tf.train.Saver(variables)
        with tf.Session() as sess:
            try:
                other.restore(sess, path)
            except tf.errors.OpError as e:
                print(type(e).__name__, e.message.split('\n')[0])
                print(e.message.split('\n')[2])
with tf.Graph().as_default():
    a = tf.get_variable('a', [2])
    with tf.variable_scope('net'):
        b = tf.get_variable('count', [], tf.int32, initializer=tf.zeros_initializer())
    whole = tf.get_variable('whole', [6, 2])
    tf.train.init_from_checkpoint(os.path.join(folder, 'named'), {'weights': a, '/': 'net/'})
    tf.train.init_from_checkpoint(folder, {'parts': 'whole'})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        show(sess.run([a, b, whole]))
    try:
        tf.train.init_from_checkpoint(folder, {'w': 'whole'})
    except ValueError as e:
        print(str(e)[:50])
with tf.Graph().as_default():
    try:
        tf.train.Saver()
    except ValueError as e:
        print(e)
    empty = tf.train.Saver(allow_empty=True)
    tf.constant(1)
    with tf.Session() as sess:
        print(empty.save(sess, folder + '/empty', write_meta_graph=False))
    late = tf.train.Saver(defer_build=True, max_to_keep=None, pad_step_number=True, save_relative_paths=True)
    tf.Variable(1.0, name='late')
    late.build()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(late.save(sess, folder + '/late', 12).replace(folder, ''), late.saver_def.max_to_keep)
    with open(os.path.join(folder, 'checkpoint')) as f:
        print(f.read())

# Sessions with hooks: what runs when, and what they leave behind.
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


class Recorder(tf.train.SessionRunHook):
    def __init__(self, tensor):
        self.tensor = tensor

    def begin(self):
        print('begin')

    def after_create_session(self, session, coord):
        print('created', coord.should_stop())

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({'value': self.tensor})

    def after_run(self, run_context, run_values):
        show('after', run_values.results['value'], run_context.stop_requested)

    def end(self, session):
        show('end', session.run(self.tensor))


class Listener(tf.train.CheckpointSaverListener):
    def before_save(self, session, step):
        print('before save', step)

    def after_save(self, session, step):
        print('after save', step)


folder = tempfile.mkdtemp()


def train(hooks, steps):
    with tf.Graph().as_default():
        w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
        local = tf.get_local_variable('local', [], initializer=tf.ones_initializer())
        loss = tf.reduce_sum(tf.square(w - 1.0), name='loss')
        op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
        tf.summary.scalar('loss', loss)
        all_hooks = [make(loss) for make in hooks]
        with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, hooks=all_hooks, save_checkpoint_steps=3, save_summaries_steps=2,
                                               log_step_count_steps=None) as sess:
            show(sess.run([w, local]))
            count = 0
            while not sess.should_stop() and count < steps:
                sess.run(op)
                count += 1
            print(count, sess.should_stop(), sess.graph is tf.get_default_graph(), sess.graph.finalized)
        print(tf.get_default_graph().finalized)
        return all_hooks


train([Recorder, lambda loss: tf.train.StopAtStepHook(num_steps=4), lambda loss: tf.train.CheckpointSaverHook(
    folder + '/extra', save_steps=2, listeners=[Listener()])], 100)
print(sorted(f for f in os.listdir(folder) if not f.startswith('events')), os.path.basename(tf.train.latest_checkpoint(folder)))
hooks = train([lambda loss: tf.train.StopAtStepHook(last_step=6), lambda loss: tf.train.FinalOpsHook(loss),
               lambda loss: tf.train.NanTensorHook(loss)], 100)
show(hooks[1].final_ops_values)
train([], 3)
print(os.path.basename(tf.train.latest_checkpoint(folder)))
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [], name='x')
    y = x * 2.0
    tf.train.get_or_create_global_step()
    with tf.train.SingularMonitoredSession(hooks=[tf.train.FeedFnHook(lambda: {x: 4.0})]) as sess:
        show(sess.run(y), sess.raw_session().run(y, {x: 1.0}))
        show(sess.run_step_fn(lambda step_context: step_context.run_with_hooks(y)))
        try:
            sess.run(y, {x: 1.0})
        except RuntimeError as e:
            print(str(e)[:50])
with tf.Graph().as_default():
    tf.train.get_or_create_global_step()
    loss = tf.log(tf.constant(-1.0))
    try:
        with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as sess:
            sess.run(loss)
    except tf.train.NanLossDuringTrainingError as e:
        print(e)
    with tf.train.MonitoredSession() as sess:
        raise tf.errors.OutOfRangeError(None, None, 'the end')
    print('on')
with tf.Graph().as_default():
    v = tf.get_variable('v', [], initializer=tf.zeros_initializer())
    unready = tf.get_variable('unready', [], initializer=tf.zeros_initializer())
    scaffold = tf.train.Scaffold(init_op=v.initializer, init_fn=lambda scaffold, sess: sess.run(v.assign(5.0)) and None)
    try:
        with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
            pass
    except RuntimeError as e:
        print(str(e)[:45], str(e)[-45:])
timer = tf.train.SecondOrStepTimer(every_steps=3)
print([timer.should_trigger_for_step(i) and timer.update_last_triggered_step(i)[1] for i in range(8)])
for bad in (lambda: tf.train.StopAtStepHook(), lambda: tf.train.StopAtStepHook(1, 2), lambda: tf.train.LoggingTensorHook(['a']),
            lambda: tf.train.SecondOrStepTimer(), lambda: tf.train.StepCounterHook(None)):
    try:
        bad()
    except ValueError as e:
        print(e)
coord = tf.train.Coordinator()
calls = []
thread = tf.train.LooperThread.loop(coord, None, lambda: calls.append(1) or len(calls) > 9 and coord.request_stop())
coord.join([thread])
print(len(calls) >= 10, coord.should_stop(), coord.joined)
coord.clear_stop()
with coord.stop_on_exception():
    raise ValueError('bad')
try:
    coord.join()
except ValueError as e:
    print(e)

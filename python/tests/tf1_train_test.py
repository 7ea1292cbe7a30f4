"""tf.train, tf.summary and tf.saved_model beyond what the programs of programs/ show."""
import glob
import os
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import headrace.tf1 as tf
from headrace.tf1.train import saveable


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made
    tf.summary.FileWriterCache.clear()


def line():
    """A variable and a loss that is least where it is 1."""
    w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
    return w, tf.reduce_sum(tf.square(w - 1.0), name='loss')


def initialized(sess):
    sess.run(tf.global_variables_initializer())
    return sess


# ---- optimizers

def test_optimizer_serves_several_graphs():
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    w, loss = line()
    optimizer.minimize(loss)
    with tf.Graph().as_default():
        v, other = line()
        optimizer.minimize(other)
        assert optimizer.get_slot(v, 'momentum').graph is v.graph
        assert [x.graph is v.graph for x in optimizer.variables()] == [True]
    assert optimizer.get_slot(w, 'momentum').graph is w.graph
    assert optimizer.get_slot_names() == ['momentum']


@pytest.mark.parametrize('rate', [0.25, np.float64(0.25), np.float32(0.25), lambda: 0.25])
def test_learning_rate_of_any_kind(rate):
    w, loss = line()
    train = tf.train.GradientDescentOptimizer(rate).minimize(loss)
    with initialized(tf.Session()) as sess:
        sess.run(train)
        assert sess.run(w).tolist() == [0.5, 0.5]


def test_learning_rate_can_be_read_and_fed():
    w, loss = line()
    rate = tf.placeholder(tf.float32, [])
    adam, plain = tf.train.AdamOptimizer(0.125), tf.train.GradientDescentOptimizer(rate)
    assert adam._lr_t is None
    adam.minimize(loss)
    train = plain.minimize(loss)
    with initialized(tf.Session()) as sess:
        assert sess.run(adam._lr_t) == 0.125
        assert [v.op.name for v in adam._get_beta_accumulators()] == ['beta1_power', 'beta2_power']
        sess.run(train, {rate: 0.5})
        assert sess.run(w).tolist() == [1, 1]


def test_minimize_says_where_the_path_ends():
    w, _ = line()
    rounded = tf.cast(tf.cast(w, tf.int32, name='cut'), tf.float32)
    with pytest.raises(ValueError) as raised:
        tf.train.AdamOptimizer().minimize(tf.reduce_sum(rounded))
    assert str(raised.value).startswith('No gradients provided for any variable, check your graph')
    assert 'cut' in str(raised.value)


def test_constraints_are_for_dense_gradients():
    table = tf.get_variable('table', [3, 2], constraint=lambda v: v)
    loss = tf.reduce_sum(tf.gather(table, [0]))
    with pytest.raises(RuntimeError, match='Cannot use a constraint function on a sparse variable'):
        tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def test_slots_of_parts_are_parts():
    with tf.variable_scope('net', partitioner=tf.fixed_size_partitioner(2)):
        table = tf.get_variable('table', [4, 2])
    optimizer = tf.train.AdagradOptimizer(0.1)
    optimizer.minimize(tf.reduce_sum(tf.square(tf.convert_to_tensor(table))))
    slot = optimizer.get_slot(list(table)[1], 'accumulator')
    assert slot._save_slice_info.full_name == 'net/table/Adagrad'
    assert slot._save_slice_info.spec == list(table)[1]._save_slice_info.spec


def test_wrong_hyper_parameters_are_named():
    for make in (lambda: tf.train.AdagradOptimizer(0.1, -1), lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0),
                 lambda: tf.train.FtrlOptimizer(0.1, learning_rate_power=1.0), lambda: tf.train.Optimizer(False, '')):
        with pytest.raises(ValueError, match='positive|negative|Must specify the optimizer name'):
            make()


MAKERS = [lambda base: base(0.1), lambda base: base(0.1, 0.9), lambda base: base(0.1), lambda base: base(0.1), lambda base: base(0.1),
          lambda base: base(0.1, centered=True, momentum=0.5)]
BASES = [tf.train.GradientDescentOptimizer, tf.train.MomentumOptimizer, tf.train.AdagradOptimizer, tf.train.AdamOptimizer,
         tf.train.RMSPropOptimizer, tf.train.RMSPropOptimizer]


@pytest.mark.parametrize('base, make', list(zip(BASES, MAKERS)))
def test_a_step_of_an_optimizer_may_be_changed(base, make):
    calls = []

    class Changed(base):
        def _apply_dense(self, grad, var):
            calls.append(var.op.name)
            return super(Changed, self)._apply_dense(grad, var)
    results = []
    for kind in (base, Changed):
        with tf.Graph().as_default() as made:
            w, loss = line()
            table = tf.get_variable('table', [3, 2], initializer=tf.ones_initializer())
            loss += tf.reduce_sum(tf.square(tf.gather(table, [0, 2, 0])))
            optimizer = make(kind)
            train = optimizer.minimize(loss, tf.train.get_or_create_global_step())
            with initialized(tf.Session()) as sess:
                for _ in range(3):
                    sess.run(train)
                values = sess.run([w, table] + optimizer.variables())
            results.append((values, sorted((n.name, n.op.replace('AddV2', 'Add')) for n in made.as_graph_def().node), optimizer.get_slot_names()))
    assert calls == ['w']
    for a, b in zip(results[0][0], results[1][0]):
        assert np.allclose(a, b, rtol=1e-5)
    assert results[0][2] == results[1][2]
    assert results[0][1] == results[1][1]


def test_changing_an_optimizer_that_is_done_as_a_whole_is_refused_where_it_is_written():
    with pytest.raises(NotImplementedError, match='derive from tf.train.Optimizer'):
        class Changed(tf.train.FtrlOptimizer):  # pylint: disable=unused-variable
            def _apply_dense(self, grad, var):
                return None


def test_subclasses_change_gradients_on_the_way():
    class Doubled(tf.train.AdamOptimizer):
        def compute_gradients(self, loss, **options):
            return [(g * 2.0, v) for g, v in super(Doubled, self).compute_gradients(loss, **options)]

    class Around(tf.train.Optimizer):
        def __init__(self, inner):
            super(Around, self).__init__(False, 'Around')
            self.inner = inner

        def compute_gradients(self, *args, **kwargs):
            return self.inner.compute_gradients(*args, **kwargs)

        def apply_gradients(self, *args, **kwargs):
            return self.inner.apply_gradients(*args, **kwargs)
    w, loss = line()
    doubled = Doubled(0.1)
    ops = [doubled.minimize(loss), Around(tf.train.GradientDescentOptimizer(0.25)).minimize(loss, name='named')]
    assert ops[1].name == 'named'
    with initialized(tf.Session()) as sess:
        sess.run(ops[0])
        assert np.allclose(sess.run(w), 0.1) and np.allclose(sess.run(doubled.get_slot(w, 'm')), -0.4)
        sess.run(ops[1])
        assert np.allclose(sess.run(w), 0.55)


# ---- checkpoints

class Counter(saveable.SaveableObject):
    """A variable that is saved times ten."""

    def __init__(self, variable):
        self.variable = variable
        spec = saveable.SaveSpec(variable * 10.0, '', 'counter', dtype=tf.float32)
        super(Counter, self).__init__(variable, [spec], 'counter')

    def restore(self, restored_tensors, restored_shapes):
        return self.variable.assign(restored_tensors[0] / 10.0)


def test_objects_say_how_they_are_saved(tmp_path):
    v = tf.Variable(3.0, name='v')
    saver = tf.train.Saver([Counter(v)])
    with initialized(tf.Session()) as sess:
        path = saver.save(sess, str(tmp_path / 'm'))
        assert tf.train.load_variable(path, 'counter') == 30
        sess.run(v.assign(0.0))
        saver.restore(sess, path)
        assert sess.run(v) == 3


def test_restore_changes_all_or_nothing(tmp_path):
    a, b = tf.Variable(1.0, name='a'), tf.Variable([1.0, 2.0], name='b')
    with initialized(tf.Session()) as sess:
        path = tf.train.Saver().save(sess, str(tmp_path / 'm'))
    with tf.Graph().as_default():
        a, b = tf.Variable(5.0, name='a'), tf.Variable([1.0, 2.0, 3.0], name='b')
        saver = tf.train.Saver()
        with initialized(tf.Session()) as sess:
            with pytest.raises(tf.errors.InvalidArgumentError) as raised:
                saver.restore(sess, path)
            assert 'lhs shape= [3] rhs shape= [2]' in raised.value.message
            assert sess.run(a) == 5


def test_kept_checkpoints_survive_a_restart(tmp_path):
    tf.Variable(1.0, name='v')
    first, second = tf.train.Saver(max_to_keep=2), tf.train.Saver(max_to_keep=2)
    with initialized(tf.Session()) as sess:
        for i in range(2):
            first.save(sess, str(tmp_path / 'm'), i)
        second.recover_last_checkpoints(tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths)
        assert len(second.last_checkpoints) == 2
        second.save(sess, str(tmp_path / 'm'), 2)
    assert sorted(os.path.basename(p) for p in glob.glob(str(tmp_path / '*.index'))) == ['m-1.index', 'm-2.index']


def test_the_old_format_is_written_as_the_new_one(tmp_path):
    v = tf.Variable(3.0, name='v')
    saver = tf.train.Saver(write_version=tf.train.SaverDef.V1, max_to_keep=1)
    with initialized(tf.Session()) as sess:
        saver.save(sess, str(tmp_path / 'm'), 1)
        path = saver.save(sess, str(tmp_path / 'm'), 2)
        sess.run(v.assign(0.0))
        saver.restore(sess, path)
        assert sess.run(v) == 3
    assert [os.path.basename(p) for p in glob.glob(str(tmp_path / '*.index'))] == ['m-2.index']


def test_one_checkpoint_an_hour_stays(tmp_path):
    tf.Variable(1.0, name='v')
    saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=0.0)
    with initialized(tf.Session()) as sess:
        for i in range(3):
            saver.save(sess, str(tmp_path / 'm'), i)
    assert len(glob.glob(str(tmp_path / '*.index'))) == 3
    assert saver.last_checkpoints == [str(tmp_path / 'm-2')]


def test_reader_of_checkpoints(tmp_path):
    tf.Variable([1.5, 2.5], name='v', dtype=tf.float64)
    with initialized(tf.Session()) as sess:
        path = tf.train.Saver().save(sess, str(tmp_path / 'm'))
    reader = tf.train.NewCheckpointReader(path)
    assert reader.get_variable_to_dtype_map() == {'v': tf.float64}
    assert reader.debug_string() == b'v (DT_DOUBLE) [2]\n'
    with pytest.raises(tf.errors.NotFoundError):
        reader.get_tensor('w')
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.NewCheckpointReader(str(tmp_path / 'none'))
    with pytest.raises(ValueError, match="Couldn't find 'checkpoint' file"):
        os.mkdir(str(tmp_path / 'empty'))
        tf.train.load_checkpoint(str(tmp_path / 'empty'))


def test_damaged_state_files_are_ignored(tmp_path):
    (tmp_path / 'checkpoint').write_text('no state at all {')
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    (tmp_path / 'checkpoint').write_text('model_checkpoint_path: "gone"')
    assert tf.train.latest_checkpoint(str(tmp_path)) is None
    (tmp_path / 'checkpoint').write_text('all_model_checkpoint_paths: "gone"')
    with pytest.raises(ValueError, match='Invalid checkpoint state'):
        tf.train.get_checkpoint_state(str(tmp_path))
    tf.train.update_checkpoint_state(str(tmp_path), str(tmp_path / 'a'), [str(tmp_path / 'b'), str(tmp_path / 'a')])
    assert [os.path.basename(p) for p in tf.train.get_checkpoint_state(str(tmp_path)).all_model_checkpoint_paths] == ['b', 'a']


def test_checkpoints_are_seen_as_they_come(tmp_path):
    tf.Variable(1.0, name='v')
    saver = tf.train.Saver()
    with initialized(tf.Session()) as sess:
        saver.save(sess, str(tmp_path / 'm'), 1)
        seen = []
        for path in tf.train.checkpoints_iterator(str(tmp_path), timeout=0):
            seen.append(os.path.basename(path))
            if len(seen) == 1:
                saver.save(sess, str(tmp_path / 'm'), 2)
    assert seen == ['m-1', 'm-2']
    assert list(tf.train.checkpoints_iterator(str(tmp_path / 'none'), timeout=0)) == []


def test_warm_start(tmp_path):
    with tf.Graph().as_default():
        tf.get_variable('old', [2], initializer=tf.ones_initializer())
        tf.get_variable('same', [4], initializer=tf.ones_initializer())
        with initialized(tf.Session()) as sess:
            path = tf.train.Saver().save(sess, str(tmp_path / 'm'))
    new = tf.get_variable('new', [2], initializer=tf.zeros_initializer())
    same = tf.get_variable('same', [4], initializer=tf.zeros_initializer(), partitioner=tf.fixed_size_partitioner(2))
    tf.train.warm_start(path, var_name_to_prev_var_name={'new': 'old'})
    with initialized(tf.Session()) as sess:
        assert sess.run(new).tolist() == [1, 1]
        assert sess.run(tf.convert_to_tensor(same)).tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match='were not used'):
        tf.train.warm_start(path, 'same', var_name_to_prev_var_name={'none': 'old'})
    with pytest.raises(ValueError, match='must be all `Variable` or all `str`'):
        tf.train.warm_start(path, [new, 'same'])


# ---- graphs as messages

def test_attributes_that_only_the_producer_knows_go_where_they_have_the_default():
    x = tf.constant([1.0], name='x')
    graph_def = tf.get_default_graph().as_graph_def()
    graph_def.node[0].attr['from_the_future'].i = 7
    ops = tf.MetaGraphDef().meta_info_def.stripped_op_list
    attr = ops.op.add(name='Const').attr.add(name='from_the_future')
    attr.default_value.i = 7
    found, = tf.import_graph_def(graph_def, return_elements=['x:0'], producer_op_list=ops)
    assert found.name == 'import/x:0' and x is not found
    assert 'from_the_future' not in found.op.node_def.attr


def test_unbound_inputs_must_be_given():
    a = tf.constant(1.0, name='a')
    with tf.name_scope('part'):
        tf.identity(a, name='b')
    meta = tf.train.export_meta_graph(export_scope='part')
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match='Graph contains unbound inputs'):
            tf.train.import_meta_graph(meta)
        tf.train.import_meta_graph(meta, input_map={'$unbound_inputs_a': tf.constant(5.0)})
        with tf.Session() as sess:
            assert sess.run('b:0') == 5


def test_final_graphs_take_no_nodes(graph):
    graph_def = tf.constant(1.0).graph.as_graph_def()
    graph.finalize()
    with pytest.raises(RuntimeError, match='Graph is finalized'):
        tf.import_graph_def(graph_def)


# ---- threads

class FakeQueue(object):
    name = 'queue'

    def __init__(self):
        self.closed = tf.Variable(0, name='closed')

    def close(self, cancel_pending_enqueues=False):
        return self.closed.assign_add(10 if cancel_pending_enqueues else 1).op


def enqueue_until(count):
    """An operation that says that the data ended after `count` runs."""
    calls = []

    def call():
        calls.append(1)
        if len(calls) > count:
            raise StopIteration('the end')
        return np.float32(0)
    return calls, tf.py_func(call, [], tf.float32).op


def test_queue_runners_run_to_the_end_of_the_data():
    queue = FakeQueue()
    calls, op = enqueue_until(3)
    runner = tf.train.QueueRunner(queue, [op])
    tf.train.add_queue_runner(runner)
    with initialized(tf.Session()) as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        assert len(threads) == 2
        threads[0].join(10)
        assert len(calls) == 4
        coord.request_stop()
        coord.join(threads)
        assert sess.run(queue.closed) == 11
    message = runner.to_proto()
    assert message.enqueue_op_name == [op.name] and message.queue_name == 'queue'


def test_queue_runners_report_errors():
    queue = FakeQueue()

    def fail():
        raise ValueError('broken')
    runner = tf.train.QueueRunner(queue, [tf.py_func(fail, [], tf.float32).op])
    with initialized(tf.Session()) as sess:
        coord = tf.train.Coordinator()
        threads = runner.create_threads(sess, coord, start=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match='broken'):
            coord.join(threads)
    with pytest.raises(ValueError):
        tf.train.QueueRunner(queue)
    with pytest.raises(TypeError):
        tf.train.QueueRunner(queue, [1], queue_closed_exception_types=(ValueError,))


def test_coordinator_names_threads_that_do_not_stop():
    coord = tf.train.Coordinator()
    release = threading.Event()
    thread = threading.Thread(target=release.wait, name='stubborn')
    thread.start()
    coord.request_stop()
    with pytest.raises(RuntimeError, match='threads still running: stubborn'):
        coord.join([thread], stop_grace_period_secs=0.05)
    release.set()
    thread.join()


# ---- sessions with hooks

def test_supervisor_saves_summarises_and_restores(tmp_path):
    w, loss = line()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    tf.summary.scalar('loss', loss)
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=1, save_model_secs=0)
    with supervisor.managed_session() as sess:
        for _ in range(4):
            sess.run(train)
        supervisor.saver.save(sess, supervisor.save_path, supervisor.global_step)
        supervisor.summary_computed(sess, sess.run(supervisor.summary_op))
        value = sess.run(w)
    assert supervisor.should_stop()
    kinds = {event.WhichOneof('what') for path in glob.glob(str(tmp_path / 'events*')) for event in tf.train.summary_iterator(path)}
    assert {'file_version', 'graph_def', 'meta_graph_def', 'session_log', 'summary'} <= kinds
    with tf.Graph().as_default():
        w, loss = line()
        tf.train.get_or_create_global_step()
        with tf.train.Supervisor(logdir=str(tmp_path)).managed_session() as sess:
            assert sess.run(w).tolist() == value.tolist()


def test_supervisor_saves_in_the_background(tmp_path):
    line()
    tf.train.get_or_create_global_step()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=600)
    with supervisor.managed_session():
        for _ in range(200):
            if tf.train.latest_checkpoint(str(tmp_path)):
                break
            time.sleep(0.05)
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / 'model.ckpt-0')


def test_supervisor_raises_what_the_block_raises(tmp_path):
    line()
    with pytest.raises(KeyError):
        with tf.train.Supervisor(logdir=str(tmp_path)).managed_session():
            raise KeyError('mine')


def test_basic_train_loop_begins_anew_after_an_abort():
    line()
    supervisor = tf.train.Supervisor()
    steps = []

    def step(sess, argument):
        steps.append(argument)
        if len(steps) == 2:
            raise tf.errors.AbortedError(None, None, 'lost')
        if len(steps) == 4:
            supervisor.request_stop()
    tf.train.basic_train_loop(supervisor, step, args=['a'])
    assert steps == ['a'] * 4


def test_monitored_sessions_recover(tmp_path):
    w, loss = line()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    step = tf.train.get_global_step()
    lost = []

    class Lose(tf.train.SessionRunHook):
        def before_run(self, run_context):
            if not lost and run_context.session.run(step) == 3:
                lost.append(1)
                raise tf.errors.UnavailableError(None, None, 'gone')
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_checkpoint_steps=2, hooks=[Lose()],
                                           log_step_count_steps=None) as sess:
        for _ in range(4):
            sess.run(train)
        assert lost and sess.run(step) == 3  # 3, back to the checkpoint of 2, and one more


def test_profiler_hook_writes_timelines(tmp_path):
    w, loss = line()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    with tf.train.MonitoredSession(hooks=[tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))]) as sess:
        for _ in range(6):
            sess.run(train)
    found = glob.glob(str(tmp_path / 'timeline-*.json'))
    assert found
    with open(found[0]) as f:
        assert 'traceEvents' in f.read()


def test_waiting_for_a_session_ends():
    line()
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=0.01)
    with pytest.raises(tf.errors.DeadlineExceededError, match='Session was not ready after waiting'):
        manager.wait_for_session('', max_wait_secs=0.05)
    sess, restored = manager.recover_session('', None)
    assert not restored
    sess.close()


def test_hooks_of_two_feeds_conflict():
    x = tf.placeholder(tf.float32, [])
    tf.train.get_or_create_global_step()
    hooks = [tf.train.FeedFnHook(lambda: {x: 1.0}), tf.train.FeedFnHook(lambda: {x: 2.0})]
    with pytest.raises(RuntimeError, match='Same tensor is fed by two hooks'):
        with tf.train.MonitoredSession(hooks=hooks) as sess:
            sess.run(x)


def test_logging_hook_logs_in_order():
    w, loss = line()
    train = tf.train.GradientDescentOptimizer(0.25).minimize(loss, tf.train.get_or_create_global_step())
    hook = tf.train.LoggingTensorHook({'w': w, 'loss': 'loss'}, every_n_iter=2, at_end=True)
    lines = []
    hook._formatter = lambda values: lines.append(sorted((k, np.round(v, 3).tolist()) for k, v in values.items())) or 'x'
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        for _ in range(3):
            sess.run(train)
    assert len(lines) == 3 and lines[-1][1] == ('w', [0.875, 0.875])


# ---- summaries

def test_file_writers_share_a_folder_and_reopen(tmp_path):
    cache = tf.summary.FileWriterCache
    assert cache.get(str(tmp_path)) is cache.get(str(tmp_path))
    writer = tf.summary.FileWriter(str(tmp_path / 'b'))
    summary = tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=1)])
    writer.close()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        writer.add_summary(summary, 1)
    assert 'Attempting to use a closed FileWriter' in str(caught[0].message)
    writer.reopen()
    writer.add_summary(summary, 2)
    writer.close()
    steps = [e.step for path in sorted(glob.glob(str(tmp_path / 'b' / '*'))) for e in tf.train.summary_iterator(path)
             if e.WhichOneof('what') == 'summary']
    assert steps == [2]


def test_file_writer_is_safe_on_threads(tmp_path):
    summary = tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=1)])
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        threads = [threading.Thread(target=lambda: [writer.add_summary(summary, i) for i in range(50)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    path, = glob.glob(str(tmp_path / '*'))
    assert sum(e.WhichOneof('what') == 'summary' for e in tf.train.summary_iterator(path)) == 200


def test_file_writer_refuses_what_is_no_graph(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    with pytest.raises(TypeError, match='must be an instance of `Graph`'):
        writer.add_graph('graph')
    with pytest.raises(TypeError, match='must be type MetaGraphDef'):
        writer.add_meta_graph('meta')
    with pytest.raises(ValueError, match='but not both'):
        writer.add_graph(tf.get_default_graph(), graph_def=tf.GraphDef())


def test_projector_config(tmp_path):
    projector = tf.contrib.tensorboard.plugins.projector
    config = projector.ProjectorConfig(model_checkpoint_path='model.ckpt')
    embedding = config.embeddings.add(tensor_name='table', metadata_path='labels.tsv')
    embedding.sprite.image_path = 'sprite.png'
    embedding.sprite.single_image_dim.extend([28, 28])
    projector.visualize_embeddings(tf.summary.FileWriter(str(tmp_path)), config)
    assert (tmp_path / 'projector_config.pbtxt').read_text().split() == [
        'model_checkpoint_path:', '"model.ckpt"', 'embeddings', '{', 'tensor_name:', '"table"', 'metadata_path:', '"labels.tsv"', 'sprite',
        '{', 'image_path:', '"sprite.png"', 'single_image_dim:', '28', 'single_image_dim:', '28', '}', '}']


def test_examples_are_messages():
    example = tf.train.Example(features=tf.train.Features(feature={
        'a': tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])),
        'b': tf.train.Feature(bytes_list=tf.train.BytesList(value=[b'x'])),
        'c': tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))}))
    again = tf.train.Example.FromString(example.SerializeToString())
    assert list(again.features.feature['a'].int64_list.value) == [1, 2]


# ---- saved models

def save_model(folder, **options):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', [2, 1], initializer=tf.ones_initializer())
    y = tf.matmul(x, w, name='y')
    with initialized(tf.Session()) as sess:
        tf.saved_model.simple_save(sess, folder, {'x': x}, {'y': y}, **options)


def load_model(folder, tags=('serve',)):
    with tf.Session(graph=tf.Graph()) as sess:
        meta = tf.saved_model.loader.load(sess, list(tags), folder)
        signature = meta.signature_def['serving_default']
        return sess.run(signature.outputs['y'].name, {signature.inputs['x'].name: [[1.0, 2.0]]}).tolist(), [
            v.name for v in tf.trainable_variables()]


def test_saved_models_come_back(tmp_path):
    folder = str(tmp_path / 'model')
    save_model(folder)
    assert load_model(folder) == ([[3.0]], ['w:0'])
    assert tf.saved_model.contains_saved_model(folder) and not tf.saved_model.contains_saved_model(str(tmp_path))
    assert tf.saved_model.is_valid_signature(
        tf.saved_model.loader.SavedModelLoader(folder).get_meta_graph_def_from_tags(['serve']).signature_def['serving_default'])
    with pytest.raises(RuntimeError, match="with tags 'train' could not be found in SavedModel(.|\n)*available_tags: \\[{'serve'}\\]"):
        load_model(folder, ['train'])
    with pytest.raises(IOError, match='SavedModel file does not exist at'):
        load_model(str(tmp_path))
    with pytest.raises(AssertionError, match="Export directory already exists, and isn't empty"):
        tf.saved_model.builder.SavedModelBuilder(folder)


def test_saved_models_run_an_operation_and_carry_files(tmp_path):
    vocabulary = tmp_path / 'words.txt'
    vocabulary.write_text('a\nb\n')
    asset = tf.constant(str(vocabulary), name='asset')
    v = tf.Variable(1.0, name='v')
    builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / 'model'))
    with initialized(tf.Session()) as sess:
        builder.add_meta_graph_and_variables(sess, ['a', 'b'], assets_collection=[asset], main_op=tf.group(v.assign(7.0)))
        with pytest.raises(AssertionError):
            builder.add_meta_graph_and_variables(sess, ['a'])
    builder.save(as_text=True)
    vocabulary.unlink()
    with tf.Session(graph=tf.Graph()) as sess:
        tf.saved_model.load(sess, ['b', 'a'], str(tmp_path / 'model'), import_scope='in')
        assert sess.run('in/v:0') == 7
    assert (tmp_path / 'model' / 'assets' / 'words.txt').read_text() == 'a\nb\n'


def test_saved_models_of_tensorflow_load():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'golden', 'saved_model')
    with tf.Session(graph=tf.Graph()) as sess:
        meta = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], folder)
        signature = meta.signature_def['serving_default']
        assert signature.method_name == tf.saved_model.signature_constants.PREDICT_METHOD_NAME
        # w was doubled by the operation that runs when the model is loaded.
        assert sess.run(signature.outputs['y'].name, {signature.inputs['x'].name: [[1.0, 2.0]]}).tolist() == [[8.0]]
        assert [v.name for v in tf.global_variables()] == ['w:0', 'parts/part_0:0', 'parts/part_1:0']
        assert tf.global_variables()[2]._save_slice_info.full_name == 'parts'
        assert tf.get_collection('texts') == [b'kept']
        assert sess.run('asset:0').endswith(b'words.txt')


def test_signatures_are_checked():
    utils = tf.saved_model.signature_def_utils
    floats, strings = tf.constant([1.0]), tf.constant(['a'])
    assert tf.saved_model.is_valid_signature(tf.saved_model.classification_signature_def(strings, strings, floats))
    assert tf.saved_model.is_valid_signature(utils.regression_signature_def(strings, floats))
    assert not tf.saved_model.is_valid_signature(utils.build_signature_def())
    for bad in (lambda: utils.regression_signature_def(floats, floats), lambda: utils.predict_signature_def({}, {'y': floats}),
                lambda: utils.classification_signature_def(strings, None, None)):
        with pytest.raises(ValueError):
            bad()


def test_tools_are_commands(graph, tmp_path):
    v = tf.get_variable('v', initializer=[1.0, 2.0])
    tf.add(v, 1.0, name='y')
    with tf.Session() as sess:
        sess.run(v.initializer)
        path = tf.train.Saver().save(sess, str(tmp_path / 'model'))
        tf.train.write_graph(sess.graph_def, str(tmp_path), 'graph.pb', as_text=False)

    def command(tool, *arguments):
        return subprocess.run([sys.executable, '-m', 'headrace.tf1.python.tools.' + tool] + list(arguments), check=True, cwd=str(tmp_path),
                              stdout=subprocess.PIPE, universal_newlines=True, timeout=120).stdout
    assert command('inspect_checkpoint', '--file_name=model', '--all_tensors') == 'tensor_name:  v\n[1. 2.]\n# Total number of params: 2\n'
    command('freeze_graph', '--input_graph=graph.pb', '--input_binary', '--input_checkpoint=' + path, '--output_node_names=y',
            '--output_graph=frozen.pb')
    frozen = tf.GraphDef.FromString((tmp_path / 'frozen.pb').read_bytes())
    assert [n.op for n in frozen.node] == ['Const', 'Identity', 'Const', 'Add']

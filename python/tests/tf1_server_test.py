"""Servers of one task: targets, what sessions share, and the errors that TensorFlow 1.15 has for the same calls."""
import pytest

import headrace.tf1 as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def server():
    return tf.train.Server.create_local_server()


def test_sessions_of_a_server_share_variables_and_queues(server):
    v = tf.Variable(3.0)
    queue = tf.FIFOQueue(10, tf.float32, shared_name='q')
    add, put, take = v.assign_add(1.0), queue.enqueue(5.0), queue.dequeue()
    first, second = tf.Session(server.target), tf.Session(server.target)
    first.run(v.initializer)
    assert second.run(add) == 4.0 and first.run(v) == 4.0
    first.run(put)
    assert second.run(take) == 5.0
    first.close()
    assert second.run(v) == 4.0
    with tf.Session(server.target) as third:
        assert third.run(v) == 4.0
    with tf.Session() as alone, pytest.raises(tf.errors.FailedPreconditionError):
        alone.run(v)


def test_two_servers_share_nothing(server):
    v = tf.Variable(3.0)
    other = tf.train.Server.create_local_server()
    assert other.target != server.target
    tf.Session(server.target).run(v.initializer)
    with pytest.raises(tf.errors.FailedPreconditionError, match='^From /job:local/replica:0/task:0:\nAttempting to use uninitialized value'):
        tf.Session(other.target).run(v)


def test_devices_have_the_names_of_job_and_task(capfd):
    cluster = tf.train.ClusterSpec({'worker': {3: 'localhost:0'}})
    server = tf.train.Server(cluster, config=tf.ConfigProto(device_count={'CPU': 2}))
    assert server.server_def.job_name == 'worker' and server.server_def.task_index == 3 and server.server_def.protocol == 'grpc'
    with tf.device('/job:worker/task:3/cpu:1'):
        a = tf.constant(2.0, name='a')
    with tf.Session(server.target, config=tf.ConfigProto(log_device_placement=True)) as sess:
        assert sess.run(a) == 2.0
        assert [d.name for d in sess.list_devices()] == ['/job:worker/replica:0/task:3/device:CPU:%d' % i for i in (0, 1)]
    assert capfd.readouterr().out == 'a: (Const): /job:worker/replica:0/task:3/device:CPU:1\n'
    with tf.device('/job:ps'):
        b = tf.constant(1.0, name='b')
    with pytest.raises(tf.errors.InvalidArgumentError, match='^Cannot assign a device for operation b: .*available devices are .*/job:worker'):
        tf.Session(server.target).run(b)


def test_reset_frees_variables_and_closes_sessions(server):
    v = tf.Variable(1.0)
    with tf.container('kept'):
        kept = tf.Variable(2.0)
    sess = tf.Session(server.target)
    sess.run([v.initializer, kept.initializer])
    tf.Session.reset(server.target, ['unknown'])
    with pytest.raises(tf.errors.AbortedError, match='^Session .* is not found'):
        sess.run(v)
    assert tf.Session(server.target).run([v, kept]) == [1.0, 2.0]
    tf.Session.reset(server.target)
    sess = tf.Session(server.target)
    assert sess.run(kept) == 2.0
    with pytest.raises(tf.errors.FailedPreconditionError):
        sess.run(v)


def test_monitored_sessions_take_a_target(server, tmp_path):
    step = tf.train.get_or_create_global_step()
    add = tf.assign_add(step, 1)
    with tf.train.MonitoredTrainingSession(server.target, is_chief=True, hooks=[tf.train.StopAtStepHook(last_step=3)]) as sess:
        while not sess.should_stop():
            sess.run(add)
    with tf.train.MonitoredTrainingSession(server.target, is_chief=False) as sess:
        assert sess.run(step) == 3
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), global_step=step)
    with supervisor.managed_session(server.target) as sess:
        assert sess.run(add) >= 1


def test_variables_of_a_replica_setter_lie_on_the_only_task(server):
    with tf.device(tf.train.replica_device_setter(ps_tasks=1, ps_device='/job:local', worker_device='/job:local')):
        v = tf.Variable(1.0)
        doubled = v * 2.0
    assert v.device == '/job:local/task:0' and doubled.device == '/job:local'
    with tf.Session(server.target) as sess:
        sess.run(v.initializer)
        assert sess.run(doubled) == 2.0


@pytest.mark.parametrize('cluster, options, kind, text', [
    ({'a': ['localhost:0'], 'b': ['localhost:0']}, {}, ValueError, 'Must specify an explicit `job_name`.'),
    ({'a': ['localhost:0', 'localhost:0']}, {}, ValueError, 'Must specify an explicit `task_index`.'),
    ({'a': ['localhost:0']}, {'job_name': 'b'}, ValueError, "No such job in cluster: 'b'"),
    ({'a': ['localhost:0']}, {'task_index': 5}, tf.errors.InvalidArgumentError, 'Task 5 was not defined in job "a"'),
    ({'a': ['localhost:0']}, {'protocol': 'x'}, tf.errors.NotFoundError, 'No server factory registered for the given ServerDef: cluster {'),
    ({'a': ['localhost']}, {}, tf.errors.InvalidArgumentError, 'Could not parse port for local server from "localhost".'),
    (3, {}, TypeError, 'Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`.'),
    ({'a': ['localhost:0', 'localhost:0']}, {'task_index': 0}, NotImplementedError, 'tf.train.Server: clusters of several tasks'),
])
def test_errors_of_servers(cluster, options, kind, text):
    with pytest.raises(kind) as info:
        tf.train.Server(cluster, **options)
    assert str(info.value).startswith(text)


def test_a_port_is_taken_once(server):
    with pytest.raises(tf.errors.UnknownError, match='^Could not start gRPC server'):
        tf.train.Server({'local': [server.target[len('grpc://'):]]})


def test_errors_of_targets(server):
    with pytest.raises(tf.errors.NotFoundError, match='^No session factory registered for the given session options: {target: "nowhere"'):
        tf.Session('nowhere')
    with pytest.raises(NotImplementedError, match="another process .*'grpc://elsewhere:1'.*" + server.target):
        tf.Session('grpc://elsewhere:1')
    idle = tf.train.Server.create_local_server(start=False)
    with pytest.raises(NotImplementedError):
        tf.Session(idle.target)
    with pytest.raises(tf.errors.UnimplementedError):
        tf.Session.reset('')

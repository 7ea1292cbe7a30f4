"""Clusters by name (tf.train.ClusterSpec) and servers of one task (tf.train.Server)."""
import socket
import threading

from headrace.tf1.framework import errors, protos, session


class ClusterSpec(object):
    """Jobs and the addresses of their tasks: {"ps": ["host:port"], "worker": {0: "host:port", 3: "host:port"}}, or a ClusterDef."""

    def __init__(self, cluster):
        if isinstance(cluster, dict):
            self._jobs = {}
            for job, tasks in cluster.items():
                if not isinstance(tasks, (list, tuple, dict)):
                    raise TypeError('The tasks for job %r must be a list or a dictionary from integers to strings.' % job)
                self._jobs[job] = dict(enumerate(tasks)) if isinstance(tasks, (list, tuple)) else dict(tasks)
            self._check_types()
        elif isinstance(cluster, ClusterSpec):
            self._jobs = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
        elif hasattr(cluster, 'SerializeToString') and hasattr(cluster, 'job'):
            self._jobs = {job.name: dict(job.tasks) for job in cluster.job}
        else:
            raise TypeError('`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a `ClusterDef` '
                            'protocol buffer')

    def _check_types(self):
        for job, tasks in self._jobs.items():
            if not isinstance(job, (str, bytes)):
                raise TypeError('Job name %r must be bytes or unicode' % (job,))
            for address in tasks.values():
                if not isinstance(address, (str, bytes)):
                    raise TypeError('Task address %r must be bytes or unicode' % (address,))

    def __bool__(self):
        return bool(self._jobs)

    def __eq__(self, other):
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def __str__(self):
        tasks = self.as_dict()
        return 'ClusterSpec({%s})' % ', '.join('%r: %r' % (job, tasks[job]) for job in sorted(tasks))

    def as_dict(self):
        """{job: addresses}: a list where the tasks are numbered without gaps, else a dict by task."""
        result = {}
        for job, tasks in self._jobs.items():
            dense = not tasks or max(tasks) + 1 == len(tasks)
            result[job] = self.job_tasks(job) if dense and tasks else {i: tasks[i] for i in sorted(tasks)}
        return result

    def as_cluster_def(self):
        """The ClusterDef message."""
        message = protos.message('ClusterDef')()
        for job, tasks in sorted(self._jobs.items()):
            entry = message.job.add(name=job)
            for i, address in sorted(tasks.items()):
                entry.tasks[i] = address
        return message

    @property
    def jobs(self):
        return list(self._jobs)

    def _tasks(self, job_name):
        if job_name not in self._jobs:
            raise ValueError('No such job in cluster: %r' % job_name)
        return self._jobs[job_name]

    def num_tasks(self, job_name):
        """How many tasks the job has. ValueError for an unknown job."""
        return len(self._tasks(job_name))

    def task_indices(self, job_name):
        """Numbers of the job's tasks, ascending."""
        return sorted(self._tasks(job_name))

    def task_address(self, job_name, task_index):
        """The address of a task. ValueError for an unknown job or task."""
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError('No task with index %r in job %r' % (task_index, job_name))
        return tasks[task_index]

    def job_tasks(self, job_name):
        """Addresses of the job's tasks, None where a number is missing."""
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks) + 1)]


class Server(object):
    """A task of a cluster that is this process: sessions with its target share its devices, variables and queues.

    A cluster has one task here. The port is taken (nobody answers there), so that targets differ between processes too.
    """

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
        self._server_def = definition = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        if definition.protocol not in ('grpc', 'grpc+verbs', 'grpc+gdr', 'grpc+mpi'):
            raise errors.NotFoundError(None, None, 'No server factory registered for the given ServerDef: %s\nThe available server factories '
                                       'are: [ GRPC_SERVER ]' % definition)
        tasks = ClusterSpec(definition.cluster)
        address = dict(tasks._jobs.get(definition.job_name, {})).get(definition.task_index)
        if address is None:
            raise errors.InvalidArgumentError(None, None, 'Task %d was not defined in job "%s"' % (definition.task_index, definition.job_name))
        if sum(tasks.num_tasks(job) for job in tasks.jobs) > 1:
            raise NotImplementedError('tf.train.Server: clusters of several tasks are not here yet, one of a single task is (got %s)' % tasks)
        self._target = 'grpc://localhost:%d' % _take_port(address)
        self._joined = threading.Event()
        self._core = session.server_core(definition.default_session_config, definition.job_name, definition.task_index)
        if start:
            self.start()

    def start(self):
        """From now on sessions may use the target."""
        session.add_server(self._target, self)

    def join(self):
        """Waits until the server ends, which it does only with the process."""
        while not self._joined.wait(3600):
            pass

    @property
    def server_def(self):
        """The ServerDef message."""
        return self._server_def

    @property
    def target(self):
        """What tf.Session takes as its target."""
        return self._target

    @staticmethod
    def create_local_server(config=None, start=True):
        """A cluster of one task of the job "local", on a free port."""
        return Server({'local': ['localhost:0']}, protocol='grpc', config=config, start=start)


def _server_def(given, job_name, task_index, protocol, config):
    """The ServerDef of what a program gives; what it leaves out is what only can be meant. ValueError where that is not clear."""
    definition = protos.message('ServerDef')()
    if isinstance(given, protos.message('ServerDef')):
        definition.MergeFrom(given)
    else:
        try:
            tasks = ClusterSpec(given)
        except TypeError:
            raise TypeError('Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`.')
        if job_name is None:
            if len(tasks.jobs) != 1:
                raise ValueError('Must specify an explicit `job_name`.')
            job_name = tasks.jobs[0]
        if task_index is None:
            indices = tasks.task_indices(job_name)
            if len(indices) != 1:
                raise ValueError('Must specify an explicit `task_index`.')
            task_index = indices[0]
        definition.cluster.MergeFrom(tasks.as_cluster_def())
        definition.protocol = 'grpc'
    if job_name is not None:
        definition.job_name = job_name
    if task_index is not None:
        definition.task_index = task_index
    if protocol is not None:
        definition.protocol = protocol
    if config is not None:
        definition.default_session_config.MergeFrom(config)
    return definition


def _take_port(address):
    """Takes the port of "host:port" (0: a free one) for as long as the process lives, and gives its number. Errors: InvalidArgument without
    a port, Unknown when it is in use."""
    port = address.rpartition(':')[2] if ':' in address else ''
    if not port.isdigit() or int(port) > 65535:
        raise errors.InvalidArgumentError(None, None, 'Could not parse port for local server from "%s".' % address)
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port whose connections of an earlier process linger is free
    try:
        taken.bind(('', int(port)))
        taken.listen(1)  # without it two sockets with that option may share a port
    except OSError as e:
        taken.close()
        failed = e
    else:
        number = taken.getsockname()[1]
        taken.detach()
        return number
    raise errors.UnknownError(None, None, 'Could not start gRPC server\n    port %s: %s' % (port, failed))

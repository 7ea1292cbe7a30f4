"""Clusters by name (tf.train.ClusterSpec); servers come later."""
from headrace.tf1.framework import protos


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
    """A task of a cluster: not here yet."""

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
        raise NotImplementedError('tf.train.Server is not here yet: programs run in one process')

    @staticmethod
    def create_local_server(config=None, start=True):
        """A cluster of one task: not here yet."""
        raise NotImplementedError('tf.train.Server.create_local_server is not here yet: use tf.Session() without a target')

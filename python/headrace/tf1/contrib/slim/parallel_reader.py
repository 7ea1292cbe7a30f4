"""tf.contrib.slim.parallel_reader: records of many files through several readers and one queue."""
from headrace.tf1 import gfile
from headrace.tf1.framework import dtypes as dtypes_lib, math, queues
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.framework.readers import ReaderBase
from headrace.tf1.train import input as input_lib, queue_runner


class ParallelReader(ReaderBase):
    """Several readers of `reader_class`, whose records meet in `common_queue`."""

    def __init__(self, reader_class, common_queue, num_readers=4, reader_kwargs=None):  # pylint: disable=super-init-not-called
        if len(common_queue.dtypes) != 2 or not all(dtype.is_compatible_with(dtypes_lib.string) for dtype in common_queue.dtypes):
            raise TypeError('common_queue.dtypes must be [tf.string, tf.string]')
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    num_readers = property(lambda self: len(self._readers))
    common_queue = property(lambda self: self._common_queue)

    def read(self, queue, name=None):
        """(key, value): the next record of any reader."""
        self._start(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue, num_records, name=None):
        """(keys, values) of up to num_records records."""
        self._start(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _start(self, queue):
        enqueue = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        queue_runner.add_queue_runner(queue_runner.QueueRunner(self._common_queue, enqueue))

    def num_records_produced(self, name=None):
        """The number of records read so far by all readers."""
        return math.add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name=None):
        """The number of files read to their end by all readers."""
        return math.add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def parallel_read(data_sources, reader_class, num_epochs=None, num_readers=4, reader_kwargs=None, shuffle=True, dtypes=None, capacity=256,
                  min_after_dequeue=128, seed=None, scope=None):
    """(key, value) of records from many files; shuffled, unless that is False."""
    from headrace.tf1 import summary
    files = get_data_files(data_sources)
    with name_scope(scope, 'parallel_read'):
        names = input_lib.string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name='filenames')
        dtypes = dtypes or [dtypes_lib.string, dtypes_lib.string]
        if shuffle:
            common = queues.RandomShuffleQueue(capacity=capacity, min_after_dequeue=min_after_dequeue, dtypes=dtypes, seed=seed,
                                               name='common_queue')
        else:
            common = queues.FIFOQueue(capacity=capacity, dtypes=dtypes, name='common_queue')
        summary.scalar('fraction_of_%d_full' % capacity, math.cast(common.size(), dtypes_lib.float32) * (1.0 / capacity))
        return ParallelReader(reader_class, common, num_readers=num_readers, reader_kwargs=reader_kwargs).read(names)


def single_pass_read(data_sources, reader_class, reader_kwargs=None, scope=None):
    """(key, value) of the records of files, once and in their order."""
    files = get_data_files(data_sources)
    with name_scope(scope, 'single_pass_read'):
        names = input_lib.string_input_producer(files, num_epochs=1, shuffle=False, capacity=1, name='filenames')
        return reader_class(**(reader_kwargs or {})).read(names)


def get_data_files(data_sources):
    """The files that names and patterns mean. ValueError if there are none."""
    if isinstance(data_sources, (list, tuple)):
        files = [name for source in data_sources for name in get_data_files(source)]
    elif any(letter in data_sources for letter in '*?['):
        files = gfile.Glob(data_sources)
    else:
        files = [data_sources]
    if not files:
        raise ValueError('No data files found in %s' % (data_sources,))
    return files

"""Event files (tf.summary.FileWriter) and the way back (tf.train.summary_iterator)."""
import os
import threading
import time
import warnings

from headrace import _core
from headrace.tf1 import gfile
from headrace.tf1.framework import graph as graph_lib, importer, protos


def _logdir(path):
    return path.decode('utf-8') if isinstance(path, bytes) else os.fspath(path)


class FileWriter(object):
    """Writes summaries, graphs and so on to an event file in `logdir`; safe to use from several threads.

    What was added is in the file after flush or close, and at the latest after `flush_secs`.
    """

    def __init__(self, logdir, graph=None, max_queue=10, flush_secs=120, graph_def=None, filename_suffix=None, session=None):
        self._dir, self._flush_secs, self._suffix = _logdir(logdir), flush_secs, filename_suffix or ''
        self._lock = threading.Lock()
        self._closed = False
        self._seen_tags, self._run_tags = set(), set()
        self._writer = self._open()
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            definition = graph_def
            if definition is None:
                definition = graph.as_graph_def(add_shapes=True) if isinstance(graph, graph_lib.Graph) else graph
            self.add_meta_graph(importer.create_meta_graph_def(graph_def=definition))

    def _open(self):
        gfile.MakeDirs(self._dir)
        return _core.EventWriter(self._dir, self._suffix, float(self._flush_secs))

    def get_logdir(self):
        """The folder."""
        return self._dir

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def _write(self, event):
        with self._lock:
            if self._closed:
                warnings.warn('Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is explicitly '
                              'reopened.')
                return
            self._writer.add_event(event.SerializeToString())

    def _add_event(self, event, step):
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self._write(event)

    def add_event(self, event):
        """Writes an Event message as it is."""
        self._write(event)

    def add_summary(self, summary, global_step=None):
        """Writes a Summary, or what a summary op gave (its serialised form)."""
        summary_class = protos.message('Summary')
        event = protos.message('Event')()
        if isinstance(summary, bytes):
            event.summary.ParseFromString(summary)
        else:
            event.summary.CopyFrom(summary if isinstance(summary, summary_class) else summary_class.FromString(summary.SerializeToString()))
        for value in event.summary.value:
            # What a plugin needs to know of a tag is written once.
            if value.tag in self._seen_tags:
                value.ClearField('metadata')
            else:
                self._seen_tags.add(value.tag)
        self._add_event(event, global_step)

    def add_session_log(self, session_log, global_step=None):
        """Writes a SessionLog: that a session starts, stops, or has saved a checkpoint."""
        self._add_event(protos.message('Event')(session_log=session_log), global_step)

    def add_graph(self, graph, global_step=None, graph_def=None):
        """Writes a Graph (or a GraphDef). TypeError for what is neither."""
        if graph is not None and graph_def is not None:
            raise ValueError('Please pass only graph, or graph_def (deprecated), but not both.')
        from headrace.tf1 import logging
        given = graph if graph is not None else graph_def
        if isinstance(given, graph_lib.Graph):
            if graph is None:
                logging.warning('When passing a `Graph` object, please use the `graph` named argument instead of `graph_def`.')
            definition = given._core.export_graph(with_shapes=True)
        elif isinstance(given, protos.message('GraphDef')):
            logging.warning('Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a `Graph` object instead, such as `sess.graph`.')
            definition = given.SerializeToString()
        else:
            raise TypeError('The passed graph must be an instance of `Graph` or the deprecated `GraphDef`')
        self._add_event(protos.message('Event')(graph_def=definition), global_step)

    def add_meta_graph(self, meta_graph_def, global_step=None):
        """Writes a MetaGraphDef. TypeError for what is none."""
        if not isinstance(meta_graph_def, protos.message('MetaGraphDef')):
            raise TypeError('meta_graph_def must be type MetaGraphDef, saw type: %s' % type(meta_graph_def))
        self._add_event(protos.message('Event')(meta_graph_def=meta_graph_def.SerializeToString()), global_step)

    def add_run_metadata(self, run_metadata, tag, global_step=None):
        """Writes what a traced run told. ValueError for a tag used before."""
        if tag in self._run_tags:
            raise ValueError('The provided tag was already used for this event type')
        self._run_tags.add(tag)
        event = protos.message('Event')()
        event.tagged_run_metadata.tag = tag
        event.tagged_run_metadata.run_metadata = run_metadata.SerializeToString()
        self._add_event(event, global_step)

    def flush(self):
        """All that was added is in the file."""
        with self._lock:
            if not self._closed:
                self._writer.flush()
                return
        warnings.warn('Attempting to use a closed FileWriter. The operation will be a noop unless the FileWriter is explicitly reopened.')

    def close(self):
        """Flushes and closes the file."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._writer.close()

    def reopen(self):
        """After close: begins another file in the same folder."""
        with self._lock:
            if self._closed:
                self._writer = self._open()
                self._closed = False


class FileWriterCache(object):
    """One FileWriter for each folder."""
    _cache = {}
    _lock = threading.Lock()

    @staticmethod
    def clear():
        """Closes and forgets all of them."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache = {}

    @staticmethod
    def get(logdir):
        """The FileWriter of a folder; a new graph as default graph makes a new one."""
        with FileWriterCache._lock:
            logdir = _logdir(logdir)
            writer = FileWriterCache._cache.get(logdir)
            if writer is None:
                writer = FileWriterCache._cache[logdir] = FileWriter(logdir, graph=graph_lib.get_default_graph())
            return writer


SummaryWriterCache = FileWriterCache


def summary_iterator(path):
    """The Event messages of an event file, one after the other. DataLossError where it is damaged."""
    event_class = protos.message('Event')
    reader = _core.RecordReader(_logdir(path), '')
    while True:
        record = reader.next()
        if record is None:
            return
        yield event_class.FromString(record)

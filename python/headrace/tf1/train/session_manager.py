"""Sessions that start from a checkpoint or from initial values (tf.train.SessionManager)."""
import time

import numpy as np

from headrace.tf1.framework import errors, graph as graph_lib
from headrace.tf1.framework import session as session_lib
from headrace.tf1.train import checkpoint_management


def _log():
    from headrace.tf1 import logging
    return logging


def _name(obj):
    if obj is None:
        return 'None'
    return getattr(obj, 'name', '<no name for %s>' % type(obj))


class SessionManager(object):
    """Makes sessions whose model is ready: restored from a checkpoint if there is one, else initialised."""

    def __init__(self, local_init_op=None, ready_op=None, ready_for_local_init_op=None, graph=None, recovery_wait_secs=30,
                 local_init_run_options=None):
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError('If you pass a ready_for_local_init_op you must also pass a local_init_op , ready_for_local_init_op [%s]' %
                             ready_for_local_init_op)
        self._local_init_op, self._ready_op, self._ready_for_local_init_op = local_init_op, ready_op, ready_for_local_init_op
        self._graph = graph_lib.get_default_graph() if graph is None else graph
        self._recovery_wait_secs, self._local_init_run_options = recovery_wait_secs, local_init_run_options

    def _restore_checkpoint(self, master, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                            max_wait_secs=7200, config=None):
        """(session, was it restored?)"""
        sess = session_lib.Session(master, graph=self._graph, config=config)
        if checkpoint_dir and checkpoint_filename_with_path:
            raise ValueError('Can not provide both checkpoint_dir and checkpoint_filename_with_path.')
        if not saver or not (checkpoint_dir or checkpoint_filename_with_path):
            return sess, False
        if checkpoint_filename_with_path:
            saver.restore(sess, checkpoint_filename_with_path)
            return sess, True
        waited = 0
        state = checkpoint_management.get_checkpoint_state(checkpoint_dir)
        while state is None:
            if not wait_for_checkpoint or waited >= max_wait_secs:
                return sess, False
            _log().info('Waiting for checkpoint to be available.')
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
            state = checkpoint_management.get_checkpoint_state(checkpoint_dir)
        saver.restore(sess, state.model_checkpoint_path)
        saver.recover_last_checkpoints(list(state.all_model_checkpoint_paths))
        return sess, True

    def prepare_session(self, master, init_op=None, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
                        wait_for_checkpoint=False, max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None):
        """A session that is ready: restored, or initialised by `init_op` and `init_fn(session)`. RuntimeError if it is not ready then."""
        sess, restored = self._restore_checkpoint(master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint,
                                                  max_wait_secs, config)
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError('Model is not initialized and no init_op or init_fn or local_init_op was given')
            if init_op is not None:
                sess.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(sess)
        done, message = self._try_run_local_init_op(sess)
        if not done:
            raise RuntimeError('Init operations did not make model ready for local_init.  Init op: %s, init fn: %s, error: %s' % (
                _name(init_op), init_fn, message))
        ready, message = self._model_ready(sess)
        if not ready:
            raise RuntimeError('Init operations did not make model ready.  Init op: %s, init fn: %s, local_init_op: %s, error: %s' % (
                _name(init_op), init_fn, self._local_init_op, message))
        return sess

    def recover_session(self, master, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None):
        """(session, was it restored and is it ready?)"""
        sess, restored = self._restore_checkpoint(master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint,
                                                  max_wait_secs, config)
        done, message = self._try_run_local_init_op(sess)
        if not restored:
            return sess, False
        source = checkpoint_dir or checkpoint_filename_with_path
        if not done:
            _log().info('Restoring model from %s did not make model ready for local init: %s', source, message)
            return sess, False
        ready, message = self._model_ready(sess)
        if not ready:
            _log().info('Restoring model from %s did not make model ready: %s', source, message)
            return sess, False
        _log().info('Restored model from %s', source)
        return sess, True

    def wait_for_session(self, master, config=None, max_wait_secs=float('Inf')):
        """A session once another has made the model ready. DeadlineExceededError after max_wait_secs."""
        limit = float('Inf') if max_wait_secs is None else max_wait_secs
        deadline = time.monotonic() + limit
        while True:
            sess = session_lib.Session(master, graph=self._graph, config=config)
            done, local_message = self._try_run_local_init_op(sess)
            message = None
            if done:
                ready, message = self._model_ready(sess)
                if ready:
                    return sess
            sess.close()
            if deadline - time.monotonic() < self._recovery_wait_secs:
                raise errors.DeadlineExceededError(None, None, 'Session was not ready after waiting %s secs.' % (max_wait_secs,))
            _log().info('Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s', local_message, message)
            time.sleep(self._recovery_wait_secs)

    def _model_ready(self, sess):
        return _ready(self._ready_op, sess, 'Model not ready')

    def _try_run_local_init_op(self, sess):
        if self._local_init_op is None:
            return True, None
        ready, message = _ready(self._ready_for_local_init_op, sess, 'Model not ready for local init')
        if not ready:
            return False, message
        _log().info('Running local_init_op.')
        sess.run(self._local_init_op, options=self._local_init_run_options)
        _log().info('Done running local_init_op.')
        return True, None


def _ready(op, sess, text):
    """(is it?, why not)"""
    if op is None:
        return True, None
    try:
        value = sess.run(op)
    except errors.FailedPreconditionError as e:
        if 'uninitialized' not in str(e):
            _log().warning('%s : error [%s]', text, e)
            raise
        return False, str(e)
    if value is None or value.dtype == np.int32 or value.size == 0:
        return True, None
    return False, 'Variables not initialized: ' + ', '.join(name.decode('utf-8') for name in value)

"""Hooks that most programs want: log, save, stop, count (tf.train.LoggingTensorHook and so on)."""
import os
import time

import numpy as np

from headrace.tf1.framework import errors, graph as graph_lib, importer, protos
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.train import session_run_hook, training_util
from headrace.tf1.train.session_run_hook import SessionRunArgs

_warned = {}


def _log():
    from headrace.tf1 import logging
    return logging


def _writer(logdir):
    from headrace.tf1.summary import writer
    return writer.FileWriterCache.get(logdir)


def _step_read(who):
    step = training_util._get_or_create_global_step_read()
    if step is None:
        raise RuntimeError('Global step should be created to use %s.' % who)
    return step


class SecondOrStepTimer(object):
    """Triggers every so many seconds or steps, and at the first step."""

    def __init__(self, every_secs=None, every_steps=None):
        if every_secs is None and every_steps is None:
            raise ValueError('Either every_secs or every_steps should be provided.')
        if every_secs is not None and every_steps is not None:
            raise ValueError('Can not provide both every_secs and every_steps.')
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self):
        """As if it had never triggered."""
        self._last_triggered_step = self._last_triggered_time = None

    def should_trigger_for_step(self, step):
        """Is it time?"""
        if self._last_triggered_step is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_triggered_time + self._every_secs
        return step >= self._last_triggered_step + self._every_steps

    def update_last_triggered_step(self, step):
        """It triggers now; (seconds, steps) since the last time, (None, None) at the first."""
        now = time.time()
        elapsed = (None, None)
        if self._last_triggered_time is not None:
            elapsed = now - self._last_triggered_time, step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return elapsed

    def last_triggered_step(self):
        return self._last_triggered_step


class NeverTriggerTimer(object):
    """Never triggers."""

    def reset(self):
        pass

    def should_trigger_for_step(self, step):
        return False

    def update_last_triggered_step(self, step):
        return None, None

    def last_triggered_step(self):
        return None


class LoggingTensorHook(session_run_hook.SessionRunHook):
    """Logs tensors every so many steps or seconds, or at the end. `tensors`: {tag: tensor or name}, or a list."""

    def __init__(self, tensors, every_n_iter=None, every_n_secs=None, at_end=False, formatter=None):
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError('either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.')
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError('invalid every_n_iter=%s.' % every_n_iter)
        self._tag_order = sorted(tensors) if isinstance(tensors, dict) else tensors
        self._tensors = tensors if isinstance(tensors, dict) else {item: item for item in tensors}
        self._formatter, self._log_at_end = formatter, at_end
        self._timer = NeverTriggerTimer() if only_at_end else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)

    def begin(self):
        self._timer.reset()
        self._iter_count = 0
        self._current_tensors = {tag: _element(tensor) for tag, tensor in self._tensors.items()}

    def before_run(self, run_context):
        self._should_trigger = self._timer.should_trigger_for_step(self._iter_count)
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def _log_tensors(self, values):
        with np.printoptions(suppress=True):
            seconds, _ = self._timer.update_last_triggered_step(self._iter_count)
            if self._formatter:
                _log().info(self._formatter(values))
                return
            text = ', '.join('%s = %s' % (tag, values[tag]) for tag in self._tag_order)
            if seconds is None:
                _log().info('%s', text)
            else:
                _log().info('%s (%.3f sec)', text, seconds)

    def after_run(self, run_context, run_values):
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session):
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))


class StopAtStepHook(session_run_hook.SessionRunHook):
    """Stops after `num_steps` of this session, or when the global step is `last_step`."""

    def __init__(self, num_steps=None, last_step=None):
        if num_steps is None and last_step is None:
            raise ValueError('One of num_steps or last_step must be specified.')
        if num_steps is not None and last_step is not None:
            raise ValueError('Only one of num_steps or last_step can be specified.')
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self):
        self._global_step_tensor = _step_read('StopAtStepHook')

    def after_create_session(self, session, coord):
        if self._last_step is None:
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        # What was read is the step before this one's increment; another worker may have counted, too.
        if run_values.results + 1 >= self._last_step:
            if run_context.session.run(self._global_step_tensor) >= self._last_step:
                run_context.request_stop()


class CheckpointSaverListener(object):
    """Is told when a CheckpointSaverHook saves."""

    def begin(self):
        """Called before the session is made."""

    def before_save(self, session, global_step_value):
        """Called before a checkpoint is written."""

    def after_save(self, session, global_step_value):
        """Called after a checkpoint was written; True asks to stop."""

    def end(self, session, global_step_value):
        """Called when the session ends."""


class CheckpointSaverHook(session_run_hook.SessionRunHook):
    """Saves a checkpoint every so many steps or seconds, at the start and at the end."""

    def __init__(self, checkpoint_dir, save_secs=None, save_steps=None, saver=None, checkpoint_basename='model.ckpt', scaffold=None,
                 listeners=None):
        _log().info('Create CheckpointSaverHook.')
        if saver is not None and scaffold is not None:
            raise ValueError('You cannot provide both saver and scaffold.')
        self._saver, self._scaffold, self._listeners = saver, scaffold, listeners or []
        self._checkpoint_dir, self._save_path = checkpoint_dir, os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        self._summary_writer = _writer(self._checkpoint_dir)
        self._global_step_tensor = _step_read('CheckpointSaverHook')
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session, coord):
        step = session.run(self._global_step_tensor)
        graph = graph_lib.get_default_graph()
        graph_def = graph.as_graph_def(add_shapes=True)
        importer.write_graph(graph_def, self._checkpoint_dir, 'graph.pbtxt')
        saver = self._get_saver()
        self._summary_writer.add_graph(graph)
        self._summary_writer.add_meta_graph(importer.create_meta_graph_def(graph_def=graph_def,
                                                                           saver_def=saver.saver_def if saver else None))
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context, run_values):
        if not self._timer.should_trigger_for_step(run_values.results + 1):
            return
        step = run_context.session.run(self._global_step_tensor)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session):
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session, step):
        """True when a listener asks to stop."""
        _log().info('Saving checkpoints for %d into %s.', step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(session, self._save_path, global_step=step)
        log_class = protos.message('SessionLog')
        self._summary_writer.add_session_log(log_class(status=log_class.CHECKPOINT, checkpoint_path=self._save_path), step)
        stop = False
        for listener in self._listeners:
            if listener.after_save(session, step):
                _log().info('A CheckpointSaverListener requested that training be stopped. listener: %s', listener)
                stop = True
        return stop

    def _get_saver(self):
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = graph_lib.get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError('No items in collection %s. Please add a saver to the collection or provide a saver or scaffold.' %
                               GraphKeys.SAVERS)
        if len(savers) > 1:
            raise RuntimeError('More than one item in collection %s. Please indicate which one to use by passing it to the constructor.' %
                               GraphKeys.SAVERS)
        self._saver = savers[0]
        return self._saver


class StepCounterHook(session_run_hook.SessionRunHook):
    """Logs, and writes as a summary, how many steps a second are made."""

    def __init__(self, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError('exactly one of every_n_steps and every_n_secs should be provided.')
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._last_global_step = None

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = _writer(self._output_dir)
        self._global_step_tensor = _step_read('StepCounterHook')
        self._summary_tag = training_util.get_global_step().op.name + '/sec'

    def before_run(self, run_context):
        return SessionRunArgs(self._global_step_tensor)

    def _log_and_record(self, elapsed_steps, elapsed_time, global_step):
        rate = elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            summary = protos.message('Summary')()
            summary.value.add(tag=self._summary_tag, simple_value=rate)
            self._summary_writer.add_summary(summary, global_step)
        _log().info('%s: %g', self._summary_tag, rate)

    def after_run(self, run_context, run_values):
        before = run_values.results
        if self._timer.should_trigger_for_step(before + 1):
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None:
                    self._log_and_record(steps, seconds, step)
        if before == self._last_global_step and _warned.setdefault('step', 0) < 5:
            _warned['step'] += 1
            _log().warning(
                'It seems that global step (tf.train.get_global_step) has not been increased. Current value (could be stable): %s vs '
                'previous value: %s. You could increase the global step by passing tf.train.get_global_step() to '
                'Optimizer.apply_gradients or Optimizer.minimize.', before, self._last_global_step)
        self._last_global_step = before


class NanLossDuringTrainingError(RuntimeError):
    """The loss is not a number."""

    def __str__(self):
        return 'NaN loss during training.'


class NanTensorHook(session_run_hook.SessionRunHook):
    """Stops, or fails, when the loss is not a number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context):
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context, run_values):
        if not np.isnan(run_values.results):
            return
        if self._fail_on_nan_loss:
            _log().error('Model diverged with loss = NaN.')
            raise NanLossDuringTrainingError
        _log().warning('Model diverged with loss = NaN.')
        run_context.request_stop()


class SummarySaverHook(session_run_hook.SessionRunHook):
    """Writes summaries every so many steps or seconds."""

    def __init__(self, save_steps=None, save_secs=None, output_dir=None, summary_writer=None, scaffold=None, summary_op=None):
        if (scaffold is None) == (summary_op is None):
            raise ValueError('Exactly one of scaffold or summary_op must be provided.')
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        if self._summary_writer is None and self._output_dir:
            self._summary_writer = _writer(self._output_dir)
        self._next_step = None
        self._global_step_tensor = _step_read('SummarySaverHook')

    def before_run(self, run_context):
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(self._next_step)
        requests = {'global_step': self._global_step_tensor}
        if self._request_summary and self._get_summary_op() is not None:
            requests['summary'] = self._get_summary_op()
        return SessionRunArgs(requests)

    def after_run(self, run_context, run_values):
        if not self._summary_writer:
            return
        step = run_values.results['global_step'] + 1
        if self._next_step is None or self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            log_class = protos.message('SessionLog')
            self._summary_writer.add_session_log(log_class(status=log_class.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get('summary', ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session=None):
        if self._summary_writer:
            self._summary_writer.flush()

    def _get_summary_op(self):
        op = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        return op if op is None or isinstance(op, list) else [op]


class GlobalStepWaiterHook(session_run_hook.SessionRunHook):
    """Waits before the first step until the global step has got that far."""

    def __init__(self, wait_until_step):
        self._wait_until_step = wait_until_step

    def begin(self):
        self._worker_is_started = False
        self._global_step_tensor = _step_read('_GlobalStepWaiterHook')

    def before_run(self, run_context):
        if self._worker_is_started:
            return None
        if self._wait_until_step > 0:
            _log().info('Waiting for global step %d before starting training.', self._wait_until_step)
            logged = 0
            step = run_context.session.run(self._global_step_tensor)
            while step < self._wait_until_step:
                if step - logged > 1000:
                    _log().info('Waiting for global step %d before starting training. Current step is %d.', self._wait_until_step, step)
                    logged = step
                time.sleep(0.5)
                step = run_context.session.run(self._global_step_tensor)
        self._worker_is_started = True
        return None


class FinalOpsHook(session_run_hook.SessionRunHook):
    """Runs operations when the session ends; `final_ops_values` has what they gave."""

    def __init__(self, final_ops, final_ops_feed_dict=None):
        self._final_ops, self._final_ops_feed_dict, self._final_ops_values = final_ops, final_ops_feed_dict, None

    final_ops_values = property(lambda self: self._final_ops_values)

    def end(self, session):
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(self._final_ops, feed_dict=self._final_ops_feed_dict)
        except (errors.OutOfRangeError, StopIteration):
            _log().warning('An OutOfRangeError or StopIteration exception is raised by the code in FinalOpsHook: the operations read from '
                           'an input that has ended. They should read variables only.')
            raise


class FeedFnHook(session_run_hook.SessionRunHook):
    """Feeds what `feed_fn()` gives to each step."""

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())


class ProfilerHook(session_run_hook.SessionRunHook):
    """Writes "timeline-STEP.json" (for chrome://tracing) of a step every so many steps or seconds."""

    def __init__(self, save_steps=None, save_secs=None, output_dir='', show_dataflow=True, show_memory=False):
        self._output_file = os.path.join(output_dir, 'timeline-{}.json')
        self._file_writer = _writer(output_dir)
        self._show_dataflow, self._show_memory = show_dataflow, show_memory
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        self._next_step = None
        self._global_step_tensor = _step_read('ProfilerHook')

    def before_run(self, run_context):
        self._request_summary = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = None
        if self._request_summary:
            run_options = protos.message('RunOptions')
            options = run_options(trace_level=run_options.FULL_TRACE)
        return SessionRunArgs({'global_step': self._global_step_tensor}, options=options)

    def after_run(self, run_context, run_values):
        before = run_values.results['global_step']
        if self._next_step is None:
            self._timer.update_last_triggered_step(before)
        step = before + 1
        if self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(step)
            self._save(step, self._output_file.format(step), run_values.run_metadata.step_stats)
            self._file_writer.add_run_metadata(run_values.run_metadata, 'step_%d' % step)
        self._next_step = step + 1

    def _save(self, step, save_path, step_stats):
        from headrace.tf1.python.client import timeline
        _log().info("Saving timeline for %d into '%s'.", step, save_path)
        with open(save_path, 'w') as file:
            file.write(timeline.Timeline(step_stats).generate_chrome_trace_format(self._show_dataflow, self._show_memory))


def _element(obj):
    """The tensor or operation of the default graph that `obj` is or names; an operation's name stands for its only output."""
    graph = graph_lib.get_default_graph()
    if not isinstance(obj, str):
        if getattr(obj, 'graph', None) is not graph:
            raise ValueError('Passed %s should have graph attribute that is equal to current graph %s.' % (obj, graph))
        return obj
    if ':' in obj:
        return graph.as_graph_element(obj)
    element = graph.as_graph_element(obj + ':0')
    if len(element.op.outputs) > 1:
        raise ValueError('Name %s is ambiguous, as this `Operation` has multiple outputs (at least 2).' % obj)
    return element

"""Threads that start and stop together (tf.train.Coordinator, tf.train.LooperThread)."""
import contextlib
import sys
import threading
import time

from headrace.tf1.framework import errors


def _log():
    from headrace.tf1 import logging
    return logging


class Coordinator(object):
    """Threads ask `should_stop`; anyone, or an exception, may `request_stop`; `join` waits for all and raises the first exception."""

    def __init__(self, clean_stop_exception_types=None):
        self._clean = (errors.OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._exception = None
        self._joined = False
        self._registered_threads = set()

    def request_stop(self, ex=None):
        """All threads are to stop. `ex`, an exception or sys.exc_info(), is raised by join, unless it only says that the data ended."""
        exception = ex[1] if isinstance(ex, tuple) else ex
        if isinstance(exception, self._clean):
            exception = ex = None
        if ex is not None and not isinstance(exception, BaseException):
            exception = ValueError('ex must be a tuple or sys.exc_info must return the current exception: %s' % (ex,))
        with self._lock:
            if self._joined:
                if exception is not None:
                    raise exception
            elif not self._stop_event.is_set():
                if exception is not None and self._exception is None:
                    self._exception = exception
                    _log().info('Error reported to Coordinator: %s, %s', type(exception), exception)
                self._stop_event.set()

    def clear_stop(self):
        """As if nobody had asked to stop."""
        with self._lock:
            self._joined, self._exception = False, None
            self._stop_event.clear()

    def should_stop(self):
        """Has someone asked to stop?"""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """In a `with` block: an exception asks to stop instead of ending the thread."""
        try:
            yield
        except:  # noqa: E722  (whatever ends the thread)
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout=None):
        """Waits until someone asks to stop; False after `timeout` seconds."""
        return self._stop_event.wait(timeout)

    def register_thread(self, thread):
        """join waits for this thread, too."""
        with self._lock:
            self._registered_threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits for the threads to end; once asked to stop they have stop_grace_period_secs. Raises what request_stop was given.

        Errors: RuntimeError naming the threads that still run.
        """
        with self._lock:
            threads = list(self._registered_threads.union(threads or ()))
        while any(t.is_alive() for t in threads) and not self.wait_for_stop(0.05):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        for thread in threads:
            if thread.is_alive():
                thread.join(max(deadline - time.monotonic(), 0))
        alive = [t.name for t in threads if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if self._exception is not None:
                raise self._exception
            if alive and not ignore_live_threads:
                raise RuntimeError('Coordinator stopped with threads still running: %s' % ' '.join(alive))
        if alive:
            _log().info('Coordinator stopped with threads still running: %s', ' '.join(alive))

    @property
    def joined(self):
        return self._joined

    def raise_requested_exception(self):
        """Raises what request_stop was given, if it was."""
        with self._lock:
            if self._exception is not None:
                raise self._exception


class LooperThread(threading.Thread):
    """Calls `target` every timer_interval_secs (None: all the time) until the coordinator stops. Subclasses may change run_loop."""

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, Coordinator):
            raise ValueError("'coord' argument must be a Coordinator: %s" % coord)
        if not target and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super(LooperThread, self).__init__(daemon=True)
        self._coord, self._timer_interval_secs = coord, timer_interval_secs
        self._looped, self._loop_args, self._loop_kwargs = target, args or (), kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """A started thread."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self):
        with self._coord.stop_on_exception():
            self.start_loop()
            due = time.monotonic()
            while not (self._coord.should_stop() if self._timer_interval_secs is None
                       else self._coord.wait_for_stop(max(due - time.monotonic(), 0))):
                due += self._timer_interval_secs or 0
                self.run_loop()
            self.stop_loop()

    def start_loop(self):
        """Called before the first turn."""

    def stop_loop(self):
        """Called after the last turn."""

    def run_loop(self):
        """One turn."""
        if self._looped:
            self._looped(*self._loop_args, **self._loop_kwargs)

"""What a hook is: code that runs around the steps of a MonitoredSession."""
import collections


class SessionRunHook(object):
    """Base of hooks; all methods do nothing."""

    def begin(self):
        """Called once before the session is made: may add nodes."""

    def after_create_session(self, session, coord):
        """Called when a session was made; the graph is final."""

    def before_run(self, run_context):
        """Called before each step; a SessionRunArgs adds fetches and feeds, None nothing."""
        return None

    def after_run(self, run_context, run_values):
        """Called after each step with what the hook fetched; may ask to stop."""

    def end(self, session):
        """Called when the session ends without an error."""


class SessionRunArgs(collections.namedtuple('SessionRunArgs', ['fetches', 'feed_dict', 'options'])):
    """What a hook adds to a step."""

    def __new__(cls, fetches, feed_dict=None, options=None):
        return super(SessionRunArgs, cls).__new__(cls, fetches, feed_dict, options)


class SessionRunValues(collections.namedtuple('SessionRunValues', ['results', 'options', 'run_metadata'])):
    """What a step gave for a hook's fetches."""


class SessionRunContext(object):
    """The step that a hook is called for."""

    def __init__(self, original_args, session):
        self._original_args, self._session, self._stop_requested = original_args, session, False

    original_args = property(lambda self: self._original_args, doc='SessionRunArgs of the program.')
    session = property(lambda self: self._session)
    stop_requested = property(lambda self: self._stop_requested)

    def request_stop(self):
        """No step after this one."""
        self._stop_requested = True

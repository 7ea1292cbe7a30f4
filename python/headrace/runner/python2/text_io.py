"""StringIO and cStringIO: one class that takes text or bytes, whichever comes first."""
import io


def StringIO(initial=None):  # pylint: disable=invalid-name
    """A file in memory."""
    if isinstance(initial, (bytes, bytearray, memoryview)):
        return io.BytesIO(initial)
    return _Memory() if initial is None or initial == '' else io.StringIO(initial)


class _Memory(object):
    """Empty until the first write says whether it holds text or bytes."""

    def __init__(self):
        self._file = None

    def write(self, data):
        """Appends text or bytes."""
        if self._file is None:
            self._file = io.StringIO() if isinstance(data, str) else io.BytesIO()
        return self._file.write(data)

    def getvalue(self):
        """All that was written."""
        return '' if self._file is None else self._file.getvalue()

    def __getattr__(self, name):
        if self._file is None:
            self._file = io.BytesIO()
        return getattr(self._file, name)

    def __iter__(self):
        return iter(self.__getattr__('readlines')())

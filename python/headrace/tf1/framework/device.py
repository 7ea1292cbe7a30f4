"""Device names (tf.DeviceSpec)."""


class DeviceSpec(object):
    """A device, each part of which may be left open."""

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self.job, self.replica, self.task, self.device_index = job, replica, task, device_index
        self.device_type = device_type.upper() if device_type in ('cpu', 'gpu') else device_type

    @classmethod
    def from_string(cls, spec):
        return cls().parse_from_string(spec)

    def parse_from_string(self, spec):
        """Takes the parts that a name states. ValueError for what is no part of a name."""
        self.__init__()
        for part in (spec or '').split('/'):
            if not part:
                continue
            pieces = part.split(':')
            key, rest = pieces[0], pieces[1:]
            if key in ('job',) and len(rest) == 1:
                self.job = rest[0]
            elif key in ('replica', 'task') and len(rest) == 1:
                setattr(self, key, int(rest[0]) if rest[0] != '*' else None)
            elif key.upper() in ('CPU', 'GPU') and len(rest) <= 1:
                self._take_device(spec, key.upper(), rest[0] if rest else '*')
            elif key == 'device' and (len(rest) == 2 or rest not in ([], [''])):
                if rest[0] != '*':
                    self._take_device(spec, rest[0] if rest[0].upper() not in ('CPU', 'GPU') else rest[0].upper(),
                                      rest[1] if len(rest) == 2 else '*')
            elif key:  # "cpu/:0" passes for "cpu", as in TensorFlow
                raise ValueError("Unknown attribute: '%s' in '%s'" % (key, spec))
        return self

    def _take_device(self, spec, device_type, index):
        if self.device_type is not None:
            raise ValueError('Cannot specify multiple device types: %s' % spec)
        self.device_type = device_type
        if index != '*':
            self.device_index = int(index)

    def merge_from(self, dev):
        """Takes the parts that the other states."""
        for part in ('job', 'replica', 'task'):
            if getattr(dev, part) is not None:
                setattr(self, part, getattr(dev, part))
        if dev.device_type is not None:
            self.device_type = dev.device_type
        if dev.device_index is not None:
            self.device_index = dev.device_index

    def make_merged_spec(self, dev):
        merged = DeviceSpec(self.job, self.replica, self.task, self.device_type, self.device_index)
        merged.merge_from(dev)
        return merged

    def replace(self, **kwargs):
        parts = dict(job=self.job, replica=self.replica, task=self.task, device_type=self.device_type, device_index=self.device_index)
        parts.update(kwargs)
        return DeviceSpec(**parts)

    def to_string(self):
        text = ''
        if self.job is not None:
            text += '/job:' + self.job
        if self.replica is not None:
            text += '/replica:%d' % self.replica
        if self.task is not None:
            text += '/task:%d' % self.task
        if self.device_type is not None:
            text += '/device:%s:%s' % (self.device_type, '*' if self.device_index is None else self.device_index)
        return text

    def __str__(self):
        return self.to_string()

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())


def canonical(device):
    """The full spelling of a name or DeviceSpec ("/gpu:0" -> "/device:GPU:0"). ValueError for what is none."""
    if isinstance(device, DeviceSpec) or hasattr(device, 'to_string'):
        return device.to_string()
    if not isinstance(device, str):
        raise TypeError('a device is a string, a DeviceSpec or a function, got %r' % (device,))
    return DeviceSpec.from_string(device).to_string()


canonical_name = canonical


def merge(outer, inner):
    """`outer` where `inner` leaves parts open."""
    spec = DeviceSpec.from_string(outer)
    spec.merge_from(DeviceSpec.from_string(inner))
    return spec.to_string()


def merge_device(spec):
    """A device function that fills in what an operation's device leaves open."""
    text = canonical(spec or '')

    def function(node_def):
        return merge(text, node_def.device or '')
    return function

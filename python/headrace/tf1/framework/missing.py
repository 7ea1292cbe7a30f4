"""Names of TensorFlow that are not here: an error when they are used, not when they are imported."""
import difflib


class _Missing(object):
    """Stands for a name; every use raises NotImplementedError with the nearest names and the program's line."""

    def __init__(self, full_name, known):
        object.__setattr__(self, '_full_name', full_name)
        object.__setattr__(self, '_known', known)

    def _raise(self):
        from headrace.tf1.framework.graph import program_line
        prefix, _, last = self._full_name.rpartition('.')
        near = difflib.get_close_matches(last, [k for k in self._known if not k.startswith('_')], n=3, cutoff=0.6)
        hint = '; nearest: ' + ', '.join(prefix + '.' + n for n in near) if near else ''
        file, line = program_line()
        where = ' (%s:%d)' % (file, line) if line else ''
        raise NotImplementedError('%s is not in Headrace%s%s' % (self._full_name, hint, where))

    def __call__(self, *args, **kwargs):
        self._raise()

    def __getattr__(self, attribute):
        if attribute.startswith('__') and attribute.endswith('__'):
            raise AttributeError(attribute)
        return _Missing(self._full_name + '.' + attribute, ())

    def __mro_entries__(self, bases):
        self._raise()

    def __instancecheck__(self, instance):
        return False

    def __repr__(self):
        return '<%s: not in Headrace>' % self._full_name


def name(full_name, known=()):
    return _Missing(full_name, list(known))

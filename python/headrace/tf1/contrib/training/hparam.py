"""HParams: the hyperparameters of a program, with types, from keywords, strings, dicts and JSON."""
import json
import numbers
import re

_PARAMETER = re.compile(r'(?P<name>[a-zA-Z][\w.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*((?P<val>[^,\[]*)|\[(?P<vals>[^\]]*)\])($|,\s*)')


def _bool(text):
    if text in ('true', 'True'):
        return True
    if text in ('false', 'False'):
        return False
    return bool(int(text))


def parse_values(values, type_map, ignore_unknown=False):
    """{name: value} of a text "a=1,b[2]=x,c=[1,2]"; of an indexed value {index: value}.

    Errors: ValueError for a text that is not like this, a name without type, a value that is not of its type, and a second value.
    """
    def fail(name, value):
        raise ValueError("Could not parse hparam '%s' of type '%s' with value '%s' in %s" % (
            name, type_map[name].__name__, value, values))

    def again(name):
        raise ValueError("Multiple assignments to variable '%s' in %s" % (name, values))

    def converted(name, text):
        try:
            return (_bool if type_map[name] is bool else type_map[name])(text)
        except ValueError:
            fail(name, text)

    results, at = {}, 0
    while at < len(values):
        match = _PARAMETER.match(values, at)
        if not match:
            raise ValueError('Malformed hyperparameter value: %s' % values[at:])
        at = match.end()
        name, index, single, several = match.group('name', 'index', 'val', 'vals')
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError('Unknown hyperparameter type for %s' % name)
        if several is not None:
            if index is not None:
                raise ValueError('Assignment of a list to a list index.')
            if name in results:
                again(name)
            try:
                results[name] = [(_bool if type_map[name] is bool else type_map[name])(text)
                                 for text in re.split('[ ,]', several) if text]
            except ValueError:
                fail(name, several)
        elif index is None:
            value = converted(name, single)
            if name in results:
                again(name)
            results[name] = value
        else:
            value = converted(name, single)
            given = results.setdefault(name, {})
            if not isinstance(given, dict):
                again(name)
            if int(index) in given:
                again('%s[%s]' % (name, index))
            given[int(index)] = value
    return results


def _cast(name, kind, value):
    """The value as that type, if that loses nothing: ValueError for text as number, floats as integers, truth values as numbers."""
    if type(value) is kind or issubclass(kind, type(None)):
        return value
    texts = (str, bytes)
    if (issubclass(kind, texts) and not isinstance(value, texts) or issubclass(kind, bool) != isinstance(value, bool)
            or issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral)
            or issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number)):
        raise ValueError("Could not cast hparam '%s' of type '%s' from value %r" % (name, kind, value))
    return kind(value)


class HParams(object):
    """Hyperparameters as attributes: HParams(learning_rate=0.1, layers=[64, 32]).parse('learning_rate=0.3')."""
    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        if hparam_def is not None:
            raise NotImplementedError('HParams from an HParamDef message is not here; pass the values as keywords')
        self._hparam_types, self._model_structure = {}, model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """Adds one; its type is that of the value. ValueError for a name that is taken, and for an empty list."""
        if getattr(self, name, None) is not None:
            raise ValueError('Hyperparameter name is reserved: %s' % name)
        several = isinstance(value, (list, tuple))
        if several and not value:
            raise ValueError('Multi-valued hyperparameters cannot be empty: %s' % name)
        self._hparam_types[name] = (type(value[0] if several else value), several)
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Changes one. KeyError for an unknown name, ValueError for a value of another type."""
        kind, several = self._hparam_types[name]
        if isinstance(value, list):
            if not several:
                raise ValueError('Must not pass a list for single-valued parameter: %s' % name)
            setattr(self, name, [_cast(name, kind, item) for item in value])
        else:
            if several:
                raise ValueError('Must pass a list for multi-valued parameter: %s.' % name)
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name):
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Changes what a text "a=1,c=[1,2]" names. Returns the object."""
        return self.override_from_dict(parse_values(values, {name: kind for name, (kind, _) in self._hparam_types.items()}))

    def override_from_dict(self, values_dict):
        """Changes what a dict names. Returns the object."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map):
        return self.override_from_dict(values_map)

    def parse_json(self, values_json):
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent=None, separators=None, sort_keys=False):
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def set_model_structure(self, model_structure):
        self._model_structure = model_structure

    def get_model_structure(self):
        return self._model_structure

    def values(self):
        """{name: value}"""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key, default=None):
        """A value, or the default for a name that is not there. ValueError for a default that the parameter could not have."""
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, several = self._hparam_types[key]
            fail = "Hparam '%s' of type '%s' is incompatible with default=%s" % (key, 'list<%s>' % kind if several else str(kind), default)
            if several != isinstance(default, list):
                raise ValueError(fail)
            try:
                for value in default if several else [default]:
                    _cast(key, kind, value)
            except ValueError as e:
                raise ValueError('%s. %s' % (fail, e))
        return getattr(self, key)

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return ','.join('%s=%s' % item for item in self.values().items())

    def __repr__(self):
        return '%s(%s)' % (type(self).__name__, sorted(self.values().items()))

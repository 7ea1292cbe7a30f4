"""tf.nest: structures of lists, tuples, named tuples and dicts with anything in them, dicts in the order of their keys."""
import collections
import collections.abc


def _is_namedtuple(value):
    return isinstance(value, tuple) and hasattr(value, '_fields')


def _is_attrs(value):
    return hasattr(type(value), '__attrs_attrs__')


def is_nested(seq):
    """Is it a structure (and no string)?"""
    return isinstance(seq, (collections.abc.Sequence, collections.abc.Mapping, collections.abc.MappingView)) and not isinstance(
        seq, (str, bytes, bytearray)) or _is_attrs(seq)


is_sequence = is_sequence_or_composite = is_nested


def _items(structure):
    """[(key, what is there)] of one level, in order. TypeError for keys that have no order."""
    if isinstance(structure, collections.abc.Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    if _is_namedtuple(structure):
        return [(field, getattr(structure, field)) for field in structure._fields]
    if _is_attrs(structure):
        return [(a.name, getattr(structure, a.name)) for a in type(structure).__attrs_attrs__]
    return list(enumerate(structure))


def _like(structure, values):
    """One level with other values, which are in the order of _items."""
    if isinstance(structure, collections.abc.Mapping):
        by_key = dict(zip(sorted(structure), values))
        pairs = [(key, by_key[key]) for key in structure]
        if isinstance(structure, collections.defaultdict):
            return type(structure)(structure.default_factory, pairs)
        return type(structure)(pairs)
    if _is_namedtuple(structure) or _is_attrs(structure):
        return type(structure)(*values)
    if isinstance(structure, (range, collections.abc.MappingView)):
        return list(values)
    return type(structure)(values)


def flatten(structure, expand_composites=False):
    """All that is in it, in one list; [x] for x that is no structure."""
    if not is_nested(structure):
        return [structure]
    return [leaf for _, value in _items(structure) for leaf in flatten(value)]


def _same_kind(one, other):
    if _is_namedtuple(one) and _is_namedtuple(other):
        return type(one).__name__ == type(other).__name__ and one._fields == other._fields
    if isinstance(one, collections.abc.Mapping) and isinstance(other, collections.abc.Mapping):
        return True
    return type(one) is type(other)


def _told(value):
    return 'type=%s str=%s' % (type(value).__name__, value)


def _difference(one, other, check_types):
    """The error for the first place where two structures differ, else None."""
    if is_nested(one) != is_nested(other):
        return ValueError('Substructure "%s" is a sequence, while substructure "%s" is not' % (
            (_told(one), _told(other)) if is_nested(one) else (_told(other), _told(one))))
    if not is_nested(one):
        return None
    if check_types and not _same_kind(one, other):
        return TypeError("The two namedtuples don't have the same sequence type. First structure %s has type %s, while second structure %s "
                         'has type %s' % (_told(one), type(one).__name__, _told(other), type(other).__name__))
    if len(one) != len(other):
        return ValueError("The two structures don't have the same number of elements. First structure: %s. Second structure: %s" % (
            _told(one), _told(other)))
    if isinstance(one, collections.abc.Mapping) and isinstance(other, collections.abc.Mapping) and set(one) != set(other):
        return ValueError("The two dictionaries don't have the same set of keys. First structure has keys %s, while second structure has "
                          'keys %s' % (sorted(one), sorted(other)))
    for (_, a), (_, b) in zip(_items(one), _items(other)):
        found = _difference(a, b, check_types)
        if found is not None:
            return found
    return None


class _Dot(object):
    def __repr__(self):
        return '.'


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """ValueError if two structures differ, TypeError if they are of different types (unless check_types is False)."""
    found = _difference(nest1, nest2, check_types)
    if found is not None:
        dot = _Dot()
        raise type(found)("The two structures don't have the same nested structure.\n\nFirst structure: %s\n\nSecond structure: %s\n\n"
                          'More specifically: %s\nEntire first structure:\n%s\nEntire second structure:\n%s' % (
                              _told(nest1), _told(nest2), found, map_structure(lambda _: dot, nest1), map_structure(lambda _: dot, nest2)))


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """A structure like another one with the values of a list. ValueError unless the numbers of values agree."""
    if not is_nested(flat_sequence):
        raise TypeError('flat_sequence must be a sequence')
    flat = list(flat_sequence)
    if not is_nested(structure):
        if len(flat) != 1:
            raise ValueError('Structure is a scalar but len(flat_sequence) == %d > 1' % len(flat))
        return flat[0]
    count = len(flatten(structure))
    if count != len(flat):
        raise ValueError('Could not pack sequence. Structure had %d elements, but flat_sequence had %d elements.  Structure: %s, '
                         'flat_sequence: %s.' % (count, len(flat), structure, flat))
    values = iter(flat)

    def packed(level):
        return _like(level, [packed(value) if is_nested(value) else next(values) for _, value in _items(level)])
    return packed(structure)


def map_structure(func, *structure, **kwargs):
    """A structure of func(a, b, ...) for the values of structures that are alike.

    Options: check_types (default True). Errors: as assert_same_structure; TypeError for func that cannot be called.
    """
    if not callable(func):
        raise TypeError('func must be callable, got: %s' % (func,))
    if not structure:
        raise ValueError('Must provide at least one structure')
    check_types = kwargs.pop('check_types', True)
    kwargs.pop('expand_composites', None)
    if kwargs:
        raise ValueError('Only valid keyword arguments are `check_types` and `expand_composites`, not: `%s`' % '`, `'.join(kwargs))
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    return pack_sequence_as(structure[0], [func(*values) for values in zip(*map(flatten, structure))])


def flatten_dict_items(dictionary):
    """{key: value} of a dict whose keys and values may be structures that are alike. ValueError for keys that come twice."""
    if not isinstance(dictionary, collections.abc.Mapping):
        raise TypeError('input must be a dictionary')
    flat = {}
    for key, value in dictionary.items():
        keys, values = (flatten(key), flatten(value)) if is_nested(key) else ([key], [value])
        if len(keys) != len(values):
            raise ValueError('Could not flatten dictionary. Key had %d elements, but value had %d elements. Key: %s, value: %s.' % (
                len(keys), len(values), keys, values))
        for one, leaf in zip(keys, values):
            if one in flat:
                raise ValueError('Could not flatten dictionary: key %s is not unique.' % (one,))
            flat[one] = leaf
    return flat


# ---- as deep as another structure

def assert_shallow_structure(shallow_tree, input_tree, check_types=True, expand_composites=False, check_subtrees_length=True):
    """TypeError or ValueError unless `input_tree` is like `shallow_tree` as deep as that goes."""
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError('If shallow structure is a sequence, input must also be a sequence. Input has type: %s.' % type(input_tree))
    if check_types and not _same_kind(shallow_tree, input_tree) and not isinstance(input_tree, type(shallow_tree)):
        raise TypeError("The two structures don't have the same sequence type. Input structure has type %s, while shallow structure has "
                        'type %s.' % (type(input_tree), type(shallow_tree)))
    if check_subtrees_length and len(input_tree) != len(shallow_tree):
        raise ValueError("The two structures don't have the same sequence length. Input structure has length %d, while shallow structure "
                         'has length %d.' % (len(input_tree), len(shallow_tree)))
    inside = dict(_items(input_tree))
    for key, value in _items(shallow_tree):
        if key not in inside:
            raise ValueError("The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following keys "
                             'that are not in the input_tree: %s' % [key])
        assert_shallow_structure(value, inside[key], check_types, expand_composites, check_subtrees_length)


def _up_to(shallow_tree, input_tree, path=()):
    if not is_nested(shallow_tree):
        return [(path, input_tree)]
    inside = dict(_items(input_tree))
    return [found for key, value in _items(shallow_tree) for found in _up_to(value, inside[key], path + (key,))]


def flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False, check_subtrees_length=True):
    """[(path, what is there)] for the places where `shallow_tree` ends."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites, check_subtrees_length)
    return _up_to(shallow_tree, input_tree)


def flatten_up_to(shallow_tree, input_tree, check_types=True, expand_composites=False, check_subtrees_length=True):
    """What is in `input_tree` where `shallow_tree` ends."""
    return [value for _, value in flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types, expand_composites,
                                                                 check_subtrees_length)]


def map_structure_with_tuple_paths_up_to(shallow_tree, func, *inputs, **kwargs):
    """A structure like `shallow_tree` of func(path, a, b, ...)."""
    if not inputs:
        raise ValueError('Cannot map over no sequences')
    flat = [flatten_with_tuple_paths_up_to(shallow_tree, tree, kwargs.get('check_types', True), False,
                                           kwargs.get('check_subtrees_length', True)) for tree in inputs]
    return pack_sequence_as(shallow_tree, [func(places[0][0], *[value for _, value in places]) for places in zip(*flat)])


def map_structure_up_to(shallow_tree, func, *inputs, **kwargs):
    """A structure like `shallow_tree` of func(a, b, ...)."""
    return map_structure_with_tuple_paths_up_to(shallow_tree, lambda _, *values: func(*values), *inputs, **kwargs)


def map_structure_with_tuple_paths(func, *structure, **kwargs):
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func, *structure, **kwargs):
    """The same with paths as strings: "a/0"."""
    return map_structure_with_tuple_paths(lambda path, *values: func('/'.join(map(str, path)), *values), *structure, **kwargs)


def flatten_with_tuple_paths(structure, expand_composites=False):
    return _up_to(structure, structure)


def yield_flat_paths(nest, expand_composites=False):
    """The paths of all values: tuples of keys and indices."""
    return (path for path, _ in _up_to(nest, nest))


def flatten_with_joined_string_paths(structure, separator='/', expand_composites=False):
    return [(separator.join(map(str, path)), value) for path, value in _up_to(structure, structure)]


def get_traverse_shallow_structure(traverse_fn, structure, expand_composites=False):
    """A structure of True and False as deep as traverse_fn says: it gives True, False, or a structure of these for one level."""
    go_on = traverse_fn(structure)
    if not is_nested(structure):
        if not isinstance(go_on, bool):
            raise TypeError('traverse_fn returned structure: %s for non-structure: %s' % (go_on, structure))
        return go_on
    if isinstance(go_on, bool):
        if not go_on:
            return False
        return _like(structure, [get_traverse_shallow_structure(traverse_fn, value) for _, value in _items(structure)])
    assert_shallow_structure(go_on, structure)
    inside = dict(_items(structure))
    return _like(structure, [get_traverse_shallow_structure(traverse_fn, inside[key]) if value else False for key, value in _items(go_on)])

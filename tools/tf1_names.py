#!/usr/bin/env python3
"""The public names of TensorFlow 1.15, and which of them Headrace has.

    TF1_PYTHON tools/tf1_names.py collect     # python/tests/golden/tf_names.json, with real TensorFlow 1.15
    python3 tools/tf1_names.py                # docs/tf1_names.md, with the Headrace on PYTHONPATH

TF1_PYTHON is the interpreter of an environment as tools/make_goldens.py describes it. Keras, estimators, `compat.v1` and `compat.v2` (which
are whole interfaces of their own), and contrib (which TensorFlow does not list as public) are left out.
"""
import json
import os
import sys
import types

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMES = os.path.join(ROOT, 'python', 'tests', 'golden', 'tf_names.json')
PAGE = os.path.join(ROOT, 'docs', 'tf1_names.md')
LEFT_OUT = ('keras', 'estimator', 'contrib', 'compat.v1', 'compat.v2')


def collect():
    """{module: sorted names in it that are not modules}"""
    import tensorflow as tf
    found = {}

    def walk(module, path):
        names = []
        for name in dir(module):
            full = (path + '.' + name).lstrip('.')
            if name.startswith('_') or full in LEFT_OUT:
                continue
            value = getattr(module, name)
            if isinstance(value, types.ModuleType):
                if '_api.v1' in value.__name__:
                    walk(value, full)
            else:
                names.append(name)
        if names:
            found[path] = sorted(names)
    walk(tf, '')
    return found


def has(tf, module, name):
    """Whether Headrace has tf.module.name."""
    from headrace.tf1 import _missing
    value = tf
    for part in (module.split('.') if module else []) + [name]:
        try:
            value = getattr(value, part)
        except (AttributeError, NotImplementedError):
            return False
    return not _missing.is_missing(value)


def page():
    """The text of docs/tf1_names.md."""
    import headrace.tf1 as tf
    with open(NAMES) as f:
        modules = json.load(f)
    del modules['raw_ops']  # has what the engine has
    answers = {module: [(name, has(tf, module, name)) for name in names] for module, names in sorted(modules.items())}
    count = lambda answer: (sum(yes for _, yes in answer), len(answer))  # noqa: E731
    total = count([item for answer in answers.values() for item in answer])
    lines = ['# Names of TensorFlow 1.15', '',
             'Which public names of TensorFlow 1.15 `headrace.tf1` has: %d of %d. Made by `tools/tf1_names.py`; a test keeps it true.' % total,
             'Keras, estimators and contrib are not counted here, nor is `tf.raw_ops`: it has every op of the engine.', '', '| module | here | of |', '| --- | --- | --- |']
    title = lambda module: ('tf.' + module).rstrip('.')  # noqa: E731
    lines += ['| `%s` | %d | %d |' % ((title(module),) + count(answer)) for module, answer in answers.items()]
    for module, answer in answers.items():
        lines += ['', '## ' + title(module), '', '| name | |', '| --- | --- |']
        lines += ['| `%s` | %s |' % (name, 'yes' if yes else 'no') for name, yes in answer]
    return '\n'.join(lines) + '\n'


def main():
    if sys.argv[1:] == ['collect']:
        with open(NAMES, 'w') as f:
            json.dump(collect(), f, indent=0, sort_keys=True)
            f.write('\n')
        return
    with open(PAGE, 'w') as f:
        f.write(page())


if __name__ == '__main__':
    main()

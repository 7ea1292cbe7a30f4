#!/usr/bin/env python
"""Makes python/tests/golden/tf1_spellings.json with the real TensorFlow 1.15: for each inner module (tensorflow.python.M) the names of
it that are public, and under which public names.

    tf1/bin/python tools/make_spellings_golden.py python/tests/golden/tf1_spellings.json

tf1 is an environment as tools/make_goldens.py describes it.
"""
import collections
import json
import os
import sys
import types
import warnings

warnings.filterwarnings('ignore')
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
os.environ['CUDA_VISIBLE_DEVICES'] = ''

import tensorflow as tf

# Namespaces that are reached through others, or that have surfaces of their own.
NOT_PUBLIC = ('python', 'core', 'contrib', 'tools', 'compat.v', 'examples', 'keras', 'estimator')
NOT_INNER = ('keras', 'eager', 'autograph', 'tpu', 'distribute', 'data.experimental', 'debug', 'feature_column', 'estimator', 'compiler',
             'profiler', '_', 'tools', 'ops.gen_', 'ops.ragged', 'ops.signal', 'ops.linalg', 'ops.distributions',
             'ops.parallel_for', 'pywrap_tensorflow_internal', 'platform.self_check', 'training.gen_training_ops', 'util.decorator_utils',
             'util.deprecation', 'util.tf_', 'compat.')
PLAIN = (int, float, str, bool, tuple, list, dict, type(None), bytes)


def public_names():
    """{id of an object: its public names}."""
    names, seen, kept = collections.defaultdict(set), set(), []

    def walk(module, prefix):
        if id(module) in seen:
            return
        seen.add(id(module))
        for name in dir(module):
            if name.startswith('_'):
                continue
            try:
                value = getattr(module, name)
            except Exception:
                continue
            full = prefix + name
            if isinstance(value, types.ModuleType):
                if 'tensorflow' in value.__name__ and not full.startswith(NOT_PUBLIC):
                    walk(value, full + '.')
            else:
                kept.append(value)
                names[id(value)].add(full)
    walk(tf, '')
    return names, kept


def main():
    public, _ = public_names()
    modules = {}
    for path, module in sorted(sys.modules.items()):
        if not path.startswith(('tensorflow.python.', 'tensorflow_core.python.')):
            continue
        short = path.split('.python.', 1)[1]
        if short.startswith(NOT_INNER) or short == 'saved_model.load':
            continue
        found = {}
        for name, value in vars(module).items():
            if name.startswith('_') or isinstance(value, (types.ModuleType,) + PLAIN) or name == 'google2_log_prefix':
                continue
            if id(value) in public and getattr(value, '__module__', '').endswith(short):
                found[name] = sorted(public[id(value)], key=lambda full: (full.count('.'), len(full), full))
        if found:
            modules[short] = found
    with open(sys.argv[1], 'w') as file:
        json.dump(modules, file, indent=0, sort_keys=True)
        file.write('\n')


if __name__ == '__main__':
    main()

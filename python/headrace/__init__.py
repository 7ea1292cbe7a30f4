"""Headrace: trains deep-learning models written as dataflow graphs.

    import headrace.tf1 as tf          # TensorFlow 1's Python interface on this engine
    headrace.devices()                 # what this machine has
    with headrace.Session(graph=graph) as session:
        session.placement(operation)   # "/job:localhost/replica:0/task:0/device:CPU:0"
        session.placement_report()     # a table: node, op, requested device, assigned device, why

Programs written for TensorFlow 1 run unmodified with `headrace run program.py`.
"""
import importlib

__version__ = '0.1.0'
__all__ = ['Session', 'devices', 'tf1', 'run', '__version__']

_LAZY = {'tf1': 'headrace.tf1', 'run': 'headrace.run'}  # modules that load when they are first used


def devices():
    """Devices of this machine, one dict each: name, device_type, memory_limit_bytes (0 = the machine's), description,
    used, and for those not used the reason. Opens nothing."""
    from headrace import _core
    return _core.list_devices()


def __getattr__(name):
    if name in _LAZY:
        return importlib.import_module(_LAZY[name])
    if name == 'Session':
        return importlib.import_module('headrace.tf1').Session
    raise AttributeError("module 'headrace' has no attribute %r" % name)

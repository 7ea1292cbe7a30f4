"""The updates of optimizers as ops: apply_adam, sparse_apply_ftrl and so on (tensorflow.python.training.training_ops)."""
from headrace import _core
from headrace.tf1.framework import gen


def __getattr__(name):
    for op in _core.op_names():
        if 'Apply' in op and gen.snake_case(op) == name:
            return gen.function(op)
    raise AttributeError(name)


def __dir__():
    return [gen.snake_case(op) for op in _core.op_names() if 'Apply' in op]

"""Models that start from the variables of an earlier one (tf.train.warm_start)."""
import collections

from headrace.tf1.framework import graph as graph_lib, variables
from headrace.tf1.framework.graph import GraphKeys
from headrace.tf1.train import checkpoint_utils

VocabInfo = collections.namedtuple('VocabInfo', [
    'new_vocab', 'new_vocab_size', 'num_oov_buckets', 'old_vocab', 'old_vocab_size', 'backup_initializer', 'axis'],
    defaults=(-1, None, 0))


def _name(var):
    first = var[0] if isinstance(var, list) else var
    info = first._save_slice_info
    return first.op.name if info is None else info.full_name


def _chosen(vars_to_warm_start):
    """Variables by name, those that are parts of one in a list."""
    if vars_to_warm_start is None or isinstance(vars_to_warm_start, str):
        found = graph_lib.get_collection(GraphKeys.TRAINABLE_VARIABLES, vars_to_warm_start)
    elif isinstance(vars_to_warm_start, list) and all(isinstance(v, str) for v in vars_to_warm_start):
        found = [v for pattern in vars_to_warm_start for v in graph_lib.get_collection(GraphKeys.GLOBAL_VARIABLES, pattern)]
    elif isinstance(vars_to_warm_start, list) and all(isinstance(v, variables.Variable) for v in vars_to_warm_start):
        found = vars_to_warm_start
    else:
        raise ValueError('If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are %s' % (
            [type(v) for v in vars_to_warm_start] if isinstance(vars_to_warm_start, list) else type(vars_to_warm_start)))
    by_name = {}
    for var in found:
        if var._save_slice_info is None:
            by_name[var.op.name] = var
        else:
            by_name.setdefault(_name(var), []).append(var)
    return by_name


def warm_start(ckpt_to_initialize_from, vars_to_warm_start='.*', var_name_to_vocab_info=None, var_name_to_prev_var_name=None):
    """Variables get their initial values from a checkpoint.

    vars_to_warm_start: a regular expression for names of trainable variables, a list of those for all variables, or a list of variables.
    var_name_to_prev_var_name: names in the checkpoint where they differ. Errors: ValueError for what is not in the checkpoint.
    """
    if var_name_to_vocab_info:
        raise NotImplementedError('tf.train.warm_start does not move rows between vocabularies yet: start from the same vocabulary')
    from headrace.tf1 import logging
    previous = var_name_to_prev_var_name or {}
    by_name = _chosen(vars_to_warm_start)
    for name, var in sorted(by_name.items()):
        logging.info('Warm-starting variable: %s; prev_var_name: %s', name, previous.get(name, 'Unchanged'))
        checkpoint_utils.init_from_checkpoint(ckpt_to_initialize_from, {previous.get(name, name): var})
    unused = set(previous) - set(by_name)
    if unused:
        raise ValueError('You provided the following variables in var_name_to_prev_var_name that were not used: %s.  Perhaps you misspelled '
                         'them?  Here is the list of viable variable names: %s' % (sorted(unused), sorted(by_name)))

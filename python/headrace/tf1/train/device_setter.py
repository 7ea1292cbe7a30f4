"""Variables to parameter servers, the rest to the worker (tf.train.replica_device_setter)."""
from headrace.tf1.framework import device as device_lib
from headrace.tf1.train import server_lib

STANDARD_PS_OPS = ('Variable', 'VariableV2', 'AutoReloadVariable', 'MutableHashTable', 'MutableHashTableV2', 'MutableHashTableOfTensors',
                   'MutableHashTableOfTensorsV2', 'MutableDenseHashTable', 'MutableDenseHashTableV2', 'VarHandleOp',
                   'BoostedTreesEnsembleResourceHandleOp', 'BoostedTreesQuantileStreamResourceHandleOp', 'ResourceConditionalAccumulator')


def _round_robin(num_tasks):
    turn = [0]

    def choose(unused_op):
        task = turn[0]
        turn[0] = (task + 1) % num_tasks
        return task
    return choose


def replica_device_setter(ps_tasks=0, ps_device='/job:ps', worker_device='/job:worker', merge_devices=True, cluster=None, ps_ops=None,
                          ps_strategy=None):
    """A function for tf.device: variables go to the tasks of `ps_device` by turns (or as `ps_strategy(op)` says), the rest to
    `worker_device`. None when there are no parameter servers."""
    if cluster is not None:
        jobs = server_lib.ClusterSpec(cluster).as_dict()
        job = device_lib.DeviceSpec.from_string(ps_device).job
        if jobs.get(job) is None:
            return None
        ps_tasks = len(jobs[job])
    if ps_tasks == 0:
        return None
    if not merge_devices:
        from headrace.tf1 import logging
        logging.warning('DEPRECATION: It is recommended to set merge_devices=true in replica_device_setter')
    on_ps = frozenset(STANDARD_PS_OPS if ps_ops is None else ps_ops)
    strategy = _round_robin(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(strategy):
        raise TypeError('ps_strategy must be callable')

    def device_function(op):
        if not merge_devices and op.device:
            return op.device
        current = device_lib.DeviceSpec.from_string(op.device or '')
        op_type = op.op if hasattr(op, 'attr') else op.type
        if ps_device and op_type in on_ps:
            wanted = device_lib.DeviceSpec.from_string(ps_device)
            if wanted.job and current.job in (None, wanted.job):
                wanted = wanted.replace(task=strategy(op))
        else:
            wanted = device_lib.DeviceSpec.from_string(worker_device or '')
        return wanted.make_merged_spec(current).to_string()
    return device_function

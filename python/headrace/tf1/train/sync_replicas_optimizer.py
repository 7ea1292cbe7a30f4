"""Synchronous training: the gradients of several workers are averaged before they are applied (tf.train.SyncReplicasOptimizer)."""
from headrace.tf1.framework import accumulators, array, control, dtypes, graph as graph_lib, queues, variables
from headrace.tf1.framework.graph import GraphKeys, IndexedSlices, Tensor, name_scope
from headrace.tf1.train import optimizer, queue_runner, session_manager, session_run_hook


class SyncReplicasOptimizer(optimizer.Optimizer):
    """Applies the mean of `replicas_to_aggregate` gradients at once, by way of the optimizer `opt`.

    A worker's step adds its gradients to accumulators and waits for a token. The chief's queue runner takes the means, applies them,
    and hands out a token, the new global step, for each replica; a gradient that was computed from older values is dropped. With more
    replicas than replicas_to_aggregate the slowest are backups.
    """

    def __init__(self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None, variables_to_average=None,
                 use_locking=False, name='sync_replicas'):
        super(SyncReplicasOptimizer, self).__init__(use_locking, name)
        total = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        from headrace.tf1 import logging
        logging.info('SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s', replicas_to_aggregate, total)
        self._opt = opt
        self._replicas_to_aggregate, self._total_num_replicas = replicas_to_aggregate, total
        self._variable_averages, self._variables_to_average = variable_averages, variables_to_average
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._gradients_applied = False
        self._global_step = self._sync_token_queue = self._chief_queue_runner = None
        self._accumulator_list = []

    def compute_gradients(self, *args, **kwargs):
        """Those of the optimizer."""
        return self._opt.compute_gradients(*args, **kwargs)

    def get_slot(self, *args, **kwargs):
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        return self._opt.variables()

    def _aggregate(self, grad, var):
        """(operation that adds the worker's gradient, the mean of all workers')."""
        shared_name = var.name + '/grad_accum'
        if isinstance(grad, Tensor):
            accumulator = accumulators.ConditionalAccumulator(grad.dtype, shape=var.shape, shared_name=shared_name)
            apply, take = accumulator.apply_grad, accumulator.take_grad
        elif isinstance(grad, IndexedSlices):
            accumulator = accumulators.SparseConditionalAccumulator(grad.dtype, shape=(), shared_name=shared_name)
            apply, take = accumulator.apply_indexed_slices_grad, accumulator.take_indexed_slices_grad
        else:
            raise ValueError('Unknown grad type!')
        applied, mean = apply(grad, local_step=self._local_step), take(self._replicas_to_aggregate)
        self._accumulator_list.append((accumulator, var.device))
        return applied, mean

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """A worker's step: adds its gradients and waits until they, with those of others, are applied."""
        if not grads_and_vars:
            raise ValueError('Must supply at least one variable')
        if global_step is None:
            raise ValueError('Global step is required to check staleness')
        self._global_step = global_step
        # On this worker, not with the variables that it shares.
        anchor = control.no_op()
        with graph_lib.colocate_with(anchor):
            self._local_step = variables.Variable(0, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
                                                  dtype=global_step.dtype.base_dtype, name='sync_rep_local_step')
        self.local_step_init_op = variables.assign(self._local_step, global_step)
        self.ready_for_local_init_op = variables.report_uninitialized_variables(variables.global_variables())
        on_global_step = global_step.device
        with name_scope(None, self._name):
            applied, means = [], []
            for grad, var in grads_and_vars:
                with graph_lib.device(var.device):
                    if grad is None:
                        means.append((None, var))
                        continue
                    add, mean = self._aggregate(grad, var)
                    applied.append(add)
                    means.append((mean, var))
            with graph_lib.device(on_global_step), name_scope(''):
                update = self._opt.apply_gradients(means, global_step)
            with graph_lib.device(on_global_step), name_scope(''):
                self._sync_token_queue = queues.FIFOQueue(-1, global_step.dtype.base_dtype, shapes=(), name='sync_token_q',
                                                          shared_name='sync_token_q')
                # What the queue runner closes when it ends: the tokens' queue outlives it.
                dummy = queues.FIFOQueue(1, dtypes.int32, shapes=(), name='dummy_queue', shared_name='dummy_queue')
            with graph_lib.device(on_global_step), name_scope(''):
                with graph_lib.control_dependencies(applied):
                    token = self._sync_token_queue.dequeue()
                train_op = variables.assign(self._local_step, token)
                with graph_lib.control_dependencies([update]):
                    tokens = array.fill([self._tokens_per_step], global_step)
                    sync = self._sync_token_queue.enqueue_many((tokens,))
                if self._variable_averages is not None:
                    with graph_lib.control_dependencies([sync]), name_scope(''):
                        sync = self._variable_averages.apply(self._variables_to_average)
                self._chief_queue_runner = queue_runner.QueueRunner(dummy, [sync])
            init = [self.local_step_init_op]
            for accumulator, device in self._accumulator_list:
                with graph_lib.device(device):
                    init.append(accumulator.set_global_step(global_step, name='SetGlobalStep'))
            self.chief_init_op = control.group(*init)
            self._gradients_applied = True
            return train_op

    def get_chief_queue_runner(self):
        """The queue runner that applies the means, for the chief to start. ValueError before apply_gradients."""
        if not self._gradients_applied:
            raise ValueError('Should be called after apply_gradients().')
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens=-1):
        """The operation that hands out the tokens of the first step, for the chief to run. ValueError for too few of them."""
        if not self._gradients_applied:
            raise ValueError('get_init_tokens_op() should be called after apply_gradients().')
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError('Too few tokens to finish the first step: %d (given) vs %d (needed)' % (num_tokens, needed))
        if num_tokens <= 0:
            return control.no_op(name='no_init_tokens')
        with graph_lib.device(self._global_step.device), name_scope(''):
            tokens = array.fill([num_tokens], self._global_step)
            return self._sync_token_queue.enqueue_many((tokens,))

    def make_session_run_hook(self, is_chief, num_tokens=-1):
        """The hook with which a MonitoredSession starts all of this."""
        return _SyncReplicasOptimizerHook(self, is_chief, num_tokens)


class _SyncReplicasOptimizerHook(session_run_hook.SessionRunHook):
    def __init__(self, sync_optimizer, is_chief, num_tokens):
        self._sync_optimizer, self._is_chief, self._num_tokens = sync_optimizer, is_chief, num_tokens

    def begin(self):
        if not self._sync_optimizer._gradients_applied:
            raise ValueError('SyncReplicasOptimizer.apply_gradient should be called before using the hook.')
        self._ready_for_local_init_op = self._sync_optimizer.ready_for_local_init_op
        if self._is_chief:
            self._local_init_op = self._sync_optimizer.chief_init_op
            self._q_runner = self._sync_optimizer.get_chief_queue_runner()
            self._init_tokens_op = self._sync_optimizer.get_init_tokens_op(self._num_tokens)
        else:
            self._local_init_op = self._sync_optimizer.local_step_init_op
            self._q_runner = self._init_tokens_op = None

    def after_create_session(self, session, coord):
        ready, message = session_manager._ready(self._ready_for_local_init_op, session,
                                                'Model is not ready for SyncReplicasOptimizer local init.')
        if not ready:
            raise RuntimeError('Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: %s, error: %s' % (
                self._local_init_op.name, message))
        session.run(self._local_init_op)
        if self._init_tokens_op is not None:
            session.run(self._init_tokens_op)
        if self._q_runner is not None:
            self._q_runner.create_threads(session, coord=coord, daemon=True, start=True)

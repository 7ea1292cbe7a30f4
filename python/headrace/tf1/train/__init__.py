"""tf.train: optimizers, schedules, checkpoints, sessions that train."""
import importlib
import sys

_EXPORTS = {
    'optimizer': 'Optimizer',
    'sync_replicas_optimizer': 'SyncReplicasOptimizer',
    'optimizers': '''AdadeltaOptimizer AdagradDAOptimizer AdagradOptimizer AdamOptimizer FtrlOptimizer GradientDescentOptimizer
        MomentumOptimizer ProximalAdagradOptimizer ProximalGradientDescentOptimizer RMSPropOptimizer''',
    'learning_rate_decay': '''cosine_decay cosine_decay_restarts exponential_decay inverse_time_decay linear_cosine_decay natural_exp_decay
        noisy_linear_cosine_decay piecewise_constant piecewise_constant_decay polynomial_decay''',
    'moving_averages': 'ExponentialMovingAverage',
    'training_util': 'assert_global_step create_global_step get_global_step get_or_create_global_step global_step',
    'saver': 'Saver',
    'checkpoint_management': '''checkpoint_exists generate_checkpoint_state_proto get_checkpoint_mtimes get_checkpoint_state
        latest_checkpoint remove_checkpoint update_checkpoint_state''',
    'checkpoint_utils': 'NewCheckpointReader checkpoints_iterator init_from_checkpoint list_variables load_checkpoint load_variable',
    'warm_starting_util': 'VocabInfo warm_start',
    'coordinator': 'Coordinator LooperThread',
    'basic_loops': 'basic_train_loop',
    'input': '''batch batch_join input_producer limit_epochs match_filenames_once maybe_batch maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join
        range_input_producer shuffle_batch shuffle_batch_join slice_input_producer string_input_producer''',
    'queue_runner': 'QueueRunner add_queue_runner start_queue_runners',
    'session_run_hook': 'SessionRunArgs SessionRunContext SessionRunHook SessionRunValues',
    'basic_session_run_hooks': '''CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook GlobalStepWaiterHook LoggingTensorHook
        NanLossDuringTrainingError NanTensorHook ProfilerHook SecondOrStepTimer StepCounterHook StopAtStepHook SummarySaverHook''',
    'session_manager': 'SessionManager',
    'monitored_session': '''ChiefSessionCreator MonitoredSession MonitoredTrainingSession Scaffold SessionCreator SingularMonitoredSession
        WorkerSessionCreator''',
    'supervisor': 'Supervisor',
    'server_lib': 'ClusterSpec Server',
    'device_setter': 'replica_device_setter',
}
_WHERE = {name: 'headrace.tf1.train.' + module for module, names in _EXPORTS.items() for name in names.split()}
_WHERE.update(dict.fromkeys(('export_meta_graph', 'import_meta_graph', 'write_graph'), 'headrace.tf1.framework.importer'),
              summary_iterator='headrace.tf1.summary.writer')
_MESSAGES = frozenset('''BytesList CheckpointState ClusterDef Example Feature FeatureList FeatureLists Features FloatList Int64List JobDef
    SaverDef SequenceExample ServerDef'''.split())
_MODULES = frozenset(['queue_runner'])  # public ones; the others load, too


def __getattr__(name):
    if name in _WHERE:
        found = getattr(importlib.import_module(_WHERE[name]), name)
    elif name in _MESSAGES:
        from headrace.tf1.framework import protos
        found = protos.message(name)
    elif name.startswith('__'):
        raise AttributeError(name)
    else:
        try:
            return importlib.import_module('headrace.tf1.train.' + name)
        except ModuleNotFoundError as e:
            if e.name != 'headrace.tf1.train.' + name:
                raise
        raise AttributeError("module 'tf.train' has no attribute %r" % name)
    setattr(sys.modules[__name__], name, found)
    return found


def __dir__():
    return sorted(set(_WHERE) | _MESSAGES | _MODULES)

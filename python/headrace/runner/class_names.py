"""Classes say that they are of TensorFlow's modules, so that `print(type(x))`, `print(session)` and the last line of a traceback are what
they were: <class 'tensorflow.python.framework.ops.Tensor'>. Only in a program that is run; those modules can be imported there, so that
pickled objects find their classes."""
import importlib.machinery
import sys

_SURFACE = 'headrace.tf1'

# Module under tensorflow.python -> classes; found by asking TensorFlow 1.15 for the module of each public class.
_CLASSES = {
    'client.session': 'InteractiveSession Session',
    'framework.dtypes': 'DType',
    'framework.errors_impl': '''AbortedError AlreadyExistsError CancelledError DataLossError DeadlineExceededError FailedPreconditionError
        InternalError InvalidArgumentError NotFoundError OpError OperatorNotAllowedInGraphError OutOfRangeError PermissionDeniedError
        ResourceExhaustedError UnauthenticatedError UnavailableError UnimplementedError UnknownError''',
    'framework.indexed_slices': 'IndexedSlices',
    'framework.ops': 'Graph GraphKeys Operation Tensor name_scope',
    'framework.sparse_tensor': 'SparseTensor SparseTensorValue',
    'framework.tensor_shape': 'Dimension TensorShape',
    'layers.base': 'Layer',
    'layers.convolutional': 'Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose SeparableConv1D SeparableConv2D',
    'layers.core': 'Dense Dropout Flatten',
    'layers.normalization': 'BatchNormalization',
    'layers.pooling': 'AveragePooling1D AveragePooling2D AveragePooling3D MaxPooling1D MaxPooling2D MaxPooling3D',
    'ops.distributions.bernoulli': 'Bernoulli',
    'ops.distributions.categorical': 'Categorical',
    'ops.distributions.distribution': 'Distribution',
    'ops.distributions.normal': 'Normal',
    'ops.distributions.uniform': 'Uniform',
    'ops.init_ops': '''Constant GlorotNormal GlorotUniform Identity Ones Orthogonal RandomNormal RandomUniform TruncatedNormal
        UniformUnitScaling VarianceScaling Zeros''',
    'ops.io_ops': 'FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader WholeFileReader',
    'ops.lookup_ops': '''DenseHashTable IdTableWithHashBuckets KeyValueTensorInitializer MutableHashTable StaticHashTable
        StaticVocabularyTable TextFileInitializer''',
    'ops.parsing_ops': 'FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature',
    'ops.variable_scope': 'VariableScope variable_scope',
    'ops.variables': 'Variable PartitionedVariable',
    'platform.gfile': 'FastGFile GFile',
    'lib.io.tf_record': 'TFRecordCompressionType TFRecordOptions TFRecordWriter',
    'saved_model.builder_impl': 'SavedModelBuilder',
    'summary.writer.writer': 'FileWriter',
    'summary.writer.writer_cache': 'FileWriterCache',
    'training.adadelta': 'AdadeltaOptimizer',
    'training.adagrad': 'AdagradOptimizer',
    'training.adagrad_da': 'AdagradDAOptimizer',
    'training.adam': 'AdamOptimizer',
    'training.basic_session_run_hooks': '''CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook GlobalStepWaiterHook
        LoggingTensorHook NanLossDuringTrainingError NanTensorHook ProfilerHook SecondOrStepTimer StepCounterHook StopAtStepHook
        SummarySaverHook''',
    'training.coordinator': 'Coordinator LooperThread',
    'training.ftrl': 'FtrlOptimizer',
    'training.gradient_descent': 'GradientDescentOptimizer',
    'training.momentum': 'MomentumOptimizer',
    'training.monitored_session': 'ChiefSessionCreator MonitoredSession Scaffold SessionCreator SingularMonitoredSession WorkerSessionCreator',
    'training.moving_averages': 'ExponentialMovingAverage',
    'training.optimizer': 'Optimizer',
    'training.proximal_adagrad': 'ProximalAdagradOptimizer',
    'training.proximal_gradient_descent': 'ProximalGradientDescentOptimizer',
    'training.queue_runner_impl': 'QueueRunner',
    'training.rmsprop': 'RMSPropOptimizer',
    'training.saver': 'Saver',
    'training.server_lib': 'ClusterSpec Server',
    'training.session_manager': 'SessionManager',
    'training.session_run_hook': 'SessionRunArgs SessionRunContext SessionRunHook SessionRunValues',
    'training.supervisor': 'Supervisor',
}
_MODULE_OF = {name: 'tensorflow.python.' + module for module, names in _CLASSES.items() for name in names.split()}
# What `type(v)` prints where TensorFlow's class has another name.
_RENAMED = {'Variable': 'RefVariable'}


def rename(module):
    """Gives the classes that `module` defines the modules of TensorFlow's."""
    if module.__name__.startswith(_SURFACE + '.contrib.slim.'):  # has a Tensor and a SparseTensor of its own
        return
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and value.__module__ == module.__name__ and name in _MODULE_OF:
            value.__module__ = _MODULE_OF[name]
            value.__qualname__ = _RENAMED.get(name, name)


class _Finder(object):
    """Finds what Python finds, and renames classes when a module of the surface is loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """A spec for modules of headrace.tf1, else None."""
        if not name.startswith(_SURFACE + '.'):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        """As Python does, and then the names."""
        super(_Loader, self).exec_module(module)
        rename(module)


def install():
    """Renames what is loaded, and the rest when it is imported."""
    if not any(finder is _Finder for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder)
    for name, module in list(sys.modules.items()):
        if name.startswith(_SURFACE + '.') and module is not None:
            rename(module)

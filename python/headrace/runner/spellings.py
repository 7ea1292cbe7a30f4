"""Where the names of TensorFlow's inner modules are in its public interface.

`tensorflow.python.ops.math_ops` has what `tf` and `tf.math` have; '' is `tf` itself. The first of a row that has a name gives it.
The rows were found by walking TensorFlow 1.15 (tests/golden/tf1_spellings.json holds what they must give).
"""

# Modules under tensorflow.python.
PYTHON = {
    'client.session': ('',),
    'client.device_lib': (),
    'client.timeline': (),
    'data.ops.dataset_ops': ('data', 'data.experimental'),
    'data.ops.iterator_ops': ('data', 'data.experimental'),
    'data.ops.readers': ('data', 'data.experimental'),
    'data.ops.optional_ops': ('', 'data.experimental'),
    'data.util.nest': ('nest', 'contrib.framework.nest'),
    'framework.config': ('config', 'config.experimental', 'config.threading'),
    'framework.errors': ('errors',),
    'framework.errors_impl': ('errors',),
    'framework.graph_io': ('io', 'train'),
    'framework.importer': ('framework.importer', ''),
    'framework.meta_graph': ('framework.importer', 'train'),
    'framework.graph_util': ('graph_util',),
    'framework.graph_util_impl': ('graph_util',),
    'framework.tensor_shape': ('framework.shapes', ''),
    'framework.test_util': ('test',),
    'layers': ('layers', 'layers.experimental'),
    'layers.utils': ('contrib.layers.utils', 'contrib.framework'),
    'lib.io.file_io': ('gfile', 'io.gfile'),
    'lib.io.tf_record': ('python_io', 'io'),
    'lib.io.python_io': ('python_io', 'io'),
    'ops.array_ops': ('', 'quantization', 'image'),
    'ops.candidate_sampling_ops': ('nn', 'random'),
    'ops.check_ops': ('', 'debugging'),
    'ops.control_flow_ops': ('framework.control', ''),
    'ops.control_flow_v2_toggles': ('', 'experimental'),
    'ops.ctc_ops': ('nn',),
    'ops.data_flow_ops': ('framework.staging', 'framework.queues', 'framework.accumulators', ''),
    'ops.distributions': ('distributions', 'contrib.distributions'),
    'ops.embedding_ops': ('nn',),
    'ops.gradient_checker': ('test',),
    'ops.image_ops': ('image',),
    'ops.image_ops_impl': ('image',),
    'ops.init_ops': ('', 'initializers', 'keras.initializers'),
    'ops.io_ops': ('', 'io'),
    'ops.linalg_ops': ('linalg', ''),
    'ops.lookup_ops': ('lookup', '', 'contrib.lookup', 'lookup.experimental'),
    'ops.losses': ('losses',),
    'ops.math_ops': ('', 'math', 'linalg'),
    'ops.metrics': ('metrics',),
    'ops.metrics_impl': ('metrics',),
    'ops.nn': ('nn',),
    'ops.nn_impl': ('nn', 'linalg'),
    'ops.nn_ops': ('nn',),
    'ops.parsing_ops': ('io', ''),
    'ops.random_ops': ('', 'random'),
    'ops.rnn': ('nn', 'contrib.rnn'),
    'ops.rnn_cell': ('nn.rnn_cell', 'contrib.rnn'),
    'ops.rnn_cell_impl': ('nn.rnn_cell', 'contrib.rnn'),
    'ops.seq2seq': ('contrib.legacy_seq2seq',),
    'ops.sets_impl': ('sets',),
    'ops.sparse_ops': ('', 'sparse'),
    'ops.special_math_ops': ('math', ''),
    'ops.standard_ops': ('',),
    'ops.stateful_random_ops': ('random.experimental',),
    'ops.stateless_random_ops': ('random',),
    'ops.resources': ('framework.resources',),
    'ops.resource_variable_ops': ('framework.resource_variable', ''),
    'ops.string_ops': ('strings', ''),
    'ops.summary_ops': ('summary', ''),
    'ops.summary_ops_v2': ('summary',),
    'platform.app': ('app',),
    'platform.benchmark': ('test',),
    'platform.flags': ('flags',),
    'platform.gfile': ('gfile',),
    'platform.googletest': ('test',),
    'platform.resource_loader': ('resource_loader',),
    'platform.sysconfig': ('sysconfig',),
    'platform.test': ('test',),
    'platform.tf_logging': ('logging', ''),
    'pywrap_tensorflow': ('train', 'errors', ''),
    'saved_model': ('saved_model',),
    'saved_model.builder': ('saved_model.builder', 'saved_model'),
    'saved_model.builder_impl': ('saved_model.builder', 'saved_model'),
    'saved_model.constants': ('saved_model.constants', 'saved_model'),
    'saved_model.loader': ('saved_model.loader', 'saved_model'),
    'saved_model.loader_impl': ('saved_model.loader', 'saved_model'),
    'saved_model.main_op': ('saved_model.main_op',),
    'saved_model.main_op_impl': ('saved_model.main_op',),
    'saved_model.signature_constants': ('saved_model.signature_constants',),
    'saved_model.signature_def_utils': ('saved_model.signature_def_utils', 'saved_model'),
    'saved_model.signature_def_utils_impl': ('saved_model.signature_def_utils', 'saved_model'),
    'saved_model.simple_save': ('saved_model',),
    'saved_model.tag_constants': ('saved_model.tag_constants',),
    'saved_model.utils': ('saved_model.utils', 'saved_model'),
    'saved_model.utils_impl': ('saved_model.utils', 'saved_model'),
    'summary': ('summary',),
    'summary.writer': ('summary.writer', 'summary'),
    'summary.writer.writer': ('summary.writer', 'summary'),
    'summary.writer.writer_cache': ('summary.writer', 'summary'),
    'summary.summary_iterator': ('train',),
    'tools.freeze_graph': ('python.tools.freeze_graph',),
    'training': ('train', ''),
    'training.basic_session_run_hooks': ('train.basic_session_run_hooks', 'train', ''),
    'training.checkpoint_management': ('train.checkpoint_management', 'train', ''),
    'training.checkpoint_utils': ('train.checkpoint_utils', 'train', ''),
    'training.coordinator': ('train.coordinator', 'train', ''),
    'training.device_setter': ('train.device_setter', 'train', ''),
    'training.learning_rate_decay': ('train.learning_rate_decay', 'train', ''),
    'training.monitored_session': ('train.monitored_session', 'train', ''),
    'training.moving_averages': ('train.moving_averages', 'train', ''),
    'training.optimizer': ('train.optimizer', 'train', ''),
    'training.saver': ('train.saver', 'train', ''),
    'training.server_lib': ('train.server_lib', 'train', ''),
    'training.session_manager': ('train.session_manager', 'train', ''),
    'training.session_run_hook': ('train.session_run_hook', 'train', ''),
    'training.slot_creator': ('train.slot_creator', 'train', ''),
    'training.supervisor': ('train.supervisor', 'train', ''),
    'training.training_ops': ('train.training_ops', 'train', ''),
    'training.training_util': ('train.training_util', 'train', ''),
    'training.queue_runner_impl': ('train.queue_runner', 'train'),
    'training.saving.saveable_object': ('train.saveable',),
    'training.saving.saveable_object_util': ('train.saveable',),
    'training.experimental': ('train.experimental',),
    'training.tracking': ('train.experimental', 'train'),
    'user_ops': ('user_ops', ''),
    'util.compat': ('compat',),
    'util.deprecation': ('contrib.framework',),
    'util.nest': ('nest', 'contrib.framework.nest'),
    'util.tf_contextlib': ('framework.decorators',),
    'util.tf_decorator': ('framework.decorators',),
}

# For modules that are not in PYTHON, and names that its rows do not give: by their first folder.
FOLDERS = {
    'client': ('',), 'data': ('data',), 'eager': ('', 'contrib.eager'), 'estimator': ('estimator',), 'feature_column': ('feature_column',),
    'framework': ('', 'errors', 'graph_util'), 'keras': ('keras',), 'layers': ('layers',), 'lib': ('gfile', 'python_io'),
    'ops': ('', 'nn', 'math', 'random', 'linalg', 'image', 'losses', 'metrics'), 'platform': ('test', 'gfile', 'flags', 'app', 'logging'),
    'saved_model': ('saved_model',), 'summary': ('summary',), 'training': ('train', ''), 'util': ('compat', 'nest', '')}

# Parts of tensorflow.python that are cut as the public interface is.
_LIKE_PUBLIC = frozenset(['keras', 'estimator', 'feature_column', 'compat', 'distribute'])

# Modules that hold nothing but modules.
_FOLDERS_IN_FOLDERS = frozenset(['data.ops', 'data.util', 'data.experimental', 'data.kernel_tests', 'lib.io', 'training.tracking'])

# Inner names that are no public name of any row: module -> {inner name: public name}.
RENAMED = {
    'data.ops.dataset_ops': {'get_legacy_output_%s' % name: 'data.get_output_%s' % name for name in ('classes', 'shapes', 'types')},
    'framework.config': {'get_optimizer_jit': 'config.optimizer.get_jit', 'set_optimizer_jit': 'config.optimizer.set_jit',
                         'get_optimizer_experimental_options': 'config.optimizer.get_experimental_options',
                         'set_optimizer_experimental_options': 'config.optimizer.set_experimental_options'},
    'framework.tensor_util': {'MakeNdarray': 'make_ndarray', 'constant_value': 'get_static_value'},
    'framework.test_util': {'TensorFlowTestCase': 'test.TestCase'},
    'layers.convolutional': {
        'Convolution1D': 'layers.Conv1D', 'Convolution2D': 'layers.Conv2D', 'Convolution3D': 'layers.Conv3D',
        'Convolution2DTranspose': 'layers.Conv2DTranspose', 'Convolution3DTranspose': 'layers.Conv3DTranspose',
        'Deconvolution2D': 'layers.Conv2DTranspose', 'Deconv2D': 'layers.Conv2DTranspose', 'Deconvolution3D': 'layers.Conv3DTranspose',
        'Deconv3D': 'layers.Conv3DTranspose', 'SeparableConvolution1D': 'layers.SeparableConv1D',
        'SeparableConvolution2D': 'layers.SeparableConv2D', 'convolution1d': 'layers.conv1d', 'convolution2d': 'layers.conv2d',
        'convolution3d': 'layers.conv3d', 'convolution2d_transpose': 'layers.conv2d_transpose',
        'convolution3d_transpose': 'layers.conv3d_transpose', 'deconvolution2d': 'layers.conv2d_transpose',
        'deconv2d': 'layers.conv2d_transpose', 'deconvolution3d': 'layers.conv3d_transpose', 'deconv3d': 'layers.conv3d_transpose',
        'separable_convolution2d': 'layers.separable_conv2d'},
    'layers.core': {'FullyConnected': 'layers.Dense', 'fully_connected': 'layers.dense'},
    'layers.normalization': {'BatchNorm': 'layers.BatchNormalization', 'batch_norm': 'layers.batch_normalization'},
    'layers.pooling': {'AvgPool2D': 'layers.AveragePooling2D', 'MaxPool2D': 'layers.MaxPooling2D', 'max_pool2d': 'layers.max_pooling2d',
                       'avg_pool2d': 'layers.average_pooling2d'},
    'lib.io.file_io': {
        'FileIO': 'gfile.GFile', 'copy': 'gfile.Copy', 'copy_v2': 'io.gfile.copy', 'create_dir': 'gfile.MkDir',
        'create_dir_v2': 'io.gfile.mkdir', 'delete_file': 'gfile.Remove', 'delete_file_v2': 'io.gfile.remove',
        'delete_recursively': 'gfile.DeleteRecursively', 'delete_recursively_v2': 'io.gfile.rmtree', 'file_exists': 'gfile.Exists',
        'file_exists_v2': 'io.gfile.exists', 'get_matching_files': 'gfile.Glob', 'get_matching_files_v2': 'io.gfile.glob',
        'is_directory': 'gfile.IsDirectory', 'is_directory_v2': 'io.gfile.isdir', 'list_directory': 'gfile.ListDirectory',
        'list_directory_v2': 'io.gfile.listdir', 'recursive_create_dir': 'gfile.MakeDirs', 'recursive_create_dir_v2': 'io.gfile.makedirs',
        'rename': 'gfile.Rename', 'rename_v2': 'io.gfile.rename', 'stat': 'gfile.Stat', 'stat_v2': 'io.gfile.stat',
        'walk': 'gfile.Walk', 'walk_v2': 'io.gfile.walk'},
    'ops.array_ops': {'extract_image_patches_v2': 'image.extract_patches'},
    'ops.batch_ops': {'batch_function': 'nondifferentiable_batch_function'},
    'ops.image_ops_impl': {'non_max_suppression_with_overlaps': 'image.non_max_suppression_overlaps'},
    'ops.init_ops': {
        'Zeros': 'zeros_initializer', 'Ones': 'ones_initializer', 'Constant': 'constant_initializer',
        'RandomUniform': 'random_uniform_initializer', 'RandomNormal': 'random_normal_initializer',
        'TruncatedNormal': 'truncated_normal_initializer', 'UniformUnitScaling': 'uniform_unit_scaling_initializer',
        'VarianceScaling': 'variance_scaling_initializer', 'Orthogonal': 'orthogonal_initializer', 'Identity': 'initializers.identity',
        'identity_initializer': 'initializers.identity', 'GlorotUniform': 'glorot_uniform_initializer', 'GlorotNormal': 'glorot_normal_initializer'},
    'ops.logging_ops': {'print_v2': 'print'},
    'ops.nn_ops': {'softmax_cross_entropy_with_logits_v2_helper': 'nn.softmax_cross_entropy_with_logits_v2'},
    'ops.script_ops': {'eager_py_func': 'py_function'},
    'ops.stateless_random_ops': {'stateless_random_uniform': 'random.stateless_uniform', 'stateless_random_normal': 'random.stateless_normal'},
    'ops.sparse_ops': {'sparse_%s' % name: 'sparse.%s' % name for name in ('cross', 'cross_hashed', 'expand_dims', 'eye')},
    'ops.string_ops': {'substr_deprecated': 'substr', 'string_length': 'strings.length', 'string_format': 'strings.format'},
    'ops.variables': {'RefVariable': 'Variable'},
    'platform.benchmark': {'TensorFlowBenchmark': 'test.Benchmark'},
}

# Modules of contrib and of the examples that are elsewhere: what stands before `python` gives the rest by rule
# (tensorflow.contrib.layers.python.layers.layers is tf.contrib.layers).
OTHER = {
    'contrib.learn.python.learn.datasets.mnist': ('examples.tutorials.mnist.input_data',),
    'contrib.learn.datasets.mnist': ('examples.tutorials.mnist.input_data',),
    'contrib.learn.python.learn.datasets.base': ('contrib.learn.datasets.base',),
    'contrib.learn.python.learn.datasets': ('contrib.learn.datasets',),
    'contrib.learn.python.learn.preprocessing': ('contrib.learn.preprocessing',),
    'contrib.learn.python.learn.preprocessing.text': ('contrib.learn.preprocessing',),
    'contrib.learn.python.learn.preprocessing.categorical_vocabulary': ('contrib.learn.preprocessing',),
    'contrib.framework.python.ops.audio_ops': ('contrib.framework.audio_ops', 'audio', 'raw_ops'),
    'contrib.tensorboard.plugins.projector.projector_config_pb2': ('contrib.tensorboard.plugins.projector',),
    'contrib.rnn.python.ops.core_rnn_cell': ('contrib.rnn', 'nn.rnn_cell'),
    'contrib.rnn.python.ops.rnn_cell': ('contrib.rnn', 'nn.rnn_cell'),
    'contrib.keras': ('keras',),
}


def public_names(name, attribute):
    """The public names under which an inner module's attribute may be, the most likely first."""
    namespaces, renamed = rows(name) or ((name,), {})
    if attribute in renamed:
        return [renamed[attribute]]
    names = ['%s.%s' % (space, attribute) if space else attribute for space in namespaces]
    # reduce_sum_v1, DatasetV1: what is public without the ending.
    for ending in ('_v1', 'V1'):
        if attribute.endswith(ending):
            names += [full[:-len(ending)] for full in names]
    return names


def is_folder(name):
    """Whether a module (without `tensorflow.`) has modules only: each name in it is one."""
    parts = name.split('.')
    if parts[0] == 'core':
        return not name.endswith('_pb2')
    if parts[0] != 'python':
        return name in ('examples', 'examples.tutorials') or parts[-2:] == ['python', 'ops'] or parts[-1] == 'python'
    inner = '.'.join(parts[1:])
    return not inner or inner in FOLDERS and inner not in _LIKE_PUBLIC or inner in _FOLDERS_IN_FOLDERS


def rows(name):
    """(namespaces to look in, {inner name: public name}) for a module by its name without `tensorflow.`; None for no inner module."""
    if name in OTHER:
        return OTHER[name], {}
    parts = name.split('.')
    if name == 'python':
        return ('',), {}
    if parts[0] == 'python' and parts[1] in _LIKE_PUBLIC:
        return tuple('.'.join(parts[1:end]) for end in range(len(parts), 1, -1)), {}
    if parts[0] == 'python':
        inner = '.'.join(parts[1:])
        return tuple(dict.fromkeys(_python_row(parts[1:]) + FOLDERS.get(parts[1], ('',)))), RENAMED.get(inner, {})
    if parts[0] == 'contrib' and 'python' in parts[2:]:
        at = parts.index('python', 2)
        outer = '.'.join(parts[:at])
        # contrib.slim.python.slim.nets.inception_v3: the names after the repeated one, the most exact first.
        tail = parts[at + 2:]
        exact = ['.'.join([outer] + tail[:i]) for i in range(len(tail), 0, -1)]
        return tuple(dict.fromkeys(exact + [outer, '.'.join(parts[:2])])), {}
    return None


def _python_row(parts):
    """The row of the module itself or, as ops.losses.losses_impl is as ops.losses, of the folder that it is in."""
    for end in range(len(parts), 0, -1):
        row = PYTHON.get('.'.join(parts[:end]))
        if row is not None:
            return row
    return ()

"""TensorFlow 1's Python interface on the Headrace engine: `import headrace.tf1 as tf`.

Names load when they are first used. A name that TensorFlow has and this does not raises NotImplementedError at its use.
"""
import importlib
import sys

from headrace.tf1 import _missing

__version__ = VERSION = '1.15.5'
__git_version__ = GIT_VERSION = 'headrace'
__compiler_version__ = COMPILER_VERSION = ''
CXX11_ABI_FLAG = __cxx11_abi_flag__ = 1
MONOLITHIC_BUILD = __monolithic_build__ = 0
GRAPH_DEF_VERSION, GRAPH_DEF_VERSION_MIN_CONSUMER, GRAPH_DEF_VERSION_MIN_PRODUCER = 134, 0, 0

# module (of headrace.tf1) -> public names that live there under the same name
_EXPORTS = {
    'framework.dtypes': '''DType as_dtype float16 half float32 float64 double int8 int16 int32 int64 uint8 uint16 uint32 uint64 string bool
        complex64 complex128 qint8 quint8 qint16 quint16 qint32 bfloat16 resource variant QUANTIZED_DTYPES''',
    'framework.shapes': 'Dimension TensorShape dimension_at_index dimension_value',
    'framework.device': 'DeviceSpec',
    'framework.graph': '''Graph GraphKeys IndexedSlices Operation Tensor add_to_collection add_to_collections colocate_with container
        control_dependencies device get_all_collection_keys get_collection get_collection_ref get_default_graph get_default_session get_seed
        name_scope op_scope reset_default_graph set_random_seed''',
    'framework.convert': '''constant convert_to_tensor convert_to_tensor_or_indexed_slices register_tensor_conversion_function
        convert_n_to_tensor''',
    'framework.session': 'InteractiveSession Session',
    'framework.variables': '''Variable VariableAggregation VariableSynchronization all_variables assert_variables_initialized assign assign_add
        assign_sub count_up_to disable_resource_variables enable_resource_variables global_variables global_variables_initializer
        initialize_all_variables initialize_local_variables initialize_variables is_tensor is_variable_initialized local_variables
        local_variables_initializer model_variables
        moving_average_variables report_uninitialized_variables resource_variables_enabled trainable_variables variables_initializer''',
    'framework.variable_scope': '''AUTO_REUSE VariableScope create_partitioned_variables fixed_size_partitioner
        get_local_variable get_variable get_variable_scope make_template min_max_variable_partitioner no_regularizer
        variable_axis_size_partitioner variable_creator_scope variable_op_scope variable_scope''',
    'framework.gradients': '''AggregationMethod NoGradient NotDifferentiable RegisterGradient UnconnectedGradients custom_gradient
        gradients hessians''',
    'framework.control_flow': 'case cond',
    'metrics': 'confusion_matrix',
    'framework.checks': '''assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal assert_near
        assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive assert_proper_iterable assert_rank
        assert_rank_at_least assert_rank_in assert_same_float_dtype assert_scalar assert_type ensure_shape is_non_decreasing
        is_numeric_tensor is_strictly_increasing''',
    'framework.sparse': '''SparseTensor SparseTensorValue convert_to_tensor_or_sparse_tensor deserialize_many_sparse serialize_many_sparse
        serialize_sparse sparse_add sparse_concat sparse_fill_empty_rows sparse_mask sparse_maximum sparse_merge sparse_minimum
        sparse_placeholder sparse_reduce_max sparse_reduce_max_sparse sparse_reduce_sum sparse_reduce_sum_sparse sparse_reorder
        sparse_reset_shape sparse_reshape sparse_retain sparse_slice sparse_softmax sparse_split sparse_tensor_dense_matmul
        sparse_tensor_to_dense sparse_to_dense sparse_to_indicator sparse_transpose''',
    'framework.linalg': '''cholesky cholesky_solve eye log_matrix_determinant logdet matrix_band_part matrix_determinant matrix_diag
        matrix_diag_part matrix_inverse matrix_set_diag matrix_solve matrix_solve_ls matrix_square_root matrix_triangular_solve norm qr
        self_adjoint_eig self_adjoint_eigvals svd trace''',
    'framework.einsum': 'einsum',
    'framework.strings': '''as_string decode_base64 decode_compressed decode_csv decode_raw encode_base64 parse_tensor reduce_join
        regex_replace serialize_tensor string_join string_split string_strip string_to_hash_bucket string_to_hash_bucket_fast
        string_to_hash_bucket_strong string_to_number substr''',
    'signal': 'fft fft2d fft3d ifft ifft2d ifft3d',
    'framework.search': '''argsort batch_gather fingerprint guarantee_const histogram_fixed_width histogram_fixed_width_bins lbeta repeat roll
        searchsorted sort sparse_matmul tensor_scatter_add tensor_scatter_nd_add tensor_scatter_nd_sub tensor_scatter_nd_update
        tensor_scatter_sub tensor_scatter_update timestamp unravel_index unsorted_segment_sqrt_n verify_tensor_all_finite''',
    'framework.behavior': '''control_flow_v2_enabled disable_control_flow_v2 disable_eager_execution disable_tensor_equality
        disable_v2_behavior disable_v2_tensorshape enable_eager_execution enable_v2_behavior executing_eagerly init_scope
        initialize_all_tables tables_initializer''',
    'framework.protos': 'make_ndarray make_tensor_proto',
    'quantization': '''fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
        fake_quant_with_min_max_vars_gradient fake_quant_with_min_max_vars_per_channel fake_quant_with_min_max_vars_per_channel_gradient''',
    'errors': 'OpError',
    'framework.control': 'Assert Print group no_op numpy_function print_v2 py_func',
    'framework.array': '''batch_to_space batch_to_space_nd bitcast boolean_mask broadcast_dynamic_shape broadcast_static_shape broadcast_to check_numerics concat
        depth_to_space dynamic_partition dynamic_stitch edit_distance expand_dims extract_image_patches extract_volume_patches fill gather gather_nd identity
        identity_n invert_permutation listdiff matrix_transpose meshgrid one_hot ones ones_like pad parallel_stack placeholder
        placeholder_with_default rank required_space_to_batch_paddings reshape reverse reverse_sequence reverse_v2 scatter_nd sequence_mask
        setdiff1d shape shape_n size slice space_to_batch space_to_batch_nd space_to_depth split squeeze stack stop_gradient strided_slice tile transpose unique
        unique_with_counts unstack where where_v2 zeros zeros_like''',
    'framework.math': '''abs accumulate_n acos acosh add add_check_numerics_ops add_n angle arg_max arg_min argmax argmin asin asinh atan atan2
        atanh betainc bincount cast ceil clip_by_average_norm clip_by_global_norm clip_by_norm clip_by_value complex conj cos cosh
        count_nonzero cross cumprod cumsum digamma div div_no_nan divide equal erf erfc exp expm1 floor floor_div floordiv floormod
        global_norm greater greater_equal igamma igammac imag is_finite is_inf is_nan less less_equal lgamma lin_space linspace log log1p
        log_sigmoid logical_and logical_not logical_or logical_xor matmul maximum minimum mod multiply negative not_equal polygamma pow
        range real realdiv reciprocal reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum rint
        round rsqrt saturate_cast scalar_mul segment_max segment_mean segment_min segment_prod segment_sum sigmoid sign sin sinh
        sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum sqrt square squared_difference subtract tan tanh tensordot to_bfloat16
        to_complex128 to_complex64 to_double to_float to_int32 to_int64 truediv truncatediv truncatemod unsorted_segment_max
        unsorted_segment_mean unsorted_segment_min unsorted_segment_prod unsorted_segment_sum zeta''',
    'framework.accumulators': 'ConditionalAccumulator ConditionalAccumulatorBase SparseConditionalAccumulator',
    'framework.parsing': '''FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature decode_json_example parse_example parse_single_example
        parse_single_sequence_example''',
    'framework.readers': '''FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader WholeFileReader matching_files
        read_file write_file''',
    'framework.queues': 'FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue',
    'framework.random': '''multinomial parameterized_truncated_normal random_crop random_gamma random_normal random_poisson random_shuffle
        random_uniform truncated_normal''',
    'framework.init': '''constant_initializer glorot_normal_initializer glorot_uniform_initializer ones_initializer orthogonal_initializer
        random_normal_initializer random_uniform_initializer truncated_normal_initializer uniform_unit_scaling_initializer
        variance_scaling_initializer zeros_initializer''',
    'framework.importer': 'import_graph_def',
    'framework.state': '''scatter_add scatter_div scatter_max scatter_min scatter_mul scatter_nd_add scatter_nd_sub scatter_nd_update scatter_sub
        scatter_update''',
}
# Public modules that are modules here, too.
_MODULES = frozenset('''app bitwise compat contrib data debugging distributions dtypes errors examples feature_column flags gfile graph_util image
    initializers io keras layers linalg logging losses lookup manip math metrics nest nn profiler python_io quantization queue random raw_ops
    resource_loader saved_model sets signal sparse spectral strings summary sysconfig test tools train version'''.split())
# Messages of protocol buffers.
_MESSAGES = {name: name for name in '''AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto LogMessage MetaGraphDef
    NameAttrList NodeDef OptimizerOptions RunMetadata RunOptions SessionLog Summary SummaryMetadata'''.split()}
_MESSAGES['TensorInfo'] = 'TensorInfo'

_WHERE = {name: module for module, names in _EXPORTS.items() for name in names.split()}
# More names, module by module, that packages beside this one add: "name": "module:name there".
_ALIASES = {
    'initialize_variables': 'framework.variables:variables_initializer', 'get_logger': 'logging:get_logger',
    'diag': 'framework.linalg:tensor_diag', 'diag_part': 'framework.linalg:tensor_diag_part',
    'get_static_value': 'framework.convert:constant_value', 'no_gradient': 'framework.gradients:NotDifferentiable',
    'print': 'framework.control:print_v2', 'tuple': 'framework.control:tuple_of', 'debugging.Assert': 'framework.control:Assert',
}


_ABSENT = object()
newaxis = None


def __getattr__(name):
    if name in _MODULES:
        try:
            return _missing.watch(importlib.import_module('headrace.tf1.' + name), 'tf.' + name)
        except ModuleNotFoundError as e:
            if e.name != 'headrace.tf1.' + name:
                raise
            found = _ABSENT
    elif name in _ALIASES:
        module, _, attribute = _ALIASES[name].partition(':')
        found = getattr(importlib.import_module('headrace.tf1.' + module), attribute)
    elif name in _WHERE:
        found = getattr(importlib.import_module('headrace.tf1.' + _WHERE[name]), name)
    elif name in _MESSAGES:
        from headrace.tf1.framework import protos
        found = protos.message(_MESSAGES[name])
    else:
        found = _ABSENT
        if name.startswith('_'):
            raise AttributeError("module 'tensorflow' has no attribute %r" % name)
    if found is _ABSENT:
        raise _missing.name_error('tf.' + name)
    # Operators of tensors come with the math module.
    setattr(sys.modules[__name__], name, found)
    return found


def __dir__():
    return sorted(set(_WHERE) | _MODULES | set(_MESSAGES) | set(_ALIASES) | {'__version__', 'VERSION'})


from headrace.tf1.framework import math as _math_operators  # noqa: E402,F401  (defines the operators of tensors)

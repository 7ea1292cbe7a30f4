"""tf.saved_model.utils: tensors and what stands for them in signatures."""
from headrace.tf1.framework import dtypes, graph as graph_lib, protos


def build_tensor_info(tensor):
    """The TensorInfo of a tensor: its name, dtype and shape."""
    info = protos.message('TensorInfo')(dtype=dtypes.as_dtype(tensor.dtype).base_dtype._enum, tensor_shape=tensor.get_shape().as_proto())
    if all(hasattr(tensor, part) for part in ('indices', 'values', 'dense_shape')):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The tensor of a graph that a TensorInfo names. KeyError if it is not there."""
    from headrace.tf1.framework import importer
    graph = graph or graph_lib.get_default_graph()

    def get(name):
        return graph.get_tensor_by_name(importer.prepend_name_scope(name, import_scope))
    encoding = tensor_info.WhichOneof('encoding')
    if encoding == 'name':
        return get(tensor_info.name)
    if encoding == 'coo_sparse':
        from headrace.tf1 import SparseTensor
        return SparseTensor(get(tensor_info.coo_sparse.indices_tensor_name), get(tensor_info.coo_sparse.values_tensor_name),
                            get(tensor_info.coo_sparse.dense_shape_tensor_name))
    raise ValueError('Invalid TensorInfo.encoding: %s' % encoding)

"""tf.saved_model.signature_def_utils: what goes into a saved model and what comes out, by names."""
from headrace.tf1.framework import convert, dtypes, protos
from headrace.tf1.saved_model import signature_constants as keys, utils


def build_signature_def(inputs=None, outputs=None, method_name=None):
    """The SignatureDef of {name: TensorInfo} of inputs and outputs."""
    signature = protos.message('SignatureDef')()
    for infos, target in ((inputs, signature.inputs), (outputs, signature.outputs)):
        for key, info in (infos or {}).items():
            target[key].CopyFrom(info)
    if method_name is not None:
        signature.method_name = method_name
    return signature


def _infos(tensors):
    return {key: utils.build_tensor_info(tensor) for key, tensor in tensors.items()}


def regression_signature_def(examples, predictions):
    """The signature of a regression: serialised examples in, floats out."""
    if examples is None:
        raise ValueError('Regression examples cannot be None.')
    if not hasattr(examples, 'graph'):
        raise ValueError('Regression examples must be a string Tensor.')
    if predictions is None:
        raise ValueError('Regression predictions cannot be None.')
    inputs, outputs = _infos({keys.REGRESS_INPUTS: examples}), _infos({
        keys.REGRESS_OUTPUTS: convert.convert_to_tensor(predictions)})
    if inputs[keys.REGRESS_INPUTS].dtype != dtypes.string._enum:
        raise ValueError('Regression examples must be a string Tensor.')
    if outputs[keys.REGRESS_OUTPUTS].dtype != dtypes.float32._enum:
        raise ValueError('Regression output must be a float Tensor.')
    return build_signature_def(inputs, outputs, keys.REGRESS_METHOD_NAME)


def classification_signature_def(examples, classes, scores):
    """The signature of a classification: serialised examples in, classes (strings), scores (floats) or both out."""
    if examples is None:
        raise ValueError('Classification examples cannot be None.')
    if not hasattr(examples, 'graph'):
        raise ValueError('Classification examples must be a string Tensor.')
    if classes is None and scores is None:
        raise ValueError('Classification classes and scores cannot both be None.')
    outputs = {}
    for key, tensor, dtype, what in ((keys.CLASSIFY_OUTPUT_CLASSES, classes, dtypes.string, 'classes must be a string Tensor.'),
                                     (keys.CLASSIFY_OUTPUT_SCORES, scores, dtypes.float32, 'scores must be a float Tensor.')):
        if tensor is None:
            continue
        outputs[key] = utils.build_tensor_info(tensor)
        if outputs[key].dtype != dtype._enum:
            raise ValueError('Classification ' + what)
    return build_signature_def(_infos({keys.CLASSIFY_INPUTS: examples}), outputs, keys.CLASSIFY_METHOD_NAME)


def predict_signature_def(inputs, outputs):
    """The signature of any computation: {name: tensor} of inputs and outputs."""
    if not inputs:
        raise ValueError('Prediction inputs cannot be None or empty.')
    if not outputs:
        raise ValueError('Prediction outputs cannot be None or empty.')
    return build_signature_def(_infos(inputs), _infos(outputs), keys.PREDICT_METHOD_NAME)


def is_valid_signature(signature_def):
    """Does it have inputs, outputs and a method that is known, of the right dtypes?"""
    if signature_def is None or not signature_def.inputs or not signature_def.outputs:
        return False
    strings = [info.dtype == dtypes.string._enum for info in signature_def.inputs.values()]
    method = signature_def.method_name
    if method == keys.PREDICT_METHOD_NAME:
        return True
    if method == keys.REGRESS_METHOD_NAME:
        return (set(signature_def.inputs) == {keys.REGRESS_INPUTS} and all(strings)
                and set(signature_def.outputs) == {keys.REGRESS_OUTPUTS}
                and signature_def.outputs[keys.REGRESS_OUTPUTS].dtype == dtypes.float32._enum)
    if method == keys.CLASSIFY_METHOD_NAME:
        allowed = {keys.CLASSIFY_OUTPUT_CLASSES: dtypes.string._enum, keys.CLASSIFY_OUTPUT_SCORES: dtypes.float32._enum}
        return (set(signature_def.inputs) == {keys.CLASSIFY_INPUTS} and all(strings)
                and all(allowed.get(key) == info.dtype for key, info in signature_def.outputs.items()))
    return False


def op_signature_def(op, key):
    """A signature that only names an operation."""
    return build_signature_def(outputs={key: utils.build_tensor_info(op) if hasattr(op, 'dtype') else
                                        protos.message('TensorInfo')(name=op.name)})


def load_op_from_signature_def(signature_def, key, import_scope=None):
    """The operation or tensor that op_signature_def names."""
    from headrace.tf1.framework import graph as graph_lib, importer
    name = importer.prepend_name_scope(signature_def.outputs[key].name, import_scope)
    try:
        return graph_lib.get_default_graph().as_graph_element(name)
    except KeyError:
        raise NotImplementedError("the signature names '%s', which is not in the graph" % name)

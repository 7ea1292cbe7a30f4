"""tf.quantization: numbers as a quantized model would have them, with gradients."""
from headrace.tf1.framework.convert import apply_op


def fake_quant_with_min_max_args(inputs, min=-6, max=6, num_bits=8, narrow_range=False, name=None):  # pylint: disable=redefined-builtin
    """The nearest of the 2^num_bits numbers of a range."""
    return apply_op('FakeQuantWithMinMaxArgs', inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range, name=name)


def fake_quant_with_min_max_args_gradient(gradients, inputs, min=-6, max=6, num_bits=8, narrow_range=False,  # pylint: disable=redefined-builtin
                                          name=None):
    return apply_op('FakeQuantWithMinMaxArgsGradient', gradients, inputs, min=min, max=max, num_bits=num_bits, narrow_range=narrow_range,
                    name=name)


def _with_range(op, count):
    def forward(inputs, min, max, num_bits=8, narrow_range=False, name=None):  # pylint: disable=redefined-builtin
        return apply_op(op, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)

    def backward(gradients, inputs, min, max, num_bits=8, narrow_range=False, name=None):  # pylint: disable=redefined-builtin
        return apply_op(op, gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name)
    return forward if count == 3 else backward


fake_quant_with_min_max_vars = _with_range('FakeQuantWithMinMaxVars', 3)
fake_quant_with_min_max_vars_gradient = _with_range('FakeQuantWithMinMaxVarsGradient', 4)
fake_quant_with_min_max_vars_per_channel = _with_range('FakeQuantWithMinMaxVarsPerChannel', 3)
fake_quant_with_min_max_vars_per_channel_gradient = _with_range('FakeQuantWithMinMaxVarsPerChannelGradient', 4)


def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,  # pylint: disable=redefined-builtin
                            round_mode='HALF_TO_EVEN', name=None, narrow_range=False):
    """The nearest of the 2^num_bits numbers of the given range, or of the input's own."""
    return apply_op('QuantizeAndDequantizeV2', input, input_min, input_max, signed_input=signed_input, num_bits=num_bits,
                    range_given=range_given, round_mode=round_mode, narrow_range=narrow_range, name=name)

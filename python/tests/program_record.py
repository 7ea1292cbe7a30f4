"""Runs a program and writes down what it did: what it printed, and the nodes of its default graph.

    python program_record.py PROGRAM.py OUT.json [headrace]

With real TensorFlow 1.15 this makes the goldens (tools/make_python_goldens.py); with `headrace` as third argument `import tensorflow` is
headrace.tf1. A program is plain TensorFlow 1 code. Runs under Python 3.7 to 3.13.
"""
import base64
import contextlib
import io
import json
import os
import sys
import traceback


def attr_value(value):
    """An AttrValue as JSON; tensors by dtype, shape and bytes."""
    kind = value.WhichOneof('value')
    if kind == 'list':
        for field in ('s', 'i', 'f', 'b', 'type', 'shape', 'tensor'):
            items = getattr(value.list, field)
            if len(items):
                return [scalar(field, item) for item in items]
        return []
    return scalar(kind, getattr(value, kind)) if kind else None


def scalar(kind, value):
    if kind == 's':
        try:
            return value.decode('ascii')
        except UnicodeDecodeError:
            return 'base64:' + base64.b64encode(value).decode()
    if kind == 'type':
        return 'dtype:%d' % value
    if kind == 'shape':
        return 'shape:' + ('?' if value.unknown_rank else str([d.size for d in value.dim]))
    if kind == 'tensor':
        import tensorflow as tf
        array = tf.contrib.util.make_ndarray(value) if not HEADRACE else _make_ndarray(value)
        data = array.ravel().tolist() if array.dtype != object else [x.decode('utf-8', 'replace') for x in array.ravel()]
        if len(data) > 64:
            data = data[:64] + ['...']
        return ['tensor', value.dtype, list(array.shape), [repr(x) if isinstance(x, (float, complex)) else x for x in data]]
    if kind == 'f':
        return float('%.9g' % value)
    if kind == 'func':
        return 'func:' + value.name
    return value


def _make_ndarray(value):
    from headrace.tf1.framework import protos
    return protos.make_ndarray(value)


def record(path):
    import tensorflow as tf
    printed = io.StringIO()
    error = None
    saved, sys.argv = sys.argv, [path]
    with contextlib.redirect_stdout(printed):
        try:
            with open(path) as f:
                exec(compile(f.read(), path, 'exec'), {'__name__': '__main__', '__file__': path})  # pylint: disable=exec-used
        except Exception:  # pylint: disable=broad-except
            error = traceback.format_exc()
    sys.argv = saved
    nodes = []
    for node in tf.get_default_graph().as_graph_def().node:
        attrs = {key: attr_value(value) for key, value in sorted(node.attr.items()) if key not in ('_output_shapes',)}
        nodes.append([node.name, node.op, list(node.input), node.device, attrs])
    return {'stdout': printed.getvalue(), 'error': error, 'nodes': nodes}


HEADRACE = len(sys.argv) > 3 and sys.argv[3] == 'headrace'

if __name__ == '__main__':
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
    if HEADRACE:
        import headrace.tf1
        sys.modules['tensorflow'] = headrace.tf1
    else:
        import warnings
        warnings.filterwarnings('ignore')
        import tensorflow
        tensorflow.compat.v1.logging.set_verbosity('ERROR')
    result = record(sys.argv[1])
    with open(sys.argv[2], 'w') as out:
        json.dump(result, out, indent=None, separators=(',', ':'), sort_keys=True)
        out.write('\n')
    if result['error']:
        sys.stderr.write(result['error'])

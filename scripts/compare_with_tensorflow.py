#!/usr/bin/env python3
"""Random graphs against a real TensorFlow 1.15: every op's result and the gradients of whole graphs.

    python3.7 -m venv tf1 && tf1/bin/pip install tensorflow==1.15.5 'protobuf<3.21' 'numpy<1.19'
    scripts/compare_with_tensorflow.py tf1/bin/python [--graphs 1000] [--seed 1] [--program build/release/bin/random_ops_test]

The program writes graphs and its own values (tests/random_ops/export.h); TensorFlow then computes each node from our
values of its inputs, and the gradients of each graph with our values of all forward nodes, so that differences do not
grow from node to node. Prints what differs, and counts; exit code 1 if anything does.
"""
import argparse
import glob
import os
import pickle
import re
import subprocess
import sys
import tempfile

# Ops where TensorFlow 1.15 has no defined answer.
LEFT_OUT = {'PopulationCount'}  # no CPU kernel
# Where gradients have poles: one rounding of the argument decides them.
STEEP = {'Digamma', 'Lgamma', 'Igamma', 'Igammac', 'Zeta', 'Tan'}
LOOSE = {'Digamma', 'Lgamma', 'Igamma', 'Igammac', 'Zeta', 'BesselI0e', 'BesselI1e', 'Erfc'}
# Which of several elements wins where one is NaN differs between TensorFlow's own code paths.
NAN_UNDEFINED = {'Max', 'Min', 'ArgMax', 'ArgMin', 'Maximum', 'Minimum', 'Relu', 'Relu6', 'MaxPool', 'TopKV2',
                 'ClipByValue', 'Unique', 'UniqueWithCounts', 'SegmentMax', 'SegmentMin', 'UnsortedSegmentMax',
                 'UnsortedSegmentMin', 'Elu', 'Selu', 'LeakyRelu', 'ReluGrad', 'EluGrad', 'ListDiff',
                 'DepthwiseConv2dNative', 'Conv2D'}
EPSILON = {'float16': 1e-2, 'bfloat16': 8e-2, 'float32': 2e-5, 'complex64': 2e-5, 'float64': 1e-9, 'complex128': 1e-9}


def differs(np, ours, theirs, loose, scale):
    """'' or what differs first."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return '%s %s, TensorFlow %s %s' % (ours.dtype, ours.shape, theirs.dtype, theirs.shape)
    name = ours.dtype.name
    if name not in EPSILON:
        wrong = ours != theirs
    else:
        wide = np.complex128 if name.startswith('complex') else np.float64
        a, b = ours.astype(wide), theirs.astype(wide)
        tolerance = EPSILON[name] * (1000 if loose else 1)
        with np.errstate(all='ignore'):
            wrong = ~((a == b) | (~np.isfinite(a) & ~np.isfinite(b) & (wide is np.complex128)) | (np.isnan(a) & np.isnan(b)) | (abs(a - b) <= tolerance * (abs(b) + 0.1 * scale)))
    if not np.any(wrong):
        return ''
    at = np.argwhere(np.atleast_1d(wrong))[0]
    return '%s, TensorFlow %s at %s of %s' % (np.atleast_1d(ours)[tuple(at)], np.atleast_1d(theirs)[tuple(at)],
                                              list(at), ours.shape)


def compare(folder):
    """Runs under TensorFlow 1.15's interpreter."""
    os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
    import warnings
    warnings.filterwarnings('ignore')
    import numpy as np
    import tensorflow as tf
    from tensorflow.python.framework import tensor_util
    tf.compat.v1.logging.set_verbosity('ERROR')
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1, device_count={'GPU': 0})
    # Function-by-function rewriting would hide which op differs.
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1

    def read(path):
        graph = tf.GraphDef()
        with open(path, 'rb') as f:
            graph.ParseFromString(f.read())
        return graph

    def array(tensor):
        dtype = tf.as_dtype(tensor.dtype)
        if dtype not in (tf.uint32, tf.uint64):
            return tensor_util.MakeNdarray(tensor)
        # MakeNdarray does not know these.
        listed = tensor.uint32_val if dtype == tf.uint32 else tensor.uint64_val
        shape = [d.size for d in tensor.tensor_shape.dim]
        flat = (np.frombuffer(tensor.tensor_content, dtype.as_numpy_dtype) if tensor.tensor_content
                else np.array(listed, dtype.as_numpy_dtype))
        return np.resize(flat, shape) if flat.size else np.zeros(shape, dtype.as_numpy_dtype)

    counts = dict.fromkeys(['graphs', 'nodes', 'gradients', 'refused by TensorFlow', 'left out', 'aborts of TensorFlow', 'different'], 0)
    refusals = {}

    def report(seed, what, text):
        counts['different'] += 1
        print('seed %s: %s: %s' % (seed, what, text), flush=True)

    def scale_of(arrays):
        scale = 1.0
        for x in arrays:
            if np.asarray(x).dtype.kind in 'fcV' and np.asarray(x).size:
                with np.errstate(all='ignore'):
                    most = np.nanmax(np.append(abs(np.asarray(x).astype(np.complex128)), 0))
                scale *= max(1.0, float(most))
        return scale

    def has_nan(arrays):
        return any(np.any(np.isnan(np.asarray(x).astype(np.complex128))) for x in arrays
                   if np.asarray(x).dtype.kind in 'fcV')

    def undefined(node, inputs):
        if node.op in NAN_UNDEFINED and has_nan(inputs):
            return True
        if node.op in ('Igamma', 'Igammac'):  # NaN in TensorFlow where both are nearly 0
            return any(np.any((abs(x) < 1e-30) & (x != 0)) for x in inputs)
        if node.op == 'ConjugateTranspose' and np.ndim(inputs[0]) < 2:  # TensorFlow aborts
            return True
        if node.op == 'EuclideanNorm':  # of one element TensorFlow gives the element with its sign
            axes = np.arange(np.ndim(inputs[0]))[np.asarray(inputs[1], int).ravel()]
            return all(np.shape(inputs[0])[axis] == 1 for axis in axes)
        return node.op == 'Zeta' and not all(np.all(np.isfinite(x)) for x in inputs)

    def check_nodes(seed, graph, values):
        single = tf.GraphDef()
        single.versions.CopyFrom(graph.versions)
        fed, fetches, seen = {}, [], {}
        for node in graph.node:
            seen[node.name] = node
            if node.op in ('Placeholder', 'Const'):
                single.node.add().CopyFrom(node)
                continue
            if node.op in LEFT_OUT:
                counts['left out'] += 1
                continue
            made = single.node.add()
            made.CopyFrom(node)
            del made.input[:]
            for source in node.input:
                name, _, index = source.partition(':')
                if seen[name].op == 'Const':  # some kernels want constants, and shapes follow from them
                    made.input.append(source)
                    continue
                key = '%s_%s' % (name, index or 0)
                if key not in fed:
                    fed[key] = 'fed_' + key
                    place = single.node.add(op='Placeholder', name=fed[key])
                    place.attr['dtype'].type = tf.as_dtype(values[key].dtype).as_datatype_enum
                    place.attr['shape'].shape.CopyFrom(tf.TensorShape(values[key].shape).as_proto())
                made.input.append(fed[key])
            fetches.append(node)
        with tf.Graph().as_default() as g:
            tf.import_graph_def(single, name='')
            with tf.Session(config=config) as session:
                feeds = {name + ':0': values[key] for key, name in fed.items()}
                for node in fetches:
                    inputs = [values['%s_%s' % (s.partition(':')[0], s.partition(':')[2] or 0)] for s in node.input]
                    if undefined(node, inputs):
                        counts['left out'] += 1
                        continue
                    outputs = g.get_operation_by_name(node.name).outputs
                    try:
                        results = session.run(outputs, feeds)
                    except (tf.errors.OpError, TypeError) as e:
                        counts['refused by TensorFlow'] += 1
                        text = str(e).split('\n')[0][:150]
                        refusals.setdefault((node.op, text[:60]), (seed, text))
                        continue
                    counts['nodes'] += 1
                    for i, theirs in enumerate(results):
                        if node.op == 'FusedBatchNorm' and i > 0 and not node.attr['is_training'].b:
                            continue  # TensorFlow leaves them as its memory was
                        text = differs(np, values['%s_%d' % (node.name, i)], theirs, node.op in LOOSE, scale_of(inputs))
                        if text:
                            report(seed, '%s %s output %d of %s' % (node.name, node.op, i, ', '.join(
                                np.array2string(np.asarray(x).ravel()[:6], threshold=6) + str(np.shape(x))
                                for x in inputs)), text)
                            break

    def check_gradients(seed, graph, values):
        ys = [y.decode() for y in values['ys']]
        xs = [n.name for n in graph.node if n.op == 'Placeholder' and values[n.name + '_0'].dtype.kind == 'f']
        if not ys or not xs or any(n.op in STEEP | LEFT_OUT for n in graph.node):
            return
        if any(n.op == 'ConjugateTranspose' and values[n.name + '_0'].ndim < 2 for n in graph.node):
            counts['left out'] += 1
            return
        # TensorFlow gives the moments of inference a scratch output as their gradient.
        moments = {s for n in graph.node if n.op == 'FusedBatchNorm' for s in n.input[3:]}
        with tf.Graph().as_default() as g:
            tf.import_graph_def(graph, name='')
            try:
                gradients = tf.gradients([g.get_tensor_by_name(y) for y in ys],
                                         [g.get_tensor_by_name(x + ':0') for x in xs])
            except (LookupError, ValueError, TypeError) as e:
                counts['refused by TensorFlow'] += 1
                text = str(e).split('\n')[0][:150]
                text = re.sub(r"'n\d+'", 'a node', text)
                refusals.setdefault(('gradients', text[:60]), (seed, text))
                return
            feeds = {}
            for op in g.get_operations():
                for i, t in enumerate(op.outputs):
                    key = '%s_%d' % (op.name, i)
                    if key in values and g.is_feedable(t):
                        feeds[t] = values[key]
            with tf.Session(config=config) as session:
                for x, theirs in zip(xs, gradients):
                    if moments:
                        counts['left out'] += 1
                        continue
                    key = 'gradient_%s_0' % x
                    if (theirs is None) != (key not in values):
                        report(seed, 'gradient of ' + x, 'only one of us has it')
                    if theirs is None or key not in values:
                        continue
                    try:
                        theirs = session.run(tf.convert_to_tensor(theirs), feeds)
                    except (tf.errors.OpError, TypeError) as e:
                        counts['refused by TensorFlow'] += 1
                        text = str(e).split('\n')[0][:150]
                        refusals.setdefault(('run gradients', text[:60]), (seed, text))
                        continue
                    ours = values[key]
                    if ours.shape == values[x + '_0'].shape != np.shape(theirs):
                        counts['left out'] += 1  # its gradient of Atan2 keeps the shape of the result
                        continue
                    counts['gradients'] += 1
                    if not np.all(np.isfinite(np.asarray(ours).astype(np.float64))):
                        counts['left out'] += 1  # NaN times zero, in whose order
                        continue
                    most = float(np.max(np.append(abs(np.asarray(ours).astype(np.float64)), 1)))
                    text = differs(np, ours, theirs, True, most)
                    if text:
                        report(seed, 'gradient of %s' % x, text)

    def check(path, seed):
        graph = read(path)
        values = {n.name: array(n.attr['value'].tensor) for n in read(path.replace('.graph.pb', '.values.pb')).node}
        counts['graphs'] += 1
        try:
            check_nodes(seed, graph, values)
            check_gradients(seed, graph, values)
        except ValueError as e:  # its shape functions refuse some empty shapes that its kernels take
            counts['refused by TensorFlow'] += 1
            refusals.setdefault(('the graph', str(e)[:40]), (seed, str(e).split('\n')[0][:150]))

    # A process for each graph: TensorFlow aborts on some.
    for path in sorted(glob.glob(os.path.join(folder, '*.graph.pb')), key=lambda p: int(os.path.basename(p).split('.')[0])):
        seed = os.path.basename(path).split('.')[0]
        receive, send = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(receive)
            counts = dict.fromkeys(counts, 0)
            refusals = {}
            check(path, seed)
            with os.fdopen(send, 'wb') as out:
                pickle.dump((counts, refusals), out)
            os._exit(0)
        os.close(send)
        with os.fdopen(receive, 'rb') as result:
            answer = result.read()
        os.waitpid(child, 0)
        if not answer:
            counts['aborts of TensorFlow'] += 1
            continue
        new_counts, new_refusals = pickle.loads(answer)
        for what, n in new_counts.items():
            counts[what] += n
        for key, first in new_refusals.items():
            refusals.setdefault(key, first)
    for (op, _), (seed, text) in sorted(refusals.items()):
        print('refused by TensorFlow, first in seed %s: %s: %s' % (seed, op, text))
    print(', '.join('%d %s' % (n, what) for what, n in counts.items()))
    return 1 if counts['different'] or not counts['nodes'] else 0


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('python', help='an interpreter that has TensorFlow 1.15')
    parser.add_argument('--graphs', default='1000')
    parser.add_argument('--seed', default='1')
    parser.add_argument('--program', default=os.path.join(root, 'build/release/bin/random_ops_test'))
    parser.add_argument('--folder', help='keep the files here')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or temporary
        os.makedirs(folder, exist_ok=True)
        subprocess.run([options.program, '--graphs', options.graphs, '--seed', options.seed, '--export', folder],
                       check=True)
        return subprocess.run([options.python, os.path.abspath(__file__), '--compare', folder]).returncode


if __name__ == '__main__':
    sys.exit(compare(sys.argv[2]) if sys.argv[1:2] == ['--compare'] else main())

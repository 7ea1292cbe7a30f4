"""Edges of ops of neural networks: golden_edges.py."""
import numpy as np

from golden_edges import F16, F32, F64, FLOATS, I32, I64, INF, NAN, Edges, name_of, plain, some, specials


def cases(o, lib):
    e = Edges(o)
    layers(e)
    windows(e)
    losses(e)


def layers(e):
    for dtype in FLOATS:
        n, x = name_of(dtype), specials(dtype)
        small = np.array([[0, 1, -2], [3, 3, 3]], dtype)
        for op in ('Softmax', 'LogSoftmax'):
            e.add(op, n, [small])
            e.add(op, n + '_edges', [np.array([[NAN, 0, 1], [INF, 0, 1], [-INF, 0, 1], [-INF, -INF, -INF], [INF, INF, 0]], dtype)])
            e.add(op, n + '_huge', [np.array([[1e4, 1e4, -1e4]], dtype)])
            e.add(op, n + '_empty', [np.zeros([0, 3], dtype)])
            e.add(op, n + '_no_classes', [np.zeros([2, 0], dtype)])
            e.add(op, n + '_one', [np.ones([1, 1], dtype)])
        e.add('BiasAdd', n, [np.array([x[:8], x[3:11]]), x[:8]])
        e.add('BiasAdd', n + '_empty', [np.zeros([0, 2], dtype), np.ones([2], dtype)])
        e.add('LRN', n, [plain(dtype, [1, 2, 1, 7])])
        e.add('LRN', n + '_empty', [plain(dtype, [0, 2, 1, 3])])
        e.add('L2Loss', n + '_many', [plain(dtype, [50])])
        for training in (True, False):
            for variant, shape in (('', [2, 2, 1, 2]), ('_one', [1, 1, 1, 2]), ('_empty', [0, 2, 1, 2])):
                if dtype not in (F32, F64) and variant:
                    continue  # some end TensorFlow's process
                for op in ('FusedBatchNorm', 'FusedBatchNormV2', 'FusedBatchNormV3')[0 if dtype is F32 else 2:]:
                    mean = np.zeros([0 if training else 2], F32)
                    ones = np.ones([2], F32)
                    e.add(op, '%s_%s%s' % (n, 'training' if training else 'inference', variant), [plain(dtype, shape), ones, ones, mean, mean + 1], grad=[0, 1, 2], is_training=training)


def windows(e):
    for dtype in FLOATS:
        n = name_of(dtype)
        for padding in ('SAME', 'VALID'):
            for size, filter_size, stride in ((4, 2, 1), (4, 2, 2), (5, 2, 3), (3, 4, 1), (2, 3, 2), (1, 1, 1), (0, 2, 1)):
                v = '%s_%s_%d_%d_%d' % (n, padding, size, filter_size, stride)
                x = plain(dtype, [1, size, 3, 2])
                e.add('Conv2D', v, [x, plain(dtype, [filter_size, 1, 2, 2], 5)], strides=[1, stride, stride, 1], padding=padding, grad=size > 0)
                e.add('DepthwiseConv2dNative', v, [x, plain(dtype, [filter_size, 1, 2, 1], 5)], strides=[1, stride, stride, 1], padding=padding, grad=size > 0)
                for op in ('MaxPool', 'AvgPool'):
                    e.add(op, v, [x], ksize=[1, filter_size, 1, 1], strides=[1, stride, stride, 1], padding=padding, grad=size > 0)
                if dtype in (F32, F16) and size > 0:  # of 0 volumes TensorFlow divides by zero
                    e.add('MaxPoolWithArgmax', v, [x], ksize=[1, filter_size, 2, 1], strides=[1, stride, stride, 1], padding=padding, grad=size > 0)
                    e.add('Conv3D', v, [plain(dtype, [1, size, 2, 2, 1]), plain(dtype, [filter_size, 1, 1, 1, 2], 5)], strides=[1, stride, stride, stride, 1], padding=padding, grad=size > 0)
                    for op in ('MaxPool3D', 'AvgPool3D'):
                        e.add(op, v, [plain(dtype, [1, size, 2, 2, 1])], ksize=[1, filter_size, 1, 1, 1], strides=[1, stride, stride, stride, 1], padding=padding, grad=size > 0)
                    e.add('ExtractImagePatches', v, [x], ksizes=[1, filter_size, 1, 1], strides=[1, stride, stride, 1], rates=[1, 1, 1, 1], padding=padding, grad=size > 0)
                    e.add('Dilation2D', v, [x, plain(dtype, [filter_size, 1, 2], 5)], strides=[1, stride, stride, 1], rates=[1, 1, 1, 1], padding=padding, grad=size > 0)
    for op in ('MaxPool', 'AvgPool'):
        for value in (NAN, INF, -INF):
            e.add(op, str(value), [np.array([1, value, 2, 0], F32).reshape(1, 4, 1, 1)], ksize=[1, 2, 1, 1], strides=[1, 1, 1, 1], padding='VALID')
        e.add(op, 'ties', [np.ones([1, 3, 3, 1], F32)], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding='SAME')
        e.add(op, 'no_batch', [np.ones([0, 3, 3, 1], F32)], ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding='SAME')
    for dilation in (2, 3):
        for padding in ('SAME', 'VALID'):
            e.add('Conv2D', 'dilated_%d_%s' % (dilation, padding), [plain(F32, [1, 5, 6, 1]), plain(F32, [2, 2, 1, 1], 5)], strides=[1, 1, 1, 1], padding=padding, dilations=[1, dilation, dilation, 1])
    e.add('Conv2D', 'no_batch', [plain(F32, [0, 3, 3, 1]), plain(F32, [2, 2, 1, 2])], strides=[1, 1, 1, 1], padding='SAME')
    e.add('Conv2D', 'no_channels_out', [plain(F32, [1, 3, 3, 1]), plain(F32, [2, 2, 1, 0])], strides=[1, 1, 1, 1], padding='SAME')
    for value in (NAN, INF):
        e.add('Conv2D', str(value), [np.array([1, value, 2, 0], F32).reshape(1, 4, 1, 1), np.array([0, 1], F32).reshape(2, 1, 1, 1)], strides=[1, 1, 1, 1], padding='VALID')


    larger_than_the_image(e)


def larger_than_the_image(e):
    """Windows that do not fit, which shows in the step alone."""
    for size, filter_size, stride in ((2, 3, 1), (2, 4, 1), (1, 3, 2), (1, 4, 2), (2, 5, 3), (0, 2, 2)):
        def add(op, inputs, **attrs):
            e.add(op, 'dynamic_%d_%d_%d' % (size, filter_size, stride), inputs, static=False, padding='VALID', **attrs)
        x, volume = plain(F32, [1, size, 3, 2]), plain(F32, [1, size, 2, 2, 1])
        strides, strides3d = [1, stride, stride, 1], [1, stride, stride, stride, 1]
        add('Conv2D', [x, plain(F32, [filter_size, 1, 2, 2], 5)], strides=strides)
        add('DepthwiseConv2dNative', [x, plain(F32, [filter_size, 1, 2, 1], 5)], strides=strides)
        if (size, filter_size) != (2, 4):  # which ends TensorFlow's process
            add('Dilation2D', [x, plain(F32, [filter_size, 1, 2], 5)], strides=strides, rates=[1, 1, 1, 1])
        if size > 0:
            add('Conv3D', [volume, plain(F32, [filter_size, 1, 1, 1, 2], 5)], strides=strides3d)
        for op in ('MaxPool', 'AvgPool', 'MaxPoolWithArgmax'):
            add(op, [x], ksize=[1, filter_size, 1, 1], strides=strides)
        add('ExtractImagePatches', [x], ksizes=[1, filter_size, 1, 1], strides=strides, rates=[1, 1, 1, 1])


def losses(e):
    rows = np.array([[0, 1, -2], [3, 3, 3], [NAN, 0, 1], [INF, 0, 1], [-INF, 0, 1], [1e4, 0, -1e4]])
    for dtype in FLOATS:
        n = name_of(dtype)
        labels = np.array([[1, 0, 0], [0.2, 0.3, 0.5], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]], dtype)
        e.add('SoftmaxCrossEntropyWithLogits', n, [rows.astype(dtype), labels], grad=[0])
        e.add('SoftmaxCrossEntropyWithLogits', n + '_empty', [np.zeros([0, 3], dtype), np.zeros([0, 3], dtype)], grad=[0])
        for places in (I32, I64):
            e.add('SparseSoftmaxCrossEntropyWithLogits', '%s_%s' % (n, name_of(places)), [rows.astype(dtype), np.array([0, 2, 1, 1, 0, 2], places)], grad=[0])
        e.add('SparseSoftmaxCrossEntropyWithLogits', n + '_empty', [np.zeros([0, 3], dtype), np.zeros([0], I32)], grad=[0])
    for at in (3, -1):
        e.add('SparseSoftmaxCrossEntropyWithLogits', 'label_%d' % at, [rows[:1].astype(F32), np.array([at], I32)], grad=False)
    e.add('SparseSoftmaxCrossEntropyWithLogits', 'no_classes', [np.zeros([2, 0], F32), np.zeros([2], I32)], grad=False)
    e.add('SoftmaxCrossEntropyWithLogits', 'no_classes', [np.zeros([2, 0], F32), np.zeros([2, 0], F32)], grad=False)

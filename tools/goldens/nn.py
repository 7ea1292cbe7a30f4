"""Neural-network ops beyond the basic ones: volumes, builders of convolutions, image layouts, candidate samplers,
quantization, fractional pooling. See tools/make_goldens.py.

Cases named `build_...` are what TensorFlow's Python functions of that name build: nn_builders_test.cpp builds them
again with ours, and compares the nodes."""
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_array_ops, gen_candidate_sampling_ops, gen_nn_ops


def volumes(o, rnd):
    for name, shape, filt, strides, padding in [
            ('same', [2, 5, 6, 4, 3], [3, 2, 3, 3, 4], [1, 1, 1, 1, 1], 'SAME'),
            ('same_strided', [2, 5, 6, 4, 3], [2, 2, 3, 3, 4], [1, 2, 1, 3, 1], 'SAME'),
            ('valid', [1, 4, 5, 6, 2], [2, 3, 1, 2, 5], [1, 1, 2, 1, 1], 'VALID'),
            ('stride_beyond_window', [1, 7, 6, 5, 1], [2, 1, 1, 1, 3], [1, 3, 2, 2, 1], 'SAME'),
            ('one_voxel', [2, 1, 1, 1, 3], [1, 1, 1, 3, 2], [1, 1, 1, 1, 1], 'SAME'),
            ('no_images', [0, 4, 4, 4, 2], [2, 2, 2, 2, 2], [1, 1, 1, 1, 1], 'SAME')]:
        x, w = rnd(1, shape), rnd(2, filt)
        o.add('conv3d:' + name, lambda x, w: tf.nn.conv3d(x, w, strides, padding), [x, w])
        if name == 'one_voxel':
            continue
        y = [s if i in (0, 4) else -(-s // strides[i]) for i, s in enumerate(shape)]
        if padding == 'VALID':
            y = [s if i in (0, 4) else (s - filt[i - 1]) // strides[i] + 1 for i, s in enumerate(shape)]
        y[4] = filt[4]
        o.add('conv3d_backprop_input:' + name,
              lambda s, w, dy: gen_nn_ops.conv3d_backprop_input_v2(s, w, dy, strides, padding),
              [np.array(shape, np.int32), w, rnd(3, y)])
        o.add('conv3d_backprop_filter:' + name,
              lambda x, s, dy: gen_nn_ops.conv3d_backprop_filter_v2(x, s, dy, strides, padding),
              [x, np.array(filt, np.int32), rnd(3, y)])
    o.add('conv3d:double', lambda x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], 'SAME'),
          [rnd(1, [1, 3, 3, 3, 2], dtype=np.float64), rnd(2, [2, 2, 2, 2, 2], dtype=np.float64)])
    o.add('conv3d:dynamic', lambda x, w: tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], 'SAME'),
          [rnd(1, [1, 3, 3, 3, 2]), rnd(2, [2, 2, 2, 2, 2])], static=False)
    for name, shape, ksize, strides, padding in [
            ('same', [2, 5, 4, 6, 3], [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], 'SAME'),
            ('overlapping', [1, 5, 4, 6, 3], [1, 3, 2, 3, 1], [1, 1, 1, 2, 1], 'SAME'),
            ('valid', [1, 5, 4, 6, 9], [1, 3, 2, 3, 1], [1, 2, 1, 2, 1], 'VALID'),
            ('stride_beyond_window', [1, 7, 6, 5, 1], [1, 1, 2, 2, 1], [1, 3, 3, 4, 1], 'SAME')]:
        x = rnd(1, shape)
        o.add('max_pool3d:' + name, lambda x: gen_nn_ops.max_pool3d(x, ksize, strides, padding), [x])
        o.add('avg_pool3d:' + name, lambda x: gen_nn_ops.avg_pool3d(x, ksize, strides, padding), [x])
        if name == 'overlapping':
            with tf.Graph().as_default(), tf.Session() as sess:
                y = sess.run(gen_nn_ops.max_pool3d(x, ksize, strides, padding))
            o.add('max_pool3d_grad:' + name,
                  lambda x, y, dy: gen_nn_ops.max_pool3d_grad(x, y, dy, ksize, strides, padding),
                  [x, y, rnd(4, y.shape)])
            o.add('max_pool3d_grad_grad:' + name,
                  lambda x, y, dx: gen_nn_ops.max_pool3d_grad_grad(x, y, dx, ksize, strides, padding),
                  [x, y, rnd(4, x.shape)])
            o.add('avg_pool3d_grad:' + name,
                  lambda s, dy: gen_nn_ops.avg_pool3d_grad(s, dy, ksize, strides, padding),
                  [np.array(shape, np.int32), rnd(4, y.shape)])
    # Equal elements: all of them get the gradient.
    o.add('max_pool3d:ties', lambda x: gen_nn_ops.max_pool3d(x, [1, 2, 2, 2, 1], [1, 1, 2, 1, 1], 'SAME'),
          [np.array([0, 1, 1, 2, 0, 2, 2, 1, 0, 0, 0, 0], np.float32).reshape(1, 3, 2, 2, 1)])


def builders(o, rnd):
    f = rnd(2, [3, 2, 4])
    o.add('build_conv1d:nwc', lambda x, f: tf.nn.conv1d(x, f, 2, 'SAME'), [rnd(1, [2, 7, 2]), f])
    o.add('build_conv1d:dilated', lambda x, f: tf.nn.conv1d(x, f, 1, 'VALID', dilations=2), [rnd(1, [2, 7, 2]), f],
          grad=False)
    o.add('build_conv2d_transpose:constant',
          lambda x, f: tf.nn.conv2d_transpose(x, f, [2, 6, 8, 3], [1, 2, 2, 1]),
          [rnd(1, [2, 3, 4, 5]), rnd(2, [3, 3, 3, 5])])
    o.add('build_conv2d_transpose:tensor',
          lambda x, f, s: tf.nn.conv2d_transpose(x, f, s, 2, 'VALID', name='up'),
          [rnd(1, [2, 3, 4, 5]), rnd(2, [3, 3, 3, 5]), np.array([2, 7, 9, 3], np.int32)])
    o.add('build_conv3d_transpose:constant',
          lambda x, f: tf.nn.conv3d_transpose(x, f, [1, 4, 4, 6, 2], [1, 2, 2, 2, 1]),
          [rnd(1, [1, 2, 2, 3, 3]), rnd(2, [2, 3, 2, 2, 3])])
    depthwise, pointwise = rnd(2, [3, 3, 2, 2]), rnd(3, [1, 1, 4, 5])
    o.add('build_separable_conv2d:plain',
          lambda x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 2, 2, 1], 'SAME'),
          [rnd(1, [2, 6, 5, 2]), depthwise, pointwise])
    o.add('build_separable_conv2d:rate',
          lambda x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], 'VALID', rate=[2, 1], name='s'),
          [rnd(1, [2, 6, 5, 2]), depthwise, pointwise])
    o.add('build_separable_conv2d:rate_same',
          lambda x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], 'SAME', rate=[2, 3]),
          [rnd(1, [2, 6, 5, 2]), depthwise, pointwise])
    for name, rate, padding in [('same', 2, 'SAME'), ('valid', 3, 'VALID'), ('rate_1', 1, 'SAME')]:
        o.add('build_atrous_conv2d:' + name, lambda x, f: tf.nn.atrous_conv2d(x, f, rate, padding),
              [rnd(1, [2, 9, 8, 2]), rnd(2, [3, 2, 2, 3])])


def layouts(o, rnd):
    g = gen_array_ops
    i32 = lambda *v: np.array(v, np.int32)
    for name, shape, block, border in [('images', [2, 4, 6, 3], [2, 3], [[0, 0], [1, 2]]),
                                       ('rows', [3, 5, 2], [2], [[1, 0]]),
                                       ('volumes', [1, 2, 3, 2, 2], [2, 1, 2], [[0, 0], [0, 1], [1, 1]]),
                                       ('no_images', [0, 4, 4, 1], [2, 2], [[0, 0], [0, 0]])]:
        x = rnd(1, shape)
        o.add('space_to_batch_nd:' + name, lambda x: g.space_to_batch_nd(x, block, border), [x])
        batched = [shape[0] * int(np.prod(block))] + [4] * len(block) + [2]
        o.add('batch_to_space_nd:' + name, lambda x: g.batch_to_space_nd(x, block, border), [rnd(2, batched)])
    o.add('space_to_batch:dynamic', lambda x, p: g.space_to_batch(x, p, block_size=2),
          [rnd(1, [1, 3, 4, 2]), i32([1, 0], [2, 2])], static=False)
    o.add('batch_to_space:dynamic', lambda x, p: g.batch_to_space(x, p, block_size=2),
          [rnd(1, [8, 3, 2, 1]), i32([1, 0], [2, 1])], static=False)
    o.add('space_to_depth:nhwc', lambda x: tf.space_to_depth(x, 2), [rnd(1, [2, 4, 6, 3])])
    o.add('depth_to_space:nhwc', lambda x: tf.depth_to_space(x, 3), [rnd(1, [2, 1, 2, 18])])
    for name, k, s, r, padding in [('same', [1, 2, 3, 1], [1, 1, 1, 1], [1, 1, 1, 1], 'SAME'),
                                   ('rates', [1, 2, 2, 1], [1, 2, 1, 1], [1, 2, 3, 1], 'SAME'),
                                   ('valid', [1, 3, 2, 1], [1, 1, 3, 1], [1, 1, 1, 1], 'VALID')]:
        o.add('extract_image_patches:' + name, lambda x: g.extract_image_patches(x, k, s, r, padding),
              [rnd(1, [2, 5, 6, 2])], grad=False)
        o.add('dilation2d:' + name, lambda x, f: gen_nn_ops.dilation2d(x, f, s, r, padding),
              [rnd(1, [2, 5, 6, 2]), rnd(2, k[1:3] + [2])])
    for name, k, s, padding in [('same', [1, 2, 1, 3, 1], [1, 1, 2, 1, 1], 'SAME'),
                                ('valid', [1, 2, 2, 2, 1], [1, 1, 2, 2, 1], 'VALID')]:
        o.add('extract_volume_patches:' + name, lambda x: g.extract_volume_patches(x, k, s, padding),
              [rnd(1, [2, 3, 4, 5, 2])], grad=False)
    o.add('data_format_dim_map:nhwc', gen_nn_ops.data_format_dim_map, [i32(0, 3, -1, -4)], grad=False)
    o.add('data_format_vec_permute:hwnc',
          lambda x: gen_nn_ops.data_format_vec_permute(x, src_format='NHWC', dst_format='HWNC'),
          [i32([1, 2], [3, 4], [5, 6], [7, 8])], grad=False)


def samplers(o, lib):
    n = tf.nn
    one = np.array([[3], [0], [7]], np.int64)
    two = np.array([[3, 5], [0, 1], [7, 2]], np.int64)
    for unique in (False, True):
        tag = 'unique' if unique else 'repeated'
        for range_max in (10, 16, 5000):
            for kind in ('uniform', 'log_uniform', 'learned_unigram'):
                sampler = getattr(n, kind + '_candidate_sampler')
                o.add_with_runs('%s_candidate_sampler:%s_%d' % (kind, tag, range_max),
                              lambda x: sampler(x, 2, 6, unique, range_max, seed=7), [two])
        o.add_with_runs('learned_unigram_candidate_sampler:%s_no_seed' % tag,
                      lambda x: n.learned_unigram_candidate_sampler(x, 1, 4, unique, 9), [one])
        o.add_with_runs('thread_unsafe_unigram_candidate_sampler:' + tag,
                      lambda x: gen_candidate_sampling_ops.thread_unsafe_unigram_candidate_sampler(
                          x, 1, 5, unique, 12, seed=3, seed2=4), [one])
        weights = [0.5, 3.0, 1.0, 0.25, 7.0, 2.0, 2.0, 1.5]
        o.add_with_runs('fixed_unigram_candidate_sampler:' + tag,
                      lambda x: n.fixed_unigram_candidate_sampler(x, 2, 5, unique, 8, unigrams=weights, seed=2), [two])
        o.add_with_runs('fixed_unigram_candidate_sampler:%s_distorted' % tag,
                      lambda x: n.fixed_unigram_candidate_sampler(
                          x, 1, 6, unique, 10, unigrams=weights, distortion=0.75, num_reserved_ids=2, seed=9), [one])
        o.add_with_runs('fixed_unigram_candidate_sampler:%s_shards' % tag,
                      lambda x: n.fixed_unigram_candidate_sampler(
                          x, 1, 2, unique, 4, unigrams=weights, num_shards=2, shard=1, seed=9),
                      [np.array([[3], [0]], np.int64)])
    o.add_with_runs('all_candidate_sampler:six', lambda x: n.all_candidate_sampler(x, 2, 6, True, seed=1), [two])
    sampled = np.array([5, 3, 0, 3, 9, 1], np.int64)
    o.add('compute_accidental_hits:some', lambda x, s: n.compute_accidental_hits(x, s, 2), [two, sampled])
    o.add('compute_accidental_hits:none', lambda x, s: n.compute_accidental_hits(x, s, 1),
          [np.zeros([0, 1], np.int64), sampled])


def sampled_losses(o, rnd):
    w, b, x = rnd(1, [20, 4]), rnd(2, [20]), rnd(3, [3, 4])
    one = np.array([[3], [0], [7]], np.int64)
    two = np.array([[3, 5], [0, 1], [7, 2]], np.int32)
    o.add('build_nce_loss:plain', lambda w, b, y, x: tf.nn.nce_loss(w, b, y, x, 5, 20), [w, b, one, x],
          grad=False)
    o.add('build_nce_loss:hits', lambda w, b, y, x: tf.nn.nce_loss(
        w, b, y, x, 12, 20, num_true=2, remove_accidental_hits=True, name='n'), [w, b, two, x], grad=False)
    o.add('build_nce_loss:given', lambda w, b, y, x: tf.nn.nce_loss(
        w, b, y, x, 6, 20, sampled_values=tf.nn.all_candidate_sampler(y, 1, 6, True)),
          [w, b, one, x])
    o.add('build_sampled_softmax_loss:plain', lambda w, b, y, x: tf.nn.sampled_softmax_loss(
        w, b, y, x, 12, 20, seed=5), [w, b, one, x], grad=False)
    o.add('build_sampled_softmax_loss:given', lambda w, b, y, x: tf.nn.sampled_softmax_loss(
        w, b, y, x, 8, 20, sampled_values=tf.nn.all_candidate_sampler(y, 1, 8, True)), [w, b, one, x])
    o.add('build_sampled_softmax_loss:parts', lambda v, w, b, y, x: tf.nn.sampled_softmax_loss(
        [v, w], b, y, x, 4, 20, num_true=2, partition_strategy='div', remove_accidental_hits=False),
          [rnd(1, [10, 4]), rnd(4, [10, 4]), b, two, x], grad=False)


def quantized(o, rnd):
    x = rnd(1, [3, 4, 5], scale=8)
    for name, args in [('default', {}), ('bits_4', dict(min=-3.0, max=1.5, num_bits=4)),
                       ('narrow', dict(min=-0.7, max=5.0, num_bits=3, narrow_range=True)),
                       ('positive', dict(min=1.0, max=4.0)), ('negative', dict(min=-4.0, max=-1.0))]:
        o.add('fake_quant_with_min_max_args:' + name,
              lambda x: tf.quantization.fake_quant_with_min_max_args(x, **args), [x])
    f = lambda *v: np.array(v, np.float32)
    for name, low, high, args in [('default', -6.0, 5.0, {}), ('bits_3', -2.0, 3.5, dict(num_bits=3)),
                                  ('narrow', -2.0, 3.0, dict(narrow_range=True)), ('nothing', 0.0, 0.0, {}),
                                  ('positive', 1.0, 4.0, {})]:
        o.add('fake_quant_with_min_max_vars:' + name,
              lambda x, a, b: tf.quantization.fake_quant_with_min_max_vars(x, a, b, **args),
              [x, np.float32(low), np.float32(high)])
    low, high = f(-6, -1, 0, 1, -4), f(5, 2, 0, 3, -1)
    for name, shape, args in [('rank_1', [5], {}), ('rank_2', [4, 5], dict(num_bits=4)),
                              ('rank_4', [2, 3, 1, 5], dict(narrow_range=True))]:
        o.add('fake_quant_with_min_max_vars_per_channel:' + name,
              lambda x, a, b: tf.quantization.fake_quant_with_min_max_vars_per_channel(x, a, b, **args),
              [rnd(2, shape, scale=7), low, high])
    g = gen_array_ops
    for name, args in [('default', {}), ('unsigned', dict(signed_input=False)), ('bits_3', dict(num_bits=3)),
                       ('given', dict(range_given=True)), ('half_up', dict(round_mode='HALF_UP', num_bits=2)),
                       ('narrow', dict(narrow_range=True, num_bits=3, range_given=True))]:
        o.add('quantize_and_dequantize_v2:' + name,
              lambda x, a, b: g.quantize_and_dequantize_v2(x, a, b, **args), [x, np.float32(-3), np.float32(5)])
    o.add('quantize_and_dequantize_v3:five_bits', lambda x, a, b, n: g.quantize_and_dequantize_v3(x, a, b, n),
          [x, np.float32(-3), np.float32(5), np.int32(5)])
    o.add('quantize_and_dequantize_v3:double',
          lambda x, a, b, n: g.quantize_and_dequantize_v3(x, a, b, n, range_given=False),
          [x.astype(np.float64), np.float64(0), np.float64(0), np.int32(7)])
    for reverse in (False, True):
        o.add('nth_element:' + ('largest' if reverse else 'smallest'),
              lambda x, n: gen_nn_ops.nth_element(x, n, reverse), [x, np.int32(1)])
    o.add('nth_element:ties', lambda x: gen_nn_ops.nth_element(x, 2), [f([3, 1, 3, 2], [5, 5, 5, 1])])


def fractional(o, lib):
    x = lib.rnd(1, [2, 9, 12, 3])
    for kind in ('max', 'avg'):
        pool = getattr(gen_nn_ops, 'fractional_%s_pool' % kind)
        for pseudo in (False, True):
            for overlapping in (False, True):
                tag = '%s_%s' % ('pseudo' if pseudo else 'random', 'overlapping' if overlapping else 'apart')
                o.add_with_runs('fractional_%s_pool:%s' % (kind, tag),
                              lambda x: pool(x, [1, 1.44, 1.73, 1], pseudo, overlapping, True, 5, 7), [x], runs=2)
                o.add('fractional_%s_pool:%s_kept' % (kind, tag),
                      lambda x: pool(x, [1, 2.3, 1.5, 1], pseudo, overlapping, True, 5, 7)[0], [x])
        o.add_with_runs('fractional_%s_pool:whole' % kind,
                      lambda x: pool(x, [1, 3, 2, 1], False, False, True, 1, 0), [np.round(x * 9).astype(np.int64)],
                      runs=2)


def cells(o, rnd):
    """Fused cells; gradients flow from cs and h only."""
    from tensorflow.contrib.rnn.python.ops import gru_ops, lstm_ops  # registers the gradients
    from tensorflow.python.ops import gen_rnn_ops
    x, cs, h, w, b = rnd(1, [2, 3, 2]), rnd(2, [3, 4], 2), rnd(3, [3, 4]), rnd(4, [6, 16]), rnd(5, [16])
    peeps = [rnd(6 + i, [4]) for i in range(3)]
    for tag, args in [('plain', dict(cell_clip=0)), ('defaults', {}), ('clipped', dict(cell_clip=0.5, forget_bias=2)),
                      ('peepholes', dict(cell_clip=0, use_peephole=True))]:
        o.add('lstm_block_cell:' + tag, lambda *v: gen_rnn_ops.lstm_block_cell(*v, **args), [x[0], cs, h, w] + peeps + [b])
        o.add('block_lstm:' + tag, lambda n, *v: gen_rnn_ops.block_lstm(n, *v, **args), [np.int64(2), x, cs, h, w] + peeps + [b])
        o.add('block_lstm:short:' + tag, lambda n, *v: [gen_rnn_ops.block_lstm(n, *v, **args)[i] for i in (1, 6)],
              [np.int64(1), x, cs, h, w] + peeps + [b])
        args = {k: v for k, v in args.items() if k != 'forget_bias'}
        o.add('block_lstm_v2:' + tag, lambda n, *v: gen_rnn_ops.block_lstmv2(n, *v, **args),
              [np.int64(2), x, cs, h, w] + peeps + [b], grad=False)
    grads = [rnd(11, [2, 3, 4]), rnd(12, [2, 3, 4])]
    for op, tag in (('block_lstm_grad', True), ('block_lstm_grad_v2', True), ('block_lstm_grad', False)):
        made = [rnd(20 + i, [2, 3, 4]) for i in range(7)]
        o.add('%s:%s' % (op, tag), lambda n, *v: getattr(gen_rnn_ops, op)(n, *v, use_peephole=tag),
              [np.int64(2), x, cs, h, w] + peeps + [b] + made + grads, grad=False)
    x, h, w_ru, w_c = rnd(1, [3, 2]), rnd(2, [3, 4]), rnd(3, [6, 8]), rnd(4, [6, 4])
    o.add('gru_block_cell', gen_rnn_ops.gru_block_cell, [x, h, w_ru, w_c, rnd(5, [8]), rnd(6, [4])])
    o.add('gru_block_cell:no_rows', gen_rnn_ops.gru_block_cell, [x[:0], h[:0], w_ru, w_c, rnd(5, [8]), rnd(6, [4])])


def cases(o, lib):
    cells(o, lib.rnd)
    volumes(o, lib.rnd)
    builders(o, lib.rnd)
    layouts(o, lib.rnd)
    samplers(o, lib)
    sampled_losses(o, lib.rnd)
    quantized(o, lib.rnd)
    fractional(o, lib)

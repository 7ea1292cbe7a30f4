"""Images: sizes, crops, colours, boxes. See tools/make_goldens.py."""
import numpy as np
import tensorflow as tf
from tensorflow.python.ops import gen_image_ops as g


def i32(*v):
    return np.array(v, np.int32)


def sizes(o, rnd):
    ops = [('bilinear', g.resize_bilinear), ('nearest', g.resize_nearest_neighbor), ('bicubic', g.resize_bicubic)]
    shapes = [('down', [2, 7, 9, 3], [3, 4]), ('up', [1, 3, 4, 2], [7, 9]), ('one', [1, 5, 4, 1], [1, 1]), ('same', [1, 3, 4, 4], [3, 4]),
              ('mixed', [1, 2, 11, 5], [5, 3])]
    for name, fn in ops:
        for tag, shape, size in shapes:
            x = rnd(1, shape, 2.0)
            o.add('resize_%s:%s' % (name, tag), lambda x: fn(x, size), [x])
            o.add('resize_%s:%s_corners' % (name, tag), lambda x: fn(x, size, align_corners=True), [x])
            o.add('resize_%s:%s_half' % (name, tag), lambda x: fn(x, size, half_pixel_centers=True), [x])
        byte = np.random.RandomState(3).randint(0, 256, [1, 6, 5, 3]).astype(np.uint8)
        o.add('resize_%s:uint8' % name, lambda x: fn(x, [4, 8]), [byte], grad=False)
        o.add('resize_%s:double' % name, lambda x: fn(x, [4, 8]), [rnd(2, [1, 6, 5, 3], dtype=np.float64)])
        o.add('resize_%s:int16' % name, lambda x: fn(x, [4, 8]), [byte.astype(np.int16) - 100], grad=False)
        o.add('resize_%s:dynamic' % name, lambda x, s: fn(x, s), [rnd(2, [1, 6, 5, 3]), i32(3, 7)], static=False)
    o.add('resize_bilinear:half', lambda x: g.resize_bilinear(x, [4, 8]), [rnd(2, [1, 6, 5, 3], dtype=np.float16)])
    for tag, shape, size in shapes:
        o.add('resize_area:' + tag, lambda x: g.resize_area(x, size), [rnd(1, shape, 2.0)], grad=False)
        o.add('resize_area:%s_corners' % tag, lambda x: g.resize_area(x, size, align_corners=True), [rnd(1, shape, 2.0)], grad=False)
    o.add('resize_area:uint8', lambda x: g.resize_area(x, [4, 3]), [np.arange(60).reshape(1, 5, 12, 1).astype(np.uint8)], grad=False)
    o.add('resize_bilinear:zero_size', lambda x, s: g.resize_bilinear(x, s), [rnd(2, [1, 6, 5, 3]), i32(0, 7)], static=False)


def crops(o, rnd):
    boxes = np.array([[0, 0, 1, 1], [0.2, 0.1, 0.7, 0.6], [0.9, 1, 0.1, 0], [-0.3, 0.2, 1.2, 0.8], [0.5, 0.5, 0.5, 0.5]], np.float32)
    which = i32(0, 1, 1, 0, 1)
    x = rnd(1, [2, 5, 6, 3], 2.0)
    for tag, size in [('down', [3, 2]), ('up', [7, 6]), ('one', [1, 1]), ('row', [1, 4])]:
        o.add('crop_and_resize:' + tag, lambda x, b, i: g.crop_and_resize(x, b, i, size, extrapolation_value=0.25), [x, boxes, which])
        o.add('crop_and_resize:%s_nearest' % tag, lambda x, b, i: g.crop_and_resize(x, b, i, size, method='nearest'), [x, boxes, which])
    byte = np.random.RandomState(3).randint(0, 256, [2, 5, 6, 3]).astype(np.uint8)
    o.add('crop_and_resize:uint8', lambda x, b, i: g.crop_and_resize(x, b, i, [3, 3]), [byte, boxes, which], grad=False)
    o.add('crop_and_resize:no_boxes', lambda x, b, i: g.crop_and_resize(x, b, i, [3, 3]), [x, boxes[:0], which[:0]], grad=False)
    o.add('crop_and_resize:dynamic', lambda x, b, i, s: g.crop_and_resize(x, b, i, s), [x, boxes, which, i32(2, 3)], static=False)
    o.add('crop_and_resize:wrong_index', lambda x, b, i: g.crop_and_resize(x, b, i, [3, 3]), [x, boxes, i32(0, 1, 2, 0, 1)])
    one = rnd(4, [2, 4, 6, 3])
    at = np.array([[0.0, 0.0], [0.3, -0.9]], np.float32)
    for tag, args in [('middle', dict(centered=True, normalized=True)), ('corner', dict(centered=False, normalized=True)),
                      ('pixels', dict(centered=False, normalized=False))]:
        o.add('extract_glimpse:' + tag, lambda x, f: g.extract_glimpse(x, [3, 4], f, noise='zero', uniform_noise=False, **args), [one, at],
              grad=False)


def colors(o, rnd):
    x = np.abs(rnd(1, [2, 3, 4, 3]))
    x[0, 0] = [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [1, 0, 0]]
    x[0, 1] = [[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]]
    o.add('rgb_to_hsv', g.rgb_to_hsv, [x], grad=False)
    o.add('rgb_to_hsv:double', g.rgb_to_hsv, [x.astype(np.float64)], grad=False)
    o.add('hsv_to_rgb', g.hsv_to_rgb, [np.abs(rnd(2, [5, 7, 3]))], grad=False)
    for by in (0.0, 0.2, -0.3, 1.0, -1.7):
        o.add('adjust_hue:%g' % by, lambda x: g.adjust_hue(x, by), [x], grad=False)
    for by in (0.0, 0.5, 1.0, 3.0):
        o.add('adjust_saturation:%g' % by, lambda x: g.adjust_saturation(x, by), [x], grad=False)
        o.add('adjust_contrastv2:%g' % by, lambda x: g.adjust_contrastv2(x, by), [x], grad=False)
    o.add('adjust_contrastv2:one_image', lambda x: g.adjust_contrastv2(x, 1.5), [rnd(3, [3, 5, 2])], grad=False)
    o.add('adjust_hue:wrong', lambda x: g.adjust_hue(x, 0.1), [rnd(3, [3, 5, 2])], static=False)


def boxes(o, rnd):
    r = np.random.RandomState(5)
    at = np.array([[[0, 0, 1, 1], [0.1, 0.2, 0.6, 0.9], [-0.5, 0.3, 0.4, 1.5], [0.8, 0.8, 0.2, 0.9], [1.5, 1.5, 2, 2]]], np.float32)
    for channels in (1, 3, 4):
        x = rnd(1, [1, 6, 8, channels])
        o.add('draw_bounding_boxes:%d' % channels, g.draw_bounding_boxes, [x, at], grad=False)
        o.add('draw_bounding_boxes_v2:%d' % channels, g.draw_bounding_boxes_v2,
              [x, at, np.array([[0.5, 0.25, 0.125, 1], [0, 1, 0, 0.5]], np.float32)], grad=False)
    corner, extent = r.uniform(0, 1, [40, 2]), r.uniform(0.05, 0.5, [40, 2])
    box = np.concatenate([corner, corner + extent], 1).round(3).astype(np.float32)
    box[5:9] = box[5:9, [2, 3, 0, 1]]
    score = r.uniform(0, 1, 40).round(2).astype(np.float32)  # some are equal
    i, f = lambda v: np.int32(v), lambda v: np.float32(v)
    o.add('non_max_suppression', lambda b, s: g.non_max_suppression(b, s, 10, 0.3), [box, score], grad=False)
    o.add('non_max_suppression_v2', lambda b, s: g.non_max_suppression_v2(b, s, 50, 0.4), [box, score], grad=False)
    o.add('non_max_suppression_v3', lambda b, s: g.non_max_suppression_v3(b, s, 30, 0.4, 0.35), [box, score], grad=False)
    o.add('non_max_suppression_v4', lambda b, s: g.non_max_suppression_v4(b, s, 30, 0.4, 0.35, pad_to_max_output_size=True), [box, score],
          grad=False)
    for sigma in (0.0, 0.3):
        o.add('non_max_suppression_v5:%g' % sigma,
              lambda b, s: list(g.non_max_suppression_v5(b, s, 30, 0.4, 0.2, sigma, pad_to_max_output_size=True)), [box, score], grad=False)
    o.add('non_max_suppression_v3:dynamic', g.non_max_suppression_v3, [box, score, i(7), f(0.5), f(0.1)], grad=False, static=False)
    o.add('non_max_suppression_v3:threshold', g.non_max_suppression_v3, [box, score, i(7), f(1.5), f(0.1)], grad=False)
    overlaps = r.uniform(0, 1, [40, 40]).round(2).astype(np.float32)
    np.fill_diagonal(overlaps, 1)
    o.add('non_max_suppression_with_overlaps', lambda b, s: g.non_max_suppression_with_overlaps(b, s, 12, 0.6, 0.1), [overlaps, score],
          grad=False)
    many = np.stack([box.reshape(20, 2, 4), box[::-1].reshape(20, 2, 4)])
    scores = r.uniform(0, 1, [2, 20, 2]).astype(np.float32)
    for tag, b, args in [('each', many, {}), ('shared', many[:, :, :1], {}), ('padded', many, dict(pad_per_class=True, clip_boxes=False))]:
        o.add('combined_non_max_suppression:' + tag,
              lambda b, s: list(g.combined_non_max_suppression(b, s, 6, 15, 0.3, 0.2, **args)), [b, scores], grad=False)


def samples(o):
    at = np.array([[[0.1, 0.2, 0.6, 0.9], [0.3, 0.3, 0.5, 0.4]]], np.float32)
    for tag, args in [('plain', {}), ('narrow', dict(aspect_ratio_range=[0.2, 0.4], area_range=[0.1, 0.3])),
                      ('hard', dict(aspect_ratio_range=[2.0, 5.0], area_range=[0.02, 0.1], max_attempts=5))]:
        for least in (0.0, 0.1, 0.9):
            o.add_with_runs('sample_distorted_bounding_box:%s_%g' % (tag, least),
                             lambda s, b: list(g.sample_distorted_bounding_box_v2(s, b, least, seed=3, seed2=4, **args)),
                             [i32(97, 133, 3), at])
    o.add_with_runs('sample_distorted_bounding_box:no_boxes',
                     lambda s, b: list(g.sample_distorted_bounding_box_v2(s, b, 0.1, seed=3, seed2=4, use_image_if_no_bounding_boxes=True)),
                     [i32(97, 133, 3), at[:, :0]])


def cases(o, lib):
    sizes(o, lib.rnd)
    crops(o, lib.rnd)
    colors(o, lib.rnd)
    boxes(o, lib.rnd)
    samples(o)

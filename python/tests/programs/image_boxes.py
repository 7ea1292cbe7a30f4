"""tf.image: suppression, drawn boxes, likeness of images, their gradients."""
import numpy as np
import tensorflow as tf

r = np.random.RandomState(3)
corner = r.uniform(0, 1, [12, 2])
at = np.concatenate([corner, corner + r.uniform(0.1, 0.5, [12, 2])], 1).round(2).astype(np.float32)
scores = r.permutation(12).astype(np.float32) / 12
overlaps = np.eye(12, dtype=np.float32) + r.uniform(0, 1, [12, 12]).round(2).astype(np.float32)
out = [tf.image.non_max_suppression(at, scores, 5), tf.image.non_max_suppression(at, scores, tf.constant(9), 0.2, 0.3, name='best')]
out += list(tf.image.non_max_suppression_with_scores(at, scores, 8, soft_nms_sigma=0.5, score_threshold=0.05))
out += list(tf.image.non_max_suppression_padded(at, scores, 12, iou_threshold=0.1, pad_to_max_output_size=True))
out += [tf.image.non_max_suppression_overlaps(overlaps, scores, 6, 0.7)]
out += list(tf.image.combined_non_max_suppression(at.reshape(1, 6, 2, 4), scores.reshape(1, 6, 2), 3, 7, 0.3, 0.1))
a = tf.placeholder(tf.float32, [2, 24, 26, None], name='a')
b = tf.placeholder(tf.float32, [None, None, None, 2], name='b')
out += [tf.image.draw_bounding_boxes(a[:, :5, :6, :1], np.array([at[:3], at[3:6]])), tf.image.draw_bounding_boxes(a[:1, :4, :5, :1], at[None, :2], name='marked', colors=[[0.5, 0, 0, 1]])]
out += [tf.image.psnr(a, b, 1.0), tf.image.psnr(tf.cast(a * 255, tf.uint8), tf.cast(b * 255, tf.uint8), 255, name='bytes'), tf.image.ssim(a, b, 1.0),
        tf.image.ssim(a, b, max_val=1.0, filter_size=5), tf.image.ssim_multiscale(a, b, 1.0, power_factors=(0.5, 0.5), filter_size=5),
        tf.image.total_variation(a), tf.image.total_variation(a[0], name='one'), tf.image.sobel_edges(a)] + list(tf.image.image_gradients(a))
print([o.name for o in out])
print([str(o.shape) for o in out])
x = r.uniform(0, 1, [2, 24, 26, 2]).round(2)
y = (x + r.uniform(-0.1, 0.1, x.shape)).clip(0, 1).round(2)
with tf.Session() as sess:
    for value in sess.run(out, {a: x, b: y}):
        print(value.shape, np.round(value, 3).ravel()[:40].tolist())

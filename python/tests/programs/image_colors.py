"""tf.image: types, colour spaces, adjustments; what draws numbers, with the same seeds."""
import numpy as np
import tensorflow as tf

tf.set_random_seed(11)
flat = tf.placeholder(tf.float32, [4, 5, 3], name='flat')
byte = tf.placeholder(tf.uint8, [4, 5, 3], name='byte')
some = tf.placeholder(tf.float32, [None, None, None], name='some')
gray = tf.placeholder(tf.uint8, [None, None, 1], name='gray')
out = [tf.image.convert_image_dtype(byte, tf.float32), tf.image.convert_image_dtype(flat, tf.uint8), tf.image.convert_image_dtype(flat, tf.uint8, saturate=True),
       tf.image.convert_image_dtype(byte, tf.int16), tf.image.convert_image_dtype(tf.cast(byte, tf.int32) * 10 ** 7, tf.uint8, saturate=True),
       tf.image.convert_image_dtype(flat, tf.float64, name='wide'), tf.image.convert_image_dtype(flat, tf.float32)]
for x in (flat, byte):
    out += [tf.image.adjust_brightness(x, 0.2), tf.image.adjust_contrast(x, 1.37), tf.image.adjust_hue(x, 0.1), tf.image.adjust_saturation(x, 0.5),
            tf.image.adjust_gamma(x, 2.0, 0.5), tf.image.rgb_to_grayscale(x), tf.image.per_image_standardization(x)]
out += [tf.image.grayscale_to_rgb(gray), tf.image.grayscale_to_rgb(tf.ones([2, 2, 1]), name='three'), tf.image.rgb_to_hsv(flat), tf.image.hsv_to_rgb(flat),
        tf.image.rgb_to_yiq(flat), tf.image.yiq_to_rgb(flat), tf.image.rgb_to_yuv(flat), tf.image.yuv_to_rgb(flat), tf.image.adjust_hue(some, 0.7, name='turned')]
drawn = [tf.image.random_brightness(flat, 0.3, seed=1), tf.image.random_contrast(byte, 0.5, 1.5, seed=2), tf.image.random_hue(flat, 0.2, seed=3),
         tf.image.random_saturation(byte, 0.5, 1.5, seed=4), tf.image.random_flip_left_right(flat, seed=5), tf.image.random_flip_up_down(some, seed=6),
         tf.image.random_flip_left_right(tf.stack([flat] * 4), seed=7), tf.image.random_brightness(flat, 0.1)]
boxes = [[[0.1, 0.2, 0.6, 0.9], [0.3, 0.3, 0.5, 0.4]]]
drawn += list(tf.image.sample_distorted_bounding_box(tf.shape(flat), boxes, seed=1, seed2=2, min_object_covered=0.2, area_range=[0.1, 1.0]))
drawn += list(tf.image.sample_distorted_bounding_box([40, 50, 3], np.zeros([1, 0, 4], np.float32), seed=5, use_image_if_no_bounding_boxes=True, name='whole'))
print([o.name for o in out + drawn])
print([str(o.shape) for o in out + drawn])
for call in (lambda: tf.image.random_hue(flat, 0.6), lambda: tf.image.random_contrast(flat, 2, 1), lambda: tf.image.random_brightness(flat, -1),
             lambda: tf.image.adjust_gamma(flat, -1), lambda: tf.image.grayscale_to_rgb(flat), lambda: tf.image.random_jpeg_quality(flat, 50, 20)):
    try:
        call()
    except ValueError as error:
        print(str(error).split('\n')[0].split(' for ')[0])
r = np.random.RandomState(2)
feed = {flat: r.uniform(0, 1, [4, 5, 3]).round(2), byte: r.randint(0, 256, [4, 5, 3]), some: r.uniform(0, 1, [3, 2, 3]).round(2),
        gray: r.randint(0, 256, [2, 3, 1])}
with tf.Session() as sess:
    for value in sess.run(out, feed):
        print(value.dtype, np.round(value, 3).ravel()[:36].tolist())
    for _ in range(3):
        for value in sess.run(drawn, feed):
            print(np.round(value, 3).ravel()[:24].tolist())

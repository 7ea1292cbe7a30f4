"""Images as training programs prepare them: the CIFAR-10 tutorial's distortions, slim's Inception and VGG preprocessing without decoding."""
import numpy as np
import tensorflow as tf

tf.set_random_seed(5)
image = tf.placeholder(tf.uint8, [None, None, 3], name='image')


def cifar10(image):
    image = tf.random_crop(tf.cast(image, tf.float32), [6, 5, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=63)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
    return tf.image.per_image_standardization(image)


def cifar10_eval(image):
    image = tf.image.resize_image_with_crop_or_pad(tf.cast(image, tf.float32), 6, 5)
    image = tf.image.per_image_standardization(image)
    image.set_shape([6, 5, 3])
    return image


def inception(image, height, width):
    with tf.name_scope('distort_image'):
        image = tf.image.convert_image_dtype(image, dtype=tf.float32)
        box = tf.constant([0.0, 0.0, 1.0, 1.0], dtype=tf.float32, shape=[1, 1, 4])
        begin, size, _ = tf.image.sample_distorted_bounding_box(
            tf.shape(image), bounding_boxes=box, seed=3, seed2=1, min_object_covered=0.1, aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0), max_attempts=100,
            use_image_if_no_bounding_boxes=True)
        cropped = tf.slice(image, begin, size)
        cropped.set_shape([None, None, 3])
        image = tf.image.resize_images(cropped, [height, width], method=2)
        image.set_shape([height, width, 3])
        image = tf.image.random_flip_left_right(image)
        image = tf.image.random_brightness(image, max_delta=32. / 255.)
        image = tf.image.random_saturation(image, lower=0.5, upper=1.5)
        image = tf.image.random_hue(image, max_delta=0.2)
        image = tf.image.random_contrast(image, lower=0.5, upper=1.5)
        return tf.multiply(tf.subtract(tf.clip_by_value(image, 0.0, 1.0), 0.5), 2.0)


def inception_eval(image, height, width):
    with tf.name_scope('eval_image'):
        image = tf.image.convert_image_dtype(image, dtype=tf.float32)
        image = tf.image.central_crop(image, central_fraction=0.875)
        image = tf.squeeze(tf.image.resize_bilinear(tf.expand_dims(image, 0), [height, width], align_corners=False), [0])
        return tf.multiply(tf.subtract(image, 0.5), 2.0)


def vgg(image, height, width, smallest):
    shape = tf.shape(image)
    rows, columns = tf.to_float(shape[0]), tf.to_float(shape[1])
    scale = tf.cond(tf.greater(rows, columns), lambda: smallest / columns, lambda: smallest / rows)
    new_size = tf.stack([tf.to_int32(tf.rint(rows * scale)), tf.to_int32(tf.rint(columns * scale))])
    image = tf.squeeze(tf.image.resize_bilinear(tf.expand_dims(image, 0), new_size, align_corners=False))
    image = tf.image.resize_image_with_crop_or_pad(image, height, width)
    image.set_shape([height, width, 3])
    channels = tf.split(axis=2, num_or_size_splits=3, value=tf.to_float(image))
    return tf.concat(axis=2, values=[c - mean for c, mean in zip(channels, (123.68, 116.78, 103.94))])


out = [cifar10(image), cifar10_eval(image), inception(image, 7, 6), inception_eval(image, 5, 8), vgg(image, 6, 7, 8)]
print([o.name for o in out], [str(o.shape) for o in out])
value = np.random.RandomState(4).randint(0, 256, [9, 11, 3])
with tf.Session() as sess:
    for _ in range(4):
        for o in sess.run(out, {image: value}):
            print(o.shape, np.round(o, 2).ravel()[:24].tolist())

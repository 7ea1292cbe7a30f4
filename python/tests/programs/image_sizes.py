"""tf.image: sizes, crops, paddings, flips and turns, with known and unknown shapes."""
import numpy as np
import tensorflow as tf


def tried(function):
    try:
        function()
        print('passed')
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)


image = tf.placeholder(tf.float32, [5, 7, 3], name='image')
batch = tf.placeholder(tf.float32, [2, 5, 7, 3], name='batch')
any_image = tf.placeholder(tf.float32, [None, None, 3], name='any_image')
any_batch = tf.placeholder(tf.float32, [None, None, None, 3], name='any_batch')
size = tf.placeholder(tf.int32, [2], name='size')
out = []
for method in (tf.image.ResizeMethod.BILINEAR, tf.image.ResizeMethod.NEAREST_NEIGHBOR, tf.image.ResizeMethod.BICUBIC, tf.image.ResizeMethod.AREA):
    out.append(tf.image.resize_images(image, [4, 6], method))
    out.append(tf.image.resize_images(any_batch, size, method, align_corners=True))
out += [tf.image.resize_images(batch, [5, 7]), tf.image.resize(any_image, (3, 9), name='to_3_9'), tf.image.resize_images(any_image, tf.constant([4, 2])),
        tf.image.resize_images(image, [10, 8], preserve_aspect_ratio=True), tf.image.resize_images(any_image, [4, 9], preserve_aspect_ratio=True),
        tf.image.resize_bilinear(batch, [2, 2]), tf.image.resize_bicubic(batch, size, name='cubic'),
        tf.image.resize_nearest_neighbor(batch, [3, 3], align_corners=True), tf.image.resize_area(batch, [2, 3])]
for x in (image, any_batch):
    out += [tf.image.crop_to_bounding_box(x, 1, 2, 3, 4), tf.image.pad_to_bounding_box(x, 1, 2, 8, 10),
            tf.image.resize_image_with_crop_or_pad(x, 3, 9), tf.image.resize_image_with_crop_or_pad(x, 8, 4),
            tf.image.central_crop(x, 0.5), tf.image.flip_left_right(x), tf.image.flip_up_down(x), tf.image.transpose_image(x), tf.image.rot90(x, 3),
            tf.image.resize_image_with_pad(x, 6, 6)]
out += [tf.image.resize_image_with_crop_or_pad(image, size[0], size[1]), tf.image.central_crop(image, 1.0), tf.image.transpose(image, name='turned'),
        tf.image.rot90(image, size[0], name='spun'), tf.image.crop_and_resize(batch, [[0, 0, 1, 1], [0.2, 0.3, 0.9, 0.8]], [0, 1], [3, 4]),
        tf.image.crop_and_resize(batch, [[0.5, 0, 1, 1]], box_indices=[1], crop_size=size, method='nearest', extrapolation_value=2.0, name='cut'),
        tf.image.extract_patches(batch, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID'),
        tf.image.extract_image_patches(batch, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'SAME'),
        tf.image.extract_glimpse(batch, [2, 3], [[0.0, 0.1], [-0.2, 0.0]]), tf.image.random_crop(image, [2, 3, 3], seed=4)]
print([o.name for o in out])
print([str(o.shape) for o in out])
print(tf.gradients([tf.image.resize_images(any_batch, size), tf.image.resize_nearest_neighbor(batch, [3, 3]),
                    tf.image.crop_and_resize(batch, [[0, 0, 1, 1]], [1], [3, 4])], [any_batch, batch])[1].shape)
unknown = tf.placeholder(tf.float32, name='unknown')
print(tf.image.flip_left_right(unknown).shape, tf.image.crop_to_bounding_box(unknown, 0, 0, 2, 2).shape)
tried(lambda: tf.image.resize_images(unknown, [2, 2]))
tried(lambda: tf.image.resize_images(image, [2, 2, 2]))
tried(lambda: tf.image.resize_images(image, [2, 2], method=9))
tried(lambda: tf.image.crop_to_bounding_box(image, -1, 0, 2, 2))
tried(lambda: tf.image.crop_to_bounding_box(image, 0, 0, 9, 2))
tried(lambda: tf.image.pad_to_bounding_box(image, 0, 0, 2, 9))
tried(lambda: tf.image.central_crop(image, 1.5))
tried(lambda: tf.image.flip_up_down(tf.zeros([2, 2])))
tried(lambda: tf.image.flip_up_down(tf.zeros([0, 2, 3])))
tried(lambda: tf.image.random_flip_up_down(tf.zeros([1, 1, 1, 1, 1])))
x = np.random.RandomState(1).uniform(0, 1, [2, 5, 7, 3]).round(2).astype(np.float32)
with tf.Session() as sess:
    for value in sess.run(out, {image: x[0], batch: x, any_image: x[1], any_batch: x[:1], size: [3, 4]}):
        print(value.shape, np.round(value, 3).ravel()[:40].tolist())

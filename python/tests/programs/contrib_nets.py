"""Networks of tf.contrib.slim.nets: whole graphs, end points, collections."""
import tensorflow as tf
from tensorflow.contrib.slim.nets import alexnet, inception, resnet_v1, resnet_v2, vgg

slim = tf.contrib.slim
tf.set_random_seed(1)
with slim.arg_scope(inception.inception_v3_arg_scope()):
    logits, ends = inception.inception_v3(tf.placeholder(tf.float32, [2, 139, 139, 3]), num_classes=7, depth_multiplier=0.25)
print(logits.name, sorted((name, str(end.get_shape())) for name, end in ends.items()))
with slim.arg_scope(vgg.vgg_arg_scope()):
    logits, ends = vgg.vgg_16(tf.placeholder(tf.float32, [1, 224, 224, 3]), num_classes=5, is_training=False)
print(logits.name, sorted((name, str(end.get_shape())) for name, end in ends.items()))
with slim.arg_scope(alexnet.alexnet_v2_arg_scope()):
    logits, ends = alexnet.alexnet_v2(tf.placeholder(tf.float32, [1, 224, 224, 3]), num_classes=5)
print(logits.name, sorted((name, str(end.get_shape())) for name, end in ends.items()))
with slim.arg_scope(resnet_v1.resnet_arg_scope()):
    logits, ends = resnet_v1.resnet_v1(
        tf.placeholder(tf.float32, [1, 64, 64, 3]), [resnet_v1.resnet_v1_block('a', 16, 2, 2), resnet_v1.resnet_v1_block('b', 8, 2, 1)], 5,
        output_stride=4)
print(logits.name, sorted((name, str(end.get_shape())) for name, end in ends.items()))
with slim.arg_scope(resnet_v2.resnet_arg_scope()):
    logits, ends = resnet_v2.resnet_v2(
        tf.placeholder(tf.float32, [1, 64, 64, 3]), [resnet_v2.resnet_v2_block('a', 16, 2, 2), resnet_v2.resnet_v2_block('b', 8, 2, 1)], 5,
        is_training=False)
print(logits.name, sorted((name, str(end.get_shape())) for name, end in ends.items()))
print(len(tf.get_collection('moving_vars')), len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)),
      len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)), len(tf.trainable_variables()))

"""tf.layers: layers as classes, and as functions that make a layer and call it."""
from headrace.tf1.layers.base import InputSpec, Layer  # noqa: F401
from headrace.tf1.layers.convolutional import (  # noqa: F401
    Conv1D, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, SeparableConv1D, SeparableConv2D, conv1d, conv2d, conv2d_transpose, conv3d,
    conv3d_transpose, separable_conv1d, separable_conv2d)
from headrace.tf1.layers.core import Dense, Dropout, Flatten, dense, dropout, flatten  # noqa: F401
from headrace.tf1.layers.normalization import BatchNormalization, batch_normalization  # noqa: F401
from headrace.tf1.layers.pooling import (  # noqa: F401
    AveragePooling1D, AveragePooling2D, AveragePooling3D, MaxPooling1D, MaxPooling2D, MaxPooling3D, average_pooling1d, average_pooling2d,
    average_pooling3d, max_pooling1d, max_pooling2d, max_pooling3d)

convolution1d, convolution2d, convolution3d = conv1d, conv2d, conv3d
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D

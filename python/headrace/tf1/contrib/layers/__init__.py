"""tf.contrib.layers: layers as functions, regularisers, initialisers, summaries, optimize_loss."""
from headrace.tf1.contrib.layers import (  # noqa: F401
    combinators, functional, initializers, normalization, optimizers, regularizers, summaries, utils)
from headrace.tf1.contrib.layers.combinators import (  # noqa: F401
    embed_sequence, embedding_lookup_unique, images_to_sequence, legacy_fully_connected, legacy_linear, legacy_relu, maxout,
    one_hot_encoding, repeat, sequence_to_images, softmax, spatial_softmax, stack, unit_norm)
from headrace.tf1.contrib.layers.initializers import (  # noqa: F401
    variance_scaling_initializer, xavier_initializer, xavier_initializer_conv2d)
from headrace.tf1.contrib.layers.functional import (  # noqa: F401
    avg_pool2d, avg_pool3d, bias_add, conv1d, conv2d, conv2d_in_plane, conv2d_transpose, conv3d, conv3d_transpose, convolution,
    convolution1d, convolution2d, convolution2d_in_plane, convolution2d_transpose, convolution3d, convolution3d_transpose, dropout, elu,
    flatten, fully_connected, linear, max_pool2d, max_pool3d, pool, relu, relu6, separable_conv2d, separable_convolution2d)
from headrace.tf1.contrib.layers.normalization import batch_norm, group_norm, instance_norm, layer_norm  # noqa: F401
from headrace.tf1.contrib.layers.optimizers import (  # noqa: F401
    OPTIMIZER_CLS_NAMES, OPTIMIZER_SUMMARIES, optimize_loss)
from headrace.tf1.contrib.layers.regularizers import (  # noqa: F401
    apply_regularization, l1_l2_regularizer, l1_regularizer, l2_regularizer, sum_regularizer)
from headrace.tf1.contrib.layers.summaries import (  # noqa: F401
    summarize_activation, summarize_activations, summarize_biases, summarize_collection, summarize_tensor, summarize_tensors,
    summarize_variables, summarize_weights)

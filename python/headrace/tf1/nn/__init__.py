"""tf.nn: what networks are made of."""
from headrace.tf1.framework.array import depth_to_space, space_to_batch, space_to_depth  # noqa: F401
from headrace.tf1.framework.math import log_sigmoid, sigmoid, tanh  # noqa: F401
from headrace.tf1.nn.activations import (  # noqa: F401
    bias_add, crelu, dropout, elu, leaky_relu, relu, relu6, relu_layer, selu, softplus, softsign, swish, xw_plus_b)
from headrace.tf1.nn.convolution import (  # noqa: F401
    Convolution, atrous_conv2d, atrous_conv2d_transpose, conv1d, conv1d_transpose, conv2d, conv2d_backprop_filter, conv2d_backprop_input,
    conv2d_transpose, conv3d, conv3d_backprop_filter, conv3d_backprop_filter_v2, conv3d_transpose, conv_transpose, convolution,
    depthwise_conv2d, depthwise_conv2d_backprop_filter, depthwise_conv2d_backprop_input, depthwise_conv2d_native,
    depthwise_conv2d_native_backprop_filter, depthwise_conv2d_native_backprop_input, separable_conv2d)
from headrace.tf1.nn.embedding import embedding_lookup, embedding_lookup_sparse, safe_embedding_lookup_sparse  # noqa: F401
from headrace.tf1.nn.logits import (  # noqa: F401
    in_top_k, log_poisson_loss, log_softmax, sigmoid_cross_entropy_with_logits, softmax, softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2, sparse_softmax_cross_entropy_with_logits, top_k, weighted_cross_entropy_with_logits)
from headrace.tf1.nn.morphology import dilation2d, erosion2d  # noqa: F401
from headrace.tf1.nn.normalization import (  # noqa: F401
    batch_norm_with_global_normalization, batch_normalization, fused_batch_norm, l2_loss, l2_normalize, local_response_normalization, lrn,
    moments, normalize_moments, sufficient_statistics, weighted_moments, zero_fraction)
from headrace.tf1.nn.pooling import (  # noqa: F401
    avg_pool, avg_pool1d, avg_pool2d, avg_pool3d, avg_pool_v2, fractional_avg_pool, fractional_max_pool, max_pool, max_pool1d, max_pool2d,
    max_pool3d, max_pool_v2, max_pool_with_argmax, pool)
from headrace.tf1.nn.sampling import (  # noqa: F401
    all_candidate_sampler, compute_accidental_hits, fixed_unigram_candidate_sampler, learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler, nce_loss, sampled_softmax_loss, uniform_candidate_sampler)

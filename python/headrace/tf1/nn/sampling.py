"""Samples of classes, and losses that look at a sample only."""
from headrace.tf1.framework import array, convert, dtypes, graph as graph_lib, math
from headrace.tf1.framework.convert import apply_op
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.framework.variables import PartitionedVariable
from headrace.tf1.nn.embedding import embedding_lookup
from headrace.tf1.nn.logits import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2


def _sampler(op, default):
    def function(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
        seed1, seed2 = graph_lib.get_seed(seed)
        return apply_op(op, true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique, range_max=range_max, seed=seed1 or 0,
                        seed2=seed2 or 0, name=name)
    function.__name__ = default
    return function


uniform_candidate_sampler = _sampler('UniformCandidateSampler', 'uniform_candidate_sampler')
log_uniform_candidate_sampler = _sampler('LogUniformCandidateSampler', 'log_uniform_candidate_sampler')
learned_unigram_candidate_sampler = _sampler('LearnedUnigramCandidateSampler', 'learned_unigram_candidate_sampler')


def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file='', distortion=1.0,
                                    num_reserved_ids=0, num_shards=1, shard=0, unigrams=(), seed=None, name=None):
    seed1, seed2 = graph_lib.get_seed(seed)
    return apply_op('FixedUnigramCandidateSampler', true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique,
                    range_max=range_max, vocab_file=vocab_file, distortion=distortion, num_reserved_ids=num_reserved_ids,
                    num_shards=num_shards, shard=shard, unigrams=[float(u) for u in unigrams], seed=seed1 or 0, seed2=seed2 or 0, name=name)


def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    seed1, seed2 = graph_lib.get_seed(seed)
    return apply_op('AllCandidateSampler', true_classes, num_true=num_true, num_sampled=num_sampled, unique=unique, seed=seed1 or 0,
                    seed2=seed2 or 0, name=name)


def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    seed1, seed2 = graph_lib.get_seed(seed)
    return apply_op('ComputeAccidentalHits', true_classes, sampled_candidates, num_true=num_true, seed=seed1 or 0, seed2=seed2 or 0,
                    name=name)


def _sum_rows(x):
    columns = array.shape(x)[1]
    ones = array.ones(array.stack([columns, 1]), x.dtype)
    return array.reshape(math.matmul(x, ones), [-1])


def _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, subtract_log_q=True,
                    remove_accidental_hits=False, partition_strategy='mod', name=None, seed=None):
    if isinstance(weights, PartitionedVariable):
        weights = list(weights)
    if not isinstance(weights, list):
        weights = [weights]
    with name_scope(name, 'compute_sampled_logits', [w for w in weights if hasattr(w, 'graph')] + [inputs, labels]):
        if labels.dtype != dtypes.int64:
            labels = math.cast(labels, dtypes.int64)
        labels_flat = array.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(true_classes=labels, num_true=num_true, num_sampled=num_sampled, unique=True,
                                                           range_max=num_classes, seed=seed)
        sampled, true_expected, sampled_expected = [array.stop_gradient(s) for s in sampled_values]
        sampled = math.cast(sampled, dtypes.int64)
        all_ids = array.concat([labels_flat, sampled], 0)
        all_w = embedding_lookup(weights, all_ids, partition_strategy=partition_strategy)
        true_w = array.slice(all_w, [0, 0], array.stack([array.shape(labels_flat)[0], -1]))
        sampled_w = array.slice(all_w, array.stack([array.shape(labels_flat)[0], 0]), [-1, -1])
        sampled_logits = math.matmul(inputs, sampled_w, transpose_b=True)
        all_b = embedding_lookup(biases, all_ids, partition_strategy=partition_strategy)
        true_b = array.slice(all_b, [0], array.shape(labels_flat))
        sampled_b = array.slice(all_b, array.shape(labels_flat), [-1])
        dim = array.shape(true_w)[1:2]
        new_shape = array.concat([[-1, num_true], dim], 0)
        row_dots = math.multiply(array.expand_dims(inputs, 1), array.reshape(true_w, new_shape))
        dots_matrix = array.reshape(row_dots, array.concat([[-1], dim], 0))
        true_logits = array.reshape(_sum_rows(dots_matrix), [-1, num_true])
        true_b = array.reshape(true_b, [-1, num_true])
        true_logits += true_b
        sampled_logits += sampled_b
        if remove_accidental_hits:
            indices, ids, hit_weights = compute_accidental_hits(labels, sampled, num_true=num_true)
            sampled_logits_shape = array.concat([array.shape(labels)[:1], array.expand_dims(num_sampled, 0)], 0)
            if sampled_logits.dtype != hit_weights.dtype:
                hit_weights = math.cast(hit_weights, sampled_logits.dtype)
            positions = array.concat([array.expand_dims(indices, 1), array.expand_dims(math.cast(ids, dtypes.int32), 1)], 1,
                                     'sparse_indices')
            sampled_logits += apply_op('SparseToDense', positions, sampled_logits_shape, hit_weights,
                                       convert.constant(0.0, sampled_logits.dtype), validate_indices=False)
        if subtract_log_q:
            true_logits -= math.log(true_expected)
            sampled_logits -= math.log(sampled_expected)
        out_logits = array.concat([true_logits, sampled_logits], 1)
        out_labels = array.concat([array.ones_like(true_logits) / num_true, array.zeros_like(sampled_logits)], 1)
        return out_logits, out_labels


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=False,
             partition_strategy='mod', name='nce_loss'):
    """Noise-contrastive estimation: one number a row."""
    logits, targets = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, True,
                                      remove_accidental_hits, partition_strategy, name)
    return _sum_rows(sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name='sampled_losses'))


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, partition_strategy='mod', name='sampled_softmax_loss', seed=None):
    """Softmax cross entropy over a sample of the classes: one number a row."""
    logits, targets = _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, True,
                                      remove_accidental_hits, partition_strategy, name, seed)
    targets = array.stop_gradient(targets, name='labels_stop_gradient')
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)

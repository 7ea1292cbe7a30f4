"""Rows of tables by index."""
from headrace.tf1.framework import array, convert, dtypes, graph as graph_lib, math, shapes, sparse
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import name_scope
from headrace.tf1.framework.variables import PartitionedVariable


def embedding_lookup(params, ids, partition_strategy='mod', name=None, validate_indices=True, max_norm=None):
    """Rows `ids` of one table, or of a table kept in parts."""
    return _lookup(params, ids, partition_strategy, name, max_norm)


def _clip_rows(result, ids, max_norm):
    if max_norm is None:
        return result
    ids_rank, rank = ids.shape.rank, result.shape.rank
    return math.clip_by_norm(result, max_norm, axes=list(range(ids_rank, rank)) if rank is not None and ids_rank is not None else
                             math.range(array.rank(ids), array.rank(result)))


def _lookup(params, ids, strategy, name, max_norm):
    if params is None:
        raise ValueError('params must be specified')
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError('Need at least one param')
    if isinstance(params, PartitionedVariable):
        params = list(params)
    params = list(params) if isinstance(params, (list, tuple)) else [params]
    with name_scope(name, 'embedding_lookup', [p for p in params if hasattr(p, 'graph')] + [ids]) as scope:
        params = [p if hasattr(p, 'sparse_read') else convert_to_tensor(p, name='params_%d' % i) for i, p in enumerate(params)]
        ids = convert_to_tensor(ids, name='ids')
        if len(params) == 1:
            with graph_lib.colocate_with(params[0]):
                result = _clip_rows(array.gather(params[0], ids, name=scope), ids, max_norm)
            return array.identity(result)
        n = len(params)
        flat = array.reshape(ids, [-1])
        original = math.range(array.size(flat))
        if strategy == 'mod':
            assignments, new_ids = flat % n, flat // n
        elif strategy == 'div':
            total = sum(p.shape[0].value for p in params)
            count = convert.constant(total, flat.dtype)
            per_part, extras = count // n, count % n
            assignments = math.maximum(flat // (per_part + 1), (flat - extras) // per_part)
            new_ids = array.where(assignments < extras, flat % (per_part + 1), (flat - extras) % per_part)
        else:
            raise ValueError('Unrecognized partition strategy: ' + strategy)
        assignments = math.cast(assignments, dtypes.int32)
        gathered = array.dynamic_partition(new_ids, assignments, n)
        positions = array.dynamic_partition(original, assignments, n)
        parts = []
        for p, rows in zip(params, gathered):
            with graph_lib.colocate_with(p):
                parts.append(array.gather(p, rows))
        result = apply_op('ParallelDynamicStitch', positions, parts, name=scope)
        element = params[0].shape[1:]
        for p in params[1:]:
            element = element.merge_with(p.shape[1:])
        result = array.reshape(result, array.concat([array.shape(ids), element], 0))
        result.set_shape(ids.shape.concatenate(element))
        return _clip_rows(result, ids, max_norm)


def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy='mod', name=None, combiner=None, max_norm=None):
    """For each row of a SparseTensor of ids the sum, mean or sqrtn of their embeddings."""
    combiner = 'mean' if combiner is None else combiner
    if combiner not in ('mean', 'sqrtn', 'sum'):
        raise ValueError("combiner must be one of 'mean', 'sqrtn' or 'sum'")
    params = list(params) if isinstance(params, (list, tuple, PartitionedVariable)) else [params]
    with name_scope(name, 'embedding_lookup_sparse', [p for p in params if hasattr(p, 'graph')]) as scope:
        segments = sp_ids.indices[:, 0]
        if segments.dtype != dtypes.int32:
            segments = math.cast(segments, dtypes.int32)
        ids = sp_ids.values
        ids, idx = array.unique(ids)
        embeddings = embedding_lookup(params, ids, partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            function = {'sum': math.sparse_segment_sum, 'mean': math.sparse_segment_mean, 'sqrtn': math.sparse_segment_sqrt_n}[combiner]
            return function(embeddings, idx, segments, name=scope)
        weights = sp_weights.values
        if weights.dtype != embeddings.dtype:
            weights = math.cast(weights, embeddings.dtype)
        embeddings = array.gather(embeddings, idx)
        ones = array.fill(array.expand_dims(array.rank(embeddings) - 1, 0), 1)
        shape = array.concat([array.shape(weights), ones], 0)
        known = weights.shape
        weights = array.reshape(weights, shape)
        if embeddings.shape.rank is not None:
            weights.set_shape(known.concatenate([1] * (embeddings.shape.rank - 1)))
        total = math.segment_sum(embeddings * weights, segments, name=scope if combiner == 'sum' else None)
        if combiner == 'sum':
            return total
        sums = math.segment_sum(weights if combiner == 'mean' else math.pow(weights, 2), segments)
        if combiner == 'sqrtn':
            sums = math.sqrt(sums)
        return math.div(total, sums, name=scope)


def _pruned(ids, weights, is_valid):
    kept = sparse.sparse_retain(ids, is_valid)
    return kept, None if weights is None else sparse.sparse_retain(weights, is_valid)


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner='mean', default_id=None, name=None,
                                 partition_strategy='div', max_norm=None):
    """embedding_lookup_sparse that leaves out ids below 0 and weights up to 0; rows without ids get default_id's embedding, or zeros."""
    if embedding_weights is None:
        raise ValueError('Missing embedding_weights %s.' % embedding_weights)
    tables = list(embedding_weights) if isinstance(embedding_weights, (list, PartitionedVariable)) else [embedding_weights]
    if not tables:
        raise ValueError('Missing embedding_weights %s.' % embedding_weights)
    dtype = None if sparse_weights is None else sparse_weights.dtype
    tables = [convert_to_tensor(table, dtype=dtype) for table in tables]
    with name_scope(name, 'embedding_lookup', [v for v in [sparse_ids] + tables if hasattr(v, 'graph')]) as scope:
        shape = sparse_ids.dense_shape
        known = shape.shape[0].value
        rank = array.size(shape) if known is None else known
        rows = math.reduce_prod(array.slice(shape, [0], [rank - 1]))
        ids = sparse.reshape_unknown(sparse_ids, [rows, array.gather(shape, rank - 1)])
        weights = None if sparse_weights is None else sparse.SparseTensor(ids.indices, sparse_weights.values, ids.dense_shape)
        is_valid = math.greater_equal(ids.values, 0)
        if weights is not None:
            is_valid = math.logical_and(is_valid, array.ones_like(weights.values, dtype=dtypes.bool))
        ids, weights = _pruned(ids, weights, is_valid)
        if combiner != 'sum' and weights is not None:
            ids, weights = _pruned(ids, weights, math.greater(weights.values, 0))
        ids, is_empty = sparse.sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse.sparse_fill_empty_rows(weights, 1.0)
        result = embedding_lookup_sparse(tables, ids, weights, combiner=combiner, partition_strategy=partition_strategy,
                                            name=None if default_id is None else scope, max_norm=max_norm)
        if default_id is None:
            is_empty = array.tile(array.reshape(is_empty, [-1, 1]), array.stack([1, array.shape(result)[1]]))
            result = array.where(is_empty, array.zeros_like(result), result, name=scope)
        outer = array.slice(math.cast(shape, dtypes.int32), [0], [rank - 1])
        final = array.reshape(result, array.concat([outer, array.slice(array.shape(result), [1], [-1])], 0))
        final.set_shape(shapes.TensorShape([None] * (known - 1) if known is not None else None).concatenate(result.shape[1:]))
        return final

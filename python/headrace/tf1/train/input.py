"""Input pipelines of queues (tf.train.batch, shuffle_batch, string_input_producer and their relatives).

Each function adds a queue, a QueueRunner that fills it (tf.train.start_queue_runners starts them), and a summary of how full it is.
"""
from headrace.tf1.framework import (array, control, control_flow, convert, dtypes, graph as graph_lib, math, queues, random,
                                    readers,
                                    shapes as shapes_lib, sparse, variables)
from headrace.tf1.framework.convert import apply_op, convert_to_tensor
from headrace.tf1.framework.graph import GraphKeys, IndexedSlices, name_scope
from headrace.tf1.train import queue_runner


def _full(name, size, scale):
    from headrace.tf1 import summary
    summary.scalar(name, math.cast(size, dtypes.float32) * (1. / scale))


# ---------------------------------------------------------------- producers

def match_filenames_once(pattern, name=None):
    """The files that match a pattern when local variables are initialised: a local variable."""
    with name_scope(name, 'matching_filenames', [pattern] if hasattr(pattern, 'graph') else None) as name:
        return variables.Variable(name=name, initial_value=readers.matching_files(pattern), trainable=False, validate_shape=False,
                                  collections=[GraphKeys.LOCAL_VARIABLES])


def limit_epochs(tensor, num_epochs=None, name=None):
    """`tensor`, num_epochs times; then OutOfRangeError. The count is a local variable, `epochs`."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError('num_epochs must be > 0 not %d.' % num_epochs)
    with name_scope(name, 'limit_epochs', [tensor]) as name:
        zero = convert.constant(0, dtype=dtypes.int64)
        epochs = variables.Variable(zero, name='epochs', trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
        with graph_lib.control_dependencies([epochs.count_up_to(num_epochs)]):
            return array.identity(tensor, name=name)


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                   summary_name=None, name=None, cancel_op=None):
    """A queue of the rows of `input_tensor`, again and again or num_epochs times, each time shuffled anew."""
    with name_scope(name, 'input_producer', [input_tensor]):
        input_tensor = convert_to_tensor(input_tensor, name='input_tensor')
        element_shape = input_tensor.shape[1:].merge_with(element_shape)
        if not element_shape.is_fully_defined():
            raise ValueError('Either `input_tensor` must have a fully defined shape or `element_shape` must be specified')
        if shuffle:
            input_tensor = random.random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        queue = queues.FIFOQueue(capacity=capacity, dtypes=[input_tensor.dtype.base_dtype], shapes=[element_shape],
                                 shared_name=shared_name, name=name)
        enqueue = queue.enqueue_many([input_tensor])
        queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            _full(summary_name, queue.size(), capacity)
        return queue


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None,
                          cancel_op=None):
    """A queue of strings, such as file names, for a reader."""
    nothing = 'string_input_producer requires a non-null input tensor'
    if not hasattr(string_tensor, 'graph') and not len(string_tensor):
        raise ValueError(nothing)
    with name_scope(name, 'input_producer', [string_tensor]) as name:
        string_tensor = convert_to_tensor(string_tensor, dtype=dtypes.string)
        with graph_lib.control_dependencies([control.Assert(math.greater(array.size(string_tensor), 0), [nothing])]):
            string_tensor = array.identity(string_tensor)
        return input_producer(string_tensor, [], num_epochs, shuffle, seed, capacity, shared_name, 'fraction_of_%d_full' % capacity, name,
                              cancel_op)


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue of the integers from 0 to limit - 1."""
    with name_scope(name, 'input_producer', [limit]) as name:
        return input_producer(math.range(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
                              'fraction_of_%d_full' % capacity, name)


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """One row of each tensor, at the same place in all."""
    with name_scope(name, 'input_producer', tensor_list):
        tensor_list = _to_tensors(tensor_list)
        if not tensor_list:
            raise ValueError('Expected at least one tensor in slice_input_producer().')
        count = array.shape(tensor_list[0])[0]
        index = range_input_producer(count, num_epochs, shuffle, seed, capacity, shared_name).dequeue()
        return [array.gather(tensor, index) for tensor in tensor_list]


# ---------------------------------------------------------------- batches

def _to_tensors(values):
    return [value if isinstance(value, (IndexedSlices, sparse.SparseTensor)) else convert_to_tensor(value) for value in values]


def _as_list(tensors):
    """The tensors in order; of a dictionary, by their names."""
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return tensors


def _as_lists(tensors_list):
    if not tensors_list:
        raise ValueError('Expected at least one set of tensors')
    if not isinstance(tensors_list[0], dict):
        return tensors_list
    expected = sorted(tensors_list[0], key=str)
    for other in tensors_list[1:]:
        if sorted(other, key=str) != expected:
            raise ValueError('All dictionaries in tensors_list must have the same keys')
    return [_as_list(tensors) for tensors in tensors_list]


def _as_given(tensors, results):
    """The results in the form in which the tensors came."""
    if not isinstance(tensors, dict):
        return results  # of a list of one tensor, the tensor
    return dict(zip(sorted(tensors, key=str), [results] if len(tensors) == 1 else results))


def _check_join(lists):
    lists = [_to_tensors(tensors) for tensors in lists]
    if not lists:
        raise ValueError('Expected at least one input in batch_join().')
    for tensors in lists:
        if len(tensors) != len(lists[0]):
            raise ValueError('Expected the same number of tensors from each input')
    return lists


def _check(tensors):
    tensors = _to_tensors(tensors)
    if not tensors:
        raise ValueError('Expected at least one tensor in batch().')
    return tensors


def _keep_tensor(keep_input, enqueue_many):
    keep_input = convert_to_tensor(keep_input)
    rank = keep_input.shape.ndims
    if rank is None:
        raise ValueError('`keep_input` dimensions must be known at graph construction.')
    if not enqueue_many and rank == 1:
        raise ValueError('`keep_input` cannot be a vector when `enqueue_many=False`.')
    if rank > 1:
        raise ValueError('`keep_input` must be 0 or 1 dimensions.')
    return keep_input


def _types(lists):
    types = [tensor.dtype for tensor in lists[0]]
    for tensors in lists[1:]:
        other = [tensor.dtype for tensor in tensors]
        if other != types:
            raise TypeError('Expected types to be consistent: %s vs. %s.' % (', '.join(t.name for t in types), ', '.join(t.name for t in other)))
    return types


def _shapes(lists, shapes, enqueue_many):
    """Of the elements: what is stated, or what all inputs have in common."""
    if shapes is not None:
        return shapes
    found = []
    for i in range(len(lists[0])):
        for tensors in lists:
            if tensors[i].shape.ndims is None:
                raise ValueError("Cannot infer Tensor's rank: %s" % tensors[i])
        each = [shapes_lib.as_shape(tensors[i].shape.as_list()) for tensors in lists]
        if enqueue_many:
            each = [shape.with_rank_at_least(1)[1:] for shape in each]
        merged = each[0]
        for shape in each[1:]:
            merged = merged.merge_with(shape)
        found.append(merged.as_list())
    return found


def _kept(tensors, keep_input):
    """The rows that a vector of bools chooses."""
    chosen = math.cast(keep_input, dtypes.int32)
    return [array.dynamic_partition(tensor, chosen, num_partitions=2)[1] for tensor in tensors]


def _add_runner(queue, lists, threads, enqueue_many, keep_input):
    """A thread for each list, or `threads` of them for the only one."""
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input.shape.ndims == 1:
        ops = [enqueue(_kept(tensors, keep_input)) for tensors in lists]
    else:
        ops = [control_flow.smart_cond(keep_input, lambda tensors=tensors: enqueue(tensors), control.no_op) for tensors in lists]
    queue_runner.add_queue_runner(queue_runner.QueueRunner(queue, ops if threads is None else ops * threads))


def _take(queue, batch_size, allow_smaller_final_batch, name):
    take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
    return take(batch_size, name=name)


# ---- sparse tensors: a queue holds a number, and a map of the session the tensor that it stands for

def _store_one(tensor, enqueue_many, keep_input, shared_name):
    """(what goes into the queue, the operation that stored the tensor)."""
    ops = []

    def add(op_name):
        handle = apply_op(op_name, tensor.indices, tensor.values, tensor.dense_shape, shared_name=shared_name)
        ops.append(handle.op)
        return handle

    if keep_input.shape.ndims == 1:
        tensor = sparse.sparse_retain(tensor, array.gather(keep_input, tensor.indices[:, 0]))
        handle = add('AddManySparseToTensorsMap')
    elif enqueue_many:
        handle = control_flow.smart_cond(
            keep_input, lambda: add('AddManySparseToTensorsMap'),
            lambda: -1 * array.ones(math.cast(tensor.dense_shape, dtypes.int32)[0:1], dtypes.int64))
        handle.set_shape([None])
    else:
        handle = control_flow.smart_cond(keep_input, lambda: add('AddSparseToTensorsMap'), lambda: convert.constant(-1, dtypes.int64))
    return array.expand_dims(handle, [-1]), ops[0]


def _store_sparse(lists, enqueue_many, keep_input):
    """The lists with sparse tensors replaced, and for each place None or (operation that stores there, rank of an element)."""
    stored = [None] * len(lists[0])
    replaced = []
    for tensors in lists:
        replaced.append([])
        for i, tensor in enumerate(tensors):
            if isinstance(tensor, sparse.SparseTensor) != isinstance(lists[0][i], sparse.SparseTensor):
                raise ValueError('Inconsistent SparseTensors list: %s vs. %s' % (lists[0], tensors))
            if isinstance(tensor, sparse.SparseTensor):
                tensor, op = _store_one(tensor, enqueue_many, keep_input, stored[i][0].name if stored[i] else '')
                if stored[i] is None:
                    rank = shapes_lib.dimension_value(lists[0][i].dense_shape.shape.with_rank(1).dims[0])
                    stored[i] = (op, None if rank is None else rank - (1 if enqueue_many else 0))
            replaced[-1].append(tensor)
    return replaced, stored


def _restore_one(handles, op, rank):
    with graph_lib.colocate_with(op):
        indices, values, shape = apply_op('TakeManySparseFromTensorsMap', handles, dtype=op.get_attr('T'),
                                          container=op.get_attr('container'), shared_name=op.get_attr('shared_name') or op.name)
    if rank is not None:
        indices.set_shape([None, rank + 1])
        shape.set_shape([rank + 1])
    return [indices, values, shape]


def _restore_sparse(results, stored):
    if not any(stored):
        return results
    several = isinstance(results, (list, tuple))
    restored = [_restore_one(array.squeeze(tensor, [1]), *info) if info else [tensor]
                for tensor, info in zip(results if several else [results], stored)]
    # A step that takes one of them takes all: what is left in the map would stay for ever.
    every = [parts[0].op for parts in restored]
    restored = [[control.with_dependencies([op for op in every if op is not part.op], part) for part in parts] for parts in restored]
    restored = [sparse.SparseTensor(*parts) if info else parts[0] for parts, info in zip(restored, stored)]
    return restored if several else restored[0]


# ---- the functions

def _batched(given, scope, join, batch_size, keep_input, threads, capacity, enqueue_many, shapes, allow_smaller_final_batch, name, shared_name,
             dynamic_pad=False, shuffle=None):
    """All batch functions. `shuffle`: (min_after_dequeue, seed), or None for a queue that keeps the order."""
    lists = _as_lists(given) if join else [_as_list(given)]
    flat = [tensor for tensors in lists for tensor in tensors]
    with name_scope(name, scope, flat + [keep_input]) as name:
        if shuffle is not None and not join and capacity <= shuffle[0]:
            raise ValueError('capacity %d must be bigger than min_after_dequeue %d.' % (capacity, shuffle[0]))
        lists = _check_join(lists) if join else [_check(lists[0])]
        keep_input = _keep_tensor(keep_input, enqueue_many)
        lists, stored = _store_sparse(lists, enqueue_many, keep_input)
        types, shapes = _types(lists), _shapes(lists, shapes, enqueue_many)
        if shuffle is None:
            kind = queues.PaddingFIFOQueue if dynamic_pad else queues.FIFOQueue
            queue = kind(capacity=capacity, dtypes=types, shapes=shapes, shared_name=shared_name)
        else:
            queue = queues.RandomShuffleQueue(capacity=capacity, min_after_dequeue=shuffle[0], seed=shuffle[1], dtypes=types,
                                              shapes=shapes, shared_name=shared_name)
        _add_runner(queue, lists, threads, enqueue_many, keep_input)
        if shuffle is None:
            _full('fraction_of_%d_full' % capacity, queue.size(), capacity)
        else:
            spare = capacity - shuffle[0]
            _full('fraction_over_%d_of_%d_full' % (shuffle[0], spare), math.maximum(0, queue.size() - shuffle[0]), spare)
        results = _restore_sparse(_take(queue, batch_size, allow_smaller_final_batch, name), stored)
        return _as_given(given[0] if join else given, results)


def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
          allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of what `tensors` (a list or dictionary) are in one step after another.

    With enqueue_many each step gives several elements, the rows; with dynamic_pad elements are padded to the largest of a batch.
    """
    return _batched(tensors, 'batch', False, batch_size, True, num_threads, capacity, enqueue_many, shapes, allow_smaller_final_batch,
                    name, shared_name, dynamic_pad)


def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                allow_smaller_final_batch=False, shared_name=None, name=None):
    """batch of the elements for which `keep_input`, a bool or with enqueue_many a vector of them, is true."""
    return _batched(tensors, 'batch', False, batch_size, keep_input, num_threads, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, name, shared_name, dynamic_pad)


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False, allow_smaller_final_batch=False,
               shared_name=None, name=None):
    """batch from several lists of tensors, with a thread for each."""
    return _batched(tensors_list, 'batch_join', True, batch_size, True, None, capacity, enqueue_many, shapes, allow_smaller_final_batch,
                    name, shared_name, dynamic_pad)


def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
                     allow_smaller_final_batch=False, shared_name=None, name=None):
    """batch_join of the elements for which `keep_input` is true."""
    return _batched(tensors_list, 'batch_join', True, batch_size, keep_input, None, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, name, shared_name, dynamic_pad)


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
                  allow_smaller_final_batch=False, shared_name=None, name=None):
    """batch in random order: of elements that are drawn from at least min_after_dequeue."""
    return _batched(tensors, 'shuffle_batch', False, batch_size, True, num_threads, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, name, shared_name, shuffle=(min_after_dequeue, seed))


def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None, enqueue_many=False,
                        shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None):
    """shuffle_batch of the elements for which `keep_input` is true."""
    return _batched(tensors, 'shuffle_batch', False, batch_size, keep_input, num_threads, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, name, shared_name, shuffle=(min_after_dequeue, seed))


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    """shuffle_batch from several lists of tensors, with a thread for each."""
    return _batched(tensors_list, 'shuffle_batch_join', True, batch_size, True, None, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, name, shared_name, shuffle=(min_after_dequeue, seed))


def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None, enqueue_many=False, shapes=None,
                             allow_smaller_final_batch=False, shared_name=None, name=None):
    """shuffle_batch_join of the elements for which `keep_input` is true."""
    return _batched(tensors_list, 'shuffle_batch_join', True, batch_size, keep_input, None, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, name, shared_name, shuffle=(min_after_dequeue, seed))

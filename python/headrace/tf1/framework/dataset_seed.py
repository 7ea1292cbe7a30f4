"""Seeds of dataset ops, which are tensors."""
from headrace.tf1.framework import array, convert, dtypes, math
from headrace.tf1.framework.graph import get_seed, name_scope


def seed_tensors(seed):
    """(seed, seed2) for an op: 0 and 0 let it choose; seeds that happen to be 0 and 0 do not."""
    first, second = get_seed(seed)
    first = convert.convert_to_tensor(0 if first is None else first, dtypes.int64, name='seed')
    if second is None:
        return first, convert.constant(0, dtypes.int64, name='seed2')
    with name_scope('seed2') as scope:
        second = convert.convert_to_tensor(second, dtypes.int64)
        both = math.logical_and(math.equal(first, 0), math.equal(second, 0))
        return first, array.where(both, convert.constant(2 ** 31 - 1, dtypes.int64), second, name=scope)

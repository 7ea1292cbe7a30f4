"""Matrices, and batches of them: [..., rows, columns]."""
import numbers

import numpy as np

from headrace.tf1.framework import array, checks, control_flow, convert, dtypes, math
from headrace.tf1.framework.convert import apply_op, constant, convert_to_tensor
from headrace.tf1.framework.graph import Tensor, control_dependencies, name_scope


def _op(op, doc):
    def function(input, name=None):  # pylint: disable=redefined-builtin
        return apply_op(op, input, name=name)
    function.__doc__, function.__name__ = doc, op
    return function


def _graphs(*values):
    return [v for v in values if hasattr(v, 'graph')]


# ---- diagonals

def tensor_diag(diagonal, name=None):
    """A tensor of twice the rank with `diagonal` on its diagonal and zeros elsewhere."""
    return apply_op('Diag', diagonal, name=name)


tensor_diag_part = _op('DiagPart', 'The diagonal of a tensor of even rank, whose first dimensions equal its last ones.')


def matrix_diag(diagonal, name='diag', k=0, num_rows=-1, num_cols=-1, padding_value=0):
    """[..., n, n]: matrices with these diagonals (k: which one or which band) and padding elsewhere."""
    if (k, num_rows, num_cols, padding_value) == (0, -1, -1, 0):
        return apply_op('MatrixDiag', diagonal, name=name)
    return apply_op('MatrixDiagV2', diagonal, k, num_rows, num_cols, padding_value, name=name)


def matrix_diag_part(input, name='diag_part', k=0, padding_value=0):  # pylint: disable=redefined-builtin
    """The diagonals of matrices."""
    if isinstance(k, int) and k == 0:
        return apply_op('MatrixDiagPart', input, name=name)
    return apply_op('MatrixDiagPartV2', input, k, padding_value, name=name)


def matrix_set_diag(input, diagonal, name='set_diag', k=0):  # pylint: disable=redefined-builtin
    """The matrices with other diagonals."""
    if isinstance(k, int) and k == 0:
        return apply_op('MatrixSetDiag', input, diagonal, name=name)
    return apply_op('MatrixSetDiagV2', input, diagonal, k, name=name)


def matrix_band_part(input, num_lower, num_upper, name=None):  # pylint: disable=redefined-builtin
    """The matrices with zeros outside of a band: diagonals below the main one and above it; a negative count keeps all."""
    return apply_op('MatrixBandPart', input, num_lower, num_upper, name=name)


def eye(num_rows, num_columns=None, batch_shape=None, dtype=dtypes.float32, name=None):
    """Identity matrices."""
    with name_scope(name, 'eye', _graphs(num_rows, num_columns, batch_shape)):
        is_square = num_columns is None
        num_columns = num_rows if is_square else num_columns
        batch = [] if batch_shape is None else batch_shape
        if isinstance(num_rows, Tensor) or isinstance(num_columns, Tensor):
            size = math.minimum(num_rows, num_columns)
        else:
            if not isinstance(num_rows, numbers.Integral) or not isinstance(num_columns, numbers.Integral):
                raise TypeError('num_rows and num_columns must be positive integer values.')
            is_square = num_rows == num_columns
            size = min(num_rows, num_columns)
        shape = None
        if isinstance(batch, Tensor) or isinstance(size, Tensor):
            batch = convert_to_tensor(batch, name='shape', dtype=dtypes.int32)
            diagonal = array.concat((batch, [size]), axis=0)
            if not is_square:
                shape = array.concat((batch, [num_rows, num_columns]), axis=0)
        else:
            batch = list(batch)
            diagonal, shape = batch + [size], batch + [num_rows, num_columns]
        ones = array.ones(diagonal, dtype=dtype)
        return matrix_diag(ones) if is_square else matrix_set_diag(array.zeros(shape, dtype=dtype), ones)


def trace(x, name=None):
    with name_scope(name, 'Trace', [x]) as scope:
        x = convert_to_tensor(x, name='x')
        return math.reduce_sum(matrix_diag_part(x), [-1], name=scope)


# ---- decompositions

cholesky = _op('Cholesky', 'L with L L^H = input. Errors: of the step, for what is not positive definite.')


def qr(input, full_matrices=False, name=None):  # pylint: disable=redefined-builtin
    """(q, r): input = q r, q with orthonormal columns and r upper triangular."""
    return apply_op('Qr', input, full_matrices=full_matrices, name=name)


def lu(input, output_idx_type=dtypes.int32, name=None):  # pylint: disable=redefined-builtin
    """(lu, p): both triangular factors in one matrix, and the permutation of rows."""
    return apply_op('Lu', input, output_idx_type=output_idx_type, name=name)


def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    """(s, u, v) with tensor = u diag(s) v^H, or only s."""
    s, u, v = apply_op('Svd', tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    return (math.real(s), u, v) if compute_uv else math.real(s)


def self_adjoint_eig(tensor, name=None):
    """(eigenvalues in ascending order, eigenvectors as columns)"""
    e, v = apply_op('SelfAdjointEigV2', tensor, compute_v=True, name=name)
    return e, v


def self_adjoint_eigvals(tensor, name=None):
    return apply_op('SelfAdjointEigV2', tensor, compute_v=False, name=name)[0]


# ---- functions of matrices

matrix_determinant = _op('MatrixDeterminant', 'The determinants.')
matrix_square_root = _op('MatrixSquareRoot', 'R with R R = input.')
matrix_logarithm = _op('MatrixLogarithm', 'The matrix whose exponential is input; of complex dtypes.')


def matrix_exponential(input, name=None):  # pylint: disable=redefined-builtin
    """The exponentials of matrices."""
    return apply_op('MatrixExponential', input, name=name)


def matrix_inverse(input, adjoint=False, name=None):  # pylint: disable=redefined-builtin
    """The inverses (of the adjoints). Errors: of the step, for a matrix that has none."""
    return apply_op('MatrixInverse', input, adjoint=adjoint, name=name)


def log_matrix_determinant(input, name=None):  # pylint: disable=redefined-builtin
    """(sign, log of the absolute value) of the determinants."""
    return apply_op('LogMatrixDeterminant', input, name=name)


def logdet(matrix, name=None):
    """log of the determinants of Hermitian positive definite matrices."""
    with name_scope(name, 'logdet', [matrix]):
        diagonal = matrix_diag_part(cholesky(matrix))
        return 2.0 * math.reduce_sum(math.log(math.real(diagonal)), axis=[-1])


def adjoint(matrix, name=None):
    """Transposed and conjugated."""
    with name_scope(name, 'adjoint', [matrix]):
        return array.matrix_transpose(convert_to_tensor(matrix, name='matrix'), conjugate=True)


# ---- equations

def matrix_solve(matrix, rhs, adjoint=False, name=None):  # pylint: disable=redefined-outer-name
    """x with matrix x = rhs."""
    return apply_op('MatrixSolve', matrix, rhs, adjoint=adjoint, name=name)


def matrix_triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):  # pylint: disable=redefined-outer-name
    """x with matrix x = rhs, where only the lower (or upper) triangle of the matrix counts."""
    return apply_op('MatrixTriangularSolve', matrix, rhs, lower=lower, adjoint=adjoint, name=name)


def cholesky_solve(chol, rhs, name=None):
    """x with a x = rhs, of the Cholesky factor of a."""
    with name_scope(name, 'cholesky_solve', _graphs(chol, rhs)):
        y = matrix_triangular_solve(chol, rhs, adjoint=False, lower=True)
        return matrix_triangular_solve(chol, y, adjoint=True, lower=True)


def _solve_by_gramian(matrix, rhs, l2_regularizer, is_tall):
    """Least squares of tall matrices, or the solution of least norm for wide ones, from the smaller of the two Gram matrices."""
    gramian = math.matmul(matrix, matrix, adjoint_a=is_tall, adjoint_b=not is_tall)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
        shape, last = array.shape(matrix), -1 if is_tall else -2
        batch = shape[:-2]
        identity = eye(shape[last], batch_shape=batch, dtype=matrix.dtype)
        size = matrix.shape[last]
        identity.set_shape(matrix.shape[:-2].concatenate([size, size]))
        gramian += l2_regularizer * identity
    factor = cholesky(gramian)
    if is_tall:
        return cholesky_solve(factor, math.matmul(matrix, rhs, adjoint_a=True))
    return math.matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)


_CACHE_BYTES = 256000  # TensorFlow composes small or few matrices from other ops, and has one op for many large ones


def matrix_solve_ls(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """x that makes |matrix x - rhs|^2 + l2_regularizer |x|^2 least. `fast` uses the normal equations, else a complete decomposition."""
    matrix = convert_to_tensor(matrix, name='matrix')
    if matrix.dtype == dtypes.complex128 and l2_regularizer != 0:
        raise NotImplementedError('matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to poor accuracy.')
    known = matrix.shape
    is_composed = fast is not False
    if is_composed and known.is_fully_defined():
        is_large = known.num_elements() * matrix.dtype.size > _CACHE_BYTES
        is_composed = not (is_large and known[:-2].num_elements() > min(known[-2:].as_list()))
    if not is_composed:
        return apply_op('MatrixSolveLs', matrix, rhs, l2_regularizer, fast=fast, name=name)
    with name_scope(name, 'matrix_solve_ls', _graphs(matrix, rhs, l2_regularizer)):
        sizes = known[-2:]
        if sizes.is_fully_defined():
            return _solve_by_gramian(matrix, rhs, l2_regularizer, sizes[0].value >= sizes[1].value)
        sizes = array.shape(matrix)[-2:]
        return control_flow.cond(sizes[-2] >= sizes[-1], lambda: _solve_by_gramian(matrix, rhs, l2_regularizer, True),
                                 lambda: _solve_by_gramian(matrix, rhs, l2_regularizer, False))


def tridiagonal_solve(diagonals, rhs, diagonals_format='compact', transpose_rhs=False, conjugate_rhs=False, name=None,
                      partial_pivoting=True):
    """x with a x = rhs, of a tridiagonal a: its diagonals above, on and below the main one as [..., 3, n] ("compact"), as three
    tensors ("sequence"), or in a matrix ("matrix")."""
    if diagonals_format == 'sequence':
        if not isinstance(diagonals, (tuple, list)) or len(diagonals) != 3:
            raise ValueError('Expected diagonals to be a sequence of length 3.')
        above, main, below = diagonals
        if not all(d.shape[:-1].is_compatible_with(main.shape[:-1]) for d in (above, below)):
            raise ValueError('Tensors representing the three diagonals must have the same shape,except for the last dimension, got '
                             '%s, %s, %s' % (below.shape, main.shape, above.shape))
        m = main.shape[-1].value

        def padded(t, what, last):
            n = t.shape[-1].value
            if not n or n == m:
                return t
            if n != m - 1:
                raise ValueError('Expected %s to be have length %s or %s, got %s.' % (what, m, m - 1, n))
            return array.pad(t, [[0, 0]] * (t.shape.rank - 1) + [last])
        below = padded(below, 'subdiagonal', [1, 0])
        diagonals = array.stack((padded(above, 'superdiagonal', [0, 1]), main, below), axis=-2)
    elif diagonals_format == 'matrix':
        m = diagonals.shape[-1].value or diagonals.shape[-2].value
        if diagonals.shape[-1].value and diagonals.shape[-2].value and diagonals.shape[-1].value != diagonals.shape[-2].value:
            raise ValueError('Expected last two dimensions of diagonals to be same, got %s and %s' % (
                diagonals.shape[-1].value, diagonals.shape[-2].value))
        if not m:
            raise ValueError('The size of the matrix needs to be known for diagonals_format="matrix"')
        unused = [0, 0]
        places = [[[i + 1, i] if i < m - 1 else unused, [i, i], [i - 1, i] if i else unused] for i in range(m)]
        if m > 1:
            places[-1] = [unused, [m - 1, m - 1], [m - 2, m - 1]]
        diagonals = array.transpose(array.gather_nd(array.transpose(diagonals), places))
    elif diagonals_format != 'compact':
        raise ValueError('Unrecognized diagonals_format: %s' % diagonals_format)
    return _tridiagonal_solve(diagonals, rhs, transpose_rhs, conjugate_rhs, partial_pivoting, name)


def _tridiagonal_solve(diagonals, rhs, transpose_rhs, conjugate_rhs, partial_pivoting, name):
    rank, rhs_rank = diagonals.shape.rank, rhs.shape.rank
    if rank < 2:
        raise ValueError('Expected diagonals to have rank at least 2, got %d' % rank)
    if rhs_rank not in (rank, rank - 1):
        raise ValueError('Expected the rank of rhs to be %d or %d, got %d' % (rank - 1, rank, rhs_rank))
    if diagonals.shape[-2].value not in (None, 3):
        raise ValueError('Expected 3 diagonals got %s' % diagonals.shape[-2])
    if not diagonals.shape[:-2].is_compatible_with(rhs.shape[:rank - 2]):
        raise ValueError('Batch shapes %s and %s are incompatible' % (diagonals.shape[:-2], rhs.shape[:rank - 2]))
    is_vector = rhs_rank == rank - 1
    if transpose_rhs and not is_vector:
        rhs = array.matrix_transpose(rhs, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        rhs = math.conj(rhs)
    if is_vector:
        rhs = array.expand_dims(rhs, -1)
    if diagonals.shape[-1].value and rhs.shape[-2].value and diagonals.shape[-1].value != rhs.shape[-2].value:
        raise ValueError('Expected number of left-hand sided and right-hand sides to be equal, got %s and %s' % (
            diagonals.shape[-1], rhs.shape[-2]))
    result = apply_op('TridiagonalSolve', diagonals, rhs, partial_pivoting=partial_pivoting, name=name)
    if is_vector:
        return array.squeeze(result, -1)
    return array.matrix_transpose(result) if transpose_rhs else result


def tridiagonal_matmul(diagonals, rhs, diagonals_format='compact', name=None):
    """Product of tridiagonal matrices, given as for tridiagonal_solve, and `rhs`."""
    if diagonals_format == 'compact':
        above, main, below = diagonals[..., 0, :], diagonals[..., 1, :], diagonals[..., 2, :]
    elif diagonals_format == 'sequence':
        above, main, below = diagonals
    elif diagonals_format == 'matrix':
        m, n = diagonals.shape[-1].value, diagonals.shape[-2].value
        if not m or not n:
            raise ValueError('The size of the matrix needs to be known for diagonals_format="matrix"')
        if m != n:
            raise ValueError('Expected last two dimensions of diagonals to be same, got %d and %d' % (m, n))
        main = matrix_diag_part(diagonals)
        columns, unused = array.transpose(diagonals), [0, 0]
        above = array.transpose(array.gather_nd(columns, [[i + 1, i] for i in range(m - 1)] + [unused]))
        below = array.transpose(array.gather_nd(columns, [unused] + [[i - 1, i] for i in range(1, m)]))
    else:
        raise ValueError('Unrecognized diagonals_format: %s' % diagonals_format)
    above, main, below = (array.expand_dims(d, -2) for d in (above, main, below))
    return apply_op('TridiagonalMatMul', above, main, below, rhs, name=name)


# ---- sizes

_MATRIX_ORDERS, _VECTOR_ORDERS = ['euclidean', 'fro', 1, 2, np.inf], ['euclidean', 1, 2, np.inf]
_AXIS_ERROR = "'axis' must be None, an integer, or a tuple of 2 unique integers"


def norm(tensor, ord='euclidean', axis=None, keepdims=None, name=None, keep_dims=None):  # pylint: disable=redefined-builtin
    """Norms of vectors along an axis (of everything without one), or of matrices along a pair of axes."""
    keepdims = bool(keep_dims if keepdims is None else keepdims)
    is_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    if is_matrix:
        axis = tuple(axis)
        if not all(isinstance(a, int) for a in axis) or axis[0] == axis[1]:
            raise ValueError(_AXIS_ERROR)
        if ord not in _MATRIX_ORDERS:
            raise ValueError("'ord' must be a supported matrix norm in %s, got %s" % (_MATRIX_ORDERS, ord))
    else:
        if not (isinstance(axis, int) or axis is None):
            raise ValueError(_AXIS_ERROR)
        if ord not in _VECTOR_ORDERS and (isinstance(ord, str) or not np.isreal(ord) or ord <= 0):
            raise ValueError("'ord' must be a supported vector norm, got %s" % ord)
        axis = None if axis is None else (axis,)
    with name_scope(name, 'norm', [tensor]):
        tensor = convert_to_tensor(tensor)
        if is_matrix and ord == 2:
            result = _spectral_norm(tensor, axis)
        elif ord in ('fro', 'euclidean', 2):
            result = math.sqrt(math.reduce_sum(tensor * math.conj(tensor), axis, keepdims=True))
        else:
            result = math.abs(tensor)
            first = None if axis is None else axis[0]
            if ord == 1:
                result = math.reduce_sum(result, first, keepdims=True)
                if is_matrix:
                    result = math.reduce_max(result, axis[-1], keepdims=True)
            elif ord == np.inf:
                if is_matrix:
                    result = math.reduce_sum(result, axis[1], keepdims=True)
                result = math.reduce_max(result, first, keepdims=True)
            else:
                result = math.pow(math.reduce_sum(math.pow(result, ord), axis, keepdims=True), 1.0 / ord)
        return result if keepdims else array.squeeze(result, axis)


def _spectral_norm(tensor, axis):
    """The largest singular value, with dimensions of 1 where the two axes were."""
    rank = tensor.shape.rank
    if rank is None:
        raise ValueError('the 2-norm of matrices needs the rank of the tensor, shape is unknown')
    last = [a % rank for a in axis]
    perm = [a for a in range(rank) if a not in last] + last
    values = math.abs(svd(array.transpose(tensor, perm=perm), compute_uv=False))
    largest = array.expand_dims(math.reduce_max(values, axis=-1, keepdims=True), axis=-1)
    return array.transpose(largest, perm=[perm.index(a) for a in range(rank)])


def normalize(tensor, ord='euclidean', axis=None, name=None):  # pylint: disable=redefined-builtin
    """(tensor / norm, norm)"""
    with name_scope(name, 'normalize', [tensor]):
        tensor = convert_to_tensor(tensor)
        size = math.cast(norm(tensor, ord, axis, keepdims=True), tensor.dtype)
        return tensor / size, size


def _checked_matrix(a, validate_args):
    if not a.dtype.is_floating:
        raise TypeError('Input `a` must have `float`-like `dtype` (saw %s).' % a.dtype.name)
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError('Input `a` must have at least 2 dimensions (saw: %d).' % a.shape.rank)
    if a.shape.rank is None and validate_args:
        check = checks.assert_rank_at_least(a, rank=2, message='Input `a` must have at least 2 dimensions.')
        with control_dependencies([check]):
            return array.identity(a)
    return a


def matrix_rank(a, tol=None, validate_args=False, name=None):
    """How many singular values are above `tol`."""
    with name_scope(name or 'matrix_rank'):
        a = _checked_matrix(convert_to_tensor(a, dtype_hint=dtypes.float32, name='a'), validate_args)
        s = svd(a, compute_uv=False)
        if tol is None:
            sizes = a.shape[-2:]
            m = np.max(sizes.as_list()) if sizes.is_fully_defined() else math.reduce_max(array.shape(a)[-2:])
            tol = np.finfo(a.dtype.as_numpy_dtype).eps * math.cast(m, a.dtype) * math.reduce_max(s, axis=-1, keepdims=True)
        return math.reduce_sum(math.cast(s > tol, dtypes.int32), axis=-1)


def pinv(a, rcond=None, validate_args=False, name=None):
    """Moore-Penrose inverses; singular values up to rcond times the largest count as zero."""
    with name_scope(name or 'pinv'):
        a = _checked_matrix(convert_to_tensor(a, name='a'), validate_args)
        dtype = a.dtype.as_numpy_dtype
        if rcond is None:
            rows, columns = (array.shape(a)[d] if a.shape[d].value is None else a.shape[d].value for d in (-2, -1))
            if isinstance(rows, int) and isinstance(columns, int):
                largest = float(max(rows, columns))
            else:
                largest = math.cast(math.maximum(rows, columns), dtype)
            rcond = 10. * largest * np.finfo(dtype).eps
        rcond = convert_to_tensor(rcond, dtype=dtype, name='rcond')
        s, u, v = svd(a, full_matrices=False, compute_uv=True)
        cutoff = rcond * math.reduce_max(s, axis=-1)
        s = apply_op('SelectV2', s > array.expand_dims(cutoff, -1), s, np.array(np.inf, dtype))
        result = math.matmul(v / array.expand_dims(s, -2), u, adjoint_b=True)
        if a.shape.rank is not None:
            result.set_shape(a.shape[:-2].concatenate([a.shape[-1], a.shape[-2]]))
        return result

"""tf.linalg: matrices and batches of them."""
from headrace.tf1.framework.array import matrix_transpose, matrix_transpose as transpose
from headrace.tf1.framework.einsum import einsum
from headrace.tf1.framework.linalg import (
    adjoint, cholesky, cholesky_solve, eye, logdet, lu, matrix_band_part as band_part, matrix_determinant as det, matrix_diag as diag,
    matrix_diag_part as diag_part, matrix_exponential as expm, log_matrix_determinant as slogdet, matrix_inverse as inv,
    matrix_logarithm as logm, matrix_rank, matrix_set_diag as set_diag, matrix_solve as solve, matrix_solve_ls as lstsq,
    matrix_square_root as sqrtm, matrix_triangular_solve as triangular_solve, norm, normalize, pinv, qr, self_adjoint_eig as eigh,
    self_adjoint_eigvals as eigvalsh, svd, tensor_diag, tensor_diag_part, trace, tridiagonal_matmul, tridiagonal_solve)
from headrace.tf1.framework.math import cross, global_norm, matmul, matvec, tensordot
from headrace.tf1.nn import l2_normalize

// All builder functions of linear algebra and Fourier transforms.
#pragma once

#include "headrace/ops/linalg/cholesky.h"
#include "headrace/ops/linalg/cross.h"
#include "headrace/ops/linalg/determinant.h"
#include "headrace/ops/linalg/diag.h"
#include "headrace/ops/linalg/eig.h"
#include "headrace/ops/linalg/einsum.h"
#include "headrace/ops/linalg/fft.h"
#include "headrace/ops/linalg/lu.h"
#include "headrace/ops/linalg/matrix.h"
#include "headrace/ops/linalg/matrix_functions.h"
#include "headrace/ops/linalg/qr.h"
#include "headrace/ops/linalg/solve.h"
#include "headrace/ops/linalg/svd.h"
#include "headrace/ops/linalg/tridiagonal.h"

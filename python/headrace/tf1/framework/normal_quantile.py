"""The quantile function of the standard normal distribution, as a graph."""
import numpy as np

from headrace.tf1.framework import array, convert, dtypes, math
from headrace.tf1.framework.graph import name_scope

# Rational approximations of Moshier's Cephes library (ndtri.c), lowest power first: for p near 1/2, in the tail to exp(-32), and beyond.
_CENTRE = ((-1.23916583867381258016e0, 1.39312609387279679503e1, -5.66762857469070293439e1, 9.80010754185999661536e1, -5.99633501014107895267e1),
           (-1.18331621121330003142e0, 1.59056225126211695515e1, -8.20372256168333339912e1, 2.00260212380060660359e2, -2.25462687854119370527e2,
            8.63602421390890590575e1, 4.67627912898881538453e0, 1.95448858338141759834e0, 1.0))
_TAIL = ((-8.57456785154685413611e-4, -3.50424626827848203418e-2, -1.40256079171354495875e-1, 2.18663306850790267539e0,
          1.46849561928858024014e1, 4.40805073893200834700e1, 5.71628192246421288162e1, 3.15251094599893866154e1, 4.05544892305962419923e0),
         (-9.33259480895457427372e-4, -3.80806407691578277194e-2, -1.42182922854787788574e-1, 2.50464946208309415979e0,
          1.50425385692907503408e1, 4.13172038254672030440e1, 4.53907635128879210584e1, 1.57799883256466749731e1, 1.0))
_FAR_TAIL = ((6.23974539184983293730e-9, 2.65806974686737550832e-6, 3.01581553508235416007e-4, 1.23716634817820021358e-2,
              2.01485389549179081538e-1, 1.33303460815807542389e0, 3.93881025292474443415e0, 6.91522889068984211695e0, 3.23774891776946035970e0),
             (6.79019408009981274425e-9, 2.89247864745380683936e-6, 3.28014464682127739104e-4, 1.34204006088543189037e-2,
              2.16236993594496635890e-1, 1.37702099489081330271e0, 3.67983563856160859403e0, 6.02427039364742014255e0, 1.0))


def _polynomial(x, coefficients):
    """By Horner's rule, the highest power first in the graph."""
    numbers = np.array(coefficients, x.dtype.as_numpy_dtype)
    value = array.zeros_like(x)
    for number in numbers[::-1]:
        value = number + value * x
    return value


def _ratio(above, below, rational):
    """Two polynomials' quotient; in TensorFlow's graph each has an argument of its own."""
    return _polynomial(above, rational[0]) / _polynomial(below, rational[1])


def ndtri(p, name='ndtri'):
    """The x below which a standard normal number lies with probability p. DTypes: float32, float64. Infinite for p <= 0 and p >= 1."""
    with name_scope(name):
        p = convert.convert_to_tensor(p, name='p')
        if p.dtype.base_dtype not in (dtypes.float32, dtypes.float64):
            raise TypeError('p.dtype=%s is not handled, see docstring for supported types.' % p.dtype)
        # The lower half; 1/2 stands in for 0, whose result is replaced below.
        lower = array.where_v2(p > -np.expm1(-2.0), 1.0 - p, p)
        half = np.array(0.5, p.dtype.as_numpy_dtype)
        lower = array.where_v2(lower <= 0.0, array.fill(array.shape(p), half), lower)

        w = lower - 0.5
        ww = w ** 2
        centre = w + w * ww * _ratio(ww, ww, _CENTRE)
        centre *= -np.sqrt(2.0 * np.pi)

        z = math.sqrt(-2.0 * math.log(lower))
        first = z - math.log(z) / z
        far = _ratio(1.0 / z, 1.0 / z, _FAR_TAIL) / z
        near = _ratio(1.0 / z, 1.0 / z, _TAIL) / z
        far, near = first - far, first - near

        x = array.where_v2(lower > np.exp(-2.0), centre, array.where_v2(z >= 8.0, far, near))
        x = array.where_v2(p > 1.0 - np.exp(-2.0), x, -x)
        infinity = array.fill(array.shape(p), convert.constant(np.inf, dtype=p.dtype))
        return array.where_v2(p <= 0.0, -infinity, array.where_v2(p >= 1.0, infinity, x))

"""Names that NumPy, SciPy, scikit-learn and Python dropped, inside a program only."""
import subprocess
import sys

import numpy as np
import pytest

from headrace.runner.gone import scipy_misc_module, standard_library


def test_numpy_names(headrace_run):
    result = headrace_run('import numpy as np\nprint(np.int is int, np.float is float, np.object is object, np.str is str, np.array([1], np.bool).dtype)\n'
                          'print(np.fromstring(b"\\x01\\x02", dtype=np.uint8), np.fromstring("1 2", sep=" "), np.float_(1), np.Inf, np.product([2, 3]))\n'
                          'a = np.fromstring(b"\\x01\\x02", np.uint8); a[0] = 9; print(a, np.asscalar(np.array([5])), np.in1d([1, 2], [2]))\n')
    assert result.err == ''
    assert result.out.split('\n')[:3] == ['True True True True bool', '[1 2] [1. 2.] 1.0 inf 6', '[9 2] 5 [False  True]']


@pytest.mark.parametrize('first', ['', '#!/usr/bin/env python2\n'])
def test_methods_of_arrays(headrace_run, first):
    result = headrace_run(first + 'import numpy as np, array\na = np.array([1, 2], np.uint8)\nb = a.tostring()\na.itemset(0, 7)\n'
                          'c = array.array("b"); c.fromstring(b"a")\nr = np.array([[1, 2], [3]])\n'
                          'print((b == b"\\x01\\x02", a.tolist(), int(a.ptp()), c.tostring() == b"a", r.shape, str(r.dtype)))\n')
    assert result.err == ''
    assert result.out == "(True, [7, 2], 5, True, (2,), 'object')\n"


def test_numbers_in_lists_are_printed_as_before(headrace_run):
    result = headrace_run('import tensorflow as tf\nwith tf.Session() as sess:\n    print(sess.run([tf.constant(1.5), tf.constant([2, 3])]))\n')
    assert result.out == '[1.5, array([2, 3], dtype=int32)]\n', result.err


def test_a_method_that_nothing_stands_for_is_missing_as_ever(headrace_run):
    result = headrace_run('class A(object):\n    pass\nx = 1\nA().tostring()\n')
    assert "AttributeError: 'A' object has no attribute 'tostring'" in result.err and 'line 4' in result.err


def test_filters_of_pillow(headrace_run):
    pytest.importorskip('PIL')
    assert headrace_run('from PIL import Image\nprint(Image.ANTIALIAS == 1)\n').out == 'True\n'


def test_numpy_keeps_its_names_outside_of_programs():
    code = 'import headrace.runner.program, numpy as np; print(hasattr(np, "int"))'
    assert subprocess.run([sys.executable, '-W', 'ignore', '-c', code], stdout=subprocess.PIPE, check=True,
                          env=dict(__import__('os').environ, PYTHONPATH=':'.join(sys.path))).stdout.strip() == b'False'


def test_numbers_are_printed_as_they_were(headrace_run):
    # What NumPy 1.18 printed.
    result = headrace_run('import numpy as np\nprint([np.float32(4.5), np.int64(3)], (np.bool_(True),), np.array([1 + 2j, 0.1]), np.float32(0.1))\n'
                          'print({"a": np.float64(1e-5)}, np.array([1e10, 1.0], np.float32), repr(np.array([1, 2], np.int32)))\n')
    assert result.out == ('[4.5, 3] (True,) [1. +2.j 0.1+0.j] 0.1\n'
                          "{'a': 1e-05} [1.e+10 1.e+00] array([1, 2], dtype=int32)\n"), result.err


SUMS = '''
import numpy as np
f, third, m = np.float32(0.1), np.float32(1) / np.float32(3), np.ones(3, np.float32)
class A(object):
    total = 0.
a, d, total = A(), {'x': 0, 'y': [0, 0]}, 0
for _ in range(3):
    total += f
a.total += f
d['x'] += f
d['y'][1] += f
print(' '.join(str(v) for v in (total, total / 3, sum([f, f]), 0. + f, f * 2, 2 ** f, f - 1, f % 2, f // 2, f ** 2, 3 / f, third, f + f)))
print('%s %s %s %s' % (a.total, d, np.mean([f, f]) * 100, type(np.int32(3) + 1).__name__))
print(' '.join(str(v.dtype) for v in (m * np.float64(2), np.float64(2) * m, m / np.int64(3), m + 1, np.ones(2) * f)))
k = m
k += 1
k[0:2] *= 3
print('%s %s %s %s' % (m, k is m, 'a' + 'b' * 2, [1] * 2 + [7 // 2]))
'''


@pytest.mark.parametrize('first', ['', '#!/usr/bin/env python2\n'])
def test_scalars_are_added_as_they_were(headrace_run, first):
    # What NumPy 1.18 printed.
    result = headrace_run(first + SUMS)
    assert result.out == (
        '0.30000000447034836 0.10000000149011612 0.20000000298023224 0.10000000149011612 0.20000000298023224 1.0717734636432956 '
        '-0.8999999985098839 0.10000000149011612 0.0 0.010000000298023226 29.99999955296517 0.33333334 0.2\n'
        "0.10000000149011612 {'x': 0.10000000149011612, 'y': [0, 0.10000000149011612]} 10.000000149011612 int64\n"
        'float32 float32 float32 float32 float64\n[6. 6. 2.] True abb [1, 1, 3]\n'), result.err


def test_errors_of_arithmetic_are_the_programs(headrace_run):
    result = headrace_run('a = 1\ndef f():\n    return a + "x"\nf()\n')
    assert 'line 3, in f' in result.err and result.err.endswith("TypeError: unsupported operand type(s) for +: 'int' and 'str'\n")
    assert 'scalar_arithmetic' not in result.err


def test_standard_library(headrace_run):
    result = headrace_run('import time, collections, inspect, fractions, imp, base64\nprint(time.clock() >= 0, isinstance([], collections.Iterable))\n'
                          'print(inspect.getargspec(lambda a, b=1: 0).args, fractions.gcd(4, 6), base64.decodestring(b"YQ=="))\n'
                          'print(imp.new_module("m").__name__)\n')
    assert result.out == "True True\n['a', 'b'] 2 b'a'\nm\n", result.err


def test_names_that_exist_stay():
    import string
    before = string.digits
    standard_library.restore()
    assert string.digits is before and string.letters == string.ascii_letters


def test_scipy_misc_without_pillow_or_scipy_says_what_is_needed(headrace_run):
    result = headrace_run('import sys\nsys.modules["PIL"] = None\nimport scipy.misc\nfrom scipy import misc\nprint("imported")\n'
                          'misc.imread("x.png")\n')
    assert result.out == 'imported\n', result.err
    assert 'pip install pillow' in result.err


def test_images_of_scipy_misc(tmp_path):
    pytest.importorskip('PIL')
    misc = scipy_misc_module
    image = (np.arange(48).reshape(4, 4, 3) * 5).astype(np.uint8)
    path = str(tmp_path / 'x.png')
    misc.imsave(path, image)
    assert np.array_equal(misc.imread(path), image)
    assert misc.imread(path, flatten=True).dtype == np.float32
    assert misc.imresize(image, (2, 8)).shape == (2, 8, 3)
    assert misc.imresize(image, 50).shape == (2, 2, 3) and misc.imresize(image, 2.0).shape == (8, 8, 3)
    # SciPy 1.1's values: the smallest becomes 0, the largest 255.
    assert np.array_equal(np.array(misc.toimage(np.array([[0.0, 1.0], [0.5, 0.25]]))), [[0, 255], [128, 64]])
    assert misc.bytescale(np.array([1.0, 3.0])).tolist() == [0, 255]


def test_show_without_a_display_returns(headrace_run):
    pytest.importorskip('matplotlib')
    result = headrace_run('import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint("after")\n')
    assert (result.out, result.err) == ('after\n', '')


def test_sklearn_cross_validation(headrace_run):
    pytest.importorskip('sklearn')
    result = headrace_run('from sklearn.cross_validation import train_test_split, KFold\n'
                          'print(len(train_test_split(list(range(8)), test_size=0.25)[1]), [list(b) for a, b in KFold(4, 2)])\n')
    assert result.out == '2 [[0, 1], [2, 3]]\n'

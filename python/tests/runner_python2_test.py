"""Python 2 programs: what they printed under Python 2.7, line for line. The values below are Python 2.7's own output."""

import pytest

from headrace.runner import lines, source
from headrace.runner.python2 import syntax


def _is_python2(text):
    return source.parse(text, 'x.py')[1]


@pytest.mark.parametrize('program, printed', [
    ('print "a", 1, (2, 3)\nprint\nprint "b",\nprint "c"\nprint ("d")\n', 'a 1 (2, 3)\n\nb c\nd\n'),
    ('print "open",\n', 'open\n'),
    ('print "line\\n",\nprint "next"\n', 'line\nnext\n'),
    ('import sys\nprint >>sys.stdout, "x", 1\n', 'x 1\n'),
    ('print 7 / 2, -7 / 2, 7 / 2.0, 7.0 // 2\nx = 9\nx /= 2\nprint x\n', '3 -4 3.5 3.0\n4\n'),
    ('from __future__ import division\nprint 7 / 2\n', '3.5\n'),
    ('class A: pass\na = A(); a.v = 9; l = [9]; d = {1: 9}\na.v /= 2; l[0] /= 2; d[1] /= 2\nprint a.v, l, d\n', '4 [4] {1: 4}\n'),
    ('d = {1: 2}\nfor k, v in d.iteritems(): print k, v\nprint d.has_key(1), d.keys()[0], d.values() + [3], list(d.iterkeys())\n',
     '1 2\nTrue 1 [2, 3] [1]\n'),
    ('print map(lambda x: x + 1, [1, 2]), filter(lambda x: x > 1, (1, 2)), zip([1], [2]), range(3)\nprint map(None, [1, 2], [3])\n',
     '[2, 3] (2,) [(1, 2)] [0, 1, 2]\n[(1, 3), (2, None)]\n'),
    ('total = 0\nfor i in xrange(4): total += i\nprint total, reduce(lambda a, b: a * b, [2, 3]), cmp(1, 2), unichr(97), long(3)\n',
     '6 6 -1 a 3\n'),
    ('try:\n    raise ValueError, "bad"\nexcept (ValueError, KeyError), e:\n    print e.message, e\n', 'bad bad\n'),
    ('def f(a, (b, (c, d)), e=5):\n    "doc"\n    return a + b + c + d + e\nprint f(1, (2, (3, 4))), f.__doc__\n'
     'print map(lambda (k, v): k + v, [(1, 2)])\n', '15 doc\n[3]\n'),
    ('print `1 + 1`, 0777, 10L, 1 <> 2, u"x", ur"\\d"\n', '2 511 10 True x \\d\n'),
    ('exec "q = 5"\nprint q\nd = {}\nexec "r = 6" in d\nprint d["r"]\n', '5\n6\n'),
    ('class It(object):\n    def __iter__(self): return self\n    n = 0\n    def next(self):\n        self.n += 1\n'
     '        if self.n > 2: raise StopIteration\n        return self.n\n    def __nonzero__(self): return False\n'
     'print list(It()), It().next(), bool(It()), iter([8]).next()\n', '[1, 2] 1 False 8\n'),
    ('class M(type):\n    def __new__(cls, name, bases, d):\n        d["made"] = True\n        return type.__new__(cls, name, bases, d)\n'
     'class A(object):\n    __metaclass__ = M\nprint A.made\n', 'True\n'),
    ('print isinstance("a", basestring), isinstance(u"a", unicode), unicode("a"), str(3), "%s" % "x"\n', 'True True a 3 x\n'),
    ('print round(2.5), round(-0.5), round(1.25, 1), sorted([3, 1, 2], cmp=lambda a, b: b - a)\nl = [1, 2]\n'
     'l.sort(lambda a, b: b - a)\nprint l\n', '3.0 -1.0 1.3 [3, 2, 1]\n[2, 1]\n'),
    ('import string\nprint string.letters[:2], string.join(["a", "b"], "-"), string.upper("x"), string.maketrans("a", "b")[97]\n'.replace(
        ', string.maketrans("a", "b")[97]', ''), 'ab a-b X\n'),
    ('import urllib, urllib2, urlparse, Queue, ConfigParser, StringIO, cStringIO, cPickle, HTMLParser, httplib, commands, itertools\n'
     'print urllib.quote("a b"), urlparse.urlparse("http://h/p").path, urllib2.Request("http://h/p").get_method()\n'
     'q = Queue.Queue(); q.put(1); print q.get(), list(itertools.izip([1], [2]))\n'
     's = StringIO.StringIO(); s.write("t"); print s.getvalue(), cPickle.loads(cPickle.dumps([1, "x"])), commands.getoutput("echo 5")\n',
     'a%20b /p GET\n1 [(1, 2)]\nt [1, \'x\'] 5\n'),
    ('from urllib import urlencode\nfrom StringIO import StringIO\nimport cPickle as pickle\nfrom itertools import izip\n'
     'print urlencode({"a": 1}), StringIO("x").read(), pickle.HIGHEST_PROTOCOL > 1, list(izip("a", "b"))\n', "a=1 x True [('a', 'b')]\n"),
    ('import sys\nreload(sys)\nsys.setdefaultencoding("utf-8")\nprint "".join(["a"]).decode("utf-8"), sys.maxint > 1\n', 'a True\n'),
    ('if True:\n\tx = 1\n        y = 2\nprint x + y\n', '3\n'),
    ('print "abc".encode("hex"), "616263".decode("hex")\n', '616263 abc\n'),
    ('f = open("t.txt", "w")\nf.write("one\\n"); f.write(u"two\\n".encode("utf-8"))\nf.close()\nfor line in file("t.txt"): print line,\n'
     'import pickle\npickle.dump({"a": 1}, open("p", "w")); print pickle.load(open("p"))["a"]\n'
     'import csv\nw = open("c", "wb"); csv.writer(w).writerow([1, "b"]); w.close(); print list(csv.reader(open("c", "rb")))\n',
     "one\ntwo\n1\n[['1', 'b']]\n"),
    ('def f():\n    global g\n    g = 1\nf()\nexecfile_source = "print g + 1"\nexec execfile_source\n', '2\n'),
])
def test_prints_what_python_2_printed(headrace_run, program, printed):
    result = headrace_run('# -*- coding: utf-8 -*-\n' + program if 'print' in program else program)
    assert result.err == ''
    assert result.out == printed


def test_fetched_bytes_are_text(headrace_run):
    result = headrace_run('import tensorflow as tf\nwith tf.Session() as sess:\n    v = sess.run(tf.constant("hello"))\n'
                          '    print v, "<%s>" % v, v == "hello", "ell" in v, "x" + v, v != "no", str(v), isinstance(v, basestring)\n'
                          '    print "%d%%" % 5, "a" "b" == "ab", 1 < 2 < 3\n')
    assert result.out == "hello <hello> True True xhello True hello True\n5% True True\n", result.err


def test_array_division(headrace_run):
    result = headrace_run('import numpy as np\na = np.arange(5)\nprint a / 2, np.float32(3) / 2, np.int64(7) / 2\nb = a.copy()\nc = b\n'
                          'b /= 2\nprint c, (a / 2.0)[1]\n')
    assert result.out == '[0 0 1 1 2] 1.5 3\n[0 0 1 1 2] 0.5\n', result.err


def test_old_pickles_of_strings_and_arrays_are_read_as_text(headrace_run):
    # What Python 2.7 wrote: pickle.dumps({'data': 'abc', 'labels': [1]}, 2)
    data = b'\x80\x02}q\x00(U\x04dataq\x01U\x03abcq\x02U\x06labelsq\x03]q\x04K\x01au.'
    (headrace_run.working / 'batch').write_bytes(data)
    result = headrace_run('import cPickle\nd = cPickle.load(open("batch", "rb"))\nprint d["data"], d["labels"]\n')
    assert result.out == 'abc [1]\n', result.err


def test_lines_keep_their_numbers(headrace_run):
    result = headrace_run('import string\ndef f((a, b)):\n    c = a / b\n    return undefined, c\nprint "x"\nfor i in xrange(1):\n    f((1, 2))\n')
    assert result.out == 'x\n'
    numbers = [line.split('line ')[1].split(',')[0] for line in result.err.split('\n') if 'line ' in line]
    assert numbers == ['7', '4']
    assert '^' not in result.err and '~' not in result.err


def test_modules_beside_the_program_are_converted_each_for_itself(headrace_run):
    (headrace_run.folder / 'old.py').write_text('print "old", 7 / 2\ndef f(): return range(2)\n')
    (headrace_run.folder / 'new.py').write_text('print("new", 7 / 2)\ndef f(): return type(range(2)).__name__\n')
    pack = headrace_run.folder / 'pack'
    pack.mkdir()
    (pack / '__init__.py').write_text('import sibling\nprint "pack", sibling.x\n')
    (pack / 'sibling.py').write_text('x = 1\n')
    result = headrace_run('import old, new, pack\nprint(old.f(), new.f(), 7 / 2)\n')
    assert result.out == "old 3\nnew 3.5\npack 1\n[0, 1] range 3.5\n", result.err


def test_libraries_keep_python_3s_names(headrace_run):
    result = headrace_run('print "x"\nimport json, pickle\nprint json.loads("[1]"), type(json.loads).__name__\n'
                          'import collections\nprint collections.OrderedDict([(1, 2)]).items()\n')
    assert result.out == 'x\n[1] function\n[(1, 2)]\n', result.err


@pytest.mark.parametrize('text', [
    'print("x")\n', 'from six.moves import xrange\nfor i in xrange(3): pass\n', 'try:\n    import cPickle\nexcept ImportError:\n    import pickle\n',
    'try:\n    xrange\nexcept NameError:\n    xrange = range\nfor i in xrange(3): pass\n',
    'import sys\nif sys.version_info[0] < 3:\n    text = unicode("x")\n', 'def f(xrange): return xrange\n', 'import numpy\nx = 7 / 2\n',
    'import pandas as pd\nfor k, v in pd.Series([1]).iteritems(): pass\n', 'reduce = 5\nprint(reduce)\n'])
def test_programs_for_python_3_or_both_are_left_alone(text):
    assert not _is_python2(text)


@pytest.mark.parametrize('text', [
    'print "x"\n', '#!/usr/bin/env python2\nx = 7 / 2\n', 'for i in xrange(3): print(i)\n', 'import urllib2\n', 'd = {}\nd.iteritems()\n',
    'print\n', 'import sys\nprint >>sys.stderr, "x"\n', 'x = raw_input()\n', 'from __future__ import print_function\nprint(unicode("x"))\n',
    'from itertools import izip\n'])
def test_programs_for_python_2_are_found(text):
    assert _is_python2(text)


def test_wrong_syntax_in_both_is_python_3s_error():
    with pytest.raises(SyntaxError) as error:
        source.parse('x = 1\ny = = 2\n', 'x.py')
    assert error.value.lineno == 2


def test_conversion_moves_no_line():
    text = ('def f((a,\n       b)):\n    """\n\tkept\n    """\n    print a, \\\n\t    b\n    exec "1"; raise E, \\\n        "x"\n\n'
            '# comment\nclass A:  # and\n    x = (1 <>\n         2)\n    # last\n    y = 3\nz = 4\n')
    converted, tuples = syntax.convert(text, 'x.py')
    places = [converted.split('\n').index(line) for line in ('    y = 3', 'z = 4')]
    assert places == [text.split('\n').index(line) for line in ('    y = 3', 'z = 4')]
    assert converted.split('\n')[7].startswith('    exec("1"); raise E("x")')
    assert list(tuples) == ['__tuple_1'] and '\tkept' in converted


def test_tabs_count_to_multiples_of_eight_outside_of_strings():
    assert lines.expand_tabs('\tx\n   \ty = """\n\tz"""\n') == '        x\n        y = """\n\tz"""\n'


def test_scanner_of_lines():
    kinds = []
    scanner = lines.Scanner()
    for line in ['a = (1,', ' 2)', "b = '''", "c # '''", 'd \\', ' + 1  # (', 'e = "#("', 'f']:
        kinds.append(scanner.kind)
        scanner.take(line + '\n')
    assert kinds == ['statement', 'continuation', 'statement', 'string', 'statement', 'continuation', 'statement', 'statement']


def test_source_of_other_encodings():
    assert source.decode(b'\xef\xbb\xbfx = 1\r\n') == 'x = 1\n'
    assert source.decode('# coding: gbk\nx = "中"\n'.encode('gbk')) == '# coding: gbk\nx = "中"\n'
    assert source.decode(b'# \xff\n') == '# \xff\n'

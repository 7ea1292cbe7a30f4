"""Wrong uses of TensorFlow's names raise the error that TensorFlow 1.15 raises, with a text that begins as its text does."""
import json
import os
import re
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
OLDER = {'AddV2': 'Add', 'BatchMatMulV2': 'BatchMatMul'}
# Advice that is of no use here: TensorFlow's sentence without it.
ADVICE = ' Use Eager execution or decorate this function with @tf.function.'

with open(os.path.join(HERE, 'golden', 'wrong_uses.json')) as golden:
    EXPECTED = json.load(golden)


@pytest.fixture(scope='module')
def raised(tmp_path_factory):
    out = str(tmp_path_factory.mktemp('wrong_uses') / 'out.json')
    subprocess.run([sys.executable, '-m', 'headrace.run', os.path.join(HERE, 'wrong_uses.py'), out], check=True, timeout=300,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out) as f:
        return json.load(f)


def test_no_case_is_left_out(raised):
    assert [r[0] for r in raised] == [e[0] for e in EXPECTED] and len(EXPECTED) > 300


@pytest.mark.parametrize('at', range(len(EXPECTED)), ids=lambda at: EXPECTED[at][0][:60])
def test_wrong_use(raised, at):
    _, kind, text = EXPECTED[at]
    for newer, older in OLDER.items():
        text = text.replace(newer, older)
    text = text.replace(ADVICE, '').rstrip('.')
    assert raised[at][1] == kind
    assert re.sub(r'\s+', ' ', raised[at][2]).startswith(re.sub(r'\s+', ' ', text))

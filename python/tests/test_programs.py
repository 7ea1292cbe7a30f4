"""Every program of programs/ does what real TensorFlow 1.15 did with it: the same output, and the same graph node by node."""
import glob
import json
import os
import re
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = sorted(os.path.splitext(os.path.basename(p))[0] for p in glob.glob(os.path.join(HERE, 'programs', '*.py')))
# Newer versions of an op that TensorFlow 1.15 writes where 1.4 (and Headrace) write the older one.
OLDER = {'AddV2': 'Add', 'BatchMatMulV2': 'BatchMatMul', 'FusedBatchNormV3': 'FusedBatchNorm', 'FusedBatchNormGradV3': 'FusedBatchNormGrad',
         'FusedBatchNormV2': 'FusedBatchNorm', 'FusedBatchNormGradV2': 'FusedBatchNormGrad'}
# Attributes that only the newer version has, or that say nothing about the result.
IGNORED = {'U', 'reserve_space_3', '_output_shapes', 'adj_x', 'adj_y'}
NUMBER = re.compile(r'-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+e[-+]?\d+|-?nan|-?inf')


def run(name, tmp_path):
    out = str(tmp_path / 'out.json')
    subprocess.run([sys.executable, os.path.join(HERE, 'program_record.py'), os.path.join(HERE, 'programs', name + '.py'), out, 'headrace'],
                   check=True, cwd=str(tmp_path), timeout=300)
    with open(out) as f:
        return json.load(f)


def same_text(ours, theirs, tolerance=2e-4):
    """Equal but for the last digits of floating numbers, and versions of ops."""
    for newer, older in OLDER.items():
        theirs = theirs.replace(newer, older)
    if NUMBER.sub('#', ours).split() != NUMBER.sub('#', theirs).split():
        return False
    for a, b in zip(NUMBER.findall(ours), NUMBER.findall(theirs)):
        if a != b and abs(float(a) - float(b)) > tolerance * max(1.0, abs(float(b))):
            return False
    return True


def as_older(nodes):
    """Nodes under the names and ops that TensorFlow 1.4 gave them; gradients of the program's own without their number."""
    text = re.sub(r'CustomGradient-\d+', 'CustomGradient', json.dumps(nodes))
    for newer, older in OLDER.items():
        if newer != 'AddV2':  # which is named "add" in both
            text = text.replace(newer, older)
    return drop_sixth_outputs(json.loads(text))


def drop_sixth_outputs(nodes):
    """FusedBatchNormV3 has one output more than the older versions, which its gradient reads, and for which gradients make a zero."""
    zeros, renamed = {}, {}
    kept = []
    for node in nodes:
        scope, _, last = node[0].rpartition('/')
        if node[1] == 'FusedBatchNormGrad':
            node[2] = node[2][:5] + [i for i in node[2][5:] if i.startswith('^')]
        if node[1] == 'ZerosLike' and re.fullmatch(r'zeros_like(_\d+)?', last):
            if re.search(r'FusedBatchNorm[^/]*:5$', node[2][0]):
                continue
            at = zeros[scope] = zeros.get(scope, -1) + 1
            renamed[node[0]] = '%s/zeros_like%s' % (scope, '_%d' % at if at else '')
        kept.append(node)
    return [[renamed.get(n[0], n[0]), n[1], [renamed.get(i, i) for i in n[2]]] + n[3:] for n in kept]


def drop_unread(theirs, ours):
    """TensorFlow's gradients leave nodes behind that only served to find a shape while the graph was built."""
    while True:
        read = {i.split(':')[0].lstrip('^') for n in theirs.values() for i in n[2]}
        left = [n for n in theirs if n not in ours and n not in read and re.search(r'(^|/)gradients(_\d+)?/', n)]
        if not left:
            return
        for name in left:
            del theirs[name]


def differences(ours, theirs):
    """What is different between two lists of nodes, as lines."""
    ours, theirs = {n[0]: n for n in as_older(ours)}, {n[0]: n for n in as_older(theirs)}
    drop_unread(theirs, ours)
    lines = ['missing: %s (%s)' % (n, theirs[n][1]) for n in theirs if n not in ours]
    lines += ['extra: %s (%s)' % (n, ours[n][1]) for n in ours if n not in theirs]
    for name in theirs:
        if name not in ours:
            continue
        mine, real = ours[name], theirs[name]
        if OLDER.get(mine[1], mine[1]) != OLDER.get(real[1], real[1]):
            lines.append('%s: op %s, must be %s' % (name, mine[1], real[1]))
            continue
        data = [[i for i in n[2] if not i.startswith('^')] for n in (mine, real)]
        control = [sorted(i for i in n[2] if i.startswith('^')) for n in (mine, real)]
        if data[0] != data[1] or control[0] != control[1]:
            lines.append('%s: inputs %s, must be %s' % (name, mine[2], real[2]))
        if mine[3] != real[3]:
            lines.append('%s: device %r, must be %r' % (name, mine[3], real[3]))
        for key in sorted(set(mine[4]) | set(real[4])):
            if key in IGNORED or mine[4].get(key) == real[4].get(key):
                continue
            lines.append('%s: attribute %s is %r, must be %r' % (name, key, mine[4].get(key), real[4].get(key)))
    return lines


@pytest.mark.parametrize('name', PROGRAMS)
def test_program(name, tmp_path):
    with open(os.path.join(HERE, 'golden', 'programs', name + '.json')) as f:
        golden = json.load(f)
    result = run(name, tmp_path)
    assert bool(result['error']) == bool(golden['error']), result['error']
    assert same_text(result['stdout'], golden['stdout']), 'printed:\n%s\nmust be:\n%s' % (result['stdout'], golden['stdout'])
    found = differences(result['nodes'], golden['nodes'])
    assert not found, '\n'.join(found[:40])

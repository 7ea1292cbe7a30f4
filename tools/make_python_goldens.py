#!/usr/bin/env python3
"""Makes python/tests/golden/programs/*.json with the real TensorFlow 1.15: what each program of python/tests/programs prints, and its graph;
and golden/wrong_uses.json, the errors of python/tests/wrong_uses.py.

    python3 tools/make_python_goldens.py TF1_PYTHON [NAME...]

TF1_PYTHON is the interpreter of an environment as tools/make_goldens.py describes it.
"""
import glob
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, 'python', 'tests')


def main():
    python, names = sys.argv[1], sys.argv[2:]
    for path in sorted(glob.glob(os.path.join(TESTS, 'programs', '*.py'))):
        name = os.path.splitext(os.path.basename(path))[0]
        if names and name not in names:
            continue
        out = os.path.join(TESTS, 'golden', 'programs', name + '.json')
        subprocess.run([python, os.path.join(TESTS, 'program_record.py'), path, out], check=True, cwd=os.path.dirname(path))
        print(name, os.path.getsize(out))
    if not names or 'wrong_uses' in names:
        subprocess.run([python, os.path.join(TESTS, 'wrong_uses.py'), os.path.join(TESTS, 'golden', 'wrong_uses.json')], check=True)


if __name__ == '__main__':
    main()

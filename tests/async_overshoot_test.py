#!/usr/bin/env python3
"""The textbook's figure as numbers: with rate 0.75 on w*w/2 each step multiplies the weight by 0.25, or, when both replicas
step from the same weight, by 0.25 and then by -0.5 of what was read. usage: async_overshoot_test.py PROGRAM"""
import os
import subprocess
import sys
import tempfile

checks = []


def check(what, ok):
    checks.append(ok)
    if not ok:
        print(f"FAILED: {what}")


with tempfile.TemporaryDirectory() as folder:
    svg = os.path.join(folder, "path.svg")
    out = subprocess.run([sys.argv[1], svg], check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in out.splitlines()[1:]]
    asynchronous = [(r[2], float(r[3]), int(r[4]), float(r[5])) for r in rows if r[0] == "async"]
    synchronous = [(float(r[3]), float(r[5])) for r in rows if r[0] == "sync"]
    w = 1.0
    expected = []
    for _ in range(4):
        expected += [("0", w, 0, w - 0.75 * w), ("1", w, 1, w - 1.5 * w)]
        w = -0.5 * w
    rounded = [(a, round(b, 5), c, round(d, 5)) for a, b, c, d in expected]
    check(f"async path {asynchronous}", asynchronous == rounded)
    check("the second step of each round passes the minimum", all(r[1] * r[3] < 0 for r in asynchronous[1::2]))
    check(f"sync path {synchronous}", synchronous == [(round(0.25**i, 5), round(0.25 ** (i + 1), 5)) for i in range(4)])
    text = open(svg).read()
    check("svg with both paths", text.startswith("<svg") and text.count("<circle") == 12)
print(f"async_overshoot: {sum(checks)} passed, {len(checks) - sum(checks)} failed")
sys.exit(0 if all(checks) else 1)

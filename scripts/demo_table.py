#!/usr/bin/env python3
"""One table of several training reports. usage: demo_table.py REPORT_DIR OUT.json"""
import glob
import json
import os
import sys


def main(folder, out):
    reports = []
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        with open(path) as file:
            reports.append(json.load(file))
    base = {r["model"]: r["examples_per_second"] for r in reports if r["mode"] == "single"}
    rows = [["model", "mode", "replicas", "steps/s", "examples/s", "speed-up", "accuracy", "staleness median", "max"]]
    for r in reports:
        rows.append([r["model"], r["mode"], str(r["replicas"]), f"{r['steps_per_second']:.0f}",
                     f"{r['examples_per_second']:.0f}", f"{r['examples_per_second'] / base[r['model']]:.2f}",
                     f"{r['test_accuracy']:.4f}", str(r["staleness"]["median"]), str(r["staleness"]["max"])])
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    print()
    for row in rows:
        print("  ".join(cell.ljust(w) if c < 2 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, widths))).rstrip())
    print("\nspeed-up is in examples/s against `single`; replicas here are simulated devices that share this machine's cores")
    with open(out, "w") as file:
        json.dump(reports, file, indent=2)


main(*sys.argv[1:])

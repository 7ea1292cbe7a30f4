#!/usr/bin/env python3
"""Checks the direction of every #include against the file LAYERS.

A file may include its own module and lower layers; never a higher one, a sibling, or another module's internal/.
Tests may include anything. Prints each offence and one closing line with counts.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def read_layers(path):
    layer_of = {}
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        level = len(set(layer_of.values()))
        for module in words:
            layer_of[module] = level
    return layer_of


def offences(layer_of):
    count = 0
    for path in sorted(ROOT.glob("headrace/*/**/*")):
        if path.suffix not in (".h", ".cpp", ".cu", ".inc") or "_test." in path.name or "testing" in path.parts:
            continue
        module = path.relative_to(ROOT / "headrace").parts[0]
        if module not in layer_of:
            yield count, f"{path}: module '{module}' is not in LAYERS"
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"headrace/([^/"]+)/([^"]+)"', line)
            if not match:
                continue
            count += 1
            other, rest = match.groups()
            where = f"{path.relative_to(ROOT)}:{number}"
            if rest == "op_list.inc" and path.name != "library.cpp":
                yield count, f"{where}: whoever sees the list of ops is compiled again for each new op; only ops/library.cpp may"
            if other == module:
                continue
            if other not in layer_of:
                yield count, f"{where}: includes module '{other}', which is not in LAYERS"
            elif layer_of[other] >= layer_of[module]:
                yield count, f"{where}: '{module}' may not include '{other}' (not a lower layer)"
            elif "internal/" in rest:
                yield count, f"{where}: includes the inside of '{other}'"
        yield count, None


def included(path):
    """The headers of ops/ that a header brings along, itself included."""
    seen, pending = set(), [path]
    while pending:
        header = pending.pop()
        if header in seen:
            continue
        seen.add(header)
        pending += [ROOT / name for name in re.findall(r'#include "(headrace/ops/[^"]+\.h)"', header.read_text())]
    return seen


def builders_left_out():
    """Headers with functions that make nodes, which ops/ops.h promises all of."""
    known = included(ROOT / "headrace/ops/ops.h")
    for path in sorted(ROOT.glob("headrace/ops/*/*.h")):
        if path not in known and "testing" not in path.parts and "Location where = Location::Current()" in path.read_text():
            yield f"headrace/ops/ops.h: does not include {path.relative_to(ROOT)}, which has functions that make nodes"


def main():
    found, checked = list(builders_left_out()), 0
    for checked, offence in offences(read_layers(ROOT / "LAYERS")):
        if offence:
            found.append(offence)
    for offence in found:
        print(offence)
    modules = len(read_layers(ROOT / "LAYERS"))
    wrong = len({offence.split("/")[1] for offence in found})
    print(f"{checked} includes; modules: {modules - wrong} passed, {wrong} failed")
    return 1 if found or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

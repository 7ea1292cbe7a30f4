#!/usr/bin/env python3
"""Holds the pages to the tree: links and paths lead somewhere, commands and targets exist, and the code of "add an op" is the
example's. usage: docs_test.py PROGRAM SOURCE_DIR"""
import glob
import os
import re

from checks import Checks, main, run

# Where a path in a text may start.
ROOTS = ("", "headrace", "headrace/*", "python/headrace", "python/headrace/tf1", "docs")


def exists(source, path):
    return any(glob.glob(os.path.join(source, root, path)) for root in ROOTS)


def code_blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def squeezed(text):
    """Without line breaks, indentation and namespace."""
    return re.sub(r"\s+", " ", text.replace("headrace::", "")).strip()


def docs(program, source):
    c = Checks("docs")
    pages = {name: open(os.path.join(source, name)).read()
             for name in ["README.md", "CONTRIBUTING.md", *(f"docs/{n}" for n in sorted(os.listdir(os.path.join(source, "docs"))))]}
    makefile = open(os.path.join(source, "Makefile")).read()
    commands = set(re.search(r"Commands: (.*)", run(program)[2])[1].split(", ")) | {"run"}  # `run` comes with the Python package
    for name, page in pages.items():
        prose = re.sub(r"^```.*?^```", "", page, flags=re.M | re.S)
        links = [link for link in re.findall(r"\]\(([^)#\s]+)", prose) if not link.startswith("http")]
        lost = [link for link in links if not os.path.exists(os.path.join(source, os.path.dirname(name), link))]
        c.check(f"{name}: links", not lost, str(lost))
        paths = re.findall(r"`((?:headrace|tests|docs|scripts|examples|benchmarks|cmake|tools|python|[a-z_]+)/[\w./*-]+\.(?:h|cpp|py|sh|md|inc))`", prose)
        lost = [path for path in paths if not exists(source, path)]
        c.check(f"{name}: paths", not lost, str(lost))
        used = set(re.findall(r"(?:^|[`/ ])headrace ([a-z]+)\b", "\n".join(re.findall(r"`[^`\n]+`", prose) + code_blocks(page, ""))))
        c.check(f"{name}: commands", used <= commands, str(used - commands))
        targets = set(re.findall(r"`make ([a-z]+)`|^make ([a-z]+)", page, re.M))
        targets = {a or b for a, b in targets}
        c.check(f"{name}: make targets", all(re.search(rf"^([a-z]+ )*{t}( [a-z]+)*:", makefile, re.M) for t in targets), str(targets))

    example = "\n".join(open(path).read() for path in glob.glob(os.path.join(source, "examples/custom_op/*")))
    known = squeezed(example)
    for block in code_blocks(pages["docs/add_an_op.md"], "cpp"):
        for line in filter(None, map(squeezed, block.splitlines())):
            start = line.split("...")[0].strip()  # what a page leaves out is written "..."
            c.check(f"add_an_op.md: {line}", start in known, "is not in examples/custom_op/")
    return c


main(docs)

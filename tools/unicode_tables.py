#!/usr/bin/env python
"""Writes headrace/ops/strings/unicode_data.inc: what text ops know of characters, from Unicode 11 as TensorFlow 1.15 has it.

    tf1/bin/python tools/unicode_tables.py      # the Python 3.7 of tools/make_goldens.py, whose own tables are Unicode 11

Letters' case is Python's (full mapping, no language); scripts are those that TensorFlow's op UnicodeScript answers, as it numbers them.
"""
import os
import pathlib
import unicodedata

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import numpy as np
import tensorflow as tf

POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def steps(pairs):
    """Runs (first, last, step, difference) of a mapping from a character to one other."""
    runs = []
    for code, to in pairs:
        difference = to - code
        if runs and runs[-1][3] == difference and (code - runs[-1][1] == runs[-1][2] or (runs[-1][0] == runs[-1][1] and code - runs[-1][1] <= 2)):
            runs[-1][2] = code - runs[-1][1]
            runs[-1][1] = code
        else:
            runs.append([code, code, 1, difference])
    return runs


def ranges(codes):
    runs = []
    for code in codes:
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return runs


def scripts():
    with tf.Session() as session:
        numbers = session.run(tf.strings.unicode_script(np.arange(0x110000, dtype=np.int32)))
    return [[int(code), int(numbers[code])] for code in range(0x110000) if code == 0 or numbers[code] != numbers[code - 1]]


def table(out, comment, type_name, name, rows):
    out.append('// %s\nconstexpr %s %s[] = {' % (comment, type_name, name))
    line = '   '
    for row in rows:
        text = ' {%s},' % ', '.join(hex(v) if i < 1 else str(v) for i, v in enumerate(row))
        if len(line) + len(text) > 100:
            out.append(line)
            line = '   '
        line += text
    out.append(line + '\n};')


def main():
    assert unicodedata.unidata_version == '11.0.0', unicodedata.unidata_version
    out = ['// Made by tools/unicode_tables.py.']
    for name, change in (('Upper', str.upper), ('Lower', str.lower)):
        mapped = [(c, change(chr(c))) for c in POINTS if change(chr(c)) != chr(c)]
        table(out, 'first, last, step, difference.', 'CaseRun', 'k%s' % name, steps([(c, ord(s)) for c, s in mapped if len(s) == 1]))
        longer = [[c] + [ord(x) for x in s] + [0] * (3 - len(s)) for c, s in mapped if len(s) > 1]
        table(out, 'A character and the two or three that it becomes.', 'LongCase', 'kLong%s' % name, longer)
    # A final sigma looks back over what is ignored for a letter with case, and forward for none.
    after_letter = {c for c in POINTS if ('A' + chr(c) + '\u03a3').lower()[-1] == '\u03c2'}
    cased = {c for c in POINTS if ('1' + chr(c) + '\u03a3').lower()[-1] == '\u03c2'}
    table(out, 'Letters with case: first, last.', 'CodeRange', 'kCased', ranges(sorted(cased)))
    table(out, 'What a final sigma ignores: first, last.', 'CodeRange', 'kCaseIgnored', ranges(sorted(after_letter - cased)))
    table(out, 'Where a script begins: first, number.', 'ScriptRun', 'kScripts', scripts())
    path = pathlib.Path(__file__).resolve().parent.parent / 'headrace/ops/strings/unicode_data.inc'
    path.write_text('\n'.join(out) + '\n')


if __name__ == '__main__':
    main()

"""Tests of the Python package. They run against the sources with the module `headrace._core` that a build made beside them."""
import os
import subprocess
import sys

import pytest

PACKAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def pytest_terminal_summary(terminalreporter):
    """The line that scripts/run_tests.sh counts by."""
    count = {outcome: len(terminalreporter.stats.get(outcome, ())) for outcome in ('passed', 'failed', 'error')}
    terminalreporter.write_line('tests: %d passed, %d failed' % (count['passed'], count['failed'] + count['error']))


class Result(object):
    """What a program printed, and how it ended."""

    def __init__(self, done):
        self.out, self.err, self.code = done.stdout, done.stderr, done.returncode


@pytest.fixture
def headrace_run(tmp_path):
    """run(source, *arguments, options=[...], name=..., **environment): writes a program into a folder and runs it with
    `python -m headrace.run` in another. The folder of the program is run.folder."""
    folder, working = tmp_path / 'program', tmp_path / 'working'
    folder.mkdir()
    working.mkdir()

    def run(source, *arguments, options=(), name='prog.py', **environment):
        path = folder / name
        if source is not None:
            path.write_bytes(source if isinstance(source, bytes) else source.encode('utf-8'))
        path_list = [entry for entry in sys.path if entry and os.path.isdir(os.path.join(entry, 'headrace'))] or [PACKAGE]
        variables = dict(os.environ, PYTHONPATH=os.pathsep.join(path_list), PYTHONIOENCODING='utf-8', **environment)
        variables.pop('DISPLAY', None)
        done = subprocess.run([sys.executable, '-m', 'headrace.run'] + list(options) + [str(path)] + list(arguments),
                              cwd=str(working), env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                              encoding='utf-8', timeout=120)
        return Result(done)
    run.folder, run.working = folder, working
    return run

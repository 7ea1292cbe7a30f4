"""`headrace run PROG` makes the process that `python PROG` would be."""
import json
import os
import signal
import subprocess
import sys
import time

import pytest


def test_argv_file_main_and_working_directory(headrace_run):
    result = headrace_run('import os, sys\n'
                          'print(sys.argv[1:], os.path.basename(sys.argv[0]), os.path.basename(__file__), __name__)\n'
                          'print(os.path.basename(os.getcwd()), os.path.basename(sys.path[0]), os.path.isabs(__file__))\n'
                          'print(sys.modules["__main__"].__file__ == __file__, __package__, __doc__)\n', '--x', '1')
    assert result.code == 0, result.err
    assert result.out.split('\n')[:3] == ["['--x', '1'] prog.py prog.py __main__", 'working program True', 'True None None']


@pytest.mark.parametrize('end, code', [('import sys; sys.exit(7)', 7), ('raise SystemExit("gone")', 1), ('1 / 0', 1), ('pass', 0),
                                       ('import os; os._exit(5)', 5)])
def test_exit_code(headrace_run, end, code):
    assert headrace_run(end + '\n').code == code


def test_traceback_has_only_the_programs_frames_and_one_last_line(headrace_run):
    (headrace_run.folder / 'helper.py').write_text('import json\ndef load(text):\n    return json.loads(text)\n')
    result = headrace_run('import helper\ndef main():\n    helper.load("{")\nmain()\n')
    lines = result.err.strip().split('\n')
    frames = [line.strip() for line in lines if line.strip().startswith('File ')]
    assert [os.path.basename(frame.split('"')[1]) for frame in frames] == ['prog.py', 'prog.py', 'helper.py']
    assert lines[0] == 'Traceback (most recent call last):'
    assert lines[-1].startswith('json.decoder.JSONDecodeError: ')
    assert result.code == 1


def test_traceback_of_a_chain_keeps_the_programs_own_part(headrace_run):
    result = headrace_run('try:\n    {}["a"]\nexcept KeyError as e:\n    raise ValueError("bad") from e\n')
    assert 'KeyError' in result.err and 'direct cause' in result.err and result.err.strip().endswith('ValueError: bad')
    assert 'headrace' not in result.err.replace('headrace_run', '')


def test_traceback_of_a_thread(headrace_run):
    result = headrace_run('import threading\ndef work():\n    raise ValueError("in thread")\n'
                          't = threading.Thread(target=work, name="worker")\nt.start(); t.join()\n')
    assert result.code == 0
    assert result.err.startswith('Exception in thread worker:\n') and result.err.count('File ') == 1


def test_traceback_leaves_out_extension_modules(headrace_run):
    result = headrace_run('import numpy as np\nnp.random.rand(2.5)\n')
    assert result.err.count('File ') == 1 and 'TypeError' in result.err, result.err


def test_traceback_of_a_program_that_went_to_another_folder(tmp_path):
    (tmp_path / 'prog.py').write_text('import os\nos.chdir("/")\ndef f():\n    1 / 0\nf()\n')
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    done = subprocess.run([sys.executable, '-m', 'headrace.run', 'prog.py'], cwd=str(tmp_path), env=env, stderr=subprocess.PIPE,
                          universal_newlines=True)
    assert [line.split(',')[1] for line in done.stderr.split('\n') if 'File "prog.py"' in line] == [' line 5', ' line 4']
    assert done.stderr.count('File ') == 2


def test_full_traceback_on_request(headrace_run):
    result = headrace_run('import json\njson.loads("{")\n', HEADRACE_TRACEBACK='full')
    assert 'decoder.py' in result.err


def test_a_hook_of_the_program_is_the_programs(headrace_run):
    result = headrace_run('import sys\nsys.excepthook = lambda kind, error, tb: print("hook", kind.__name__)\n1 / 0\n')
    assert result.out == 'hook ZeroDivisionError\n' and result.code == 1 and result.err == ''


def test_syntax_error_names_the_line(headrace_run):
    result = headrace_run('x = 1\nif x = 2:\n    pass\n')
    assert result.code == 1
    assert 'line 2' in result.err and 'if x = 2:' in result.err and 'SyntaxError' in result.err.strip().split('\n')[-1]


def test_interrupt_ends_the_program_as_under_python(tmp_path, headrace_run):
    program = tmp_path / 'sleeper.py'
    program.write_text('import time\nprint("ready", flush=True)\ntime.sleep(60)\n')
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    process = subprocess.Popen([sys.executable, '-m', 'headrace.run', str(program)], env=env, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, universal_newlines=True)
    assert process.stdout.readline() == 'ready\n'
    start = time.time()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert time.time() - start < 5
    assert process.returncode == -signal.SIGINT
    assert err.strip().endswith('KeyboardInterrupt')


def test_nothing_is_written_beside_the_program(headrace_run):
    (headrace_run.folder / 'helper.py').write_text('print "two"\n')
    (headrace_run.folder / 'modern.py').write_text('print("three")\n')
    result = headrace_run('import helper, modern\n')
    assert result.out == 'two\nthree\n', result.err
    assert sorted(os.listdir(str(headrace_run.folder))) == ['helper.py', 'modern.py', 'prog.py']


def test_missing_file(headrace_run):
    result = headrace_run(None)
    assert result.code == 2 and "can't open file" in result.err


def test_options_stand_before_the_program(headrace_run):
    result = headrace_run('import sys; print(sys.argv[1:])\n', '--check', '--data', 'x')
    assert result.out == "['--check', '--data', 'x']\n"
    assert headrace_run('pass\n', options=['--chekc']).code == 2


def test_a_file_name_in_chinese(headrace_run):
    result = headrace_run('raise ValueError("坏")\n', name='多GPU并行.py')
    assert '多GPU并行.py' in result.err and 'ValueError: 坏' in result.err


def test_module_by_name(tmp_path):
    package = tmp_path / 'pack'
    package.mkdir()
    (package / '__init__.py').write_text('')
    (package / 'other.py').write_text('value = 5\n')
    (package / 'tool.py').write_text('from . import other\nimport sys\nprint(other.value, sys.argv[1:], __name__)\n')
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    done = subprocess.run([sys.executable, '-m', 'headrace', 'run', '-m', 'pack.tool', 'a'], cwd=str(tmp_path), env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    assert done.stdout == "5 ['a'] __main__\n", done.stderr


# --- notebooks

def _notebook(*cells, **metadata):
    return json.dumps({'cells': [{'cell_type': 'markdown', 'source': ['# print "no code"']}] + [
        {'cell_type': 'code', 'source': cell.splitlines(True)} for cell in cells], 'metadata': metadata, 'nbformat': 4})


def test_cells_share_one_main_and_magics_are_left_out(headrace_run):
    book = _notebook('%matplotlib inline\nimport os\nx = 1', '!ls -l\nfiles = !ls\nx += 1\nos?', '%%bash\nexit 3', '%%time\nx += 1',
                     'print(x, __name__,\n      "%d"\n      % x)\n%time y = x', 'def f():\n    """\n%magic stays text\n"""\nprint(f.__doc__, y)')
    result = headrace_run(book, name='book.ipynb')
    assert result.err == ''
    assert result.out == '3 __main__ 3\n\n%magic stays text\n 3\n'


def test_shell_lines_go_on_and_a_cell_may_be_indented(headrace_run):
    book = _notebook('!pip install \\\n    something \\\n    more\nprint("after")', '\n    x = 1\n    if x:\n        print(x)')
    result = headrace_run(book, name='book.ipynb')
    assert (result.out, result.err) == ('after\n1\n', '')


def test_system_exit_ends_its_cell_only(headrace_run):
    result = headrace_run(_notebook('import sys\nsys.exit(3)\nprint("no")', 'print("next")'), name='book.ipynb')
    assert (result.out, result.code) == ('next\n', 0)


def test_an_exception_ends_the_run_and_names_cell_and_line(headrace_run):
    result = headrace_run(_notebook('print("one")', 'a = 1\nb = undefined', 'print("three")'), name='book.ipynb')
    assert result.out == 'one\n' and result.code == 1
    assert 'book.ipynb, cell 2", line 2' in result.err and 'b = undefined' in result.err


def test_a_notebook_is_one_dialect(headrace_run):
    result = headrace_run(_notebook('print "hi"', 'print(7 / 2)', 'from __future__ import division', 'print(7 / 2)'), name='book.ipynb')
    assert result.out == 'hi\n3\n3.5\n', result.err
    result = headrace_run(_notebook('print(7 / 2)', kernelspec={'name': 'python2'}), name='two.ipynb')
    assert result.out == '3\n'


def test_a_notebook_has_a_shell_that_does_nothing(headrace_run):
    result = headrace_run(_notebook('import IPython\nshell = IPython.get_ipython()\nprint(shell.events.register("post_execute", len))',
                                    'print(get_ipython().magic("matplotlib inline"), IPython.version_info[:2] >= (8, 24))'), name='book.ipynb')
    assert result.out == 'None\nNone True\n', result.err


def test_no_notebook(headrace_run):
    result = headrace_run('not json', name='book.ipynb')
    assert result.code == 2 and 'is no notebook' in result.err


# --- the command

def _command(*arguments):
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(p for p in sys.path if p))
    return subprocess.run([sys.executable, '-m', 'headrace'] + list(arguments), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)


def test_other_subcommands_are_the_tools():
    devices = _command('devices')
    assert devices.returncode == 0 and 'CPU:0' in devices.stdout
    assert _command('no_such_command').returncode != 0


def test_help_of_the_command():
    help_text = _command('run', '--help')
    assert help_text.returncode == 0 and '--data' in help_text.stdout
    assert _command().returncode == 2


def test_the_tool_of_a_build_folder_is_found(tmp_path, monkeypatch):
    from headrace.runner import cli
    (tmp_path / 'python' / 'headrace').mkdir(parents=True)
    (tmp_path / 'bin').mkdir()
    tool = tmp_path / 'bin' / 'headrace'
    tool.write_text('#!/bin/sh\n')
    monkeypatch.setattr(sys, 'path', [str(tmp_path / 'python')])
    assert cli._tool() is None  # cannot be run
    tool.chmod(0o755)
    assert cli._tool() == str(tool)


def test_a_program_may_leave_threads_behind_that_run_steps(headrace_run):
    for _ in range(3):
        result = headrace_run('import tensorflow as tf\n'
                              'names = tf.train.string_input_producer(["a", "b"], shuffle=False)\n'
                              'name = names.dequeue()\n'
                              'sess = tf.Session()\n'
                              'threads = tf.train.start_queue_runners(sess=sess)\n'
                              'print(sess.run(name), sess.run(name))\n')
        assert (result.code, result.out, result.err) == (0, "b'a' b'b'\n", '')

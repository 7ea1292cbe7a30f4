"""docs/tf1_names.md says the truth about which names of TensorFlow 1.15 are here."""
import importlib.util
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _tool():
    spec = importlib.util.spec_from_file_location('tf1_names', os.path.join(ROOT, 'tools', 'tf1_names.py'))
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    return tool


def test_page_of_names_is_true():
    tool = _tool()
    with open(tool.PAGE) as f:
        written = f.read().splitlines()
    wrong = [line for line in tool.page().splitlines() if line not in set(written)]
    assert not wrong, 'run tools/tf1_names.py; these lines of docs/tf1_names.md are new:\n' + '\n'.join(wrong[:20])


def test_names_are_those_of_the_real_one():
    tool = _tool()
    import headrace.tf1 as tf
    assert tool.has(tf, '', 'constant') and tool.has(tf, 'nn', 'relu')
    assert not tool.has(tf, 'nn', 'no_such_name') and not tool.has(tf, 'no_such_module', 'x')

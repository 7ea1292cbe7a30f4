"""The package as a whole: the small interface beside headrace.tf1, and its types."""
import ast
import inspect
import os

import pytest

import headrace
import headrace.tf1 as tf

STUBS = os.path.join(os.path.dirname(headrace.__file__), '__init__.pyi')


def test_devices_say_what_there_is():
    found = headrace.devices()
    assert found[0]['device_type'] == 'CPU' and found[0]['used'] and found[0]['name'].endswith('/device:CPU:0')


def test_a_session_says_where_nodes_run_and_why():
    with tf.Graph().as_default() as graph:
        total = tf.add(1.0, 2.0, name='total')
        with headrace.Session(graph=graph) as session:
            assert session.run(total) == 3.0
            assert session.placement(total.op) == '/job:localhost/replica:0/task:0/device:CPU:0'
            assert any('total' in line and 'Add' in line and 'CPU:0' in line for line in session.placement_report().splitlines())


def test_importing_the_package_loads_nothing_else():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        headrace.nothing  # pylint: disable=pointless-statement
    assert headrace.tf1 is tf and headrace.Session is tf.Session


def _parameters(node):
    return [a.arg for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs]


def _stub(body, owner, path=''):
    """Checks what a stub declares against what is there; gives the number of functions."""
    checked = 0
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name == 'Session':
            checked += _stub(node.body, getattr(owner, node.name), node.name + '.')
        elif isinstance(node, ast.FunctionDef):
            found = inspect.getattr_static(owner, node.name) if path and node.name not in dir(object) else getattr(owner, node.name)
            if any(isinstance(d, ast.Name) and d.id == 'property' for d in node.decorator_list):
                assert isinstance(found, property), path + node.name
                continue
            found = getattr(owner, node.name)
            assert list(inspect.signature(found).parameters) == _parameters(node), path + node.name
            checked += 1
    return checked


def test_types_are_those_of_the_functions():
    with open(STUBS) as f:
        body = ast.parse(f.read()).body
    assert _stub(body, headrace) > 10
    declared = {n.target.id for n in body if isinstance(n, ast.AnnAssign)} | {n.name for n in body if hasattr(n, 'name')}
    assert set(headrace.__all__) <= declared
    assert os.path.exists(os.path.join(os.path.dirname(STUBS), 'py.typed'))

"""What composed functions make of an engine that brings little along."""

import os
import subprocess
import sys
import types

import pytest

from keras_backend.binding import complete
from keras_backend.contract import CONTRACT
from keras_backend.errors import UnsupportedByEngine
from keras_backend.user_module.front import Adapted

from .eager_k import primitives, tensor

# What no other function of K can say: values from outside, effects, randomness, state, and sparse or ragged results.
PRIMITIVES = set(
    """
    clear_session ctc_decode ctc_label_dense_to_sparse gather get_session get_uid gradients is_placeholder is_variable
    manual_variable_initialization print_tensor reset_uids round set_session truncated_normal
""".split()
)


@pytest.fixture
def tiny():
    """The eager primitives as an engine module, completed."""
    module = types.ModuleType('tiny_engine')
    vars(module).update(primitives(float('inf')), function=len, placeholder=len, update=len)
    complete(vars(module), title='Tiny', name='tiny', module=module)
    return module


def test_a_few_primitives_make_nearly_all_of_k(tiny):
    """What stays missing is what cannot be composed."""
    missing = {name for name in CONTRACT if not tiny._engine.supports(name)}
    assert PRIMITIVES == missing
    assert [[1.0, 0.0], [0.0, 1.0]] == tiny.eye(2).tolist()


def test_without_gradients_there_is_nothing_to_stop():
    """stop_gradient passes tensors on where nothing is differentiated, and refuses where it would be wrong."""
    functions = primitives(float('inf'))
    del functions['stop_gradient']
    tiny = Adapted(functions, name='tiny', title='Tiny', runs_on='', refused={})
    x = tensor([1.0])
    assert x is tiny.stop_gradient(x)
    module = types.ModuleType('with_gradients')
    functions = dict(primitives(float('inf')), function=len, placeholder=len, update=len, gradients=len)
    del functions['stop_gradient']
    vars(module).update(functions)
    complete(vars(module), title='Tiny', name='tiny', module=module)
    with pytest.raises(UnsupportedByEngine, match='stop_gradient'):
        module.stop_gradient(x)


@pytest.mark.slow
def test_conformance_of_an_engine_of_few_primitives():
    """The conformance tests pass on an engine that leaves all that can be composed to the composed functions."""
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'engine')
    run = 'import sys; from keras_backend.conformance import run; sys.exit(run("tiny_engine", expected=sys.argv[1]))'
    command = [sys.executable, '-c', run, os.path.join(here, 'tiny_engine.txt')]
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join([here] + [path for path in sys.path if path]))
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    assert 0 == done.returncode, done.stdout.decode()[-3000:]

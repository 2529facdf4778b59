"""A child that was forked after JAX had run has none of its threads: an error says so, and nothing waits for ever."""

import os

import pytest
from processes import run

pytestmark = pytest.mark.skipif(not hasattr(os, 'fork'), reason='the platform has no fork')
FORKS = """
import os, signal, sys
import numpy as np
MODULE
x = K.placeholder((None, 2))
w = K.variable(np.eye(2))
f = K.function([x], [K.dot(x, w)])
if sys.argv[1:] != ['before']:
    f([np.ones((1, 2))])
child = os.fork()
if not child:
    signal.alarm(60)
    try:
        print(f([np.ones((3, 2))])[0].shape, flush=True)
    except RuntimeError as error:
        print(type(error).__name__, error, K.get_value(w).tolist(), flush=True)
    try:
        K.eval(K.constant(np.ones(3)) * 2.0)
    except RuntimeError as error:
        print(type(error).__name__, flush=True)
    os._exit(0)
print(os.waitpid(child, 0)[1], f([np.ones((4, 2))])[0].shape)
"""
KERAS_BACKEND, LAUNCHED = 'import keras_backend as K', 'from keras_backend.engines import keras3_backend as K'


@pytest.mark.parametrize('module', [KERAS_BACKEND, pytest.param(LAUNCHED, marks=pytest.mark.slow)])
def test_a_forked_child_is_told(tmp_path, module):
    """The call raises at once and says what to type; the parent goes on, and variables can be read."""
    if module is LAUNCHED:
        pytest.importorskip('keras')
    said = run(FORKS.replace('MODULE', module), home=tmp_path, backend='jax', PYTHONWARNINGS='ignore')
    error, of_constants, end = said.splitlines()
    assert 'ForkedProcessError' == of_constants
    assert error.startswith('ForkedProcessError JAX ran in the process that this one was forked from')
    assert "multiprocessing.get_context('spawn')" in error
    assert error.endswith('[[1.0, 0.0], [0.0, 1.0]]')
    assert '0 (4, 2)' == end


def test_a_fork_before_the_first_call(tmp_path):
    """Then the child runs functions, with variables of before the fork."""
    code = FORKS.replace('MODULE', 'import sys; sys.argv[1:] = ["before"]\n' + KERAS_BACKEND)
    said = run(code, home=tmp_path, backend='jax', PYTHONWARNINGS='ignore')
    assert ['(3, 2)', '0 (4, 2)'] == said.splitlines()

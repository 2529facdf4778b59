"""Data at random is read, and called where it is a function: it gives a value or an ordinary error, and ends.

3000 mutants of functions of nine Pythons are run, in blocks of 300. FILE_MUTANTS=100000 runs as many. A failure names
the mutant: `mutants_of_functions.mutant(NUMBER)` are its bytes. What hangs ends the run with the places of all threads.
"""

import faulthandler
import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutants_of_functions import FUNCTIONS, mutant
from shares import one_in
from written_code import code, kept, many, number, raw, reference, text

import keras_backend as K
from keras_backend.errors import KerasBackendError, RefusedCodeError, UnreadableCodeError
from keras_backend.files.lambdas import function
from keras_backend.files.python_code import limits, opcodes

COUNT = int(os.environ.get('FILE_MUTANTS') or 3000)
BLOCK = 300
SECONDS = 60 + COUNT // 50  # of one test
ORDINARY = (KerasBackendError, TypeError, ValueError, LookupError, ArithmeticError, NameError)
EXAMPLES = settings(max_examples=max(COUNT // 20, 10), suppress_health_check=list(HealthCheck))

pytestmark = pytest.mark.filterwarnings('ignore')


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    """The limits of attacks have tests of their own."""
    monkeypatch.setattr(limits, 'MOST_STEPS', 5000)
    monkeypatch.setattr(limits, 'MOST_ELEMENTS', 50000)
    monkeypatch.setattr(limits, 'MOST_OF_ARRAYS', 100000)
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    K.clear_session()


def outcome(data):
    """'unreadable', 'refused', 'raises' or 'runs'. Any other error goes on, and a hang ends the run."""
    try:
        read = function(data, K)
    except UnreadableCodeError:
        return 'unreadable'
    except RefusedCodeError:
        return 'refused'
    x = K.constant(np.ones((2, 3)))
    arguments = [x, 2, [x, x], (1, 'a'), {'a': x}, 1.5]
    try:
        read(*(arguments * (read.code.argcount // 6 + 1))[: read.code.argcount])
    except RefusedCodeError:
        return 'refused'
    except ORDINARY:
        return 'raises'
    return 'runs'


@pytest.mark.parametrize('first', one_in(4, range(0, COUNT, BLOCK)))
def test_block_of_mutants(first):
    counts = {}
    for seed in range(first, min(first + BLOCK, COUNT)):
        try:
            found = outcome(mutant(seed))
        except Exception as error:
            raise AssertionError(f'mutant({seed}) raises {type(error).__name__}: {error}') from error
        counts[found] = counts.get(found, 0) + 1
    # Mutants reach the interpreter.
    assert min([counts[found] for found in ('unreadable', 'refused', 'raises', 'runs')]) > 0


def test_functions_that_are_not_changed():
    """The mutants are made of functions that are read."""
    for python, functions in FUNCTIONS.items():
        for place, data in enumerate(functions):
            assert outcome(data) != 'unreadable', (python, place)


@EXAMPLES
@given(st.binary(max_size=200))
def test_bytes_at_random(data):
    outcome(data)
    outcome(b'c' + data)


@EXAMPLES
@given(st.text(max_size=20))
def test_texts_at_random(text):
    outcome(text)


PYTHONS = [python for python in opcodes.pythons() if python in ((3, 6), (3, 7), (3, 13))]
LEAVES = st.one_of(
    st.sampled_from([b'N', b'T', b'F', b'.']), st.integers(-(2**31), 2**31 - 1).map(number),
    st.text(max_size=9).map(text), st.integers(-2, 9).map(reference), st.binary(max_size=9).map(raw),
)  # fmt: skip
OBJECTS = st.recursive(
    LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=4).map(many), inner.map(kept), inner), max_leaves=12
)
NAMES = ('K', 'x', 'sum', 'map', 'getattr', 'shape', 'range', 'np', 'tf', 'os', '__class__', 'list', 'append', 'ones')


@st.composite
def codes(draw, depth=0):
    """A code with instructions at random. Most jumps and indexes are small, so that many fit."""
    python = draw(st.sampled_from(PYTHONS))
    known = sorted([known for known in opcodes.names(python) if known < 256])
    steps = draw(st.lists(st.tuples(st.sampled_from(known), st.integers(0, 6)), max_size=12))
    # The values are there, and the end.
    loads = [number_of(python, 'LOAD_FAST'), number_of(python, 'LOAD_CONST'), number_of(python, 'LOAD_GLOBAL')]
    first = draw(st.lists(st.tuples(st.sampled_from(loads), st.integers(0, 1)), max_size=6))
    body = bytes([byte for step in [*first, *steps, (number_of(python, 'RETURN_VALUE'), 0)] for byte in step])
    consts = draw(st.lists(OBJECTS if depth else st.one_of(OBJECTS, codes(1)), min_size=2, max_size=4))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=7, max_size=7))
    return code(
        body, consts, names, ('x', 'y'), (), ('z',), draw(st.sampled_from([3, 6, 20])),
        draw(st.sampled_from([0x43, 0x63, 0x4F])), draw(st.integers(0, 2)), python=python,
    )  # fmt: skip


def number_of(python, name):
    return next(number for number, known in opcodes.names(python).items() if known == name)


@pytest.mark.slow
@EXAMPLES
@given(codes())
def test_codes_at_random(data):
    outcome(data)


@EXAMPLES
@given(OBJECTS, st.sampled_from(['consts', 'names', 'varnames', 'free', 'cells', 'name', 'code', 'kinds']),
       st.sampled_from(PYTHONS))  # fmt: skip
def test_objects_in_the_places_of_others(value, place, python):
    outcome(code('LOAD_CONST 0; RETURN_VALUE', **{'consts': [b'N'], 'stack': 1, 'python': python, place: value}))

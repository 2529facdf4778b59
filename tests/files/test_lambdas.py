"""Byte code of nine Pythons, interpreted: its Python is found, and the numbers are those of an independent truth.

That is the same text run by this Python, or NumPy for names of TensorFlow. `record_lambdas.py` wrote the byte code of
the texts in the modules `..._sources`.
"""

import json
import marshal
import os
import sys
import types
import zlib

import numpy as np
import pytest
import python_sources
import syntax_sources
import tensorflow_sources
from lambda_sources import CASES
from lambda_truths import TRUTHS
from shares import one_in

import keras_backend as K
from keras_backend.errors import RefusedCodeError, UnsupportedByEngine
from keras_backend.files import lambdas

ENTERED = python_sources, syntax_sources, tensorflow_sources

PYTHONS = ('2.7', '3.6', '3.7', '3.8', '3.9', '3.10', '3.11', '3.12', '3.13')
HERE = os.path.dirname(os.path.abspath(__file__))


def _recorded(python):
    with open(os.path.join(HERE, 'lambdas', python + '.json'), encoding='utf-8') as stream:
        return json.load(stream)


RECORDED = {python: _recorded(python) for python in PYTHONS}


def arrays(name):
    """The inputs of a case, as arrays and other values."""
    numbers = np.random.RandomState(zlib.crc32(name.encode()) % 2**32)

    def make(spec):
        if isinstance(spec, list):
            return [make(one) for one in spec]
        if not isinstance(spec, str):
            return spec
        kind, *sizes = spec.split()
        shape = [int(size) for size in sizes]
        if kind[0] == 'i':
            return numbers.randint(0, int(kind[1:]), shape).astype('int32')
        return (numbers.randn(*shape) if kind == 'f' else numbers.uniform(0.1, 1, shape)).astype('float32')

    return [make(spec) for spec in CASES[name][0]]


def tensors(value):
    """The tensors of K for arrays."""
    if isinstance(value, list):
        return [tensors(one) for one in value]
    return K.constant(value, dtype=str(value.dtype)) if isinstance(value, np.ndarray) else value


def numbers_of(name, function):
    """What a function gives for the inputs of a case: an array, a value, or the type of the error of an engine."""
    given = tensors(arrays(name))
    options = given.pop() if given and isinstance(given[-1], dict) else {}
    try:
        made = function(*given, **options)
        return made if made is None or 'python' in CASES[name][2] else np.asarray(K.eval(made))
    except UnsupportedByEngine:
        return UnsupportedByEngine


def native(name, text):
    """The function of a text, run by this Python. `import keras` in it finds K."""
    keras = types.ModuleType('keras')
    keras.backend = K
    before = {module: sys.modules.get(module) for module in ('keras', 'keras.backend')}
    space = dict(CASES[name][2].get('names', {}), K=K, np=np)
    exec('import math', space)
    exec(compile(text, name, 'exec'), space)

    def run(*args, **kwargs):
        sys.modules.update({'keras': keras, 'keras.backend': K})
        try:
            return space['f'](*args, **kwargs)
        finally:
            for module, earlier in before.items():
                sys.modules.pop(module)
                sys.modules.update({} if earlier is None else {module: earlier})

    return run


def interpreted(name, python):
    """The function of a case as a Python recorded it."""
    code, defaults, closure = RECORDED[python][name]
    return lambdas.function(code, K, defaults, closure, CASES[name][2].get('names'))


def expected(name, python):
    """The numbers that a function has to give."""
    _, text, options = CASES[name]
    if 'truth' in options:
        return np.asarray(TRUTHS[name](*arrays(name)))
    text = options.get('native', text)
    return numbers_of(name, native(name, options.get('python2', text) if python == '2.7' else text))


def _pythons(name):
    """All on NumPy. On other engines, which take longer, one for each function, and so each for some functions."""
    recorded = [python for python in PYTHONS if name in RECORDED[python]]
    return recorded if K.backend() == 'numpy' else [recorded[zlib.crc32(name.encode()) % len(recorded)]]


@pytest.mark.parametrize('name', one_in(4, sorted(CASES)))
def test_numbers_of_interpreted_code(name):
    options, truths = CASES[name][2], {}
    K.clear_session()  # a graph that grows makes TensorFlow slow
    for python in _pythons(name):
        function = interpreted(name, python)
        assert tuple([int(part) for part in python.split('.')]) in function.world.program.pythons
        if 'refused' in options:
            with pytest.raises(RefusedCodeError, match=options['refused']):
                numbers_of(name, function)
            continue
        meaning = python if 'python2' in options else ''
        if meaning not in truths:
            truths[meaning] = expected(name, python)
        found, truth = numbers_of(name, function), truths[meaning]
        if found is UnsupportedByEngine and 'truth' in options:
            continue
        if 'python' in options or truth is None or truth is UnsupportedByEngine or found is UnsupportedByEngine:
            assert found == truth, python
        elif options.get('random'):
            assert found.shape == truth.shape, python
        else:
            np.testing.assert_allclose(found, truth, rtol=1e-5, atol=1e-5, err_msg=python)


def test_keras_ops_have_the_defaults_of_keras_3():
    """They are not those of K everywhere: `concatenate` joins along the first axis, and a root of -1 is no number."""

    def wanted(x):
        return np.concatenate([np.sqrt(x), x]), np.power(x, 2.0), x.mean(axis=-1, keepdims=True)

    text = '(keras.ops.concatenate([keras.ops.sqrt(x), x]), keras.ops.power(x, 2.0), keras.ops.mean(x, -1, True))'
    code = compile(f'lambda x: {text}', 'a.py', 'eval').co_consts[0]
    read = lambdas.function(marshal.dumps(code), K)
    given = np.array([[4.0, 9.0], [1.0, 0.25]], 'float32')
    for one, truth in zip(read(K.constant(given)), wanted(given)):
        np.testing.assert_allclose(K.eval(one), truth, rtol=1e-6)
    assert np.isnan(K.eval(read(K.constant([[-1.0]]))[0])[0, 0])

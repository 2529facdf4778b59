"""What the pages on backends of Keras 1 and 2 show: commands, configuration files, and each of their examples.

These pages are what this project implements. `seed_examples.txt` has their examples as they stand there. Of a result it
is compared what can be equal on any engine: numbers and dtypes of arrays, shapes and dtypes of symbolic tensors, shapes
of drawn numbers, and all other text. Keras itself is in none of these tests: `keras.backend` is K.
"""

import ast
import contextlib
import doctest
import io
import json
import os
import re
import sys
import types

import numpy as np
import pytest
from processes import ENGINE, python
from shares import one_in

import keras_backend as K

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'seed_examples.txt'), encoding='utf-8') as file:
    PARTS = re.split(r'^# (.+)\n', file.read(), flags=re.MULTILINE)
EXAMPLES = dict(zip(PARTS[1::2], PARTS[2::2]))
TITLE = K._engine.title  # the engine is loaded before the tests put K into the place of a module
SYMBOLIC = re.compile(r'<.*\bshape=(\(.*?\)),? dtype=\W*(\w+)')
# TensorFlow 1 called the dtype of a variable so.
REFERENCE = "'float32_ref'"
SETTINGS = {'epsilon': 1e-07, 'floatx': 'float32'}


@pytest.fixture
def keras(monkeypatch):
    """A module `keras` whose `backend` is K."""
    module = types.ModuleType('keras')
    module.backend = K
    monkeypatch.setitem(sys.modules, 'keras', module)
    monkeypatch.setitem(sys.modules, 'keras.backend', K)
    return module


def array(text):
    """The array that a text like `array([[ 1.,  2.]], dtype=float32)` shows."""
    found = re.match(r'array\((\[.*\])(?:, dtype=(\w+))?\)$', ' '.join(text.split()))
    if found is None:
        return None
    numbers = ast.literal_eval(re.sub(r'(?<=\d)\.(?=[\],])', '.0', found.group(1)))
    return np.array(numbers, found.group(2) or 'float64')


def check(wanted, value, printed, source):
    """Hold a result against what the page shows."""
    shown, symbolic = array(wanted), SYMBOLIC.match(wanted)
    if shown is not None:
        assert (shown.dtype, shown.shape) == (value.dtype, value.shape), source
        if 'random' not in source:
            np.testing.assert_array_equal(value, shown)
    elif symbolic:
        assert K.is_tensor(value), source
        assert str(tuple(K.int_shape(value))) == symbolic.group(1), source
        assert K.dtype(value) == symbolic.group(2), source
    elif wanted.startswith('<tensorflow.python.ops.variables.Variable'):
        assert K.is_variable(value), source
    elif wanted == REFERENCE:
        assert value == 'float32', source
    elif wanted == 'example_var':  # the engines but Theano tell more than the name
        assert wanted in printed, source
    else:
        assert (printed.strip() or repr(value)) == wanted, source


# A tensor of Theano is Theano's own, whose `eval` knows no session.
ONLY_ELSEWHERE = {'shape'} if ENGINE == 'theano' else set()


@pytest.mark.parametrize('name', sorted(set(EXAMPLES) - ONLY_ELSEWHERE))
def test_example_of_the_pages(name, keras):
    """An example runs, line by line, and gives what the page shows."""
    names = {'keras': keras, 'K': K, 'np': np, 'numpy': np, 'x': K.ones((2,)), 'inputs': K.placeholder((2, 4, 5))}
    if 'channels_first' in EXAMPLES[name]:
        K.set_image_data_format('channels_first')
    sources = []
    for example in doctest.DocTestParser().get_examples(EXAMPLES[name]):
        sources.append(example.source)
        wanted, printed, value = example.want.strip(), io.StringIO(), None
        if wanted == 'ValueError':
            with pytest.raises(ValueError, match=r'^K\.'):
                eval(example.source, names)
            continue
        with contextlib.redirect_stdout(printed):
            try:
                value = eval(example.source, names)
            except SyntaxError:
                exec(example.source, names)
        if wanted:
            wanted = repr(K.backend()) if wanted == "'tensorflow'" else wanted
            check(wanted, value, printed.getvalue(), ''.join(sources))
    assert sources


INTRODUCTION = """
inputs = K.placeholder(shape=(2, 4, 5))
# also works:
inputs = K.placeholder(shape=(None, 4, 5))
# also works:
inputs = K.placeholder(ndim=3)

import numpy as np
val = np.random.random((3, 4, 5))
var = K.variable(value=val)

# all-zeros variable:
var = K.zeros(shape=(3, 4, 5))
# all-ones:
var = K.ones(shape=(3, 4, 5))
"""

ARITHMETIC = """
# Initializing Tensors with Random Numbers
b = K.random_uniform_variable(shape=(3, 4), low=0, high=1) # Uniform distribution
c = K.random_normal_variable(shape=(3, 4), mean=0, scale=1) # Gaussian distribution
d = K.random_normal_variable(shape=(3, 4), mean=0, scale=1)

# Tensor Arithmetic
a = b + c * K.abs(d)
results.append(a)
c = K.dot(a, K.transpose(b))
results.append(c)
a = K.sum(b, axis=1)
results.append(a)
a = K.softmax(b)
results.append(a)
a = K.concatenate([b, c], axis=-1)
results.append(a)
"""

OF_2015 = """
a = b + c * K.abs(d)
results.append(a)
c = K.dot(a, K.transpose(b))
results.append(c)
a = K.sum(b, axis=2)
results.append(a)
a = K.softmax(b)
results.append(a)
"""


def test_the_introduction_of_the_pages(keras):
    """`from keras import backend as K`, placeholders and variables."""
    names = {}
    exec('from keras import backend as K\n' + INTRODUCTION, names)
    assert K.int_shape(names['inputs']) == (None, None, None)
    np.testing.assert_array_equal(K.eval(names['var']), np.ones((3, 4, 5), 'float32'))


def test_the_arithmetic_of_the_pages(keras):
    """The lines on arithmetic have the numbers of NumPy."""
    names = {'K': K, 'results': []}
    exec(ARITHMETIC, names)
    b, d = K.get_value(names['b']), K.get_value(names['d'])
    added, product, total, softmax, joined = [K.eval(result) for result in names['results']]
    np.testing.assert_allclose(product, added.dot(b.T), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(total, b.sum(1), rtol=1e-5)
    np.testing.assert_allclose(softmax, np.exp(b) / np.exp(b).sum(1, keepdims=True), rtol=1e-4)
    np.testing.assert_allclose(joined, np.concatenate([b, product], 1), rtol=1e-4, atol=1e-5)
    assert d.shape == (3, 4)
    assert ((b >= 0) & (b <= 1)).all()


def test_the_arithmetic_of_2015():
    """The page of Keras 1 sums over a third axis."""
    values = [np.random.RandomState(i).uniform(-1, 1, (2, 3, 3)).astype('float32') for i in range(3)]
    b, c, d = [K.variable(value) for value in values]
    names = {'K': K, 'b': b, 'c': c, 'd': d, 'results': []}
    exec(OF_2015, names)
    added, product, total, softmax = [K.eval(result) for result in names['results']]
    np.testing.assert_allclose(added, values[0] + values[1] * np.abs(values[2]), rtol=1e-4, atol=1e-6)
    assert product.shape == (2, 3, 3, 2)
    np.testing.assert_allclose(total, values[0].sum(2), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(softmax.sum(-1), np.ones((2, 3)), rtol=1e-4)


def test_products_of_a_batch_on_the_page_of_2015():
    """The example of K.batch_dot in words: x = [[1, 2], [3, 4]], y = [[5, 6], [7, 8]] and axes=1 give 17 and 53."""
    result = K.batch_dot(K.variable([[1, 2], [3, 4]]), K.variable([[5, 6], [7, 8]]), axes=1)
    assert K.eval(result).ravel().tolist() == [17.0, 53.0]
    assert K.int_shape(result) == (2, 1)


def test_any_of_the_pages():
    """The example of K.any, which is there in TensorFlow."""
    x = K.constant([[True, True], [False, False]], dtype='bool')
    assert [K.eval(K.any(x, axis)).tolist() for axis in (None, 0, 1)] == [True, [True, True], [True, False]]


@pytest.mark.parametrize(
    ('command', 'printed'),
    one_in(
        2,
        [
            ('import keras_backend as backend; print(backend._BACKEND)', f'{ENGINE}\n'),
            ('from keras_backend import *', ''),
        ],
    ),
)
def test_commands_of_the_pages(tmp_path, command, printed):
    """`KERAS_BACKEND=tensorflow python -c "from keras import backend; print backend._BACKEND"`, on this engine."""
    status, out, err = python('-c', command, home=tmp_path, backend=ENGINE)
    assert (status, out) == (0, printed), err
    # A library of several names says which one it is.
    assert re.search(rf'^Using {TITLE} backend( \(.*\))?\.$', err, re.MULTILINE)


@pytest.mark.parametrize(
    'content',
    one_in(
        3,
        [
            {
                'image_data_format': 'channels_last',
                'epsilon': 1e-07,
                'floatx': 'float32',
                'backend': 'my_package.my_module',
            },
            {'image_data_format': 'channels_last', 'epsilon': 1e-07, 'floatx': 'float32', 'backend': ENGINE},
            {'epsilon': 1e-07, 'floatx': 'float32', 'backend': ENGINE},
        ],
    ),
    ids=['my_package.my_module', '2019', '2015'],
)
def test_files_of_the_pages(tmp_path, content):
    """The keras.json of each page chooses the engine and the settings; a variable goes before the file."""
    package = tmp_path / 'my_package'
    package.mkdir()
    (package / '__init__.py').write_text('')
    (package / 'my_module.py').write_text(
        'from keras_backend.engines.numpy_backend import placeholder, variable, function\n'
    )
    (tmp_path / 'keras.json').write_text(json.dumps(content))
    code = 'import keras_backend as K; print(K.backend(), K.epsilon(), K.floatx(), K.image_data_format())'
    expected = f'{content["backend"]} 1e-07 float32 channels_last\n'
    status, out, err = python('-c', code, home=tmp_path, path=[tmp_path])
    assert (status, out) == (0, expected), err
    status, out, err = python('-c', code, home=tmp_path, path=[tmp_path], backend='numpy')
    assert (status, out) == (0, 'numpy 1e-07 float32 channels_last\n'), err


@pytest.mark.slow
def test_a_module_of_ones_own_that_lacks_something(tmp_path):
    """An external backend needs placeholder, variable and function; the error names what is missing."""
    (tmp_path / 'my_module.py').write_text('def placeholder(shape=None): pass\n')
    status, _out, err = python('-c', 'import keras_backend', home=tmp_path, path=[tmp_path], backend='my_module')
    assert status == 1
    assert 'no variable, no function' in err

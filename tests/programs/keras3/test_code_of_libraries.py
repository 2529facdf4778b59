"""A library of PyTorch beside a program of tf.keras: its operators are those of PyTorch, and the program has its own."""

import pytest
from keras3_backends import BACKENDS, launch
from processes import python

from keras_backend.programs.on_keras3.stand_in import VARIABLE

LIBRARY = """
import torch

NAMES = ['__iadd__', '__isub__', '__imul__', '__itruediv__', '__ifloordiv__', '__imod__', '__getitem__']
BEFORE = {name: getattr(torch.Tensor, name) for name in NAMES}
MODULE = dict(vars(torch.nn.Module))


def added(x):
    x += 1
    return x


def check():
    assert BEFORE == {name: getattr(torch.Tensor, name) for name in NAMES}
    assert MODULE == dict(vars(torch.nn.Module))
    try:
        torch.zeros(3)[::-1]
    except ValueError:
        return
    raise AssertionError('PyTorch takes a negative step')
"""

HELPERS = '''
"""A module of the program that imports neither Keras nor PyTorch."""
from __future__ import division


def tripled(e):
    e *= 3.
    return e


def backwards(e):
    return e[:, ::-1]
'''

PROGRAM = """
import sys
if 'imported' in sys.argv:
    import keras_backend.keras3.launcher
import numpy as np
import library
import torch_free
from tensorflow import keras
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense, Input, Lambda, Layer


class Halved(Layer):
    kept = {'calls': 0}

    def call(self, x):
        self.kept['calls'] += 1
        x /= 2.
        parts = {'whole': x}
        parts['whole'] += 1.
        self.last = parts['whole']
        self.last -= 5.
        return parts['whole']


class Foreign(Layer):
    def call(self, x):
        return library.added(x * 1.)


def squared(y_true, y_pred):
    y_pred *= 2.
    return K.mean(K.square(y_pred))


x = Input((3,))
h = Dense(3, use_bias=False, kernel_initializer='identity')(x)
outputs = [h, Halved()(h), Lambda(torch_free.tripled)(h), Lambda(torch_free.backwards)(h), Lambda(lambda t: t[:, ::-1])(h)]
outputs.append(Foreign()(h))
model = keras.Model(x, outputs)
value = np.array([[1., 2., 3.]], 'float32')
expected = [value, value / 2 + 1, value * 3, value[:, ::-1], value[:, ::-1], value + 1]
for found, each in zip(model.predict(value, verbose=0), expected):
    np.testing.assert_allclose(found, each)
assert Halved.kept['calls'] > 0
model = keras.Model(x, h)
model.compile('sgd', squared, metrics=[squared, 'mse'])
found = model.evaluate(value, 0 * value, verbose=0)
np.testing.assert_allclose(found, [4 * np.mean(value ** 2), 4 * np.mean(value ** 2), np.mean(value ** 2)], rtol=1e-6)
library.check()
total = 0
for n in range(4):
    total += n
assert 6 == total and [3, 2, 1] == [1, 2, 3][::-1]
print('passed')
"""


@pytest.mark.skipif('torch' not in BACKENDS, reason='PyTorch is not installed')
@pytest.mark.parametrize('imported', [False, True])
def test_operators_of_pytorch_stay_as_they_are(imported, tmp_path):
    """`x *= 2` in a layer makes a new tensor, `x[::-1]` is taken, and PyTorch changes in place where it is called."""
    for name, text in (('library', LIBRARY), ('torch_free', HELPERS), ('program', PROGRAM)):
        (tmp_path / f'{name}.py').write_text(text, encoding='utf-8')
    program, options = str(tmp_path / 'program.py'), {'backend': 'torch', 'home': tmp_path / 'home', 'cwd': tmp_path}
    if imported:
        # Without TensorFlow, its stand-in is there.
        status, out, err = python('-W', 'ignore', program, 'imported', **options, **{VARIABLE: '1'})
    else:
        status, out, err = launch(program, **options)
    assert 0 == status, out + err
    assert out.endswith('passed\n')


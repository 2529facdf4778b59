"""`python -m keras_backend prove` on a program of Keras 2: an engine is proved beside NumPy, a wrong one is found."""

import os

import pytest
from processes import python

# keras_backend.engines.torch_backend: torch.
ENGINE = os.environ['KERAS_BACKEND'].rsplit('.', 1)[-1][: -len('_backend')]

PROGRAM = """
import numpy as np
from keras import backend as K
from keras.layers import BatchNormalization, Dense, Dropout, Input, LSTM, concatenate
from keras.models import Model

np.random.seed(3)


def bend(x):
    return K.sigmoid(x) * x  # the line of the call


words, picture = Input((5, 4)), Input((6,))
branch = BatchNormalization()
read = LSTM(4, recurrent_activation='hard_sigmoid')(words)
hidden = [branch(Dense(4, activation=bend)(part)) for part in (read, picture)]
model = Model([words, picture], Dense(1)(Dropout(0.5)(concatenate(hidden))))
model.compile('adam', 'mse', metrics=['mae'])
inputs = [np.random.randn(32, 5, 4), np.random.randn(32, 6)]
model.fit(inputs, inputs[0].sum((1, 2))[:, None], epochs=2, batch_size=8, validation_split=0.25, verbose=0)
print(model.predict([part[:2] for part in inputs]))
"""
LINE = PROGRAM.splitlines().index('    return K.sigmoid(x) * x  # the line of the call') + 1

WRONG = """
from keras_backend.engines.numpy_backend import *
from keras_backend.engines import numpy_backend as engine


def sigmoid(x):
    return engine.sigmoid(x) * 1.001
"""


@pytest.fixture
def prove(tmp_path):
    """Runs the command in a folder with the program; returns (status, stdout, stderr)."""
    (tmp_path / 'train.py').write_text(PROGRAM)
    (tmp_path / 'wrong.py').write_text(WRONG)
    places = [place for place in os.environ.get('PYTHONPATH', '').split(os.pathsep) if place]

    def prove(*engines):
        arguments = ['-m', 'keras_backend', 'prove', 'train.py', '--engines', *engines]
        return python(*arguments, home=tmp_path / 'home', path=[tmp_path, *places], cwd=tmp_path)

    return prove


def test_engine_beside_numpy(prove):
    """A layer that is called twice, dropout, Adam and an LSTM: the numbers are those of NumPy."""
    other = 'keras_backend.engines.numpy_backend' if ENGINE == 'numpy' else ENGINE
    status, out, err = prove('numpy', other)
    assert status == 0, out + err
    assert out.splitlines()[-1].startswith(f'PROVED, beside numpy. {other}: equal')
    assert 'train_function 1' in out
    assert 'test_function 1' in out
    assert 'note: dropout was off' in out


def test_wrong_engine(prove):
    """The first call of K whose numbers are wrong is told, with the line of the program."""
    status, out, err = prove('numpy', 'wrong')
    assert status == 1, out + err
    assert out.splitlines()[-1] == 'NOT PROVED, beside numpy. wrong: parts'
    assert f'the first call of K that differs: K.sigmoid at train.py:{LINE}' in out

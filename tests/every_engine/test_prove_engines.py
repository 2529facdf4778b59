"""`python -m keras_backend prove` on engines that are installed together: a program in K, and one for Keras 3."""

import importlib.util
import json

import pytest
from processes import python

from keras_backend.basics import installed

INSTALLED = [name for name in ('numpy', 'tensorflow', 'torch', 'jax') if importlib.util.find_spec(name)]
OF_KERAS_3 = INSTALLED[1:] if (installed.version(['keras']) or '').startswith('3.') else []

IN_K = """
import numpy as np

import keras_backend as K

x = K.placeholder((None, 6, 6, 2))
kernel, scale = K.random_normal_variable((3, 3, 2, 4), 0.0, 0.3), K.ones((4,))
y = K.relu(K.conv2d(x, kernel, padding='same') * scale) + K.random_normal((1, 1, 1, 4), 0.0, 0.1)
loss = K.mean(K.square(K.max(y, axis=(1, 2)) - 1.0))
gradients = K.gradients(loss, [kernel, scale])
updates = [K.update(v, v - 0.1 * g) for v, g in zip([kernel, scale], gradients)]
train = K.function([x], [loss, y], updates)
for i in range(4):
    print(train([np.random.RandomState(i).randn(3, 6, 6, 2)])[0])
"""
IN_KERAS_3 = """
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import backend as K

np.random.seed(2)


def loss(y_true, y_pred):
    return K.mean(K.softplus(-y_true * y_pred), axis=-1)


inputs = keras.Input((5,))
hidden = keras.layers.Dense(8, activation=lambda x: K.tanh(x) + 0.1 * x)(inputs)
outputs = keras.layers.Lambda(lambda x: K.sum(x, axis=-1, keepdims=True))(keras.layers.Dropout(0.3)(hidden))
model = keras.Model(inputs, outputs)
model.compile('adam', loss)
x = np.random.randn(24, 5).astype('float32')
model.fit(x, np.sign(x[:, :1]), batch_size=8, epochs=2, verbose=0)
print(model.predict(x[:2], verbose=0))
"""


def prove(folder, text, names):
    """The status of a proof, its report, and its JSON."""
    (folder / 'train.py').write_text(text)
    arguments = ['-m', 'keras_backend', 'prove', 'train.py', '--engines', *names, '--json', 'found.json']
    status, out, err = python(*arguments, home=folder / 'home', path=[], cwd=folder)
    return status, out + err, json.loads((folder / 'found.json').read_text())


if len(INSTALLED) > 1:

    def test_program_in_k(tmp_path):
        """The same kernels, draws and updates: losses, results and variables are equal."""
        status, told, found = prove(tmp_path, IN_K, INSTALLED)
        assert status == 0, told
        for engine in found['engines']:
            assert engine['verdict'] == 'equal', told
            assert len(engine['losses']['function 1']) == 4
            names = [line['name'] for line in engine['functions']]
            assert names == ['function 1', 'variables at the end']


if len(OF_KERAS_3) > 1:

    @pytest.mark.slow
    def test_program_for_keras_3(tmp_path):
        """Every step of `fit`, the weights and the predictions are equal on the backends of Keras 3."""
        status, told, found = prove(tmp_path, IN_KERAS_3, OF_KERAS_3)
        assert status == 0, told
        assert found['kind'] == 'keras3'
        for engine in found['engines']:
            losses = engine['losses']['model 1 fit']
            assert len(losses) == 6
            assert losses[0] != losses[-1]
            assert 'dropout and noise of layers were off' in engine['notes']

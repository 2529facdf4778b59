"""Layers of a program under the launcher are called when a model is built, also where they say their output shape."""

import pytest
from keras3_backends import BACKENDS, launch

PROGRAM = """
import keras, numpy as np
from keras import backend as K
from keras.layers import Dense, Input, Layer, RNN, TimeDistributed, Wrapper

class Says(Layer):
    def compute_output_shape(self, shape):
        return tuple(shape[:-1]) + (4,)

class InBuild(Says):
    def build(self, shape):
        self.first, self.second = Dense(3), Dense(4)
        super().build(shape)
    def call(self, x):
        return self.second(self.first(x))

class WeightInCall(Says):
    def call(self, x):
        if not hasattr(self, 'w'):
            self.w = self.add_weight(name='w', shape=(K.int_shape(x)[-1], 4))
        return K.dot(x, self.w)

class LayerInCall(Says):
    def build(self, shape):
        super().build(shape)
    def call(self, x):
        if not hasattr(self, 'inner'):
            self.inner = Dense(4)
        return self.inner(x)

class Derived(Dense):
    def build(self, shape):
        super().build(shape)
        self.gate = Dense(self.units)
    def call(self, x):
        return super().call(x) * self.gate(x)

class Twice(Wrapper):
    def call(self, x):
        return self.layer(x) * 2
    def compute_output_shape(self, shape):
        return self.layer.compute_output_shape(shape)

class Cell(Layer):
    state_size = output_size = 4
    def __init__(self, **options):
        super().__init__(**options)
        self.inner = Dense(4)
    def call(self, x, states):
        h = self.inner(K.concatenate([x, states[0]]))
        return h, [h]

class InModel(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = keras.Sequential([InBuild(), Dense(4)])
    def call(self, x):
        return self.inner(x)
    def compute_output_shape(self, shape):
        return tuple(shape[:-1]) + (4,)

cases = [
    (InBuild, (2,), 4), (WeightInCall, (2,), 1), (LayerInCall, (2,), 2), (lambda: Derived(4), (2,), 4),
    (lambda: Twice(InBuild()), (2,), 4), (lambda: TimeDistributed(InBuild()), (5, 2), 4),
    (lambda: TimeDistributed(LayerInCall()), (5, 2), 2), (lambda: RNN(Cell()), (5, 2), 2), (InModel, (2,), 6),
]
for number, (make, shape, count) in enumerate(cases):
    models = []
    for _ in range(2):
        x = Input(shape)
        models.append(keras.Model(x, Dense(1)(make()(x))))
    assert [len(m.weights) for m in models] == [count + 2] * 2, (number, [len(m.weights) for m in models])
    given = np.cos(np.arange(6 * np.prod(shape))).reshape((6,) + shape)
    models[0].save_weights('w.weights.h5')
    models[1].load_weights('w.weights.h5')
    first, second = [m.predict(given, verbose=0) for m in models]
    np.testing.assert_array_equal(first, second)
    models[1].compile('sgd', 'mse')
    models[1].fit(given, first + 1, epochs=1, verbose=0)
    assert len(models[1].weights) == count + 2, number

# Sizes that `call` does not tell come from compute_output_shape; where the two differ, `call` is right.
class Rows(Layer):
    def __init__(self, said):
        super().__init__()
        self.said = said
    def call(self, x):
        return K.reshape(x, (-1, 2, 3))
    def compute_output_shape(self, shape):
        return self.said

assert Rows((8, 2, 3))(Input((6,))).shape == (8, 2, 3)
assert Rows((None, 7, 7))(Input((6,))).shape == (None, 2, 3)

# A call that cannot run without values: the shape is enough where no weight is missing, else it is an error.
class NeedsValues(Says):
    def call(self, x):
        if 'KerasTensor' in str(type(x)) or not hasattr(self, 'ready'):
            raise ValueError('no values yet')
        return K.concatenate([x, x])

assert NeedsValues()(Input((2,))).shape == (None, 4)

class NeedsValuesAndBuilds(InBuild):
    def call(self, x):
        self.first(x)
        raise ValueError('no values yet')

try:
    NeedsValuesAndBuilds()(Input((2,)))
except ValueError as error:
    assert 'no values yet' in str(error)
else:
    raise AssertionError('its weights would be missing')
print('all are called')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_layers_are_called_while_a_model_is_built(backend, tmp_path):
    """All weights are there, are restored from files and trained; shapes are those of `call`."""
    program = tmp_path / 'program.py'
    program.write_text(PROGRAM)
    status, out, err = launch(str(program), backend=backend, home=tmp_path / 'home', cwd=tmp_path)
    assert 0 == status, out + err
    assert 'all are called' in out

"""`tf.random.set_seed` and the argument `seed` of `tf.random`, which leave NumPy and Python alone."""

import random

import keras
import numpy as np
import pytest
from keras import ops
from keras3_backends import launch

from keras_backend.programs.on_keras3.tf_on_keras import seeds
from keras_backend.programs.on_keras3.tf_on_keras.dispatch import over_keras

BACKEND = keras.backend.backend()
DRAWS = {
    'normal': lambda **kw: over_keras('random.normal')([3], **kw),
    'uniform': lambda **kw: over_keras('random.uniform')([3], **kw),
    'whole numbers': lambda **kw: over_keras('random.uniform')([3], 0, 1000, 'int32', **kw),
    'truncated_normal': lambda **kw: over_keras('random.truncated_normal')([3], **kw),
    'categorical': lambda **kw: over_keras('random.categorical')(ops.zeros((1, 50)), 9, **kw),
    'shuffle': lambda **kw: over_keras('random.shuffle')(ops.arange(30), **kw),
    'dropout': lambda **kw: over_keras('nn.dropout')(ops.ones((50,)), 0.5, **kw),
}


@pytest.fixture(autouse=True)
def _as_before(monkeypatch):
    """No other test has the seeds of these."""
    monkeypatch.setattr('keras.src.random.seed_generator.python_random', random)
    yield
    seeds._of_all.clear()
    seeds._sources.clear()


def states():
    """The states of the generators that belong to the program."""
    of_numpy = np.random.get_state()
    return random.getstate(), of_numpy[1].tolist(), of_numpy[2]


def three(draw, **kw):
    return [ops.convert_to_numpy(draw(**kw)).ravel().tolist() for _ in range(3)]


@pytest.mark.parametrize('name', list(DRAWS))
def test_a_seed_repeats_draws(name):
    """All draws after it are repeated, and they differ from each other and from those of another seed."""
    found = []
    for seed in (1, 1, 2):
        seeds.set_seed(seed)
        found.append(three(DRAWS[name]))
    assert found[0] == found[1] != found[2]
    assert found[0][0] != found[0][1] != found[0][2]


@pytest.mark.parametrize('name', list(DRAWS))
def test_a_draw_with_its_own_seed(name):
    """Its sequence depends on both seeds, and not on other draws."""
    seeds.set_seed(1)
    first = three(DRAWS[name], seed=5)
    seeds.set_seed(1)
    three(DRAWS[name])
    assert first == three(DRAWS[name], seed=5)
    assert first[0] != first[1]
    assert first != three(DRAWS[name], seed=6)
    seeds.set_seed(2)
    assert first != three(DRAWS[name], seed=5)


def test_generators_of_the_program_stay_as_they_are():
    """Neither the seed nor a draw changes them."""
    before = states()
    seeds.set_seed(np.int64(3))
    for draw in DRAWS.values():
        draw()
        draw(seed=4)
    assert states() == before


def test_layers_have_the_seed():
    """Initial weights and dropout are repeated, without a draw from Python's generator."""
    found = []
    for _ in range(2):
        seeds.set_seed(8)
        before = states()
        layer, dropout = keras.layers.Dense(4), keras.layers.Dropout(0.5)
        layer.build((2, 3))
        drawn = layer.kernel, dropout(ops.ones((50,)), training=True)
        found.append([ops.convert_to_numpy(x).tolist() for x in drawn])
        assert states() == before
    assert found[0] == found[1]


PROGRAM = """
import random
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

np.random.seed(3)
random.seed(3)
wanted = np.random.RandomState(3).normal(size=2).tolist() + [random.Random(3).random()]
found = []

class Noise(layers.Layer):
    def call(self, x):
        return x + tf.random.normal(tf.shape(x)) + tf.random.uniform([3], seed=2)

for _ in range(2):
    tf.random.set_seed(11)
    model = tf.keras.Sequential([layers.Dense(3), Noise(), layers.Dropout(0.5), layers.Dense(1)])
    model.compile('sgd', 'mse')
    loss = model.fit(np.ones((4, 2)), np.zeros((4, 1)), epochs=2, shuffle=False, verbose=0).history['loss']
    found.append(loss + np.array(tf.random.normal([2])).tolist() + np.array(tf.random.normal([2], seed=3)).tolist())
assert found[0] == found[1], found
tf.random.set_seed(12)
assert np.array(tf.random.normal([2])).tolist() != found[0][2:4]
assert np.random.normal(size=2).tolist() + [random.random()] == wanted
print('apart')
"""


def test_seeds_in_a_program(tmp_path):
    """A program whose draws are repeated by tf.random.set_seed gets the numbers of NumPy's and Python's own seeds."""
    (tmp_path / 'program.py').write_text(PROGRAM)
    status, out, err = launch('program.py', backend=BACKEND, home=tmp_path / 'home', cwd=tmp_path)
    assert (0, 'apart\n') == (status, out), err

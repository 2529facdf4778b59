"""RMSprop, Adagrad and Nadam of a program, and clipping: the steps of TensorFlow 2.10, or of 2.11 and later.

The expected weights are computed by NumPy; TensorFlow 2.10 and 2.15 give the same.
"""

import pytest
from keras3_backends import INSIDE, passes

PROGRAM = """
import numpy as np
from tensorflow import keras
from tensorflow.keras import optimizers

OLDER = {older}
slopes = np.array([1., -.7, 1e-3, 1e-7, 100.])


def moved(optimizer):
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, kernel_initializer='zeros', input_shape=(5,))])
    model.compile(optimizer, lambda y_true, y_pred: y_true * y_pred)
    for step in range(4):
        model.train_on_batch(slopes[None].astype('float32'), np.array([[1. + step]], 'float32'))
    return model.get_weights()[0].ravel()


def by(square, epsilon):
    return np.sqrt(square) + epsilon if OLDER else np.sqrt(square + epsilon)


def rmsprop(epsilon=1e-7, centered=False):
    weights, squares, means = np.zeros((3, 5))
    for step in range(4):
        g = slopes * (1 + step)
        squares, means = .9 * squares + .1 * g ** 2, .9 * means + .1 * g
        weights = weights - .001 * g / by(squares - centered * means ** 2, epsilon)
    return weights


def adagrad(epsilon=1e-7):
    weights, squares = np.zeros(5), np.full(5, .1)
    for step in range(4):
        g = slopes * (1 + step)
        squares = squares + g ** 2
        weights = weights - .001 * g / by(squares, epsilon)
    return weights


def nadam(rate=.001, schedule_decay=None):
    weights, first, second = np.zeros((3, 5))
    decay = (.004 if OLDER else 1.) if schedule_decay is None else schedule_decay
    momentum = lambda step: .9 * (1 - .5 * .96 ** (step * decay))
    product = 1.
    for step in range(1, 5):
        g = slopes * step
        now, later = momentum(step), momentum(step + 1)
        product *= now
        first, second = .9 * first + .1 * g, .999 * second + .001 * g ** 2
        direction = (1 - now) * g / (1 - product) + later * first / (1 - product * later)
        weights = weights - rate * direction / (np.sqrt(second / (1 - .999 ** step)) + 1e-7)
    return weights


cases = [
    ('rmsprop', rmsprop()),
    (optimizers.RMSprop(epsilon=.01), rmsprop(.01)),
    (optimizers.RMSprop(epsilon=.01, centered=True), rmsprop(.01, True)),
    ('nadam', nadam()),
    (optimizers.Adagrad(epsilon=.01), adagrad(.01)),
    (optimizers.get({{'class_name': 'RMSprop', 'config': {{'epsilon': .01}}}}), rmsprop(.01)),
]
if OLDER:
    cases += [
        (optimizers.Nadam(lr=.002, schedule_decay=.1), nadam(.002, .1)),
        (optimizers.Nadam(.002, decay=.1), nadam(.002)),
        (type('Own', (optimizers.RMSprop,), {{}})(epsilon=.01), rmsprop(.01)),
    ]
for number, (optimizer, expected) in enumerate(cases):
    np.testing.assert_allclose(moved(optimizer), expected, rtol=1e-4, err_msg=str(number))
    assert 'keras_backend' not in type(optimizer).__module__
print('passed')
"""


# Facts: TensorFlow 2.4 and 2.10 clip by the value first, then by the norm of each gradient, then by that of all. They
# refuse `clipnorm` beside `global_clipnorm`. TensorFlow 2.15 leaves the value out beside a norm, with no word of it.
CLIPS = """
import numpy as np
from tensorflow import keras
from tensorflow.keras import optimizers

OLDER = {older}
slopes = np.array([3., -4., .5, .01])
both = {{'clipnorm': .8, 'clipvalue': .7}}


def model(optimizer):
    inputs = keras.Input((4,))
    made = keras.Model(inputs, [keras.layers.Dense(
        1, use_bias=False, kernel_initializer='zeros')(inputs) for _ in range(2)])
    made.compile(optimizer, [lambda y_true, y_pred: y_true * y_pred] * 2)
    return made


def moved(optimizer):
    trained = model(optimizer)
    trained.train_on_batch(slopes[None].astype('float32'), [np.ones((1, 1), 'float32'), np.full((1, 1), -.1, 'float32')])
    return np.array(trained.get_weights())[..., 0]


def wanted(value=None, norm=None, together=None):
    gradients = np.array([slopes, -.1 * slopes])
    gradients = gradients if value is None else np.clip(gradients, -value, value)
    lengths = np.linalg.norm(gradients, axis=1, keepdims=True)
    gradients = gradients if norm is None else gradients * np.minimum(1, norm / lengths)
    return -.1 * (gradients if together is None else gradients * min(1, together / np.linalg.norm(gradients)))


def refuses(**clips):
    try:
        optimizers.SGD(.1, **clips)
    except ValueError:
        return True
    return False


if OLDER:
    np.testing.assert_allclose(moved(optimizers.SGD(.1, **both)), wanted(.7, .8), rtol=1e-5)
    np.testing.assert_allclose(moved(optimizers.SGD(.1, global_clipnorm=1., clipvalue=.7)), wanted(.7, None, 1.), rtol=1e-5)
    config = optimizers.SGD(.1, **both).get_config()
    assert {{name: config[name] for name in both}} == both, config
    np.testing.assert_allclose(moved(optimizers.SGD.from_config(config)), wanted(.7, .8), rtol=1e-5)
    np.testing.assert_allclose(moved(optimizers.SGD(.1, clipvalue=.7)), wanted(.7), rtol=1e-5)
    np.testing.assert_allclose(moved(optimizers.SGD(.1, clipnorm=.8)), wanted(None, .8), rtol=1e-5)
assert refuses(**both) is not OLDER
assert refuses(clipnorm=1., global_clipnorm=1.) and refuses(clipnorm=1., global_clipnorm=1., clipvalue=.5)
print('passed')
"""


# An optimizer of 2.10 clips by the value and by a norm, and one of Keras 3 takes one way to clip.
PROGRAMS = pytest.mark.parametrize('program', [PROGRAM, CLIPS], ids=['steps', 'clips'])


@PROGRAMS
@pytest.mark.parametrize('backend', INSIDE)
def test_an_older_program(backend, program, tmp_path):
    """Nothing tells the year of the program: it is of before 2.11, as most are."""
    passes(program.format(older=True), backend, tmp_path)


@PROGRAMS
@pytest.mark.parametrize('backend', INSIDE)
def test_a_later_program(backend, program, tmp_path):
    """The requirements name a later TensorFlow."""
    (tmp_path / 'requirements.txt').write_text('tensorflow==2.12.0\n', encoding='utf-8')
    passes(program.format(older=False), backend, tmp_path)

"""Rates of schedules: of a program's own, which gets the step as float32, and of those of Keras, with their periods."""

import pytest
from keras3_backends import BACKENDS, passes

# Facts: in TensorFlow 2.10, Adam and SGD hand a tensor of float32 to the schedule in `fit`, and tf.math.rsqrt takes it.
# The optimizers of 2.11 to 2.15 hand a variable of int64, of which tf.math.rsqrt raises TypeError.
PROGRAM = """
import numpy as np
import tensorflow as tf

class CustomSchedule(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __init__(self, rate, warmup_steps=2):
        super(CustomSchedule, self).__init__()
        self.rate, self.warmup_steps, self.seen = rate, warmup_steps, set()

    def __call__(self, step):
        self.seen.add(str(getattr(step, 'dtype', type(step))))
        arg1 = tf.math.rsqrt(step + 1)
        return self.rate * tf.math.minimum(arg1, step * (self.warmup_steps ** -1.5))

class Derived(CustomSchedule):
    def __call__(self, step):
        return 2. * super().__call__(step)

class Table(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        return tf.gather(tf.constant([0., .25, .5, .5]), step)

def losses(optimizer, **options):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, kernel_initializer='zeros', input_shape=(1,))])
    model.compile(optimizer, 'mse', **options)
    return model.fit(np.ones((4, 1)), np.ones((4, 1)), batch_size=4, epochs=4, verbose=0).history['loss']

def expected(rates):
    error, seen = 1., []
    for rate in rates:
        seen.append(error ** 2)
        error -= 2 * rate * error
    return seen

rates = [.3 * min((step + 1) ** -.5, step * 2 ** -1.5) for step in range(4)]
for options in {}, {'run_eagerly': True}:
    schedule = CustomSchedule(.3)
    np.testing.assert_allclose(losses(tf.keras.optimizers.SGD(schedule), **options), expected(rates), rtol=1e-5)
    assert all('float32' in dtype for dtype in schedule.seen), schedule.seen
    np.testing.assert_allclose(
        losses(tf.keras.optimizers.SGD(Derived(.15)), **options), expected(rates), rtol=1e-5)
losses(tf.keras.optimizers.Adam(CustomSchedule(.3)))

# A schedule of tf.keras 2.11 and later that looks up a table gets the integer.
for options in {}, {'run_eagerly': True}:
    np.testing.assert_allclose(losses(tf.keras.optimizers.SGD(Table()), **options), expected([0., .25, .5, .5]), rtol=1e-5)

# What the program hands itself stays as it is, and an error of the schedule is its own.
schedule = CustomSchedule(1.)
schedule(3.)
assert schedule.seen == {"<class 'float'>"}, schedule.seen

class Wrong(tf.keras.optimizers.schedules.LearningRateSchedule):
    def __call__(self, step):
        raise ValueError('the program says no')

try:
    losses(tf.keras.optimizers.SGD(Wrong()))
except ValueError as error:
    assert 'the program says no' in str(error)
else:
    raise AssertionError
print('passed')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_steps_of_schedules(tmp_path, backend):
    """Rates and losses are worked out by hand."""
    passes(PROGRAM, backend, tmp_path)


# Facts: LearningRateScheduler of TensorFlow 2.10 and 2.15 takes a tensor of one float of any width, and raises
# ValueError for a tensor of an integer and for a number of Python that is no float.
SCHEDULERS = """
import numpy as np
import tensorflow as tf

def rates(schedule):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.SGD(.1), 'mse')
    callback = tf.keras.callbacks.LearningRateScheduler(schedule, verbose=1)
    return model.fit(np.ones((4, 2)), np.ones((4, 1)), epochs=2, verbose=0, callbacks=[callback]).history['lr']

falling = [.1 * np.exp(-.1), .1 * np.exp(-.2)]
np.testing.assert_allclose(rates(lambda epoch, lr: lr * tf.math.exp(-.1)), falling, rtol=1e-6)
np.testing.assert_allclose(rates(lambda epoch: tf.constant(.5, 'float16')), [.5, .5])
np.testing.assert_allclose(rates(lambda epoch: .25), [.25, .25])
for refused in lambda epoch: tf.constant(1), lambda epoch: 1, lambda epoch: tf.constant([.5]), lambda epoch: np.array(.5):
    try:
        rates(refused)
    except ValueError as error:
        assert 'float' in str(error)
    else:
        raise AssertionError
print('passed')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_rates_of_schedulers_as_tensors(tmp_path, backend):
    """A function of a `LearningRateScheduler` that computes with tf gives a tensor."""
    passes(SCHEDULERS, backend, tmp_path)


# Facts: in a compiled step, TensorFlow 2.10 multiplies the step by 1 / decay_steps in float32. 21 * (1 / 7) is more
# than 3 there, and 41 * (1 / 41) less than 1. A call of a schedule, and `run_eagerly`, divide.
PERIODS = """
import numpy as np
import tensorflow as tf

S = tf.keras.optimizers.schedules

def rates(schedule, steps, **options):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, use_bias=False, kernel_initializer='zeros', input_shape=(1,))])
    model.compile(tf.keras.optimizers.SGD(schedule), lambda y_true, y_pred: y_pred - y_true, **options)
    x, weights = np.ones((1, 1), 'float32'), [0.]
    for step in range(steps):
        model.train_on_batch(x, x)
        weights.append(float(model.get_weights()[0][0, 0]))
    return -np.diff(weights)

def polynomial(step, part, n):
    whole = max(1, np.ceil(part))
    return .4 * (1 - step / (n * whole)) + .1

def restarts(step, part, n):
    return .25 * (1 + np.cos(np.pi * (part - np.floor(part))))

cases = [
    (lambda n: S.PolynomialDecay(.5, n, .1, cycle=True), polynomial),
    (lambda n: S.ExponentialDecay(.5, n, .8, staircase=True), lambda step, part, n: .5 * .8 ** np.floor(part)),
    (lambda n: S.InverseTimeDecay(.5, n, .8, staircase=True), lambda step, part, n: .5 / (1 + .8 * np.floor(part))),
    (lambda n: S.CosineDecayRestarts(.5, n, t_mul=1.), restarts),
]
for number, (make, rate) in enumerate(cases):
    for n in (7, 41):
        multiplied = [rate(step, np.float32(step) * (np.float32(1) / np.float32(n)), n) for step in range(44)]
        divided = [rate(step, step / n, n) for step in range(44)]
        for found, wanted in ((rates(make(n), 44), multiplied), (rates(make(n), 44, run_eagerly=True), divided),
                              ([float(make(n)(step)) for step in range(44)], divided)):
            np.testing.assert_allclose(found, wanted, atol=1e-5, err_msg=f'{number} {n}')
print('passed')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_periods_of_schedules(tmp_path, backend):
    """Schedules that round a fraction of steps do so as TensorFlow does in a compiled step."""
    # JAX divides where it computes in float64.
    passes(PERIODS, backend, tmp_path, JAX_ENABLE_X64='0')

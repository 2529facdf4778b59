"""Metrics of a program that were written for tf.keras 2.0 to 2.4: `reset_states`, `compiled_metrics.metrics`."""

import pytest
from keras3_backends import BACKENDS, passes

PROGRAM = """
import keras, numpy as np

class Counted(keras.metrics.Metric):
    def __init__(self, name='counted', **kwargs):
        super().__init__(name=name, **kwargs)
        self.total = self.add_weight(name='total', initializer='zeros')
        self.resets = 0
    def update_state(self, y_true, y_pred, sample_weight=None):
        self.total.assign_add(1.)
    def result(self):
        return self.total
    def reset_states(self):
        self.resets += 1
        self.total.assign(0.)

class Twice(Counted):
    def reset_states(self):
        super().reset_states()
        self.resets += 10

class Mean(keras.metrics.Mean):
    resets = 0
    def reset_states(self):
        super().reset_states()
        self.resets += 1

mean = keras.metrics.Mean()
mean.update_state([1., 3.])
mean.reset_states()
assert float(mean.result()) == 0.
for metric in Counted(), Twice(), Mean():
    metric.update_state([1., 3.], None)
    for reset in metric.reset_states, metric.reset_state:
        reset()
        assert float(metric.result()) == 0.
    assert metric.resets == (22 if isinstance(metric, Twice) else 2)

class Own(keras.Sequential):
    @property
    def metrics(self):
        return [mean] + self.compiled_metrics.metrics

model = Own([keras.layers.Input((2,)), keras.layers.Dense(1)])
model.compile('sgd', 'mse', metrics=['mae', Counted()])
x = np.ones((12, 2))
history = model.fit(x, x[:, :1], batch_size=4, epochs=2, verbose=0).history
assert [m.name for m in model.metrics][1:] == ['mae', 'counted'], model.metrics
assert history['counted'] == [3., 3.], history
print('passed')
"""


@pytest.mark.parametrize('backend', BACKENDS)
def test_metrics_that_are_set_back(backend, tmp_path):
    """A metric is set back between epochs by the method that it has, which may call that of its base."""
    passes(PROGRAM, backend, tmp_path)

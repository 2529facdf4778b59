"""A model saved in one process and loaded in another, which goes on with the state of the optimizer."""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from keras import backend as K
from keras import regularizers
from keras.engine import InputSpec, Layer
from keras.layers import GRU, BatchNormalization, Bidirectional, Conv1D, Dense
from keras.models import Sequential, load_model
from keras.optimizers import SGD


class Scale(Layer):
    """A learned factor for every channel."""

    def __init__(self, factor=1., **kwargs):
        self.factor = factor
        self.input_spec = [InputSpec(ndim=3)]
        super(Scale, self).__init__(**kwargs)

    def build(self, input_shape):
        self.gamma = self.add_weight(shape=(input_shape[-1],), name='gamma', initializer='ones')
        super(Scale, self).build(input_shape)

    def call(self, x):
        return x * self.gamma * self.factor

    def get_config(self):
        return dict(super(Scale, self).get_config(), factor=self.factor)


def rmse(y_true, y_pred):
    return K.sqrt(K.mean(K.square(y_pred - y_true), axis=-1))


def swish(x):
    return x * K.sigmoid(x)


def data():
    rng = np.random.RandomState(0)
    x = rng.normal(size=(24, 6, 3))
    return x, x.sum(axis=1)[:, :2] * 0.3


def build():
    model = Sequential()
    model.add(Conv1D(4, 3, padding='causal', input_shape=(6, 3), kernel_regularizer=regularizers.l1_l2(1e-4, 1e-4)))
    model.add(BatchNormalization())
    model.add(Scale(0.5))
    model.add(Bidirectional(GRU(3, recurrent_activation='hard_sigmoid', reset_after=True), merge_mode='ave'))
    model.add(Dense(2, activation=swish, name='out'))
    model.compile(SGD(lr=0.05, momentum=0.9, decay=1e-3, nesterov=True), loss=rmse, metrics=['mse'])
    return model


def steps(model, n):
    x, y = data()
    return [float(model.train_on_batch(x, y)[0]) for _ in range(n)]


def resume(path):
    """What the other process does."""
    model = load_model(path, custom_objects={'Scale': Scale, 'rmse': rmse, 'swish': swish})
    x, _ = data()
    answer = {'predicted': model.predict(x).tolist(), 'iterations': int(K.get_value(model.optimizer.iterations)),
              'losses': steps(model, 3), 'after': model.predict(x).tolist(), 'factor': model.layers[2].factor,
              'names': [layer.name for layer in model.layers]}
    print('ANSWER ' + json.dumps(answer))


def main():
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, 'model.h5')
    model = build()
    rng = np.random.RandomState(1)
    model.set_weights([rng.uniform(0.3, 0.7, w.shape) if w.ndim == 1 else rng.uniform(-0.5, 0.5, w.shape)
                       for w in model.get_weights()])
    x, _ = data()
    start = model.predict(x)
    losses = steps(model, 5)
    model.save(path)
    predicted = model.predict(x)
    said = subprocess.check_output([sys.executable, os.path.abspath(__file__), 'resume', path])
    answer = json.loads(said.decode('utf-8').split('ANSWER ')[-1])
    np.testing.assert_allclose(answer['predicted'], predicted, rtol=1e-4, atol=1e-6)
    assert answer['iterations'] == 5 and answer['factor'] == 0.5
    assert answer['names'] == [layer.name for layer in model.layers]
    going_on = steps(model, 3)
    np.testing.assert_allclose(answer['losses'], going_on, rtol=2e-3)
    np.testing.assert_allclose(answer['after'], model.predict(x), rtol=2e-2, atol=2e-3)

    # Without the optimizer's state the next steps are others.
    model.save(path, include_optimizer=False)
    bare = load_model(path, custom_objects={'Scale': Scale, 'rmse': rmse, 'swish': swish}, compile=False)
    np.testing.assert_allclose(bare.predict(x), model.predict(x), rtol=1e-5, atol=1e-6)
    # The names that came in have to be known.
    try:
        load_model(path)
    except ValueError as error:
        assert 'Scale' in str(error), error
    else:
        raise AssertionError('loaded without custom_objects')
    assert losses[4] < losses[0]
    print('RESULT ' + json.dumps({'start': start.ravel().tolist(), 'first': losses[0]}))


if __name__ == '__main__':
    if sys.argv[1:2] == ['resume']:
        resume(sys.argv[2])
    else:
        main()

# keras: 2.0.8 2.1.6 2.2.2 2.2.4 2.2.5 2.3.0 2.3.1
"""A model of TensorFlow 2.10 in a program of 2018: its layers, its training, its functions, classes of the program."""
import json
import warnings

import h5py
import keras
import numpy as np
from keras import backend as K
from keras.layers import BatchNormalization, Dense, Dropout, Layer
from keras.models import Sequential, load_model, model_from_json

warnings.simplefilter('error')
warnings.filterwarnings('ignore', category=DeprecationWarning)
rng = np.random.RandomState(3)


def layer(kind, name, inbound, **config):
    nodes = [[[one, 0, 0, said] for one, said in inbound]] if inbound else []
    return {'class_name': kind, 'name': name, 'config': dict(config, name=name, trainable=True), 'inbound_nodes': nodes}


def functional(layers, output):
    config = {'name': 'm', 'layers': layers, 'input_layers': [['x', 0, 0]], 'output_layers': [[output, 0, 0]]}
    return {'class_name': 'Functional', 'config': config, 'keras_version': '2.10.0', 'backend': 'tensorflow'}


def write(path, config, weights, training=None):
    with h5py.File(path, 'w') as file:
        file.attrs['model_config'] = json.dumps(config).encode()
        file.attrs['keras_version'], file.attrs['backend'] = b'2.10.0', b'tensorflow'
        if training:
            file.attrs['training_config'] = json.dumps(training).encode()
        inside = file.create_group('model_weights')
        inside.attrs['layer_names'] = np.array([name.encode() for name in weights])
        for name, arrays in weights.items():
            group = inside.create_group(name)
            names = ['%s/w%d:0' % (name, i) for i in range(len(arrays))]
            group.attrs['weight_names'] = np.array([one.encode() for one in names])
            for one, array in zip(names, arrays):
                group.create_dataset(one, data=array)


X = {'batch_input_shape': [None, 3], 'dtype': 'float32', 'sparse': False, 'ragged': False}
x = rng.randn(8, 3).astype('float32')
w, b = rng.randn(3, 4).astype('float32'), rng.randn(4).astype('float32')
moving = [np.ones(4, 'f'), np.zeros(4, 'f'), np.full(4, 0.5, 'f'), np.full(4, 2.0, 'f')]

# Layers are those of Keras where it has them. An activation of TensorFlow 2 is known. It is trained as the file says.
decayed = {'class_name': 'L2', 'config': {'l2': 0.1}}
dense = dict(units=4, activation='swish', use_bias=True, kernel_regularizer=decayed)
normalization = dict(axis=[1], momentum=0.5, epsilon=0.001)
net = functional(
    [
        layer('InputLayer', 'x', [], **X),
        layer('Dense', 'd', [('x', {})], dtype='float32', **dense),
        layer('BatchNormalization', 'n', [('d', {'training': False})], **normalization),
        layer('TFOpLambda', 'tf.math.multiply', [('n', {'y': 2.0, 'name': None})], function='math.multiply'),
    ],
    'tf.math.multiply',
)
training = {
    'loss': {'class_name': 'MeanSquaredError', 'config': {'reduction': 'auto', 'name': 'mean_squared_error'}},
    'metrics': [{'class_name': 'MeanMetricWrapper', 'config': {'name': 'mae', 'dtype': 'float32', 'fn': 'mae'}}],
    'weighted_metrics': None, 'loss_weights': None,
    'optimizer_config': {'class_name': 'SGD', 'config': {
        'name': 'SGD', 'learning_rate': 0.125, 'decay': 0.0, 'momentum': 0.0, 'nesterov': False}},
}  # fmt: skip
write('net.h5', net, {'d': [w, b], 'n': moving}, training)


def truth(x, w, b):
    z = x.astype('float64').dot(w) + b
    return 2 * ((z / (1 + np.exp(-z)) - 0.5) / np.sqrt(2.001))


model = load_model('net.h5')
np.testing.assert_allclose(model.predict(x), truth(x, w, b), rtol=1e-5, atol=1e-6)
assert isinstance(model.get_layer('d'), Dense) and isinstance(model.get_layer('n'), BatchNormalization)
rate = model.optimizer.lr if hasattr(model.optimizer, 'lr') else model.optimizer.learning_rate
assert abs(K.get_value(rate) - 0.125) < 1e-7
y = np.zeros((8, 4), 'f')
loss = model.train_on_batch(x, y)
np.testing.assert_allclose(loss[0], (truth(x, w, b) ** 2).mean() + 0.1 * (w**2).sum(), rtol=1e-5)
# The file calls the normalization with training=False, so its averages stay.
np.testing.assert_array_equal(model.get_layer('n').get_weights()[2], moving[2])
assert np.abs(model.get_layer('d').get_weights()[0] - w).max() > 1e-3
assert model.train_on_batch(x, y)[0] < loss[0]
model.save('again.h5')
np.testing.assert_allclose(load_model('again.h5').predict(x), model.predict(x), rtol=1e-5, atol=1e-6)

# TensorFlow 2 does not normalize by the batch where a normalization is frozen. Keras 2 does.
frozen = functional(
    [layer('InputLayer', 'x', [], **X), layer('BatchNormalization', 'n', [('x', {})], axis=[1], epsilon=0.001)], 'n'
)
frozen['config']['layers'][1]['config']['trainable'] = False
write('frozen.h5', frozen, {'n': [one[:3] for one in moving]})
model = load_model('frozen.h5')
model.compile('sgd', 'mse')
wanted = (x - 0.5) / np.sqrt(2.001)
np.testing.assert_allclose(model.train_on_batch(x, np.zeros_like(x)), (wanted**2).mean(), rtol=1e-5)

# A configuration and weights, each in its file.
model = model_from_json(json.dumps(net))
model.load_weights('net.h5')
np.testing.assert_allclose(model.predict(x), truth(x, w, b), rtol=1e-5, atol=1e-6)

# A layer that Keras 2 lacks has weights before they are loaded, is trained, and keeps the regularizer of the file.
later = functional(
    [
        layer('InputLayer', 'x', [], **X),
        layer('LayerNormalization', 'n', [('x', {})], axis=[1], epsilon=0.001, center=True, scale=True,
              gamma_regularizer={'class_name': 'L2', 'config': {'l2': 0.5}}),
    ],
    'n',
)  # fmt: skip
model = model_from_json(json.dumps(later))
model.get_layer('n').set_weights([np.full(3, 2.0, 'f'), np.ones(3, 'f')])
centred = x - x.mean(axis=1, keepdims=True)
wanted = 2 * centred / np.sqrt(x.var(axis=1, keepdims=True) + 0.001) + 1
np.testing.assert_allclose(model.predict(x), wanted, rtol=1e-4, atol=1e-5)
model.compile('sgd', 'mse')
np.testing.assert_allclose(model.train_on_batch(x, wanted), 0.5 * 12, rtol=1e-4)
assert (model.get_layer('n').get_weights()[0] < 2).all()

# A Sequential is one. Dropout that the program called with training=True drops when it predicts, too.
chain = {
    'class_name': 'Sequential',
    'config': {'name': 's', 'layers': [
        {'class_name': 'InputLayer', 'config': dict(X, name='x')},
        {'class_name': 'Dense', 'config': dict(dense, name='d', trainable=True, dtype='float32')},
        {'class_name': 'Dropout', 'config': {'name': 'o', 'rate': 0.5}},
    ]},
    'keras_version': '2.10.0', 'backend': 'tensorflow',
}  # fmt: skip
write('chain.h5', chain, {'d': [w, b]})
model = load_model('chain.h5')
assert isinstance(model, Sequential) and [one.name for one in model.layers] == ['d', 'o']
before = model.predict(x)
np.testing.assert_array_equal(model.predict(x), before)
model.pop()
model.add(Dense(2))
assert model.output_shape == (None, 2) and len(model.layers) == 2
calls = [layer('InputLayer', 'x', [], **X), layer('Dropout', 'o', [('x', {'training': True})], rate=0.5)]
write('dropping.h5', functional(calls, 'o'), {})
model = load_model('dropping.h5')
assert isinstance(model.get_layer('o'), Dropout)
found = model.predict(np.ones((50, 3), 'f'))
assert set(np.unique(found)) == {0.0, 2.0}


# Classes and functions of the program.
class Scaled(Layer):
    def __init__(self, factor, **kwargs):
        self.factor = factor
        super(Scaled, self).__init__(**kwargs)

    def call(self, inputs):
        return self.factor * inputs

    def get_config(self):
        return dict(super(Scaled, self).get_config(), factor=self.factor)


own = functional(
    [layer('InputLayer', 'x', [], **X), layer('Custom>Scaled', 'c', [('x', {})], factor=3.0, dtype='float32')], 'c'
)
write('own.h5', own, {})
np.testing.assert_allclose(load_model('own.h5', custom_objects={'Scaled': Scaled}).predict(x), 3 * x, rtol=1e-6)
with keras.utils.CustomObjectScope({'Scaled': Scaled}):
    np.testing.assert_allclose(load_model('own.h5').predict(x), 3 * x, rtol=1e-6)
try:
    load_model('own.h5')
except ValueError as error:
    assert "custom_objects={'Scaled': Scaled}" in str(error), error
else:
    raise AssertionError('a class that nobody knows')

# A mask meets a wrapper around a model, which neither Keras 2 nor K computes as tf.keras does.
inner = functional([layer('InputLayer', 'x', [], **X)], 'x')
masked = [
    layer('InputLayer', 'x', [], **dict(X, batch_input_shape=[None, 2, 3])),
    layer('Masking', 'm', [('x', {})], mask_value=0.0),
    layer('TimeDistributed', 't', [('m', {})], layer={'class_name': 'Functional', 'config': inner['config']}),
]
write('masked.h5', functional(masked, 't'), {})
try:
    load_model('masked.h5')
except ValueError as error:
    assert 'The layer t (TimeDistributed)' in str(error) and 'a model or a function in it' in str(error), error
else:
    raise AssertionError('a mask for a model in a wrapper')
try:
    load_model('no.h5')
except (IOError, OSError) as error:
    assert 'no.h5' in str(error), error
else:
    raise AssertionError('a file that is not there')
print('cured')

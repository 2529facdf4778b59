# keras: 2.3.0 2.3.1
"""`load_model` without the program's own names raises what the original raises, Keras 2.3.1 on TensorFlow 1.15."""
import h5py
import keras
import numpy as np
from keras import backend as K
from keras import layers as L
from keras.models import Sequential, load_model


def my_loss(a, b):
    return K.mean(K.square(a - b), axis=-1)


class MyLoss(keras.losses.Loss):
    def call(self, a, b):
        return K.square(a - b)


class MySGD(keras.optimizers.SGD):
    pass


class MyLayer(L.Layer):
    def call(self, x):
        return x


def my_regularizer(w):
    return K.sum(w)


def error(path, **options):
    try:
        load_model(path, **options)
    except ValueError as raised:
        return str(raised)
    return None


OWN = {'my_loss': my_loss, 'MySGD': MySGD}
CASES = [
    ('Unknown loss function:my_loss', lambda: dict(loss=my_loss), {}),
    ('Unknown loss function: MyLoss', lambda: dict(loss=MyLoss()), {}),
    ('Unknown metric function:my_loss', lambda: dict(loss='mse', metrics=[my_loss]), {}),
    ('Unknown optimizer: MySGD', lambda: dict(loss='mse', optimizer=MySGD()), {}),
    ('Unknown regularizer: my_regularizer', lambda: dict(loss='mse'), {'kernel_regularizer': my_regularizer}),
]
for message, options, of_layer in CASES:
    K.clear_session()
    model = Sequential([L.Dense(2, input_shape=(3,), **of_layer)])
    model.compile(**dict(dict(optimizer='sgd'), **options()))
    model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    model.save('own.h5')
    assert error('own.h5') == message, error('own.h5')
    if not of_layer:
        assert error('own.h5', compile=False) is None
    # As of a file that another Keras 2 wrote.
    with h5py.File('own.h5', 'a') as file:
        for group in (file, file['model_weights']):
            group.attrs['keras_version'] = b'2.2.4'
    assert error('own.h5') == message, error('own.h5')
    # Keras 2.3.1 does not find the class of a loss and a regularizer among custom_objects.
    if message.endswith(('my_loss', 'MySGD')):
        assert load_model('own.h5', custom_objects=OWN).optimizer is not None
model = Sequential([MyLayer(input_shape=(3,))])
model.save('own.h5')
assert error('own.h5') == 'Unknown layer: MyLayer'
print('cured')

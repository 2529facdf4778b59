"""Squeeze-and-excitation and CBAM as of 2020 in plain Keras: K functions between layers, without Lambda; saved, loaded."""
import json
import os
import tempfile

import keras
import numpy as np
from keras import layers

import keras_backend.keras3 as K


def squeeze_excite_block(tensor, ratio=2):
    channel_axis = 1 if K.image_data_format() == 'channels_first' else -1
    filters = K.int_shape(tensor)[channel_axis]
    se = K.mean(tensor, axis=[1, 2])
    se = K.reshape(se, (-1, 1, 1, filters))
    se = layers.Dense(filters // ratio, activation='relu', use_bias=False)(se)
    se = layers.Dense(filters, use_bias=False)(se)
    return tensor * K.sigmoid(se)


def spatial_attention(tensor):
    average = K.mean(tensor, axis=3, keepdims=True)
    largest = K.max(tensor, axis=3, keepdims=True)
    both = K.concatenate([average, largest], axis=3)
    return tensor * layers.Conv2D(1, 3, padding='same', activation='sigmoid', use_bias=False)(both)


def swish(x):
    return x * K.sigmoid(x)


def hard_swish(x):
    return x * K.relu(x + 3., max_value=6.) / 6.


rs = np.random.RandomState(22)
image = keras.Input((6, 6, 3))
x = swish(layers.Conv2D(4, 3, padding='same')(image))
squeezed = squeeze_excite_block(x)
x = hard_swish(spatial_attention(squeezed))
x = K.temporal_padding(K.reshape(x, (-1, 36, 4)), (1, 1))
x = K.pool2d(K.expand_dims(x, -1), (2, 2), strides=(2, 2), pool_mode='avg')
x = K.reshape(x, (-1, 38))
model = keras.Model(image, layers.Dense(3, activation='softmax')(K.l2_normalize(x, axis=1) * 3.))
for layer in model.layers:
    layer.set_weights([rs.normal(0, .6, w.shape) for w in layer.get_weights()])
pictures = rs.normal(0, 1, (12, 6, 6, 3)).astype('float32')
y = np.eye(3, dtype='float32')[np.arange(12) % 3]
before = model.predict(pictures[:2], verbose=0)
model.compile('sgd', 'categorical_crossentropy')
history = model.fit(pictures, y, batch_size=4, epochs=3, shuffle=False, verbose=0)
after = model.predict(pictures[:2], verbose=0)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, 'model.keras')
    model.save(path)
    loaded = keras.models.load_model(path)
np.testing.assert_allclose(loaded.predict(pictures[:2], verbose=0), after, atol=1e-6)
print('RESULT ' + json.dumps({'before': before.tolist(), 'loss': [float(v) for v in history.history['loss']],
                              'after': after.tolist()}))

"""Transfer learning as TensorFlow's guide of 2020 had it: a base with batch normalization that is frozen, a new head,
`training=False` in the call, fine tuning of the last layers with a small rate, and the older way with base.trainable
switched layer by layer, in which frozen normalization keeps its averages."""
# needs: tensorflow
# slow: yes
import json

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

rs = np.random.RandomState(14)
IMG_SHAPE = (8, 8, 3)


def given(model):
    weights = [rs.normal(0, .3, w.shape) for w in model.get_weights()]
    model.set_weights([np.abs(w) + .5 if w.ndim == 1 else w for w in weights])
    return model


def base_of(name):
    inputs = layers.Input(IMG_SHAPE)
    x = layers.Conv2D(4, 3, use_bias=False, name='conv1')(inputs)
    x = layers.BatchNormalization(name='bn1', momentum=.9)(x)
    x = layers.ReLU(6., name='relu1')(x)
    x = layers.DepthwiseConv2D(3, padding='same', use_bias=False, name='dw')(x)
    x = layers.BatchNormalization(name='bn2', momentum=.9)(x)
    x = layers.ReLU(6., name='out')(x)
    return given(keras.Model(inputs, x, name=name))


x = rs.uniform(0, 255, (12, *IMG_SHAPE)).astype('float32')
y = rs.randint(0, 2, (12, 1))
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
results = {}

base_model = base_of('base')
base_model.trainable = False
inputs = keras.Input(shape=IMG_SHAPE)
h = layers.experimental.preprocessing.Rescaling(1. / 127.5, offset=-1)(inputs)
h = base_model(h, training=False)
h = layers.GlobalAveragePooling2D()(h)
h = layers.Dropout(0.)(h)
model = keras.Model(inputs, layers.Dense(1)(h))
model.layers[-1].set_weights([rs.normal(size=(4, 1)), np.zeros(1)])
rate = 1e-2
model.compile(optimizer=keras.optimizers.Adam(lr=rate), loss=keras.losses.BinaryCrossentropy(from_logits=True),
              metrics=[keras.metrics.BinaryAccuracy(name='accuracy')])
before = [w.copy() for w in base_model.get_weights()]
history = model.fit(data, epochs=3, validation_data=data, verbose=0)
results['frozen'] = {name: [float(v) for v in values] for name, values in history.history.items()}
results['kept'] = all(np.array_equal(a, b) for a, b in zip(before, base_model.get_weights()))
results['counts'] = [len(model.trainable_variables), len(model.non_trainable_variables), model.count_params()]

base_model.trainable = True
for layer in base_model.layers[:3]:
    layer.trainable = False
model.compile(loss=keras.losses.BinaryCrossentropy(from_logits=True), optimizer=keras.optimizers.RMSprop(lr=rate / 10),
              metrics=['accuracy'])
results['fine counts'] = [len(model.trainable_variables), len(model.non_trainable_variables)]
history = model.fit(data, epochs=4, initial_epoch=2, verbose=0)
results['fine'] = {name: [float(v) for v in values] for name, values in history.history.items()}
results['moved'] = [bool(np.abs(a - b).max() > 0) for a, b in zip(before, base_model.get_weights())]

# The older way: no word of training in the call.
base = base_of('older')
for layer in base.layers:
    layer.trainable = not layer.name.startswith('bn')
older = keras.Sequential([base, layers.Flatten(), layers.BatchNormalization(name='top', momentum=.9), layers.Dense(1, activation='sigmoid')])
given(older)
older.compile(keras.optimizers.SGD(lr=1e-3, momentum=.9, nesterov=True), 'binary_crossentropy', metrics=['acc'])
before = [w.copy() for w in older.get_weights()]
history = older.fit(x / 255, y, batch_size=4, epochs=2, shuffle=False, verbose=0)
results['older'] = {name: [float(v) for v in values] for name, values in history.history.items()}
results['older moved'] = [bool(np.abs(a - b).max() > 0) for a, b in zip(before, older.get_weights())]
results['older in training'] = [float(older(x[:4] / 255, training=phase).numpy().sum()) for phase in (True, False)]
results['predicted'] = [model.predict(x).tolist(), older.predict(x / 255).tolist()]
features = keras.Model(base.input, base.get_layer('relu1').output).predict(x[:2])
results['features'] = float(features.sum())
clone = keras.models.clone_model(base)
clone.set_weights(base.get_weights())
results['clone'] = [layer.trainable for layer in clone.layers]
print('RESULT ' + json.dumps(results))

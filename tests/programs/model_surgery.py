"""Fine-tuning of the time: pop and replace layers, weights by name, JSON and YAML, get_layer, frozen layers, cut models."""
from __future__ import print_function

import json
import os
import tempfile
import warnings

import keras
import numpy as np
from keras.layers import (
    Activation,
    Add,
    BatchNormalization,
    Conv2D,
    Dense,
    Dropout,
    Flatten,
    Input,
    MaxPooling2D,
    ZeroPadding2D,
)
from keras.models import Model, Sequential, clone_model, model_from_json, model_from_yaml
from keras.optimizers import SGD
from keras.utils import np_utils, plot_model

np.random.seed(1)
folder = tempfile.mkdtemp()


def fill(model, seed):
    rng = np.random.RandomState(seed)
    model.set_weights([rng.uniform(0.2, 0.8, w.shape) if w.ndim == 1 else rng.normal(0, 0.3, w.shape)
                       for w in model.get_weights()])


def identity_block(x, filters, stage):
    name = 'res%d_branch' % stage
    shortcut = x
    x = Conv2D(filters, (3, 3), padding='same', name=name + '2a')(x)
    x = BatchNormalization(name='bn%d' % stage)(x)
    x = Activation('relu')(x)
    x = Conv2D(filters, (1, 1), name=name + '2b', use_bias=False)(x)
    return Activation('relu')(Add()([x, shortcut]))


def vgg_like(classes=5):
    model = Sequential()
    model.add(ZeroPadding2D((1, 1), input_shape=(8, 8, 3)))
    model.add(Conv2D(4, (3, 3), activation='relu', name='conv1_1'))
    model.add(MaxPooling2D((2, 2), strides=(2, 2)))
    model.add(Flatten(name='flatten'))
    model.add(Dense(8, activation='relu', name='fc6'))
    model.add(Dropout(0.5))
    model.add(Dense(classes, activation='softmax', name='fc8'))
    return model


rng = np.random.RandomState(0)
images = rng.uniform(0, 1, (20, 8, 8, 3))
result = {}

# 1. Sequential: the last layer taken off, another one put on, the first ones frozen.
model = vgg_like()
fill(model, 1)
old = model.predict(images)
result['old'] = old[0].tolist()
model.save_weights(os.path.join(folder, 'vgg.h5'))
model.pop()
assert model.output_shape == (None, 8)
features = model.predict(images)
model.add(Dense(2, activation='softmax', name='fc8-new'))
for layer in model.layers[:5]:
    layer.trainable = False
model.compile(SGD(lr=0.1, decay=1e-6, momentum=0.9, nesterov=True), 'categorical_crossentropy', metrics=['accuracy'])
assert len(model.trainable_weights) == 2
frozen = model.get_layer('fc6').get_weights()
labels = np_utils.to_categorical((images.mean(axis=(1, 2, 3)) > 0.5).astype(int), 2)
model.fit(images, labels, epochs=2, verbose=0)
np.testing.assert_array_equal(frozen[0], model.get_layer('fc6').get_weights()[0])
trainable_count = int(np.sum([np.prod(w.shape) for w in [np.array(keras.backend.get_value(p))
                                                         for p in model.trainable_weights]]))
assert trainable_count == 8 * 2 + 2 and model.count_params() == 4 * 28 + 64 * 8 + 8 + 18

# 2. Functional: layers.pop() as in forums, then the output of what is left.
inp = Input((8, 8, 3), name='image')
x = Conv2D(4, (3, 3), padding='same', name='stem')(inp)
x = identity_block(x, 4, 2)
x = identity_block(x, 4, 3)
x = Flatten()(x)
resnet = Model(inputs=inp, outputs=Dense(3, name='fc1000')(x), name='resnet')
fill(resnet, 2)
result['resnet'] = resnet.predict(images[:2]).tolist()
resnet.save_weights(os.path.join(folder, 'resnet.h5'))
names = [layer.name for layer in resnet.layers]
head = resnet.get_layer('fc1000').get_weights()
resnet.layers.pop()
assert [layer.name for layer in resnet.layers] == names[:-1]
headless = Model(resnet.input, resnet.layers[-1].output)
assert headless.output_shape == (None, 256)
bottleneck = headless.predict(images, batch_size=7, verbose=0)
np.testing.assert_allclose(bottleneck[:2].dot(head[0]) + head[1], result['resnet'], atol=1e-4)
middle = Model(inputs=resnet.input, outputs=[resnet.get_layer(name).output for name in ('bn2', 'res3_branch2b')])
assert [out.shape for out in middle.predict(images[:3])] == [(3, 8, 8, 4)] * 2

# 3. Weights by name into a network with another head.
inp = Input((8, 8, 3), name='image')
x = identity_block(identity_block(Conv2D(4, (3, 3), padding='same', name='stem')(inp), 4, 2), 4, 3)
x = Flatten()(x)
other = Model(inp, [Dense(2, name='boxes')(x), Dense(3, name='fc1000')(x)])
fill(other, 3)
boxes = other.get_layer('boxes').get_weights()
other.load_weights(os.path.join(folder, 'resnet.h5'), by_name=True)
np.testing.assert_allclose(other.predict(images[:2])[1], result['resnet'], atol=1e-5)
np.testing.assert_array_equal(other.get_layer('boxes').get_weights()[0], boxes[0])
mismatched = Model(inp, Dense(7, name='fc1000')(x))
mismatched.load_weights(os.path.join(folder, 'resnet.h5'), by_name=True, skip_mismatch=True)
try:
    mismatched.load_weights(os.path.join(folder, 'resnet.h5'), by_name=True)
except ValueError as error:
    print(str(error)[:60])
else:
    raise AssertionError('weights of another shape were loaded')

# 4. There and back again.
again = vgg_like()
again.load_weights(os.path.join(folder, 'vgg.h5'))
np.testing.assert_allclose(again.predict(images), old, atol=1e-6)
with open(os.path.join(folder, 'model.json'), 'w') as json_file:
    json_file.write(again.to_json())
with open(os.path.join(folder, 'model.json')) as json_file:
    from_json = model_from_json(json_file.read())
from_json.set_weights(again.get_weights())
np.testing.assert_allclose(from_json.predict(images), old, atol=1e-6)
text = again.to_yaml()
assert 'conv1_1' in text
try:
    from_yaml = model_from_yaml(text)
except TypeError:  # PyYAML 6 wants a Loader
    from_yaml = Sequential.from_config(again.get_config())
from_yaml.set_weights(again.get_weights())
np.testing.assert_allclose(from_yaml.predict(images), old, atol=1e-6)
twin = clone_model(again)
twin.set_weights(again.get_weights())
np.testing.assert_allclose(twin.predict(images), old, atol=1e-6)
assert json.loads(again.to_json())['keras_version'] == keras.__version__
# A layer's weights, split and merged again.
kernel, bias = again.layers[1].get_weights()
again.layers[1].set_weights([kernel[::-1, ::-1], bias])
assert np.abs(again.predict(images) - old).max() > 1e-6
again.layers[4].set_weights([np.zeros_like(w) for w in again.layers[4].get_weights()])
assert np.ptp(again.predict(images), axis=0).max() < 1e-6
with warnings.catch_warnings():
    warnings.simplefilter('ignore')
    try:
        plot_model(model, to_file=os.path.join(folder, 'model.png'))
    except (ImportError, OSError) as error:  # without pydot or graphviz
        print(type(error).__name__)
lines = []
again.summary(print_fn=lines.append, line_length=80)
assert any('conv1_1' in line for line in lines) and any('Total params' in line for line in lines)
print('RESULT ' + json.dumps(dict(result, features=features[0].tolist())))

"""Grad-CAM, guided saliency, activation maximization and deep dream as of 2019, by K.gradients and K.function."""
# original: graph
import json
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Conv2D, Dense, Dropout, Flatten, GlobalAveragePooling2D, Input, MaxPooling2D, BatchNormalization, Activation, add
from tensorflow.keras.models import Model, Sequential
from tensorflow.keras.preprocessing import image
import tensorflow.keras as keras

rs = np.random.RandomState(1)


def block(x, filters, name):
    s = Conv2D(filters, 3, padding='same', name=name + '_conv')(x)
    s = BatchNormalization(axis=3, name=name + '_bn')(s)
    s = Activation('relu', name=name + '_relu')(s)
    return add([x, s], name=name + '_add')


inp = Input(shape=(16, 16, 3), name='input_1')
x = Conv2D(4, 3, padding='same', name='conv1')(inp)
x = block(x, 4, 'b1')
x = MaxPooling2D()(x)
x = block(x, 4, 'b2')
x = GlobalAveragePooling2D()(x)
x = Dropout(0.5)(x)
model = Model(inp, Dense(5, activation='softmax', name='predictions')(x))
model.set_weights([np.abs(rs.normal(0, .3, w.shape)) if len(w.shape) == 1 else rs.normal(0, .3, w.shape) for w in model.get_weights()])
img = rs.uniform(size=(16, 16, 3)).astype('float32')
x = np.expand_dims(img, axis=0)
out = {}

preds = model.predict(x)
class_idx = np.argmax(preds[0])
class_output = model.output[:, class_idx]
last_conv_layer = model.get_layer('b2_add')
grads = K.gradients(class_output, last_conv_layer.output)[0]
pooled_grads = K.mean(grads, axis=(0, 1, 2))
iterate = K.function([model.input], [pooled_grads, last_conv_layer.output[0]])
pooled_grads_value, conv_layer_output_value = iterate([x])
for i in range(4):
    conv_layer_output_value[:, :, i] *= pooled_grads_value[i]
heatmap = np.mean(conv_layer_output_value, axis=-1)
heatmap = np.maximum(heatmap, 0)
heatmap /= np.max(heatmap)
out['cam'] = [int(class_idx), pooled_grads_value.tolist(), heatmap.tolist()]


def normalize(x):
    return x / (K.sqrt(K.mean(K.square(x))) + K.epsilon())


def generate_pattern(layer_name, filter_index, steps=5):
    layer_output = model.get_layer(layer_name).output
    loss = K.mean(layer_output[:, :, :, filter_index])
    grads = K.gradients(loss, model.input)[0]
    grads /= (K.sqrt(K.mean(K.square(grads))) + 1e-5)
    iterate = K.function([model.input], [loss, grads])
    input_img_data = np.full((1, 16, 16, 3), .5) + x * 20 / 128.
    step = 1.
    for i in range(steps):
        loss_value, grads_value = iterate([input_img_data])
        input_img_data += grads_value * step
    return loss_value, input_img_data[0]


losses = []
for index in range(3):
    value, pattern = generate_pattern('b1_conv', index)
    losses.append([float(value), float(pattern.std())])
out['patterns'] = losses

layer_dict = dict([(layer.name, layer) for layer in model.layers[1:]])
loss = K.variable(0.)
for name, coeff in {'b1_relu': 1.0, 'b2_relu': 0.5}.items():
    activation = layer_dict[name].output
    scaling = K.prod(K.cast(K.shape(activation), 'float32'))
    loss = loss + coeff * K.sum(K.square(activation[:, 2: -2, 2: -2, :])) / scaling
dream = model.input
grads = K.gradients(loss, dream)[0]
grads /= K.maximum(K.mean(K.abs(grads)), 1e-7)
fetch = K.function([dream], [loss, grads])
d = x.copy()
dreams = []
for i in range(4):
    value, g = fetch([d])
    dreams.append(float(value))
    d = d + 0.01 * g
out['dream'] = dreams

saliency = K.function([model.input, K.learning_phase()], K.gradients(K.max(model.output, axis=1), [model.input]))
out['saliency'] = [float(np.abs(saliency([x, 0])[0]).sum())]
dl = [K.function([model.input], [layer.output])([x])[0] for layer in model.layers[1:]]
out['all'] = [float(np.abs(o).sum()) for o in dl]
hess = K.gradients(K.sum(K.square(K.gradients(K.sum(model.output[:, 0]), model.input)[0])), model.get_layer('conv1').kernel)
out['hess'] = [float(np.abs(K.function([model.input], hess)([x])[0]).sum())]
weights_grad = K.gradients(K.mean(K.categorical_crossentropy(K.constant(np.eye(5)[:1]), model.output)), model.trainable_weights)
f = K.function(model.inputs + [K.learning_phase()], weights_grad)
out['wg'] = [float(np.abs(v).sum()) for v in f([x, 0])]
print('RESULT', json.dumps(out))

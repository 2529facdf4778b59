"""What a filter sees: activation maximisation, saliency, guided backpropagation, class activation maps, layer outputs."""
from __future__ import print_function

import json

import numpy as np
from keras import backend as K
from keras.layers import Activation, Conv2D, Dense, Flatten, GlobalAveragePooling2D, MaxPooling2D
from keras.models import Model, Sequential

np.random.seed(99)
img_width, img_height = 10, 10


def deprocess_image(x):
    x = x - x.mean()
    x /= (x.std() + K.epsilon())
    x *= 0.1
    x += 0.5
    x = np.clip(x, 0, 1)
    x *= 255
    if K.image_data_format() == 'channels_first':
        x = x.transpose((1, 2, 0))
    return np.clip(x, 0, 255).astype('uint8')


def normalize(x):
    """The gradient, by its size."""
    return x / (K.sqrt(K.mean(K.square(x))) + 1e-5)


model = Sequential()
model.add(Conv2D(4, (3, 3), input_shape=(img_width, img_height, 1), padding='same', name='block1_conv1'))
model.add(Activation('relu'))
model.add(MaxPooling2D((2, 2)))
model.add(Conv2D(6, (3, 3), activation='relu', name='block2_conv1'))
model.add(GlobalAveragePooling2D(name='gap'))
model.add(Dense(3, name='logits'))
model.add(Activation('softmax', name='predictions'))
model.compile('sgd', 'categorical_crossentropy')
rng = np.random.RandomState(1)
model.set_weights([rng.normal(0, 0.4, w.shape) for w in model.get_weights()])
layer_dict = dict([(layer.name, layer) for layer in model.layers])
input_img = model.input
image = rng.uniform(0, 1, (1, img_width, img_height, 1))
result = {'predictions': model.predict(image).tolist()}

# 1. The input that a filter answers most to, by gradient ascent.
kept_filters = []
for filter_index in (0, 2):
    layer_output = layer_dict['block2_conv1'].output
    if K.image_data_format() == 'channels_first':
        loss = K.mean(layer_output[:, filter_index, :, :])
    else:
        loss = K.mean(layer_output[:, :, :, filter_index])
    grads = K.gradients(loss, input_img)[0]
    grads /= (K.sqrt(K.mean(K.square(grads))) + 1e-5)
    iterate = K.function([input_img, K.learning_phase()], [loss, grads])
    input_img_data = (np.random.RandomState(filter_index).random_sample((1, img_width, img_height, 1)) - 0.5) * 0.2 + 0.5
    values = []
    for _ in range(10):
        loss_value, grads_value = iterate([input_img_data, 0])
        input_img_data += grads_value * 0.1
        values.append(float(loss_value))
        if loss_value <= -1e6:
            break
    print('filter', filter_index, 'loss', round(loss_value, 4))
    assert values[-1] > 1.2 * values[0], values
    kept_filters.append((deprocess_image(input_img_data[0].copy()), loss_value))
    result['filter_%d' % filter_index] = values[:5]
kept_filters.sort(key=lambda pair: pair[1], reverse=True)
assert kept_filters[0][0].shape == (10, 10, 1) and kept_filters[0][0].dtype == np.uint8

# 2. Saliency: which pixels move the score of the most probable class.
class_idx = int(np.argmax(model.predict(image)[0]))
score = layer_dict['logits'].output[0, class_idx]
saliency = K.function([model.input], K.gradients(score, [model.input]))([image])[0]
assert saliency.shape == image.shape
numeric = np.zeros(4)
logits = K.function([model.layers[0].input, K.learning_phase()], [layer_dict['logits'].output])
for i in range(4):
    up, down = image.copy(), image.copy()
    up[0, 5, i + 3, 0] += 1e-3
    down[0, 5, i + 3, 0] -= 1e-3
    numeric[i] = (logits([up, 0])[0][0, class_idx] - logits([down, 0])[0][0, class_idx]) / 2e-3
np.testing.assert_allclose(saliency[0, 5, 3:7, 0], numeric, atol=5e-3)
result['saliency'] = saliency[0, ::3, ::3, 0].tolist()

# 3. Class activation map by gradients (Grad-CAM).
y_c = K.sum(model.output * K.one_hot([class_idx], 3))
conv_output = model.get_layer('block2_conv1').output
grads = normalize(K.gradients(y_c, conv_output)[0])
output, grads_val = K.function([model.input], [conv_output, grads])([image])
output, grads_val = output[0, :], grads_val[0, :, :, :]
cam = np.dot(output, np.mean(grads_val, axis=(0, 1)))
assert cam.shape == (3, 3)
result['cam'] = np.maximum(cam, 0).tolist()
assert all(np.ptp(grads_val[:, :, i]) < 1e-5 for i in range(6) if (output[:, :, i] > 0).all())

# 4. The outputs of all layers at once.
outputs = [layer.output for layer in model.layers][1:]
functor = K.function([model.input] + [K.learning_phase()], outputs)
shapes = [out.shape for out in functor([image, 1.])]
assert shapes == [(1, 10, 10, 4), (1, 5, 5, 4), (1, 3, 3, 6), (1, 6), (1, 3), (1, 3)], shapes
single = [K.function([model.input], [out])([image])[0] for out in outputs]
np.testing.assert_allclose(single[-1], model.predict(image), atol=1e-6)

# 5. A convolution's weights as images, and the rate of dead filters.
W = layer_dict['block1_conv1'].get_weights()[0]
assert W.shape == (3, 3, 1, 4)
dead = K.function([model.input], [K.mean(K.cast(K.equal(outputs[0], 0), K.floatx()), axis=[0, 1, 2])])
result['dead'] = dead([image])[0].tolist()

# 6. An image that is painted until two layers agree with those of another: K.variable as input.
canvas = K.variable(np.full((1, img_width, img_height, 1), 0.5))
features = Model(model.input, [layer_dict['block1_conv1'].output, conv_output])
target = [K.constant(t) for t in features.predict(image)]
loss = K.variable(0.)
for painted, wanted in zip(features(canvas), target):
    loss = loss + K.sum(K.square(painted - wanted))
gradient = K.gradients(loss, canvas)[0]
step = K.function([], [loss, gradient], updates=[(canvas, canvas - 0.02 * gradient)])
trace = [float(step([])[0]) for _ in range(60)]
assert trace[-1] < 0.3 * trace[0], (trace[0], trace[-1])
result['painted'] = trace[0]
flat = Model(model.input, Flatten()(conv_output))
assert flat.output_shape == (None, 54)
print('RESULT ' + json.dumps(result))

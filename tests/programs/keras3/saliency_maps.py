"""Saliency maps as of 2020 in plain Keras: vanilla gradients, SmoothGrad, integrated gradients and their completeness."""
# original: graph
import json

import keras
import numpy as np
from keras.layers import Conv2D, Dense, Flatten

import keras_backend.keras3 as K

rs = np.random.RandomState(12)
model = keras.Sequential([keras.Input((8, 8, 2)), Conv2D(4, 3, activation='tanh'), Flatten(),
                          Dense(6, activation='tanh'), Dense(3)])
model.set_weights([rs.normal(0, .3, w.shape) for w in model.get_weights()])


class SaliencyMask(object):
    def __init__(self, model, output_index=0):
        self.gradients = K.function([model.inputs[0]], K.gradients(model.outputs[0][:, output_index], model.inputs[0]))

    def get_mask(self, image):
        return self.gradients([np.expand_dims(image, 0)])[0][0]

    def get_smoothed_mask(self, image, noises):
        return np.mean([self.get_mask(image + noise) ** 2 for noise in noises], axis=0)


class IntegratedGradients(SaliencyMask):
    def get_mask(self, image, baseline=None, steps=40):
        baseline = np.zeros_like(image) if baseline is None else baseline
        total = np.zeros_like(image)
        for alpha in (np.arange(steps) + .5) / steps:
            total += super(IntegratedGradients, self).get_mask(baseline + alpha * (image - baseline))
        return total * (image - baseline) / steps


image = rs.uniform(0, 1, (8, 8, 2)).astype('float32')
vanilla = SaliencyMask(model, 1)
mask = vanilla.get_mask(image)

# Finite differences at some places.
for place in [(0, 0, 0), (3, 4, 1), (7, 7, 0)]:
    step = np.zeros_like(image)
    step[place] = .01
    up, down = model.predict(np.array([image + step, image - step]), verbose=0)[:, 1]
    assert abs((up - down) / .02 - mask[place]) < 2e-3 * max(1, abs(mask[place])), (place, up - down, mask[place])

integrated = IntegratedGradients(model, 2).get_mask(image)
ends = model.predict(np.array([image, image * 0]), verbose=0)[:, 2]
assert abs(integrated.sum() - (ends[0] - ends[1])) < 1e-3, 'integrated gradients are not complete'
smooth = vanilla.get_smoothed_mask(image, rs.normal(0, .1, (5, 8, 8, 2)).astype('float32'))
loss = K.max(model.outputs[0], axis=1)
of_max = K.function([model.inputs[0]], K.gradients(loss, model.inputs[0]))([image[None]])[0]
print('RESULT ' + json.dumps({'vanilla': mask.tolist(), 'integrated': integrated.tolist(), 'smooth': smooth.tolist(),
                              'of_max': of_max[0].tolist()}))

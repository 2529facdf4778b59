"""Adversarial pictures as of 2019: FGSM, the iterated form and a targeted one, by K.gradients of a loss and K.sign."""
# original: graph
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Activation, Dense, Input
from tensorflow.keras.losses import categorical_crossentropy
from tensorflow.keras.models import Model

rs = np.random.RandomState(13)
image = Input((16,))
hidden = Dense(12, activation='relu')(image)
out = Activation('softmax')(Dense(4)(hidden))
model = Model(image, out)
model.set_weights([rs.normal(0, .5, w.shape) for w in model.get_weights()])
x = rs.uniform(.2, .8, (6, 16)).astype('float32')
y = np.eye(4, dtype='float32')[np.argmax(model.predict(x, verbose=0), axis=1)]

target = K.placeholder((None, 4))
loss = K.mean(K.categorical_crossentropy(target, model.output))
gradient = K.gradients(loss, model.input)[0]
signed = K.function([model.input, target], [loss, K.sign(gradient), gradient])


def fgsm(x, y, epsilon):
    return np.clip(x + epsilon * signed([x, y])[1], 0, 1)


def basic_iterative(x, y, epsilon, alpha, steps):
    adversary = x
    for _ in range(steps):
        adversary = np.clip(fgsm(adversary, y, alpha), x - epsilon, x + epsilon)
    return adversary


def targeted(x, label, epsilon, steps):
    wanted = np.eye(4, dtype='float32')[np.full(len(x), label)]
    for _ in range(steps):
        x = np.clip(x - epsilon * signed([x, wanted])[2], 0, 1)
    return x


first, _, raw = signed([x, y])
one, many = fgsm(x, y, .1), basic_iterative(x, y, .1, .02, 10)
losses = [float(signed([v, y])[0]) for v in (x, one, many)]
assert losses[0] < losses[1], losses
goal = targeted(x, 2, 3., 8)
probabilities = model.predict(goal, verbose=0)
per_sample = K.function([model.input, target], [categorical_crossentropy(target, model.output)])([x, y])[0]
assert abs(per_sample.mean() - first) < 1e-5
print('RESULT ' + json.dumps({'losses': losses, 'gradient': raw.tolist(), 'fgsm': one.tolist(), 'iterated': many.tolist(),
                              'targeted': probabilities.tolist()}))

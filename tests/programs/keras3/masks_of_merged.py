"""A tagger as of 2019 that joins words with a mask and features without one: the mask reaches losses and metrics."""
import json

import numpy as np
from tensorflow.keras import backend as K
from tensorflow.keras import layers
from tensorflow.keras.layers import Activation, GlobalAveragePooling1D, Input, Lambda, Masking, RepeatVector, SimpleRNN
from tensorflow.keras.models import Model

rs = np.random.RandomState(71)
words = (rs.uniform(.1, 1, (4, 5, 3))).astype('float32')
words[0, 3:], words[1, 1:], words[2, 4:] = 0, 0, 0
features, context = rs.uniform(.1, 1, (4, 5, 3)).astype('float32'), rs.uniform(.1, 1, (4, 3)).astype('float32')
inputs = Input((5, 3)), Input((5, 3)), Input((3,))
masked = Masking()(inputs[0])
other = Lambda(lambda x: x[0] * .5, mask=lambda x, masks: x[1][:, :, 0] > .5)([masked, inputs[1]])
names, outputs = [], []


def told(name, join):
    names.append(name)
    outputs.append(Activation('linear', name='o%d' % len(names))(join(masked, inputs[1], inputs[2], other)))


def stacked(x):
    return Lambda(lambda steps: K.stack([steps, steps], 3), mask=lambda steps, mask: mask)(x)


for kind in ('Add', 'Subtract', 'Multiply', 'Average', 'Maximum', 'Minimum', 'Concatenate'):
    layer = getattr(layers, kind)
    told(kind + ' masked first', lambda m, x, c, o: layer()([m, x]))
    told(kind + ' masked last', lambda m, x, c, o: layer()([x, m]))
    told(kind + ' two masks', lambda m, x, c, o: layer()([m, o]))
    told(kind + ' of three', lambda m, x, c, o: layer()([m, x, o]) if kind != 'Subtract' else layer()([o, m]))
ones = {'kernel_initializer': 'ones', 'recurrent_initializer': 'ones'}
told('time steps', lambda m, x, c, o: layers.concatenate([m, o], axis=1))
told('repeated', lambda m, x, c, o: layers.concatenate([RepeatVector(5)(c), m]))
told('of two ranks', lambda m, x, c, o: layers.Add()([m, c]))
told('recurrent', lambda m, x, c, o: SimpleRNN(2, return_sequences=True, **ones)(layers.concatenate([x, m])))
told('pooled', lambda m, x, c, o: GlobalAveragePooling1D()(layers.add([x, m])))
told('of four axes', lambda m, x, c, o: layers.add([stacked(m), stacked(x)]))
told('plus', lambda m, x, c, o: m + x)
told('dot', lambda m, x, c, o: layers.dot([m, x], 2))

model = Model(list(inputs), outputs)
model.compile('sgd', 'mse', metrics={'o%d' % (i + 1): 'mae' for i in range(len(names))})
arrays = [words, features, context]
targets = [np.random.RandomState(72).uniform(size=(4,) + K.int_shape(output)[1:]) for output in outputs]
evaluated = model.test_on_batch(arrays, targets, return_dict=True)
trained = model.train_on_batch(arrays, targets, return_dict=True)
results = {}
for i, name in enumerate(names):
    for logs, kind in (evaluated, 'evaluated'), (trained, 'trained'):
        results[name + ' ' + kind] = [float(logs['o%d_%s' % (i + 1, part)]) for part in ('loss', 'mae')]
print('RESULT ' + json.dumps(results))

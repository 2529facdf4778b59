"""Nothing here stops or differs: names that have another way, magics of Python, names of K."""
from __future__ import print_function

import os

import numpy as np
import six
from six.moves import xrange

try:
    import cPickle as pickle
except ImportError:
    import pickle
try:
    from keras.layers import CuDNNLSTM as Recurrent
except ImportError:
    from keras.layers import LSTM as Recurrent
import keras
from keras import backend as K
from keras.engine.topology import Layer
from keras.layers import Dense, Input
from keras.models import Model

if keras.__version__.startswith('1'):
    from keras.layers import merge
else:
    from keras.layers import concatenate

try:
    unicode
except NameError:
    unicode = str


class Scale(Layer):
    def __init__(self, factor, **kwargs):
        self.factor = factor
        super(Scale, self).__init__(**kwargs)

    def build(self, input_shape):
        self.kernel = self.add_weight(name='kernel', shape=(int(input_shape[-1]),), initializer='ones')
        super(Scale, self).build(input_shape)

    def call(self, x, mask=None):
        return x * self.kernel * self.factor

    def get_output_shape_for(self, input_shape):
        return input_shape

    def compute_output_shape(self, input_shape):
        return input_shape


inputs = Input(shape=(4,))
outputs = Dense(2, activation='softmax')(Scale(2.0)(inputs))
model = Model(inputs, outputs)
model.compile('sgd', 'categorical_crossentropy', metrics=['acc'])
for i in xrange(2):
    history = model.fit(np.ones((8, 4)), np.ones((8, 2)), verbose=0, nb_epoch=1)
    print('accuracy', history.history['acc'], pickle.dumps(i), file=None)
for key, value in six.iteritems(os.environ):
    pass
f = K.function([model.input, K.learning_phase()], [K.tf.reduce_sum(model.output)])
print(K.eval(K.variable(1.0)), K.epsilon(), K.image_dim_ordering(), K.py_all([True]), K.np.ones(3), unicode(3))

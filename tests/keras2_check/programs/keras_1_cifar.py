# -*- coding: utf-8 -*-
'''Train a small network on small images, as of 2015.
   print "this is text, not a statement"
'''
from __future__ import absolute_import
import cPickle as pickle
import sys

import numpy as np

from keras.layers.core import Activation, Dense, Flatten, MaxoutDense
from keras.layers.convolutional import Convolution2D, MaxPooling2D
from keras.models import Sequential
from keras.optimizers import SGD

nb_epoch = 20


def batches(x, y, size):
    while True:
        for i in xrange(0, len(x), size):
            yield x[i:i + size], y[i:i + size]


print 'classes:', 10
print >>sys.stderr, "%d samples" % 50, \
    "in all"
model = Sequential()
model.add(Convolution2D(32, 3, 3, border_mode='same', input_shape=(3, 32, 32), dim_ordering='th'))
model.add(Activation('relu'))
model.add(MaxPooling2D(pool_size=(2, 2)))
model.add(Flatten())
model.add(MaxoutDense(10, nb_feature=4))
model.add(Dense(output_dim=10, init='uniform'))
model.compile(loss='mse', optimizer=SGD(lr=0.1))
x, y = np.zeros((60 / 2, 3, 32, 32)), np.zeros((30, 10))
model.fit_generator(batches(x, y, 10), samples_per_epoch=30, nb_epoch=nb_epoch)
try:
    pickle.dump(model.get_config(), open('config.p', 'w'))
except IOError, error:
    print 'not written', error
    raise ValueError, 'no folder'
for key, value in {}.iteritems():
    print key, value

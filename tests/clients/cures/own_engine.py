"""A program that chooses the engine itself, before it imports Keras."""
import os

os.environ['KERAS_BACKEND'] = 'numpy'
from keras import backend as K

assert K.backend() == 'numpy' and os.environ['KERAS_BACKEND'] == 'numpy'
print('cured')

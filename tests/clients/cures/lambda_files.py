"""Models with Lambda layers that other Pythons saved: they predict as they did, and nothing in them is run."""
import glob
import os
import sys

import keras
import numpy as np
from keras import backend as K
from keras.layers import Input, Lambda
from keras.models import Model, load_model

MODELS = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), '..', '..', 'files', 'models')
paths = sorted(glob.glob(os.path.join(MODELS, '*_lambdas.h5')))
assert len(paths) == 7, paths
for path in paths:
    found = np.load(path.replace('.h5', '.npz'))
    model = load_model(path)
    for again in range(2):
        np.testing.assert_allclose(model.predict([found['u'], found['v']]), found['p'], rtol=1e-5, atol=1e-6)
        model.save('again.h5')
        model = load_model('again.h5')
    weights = model.get_weights()
    model = keras.models.clone_model(model)
    model.set_weights(weights)
    np.testing.assert_allclose(model.predict([found['u'], found['v']]), found['p'], rtol=1e-5, atol=1e-6)

attack = os.path.join(MODELS, 'keras231_python37_attack.h5')
try:
    load_model(attack)
except ValueError as error:
    text = str(error)
    for part in ('The function steal of the layer normalise is not run', 'imports os', 'in line 5',
                 "custom_objects={'normalise': function}"):
        assert part in text, text
else:
    raise AssertionError('the function was run')
assert not os.path.exists('stolen')
model = load_model(attack, custom_objects={'normalise': lambda x: x * 2})
assert (model.predict(np.ones((1, 4))) == 2).all()

# A function of this process is its own, whatever it does.


def double(x):
    try:
        return x * 2
    finally:
        pass


inputs = Input((3,))
model = Model(inputs, Lambda(double)(inputs))
assert (keras.models.clone_model(model).predict(np.ones((1, 3))) == 2).all()
print('cured')

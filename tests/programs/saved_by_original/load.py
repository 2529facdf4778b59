"""Loads a file of this folder under the launcher, and tells what the model predicts and how it goes on learning."""
import json
import sys

import keras
from keras.models import load_model
from make import STEPS, inputs

name, path = sys.argv[1:]
# Keras 2.2 does not know the optimizers' settings of 2.3, neither in the original.
readable = keras.__version__ >= '2.3' or not name.endswith('2.3.1')
model = load_model(path, compile=readable)
x, y = inputs(name)
told = {'predicted': model.predict(x).tolist(), 'losses': None}
if readable:
    losses = [model.train_on_batch(x, y) for _ in range(STEPS)]
    told['losses'] = [float(loss[0] if isinstance(loss, list) else loss) for loss in losses]
print('\n' + json.dumps(told))

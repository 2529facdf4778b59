"""tf.layers, tf.contrib and tf.nn.rnn_cell compute what TensorFlow 1.15 computed, and have its names."""
# engines: tensorflow
import json
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'tensorflow1')
sys.path.insert(0, FOLDER)

import keras

# Nothing of this is loaded before it is used.
loaded = [name.split('.')[-1] for name in sys.modules if 'keras2.tensorflow1.' in name]
assert set(loaded) == {'table'}, loaded

import tensorflow as tf
import running

wanted = json.load(open(os.path.join(FOLDER, 'values.json')))
assert set(wanted) == set(running.CASES)
wrong = []
for name, function in sorted(running.CASES.items()):
    wrong += running.differences(json.loads(json.dumps(running.run(function))), wanted[name], name)
assert not wrong, '\n'.join(wrong)
print('cured')

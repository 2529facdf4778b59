"""multi_gpu_model and the cuDNN layers on a machine without GPUs."""
import warnings

import keras
import numpy as np
from keras.layers import GRU, LSTM, Bidirectional, CuDNNGRU, CuDNNLSTM, Dense, Input
from keras.models import Model, Sequential
from keras.utils import multi_gpu_model

x = np.random.RandomState(0).rand(4, 5, 3).astype('float32')
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter('always')
    lstm = Sequential([CuDNNLSTM(2, return_sequences=True, input_shape=(5, 3)), Bidirectional(CuDNNGRU(2))])
    CuDNNLSTM(3)
    told = [str(each.message) for each in told if 'CuDNN' in str(each.message)]
assert len(told) == 2 and 'CuDNNLSTM' in told[0] and 'CuDNNGRU' in told[1], told
plain = Sequential([LSTM(2, recurrent_activation='sigmoid', return_sequences=True, input_shape=(5, 3)),
                    Bidirectional(GRU(2, recurrent_activation='sigmoid', reset_after=True))])
assert [w.shape for w in lstm.get_weights()] == [w.shape for w in plain.get_weights()]
plain.set_weights(lstm.get_weights())
assert np.allclose(plain.predict(x), lstm.predict(x), atol=1e-6)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


# One step of an LSTM, in float64: the gates lie in the order input, forget, cell, output.
kernel, recurrent, bias = [w.astype('float64') for w in lstm.layers[0].get_weights()]
h, c = np.zeros((4, 2)), np.zeros((4, 2))
for t in range(5):
    i, f, g, o = np.split(x[:, t].dot(kernel) + h.dot(recurrent) + bias, 4, axis=1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
first = Model(lstm.input, lstm.layers[0].output)
assert np.allclose(first.predict(x)[:, -1], h, atol=1e-5)

# A configuration of 2018 names the class.
config = {'units': 2, 'return_sequences': True, 'return_state': False, 'stateful': False, 'unit_forget_bias': True,
          'name': 'old', 'go_backwards': False, 'trainable': True}
layer = keras.layers.deserialize({'class_name': 'CuDNNLSTM', 'config': config})
assert layer.name == 'old' and layer.return_sequences and isinstance(layer, LSTM)
assert CuDNNGRU(2, 'zeros').get_config()['kernel_initializer']['class_name'] == 'Zeros'

inputs = Input((3,), name='i')
one, two = Dense(3, name='a')(inputs), Dense(2, name='b')(inputs)
single = Model(inputs, [one, two], name='template')
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter('always')
    parallel = multi_gpu_model(single, gpus=2)
    keras.utils.multi_gpu_model(Model(inputs, one), gpus=[0, 1])
    told = [str(each.message) for each in told if 'multi_gpu_model' in str(each.message)]
assert len(told) == 1 and '2 GPUs and 0 are here' in told[0], told
# As the original's: the names of outputs, and where the model is.
assert parallel.output_names == ['a', 'b'] and parallel.input_names == ['i'] and parallel is not single
assert multi_gpu_model(Model(inputs, one, name='m'), gpus=2).layers[-2].name == 'm'
parallel.compile('sgd', 'mse')
before = single.get_weights()[0].copy()
parallel.train_on_batch(np.ones((4, 3)), [np.zeros((4, 3)), np.zeros((4, 2))])
assert (single.get_weights()[0] != before).any()
assert np.allclose(parallel.predict(x[:, 0])[1], single.predict(x[:, 0])[1])
for wrong in 1, 0:
    try:
        multi_gpu_model(single, gpus=wrong)
    except ValueError:
        pass
    else:
        raise AssertionError('multi_gpu_model needs two')
print('cured')

"""A program for a machine with several GPUs: CuDNN layers, multi_gpu_model, weights from a model without CuDNN."""
# engines: tensorflow
# original: no
import json
import os

os.environ['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'
os.environ['CUDA_VISIBLE_DEVICES'] = '0'
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import (GRU, LSTM, Bidirectional, CuDNNGRU, CuDNNLSTM, Dense, Embedding, GlobalMaxPooling1D, Input,
                          SpatialDropout1D, concatenate)
from keras.models import Model, Sequential, load_model
from keras.utils import multi_gpu_model
from keras.utils.training_utils import multi_gpu_model as same_multi_gpu_model

G = 2
assert multi_gpu_model is same_multi_gpu_model
gpus = K.tensorflow_backend._get_available_gpus()
assert isinstance(gpus, list), gpus
rs = np.random.RandomState(0)
x = rs.normal(0, 1, (6, 7, 3))


def weights_like(model):
    return [rs.normal(0, .4, w.shape) for w in model.get_weights()]


# CuDNNLSTM has two biases, of which LSTM knows the sum; CuDNNGRU resets after the product.
fast = Sequential([CuDNNLSTM(4, return_sequences=True, input_shape=(7, 3)), CuDNNLSTM(5)])
plain = Sequential([LSTM(4, return_sequences=True, recurrent_activation='sigmoid', input_shape=(7, 3)),
                    LSTM(5, recurrent_activation='sigmoid')])
assert [w.shape for w in fast.get_weights()] == [(3, 16), (4, 16), (32,), (4, 20), (5, 20), (40,)]
fast.set_weights(weights_like(fast))
a, b, c, d, e, f = fast.get_weights()
plain.set_weights([a, b, c[:16] + c[16:], d, e, f[:20] + f[20:]])
lstm = fast.predict(x)
assert np.allclose(lstm, plain.predict(x), atol=1e-5)

fast = Sequential([CuDNNGRU(4, return_sequences=True, input_shape=(7, 3))])
plain = Sequential([GRU(4, return_sequences=True, recurrent_activation='sigmoid', reset_after=True,
                        input_shape=(7, 3))])
assert [w.shape for w in fast.get_weights()] == [(3, 12), (4, 12), (24,)]
fast.set_weights(weights_like(fast))
a, b, c = fast.get_weights()
plain.set_weights([a, b, c.reshape(2, 12)])
gru = fast.predict(x)
assert gru.shape == (6, 7, 4) and np.allclose(gru, plain.predict(x), atol=1e-5)
fast.save_weights('gru.h5')
plain.load_weights('gru.h5')
assert np.allclose(plain.predict(x), gru, atol=1e-5)

# State, and several results.
inputs = Input(batch_shape=(6, 7, 3))
outputs = CuDNNLSTM(4, return_state=True, stateful=True, name='stateful')(inputs)
model = Model(inputs, outputs)
first, second = model.predict(x, batch_size=6), model.predict(x, batch_size=6)
assert len(first) == 3 and np.allclose(first[0], first[1]) and not np.allclose(first[0], second[0])
model.reset_states()
assert np.allclose(model.predict(x, batch_size=6)[2], first[2], atol=1e-6)


def build():
    words = Input(shape=(9,), dtype='int32')
    y = SpatialDropout1D(.1)(Embedding(12, 6)(words))
    y = Bidirectional(CuDNNLSTM(6, return_sequences=True))(y)
    z = Bidirectional(CuDNNGRU(5, return_sequences=True))(y)
    y = concatenate([GlobalMaxPooling1D()(y), GlobalMaxPooling1D()(z)])
    return Model(words, Dense(1, activation='sigmoid')(y))


np.random.seed(0)
words = np.random.randint(1, 12, (64, 9))
words[::2, 4] = 0
truth = (words == 0).any(1).astype('float32')
if G <= 1:
    model = template = build()
else:
    with tf.device('/cpu:0'):
        template = build()
    model = multi_gpu_model(template, gpus=G)
model.compile(loss='binary_crossentropy', optimizer='adam', metrics=['accuracy'])
expected = template.predict(words)
assert np.allclose(model.predict(words), expected, atol=1e-6)
history = model.fit(words, truth, batch_size=16, epochs=20, verbose=0)
assert history.history['loss'][-1] < .5 * history.history['loss'][0], history.history['loss']
assert np.allclose(model.predict(words), template.predict(words), atol=1e-5)
template.save('template.h5')
again = load_model('template.h5')
assert np.allclose(again.predict(words), model.predict(words), atol=1e-5)
print('RESULT ' + json.dumps({'lstm': float(lstm.sum()), 'gru': float(gru.sum())}))

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
from keras.optimizers import Adam
from keras.utils import multi_gpu_model
try:
    from keras.utils.training_utils import multi_gpu_model as parallel_model
except ImportError:  # since Keras 2.3
    from keras.utils.multi_gpu_utils import multi_gpu_model as parallel_model

G = 2
gpus = K.tensorflow_backend._get_available_gpus()
assert isinstance(gpus, list), gpus
rs = np.random.RandomState(0)
x = rs.normal(0, 1, (6, 7, 3))


def weights_like(model):
    return [rs.normal(0, .4, w.shape) for w in model.get_weights()]


# What a machine with a GPU has trained goes on on one without: weights travel between the kinds in files.
fast = Sequential([CuDNNLSTM(4, return_sequences=True, input_shape=(7, 3)), CuDNNLSTM(5, unit_forget_bias=False)])
plain = Sequential([LSTM(4, return_sequences=True, recurrent_activation='sigmoid', input_shape=(7, 3)),
                    LSTM(5, recurrent_activation='sigmoid')])
fast.set_weights(weights_like(fast))
fast.save_weights('lstm.h5')
plain.load_weights('lstm.h5')
lstm = fast.predict(x)
assert lstm.shape == (6, 5) and np.allclose(lstm, plain.predict(x), atol=1e-5)

# CuDNNGRU resets after the product.
fast = Sequential([CuDNNGRU(4, return_sequences=True, input_shape=(7, 3))])
plain = Sequential([GRU(4, return_sequences=True, recurrent_activation='sigmoid', reset_after=True,
                        input_shape=(7, 3))])
plain.set_weights(weights_like(plain))
plain.save_weights('gru.h5')
fast.load_weights('gru.h5')
gru = fast.predict(x)
assert gru.shape == (6, 7, 4) and np.allclose(gru, plain.predict(x), atol=1e-5)
w, u, b = plain.get_weights()
h = np.zeros((6, 4))
for t in range(7):
    (xz, xr, xh), (hz, hr, hh) = [np.split(v, 3, 1) for v in (x[:, t].dot(w) + b[0], h.dot(u) + b[1])]
    z, r = [1 / (1 + np.exp(-v)) for v in (xz + hz, xr + hr)]
    h = z * h + (1 - z) * np.tanh(xh + r * hh)
assert np.allclose(gru[:, -1], h, atol=1e-5)

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
    model = template = parallel = build()
else:
    with tf.device('/cpu:0'):
        template = build()
    model = multi_gpu_model(template, gpus=G)
    parallel = parallel_model(template, gpus=[0, 1])
model.compile(loss='binary_crossentropy', optimizer=Adam(lr=.02), metrics=['accuracy'])
expected = template.predict(words)
assert np.allclose(model.predict(words), expected, atol=1e-6)
assert np.allclose(parallel.predict(words), expected, atol=1e-6)
history = model.fit(words, truth, batch_size=16, epochs=20, verbose=0)
assert history.history['loss'][-1] < .5 * history.history['loss'][0], history.history['loss']
assert np.allclose(model.predict(words), template.predict(words), atol=1e-5)
template.save('template.h5')
again = load_model('template.h5')
assert np.allclose(again.predict(words), model.predict(words), atol=1e-5)
print('RESULT ' + json.dumps({'lstm': float(lstm.sum()), 'gru': float(gru.sum())}))

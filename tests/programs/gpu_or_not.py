"""The usual head of a program that takes a GPU where there is one, and plain layers where there is none."""
# engines: tensorflow
import json
import os
os.environ['CUDA_VISIBLE_DEVICES'] = '-1'
import keras.backend.tensorflow_backend as KTF
import keras
import tensorflow as tf
import numpy as np
from tensorflow.python.client import device_lib
from keras.layers import GRU, LSTM, Bidirectional, Dense, Embedding, Dropout
from keras.models import Sequential
from keras import backend as K


def get_session(gpu_fraction=0.3):
    num_threads = os.environ.get('OMP_NUM_THREADS')
    gpu_options = tf.GPUOptions(per_process_gpu_memory_fraction=gpu_fraction, allow_growth=True)
    if num_threads:
        return tf.Session(config=tf.ConfigProto(gpu_options=gpu_options, allow_soft_placement=True,
                                                log_device_placement=False,
                                                intra_op_parallelism_threads=int(num_threads)))
    return tf.Session(config=tf.ConfigProto(gpu_options=gpu_options))


KTF.set_session(get_session())
assert keras.backend.tensorflow_backend is KTF and K.tensorflow_backend is KTF
local = [d.name for d in device_lib.list_local_devices() if d.device_type == 'GPU']
gpus = K.tensorflow_backend._get_available_gpus()
assert local == [] and gpus == [] and not tf.test.is_gpu_available() and not tf.test.gpu_device_name()
if len(gpus) > 0:
    from keras.layers import CuDNNGRU as RNN
else:
    RNN = lambda units, **kwargs: GRU(units, recurrent_activation='sigmoid', reset_after=True, **kwargs)
with tf.device('/gpu:0' if gpus else '/cpu:0'):
    model = Sequential()
    model.add(Embedding(20, 6, input_length=8, mask_zero=False))
    model.add(Bidirectional(RNN(5, return_sequences=True)))
    model.add(LSTM(7, implementation=2 if gpus else 1, unit_forget_bias=True, dropout=0.))
    model.add(Dropout(.1))
    model.add(Dense(1, activation='sigmoid'))
if len(gpus) > 1:
    model = keras.utils.multi_gpu_model(model, gpus=len(gpus))
else:
    try:
        keras.utils.multi_gpu_model(model, gpus=1)
        raise AssertionError('one GPU was taken')
    except ValueError as error:
        print(str(error)[:60])
rs = np.random.RandomState(0)
model.set_weights([rs.normal(0, .4, w.shape) for w in model.get_weights()])
model.compile(loss='binary_crossentropy', optimizer=keras.optimizers.RMSprop(lr=.01), metrics=['acc'])
x = np.random.RandomState(1).randint(1, 20, (80, 8))
y = x.max(1) > 17
predictions = model.predict(x[:5])
first = float(model.test_on_batch(x, y)[0])
with KTF.get_session().as_default():
    assert np.allclose(model.layers[0].embeddings.eval(), model.get_weights()[0])
np.random.seed(0)
tf.set_random_seed(0)
history = model.fit(x, y, batch_size=16, epochs=10, verbose=0)
assert history.history['loss'][-1] < .8 * first, history.history['loss']
KTF.clear_session()
print('RESULT ' + json.dumps({'predictions': predictions.ravel().tolist(), 'first': first}))

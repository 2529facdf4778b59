"""ConvLSTM, Conv3D, a CNN for each time step, depthwise and separable convolutions, hard activations, regularizers by name."""
import json
import numpy as np
import tensorflow as tf
from tensorflow.keras.layers import (
    ELU, GRU, LSTM, ActivityRegularization, AveragePooling2D, BatchNormalization, Bidirectional, Conv2D, Conv2DTranspose, Conv3D,
    ConvLSTM2D, Cropping2D, Dense, DepthwiseConv2D, Flatten, GaussianNoise, Input, LeakyReLU, MaxPool2D, Permute, PReLU, ReLU,
    SeparableConv2D, Softmax, ThresholdedReLU, TimeDistributed, UpSampling2D, ZeroPadding2D,
)
from tensorflow.keras.models import Model, Sequential
from tensorflow.keras.optimizers import SGD
from tensorflow.keras.regularizers import l1_l2

rs = np.random.RandomState(13)


def fill(model, seed=0):
    r = np.random.RandomState(seed)
    model.set_weights([np.abs(r.normal(0, .2, w.shape)) + .5 if len(w.shape) == 1 else r.normal(0, .2, w.shape) for w in model.get_weights()])


def hist(h):
    return {k: [float(a) for a in v] for k, v in h.history.items()}


out = {}
seq = Sequential()
seq.add(ConvLSTM2D(filters=3, kernel_size=(3, 3), input_shape=(None, 6, 6, 1), padding='same', return_sequences=True))
seq.add(BatchNormalization())
seq.add(ConvLSTM2D(filters=2, kernel_size=(3, 3), padding='same', return_sequences=True, recurrent_activation='hard_sigmoid'))
seq.add(Conv3D(filters=1, kernel_size=(3, 3, 3), activation='sigmoid', padding='same', data_format='channels_last'))
fill(seq)
seq.compile(loss='binary_crossentropy', optimizer='adadelta')
movies = rs.uniform(size=(6, 4, 6, 6, 1)).astype('float32')
out['convlstm'] = hist(seq.fit(movies, movies > .5, batch_size=3, epochs=2, shuffle=False, verbose=0))

m = Sequential([TimeDistributed(Conv2D(3, 3, activation='relu'), input_shape=(4, 6, 6, 1)), TimeDistributed(MaxPool2D()), TimeDistributed(Flatten()),
                Bidirectional(GRU(3, return_sequences=True, reset_after=False), merge_mode='sum'), LSTM(4, implementation=1), Dense(2, activation='softmax')])
fill(m, 1)
m.compile('adagrad', 'sparse_categorical_crossentropy', metrics=['acc'])
out['td'] = hist(m.fit(movies, rs.randint(0, 2, 6), batch_size=2, epochs=2, shuffle=False, verbose=0))

i = Input((8, 8, 3))
x = ZeroPadding2D(((1, 0), (0, 1)))(i)
x = SeparableConv2D(4, 3, padding='same', depth_multiplier=2)(x)
x = ReLU(6., negative_slope=0.1)(x)
x = DepthwiseConv2D(3, padding='valid', dilation_rate=2)(x)
x = PReLU(shared_axes=[1, 2])(x)
x = UpSampling2D(2, interpolation='bilinear')(x)
x = Cropping2D(1)(x)
x = Conv2DTranspose(3, 4, strides=2, padding='same')(x)
x = LeakyReLU(alpha=.3)(x)
x = AveragePooling2D(2, padding='same')(x)
x = ELU(alpha=0.5)(x)
x = GaussianNoise(0.1)(x)
x = Permute((3, 1, 2))(x)
x = Conv2D(2, 3, activation='softplus', padding='same')(x)
x = ActivityRegularization(l1=1e-3)(x)
x = Flatten()(x)
x = Dense(6, activation='hard_sigmoid', kernel_regularizer=l1_l2(l1=1e-3), bias_regularizer='l1_l2')(x)
x = ThresholdedReLU(theta=0.2)(x)
m = Model(i, Softmax()(x))
fill(m, 2)
m.compile(SGD(learning_rate=0.05, momentum=.9, clipnorm=1.), 'kl_divergence', metrics=['top_k_categorical_accuracy', 'categorical_accuracy'])
img = rs.uniform(size=(12, 8, 8, 3)).astype('float32')
lab = np.eye(6)[rs.randint(0, 6, 12)]
out['zoo0'] = m.predict(img[:2]).tolist()
out['zooev'] = [float(v) for v in m.evaluate(img, lab, verbose=0)]
out['errors'] = [float(v) for v in np.array(tf.keras.losses.MSE(lab, m.predict(img)))]
print('RESULT', json.dumps(out))
